#pragma once
// What a lookup tells about how it went. The base class does nothing and is never called when there is no explainer; `pupc lookup --explain`
// derives from it. Nodes are entered and left in the reference's nesting.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc {

class Explainer {
public:
  enum class Node : uint8_t { Key, Global, Data, Meta, Merge, DataProvider, Location, Interpolation, Scope, SubLookup, Segment, InvalidKey };

  virtual ~Explainer() = default;
  virtual void enter(Node, std::string_view) {}
  virtual void leave() {}
  virtual void found(std::string_view, const Value&) {}
  virtual void found_in_overrides(std::string_view, const Value&) {}
  virtual void found_in_defaults(std::string_view, const Value&) {}
  virtual void not_found(std::string_view) {}
  virtual void merge_source(std::string_view) {}
  virtual void result(const Value&) {}
  virtual void location_not_found() {}
  virtual void module_not_found(std::string_view) {}
  virtual void module_provider_not_found(std::string_view) {}
  virtual void text(std::string_view) {}
};

/// Enters a node for the time of a block; nothing happens without an explainer.
class ExplainNode {
public:
  ExplainNode(Explainer* explainer, Explainer::Node node, std::string_view name) : explainer_(explainer) {
    if (explainer_) explainer_->enter(node, name);
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
