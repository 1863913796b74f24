#include "compiler/ast/tree_dump.h"

#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "compiler/ast/plans.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// A word, a list of parts, or an instruction for line breaks and indentation.
struct Part {
  enum class Kind { Word, List, Break, Indent, Dedent };
  Kind kind = Kind::Word;
  std::string word;
  std::vector<Part> parts;

  Part(std::string text) : word(std::move(text)) {}                          // NOLINT: words are parts
  Part(const char* text) : word(text) {}                                     // NOLINT
  Part(std::string_view text) : word(text) {}                                // NOLINT
  Part(std::vector<Part> list) : kind(Kind::List), parts(std::move(list)) {} // NOLINT
  Part(std::initializer_list<Part> list) : kind(Kind::List), parts(list) {}  // NOLINT
  explicit Part(Kind mark) : kind(mark) {}

  Part& operator<<(Part next) {
    parts.push_back(std::move(next));
    return *this;
  }
};

const Part line_break(Part::Kind::Break), indent(Part::Kind::Indent), dedent(Part::Kind::Dedent);

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Whether any line of the text ends with a blank or an opening parenthesis.
bool line_ends_open(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if ((blank(text[i]) || text[i] == '(') && (i + 1 == text.size() || text[i + 1] == '\n')) return true;
  return false;
}

/// Whether any line of the text starts with a blank.
bool line_starts_blank(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (blank(text[i]) && (i == 0 || text[i - 1] == '\n')) return true;
  return false;
}

/// A regular expression between slashes, with the slashes inside it escaped.
std::string delimited(std::string_view source) {
  std::string out = "/";
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '/') out += '\\';
    out += source[i];
    if (source[i] == '\\' && i + 1 < source.size()) out += source[++i];
  }
  return out + "/";
}

class Dumper {
public:
  std::string dump(const ParsedFile& file) {
    if (file.body->kind == NodeKind::Epp) return format(tree(*file.body));
    const Block& body = file.body->as<Block>();
    return format(body.statements.empty() ? Part(":nop") : statements(body));
  }

private:
  /// The indentation of lines. An `if` without `else` leaves the following lines one level deeper, as in Puppet.
  size_t depth_ = 0;

  std::string format(const Part& part) {
    std::vector<std::string> words;
    flatten(part, words);
    std::string out;
    for (size_t i = 0; i < words.size(); ++i) {
      if (i > 0 && words[i] != ")" && !line_ends_open(words[i - 1]) && !line_starts_blank(words[i])) out += ' ';
      out += words[i];
    }
    return out;
  }
  void flatten(const Part& part, std::vector<std::string>& words) {
    switch (part.kind) {
    case Part::Kind::Word: words.push_back(part.word); break;
    case Part::Kind::Break: words.push_back("\n" + std::string(2 * depth_, ' ')); break;
    case Part::Kind::Indent: ++depth_; break;
    case Part::Kind::Dedent: --depth_; break;
    case Part::Kind::List:
      words.emplace_back("(");
      for (const Part& p : part.parts) flatten(p, words);
      words.emplace_back(")");
    }
  }

  Part node(const Node* n) { return n == nullptr ? Part("()") : tree(*n); }
  Part block(const Block& b) {
    Part out{"block", indent};
    for (const Node* s : b.statements) out << line_break << tree(*s);
    return out << dedent << line_break;
  }
  /// A single statement stands for itself, without a block.
  Part statements(const Block& b) { return b.statements.size == 1 ? tree(*b.statements[0]) : block(b); }
  static Part nothing() { return Part(std::vector<Part>{}); }
  /// The body of a definition is a block, even around a single statement.
  Part body(const Block& b) { return b.statements.empty() ? nothing() : block(b); }
  static Part quoted(std::string_view text) { return fmt::format("'{}'", text); }

  void parameters(Part& out, const Seq<Parameter>& list) {
    if (list.empty()) return;
    Part all{"parameters"};
    for (const Parameter& p : list) {
      const std::string name = fmt::format("{}{}", p.captures_rest ? "*" : "", p.name.str());
      if (p.type != nullptr && p.default_value != nullptr)
        all << Part{"=t", tree(*p.type), name, tree(*p.default_value)};
      else if (p.default_value != nullptr)
        all << Part{"=", name, tree(*p.default_value)};
      else if (p.type != nullptr)
        all << Part{"t", tree(*p.type), name};
      else
        all << name;
    }
    out << std::move(all);
  }
  Part definition(std::string_view keyword, const Definition& d, Symbol parent, const Node* return_type) {
    Part out{keyword, d.name.str()};
    if (parent) out << Part{"inherits", parent.str()};
    parameters(out, d.parameters);
    if (return_type != nullptr) out << Part{"return_type", tree(*return_type)};
    return out << body(*d.body);
  }
  void operations(Part& out, const Seq<AttributeOp>& list) {
    out << indent;
    for (const AttributeOp& op : list) {
      out << line_break;
      if (op.kind == AttributeOpKind::Splat)
        out << Part{"* =>", node(op.value)};
      else
        out << Part{op.name.str(), op.kind == AttributeOpKind::Set ? "=>" : "+>", node(op.value)};
    }
    out << dedent;
  }
  static std::string formed(ResourceForm form, std::string_view word) {
    return fmt::format("{}{}", form == ResourceForm::Regular ? "" : form == ResourceForm::Virtual ? "virtual-" : "exported-", word);
  }
  Part literal(const Literal& l) {
    const Value& v = l.value;
    if ((l.flags & literal_overflow) != 0) return v.str();
    switch (v.kind) {
    case Kind::Undef: return ":undef";
    case Kind::Default: return ":default";
    case Kind::Bool: return v.b ? "true" : "false";
    case Kind::Float: return format_float(v.d);
    case Kind::String: return quoted(v.str());
    default: break;
    }
    if ((l.flags & literal_octal) != 0) return fmt::format("0{:o}", v.i);
    if ((l.flags & literal_hex) != 0) return fmt::format("0x{:X}", v.i);
    return std::to_string(v.i);
  }
  Part interpolation(const Interpolation& s) {
    Part out{"cat"};
    for (const Node* part : s.parts)
      out << (part->kind == NodeKind::Literal && (part->flags & literal_segment) != 0 ? tree(*part) : Part{"str", tree(*part)});
    return out;
  }
  Part conditional(const If& i) {
    const bool no_else = i.else_part == nullptr || i.else_part->kind == NodeKind::Nop ||
                         (i.else_part->kind == NodeKind::Block && i.else_part->as<Block>().statements.empty());
    Part out{(i.flags & if_unless) != 0 ? "unless" : "if", node(i.test), indent, line_break};
    const bool empty = i.then_block == nullptr || i.then_block->statements.empty();
    out << Part{"then", indent, empty ? Part("()") : statements(*i.then_block), dedent};
    if (no_else) return out;
    Part other = i.else_part->kind == NodeKind::Block ? statements(i.else_part->as<Block>()) : tree(*i.else_part);
    return out << line_break << Part{"else", indent, std::move(other), dedent} << dedent;
  }
  Part call(Part out, const Seq<Node*>& arguments, const Lambda* with) {
    for (const Node* a : arguments) out << node(a);
    if (with != nullptr) out << tree(*with);
    return out;
  }
  Part options(const Case& c) {
    Part out{"case", node(c.test), indent};
    for (const CaseOption& o : c.options) {
      Part values = nothing();
      for (const Node* v : o.values) values << node(v);
      out << line_break << Part{"when", std::move(values), Part{"then", o.body == nullptr ? nothing() : body(*o.body)}};
    }
    return out << dedent;
  }
  Part resource(const ResourceExpr& r) {
    Part out{formed(r.form(), "resource"), node(r.type_name), indent};
    for (const ResourceBody& b : r.bodies) {
      Part one{node(b.title)};
      operations(one, b.operations);
      out << line_break << std::move(one);
    }
    return out << dedent;
  }
  Part collector(const Collector& c) {
    Part query{c.exported() ? "<<| |>>" : "<| |>"};
    if (c.query != nullptr) query << tree(*c.query);
    return {"collect", node(c.type_expr), indent, line_break, std::move(query), indent, dedent, dedent}; // Puppet omits the operations
  }
  Part lambda(const Seq<Parameter>& given, const Node* return_type, Part inner) {
    Part out{"lambda"};
    parameters(out, given);
    if (return_type != nullptr) out << Part{"return_type", tree(*return_type)};
    return out << std::move(inner);
  }
  Part node_definition(const NodeDef& d) {
    Part matches{"matches"};
    for (const Node* m : d.matches) matches << node(m);
    Part out{"node", std::move(matches)};
    if (d.parent != nullptr) out << Part{"parent", tree(*d.parent)};
    return out << body(*d.body);
  }
  std::string_view operation(BinaryOp op) { return op == BinaryOp::And ? "&&" : op == BinaryOp::Or ? "||" : spelling(op); }

  Part tree(const Node& n);
};

Part Dumper::tree(const Node& n) {
  switch (n.kind) {
  case NodeKind::Nop: return ":nop";
  case NodeKind::Literal: return literal(n.as<Literal>());
  case NodeKind::RegexLiteral: return delimited(n.as<Literal>().value.regex->source());
  case NodeKind::Name: return n.as<Name>().name.str();
  case NodeKind::Reference: return n.as<Reference>().cased.str();
  case NodeKind::ReservedWord: return {"reserved", n.as<ReservedWord>().word.str()};
  case NodeKind::Variable: return fmt::format("${}", n.as<Variable>().name.str());
  case NodeKind::Interpolation: return interpolation(n.as<Interpolation>());
  case NodeKind::Heredoc:
    return {fmt::format("@({})", n.as<Heredoc>().syntax), indent, line_break, node(n.as<Heredoc>().text), dedent, line_break};
  case NodeKind::ListLiteral: {
    Part out{"[]"};
    for (const Node* e : n.as<ListLiteral>().elements) out << node(e);
    return out;
  }
  case NodeKind::HashLiteral: {
    Part out{"{}"};
    for (const KeyedEntry& e : n.as<HashLiteral>().entries) out << Part{node(e.key), node(e.value)};
    return out;
  }
  case NodeKind::Access: {
    const auto& a = n.as<Access>();
    if (a.keys.size <= 1) return {"slice", node(a.left), a.keys.empty() ? Part("()") : node(a.keys[0])};
    Part keys = nothing();
    for (const Node* k : a.keys) keys << node(k);
    return {"slice", node(a.left), std::move(keys)};
  }
  case NodeKind::Call: {
    const auto& c = n.as<Call>();
    return call({(c.flags & call_value_required) != 0 ? "call" : "invoke", node(c.functor)}, c.arguments, c.lambda);
  }
  case NodeKind::MethodCall: {
    const auto& c = n.as<MethodCall>();
    return call({"call-method", Part{".", node(c.receiver), node(c.name)}}, c.arguments, c.lambda);
  }
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment:
  case NodeKind::Relationship: return {operation(n.as<Binary>().op()), node(n.as<Binary>().left), node(n.as<Binary>().right)};
  case NodeKind::Not: return {"!", format(node(n.as<Unary>().operand))};
  case NodeKind::Minus: return {"-", node(n.as<Unary>().operand)};
  case NodeKind::Unfold: return {"unfold", node(n.as<Unary>().operand)};
  case NodeKind::Parenthesized: return node(n.as<Unary>().operand);
  case NodeKind::If: return conditional(n.as<If>());
  case NodeKind::Case: return options(n.as<Case>());
  case NodeKind::Selector: {
    Part out{"?", node(n.as<Selector>().left)};
    for (const SelectorEntry& e : n.as<Selector>().entries) out << Part{node(e.match), "=>", node(e.value)};
    return out;
  }
  case NodeKind::Block: return block(n.as<Block>());
  case NodeKind::Lambda: return lambda(n.as<Lambda>().parameters, n.as<Lambda>().return_type, body(*n.as<Lambda>().body));
  case NodeKind::ResourceExpr: return resource(n.as<ResourceExpr>());
  case NodeKind::ResourceDefaults: {
    const auto& d = n.as<ResourceDefaults>();
    Part out{formed(d.form(), "resource-defaults"), node(d.type_ref)};
    operations(out, d.operations);
    return out;
  }
  case NodeKind::ResourceOverride: {
    const auto& o = n.as<ResourceOverride>();
    Part out{formed(o.form(), "override"), node(o.resources)};
    operations(out, o.operations);
    return out;
  }
  case NodeKind::Collector: return collector(n.as<Collector>());
  case NodeKind::ClassDef: return definition("class", n.as<Definition>(), n.as<ClassDef>().parent, nullptr);
  case NodeKind::DefineDef: return definition("define", n.as<Definition>(), {}, nullptr);
  case NodeKind::FunctionDef: return definition(is_plan(n) ? "plan" : "function", n.as<Definition>(), {}, n.as<FunctionDef>().return_type);
  case NodeKind::NodeDef: return node_definition(n.as<NodeDef>());
  case NodeKind::TypeAlias: return {"type-alias", n.as<TypeAlias>().name.str(), node(n.as<TypeAlias>().type)};
  case NodeKind::TypeDefinition: {
    const auto& d = n.as<TypeDefinition>();
    return {"type-definition", d.name.str(), d.parent ? d.parent.str() : std::string_view(),
            d.body->statements.empty() ? Part("()") : block(*d.body)};
  }
  case NodeKind::TypeMapping: return {"type-mapping", node(n.as<TypeMapping>().left), node(n.as<TypeMapping>().right)};
  case NodeKind::Epp: {
    const auto& e = n.as<Epp>();
    return lambda(e.parameters, nullptr, {"epp", e.body->statements.empty() ? nothing() : block(*e.body)});
  }
  case NodeKind::RenderString: return {"render-s", fmt::format(" '{}'", n.as<RenderString>().text)};
  case NodeKind::RenderExpr: return {"render", node(n.as<Unary>().operand)};
  }
  return ":nop";
}

} // namespace

std::string dump_tree(const ParsedFile& file) { return Dumper().dump(file); }

} // namespace pupc::compiler
