#pragma once
// Puppet's checks of a tree. The walk checks each node before its children, and visits the children in the order of Puppet's model. In that
// model some bodies with one statement have no block around it (`collapsed`), which changes messages and places.
#include "compiler/ast/effect.h"
#include "compiler/check/checker.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

class Checker {
public:
  /// `tasks`: the text may hold plans, and nothing that only a catalog has.
  Checker(const ParsedFile& file, const CheckOptions& options, bool tasks) : file_(file), options_(options), tasks_(tasks) {}

  std::vector<Diagnostic> run();

private:
  /// The kinds of containers around the visited node, outermost first. Only as detailed as the rules need.
  enum class Container : uint8_t { Program, Class, Block, Apply, Other };

  /// Thrown by a check after whose error Puppet reports nothing else.
  struct Abort {};

  class Inside {
  public:
    Inside(Checker& c, Container k) : checker_(c) { c.path_.push_back(k); }
    ~Inside() { checker_.path_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    Checker& checker_;
  };

  // ---- findings
  void error(ErrorCode code, const Node& at, std::string message, std::string suggestion = {});
  Diagnostic& error_at(ErrorCode code, uint32_t offset, uint32_t length, std::string message, std::string suggestion = {});

  // ---- walk (checker.cpp)
  void walk();
  void visit(const Node* node);
  /// For texts of plans: reports what only a catalog has, or what an apply block has not, and returns false.
  bool check_task(const Node& node);
  /// Checks a node by itself. False for one that has no parts to visit.
  bool check_own(const Node& n);
  void visit_parts(const Node& n);
  void visit_all(const Seq<Node*>& nodes);
  /// Visits the body of a conditional or of the program, which is collapsed.
  void visit_collapsed(const Block* body);
  /// Visits a body that is always a block, even with few statements.
  void visit_body(const Block* body);
  void visit_parameters(const Seq<Parameter>& parameters);
  void visit_lambda(const Lambda& lambda);
  void visit_definition(const Definition& definition, const Node* return_type);
  void visit_resource(const ResourceExpr& resource);
  void visit_template(const Epp& epp);
  /// `place` names the construct for the error if +> is not allowed in it; null if it is.
  void visit_operations(const Seq<AttributeOp>& operations, const char* place);

  void check_reference(const Reference& r);

  // ---- definitions (definition_checks.cpp)
  void check_top(const Node& definition, size_t depth);
  void check_name_and_place(const Definition& d);
  void check_top_constructs();
  void check_class_or_define(const Definition& d);
  void check_function(const FunctionDef& f);
  void check_type_alias(const TypeAlias& alias);
  void check_type_mapping(const TypeMapping& mapping);
  void check_node(const NodeDef& node);
  void check_host_name(const Node& match, const NodeDef& node);
  void check_parameter(const Parameter& p);
  void check_parameter_name(const Parameter& p);
  void check_literal_types(const Seq<Parameter>& parameters);
  void check_unique(const Seq<Parameter>& parameters);
  void check_no_capture(const Seq<Parameter>& parameters, const Node& container);
  void check_capture_last(const Seq<Parameter>& parameters);
  void check_type_reference(const Node& type, const Node& container);
  void check_no_assignment(const Node* node);
  void check_ends_productive(const Block* body, const Node& container);
  void check_future_word(std::string_view name, const Node& at);

  // ---- expressions (expression_checks.cpp)
  void check_block(const Block& block);
  void check_call(const Call& call);
  void check_case(const Case& node);
  void check_selector(const Selector& selector);
  void check_hash(const HashLiteral& hash);
  void check_heredoc(const Heredoc& heredoc);
  void check_variable(const Variable& variable);
  void check_number(const Literal& literal);
  void check_assignment(const Binary& assignment);
  void assignable(const Node& target);
  /// Reports an expression that produces no value, for a place where the value is used.
  void produces_value(const Node& node);
  void query(const Node& node);
  bool literal_value(const Node& node, Value& out);
  bool literal_values(const Seq<Node*>& nodes, Value& out); // a list

  const ParsedFile& file_;
  const CheckOptions& options_;
  const bool tasks_;
  std::vector<Diagnostic> findings_;
  std::vector<Container> path_;
  Arena scratch_; // holds literal keys
};

/// Puppet's view of a conditional's body: null, its only statement, or the block.
inline const Node* collapsed(const Block* body) {
  if (body == nullptr || body->statements.empty()) return nullptr;
  return body->statements.size == 1 ? body->statements[0] : body;
}

/// `name { a => b }`: a resource without a title, which the parser turns into a name and a hash.
inline bool is_untitled_resource(const Node& node) {
  if (node.kind != NodeKind::Block) return false;
  const auto& s = node.as<Block>().statements;
  return s.size == 2 && s[0]->kind == NodeKind::Name && s[1]->kind == NodeKind::HashLiteral;
}

// ---- names, by Puppet's patterns
bool is_variable_name(std::string_view s);
bool is_parameter_name(std::string_view s);
bool is_numeric_variable_name(std::string_view s);
/// Segments joined by ::, each starting with a lower-case (`upper`: upper-case) letter.
bool is_definition_name(std::string_view s, bool upper);

} // namespace pupc::compiler
