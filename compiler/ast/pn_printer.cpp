#include "compiler/ast/pn_printer.h"

#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "compiler/ast/plans.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Writes (name element …), [element …] and {:key value …} with their line breaks; in JSON these are {"^": [name, element, …]},
/// [element, …] and {"#": [key, value, …]}.
class Writer {
public:
  Writer(bool pretty, bool json) : pretty_(pretty), json_(json) {}

  void call(std::string_view name) {
    if (json_) return open_json("^"), json_item(name);
    out_ += '(';
    out_ += name;
    levels_.push_back({')', true, false});
  }
  void list() { open('[', ']'); }
  void map() { json_ ? open_json("#") : open('{', '}'); }
  void end() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (json_ && pretty_ && level.started) line();
    out_ += level.close;
    if (!level.wrapped) return;
    levels_.pop_back();
    if (pretty_) line();
    out_ += '}';
  }
  /// Called before each element of a call or list: writes the separator.
  void element() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (json_) {
      if (level.started) out_ += ',';
      if (pretty_) line();
    } else if (pretty_) {
      out_ += '\n';
      out_.append(2 * levels_.size(), ' ');
    } else if (level.started) {
      out_ += ' ';
    }
    level.started = true;
  }
  void key(std::string_view name) {
    if (json_) {
      json_item(name);
      return element();
    }
    element();
    out_ += ':';
    out_ += name;
    out_ += ' ';
  }
  void number(std::string_view s) { out_ += s; }
  void boolean(bool b) { out_ += b ? "true" : "false"; }
  void nil() { out_ += json_ ? "null" : "nil"; }
  void string(std::string_view s) {
    out_ += '"';
    for (char c : s) {
      switch (c) {
      case '\t': out_ += "\\t"; break;
      case '\n': out_ += "\\n"; break;
      case '\r': out_ += "\\r"; break;
      case '"': out_ += "\\\""; break;
      case '\\': out_ += "\\\\"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20)
          out_ += c;
        else if (!json_)
          out_ += fmt::format("\\o{:03o}", static_cast<unsigned char>(c));
        else if (c == '\b' || c == '\f')
          out_ += c == '\b' ? "\\b" : "\\f";
        else
          out_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      }
    }
    out_ += '"';
  }
  std::string take() { return std::move(out_); }

private:
  struct Level {
    char close;
    bool started;
    bool wrapped; // in a hash of one entry
  };
  void open(char opening, char close) {
    out_ += opening;
    levels_.push_back({close, false, false});
  }
  /// {"KEY": [
  void open_json(std::string_view key) {
    open('{', '}');
    if (pretty_) line();
    string(key);
    out_ += pretty_ ? ": [" : ":[";
    levels_.push_back({']', false, true});
  }
  void json_item(std::string_view text) {
    element();
    string(text);
  }
  void line() {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }

  bool pretty_, json_;
  std::string out_;
  std::vector<Level> levels_;
};

class PnPrinter {
public:
  PnPrinter(bool pretty, bool json) : w(pretty, json) {}

  std::string print(const ParsedFile& file) {
    if (file.body->kind == NodeKind::Epp)
      tree(*file.body);
    else
      body(&file.body->as<Block>());
    return w.take();
  }

private:
  Writer w;

  void element(const Node* n) {
    w.element();
    node(n);
  }
  void elements(const Seq<Node*>& nodes) {
    for (const Node* n : nodes) element(n);
  }
  void node(const Node* n) {
    if (n == nullptr) {
      w.call("nop");
      w.end();
    } else {
      tree(*n);
    }
  }
  /// Writes a body; if it has one statement, only that statement.
  void body(const Block* b) {
    if (b == nullptr || b->statements.empty()) return node(nullptr);
    node(b->statements.size == 1 ? b->statements[0] : b);
  }
  void list(const Seq<Node*>& nodes) {
    w.list();
    elements(nodes);
    w.end();
  }
  /// Writes statements as a list under a key. `as_block`: Puppet's model has a block here even around a single statement.
  void statements(std::string_view key, const Block& b, bool as_block) {
    w.key(key);
    // Flatten a single statement that is itself a block (a resource without a title), unless a block is around it.
    const bool flatten = !as_block && b.statements.size == 1 && b.statements[0]->kind == NodeKind::Block;
    list(flatten ? b.statements[0]->as<Block>().statements : b.statements);
  }
  /// A call whose only argument is a map.
  void map_call(std::string_view name) {
    w.call(name);
    w.element();
    w.map();
  }
  void end_twice() {
    w.end();
    w.end();
  }
  void keyed(std::string_view key, const Node* n) {
    w.key(key);
    node(n);
  }
  void string_call(std::string_view name, std::string_view text) {
    w.call(name);
    w.element();
    w.string(text);
    w.end();
  }
  void two(std::string_view name, const Node* a, const Node* b) {
    w.call(name);
    element(a);
    element(b);
    w.end();
  }
  void one(std::string_view name, const Node* a) {
    w.call(name);
    element(a);
    w.end();
  }
  void parameters(const Seq<Parameter>& list) {
    if (list.empty()) return;
    w.key("params");
    w.map();
    for (const Parameter& p : list) {
      w.key(p.name.str());
      w.map();
      if (p.type != nullptr) keyed("type", p.type);
      if (p.captures_rest) {
        w.key("splat");
        w.boolean(true);
      }
      if (p.default_value != nullptr) keyed("value", p.default_value);
      w.end();
    }
    w.end();
  }
  void operations(const Seq<AttributeOp>& list) {
    w.key("ops");
    w.list();
    for (const AttributeOp& op : list) {
      w.element();
      w.call(op.kind == AttributeOpKind::Set ? "=>" : op.kind == AttributeOpKind::Append ? "+>" : "splat-hash");
      if (op.kind != AttributeOpKind::Splat) {
        w.element();
        w.string(op.name.str());
      }
      element(op.value);
      w.end();
    }
    w.end();
  }
  void form(ResourceForm f) {
    if (f == ResourceForm::Regular) return;
    w.key("form");
    w.string(f == ResourceForm::Virtual ? "virtual" : "exported");
  }
  void definition(std::string_view name, const Definition& d, Symbol parent, const Node* return_type) {
    map_call(name);
    w.key("name");
    w.string(d.name.str());
    if (parent) {
      w.key("parent");
      w.string(parent.str());
    }
    parameters(d.parameters);
    if (!d.body->statements.empty()) statements("body", *d.body, true);
    if (return_type != nullptr) keyed("returns", return_type);
    end_twice();
  }
  void literal(const Literal& l) {
    const Value& v = l.value;
    if ((l.flags & literal_overflow) != 0) return w.number(v.str());
    switch (v.kind) {
    case Kind::Undef: return w.nil();
    case Kind::Default: w.call("default"); return w.end();
    case Kind::Bool: return w.boolean(v.b);
    case Kind::Float: return w.number(format_float(v.d));
    case Kind::String: return w.string(v.str());
    default: break;
    }
    if ((l.flags & (literal_octal | literal_hex)) == 0) return w.number(std::to_string(v.i));
    map_call("int");
    w.key("radix");
    w.number((l.flags & literal_hex) != 0 ? "16" : "8");
    w.key("value");
    w.number(std::to_string(v.i));
    end_twice();
  }
  void variable(const Variable& v) {
    w.call("var");
    w.element();
    w.string(v.name.str());
    w.end();
  }
  void interpolation(const Interpolation& s) {
    w.call("concat");
    for (const Node* part : s.parts) {
      w.element();
      if (part->kind == NodeKind::Literal && (part->flags & literal_segment) != 0)
        node(part);
      else
        one("str", part);
    }
    w.end();
  }

  void heredoc(const Heredoc& n) {
    map_call("heredoc");
    if (!n.syntax.empty()) {
      w.key("syntax");
      w.string(n.syntax);
    }
    keyed("text", n.text);
    end_twice();
  }
  void list_literal(const ListLiteral& n) {
    w.call("array");
    elements(n.elements);
    w.end();
  }
  void hash_literal(const HashLiteral& n) {
    w.call("hash");
    for (const KeyedEntry& e : n.entries) {
      w.element();
      two("=>", e.key, e.value);
    }
    w.end();
  }
  void access(const Access& n) {
    w.call("access");
    element(n.left);
    elements(n.keys);
    w.end();
  }
  void call(const Call& c) {
    map_call((c.flags & call_value_required) != 0 ? "call" : "invoke");
    keyed("functor", c.functor);
    w.key("args");
    list(c.arguments);
    if (c.lambda != nullptr) keyed("block", c.lambda);
    end_twice();
  }
  void method_call(const MethodCall& c) {
    w.call("call-method"); // Puppet never treats a method call as a statement call
    w.element();
    w.map();
    w.key("functor");
    two(".", c.receiver, c.name);
    w.key("args");
    list(c.arguments);
    if (c.lambda != nullptr) keyed("block", c.lambda);
    end_twice();
  }
  void minus(const Unary& n) {
    const Node& operand = *n.operand;
    if (operand.kind == NodeKind::Literal && operand.as<Literal>().value.is_int())
      return w.number(std::to_string(-operand.as<Literal>().value.i));
    if (operand.kind == NodeKind::Literal && operand.as<Literal>().value.is_float())
      return w.number(format_float(-operand.as<Literal>().value.d));
    if (operand.kind != NodeKind::Literal || (operand.flags & literal_overflow) == 0) return one("-", &operand);
    w.number("-");
    return w.number(operand.as<Literal>().value.str());
  }
  void if_or_unless(const If& i) {
    map_call((i.flags & if_unless) != 0 ? "unless" : "if");
    keyed("test", i.test);
    if (i.then_block != nullptr && !i.then_block->statements.empty()) statements("then", *i.then_block, false);
    if (i.else_part != nullptr && i.else_part->kind != NodeKind::Block) {
      w.key("else");
      w.list();
      element(i.else_part);
      w.end();
    } else if (i.else_part != nullptr && !i.else_part->as<Block>().statements.empty()) {
      statements("else", i.else_part->as<Block>(), false);
    }
    end_twice();
  }
  void case_of(const Case& n) {
    w.call("case");
    element(n.test);
    w.element();
    w.list();
    for (const CaseOption& o : n.options) {
      w.element();
      w.map();
      w.key("when");
      list(o.values);
      if (o.body != nullptr && !o.body->statements.empty()) {
        statements("then", *o.body, true);
      } else {
        w.key("then");
        w.list();
        element(nullptr);
        w.end();
      }
      w.end();
    }
    end_twice();
  }
  void selector(const Selector& n) {
    w.call("?");
    element(n.left);
    w.element();
    w.list();
    for (const SelectorEntry& e : n.entries) {
      w.element();
      two("=>", e.match, e.value);
    }
    end_twice();
  }
  void block(const Block& n) {
    w.call("block");
    elements(n.statements);
    w.end();
  }
  void lambda(const Lambda& l) {
    map_call("lambda");
    parameters(l.parameters);
    if (l.return_type != nullptr) keyed("returns", l.return_type);
    if (!l.body->statements.empty()) statements("body", *l.body, true);
    end_twice();
  }
  void resource_expr(const ResourceExpr& r) {
    map_call("resource");
    keyed("type", r.type_name);
    w.key("bodies");
    w.list();
    for (const ResourceBody& b : r.bodies) {
      w.element();
      w.map();
      keyed("title", b.title);
      operations(b.operations);
      w.end();
    }
    w.end();
    form(r.form());
    end_twice();
  }
  void resource_defaults(const ResourceDefaults& n) {
    map_call("resource-defaults");
    keyed("type", n.type_ref);
    operations(n.operations);
    form(n.form());
    end_twice();
  }
  void resource_override(const ResourceOverride& n) {
    map_call("resource-override");
    keyed("resources", n.resources);
    operations(n.operations);
    form(n.form());
    end_twice();
  }
  void collector(const Collector& c) {
    map_call("collect");
    keyed("type", c.type_expr);
    w.key("query");
    w.call(c.exported() ? "exported-query" : "virtual-query");
    if (c.query != nullptr) element(c.query);
    w.end();
    if (!c.operations.empty()) operations(c.operations);
    end_twice();
  }
  void node_def(const NodeDef& d) {
    map_call("node");
    w.key("matches");
    list(d.matches);
    if (d.parent != nullptr) keyed("parent", d.parent);
    if (!d.body->statements.empty()) statements("body", *d.body, true);
    end_twice();
  }
  void type_alias(const TypeAlias& n) {
    w.call("type-alias");
    w.element();
    w.string(n.name.str());
    element(n.type);
    w.end();
  }
  void type_definition(const TypeDefinition& d) {
    w.call("type-definition");
    w.element();
    w.string(d.name.str());
    w.element();
    if (d.parent)
      w.string(d.parent.str());
    else
      w.nil();
    w.element();
    if (d.body->statements.empty())
      node(nullptr);
    else
      tree(*d.body);
    w.end();
  }
  void epp(const Epp& e) {
    w.call("lambda"); // Puppet wraps a template in a lambda with its parameters
    w.element();
    w.map();
    parameters(e.parameters);
    w.key("body");
    w.list();
    w.element();
    w.call("epp");
    elements(e.body->statements);
    w.end();
    w.end();
    end_twice();
  }

  void tree(const Node& n);
};

void PnPrinter::tree(const Node& n) {
  switch (n.kind) {
  case NodeKind::Nop: return node(nullptr);
  case NodeKind::Literal: return literal(n.as<Literal>());
  case NodeKind::RegexLiteral: return string_call("regexp", n.as<Literal>().value.regex->source());
  case NodeKind::Name: return string_call("qn", n.as<Name>().name.str());
  case NodeKind::Reference: return string_call("qr", n.as<Reference>().cased.str());
  case NodeKind::ReservedWord: return string_call("reserved", n.as<ReservedWord>().word.str());
  case NodeKind::Variable: return variable(n.as<Variable>());
  case NodeKind::Interpolation: return interpolation(n.as<Interpolation>());
  case NodeKind::Heredoc: return heredoc(n.as<Heredoc>());
  case NodeKind::ListLiteral: return list_literal(n.as<ListLiteral>());
  case NodeKind::HashLiteral: return hash_literal(n.as<HashLiteral>());
  case NodeKind::Access: return access(n.as<Access>());
  case NodeKind::Call: return call(n.as<Call>());
  case NodeKind::MethodCall: return method_call(n.as<MethodCall>());
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment:
  case NodeKind::Relationship: return two(spelling(n.as<Binary>().op()), n.as<Binary>().left, n.as<Binary>().right);
  case NodeKind::Not: return one("!", n.as<Unary>().operand);
  case NodeKind::Minus: return minus(n.as<Unary>());
  case NodeKind::Unfold: return one("unfold", n.as<Unary>().operand);
  case NodeKind::Parenthesized: return one("paren", n.as<Unary>().operand);
  case NodeKind::If: return if_or_unless(n.as<If>());
  case NodeKind::Case: return case_of(n.as<Case>());
  case NodeKind::Selector: return selector(n.as<Selector>());
  case NodeKind::Block: return block(n.as<Block>());
  case NodeKind::Lambda: return lambda(n.as<Lambda>());
  case NodeKind::ResourceExpr: return resource_expr(n.as<ResourceExpr>());
  case NodeKind::ResourceDefaults: return resource_defaults(n.as<ResourceDefaults>());
  case NodeKind::ResourceOverride: return resource_override(n.as<ResourceOverride>());
  case NodeKind::Collector: return collector(n.as<Collector>());
  case NodeKind::ClassDef: return definition("class", n.as<Definition>(), n.as<ClassDef>().parent, nullptr);
  case NodeKind::DefineDef: return definition("define", n.as<Definition>(), {}, nullptr);
  case NodeKind::FunctionDef: return definition(is_plan(n) ? "plan" : "function", n.as<Definition>(), {}, n.as<FunctionDef>().return_type);
  case NodeKind::NodeDef: return node_def(n.as<NodeDef>());
  case NodeKind::TypeAlias: return type_alias(n.as<TypeAlias>());
  case NodeKind::TypeDefinition: return type_definition(n.as<TypeDefinition>());
  case NodeKind::TypeMapping: return two("type-mapping", n.as<TypeMapping>().left, n.as<TypeMapping>().right);
  case NodeKind::Epp: return epp(n.as<Epp>());
  case NodeKind::RenderString: return string_call("render-s", n.as<RenderString>().text);
  case NodeKind::RenderExpr: return one("render", n.as<Unary>().operand);
  }
}

} // namespace

std::string print_pn(const ParsedFile& file, bool pretty, bool json) { return PnPrinter(pretty, json).print(file); }

} // namespace pupc::compiler
