#include "compiler/check/phase_summary.h"

#include "compiler/ast/children.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace pupc::compiler {
namespace {

std::string_view literal_string(const Node* node) {
  return node != nullptr && node->kind == NodeKind::Literal && node->as<Literal>().value.is_string() ? node->as<Literal>().value.str()
                                                                                                     : std::string_view{};
}

const Node* without_parentheses(const Node* node) {
  while (node != nullptr && node->kind == NodeKind::Parenthesized) node = node->as<Unary>().operand;
  return node;
}

/// The name of the function that a node calls. Empty when the node is not a call by name.
std::string_view called(const Node* node) {
  node = without_parentheses(node);
  if (node == nullptr || node->kind != NodeKind::Call) return {};
  const Node* functor = node->as<Call>().functor;
  if (functor->kind != NodeKind::Name) return {};
  std::string_view name = functor->as<Name>().name.str();
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

std::string plain_name(std::string_view name) { return std::string(name.starts_with("::") ? name.substr(2) : name); }

/// Where a value comes from: another value, or, if `value` is empty, a node attribute.
struct Origin {
  std::string value, attribute;
};

/// Calls `f` with each absolute path that a literal or a list of literals names.
template <class F> void each_path(const Node* node, const F& f) {
  if (node == nullptr) return;
  if (const std::string_view text = literal_string(node); text.starts_with('/')) f(text);
  if (node->kind == NodeKind::ListLiteral)
    for (const Node* element : node->as<ListLiteral>().elements) each_path(element, f);
}

/// Calls `f` with each absolute path that the resources of an expression manage.
template <class F> void each_managed_path(const ResourceExpr& r, const F& f) {
  if (r.type_name->kind != NodeKind::Name) return;
  const Symbol type = r.type_name->as<Name>().name;
  if (type != sym::file && type.str() != "::file") return;
  for (const ResourceBody& body : r.bodies) {
    each_path(body.title, f);
    for (const AttributeOp& op : body.operations)
      if (op.kind != AttributeOpKind::Splat && op.name == sym::path) each_path(op.value, f);
  }
}

class Summarizer {
public:
  Summarizer(const ParsedFile& file, const FileReader& reads_files, bool attributes)
      : file_(file), reads_files_(reads_files), attributes_(attributes) {}

  PhaseSummary run(std::string template_name) {
    if (!template_name.empty()) out_.defines.push_back("template " + template_name);
    if (file_.body != nullptr) visit(file_.body);
    return std::move(out_);
  }

private:
  /// The definition around a place. Without a name it is the top scope.
  struct Scope {
    std::string name;
    std::set<std::string> own; // variables and parameters
  };

  std::string variable(const Scope& scope, std::string_view name) const { return scope.name + "::" + std::string(name); }

  /// Adds the values and node attributes that an expression may evaluate to.
  void origins(const Node* node, std::vector<Origin>& out) const {
    node = without_parentheses(node);
    if (node == nullptr) return;
    switch (node->kind) {
    case NodeKind::Call: {
      const std::string_view function = called(node);
      if (function == "node_attribute") {
        const auto& arguments = node->as<Call>().arguments;
        out.push_back({"", std::string(arguments.empty() ? std::string_view{} : literal_string(arguments[0]))});
      } else if (function == "return") {
        for (const Node* argument : node->as<Call>().arguments) origins(argument, out);
      } else if (!function.empty()) {
        out.push_back({"function " + std::string(function), ""});
      }
      break;
    }
    case NodeKind::Variable: {
      const auto& v = node->as<Variable>();
      const std::string_view base = v.base.str();
      if (v.form() == Variable::Form::Numeric) break;
      if (v.form() == Variable::Form::Qualified)
        out.push_back({std::string(v.scope.str()) + "::" + std::string(base), ""});
      else if (v.form() == Variable::Form::Top)
        out.push_back({"::" + std::string(base), ""});
      else if (std::find(shadows_.begin(), shadows_.end(), base) == shadows_.end())
        out.push_back({scope_.own.contains(std::string(base)) ? variable(scope_, base) : "::" + std::string(base), ""});
      break;
    }
    case NodeKind::Assignment: origins(node->as<Binary>().right, out); break;
    case NodeKind::Block:
      if (const auto& statements = node->as<Block>().statements; !statements.empty()) origins(statements[statements.size - 1], out);
      break;
    case NodeKind::If:
      origins(node->as<If>().then_block, out);
      origins(node->as<If>().else_part, out);
      break;
    case NodeKind::Case:
      for (const CaseOption& option : node->as<Case>().options) origins(option.body, out);
      break;
    case NodeKind::Selector:
      for (const SelectorEntry& entry : node->as<Selector>().entries) origins(entry.value, out);
      break;
    default: break;
    }
  }

  void comes_from(const std::string& value, const Node* expression) {
    if (!attributes_) return;
    std::vector<Origin> found;
    origins(expression, found);
    for (Origin& o : found) out_.sources.push_back({value, std::move(o.value), std::move(o.attribute)});
  }

  Diagnostic finding(const Node& at, std::string message, std::string suggestion) const {
    Diagnostic d;
    d.code = ErrorCode::illegal_expression;
    d.message = std::move(message);
    d.loc = {file_.source.get(), at.offset, at.length};
    d.suggestion = std::move(suggestion);
    return d;
  }

  /// Records that compiling needs the value of this expression.
  void read(const Node* node) {
    if (!attributes_) return;
    node = without_parentheses(node);
    if (node == nullptr || (node->kind != NodeKind::Call && node->kind != NodeKind::Variable)) return;
    std::vector<Origin> found;
    origins(node, found);
    for (Origin& o : found)
      out_.reads.push_back(
          {std::move(o.value), std::move(o.attribute),
           finding(*node, "", "Use it as an attribute's value, as a guard (only_if, not_if), or as an argument of Deferred.")});
  }

  void resource(const ResourceExpr& r) {
    if (r.type_name->kind != NodeKind::Name) return;
    const std::string type = plain_name(r.type_name->as<Name>().name.str());
    if (type != "class") out_.uses.push_back("define " + type);
    each_managed_path(r, [&](std::string_view path) { out_.managed.insert(std::string(path)); });
    for (const ResourceBody& body : r.bodies) {
      const std::string target = type == "class" ? plain_name(literal_string(body.title)) : type;
      if (type == "class" && !target.empty()) out_.uses.push_back("class " + target);
      if (!attributes_ || type == "file" || target.empty()) continue;
      for (const AttributeOp& op : body.operations)
        if (op.kind != AttributeOpKind::Splat) comes_from(target + "::" + std::string(op.name.str()), op.value);
    }
  }

  void call(const Node& node) {
    const std::string_view function = called(&node);
    if (function.empty()) return;
    const auto& arguments = node.as<Call>().arguments;
    if (function == "include" || function == "contain" || function == "require" || function == "hiera_include") {
      for (const Node* argument : arguments) {
        if (const std::string_view name = literal_string(argument); !name.empty()) out_.uses.push_back("class " + plain_name(name));
        if (argument->kind == NodeKind::Name) out_.uses.push_back("class " + plain_name(argument->as<Name>().name.str()));
      }
    } else {
      out_.uses.push_back("function " + std::string(function));
    }
    if (function == "epp" && !arguments.empty()) {
      out_.uses.push_back("template " + std::string(literal_string(arguments[0])));
      template_parameters(arguments);
    }
    if (!reads_files_(function)) return;
    for (const Node* argument : arguments)
      if (const std::string path(literal_string(argument)); path.starts_with('/'))
        out_.file_reads.push_back(
            {path,
             finding(node,
                     fmt::format("Phase error: {}() reads '{}' while compiling, but File[{}] brings it at converge: it is not there yet",
                                 function, path, path),
                     fmt::format("Deferred('{}', ['{}']) reads it at converge.", function, path))});
  }

  /// Records what the parameters of a template come from: epp('m/x.epp', { 'p' => … }).
  void template_parameters(const Seq<Node*>& arguments) {
    if (arguments.size < 2 || arguments[1]->kind != NodeKind::HashLiteral) return;
    for (const KeyedEntry& e : arguments[1]->as<HashLiteral>().entries)
      if (const std::string_view key = literal_string(e.key); !key.empty())
        comes_from(fmt::format("template {}::{}", literal_string(arguments[0]), key), e.value);
  }

  /// Collects the variables that a body assigns.
  void assigned(const Node* node) {
    if (node->kind == NodeKind::ClassDef || node->kind == NodeKind::DefineDef || node->kind == NodeKind::FunctionDef) return;
    if (node->kind == NodeKind::Assignment)
      if (const Node* left = node->as<Binary>().left; left->kind == NodeKind::Variable)
        scope_.own.insert(std::string(left->as<Variable>().base.str()));
    for_each_child(*node, [this](const Node* part) { assigned(part); });
  }

  template <class Inner> void within(std::string name, const Seq<Parameter>& parameters, const Node* body, Inner inner) {
    Scope outer = std::move(scope_);
    scope_ = Scope{std::move(name), {}};
    if (attributes_) {
      for (const Parameter& p : parameters) scope_.own.insert(std::string(p.name.str()));
      if (body != nullptr) assigned(body);
    }
    for (const Parameter& p : parameters)
      if (p.default_value != nullptr) comes_from(variable(scope_, p.name.str()), p.default_value);
    inner();
    scope_ = std::move(outer);
  }

  void visit(const Node* node) {
    switch (node->kind) {
    case NodeKind::ClassDef:
    case NodeKind::DefineDef:
    case NodeKind::FunctionDef: {
      const auto& definition = static_cast<const Definition&>(*node);
      const std::string name = plain_name(definition.name.str());
      const bool function = node->kind == NodeKind::FunctionDef;
      out_.defines.push_back((node->kind == NodeKind::ClassDef ? "class " : function ? "function " : "define ") + name);
      if (node->kind == NodeKind::ClassDef)
        if (const std::string parent = plain_name(node->as<ClassDef>().parent.str()); !parent.empty())
          out_.uses.push_back("class " + parent);
      // A function and a class may have the same name, hence the prefix.
      within(function ? "function " + name : name, definition.parameters, definition.body, [&] {
        if (function) {
          comes_from("function " + name, definition.body);
          function_ = "function " + name;
        }
        for_each_child(*node, [this](const Node* part) { visit(part); });
        function_.clear();
      });
      return;
    }
    case NodeKind::Epp: {
      const auto& epp = node->as<Epp>();
      within(out_.defines.empty() ? "template" : out_.defines.front(), epp.parameters, epp.body,
             [&] { for_each_child(*node, [this](const Node* part) { visit(part); }); });
      return;
    }
    case NodeKind::Lambda: {
      const size_t before = shadows_.size();
      for (const Parameter& p : node->as<Lambda>().parameters) shadows_.emplace_back(p.name.str());
      for_each_child(*node, [this](const Node* part) { visit(part); });
      shadows_.resize(before);
      return;
    }
    case NodeKind::Assignment:
      if (const Node* left = node->as<Binary>().left; attributes_ && left->kind == NodeKind::Variable)
        comes_from(variable(scope_, left->as<Variable>().base.str()), node->as<Binary>().right);
      break;
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
    case NodeKind::MethodCall:
      read(node->as<MethodCall>().receiver);
      if (const Node* name = node->as<MethodCall>().name; name->kind == NodeKind::Name)
        out_.uses.push_back("function " + plain_name(name->as<Name>().name.str()));
      break;
    case NodeKind::Call:
      if (called(node) == "return" && !function_.empty()) comes_from(function_, node);
      call(*node);
      break;
    case NodeKind::ResourceExpr: resource(node->as<ResourceExpr>()); break;
    default: break;
    }
    for_each_child(*node, [this](const Node* part) { visit(part); });
  }

  const ParsedFile& file_;
  const FileReader& reads_files_;
  bool attributes_;
  PhaseSummary out_;
  Scope scope_;
  std::string function_;             // the function whose body is being visited
  std::vector<std::string> shadows_; // parameters of the enclosing lambdas
};

/// Which files belong to one program. A file leads to itself and to the files that define what it calls, declares and renders.
class ConnectedFiles {
public:
  explicit ConnectedFiles(std::span<const PhaseSummary* const> files) : used_by_(files.size()), roots_(files.size()) {
    std::map<std::string_view, std::vector<size_t>> where;
    for (size_t i = 0; i < files.size(); ++i)
      for (const std::string& name : files[i]->defines) where[name].push_back(i);
    for (size_t i = 0; i < files.size(); ++i)
      for (const std::string& name : files[i]->uses)
        if (auto it = where.find(name); it != where.end())
          for (size_t target : it->second) used_by_[target].insert(i);
  }

  bool together(size_t a, size_t b) {
    const std::set<size_t>& of_a = roots(a);
    const std::set<size_t>& of_b = roots(b);
    return std::any_of(of_a.begin(), of_a.end(), [&](size_t r) { return of_b.contains(r); });
  }

private:
  const std::set<size_t>& roots(size_t file) {
    if (roots_[file]) return *roots_[file];
    std::set<size_t> out{file};
    std::vector<size_t> open{file};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (size_t user : used_by_[at])
        if (out.insert(user).second) open.push_back(user);
    }
    return *(roots_[file] = std::move(out));
  }

  std::vector<std::set<size_t>> used_by_;
  std::vector<std::optional<std::set<size_t>>> roots_;
};

} // namespace

PhaseNeeds phase_needs(const ParsedFile& file, const FileReader& reads_files) {
  PhaseNeeds needs;
  for (const Call* call : file.calls) {
    const std::string_view function = called(call);
    needs.attributes = needs.attributes || function == "node_attribute";
    for (const Node* argument : call->arguments)
      if (const std::string_view path = literal_string(argument); path.starts_with('/') && reads_files(function))
        needs.reads.emplace_back(path);
  }
  for (const ResourceExpr* resource : file.resources)
    each_managed_path(*resource, [&](std::string_view path) { needs.manages.push_back(path); });
  return needs;
}

PhaseSummary summarize_phases(const ParsedFile& file, const FileReader& reads_files, std::string template_name, bool attributes) {
  return Summarizer(file, reads_files, attributes).run(std::move(template_name));
}

std::vector<std::vector<Diagnostic>> check_phases(std::span<const PhaseSummary* const> files) {
  std::vector<std::vector<Diagnostic>> out(files.size());
  // Maps each value that is a node attribute to that attribute. Follows the values from their origins.
  std::map<std::string, std::string> attributes;
  std::multimap<std::string_view, std::string_view> leads_to;
  std::vector<std::string_view> open;
  for (const PhaseSummary* file : files)
    for (const PhaseSummary::Source& s : file->sources) {
      if (!s.from.empty())
        leads_to.emplace(s.from, s.value);
      else if (attributes.try_emplace(s.value, s.attribute).second)
        open.push_back(s.value);
    }
  while (!open.empty()) {
    const std::string_view at = open.back();
    open.pop_back();
    for (auto [it, end] = leads_to.equal_range(at); it != end; ++it)
      if (attributes.try_emplace(std::string(it->second), attributes.at(std::string(at))).second) open.push_back(it->second);
  }
  std::map<std::string_view, std::vector<size_t>> managers;
  for (size_t i = 0; i < files.size(); ++i)
    for (const std::string& path : files[i]->managed) managers[path].push_back(i);
  ConnectedFiles programs(files);
  for (size_t i = 0; i < files.size(); ++i) {
    for (const PhaseSummary::Read& r : files[i]->reads) {
      auto known = attributes.find(r.value);
      if (!r.value.empty() && known == attributes.end()) continue;
      const std::string& path = r.value.empty() ? r.attribute : known->second;
      Diagnostic d = r.finding;
      d.message = fmt::format("Phase error: the node attribute{} is read while compiling, but its value is known at converge only",
                              path.empty() ? "" : fmt::format(" '{}'", path));
      out[i].push_back(std::move(d));
    }
    for (const PhaseSummary::FileRead& r : files[i]->file_reads) {
      auto by = managers.find(r.path);
      if (by != managers.end() &&
          std::any_of(by->second.begin(), by->second.end(), [&](size_t other) { return programs.together(i, other); }))
        out[i].push_back(r.finding);
    }
    std::stable_sort(out[i].begin(), out[i].end(), [](const Diagnostic& a, const Diagnostic& b) { return a.loc.offset < b.loc.offset; });
  }
  return out;
}

} // namespace pupc::compiler
