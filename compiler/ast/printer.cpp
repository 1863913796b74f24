#include "compiler/ast/printer.h"

#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "compiler/ast/plans.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      else
        out += c;
    }
  }
  return out + '"';
}

class TreePrinter {
public:
  TreePrinter(std::string& out, const SourceFile* source, const PrintOptions& options) : out_(out), source_(source), options_(options) {}

  void node(const Node* n, std::string_view label = {}) {
    if (n == nullptr) return;
    switch (n->kind) {
    case NodeKind::Nop: line(n, label, "Nop"); break;
    case NodeKind::Literal: line(n, label, "Literal " + literal(n->as<Literal>())); break;
    case NodeKind::RegexLiteral: line(n, label, fmt::format("Regex /{}/", n->as<Literal>().value.regex->source())); break;
    case NodeKind::Name: line(n, label, fmt::format("Name {}", n->as<Name>().name.str())); break;
    case NodeKind::Reference: line(n, label, fmt::format("Reference {}", n->as<Reference>().cased.str())); break;
    case NodeKind::ReservedWord: line(n, label, fmt::format("ReservedWord {}", n->as<ReservedWord>().word.str())); break;
    case NodeKind::Variable: variable(n->as<Variable>(), label); break;
    case NodeKind::Interpolation: group(n, label, "Interpolation", n->as<Interpolation>().parts); break;
    case NodeKind::Heredoc: heredoc(n->as<Heredoc>(), label); break;
    case NodeKind::ListLiteral: group(n, label, "List", n->as<ListLiteral>().elements); break;
    case NodeKind::HashLiteral: hash_literal(n->as<HashLiteral>(), label); break;
    case NodeKind::Access: access(n->as<Access>(), label); break;
    case NodeKind::Call: call(n->as<Call>(), label); break;
    case NodeKind::MethodCall: method_call(n->as<MethodCall>(), label); break;
    case NodeKind::Arithmetic: binary(n, label, "Arithmetic"); break;
    case NodeKind::Comparison: binary(n, label, "Comparison"); break;
    case NodeKind::Match: binary(n, label, "Match"); break;
    case NodeKind::In: binary(n, label, {}); break;
    case NodeKind::And: binary(n, label, {}); break;
    case NodeKind::Or: binary(n, label, {}); break;
    case NodeKind::Assignment: binary(n, label, "Assignment"); break;
    case NodeKind::Relationship: binary(n, label, "Relationship"); break;
    case NodeKind::Not: unary(n, label, "Not"); break;
    case NodeKind::Minus: unary(n, label, "Minus"); break;
    case NodeKind::Unfold: unary(n, label, "Unfold"); break;
    case NodeKind::Parenthesized: unary(n, label, "Parenthesized"); break;
    case NodeKind::RenderExpr: unary(n, label, "RenderExpr"); break;
    case NodeKind::If: if_or_unless(n->as<If>(), label); break;
    case NodeKind::Case: case_of(n->as<Case>(), label); break;
    case NodeKind::Selector: selector(n->as<Selector>(), label); break;
    case NodeKind::Block: group(n, label, "Block", n->as<Block>().statements); break;
    case NodeKind::Lambda: lambda(n->as<Lambda>(), label); break;
    case NodeKind::ResourceExpr: resource_expr(n->as<ResourceExpr>(), label); break;
    case NodeKind::ResourceDefaults: resource_defaults(n->as<ResourceDefaults>(), label); break;
    case NodeKind::ResourceOverride: resource_override(n->as<ResourceOverride>(), label); break;
    case NodeKind::Collector: collector(n->as<Collector>(), label); break;
    case NodeKind::ClassDef: class_def(n->as<ClassDef>(), label); break;
    case NodeKind::DefineDef: define_def(n->as<DefineDef>(), label); break;
    case NodeKind::FunctionDef: function_def(n->as<FunctionDef>(), label); break;
    case NodeKind::NodeDef: node_def(n->as<NodeDef>(), label); break;
    case NodeKind::TypeAlias: type_alias(n->as<TypeAlias>(), label); break;
    case NodeKind::TypeDefinition: type_definition(n->as<TypeDefinition>(), label); break;
    case NodeKind::TypeMapping: type_mapping(n->as<TypeMapping>(), label); break;
    case NodeKind::Epp: epp(n->as<Epp>(), label); break;
    case NodeKind::RenderString: line(n, label, "RenderString " + quoted(n->as<RenderString>().text)); break;
    }
  }

  void layout(const FrameLayout* l) {
    if (l == nullptr || !options_.slots) return;
    std::string text = "frame:";
    for (Symbol s : l->names) text += fmt::format(" {}", s.str());
    start({}, text);
    out_ += '\n';
  }

private:
  struct Indent {
    explicit Indent(TreePrinter& p) : printer(p) { ++printer.depth_; }
    ~Indent() { --printer.depth_; }
    TreePrinter& printer;
  };

  void heredoc(const Heredoc& h, std::string_view label) {
    line(&h, label, h.syntax.empty() ? std::string("Heredoc") : fmt::format("Heredoc {}", h.syntax));
    Indent i(*this);
    node(h.text);
  }
  void hash_literal(const HashLiteral& n, std::string_view label) {
    line(&n, label, (n.flags & hash_unfolded) != 0 ? "Hash unfolded" : "Hash");
    Indent i(*this);
    for (const KeyedEntry& e : n.entries) {
      node(e.key, "key");
      node(e.value, "value");
    }
  }
  void access(const Access& n, std::string_view label) {
    line(&n, label, "Access");
    Indent i(*this);
    node(n.left);
    for (const Node* k : n.keys) node(k, "key");
  }
  void call(const Call& c, std::string_view label) {
    line(&c, label, call_text("Call", c.flags));
    Indent i(*this);
    node(c.functor);
    for (const Node* a : c.arguments) node(a, "argument");
    node(c.lambda);
  }
  void method_call(const MethodCall& c, std::string_view label) {
    line(&c, label, call_text("MethodCall", c.flags));
    Indent i(*this);
    node(c.receiver);
    node(c.name, "method");
    for (const Node* a : c.arguments) node(a, "argument");
    node(c.lambda);
  }
  void if_or_unless(const If& i, std::string_view label) {
    line(&i, label, (i.flags & if_unless) != 0 ? "Unless" : "If");
    Indent indent(*this);
    node(i.test, "test");
    node(i.then_block, "then");
    node(i.else_part, "else");
  }
  void case_of(const Case& n, std::string_view label) {
    line(&n, label, "Case");
    Indent i(*this);
    node(n.test, "test");
    for (const CaseOption& o : n.options) {
      line("Option", o.offset, o.length);
      Indent j(*this);
      for (const Node* v : o.values) node(v, "value");
      node(o.body, "body");
    }
  }
  void selector(const Selector& n, std::string_view label) {
    line(&n, label, "Selector");
    Indent i(*this);
    node(n.left);
    for (const SelectorEntry& e : n.entries) {
      node(e.match, "match");
      node(e.value, "value");
    }
  }
  void lambda(const Lambda& l, std::string_view label) {
    line(&l, label, "Lambda");
    Indent i(*this);
    parameters(l.parameters);
    node(l.return_type, "returns");
    layout(l.layout);
    node(l.body, "body");
  }
  void resource_expr(const ResourceExpr& r, std::string_view label) {
    line(&r, label, form("Resource", r.form()));
    Indent i(*this);
    node(r.type_name, "type");
    for (const ResourceBody& b : r.bodies) {
      line("Body", b.offset, b.length);
      Indent j(*this);
      node(b.title, "title");
      attributes(b.operations);
    }
  }
  void resource_defaults(const ResourceDefaults& d, std::string_view label) {
    line(&d, label, form("ResourceDefaults", d.form()));
    Indent i(*this);
    node(d.type_ref, "type");
    attributes(d.operations);
  }
  void resource_override(const ResourceOverride& o, std::string_view label) {
    line(&o, label, form("ResourceOverride", o.form()));
    Indent i(*this);
    node(o.resources, "resources");
    attributes(o.operations);
  }
  void collector(const Collector& c, std::string_view label) {
    line(&c, label, c.exported() ? "Collector exported" : "Collector");
    Indent i(*this);
    node(c.type_expr, "type");
    node(c.query, "query");
    attributes(c.operations);
  }
  void class_def(const ClassDef& c, std::string_view label) {
    line(&c, label, c.parent ? fmt::format("Class {} inherits {}", c.name.str(), c.parent.str()) : fmt::format("Class {}", c.name.str()));
    definition(c);
  }
  void define_def(const DefineDef& n, std::string_view label) {
    line(&n, label, fmt::format("Define {}", n.name.str()));
    definition(n);
  }
  void function_def(const FunctionDef& n, std::string_view label) {
    line(&n, label, fmt::format("{} {}", is_plan(n) ? "Plan" : "Function", n.name.str()));
    {
      Indent i(*this);
      node(n.return_type, "returns");
    }
    definition(n);
  }
  void node_def(const NodeDef& d, std::string_view label) {
    line(&d, label, "Node");
    Indent i(*this);
    for (const Node* m : d.matches) node(m, "match");
    node(d.parent, "parent");
    layout(d.layout);
    node(d.body, "body");
  }
  void type_alias(const TypeAlias& n, std::string_view label) {
    line(&n, label, fmt::format("TypeAlias {}", n.name.str()));
    Indent i(*this);
    node(n.type);
  }
  void type_definition(const TypeDefinition& d, std::string_view label) {
    line(&d, label,
         d.parent ? fmt::format("TypeDefinition {} inherits {}", d.name.str(), d.parent.str())
                  : fmt::format("TypeDefinition {}", d.name.str()));
    Indent i(*this);
    node(d.body, "body");
  }
  void type_mapping(const TypeMapping& n, std::string_view label) {
    line(&n, label, "TypeMapping");
    Indent i(*this);
    node(n.left);
    node(n.right);
  }
  void epp(const Epp& e, std::string_view label) {
    line(&e, label, (e.flags & epp_parameters_given) != 0 ? "Epp with parameters" : "Epp");
    Indent i(*this);
    parameters(e.parameters);
    layout(e.layout);
    node(e.body, "body");
  }

  void start(std::string_view label, std::string_view text) {
    out_.append(static_cast<size_t>(depth_) * 2, ' ');
    if (!label.empty()) {
      out_ += label;
      out_ += ": ";
    }
    out_ += text;
  }
  void place(uint32_t offset, uint32_t length) {
    if (source_ != nullptr && options_.positions) {
      LineColumn p = source_->position(offset);
      out_ += fmt::format(" @{}:{}+{}", p.line, p.column, length);
    }
    out_ += '\n';
  }
  void line(const Node* n, std::string_view label, std::string_view text) {
    start(label, text);
    place(n->offset, n->length);
  }
  void line(std::string_view text, uint32_t offset, uint32_t length) {
    start({}, text);
    place(offset, length);
  }
  void group(const Node* n, std::string_view label, std::string_view text, const Seq<Node*>& children) {
    line(n, label, text);
    Indent i(*this);
    for (const Node* c : children) node(c);
  }
  void binary(const Node* n, std::string_view label, std::string_view name) {
    const auto& b = n->as<Binary>();
    line(n, label, name.empty() ? std::string(spelling(b.op())) : fmt::format("{} {}", name, spelling(b.op())));
    Indent i(*this);
    node(b.left);
    node(b.right);
  }
  void unary(const Node* n, std::string_view label, std::string_view name) {
    line(n, label, name);
    Indent i(*this);
    node(n->as<Unary>().operand);
  }
  static std::string call_text(std::string_view name, uint8_t flags) {
    std::string s(name);
    if ((flags & call_statement) != 0) s += " statement";
    if ((flags & call_value_required) == 0) s += " unused";
    return s;
  }
  static std::string form(std::string_view name, ResourceForm f) {
    return std::string(name) + (f == ResourceForm::Virtual ? " virtual" : f == ResourceForm::Exported ? " exported" : "");
  }
  static std::string literal(const Literal& l) {
    std::string suffix = (l.flags & literal_hex) != 0 ? " hex" : (l.flags & literal_octal) != 0 ? " octal" : "";
    if ((l.flags & literal_overflow) != 0) return std::string(l.value.str()) + " overflow" + suffix;
    switch (l.value.kind) {
    case Kind::Undef: return "undef";
    case Kind::Default: return "default";
    case Kind::Bool: return l.value.b ? "true" : "false";
    case Kind::Int: return std::to_string(l.value.i) + suffix;
    case Kind::Float: return format_float(l.value.d);
    case Kind::String: return quoted(l.value.str());
    default: return "?";
    }
  }
  void variable(const Variable& v, std::string_view label) {
    std::string text = fmt::format("Variable ${}", v.name.str());
    if (options_.slots && v.slot != Variable::no_slot)
      text += v.up == 0 ? fmt::format(" [slot {}]", v.slot) : fmt::format(" [slot {}, {} up]", v.slot, v.up);
    line(&v, label, text);
  }
  void parameters(const Seq<Parameter>& ps) {
    for (const Parameter& p : ps) {
      line(fmt::format("Parameter {}${}", p.captures_rest ? "*" : "", p.name.str()), p.offset, p.length);
      Indent i(*this);
      node(p.type, "type");
      node(p.default_value, "default");
    }
  }
  void attributes(const Seq<AttributeOp>& ops) {
    for (const AttributeOp& op : ops) {
      line(op.kind == AttributeOpKind::Splat ? std::string("* =>")
                                             : fmt::format("{} {}", op.name.str(), op.kind == AttributeOpKind::Append ? "+>" : "=>"),
           op.offset, op.length);
      Indent i(*this);
      node(op.value);
    }
  }
  void definition(const Definition& d) {
    Indent i(*this);
    parameters(d.parameters);
    layout(d.layout);
    node(d.body, "body");
  }

  std::string& out_;
  const SourceFile* source_;
  const PrintOptions& options_;
  int depth_ = 0;
};

} // namespace

std::string print_ast(const Node* node, const SourceFile* source, const PrintOptions& options) {
  std::string out;
  TreePrinter(out, source, options).node(node);
  return out;
}

std::string print_ast(const ParsedFile& file, const PrintOptions& options) {
  std::string out;
  TreePrinter printer(out, file.source.get(), options);
  printer.layout(file.layout);
  printer.node(file.body);
  return out;
}

} // namespace pupc::compiler
