#include "compiler/check/phases.h"

#include "compiler/ast/children.h"

#include <algorithm>
#include <set>
#include <string>

namespace pupc {
namespace {

std::string_view literal_string(const Node* node) {
  return node != nullptr && node->kind == NodeKind::Literal && node->as<Literal>().value.is_string() ? node->as<Literal>().value.str() : std::string_view{};
}

const Node* without_parentheses(const Node* node) {
  while (node != nullptr && node->kind == NodeKind::Parenthesized) node = node->as<Unary>().operand;
  return node;
}

/// The name of the function that a node calls; empty when it is no call by name.
std::string_view called(const Node* node) {
  node = without_parentheses(node);
  if (node == nullptr || node->kind != NodeKind::Call) return {};
  const Node* functor = node->as<Call>().functor;
  if (functor->kind != NodeKind::Name) return {};
  std::string_view name = functor->as<Name>().name.str();
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

bool reads_files(std::string_view function) {
  static constexpr std::string_view functions[] = {"file", "binary_file", "find_file", "generate", "template", "epp", "loadyaml", "loadjson"};
  return std::find(std::begin(functions), std::end(functions), function) != std::end(functions);
}

class PhaseChecker {
public:
  explicit PhaseChecker(const ParsedFile& file) : file_(file) {}

  std::vector<Diagnostic> run() {
    if (file_.body == nullptr) return {};
    collect(file_.body);
    visit(file_.body);
    return std::move(findings_);
  }

private:
  void manage(const Node* title) {
    if (title == nullptr) return;
    if (std::string_view text = literal_string(title); text.starts_with('/')) managed_.insert(std::string(text));
    if (title->kind == NodeKind::ListLiteral)
      for (const Node* element : title->as<ListLiteral>().elements) manage(element);
  }

  void collect(const Node* node) {
    if (node->kind == NodeKind::ResourceExpr) {
      const auto& resource = node->as<ResourceExpr>();
      if (resource.type_name->kind == NodeKind::Name && resource.type_name->as<Name>().name.str() == "file")
        for (const ResourceBody& body : resource.bodies) {
          manage(body.title);
          for (const AttributeOp& op : body.operations)
            if (op.kind != AttributeOpKind::Splat && op.name.str() == "path") manage(op.value);
        }
    }
    for_each_child(*node, [this](const Node* part) { collect(part); });
  }

  void error(const Node& at, std::string message, std::string suggestion) {
    Diagnostic d;
    d.code = ErrorCode::illegal_expression;
    d.message = std::move(message);
    d.loc = {file_.source.get(), at.offset, at.length};
    d.suggestion = std::move(suggestion);
    findings_.push_back(std::move(d));
  }

  /// A value that is needed while compiling.
  void read(const Node* node) {
    node = without_parentheses(node);
    if (called(node) != "node_attribute") return;
    const auto& arguments = node->as<Call>().arguments;
    const std::string_view path = arguments.empty() ? std::string_view{} : literal_string(arguments[0]);
    error(*node, fmt::format("Phase error: the node attribute{} is read while compiling, but its value is known at converge only", path.empty() ? "" : fmt::format(" '{}'", path)),
          "Use it as an attribute's value, as a guard (only_if, not_if), or as an argument of Deferred.");
  }

  void visit(const Node* node) {
    switch (node->kind) {
    case NodeKind::If: read(node->as<If>().test); break;
    case NodeKind::Case: read(node->as<Case>().test); break;
    case NodeKind::Selector: read(node->as<Selector>().left); break;
    case NodeKind::Interpolation:
      for (const Node* part : node->as<Interpolation>().parts) read(part);
      break;
    case NodeKind::Arithmetic:
    case NodeKind::Comparison:
    case NodeKind::Match:
    case NodeKind::In:
    case NodeKind::And:
    case NodeKind::Or:
      read(node->as<Binary>().left);
      read(node->as<Binary>().right);
      break;
    case NodeKind::Not:
    case NodeKind::Minus:
    case NodeKind::Unfold:
    case NodeKind::RenderExpr: read(node->as<Unary>().operand); break;
    case NodeKind::Access: read(node->as<Access>().left); break;
    case NodeKind::MethodCall: read(node->as<MethodCall>().receiver); break;
    case NodeKind::Call:
      if (const std::string_view function = called(node); reads_files(function))
        for (const Node* argument : node->as<Call>().arguments)
          if (const std::string path(literal_string(argument)); managed_.contains(path))
            error(*node, fmt::format("Phase error: {}() reads '{}' while compiling, but File[{}] brings it at converge: it is not there yet", function, path, path),
                  fmt::format("Deferred('{}', ['{}']) reads it at converge.", function, path));
      break;
    default: break;
    }
    for_each_child(*node, [this](const Node* part) { visit(part); });
  }

  const ParsedFile& file_;
  std::set<std::string> managed_;
  std::vector<Diagnostic> findings_;
};

} // namespace

std::vector<Diagnostic> check_phases(const ParsedFile& file) { return PhaseChecker(file).run(); }

} // namespace pupc
