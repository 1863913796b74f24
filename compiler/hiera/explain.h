#pragma once
// What a lookup tells about how it went. The base class does nothing and is never called when there is no explainer; `pupc lookup
// --explain` derives from it. Nodes are entered and left in Puppet's nesting.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc {

class Explainer {
public:
  enum class Node : uint8_t {
    Key,
    Global,
    Data,
    Meta,
    Merge,
    DataProvider,
    Location,
    Uri,
    Interpolation,
    Scope,
    SubLookup,
    Segment,
    InvalidKey
  };

  virtual ~Explainer() = default;
  /// Whether the key itself is to be looked up, and not only what lookup_options say about it.
  virtual bool explains_data() const { return true; }

  /// `detail`: of a data provider its configuration's path ("" = none), of a location what hiera.yaml has in its place.
  virtual void enter(Node, std::string_view /*name*/, std::string_view /*detail*/) {}
  virtual void leave() {}
  virtual void found(std::string_view, const Value&) {}
  virtual void found_in_overrides(std::string_view, const Value&) {}
  virtual void found_in_defaults(std::string_view, const Value&) {}
  virtual void not_found(std::string_view) {}
  virtual void merge_source(std::string_view) {}
  virtual void merge_options(const Value&) {} // as they were given, in a Merge node
  virtual void result(const Value&) {}
  virtual void location_not_found() {}
  virtual void module_not_found(std::string_view) {}
  virtual void module_provider_not_found(std::string_view) {}
  virtual void text(std::string_view) {}
  /// Values that are told from now on are secret, or are not any more: what lookup_options convert to Sensitive.
  virtual void begin_secret() {}
  virtual void end_secret() {}
};

/// Hides the values that are told while it lives; nothing happens without an explainer.
class ExplainSecret {
public:
  explicit ExplainSecret(Explainer* explainer) : explainer_(explainer) {
    if (explainer_) explainer_->begin_secret();
  }
  ~ExplainSecret() {
    if (explainer_) explainer_->end_secret();
  }
  ExplainSecret(const ExplainSecret&) = delete;
  ExplainSecret& operator=(const ExplainSecret&) = delete;

private:
  Explainer* explainer_;
};

/// Enters a node for the time of a block; nothing happens without an explainer.
class ExplainNode {
public:
  ExplainNode(Explainer* explainer, Explainer::Node node, std::string_view name, std::string_view detail = {}) : explainer_(explainer) {
    if (explainer_) explainer_->enter(node, name, detail);
  }
  ~ExplainNode() {
    if (explainer_) explainer_->leave();
  }
  ExplainNode(const ExplainNode&) = delete;
  ExplainNode& operator=(const ExplainNode&) = delete;

private:
  Explainer* explainer_;
};

} // namespace pupc
