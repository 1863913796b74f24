#pragma once
// Finds out before the evaluation whether it will call a function that only Ruby can run, so that Ruby starts while the manifests are
// evaluated and not when the call is reached.
#include "compiler/ast/ast.h"

#include <span>
#include <string_view>
#include <unordered_set>

namespace pupc::compiler {

class Evaluator;

/// Looks only at what a compile without an error is sure to evaluate: statements outside of conditions, up to the first that may end the
/// body, and the bodies of the classes that these include by name. It reads the manifests and function files that the evaluation needs as
/// well, and logs no warnings, so those come where they come without it.
class RubyAhead {
public:
  explicit RubyAhead(Evaluator& evaluator);
  /// Asks Ruby to start if `body` or a class, which are evaluated next, need it. No effect without a Ruby service, or when that has a
  /// process already.
  void expect_for(const Block& body);
  void expect_for_class(std::string_view name);

private:
  void start_if_needed();
  bool visit(const Node& node);
  bool visit_all(const Node& node);
  void visit_class(std::string_view name);
  void visit_classes(std::span<Node* const> names);
  void visit_call(std::string_view name);

  Evaluator& evaluator_;
  bool wanted_ = false; // nothing has started Ruby yet
  bool needed_ = false;
  std::unordered_set<const Definition*> seen_;
};

} // namespace pupc::compiler
