#include "compiler/ruby/syntax/ruby_expression.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler {
namespace {

using VK = StaticRubyValue::Kind;
using ruby::Node;
using ruby::NodeType;

constexpr int max_expression_depth = 64;
constexpr size_t max_text = 1 << 16, max_items = 4096;

StaticRubyValue unknown() { return {}; }
StaticRubyValue boolean(bool b) { return StaticRubyValue::of(b ? VK::True : VK::False); }

// Regexp#to_s, which is what an interpolation puts into another regular expression.
std::string regex_text(const StaticRubyValue& v) {
  std::string on, off, source;
  (v.options & 4 ? on : off) += 'm';
  (v.options & 1 ? on : off) += 'i';
  (v.options & 2 ? on : off) += 'x';
  for (size_t i = 0; i < v.text.size(); ++i) {
    if (v.text[i] == '\\' && i + 1 < v.text.size()) {
      source += v.text[i++];
      source += v.text[i];
    } else if (v.text[i] == '/') {
      source += "\\/";
    } else {
      source += v.text[i];
    }
  }
  return fmt::format("(?{}{}{}:{})", on, off.empty() ? "" : "-", off, source);
}

} // namespace

// Evaluates the expressions of a part of a file. It is not in the unnamed namespace, because RubyFileSet names it as a friend.
class RubyExpression {
public:
  RubyExpression(RubyFileSet& program, const RubyFile& file, RubyLocals& locals, std::string_view nesting)
      : program_(program), file_(file), locals_(locals), nesting_(nesting), parser_(file.text, file.tokens.tokens, is_variable_, nodes_) {}

  StaticRubyValue expression(const RubyRange& r) { return value(parser_.read_expression(r.begin, r.end)); }

  /// The values of arguments; hash entries at the end become one Hash. A `&block` goes to `block`.
  std::vector<StaticRubyValue> arguments(const RubyRange& r, StaticRubyValue* block) {
    return arguments(*parser_.read_arguments(r.begin, r.end), block);
  }

  /// Reads an expression that is only a symbol's name or a plain text, as most arguments of declarations are: it needs no parser. False for
  /// all others.
  static bool literal(RubyFileSet& program, const RubyRange& r, StaticRubyValue& value) {
    if (r.end - r.begin != 1 || !is_literal(r[r.begin])) return false;
    value = literal_value(program, r[r.begin]);
    return true;
  }

  /// Reads arguments that are all such literals, with pairs at their end whose values may also be `true`, `false`, `nil` or constants:
  /// `:name, :namevar => true`. They need no parser, either. False for all others.
  static bool literals(RubyFileSet& program, const RubyRange& r, const RubyLocals& locals, std::string_view nesting,
                       std::vector<StaticRubyValue>& values) {
    if (program.budget_ < 2000 * (r.end - r.begin) || program.depth_ + 2 >= max_expression_depth) return false; // near a limit
    const int64_t budget = program.budget_;
    if (read_literals(program, r, locals, nesting, values)) return true;
    program.budget_ = budget;
    return false;
  }

  static bool same(const StaticRubyValue& a, const StaticRubyValue& b) {
    return a.kind == b.kind && a.text == b.text && a.items.empty() && b.items.empty();
  }

  static StaticRubyValue combine(StaticRubyValue a, std::string_view op, const StaticRubyValue& b) {
    if (op == "+" && a.is(VK::String) && b.is(VK::String)) {
      a.text += b.text;
      return a;
    }
    if (!a.is(VK::Array) || !b.is(VK::Array)) return unknown();
    if (op == "+") {
      a.items.insert(a.items.end(), b.items.begin(), b.items.end());
      return a;
    }
    auto scalar = [](const StaticRubyValue& v) { return v.is_name(); };
    if (!std::all_of(a.items.begin(), a.items.end(), scalar) || !std::all_of(b.items.begin(), b.items.end(), scalar)) return unknown();
    if (op == "-") {
      std::erase_if(a.items, [&](const StaticRubyValue& x) {
        return std::any_of(b.items.begin(), b.items.end(), [&](const StaticRubyValue& y) { return same(x, y); });
      });
      return a;
    }
    for (const auto& y : b.items)
      if (std::none_of(a.items.begin(), a.items.end(), [&](const StaticRubyValue& x) { return same(x, y); })) a.items.push_back(y);
    return a;
  }

private:
  static bool is_literal(const RubyToken& t) {
    if (t.kind == RubyTokenKind::Symbol ? t.delimiter != 0 || t.body.empty() || !ruby::is_name_start(t.body[0])
                                        : t.kind != RubyTokenKind::String || (t.text[0] != '"' && t.text[0] != '\''))
      return false;
    return t.body.size() <= max_text && std::ranges::none_of(t.body, [](char c) { return ruby::is_char(c, ruby::char_literal); });
  }
  static StaticRubyValue literal_value(RubyFileSet& program, const RubyToken& t) {
    return literal_value(program, t.kind == RubyTokenKind::Symbol ? VK::Symbol : VK::String, t.body);
  }
  static StaticRubyValue literal_value(RubyFileSet& program, VK kind, std::string_view text) {
    program.spend();
    if (!program.within_budget() || program.depth_ >= max_expression_depth) return unknown();
    program.spend(text.size() / 64);
    return StaticRubyValue::of(kind, std::string(text));
  }
  static bool read_literals(RubyFileSet& program, const RubyRange& r, const RubyLocals& locals, std::string_view nesting,
                            std::vector<StaticRubyValue>& values) {
    StaticRubyValue pairs = StaticRubyValue::of(VK::Hash);
    values.reserve(2); // a name and options
    for (uint32_t i = r.begin; i < r.end; ++i) {
      const RubyToken& t = r[i];
      const bool label = t.kind == RubyTokenKind::Label && t.delimiter == 0 && ruby::is_name_part(t.body.back());
      const bool pair = label || (i + 1 < r.end && is_op(r[i + 1], "=>"));
      if ((!label && !is_literal(t)) || (!pair && !pairs.items.empty())) return false;
      if (!pair) {
        values.push_back(literal_value(program, t));
      } else {
        if (pairs.items.empty()) pairs.items.reserve(4);
        pairs.items.push_back(label ? literal_value(program, VK::Symbol, t.body) : literal_value(program, t));
        i += label ? 1 : 2;
        if (i >= r.end || !pair_value(program, r, i, locals, nesting, pairs.items.emplace_back())) return false;
      }
      if (++i < r.end && !is_op(r[i], ',')) return false;
    }
    if (pairs.items.empty()) return true;
    if (pairs.items.size() > max_items) return false;
    program.spend(1 + pairs.items.size());
    values.push_back(std::move(pairs));
    return true;
  }

  /// Reads the value of a pair that begins at token `i`, which becomes the value's last one.
  static bool pair_value(RubyFileSet& program, const RubyRange& r, uint32_t& i, const RubyLocals& locals, std::string_view nesting,
                         StaticRubyValue& value) {
    const RubyToken& t = r[i];
    if (is_literal(t)) {
      value = literal_value(program, t);
      return true;
    }
    if (!program.within_budget()) return false;
    program.spend();
    if (t.kind == RubyTokenKind::Keyword) {
      value = t.word == ruby::Word::Nil ? StaticRubyValue::of(VK::Nil) : boolean(t.word == ruby::Word::True);
      return ruby::has_word(ruby::words_of(ruby::Word::True, ruby::Word::False, ruby::Word::Nil), t.word);
    }
    if (t.kind != RubyTokenKind::Constant) return false;
    for (; i + 2 < r.end && is_op(r[i + 1], "::") && r[i + 2].kind == RubyTokenKind::Constant; i += 2)
      if (r[i + 1].space_before || r[i + 2].space_before) return false;
    const char* end = r[i].text.data() + r[i].text.size();
    value = named_constant(program, locals, nesting, {t.text.data(), static_cast<size_t>(end - t.text.data())});
    program.spend(value.items.size() + value.text.size() / 64);
    return true;
  }

  StaticRubyValue value(const Node* node) {
    program_.spend();
    if (node == nullptr || !program_.within_budget() || program_.depth_ >= max_expression_depth) return unknown();
    ++program_.depth_;
    StaticRubyValue v = evaluate(*node);
    --program_.depth_;
    program_.spend(v.items.size() + v.text.size() / 64);
    if (v.text.size() > max_text || v.items.size() > max_items) return unknown();
    return v;
  }

  StaticRubyValue evaluate(const Node& node) {
    switch (node.type) {
    case NodeType::Nil: return StaticRubyValue::of(VK::Nil);
    case NodeType::True:
    case NodeType::False: return boolean(node.type == NodeType::True);
    case NodeType::Integer: {
      const int64_t integer = node.as<ruby::Number>().integer;
      return integer < 0 ? unknown() : StaticRubyValue::of(VK::Integer, std::to_string(integer));
    }
    case NodeType::String: return text(node.as<ruby::TextLiteral>(), VK::String);
    case NodeType::Symbol: return text(node.as<ruby::TextLiteral>(), VK::Symbol);
    case NodeType::Regex: {
      StaticRubyValue v = text(node.as<ruby::RegexLiteral>(), VK::Regex);
      v.options = node.as<ruby::RegexLiteral>().options;
      return v;
    }
    case NodeType::Array: return array(node.as<ruby::ListLiteral>());
    case NodeType::Hash: return hash(node.as<ruby::HashLiteral>());
    case NodeType::Local: return local(node.as<ruby::LocalVariable>().name);
    case NodeType::Self: return local("self");
    case NodeType::Constant: return named_constant(node.as<ruby::Constant>().name);
    case NodeType::Sequence: {
      const ruby::NodeList& all = node.as<ruby::Sequence>().statements;
      return all.empty() ? StaticRubyValue::of(VK::Nil) : all.size() == 1 ? value(all.back()) : unknown();
    }
    case NodeType::And:
    case NodeType::Or: {
      StaticRubyValue left = value(node.as<ruby::Binary>().left);
      if (!left.known() || left.truthy() == (node.type == NodeType::Or)) return left;
      return value(node.as<ruby::Binary>().right);
    }
    case NodeType::Not: {
      StaticRubyValue v = value(node.as<ruby::Unary>().operand);
      return v.known() ? boolean(!v.truthy()) : v;
    }
    case NodeType::Lambda: return lambda(node.as<ruby::Lambda>());
    case NodeType::Call: return node.as<ruby::Call>().receiver == nullptr ? own_call(node.as<ruby::Call>()) : call(node.as<ruby::Call>());
    default: return unknown();
    }
  }

  StaticRubyValue local(std::string_view name) const {
    auto it = locals_.find(name);
    return it == locals_.end() ? unknown() : it->second;
  }

  /// A text with its interpolations. A regular expression keeps its escapes.
  template <class T> StaticRubyValue text(const T& node, VK kind) {
    StaticRubyValue v = StaticRubyValue::of(kind, std::string(node.text));
    for (const Node* part : node.parts) {
      StaticRubyValue piece = value(part);
      switch (piece.kind) {
      case VK::String:
      case VK::Symbol:
      case VK::Integer: v.text += piece.text; break;
      case VK::Nil: break;
      case VK::Regex: v.text += regex_text(piece); break;
      default: return unknown();
      }
    }
    return v;
  }

  StaticRubyValue array(const ruby::ListLiteral& node) {
    StaticRubyValue list = StaticRubyValue::of(VK::Array);
    for (const Node* item : node.items) {
      if (item->type == NodeType::Splat) {
        StaticRubyValue more = value(item->as<ruby::Unary>().operand);
        if (!more.is(VK::Array)) return unknown();
        list.items.insert(list.items.end(), more.items.begin(), more.items.end());
      } else {
        list.items.push_back(value(item));
      }
    }
    return list;
  }

  // An unknown key makes the whole hash unknown; an unknown value does not.
  StaticRubyValue hash(const ruby::HashLiteral& node) {
    StaticRubyValue h = StaticRubyValue::of(VK::Hash);
    for (const auto& pair : node.pairs) {
      if (pair.value == nullptr) {
        StaticRubyValue more = value(pair.key);
        if (!more.is(VK::Hash)) return unknown();
        h.items.insert(h.items.end(), more.items.begin(), more.items.end());
        continue;
      }
      StaticRubyValue key = value(pair.key);
      if (!key.known()) return unknown();
      h.items.push_back(std::move(key));
      h.items.push_back(value(pair.value));
    }
    return h;
  }

  std::vector<StaticRubyValue> arguments(const ruby::Call& call, StaticRubyValue* block) {
    std::vector<StaticRubyValue> out;
    for (const Node* argument : call.arguments) {
      if (argument->type != NodeType::Splat) {
        out.push_back(value(argument));
      } else if (StaticRubyValue more = value(argument->as<ruby::Unary>().operand); more.is(VK::Array)) {
        out.insert(out.end(), more.items.begin(), more.items.end());
      } else {
        out.push_back(unknown());
      }
    }
    if (const Node* pass = passed_block(call); block != nullptr && pass != nullptr) *block = value(pass);
    return out;
  }

  // -- blocks: what is in them is read when it is needed

  /// The block of a call, not read; null when it has none.
  static const ruby::Block* given_block(const ruby::Call& call) {
    const auto* block = call.block != nullptr ? call.block->to<ruby::Block>() : nullptr;
    return block != nullptr && block->body == nullptr ? block : nullptr;
  }
  /// The `name` of a call's &name; null when it has none.
  static const Node* passed_block(const ruby::Call& call) {
    const auto* pass = call.block != nullptr ? call.block->to<ruby::Unary>() : nullptr;
    return pass != nullptr ? pass->operand : nullptr;
  }
  RubyRange whole_file() const { return {&file_, 0, static_cast<uint32_t>(file_.tokens.tokens.size())}; }
  static RubyRange part(RubyRange r, uint32_t begin, uint32_t end) {
    r.begin = begin;
    r.end = end;
    return r;
  }
  StaticRubyValue procedure_of(const ruby::Block& block) const {
    RubyRange parameters, body;
    read_block(whole_file(), block.token, parameters, body);
    return procedure(parameters, body);
  }

  static StaticRubyValue procedure(const RubyRange& parameters, const RubyRange& body) {
    StaticRubyValue v = StaticRubyValue::of(VK::Block);
    v.block_parameters = parameters;
    v.block = body;
    RubyRange rest = body, only;
    bool single = next_statement(rest, only);
    RubyRange more = rest;
    if (single && next_statement(rest, more)) single = false;
    if (single && parameters.end - parameters.begin == 1 && only.end - only.begin == 1 &&
        only[only.begin].kind == RubyTokenKind::Identifier && only[only.begin].text == parameters[parameters.begin].text)
      v.kind = VK::Identity;
    return v;
  }

  StaticRubyValue lambda(const ruby::Lambda& node) const {
    if (node.block != nullptr) return unknown(); // in a string
    RubyRange r = whole_file();
    uint32_t i = node.token + 1;
    RubyRange parameters = part(r, i, i), body;
    if (i < r.end && is_op(r[i], "(")) {
      parameters = part(r, i + 1, r[i].match);
      i = r[i].match + 1;
    } else {
      while (i < r.end && !is_op(r[i], "{") && !is_keyword(r[i], "do")) ++i;
      parameters.end = i;
    }
    if (i >= r.end || r[i].match == RubyToken::no_match) return unknown();
    RubyRange none;
    read_block(r, i, none, body);
    return procedure(parameters, body);
  }

  // -- calls

  /// A call without a receiver.
  StaticRubyValue own_call(const ruby::Call& node) {
    const ruby::Block* block = given_block(node);
    if (node.name == "lambda" || node.name == "proc") return block != nullptr && node.arguments.empty() ? procedure_of(*block) : unknown();
    if (node.name == "__FILE__") return StaticRubyValue::of(VK::String, file_.path);
    if (node.name == "__dir__") return StaticRubyValue::of(VK::String, file_.path.substr(0, file_.path.rfind('/')));
    const RubyMethod* method = program_.find_method(nesting_, "self." + std::string(node.name));
    return method != nullptr ? program_.call_method(*method, arguments(node, nullptr)) : unknown();
  }

  StaticRubyValue call(const ruby::Call& node) {
    if (const auto* receiver = node.receiver->to<ruby::Constant>(); receiver != nullptr && node.name != "[]" && !is_operator(node.name)) {
      StaticRubyValue v = named_constant(receiver->name);
      return v.known() && !v.is(VK::Constant) ? call_on(v, node.name, &node) : call_static(receiver->name, node);
    }
    StaticRubyValue left = value(node.receiver);
    if (is_operator(node.name)) return operation(std::move(left), node);
    if (!left.known()) return left;
    return node.name == "[]" ? index(left, node) : call_on(left, node.name, &node);
  }

  static bool is_operator(std::string_view name) {
    char c = name[0];
    return name != "[]" && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_' && static_cast<unsigned char>(c) < 0x80;
  }

  StaticRubyValue operation(StaticRubyValue left, const ruby::Call& node) {
    if (node.arguments.size() != 1) return unknown();
    StaticRubyValue right = value(node.arguments.back());
    if (node.name == "==" || node.name == "!=") {
      bool comparable = left.known() && right.known() && left.items.empty() && right.items.empty() && !left.is(VK::Block) &&
                        !right.is(VK::Block);
      return comparable ? boolean(same(left, right) == (node.name == "==")) : unknown();
    }
    return node.name == "+" || node.name == "-" || node.name == "|" ? combine(std::move(left), node.name, right) : unknown();
  }

  StaticRubyValue index(const StaticRubyValue& v, const ruby::Call& node) {
    if ((!v.is(VK::Hash) && !v.is(VK::Array)) || node.arguments.size() != 1) return unknown();
    StaticRubyValue key = value(node.arguments.back());
    if (v.is(VK::Hash) && key.is_name()) {
      const StaticRubyValue* found = v.find(key.text);
      return found ? StaticRubyValue(*found) : StaticRubyValue::of(VK::Nil);
    }
    if (!v.is(VK::Array) || !key.is(VK::Integer) || key.text.size() >= 6) return unknown();
    size_t at = std::stoul(key.text);
    return at < v.items.size() ? StaticRubyValue(v.items[at]) : StaticRubyValue::of(VK::Nil);
  }

  StaticRubyValue named_constant(std::string_view path) { return named_constant(program_, locals_, nesting_, path); }
  static StaticRubyValue named_constant(RubyFileSet& program, const RubyLocals& locals, std::string_view nesting, std::string_view path) {
    if (auto it = locals.find(path); it != locals.end()) return it->second;
    size_t cut = path.rfind("::");
    const std::string_view scope = cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
    const std::string_view name = cut == std::string_view::npos ? path : path.substr(cut + 2);
    std::string nest(nesting);
    for (;;) {
      std::string module = cut == std::string_view::npos ? nest : program.resolve_module(scope, nest);
      if (auto m = program.modules_.find(module); m != program.modules_.end()) {
        if (auto c = m->second.constants.find(name); c != m->second.constants.end()) {
          RubyLocals none;
          return RubyExpression(program, *c->second.file, none, module).expression(c->second);
        }
      }
      if (cut != std::string_view::npos || nest.empty()) break;
      size_t up = nest.rfind("::");
      nest.resize(up == std::string::npos ? 0 : up);
    }
    return StaticRubyValue::of(VK::Constant, std::string(path));
  }

  StaticRubyValue call_static(std::string_view path, const ruby::Call& node) {
    const ruby::Block* block = given_block(node);
    if (path == "Proc" && node.name == "new" && block != nullptr) return procedure_of(*block);
    std::vector<StaticRubyValue> values = arguments(node, nullptr);
    if (path == "Regexp") {
      if ((node.name == "escape" || node.name == "quote") && values.size() == 1 && values[0].is(VK::String))
        return StaticRubyValue::of(VK::String, escape_regex(values[0].text));
      if (node.name == "new" && values.size() == 1 && values[0].is(VK::Regex)) return values[0];
      if (node.name == "new" && values.size() == 1 && values[0].is(VK::String)) return StaticRubyValue::of(VK::Regex, values[0].text);
      return unknown();
    }
    if (path == "File") return call_file(node.name, values);
    const RubyMethod* method = program_.find_method(path, "self." + std::string(node.name), nesting_);
    return method && block == nullptr ? program_.call_method(*method, values) : unknown();
  }

  static StaticRubyValue call_file(std::string_view name, const std::vector<StaticRubyValue>& values) {
    if (values.empty() || !std::all_of(values.begin(), values.end(), [](const StaticRubyValue& v) { return v.is(VK::String); }))
      return unknown();
    if (name == "join") {
      std::string out = values[0].text;
      for (size_t i = 1; i < values.size(); ++i) {
        while (out.ends_with('/')) out.pop_back();
        out += values[i].text.starts_with('/') ? values[i].text : "/" + values[i].text;
      }
      return StaticRubyValue::of(VK::String, out);
    }
    if (name == "dirname") {
      size_t cut = values[0].text.rfind('/');
      return StaticRubyValue::of(VK::String, cut == std::string::npos ? "." : cut == 0 ? "/" : values[0].text.substr(0, cut));
    }
    if (name == "expand_path")
      return StaticRubyValue::of(VK::String, absolute_path(values[0].text, values.size() > 1 ? values[1].text : ""));
    return unknown();
  }

  // The result of a method. `call` is null for the method of `&:name`.
  StaticRubyValue call_on(const StaticRubyValue& v, std::string_view m, const ruby::Call* call) {
    bool has_block = call != nullptr && given_block(*call) != nullptr;
    bool no_arguments = call == nullptr || (call->arguments.empty() && (call->block == nullptr || has_block));
    if (m == "freeze" || m == "dup" || m == "clone") return v;
    if (m == "nil?") return boolean(v.is(VK::Nil));
    if (m == "empty?" && (v.is(VK::Array) || v.is(VK::Hash))) return boolean(v.items.empty());
    if (m == "empty?" && v.is_name()) return boolean(v.text.empty());
    if ((m == "count" || m == "size" || m == "length") && v.is(VK::Array) && no_arguments && !has_block)
      return StaticRubyValue::of(VK::Integer, std::to_string(v.items.size()));
    if (v.is_name() && no_arguments && !has_block) {
      if (m == "to_sym" || m == "intern") return StaticRubyValue::of(VK::Symbol, v.text);
      if (m == "to_s" || m == "to_str" || m == "id2name") return StaticRubyValue::of(VK::String, v.text);
      StaticRubyValue out = v;
      bool ascii = std::all_of(v.text.begin(), v.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
      auto map = [&](auto f) { std::transform(out.text.begin(), out.text.end(), out.text.begin(), f); };
      if (m == "downcase" && ascii) return map([](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }), out;
      if (m == "upcase" && ascii) return map([](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }), out;
    }
    if (v.is(VK::Integer) && m == "to_s") return StaticRubyValue::of(VK::String, v.text);
    if (v.is(VK::Regex) && m == "source") return StaticRubyValue::of(VK::String, v.text);
    if (v.is(VK::Hash) && m == "merge" && !has_block && call != nullptr) {
      StaticRubyValue out = v;
      for (const auto& other : arguments(*call, nullptr)) {
        if (!other.is(VK::Hash)) return unknown();
        out.items.insert(out.items.begin(), other.items.begin(), other.items.end()); // `find` returns a key's first entry: `other` wins
      }
      return out;
    }
    if (v.is(VK::Hash) && (m == "keys" || m == "values")) {
      StaticRubyValue out = StaticRubyValue::of(VK::Array);
      for (size_t i = m == "keys" ? 0 : 1; i < v.items.size(); i += 2) out.items.push_back(v.items[i]);
      return out;
    }
    if (!v.is(VK::Array)) return unknown();
    if (m == "to_a") return v;
    if ((m == "first" || m == "last") && no_arguments)
      return v.items.empty() ? StaticRubyValue::of(VK::Nil) : m == "first" ? v.items.front() : v.items.back();
    if (m == "flatten" && no_arguments) return flattened(v);
    if (m == "uniq" && !has_block) return combine(StaticRubyValue::of(VK::Array), "|", v);
    if (m == "map" || m == "collect" || m == "flat_map") return mapped(v, m, call);
    return unknown();
  }

  static StaticRubyValue flattened(const StaticRubyValue& v) {
    StaticRubyValue out = StaticRubyValue::of(VK::Array);
    for (const auto& item : v.items) {
      if (item.is(VK::Array)) {
        StaticRubyValue inner = flattened(item);
        out.items.insert(out.items.end(), inner.items.begin(), inner.items.end());
      } else {
        out.items.push_back(item);
      }
    }
    return out;
  }

  StaticRubyValue mapped(const StaticRubyValue& v, std::string_view name, const ruby::Call* call) {
    const ruby::Block* block = call != nullptr ? given_block(*call) : nullptr;
    const Node* pass = call != nullptr && call->arguments.empty() ? passed_block(*call) : nullptr;
    const std::string_view* method = pass != nullptr && pass->type == NodeType::Symbol ? literal_text(*pass) : nullptr;
    if (method == nullptr && block == nullptr) return unknown();
    RubyRange parameters, body;
    if (block != nullptr) read_block(whole_file(), block->token, parameters, body);
    StaticRubyValue out = StaticRubyValue::of(VK::Array);
    for (const auto& item : v.items) {
      if (method != nullptr) {
        out.items.push_back(call_on(item, *method, nullptr));
      } else {
        RubyLocals locals = program_.copy(locals_);
        std::span<const StaticRubyValue> values = item.is(VK::Array) ? std::span(item.items) : std::span(&item, 1);
        program_.bind(parameters, values, nullptr, locals, nesting_);
        out.items.push_back(program_.evaluate_body(body, locals, nesting_));
      }
      if (!out.items.back().known() || !program_.within_budget()) return unknown();
    }
    return name == "flat_map" ? flattened(out) : out;
  }

  RubyFileSet& program_;
  const RubyFile& file_;
  RubyLocals& locals_;
  std::string nesting_;
  const ruby::Parser::IsVariable is_variable_ = [this](std::string_view name) { return locals_.contains(name); };
  ruby::RubyScript nodes_;
  ruby::Parser parser_;
};

StaticRubyValue evaluate_ruby_expression(RubyFileSet& program, RubyRange expression, RubyLocals& locals, std::string_view nesting) {
  if (expression.file == nullptr || expression.empty()) return StaticRubyValue::of(VK::Nil);
  StaticRubyValue value;
  if (RubyExpression::literal(program, expression, value)) return value;
  program.spend((expression.end - expression.begin) / 64);
  return RubyExpression(program, *expression.file, locals, nesting).expression(expression);
}

std::vector<StaticRubyValue> evaluate_ruby_arguments(RubyFileSet& program, RubyRange range, RubyLocals& locals, std::string_view nesting,
                                                     StaticRubyValue* block) {
  if (range.file == nullptr || range.empty()) return {};
  std::vector<StaticRubyValue> values;
  if (RubyExpression::literals(program, range, locals, nesting, values)) return values;
  return RubyExpression(program, *range.file, locals, nesting).arguments(range, block);
}

StaticRubyValue combine_ruby_values(StaticRubyValue a, std::string_view op, const StaticRubyValue& b) {
  return RubyExpression::combine(std::move(a), op, b);
}

} // namespace pupc::compiler
