#pragma once
// Receives the steps of a lookup. Without an explainer nothing is called; the functions of this base class do nothing. `pupc lookup
// --explain` derives from it. The lookup enters and leaves nodes in Puppet's nesting.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc::compiler {

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
  /// Whether to look up the key itself, and not only its lookup_options.
  virtual bool explains_data() const { return true; }

  /// `detail`: for a data provider, its configuration's path ("" = none); for a location, its text in hiera.yaml.
  virtual void enter(Node, std::string_view /*name*/, std::string_view /*detail*/) {}
  /// Leaves the node that was entered last.
  virtual void leave() {}
  virtual void found(std::string_view, const Value&) {}
  /// Interpolation took the value from the overrides or the defaults of the call, not from a variable.
  virtual void found_in_overrides(std::string_view, const Value&) {}
  virtual void found_in_defaults(std::string_view, const Value&) {}
  virtual void not_found(std::string_view) {}
  /// The key that gave the merge strategy: lookup_options.
  virtual void merge_source(std::string_view) {}
  virtual void merge_options(const Value&) {} // the options as given, in a Merge node
  virtual void result(const Value&) {}
  virtual void location_not_found() {}
  /// The key names a module that does not exist, or one without data.
  virtual void module_not_found(std::string_view) {}
  virtual void module_provider_not_found(std::string_view) {}
  /// A line of text for the current node.
  virtual void text(std::string_view) {}
  /// All values from here on are secret, until end_secret: lookup_options convert them to Sensitive.
  virtual void begin_secret() {}
  virtual void end_secret() {}
};

/// Hides the values that the explainer receives during its lifetime. Does nothing without an explainer.
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

/// Enters a node, and leaves it at the end of the block. Does nothing without an explainer.
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

} // namespace pupc::compiler
