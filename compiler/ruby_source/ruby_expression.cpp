#include "compiler/ruby_source/ruby_expression.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/value/unicode_case.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc {
namespace {

using Kind = RubyTokenKind;
using VK = RubyValue::Kind;

constexpr int max_depth = 64;
constexpr size_t max_text = 1 << 16, max_items = 4096;

RubyValue unknown() { return {}; }
RubyValue boolean(bool b) { return RubyValue::of(b ? VK::True : VK::False); }

bool hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Appends one escape of a double-quoted string. `i` points behind the backslash.
void append_escape(std::string& out, std::string_view s, size_t& i) {
  char c = s[i++];
  auto hex = [&](size_t most) {
    uint32_t n = 0;
    for (size_t k = 0; k < most && i < s.size() && hex_digit(s[i]); ++k, ++i)
      n = n * 16 + static_cast<uint32_t>(std::stoi(std::string(1, s[i]), nullptr, 16));
    return n;
  };
  constexpr std::string_view names = "abtnvfres", values = "\a\b\t\n\v\f\r\x1b ";
  if (size_t at = names.find(c); at != std::string_view::npos) {
    out += values[at];
  } else if (c == 'x') {
    out += static_cast<char>(hex(2));
  } else if (c == 'u' && i < s.size() && s[i] == '{') {
    ++i;
    append_utf8(out, hex(6));
    if (i < s.size() && s[i] == '}') ++i;
  } else if (c == 'u') {
    append_utf8(out, hex(4));
  } else if (c >= '0' && c <= '7') {
    uint32_t n = static_cast<uint32_t>(c - '0');
    for (int k = 0; k < 2 && i < s.size() && s[i] >= '0' && s[i] <= '7'; ++k) n = n * 8 + static_cast<uint32_t>(s[i++] - '0');
    out += static_cast<char>(n);
  } else if (c != '\n') {
    out += c;
  }
}

// Regexp#to_s, which is what an interpolation puts into another regular expression.
std::string regex_text(const RubyValue& v) {
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

std::string squiggled(std::string_view body) {
  size_t indent = std::string_view::npos;
  for (size_t i = 0; i < body.size();) {
    size_t end = std::min(body.find('\n', i), body.size());
    size_t first = body.find_first_not_of(" \t", i);
    if (first < end) indent = std::min(indent, first - i);
    i = end + 1;
  }
  std::string out;
  for (size_t i = 0; i < body.size();) {
    size_t end = std::min(body.find('\n', i), body.size());
    std::string_view line = body.substr(i, end - i);
    line.remove_prefix(std::min(indent, std::min(line.find_first_not_of(" \t"), line.size())));
    out.append(line);
    if (end < body.size()) out += '\n';
    i = end + 1;
  }
  return out;
}

} // namespace

// Evaluates one expression. It is not in the unnamed namespace, because RubyProgram names it as a friend.
class RubyExpression {
public:
  RubyExpression(RubyProgram& program, RubyLocals& locals, std::string_view nesting)
      : program_(program), locals_(locals), nesting_(nesting) {}

  RubyValue value(RubyRange r) {
    program_.spend();
    if (!program_.within_budget() || program_.depth_ >= max_depth) return unknown();
    ++program_.depth_;
    RubyValue v = binary(r);
    --program_.depth_;
    program_.spend(v.items.size() + v.text.size() / 64);
    if (v.text.size() > max_text || v.items.size() > max_items) return unknown();
    return v;
  }

private:
  // Evaluates binary operators: splits at the loosest one first. An operator that is not supported makes the whole expression unknown.
  RubyValue binary(RubyRange r) {
    while (!r.empty() && r[r.begin].kind == Kind::Newline) ++r.begin;
    while (!r.empty() && r[r.end - 1].kind == Kind::Newline) --r.end;
    if (r.empty()) return RubyValue::of(VK::Nil);
    // Find the loosest operator outside of brackets. Among several of the same level take the last one, because all but `not` group to the
    // left.
    uint32_t at = 0;
    int loosest = 99;
    bool prefix = true; // at the beginning of an operand
    for (uint32_t i = r.begin; i < r.end; i = skip_element(r, i)) {
      const RubyToken& t = r[i];
      if (!prefix || i == r.begin)
        if (int level = binding(t, prefix); level != 0 && level <= loosest) {
          loosest = level;
          at = i;
        }
      prefix = (t.kind == Kind::Operator && t.match == RubyToken::no_match) || t.kind == Kind::Label || t.kind == Kind::Keyword;
      if (t.kind == Kind::Keyword &&
          (t.text == "nil" || t.text == "true" || t.text == "false" || t.text == "self" || t.text == "end" || t.text == "__FILE__"))
        prefix = false;
    }
    if (loosest == 99) return chain(r);
    std::string_view op = r[at].text;
    if (at == r.begin) { // not x, !x
      RubyValue v = value(part(r, at + 1, r.end));
      return v.known() ? boolean(!v.truthy()) : v;
    }
    RubyValue left = value(part(r, r.begin, at));
    bool either = op == "||" || op == "or", both = op == "&&" || op == "and";
    if (either || both) {
      if (!left.known() || left.truthy() == either) return left;
      return value(part(r, at + 1, r.end));
    }
    RubyValue right = value(part(r, at + 1, r.end));
    if (op == "==" || op == "!=") {
      bool comparable = left.known() && right.known() && left.items.empty() && right.items.empty() && !left.is(VK::Block) &&
                        !right.is(VK::Block);
      return comparable ? boolean(same(left, right) == (op == "==")) : unknown();
    }
    return op == "+" || op == "-" || op == "|" ? combine(std::move(left), op, right) : unknown();
  }

  // How tightly a token binds as an operator; 0 when it is none.
  static int binding(const RubyToken& t, bool prefix) {
    std::string_view x = t.text;
    if (t.kind == Kind::Keyword) {
      if (x == "not") return prefix ? 2 : 0;
      if (x == "if" || x == "unless" || x == "while" || x == "until" || x == "rescue") return prefix ? 0 : 1;
      return !prefix && (x == "and" || x == "or") ? 1 : 0;
    }
    if (t.kind != Kind::Operator) return 0;
    if (prefix) return x == "!" ? 9 : 0;
    if (x == "?" || x == "..") return 3;
    if (x == "||") return 4;
    if (x == "&&") return 5;
    if (x == "==" || x == "!=" || x == "=~" || x == "===" || x == "<=>") return 6;
    if (x == "<" || x == ">" || x == "<=" || x == ">=") return 6;
    if (x == "|" || x == "&" || x == "<<") return 7;
    if (x == "+" || x == "-") return 8;
    return x == "*" || x == "%" || x == "/" ? 8 : 0;
  }

  static RubyRange part(RubyRange r, uint32_t begin, uint32_t end) {
    r.begin = begin;
    r.end = end;
    return r;
  }

public:
  static bool same(const RubyValue& a, const RubyValue& b) {
    return a.kind == b.kind && a.text == b.text && a.items.empty() && b.items.empty();
  }

  static RubyValue combine(RubyValue a, std::string_view op, const RubyValue& b) {
    if (op == "+" && a.is(VK::String) && b.is(VK::String)) {
      a.text += b.text;
      return a;
    }
    if (!a.is(VK::Array) || !b.is(VK::Array)) return unknown();
    if (op == "+") {
      a.items.insert(a.items.end(), b.items.begin(), b.items.end());
      return a;
    }
    auto scalar = [](const RubyValue& v) { return v.is_name(); };
    if (!std::all_of(a.items.begin(), a.items.end(), scalar) || !std::all_of(b.items.begin(), b.items.end(), scalar)) return unknown();
    if (op == "-") {
      std::erase_if(a.items, [&](const RubyValue& x) {
        return std::any_of(b.items.begin(), b.items.end(), [&](const RubyValue& y) { return same(x, y); });
      });
      return a;
    }
    for (const auto& y : b.items)
      if (std::none_of(a.items.begin(), a.items.end(), [&](const RubyValue& x) { return same(x, y); })) a.items.push_back(y);
    return a;
  }

private:
  // Evaluates a value and the methods called on it.
  RubyValue chain(RubyRange r) {
    uint32_t i = r.begin;
    RubyValue v = primary(r, i);
    while (i < r.end && v.known()) {
      const RubyToken& t = r[i];
      if ((is_op(t, ".") || is_op(t, "&.")) && i + 1 < r.end && (r[i + 1].kind == Kind::Identifier || r[i + 1].kind == Kind::Constant)) {
        RubyCall call = read_call(r, i + 1);
        i = call.end;
        v = call_on(v, call);
      } else if (is_op(t, "[") && (v.is(VK::Hash) || v.is(VK::Array))) {
        RubyValue key = value(part(r, i + 1, t.match));
        if (v.is(VK::Hash) && key.is_name()) {
          const RubyValue* found = v.find(key.text);
          v = found ? RubyValue(*found) : RubyValue::of(VK::Nil);
        } else if (v.is(VK::Array) && key.is(VK::Integer) && key.text.size() < 6) {
          size_t index = std::stoul(key.text);
          v = index < v.items.size() ? RubyValue(v.items[index]) : RubyValue::of(VK::Nil);
        } else {
          v = unknown();
        }
        i = t.match + 1;
      } else {
        return unknown();
      }
    }
    return i == r.end ? v : unknown();
  }

  RubyValue primary(const RubyRange& r, uint32_t& i) {
    const RubyToken& t = r[i];
    switch (t.kind) {
    case Kind::Symbol: ++i; return symbol(t);
    case Kind::String: {
      RubyValue v = RubyValue::of(VK::String);
      for (; i < r.end && r[i].kind == Kind::String; ++i) {
        RubyValue next = string(r[i]);
        if (!next.known()) return next;
        v.text += next.text;
      }
      return v;
    }
    case Kind::Words:
    case Kind::Symbols: ++i; return words(t);
    case Kind::Regex: ++i; return regex(t);
    case Kind::Number: {
      ++i;
      bool plain = std::all_of(t.text.begin(), t.text.end(), [](char c) { return c >= '0' && c <= '9'; });
      return plain ? RubyValue::of(VK::Integer, std::string(t.text)) : unknown();
    }
    case Kind::Variable: return unknown();
    case Kind::Keyword: return keyword(r, i);
    case Kind::Constant: return constant(r, i);
    case Kind::Identifier: return identifier(r, i);
    case Kind::Operator:
      if (t.text == "[") {
        i = t.match + 1;
        return array(part(r, static_cast<uint32_t>(&t - &r[0]) + 1, t.match));
      }
      if (t.text == "{") {
        i = t.match + 1;
        return hash(split_commas(part(r, static_cast<uint32_t>(&t - &r[0]) + 1, t.match)));
      }
      if (t.text == "(") {
        i = t.match + 1;
        return value(part(r, static_cast<uint32_t>(&t - &r[0]) + 1, t.match));
      }
      if (t.text == "->") return lambda(r, i);
      if (t.text == "::" && i + 1 < r.end && r[i + 1].kind == Kind::Constant) {
        ++i;
        return constant(r, i);
      }
      return unknown();
    default: return unknown();
    }
  }

  RubyValue keyword(const RubyRange& r, uint32_t& i) {
    std::string_view x = r[i].text;
    ++i;
    if (x == "nil") return RubyValue::of(VK::Nil);
    if (x == "true" || x == "false") return boolean(x == "true");
    if (x == "__FILE__") return RubyValue::of(VK::String, r.file->path);
    if (x == "self") {
      auto it = locals_.find("self");
      return it == locals_.end() ? unknown() : it->second;
    }
    return unknown();
  }

  RubyValue symbol(const RubyToken& t) {
    if (t.delimiter == 0) return RubyValue::of(VK::Symbol, std::string(t.body));
    RubyValue v = string(t);
    if (v.known()) v.kind = VK::Symbol;
    return v;
  }

  RubyValue string(const RubyToken& t) {
    RubyValue v = RubyValue::of(VK::String);
    std::string unindented;
    std::string_view body = t.body;
    if (t.squiggly) body = unindented = squiggled(body);
    if (t.interpolated) return expand(body, t, v.text, false) ? v : unknown();
    if (t.delimiter == 0) {
      v.text = body;
      return v;
    }
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '\\' && i + 1 < body.size() && (body[i + 1] == '\\' || body[i + 1] == t.delimiter)) ++i;
      v.text += body[i];
    }
    return v;
  }

  RubyValue regex(const RubyToken& t) {
    RubyValue v = RubyValue::of(VK::Regex);
    v.options = t.options;
    return expand(t.body, t, v.text, true) ? v : unknown();
  }

  // Expands the escapes and interpolations of a text. A regular expression keeps its escapes, except that of its delimiter.
  bool expand(std::string_view body, const RubyToken& t, std::string& out, bool regex) {
    for (size_t i = 0; i < body.size();) {
      char c = body[i];
      if (c == '\\' && i + 1 < body.size()) {
        ++i;
        if (!regex) {
          append_escape(out, body, i);
        } else {
          if (body[i] != '/' || t.delimiter != '/') out += '\\';
          out += body[i++];
        }
      } else if (c == '#' && i + 1 < body.size() && body[i + 1] == '{') {
        size_t end = interpolation_end(body, i + 2);
        if (end == std::string_view::npos) return false;
        if (!interpolate(body.substr(i + 2, end - i - 2), t.line, out, regex)) return false;
        i = end + 1;
      } else {
        out += c;
        ++i;
      }
    }
    return true;
  }

  static size_t interpolation_end(std::string_view body, size_t i) {
    int open = 0;
    for (; i < body.size(); ++i) {
      if (body[i] == '{') ++open;
      if (body[i] == '}' && open-- == 0) return i;
      if (body[i] == '"' || body[i] == '\'') return std::string_view::npos; // a string in it may hold braces: too much for us
    }
    return std::string_view::npos;
  }

  bool interpolate(std::string_view code, uint32_t line, std::string& out, bool regex) {
    RubyFile inner;
    inner.tokens = ruby_tokens(code, line);
    if (!inner.tokens.error.empty()) return false;
    RubyValue v = value({&inner, 0, static_cast<uint32_t>(inner.tokens.tokens.size())});
    switch (v.kind) {
    case VK::String:
    case VK::Symbol:
    case VK::Integer: out += v.text; return true;
    case VK::Nil: return true;
    case VK::Regex:
      out += regex_text(v);
      (void)regex;
      return true;
    default: return false;
    }
  }

  RubyValue words(const RubyToken& t) {
    if (t.interpolated && t.body.find("#{") != std::string_view::npos) return unknown();
    RubyValue list = RubyValue::of(VK::Array);
    std::string word;
    auto add = [&] {
      if (!word.empty()) list.items.push_back(RubyValue::of(t.kind == Kind::Words ? VK::String : VK::Symbol, std::move(word)));
      word.clear();
    };
    for (size_t i = 0; i < t.body.size(); ++i) {
      char c = t.body[i];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        add();
      } else {
        if (c == '\\' && i + 1 < t.body.size()) c = t.body[++i];
        word += c;
      }
    }
    add();
    return list;
  }

  RubyValue array(const RubyRange& r) {
    RubyValue list = RubyValue::of(VK::Array);
    for (const auto& item : split_commas(r)) {
      if (is_op(item[item.begin], "*")) {
        RubyValue more = value(part(item, item.begin + 1, item.end));
        if (!more.is(VK::Array)) return unknown();
        list.items.insert(list.items.end(), more.items.begin(), more.items.end());
      } else if (item[item.begin].kind == Kind::Label || has_arrow(item)) {
        list.items.push_back(hash({item}));
      } else {
        list.items.push_back(value(item));
      }
    }
    return list;
  }

public:
  static bool has_arrow(const RubyRange& item) {
    for (uint32_t i = item.begin; i < item.end; i = skip_element(item, i))
      if (is_op(item[i], "=>")) return true;
    return false;
  }

  // Makes a Hash of entries `key: value`, `key => value`, `**hash`. An unknown key makes the whole hash unknown; an unknown value does not.
  RubyValue hash(const std::vector<RubyRange>& entries) {
    RubyValue h = RubyValue::of(VK::Hash);
    for (const auto& e : entries) {
      RubyValue key, item;
      if (is_op(e[e.begin], "**")) {
        RubyValue more = value(part(e, e.begin + 1, e.end));
        if (!more.is(VK::Hash)) return unknown();
        h.items.insert(h.items.end(), more.items.begin(), more.items.end());
        continue;
      }
      if (e[e.begin].kind == Kind::Label) {
        if (e[e.begin].delimiter != 0) {
          key = string(e[e.begin]);
          if (!key.known()) return unknown();
          key.kind = VK::Symbol;
        } else {
          key = RubyValue::of(VK::Symbol, std::string(e[e.begin].body));
        }
        item = value(part(e, e.begin + 1, e.end));
      } else {
        uint32_t arrow = e.begin;
        while (arrow < e.end && !is_op(e[arrow], "=>")) arrow = skip_element(e, arrow);
        if (arrow >= e.end) return unknown();
        key = value(part(e, e.begin, arrow));
        if (!key.known()) return unknown();
        item = value(part(e, arrow + 1, e.end));
      }
      h.items.push_back(std::move(key));
      h.items.push_back(std::move(item));
    }
    return h;
  }

private:
  static RubyValue procedure(const RubyRange& parameters, const RubyRange& body) {
    RubyValue v = RubyValue::of(VK::Block);
    v.block_parameters = parameters;
    v.block = body;
    RubyRange rest = body, only;
    bool single = next_statement(rest, only);
    RubyRange more = rest;
    if (single && next_statement(rest, more)) single = false;
    if (single && parameters.end - parameters.begin == 1 && only.end - only.begin == 1 && only[only.begin].kind == Kind::Identifier &&
        only[only.begin].text == parameters[parameters.begin].text)
      v.kind = VK::Identity;
    return v;
  }

  RubyValue lambda(const RubyRange& r, uint32_t& i) {
    RubyRange parameters = part(r, i + 1, i + 1), body;
    ++i;
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
    i = r[i].match + 1;
    return procedure(parameters, body);
  }

  RubyValue identifier(const RubyRange& r, uint32_t& i) {
    std::string_view name = r[i].text;
    bool called = i + 1 < r.end && is_op(r[i + 1], "(") && !r[i + 1].space_before;
    if (auto it = locals_.find(name); it != locals_.end() && !called) {
      ++i;
      return it->second;
    }
    if (name == "lambda" || name == "proc") {
      RubyCall call = read_call(r, i);
      i = call.end;
      return call.has_block && call.arguments.empty() ? procedure(call.block_parameters, call.block) : unknown();
    }
    if (name == "__dir__") {
      ++i;
      return RubyValue::of(VK::String, r.file->path.substr(0, r.file->path.rfind('/')));
    }
    const RubyMethod* method = program_.find_method(nesting_, "self." + std::string(name));
    if (!method) return unknown();
    RubyCall call = read_call(r, i);
    i = call.end;
    return program_.call_method(*method, program_.arguments(call.arguments, locals_, nesting_));
  }

  RubyValue constant(const RubyRange& r, uint32_t& i) {
    std::string path(r[i++].text);
    while (i + 1 < r.end && is_op(r[i], "::") && r[i + 1].kind == Kind::Constant) {
      path.append("::").append(r[i + 1].text);
      i += 2;
    }
    if (i + 1 < r.end && (is_op(r[i], ".") || is_op(r[i], "::")) && r[i + 1].kind == Kind::Identifier) {
      if (RubyValue v = named_constant(path); v.known() && !v.is(VK::Constant)) return v; // the rest of the chain is called on this value
      RubyCall call = read_call(r, i + 1);
      i = call.end;
      return call_static(path, call);
    }
    return named_constant(path);
  }

  RubyValue named_constant(const std::string& path) {
    if (auto it = locals_.find(path); it != locals_.end()) return it->second;
    size_t cut = path.rfind("::");
    std::string scope = cut == std::string::npos ? std::string() : path.substr(0, cut);
    std::string name = cut == std::string::npos ? path : path.substr(cut + 2);
    std::string nest(nesting_);
    for (;;) {
      std::string module = cut == std::string::npos ? nest : program_.resolve_module(scope, nest);
      if (auto m = program_.modules_.find(module); m != program_.modules_.end()) {
        if (auto c = m->second.constants.find(name); c != m->second.constants.end()) {
          RubyLocals none;
          return RubyExpression(program_, none, module).value(c->second);
        }
      }
      if (cut != std::string::npos || nest.empty()) break;
      size_t up = nest.rfind("::");
      nest.resize(up == std::string::npos ? 0 : up);
    }
    return RubyValue::of(VK::Constant, path);
  }

  RubyValue call_static(const std::string& path, const RubyCall& call) {
    if (path == "Proc" && call.name == "new" && call.has_block) return procedure(call.block_parameters, call.block);
    std::vector<RubyValue> values = program_.arguments(call.arguments, locals_, nesting_);
    if (path == "Regexp") {
      if ((call.name == "escape" || call.name == "quote") && values.size() == 1 && values[0].is(VK::String))
        return RubyValue::of(VK::String, escape_regex(values[0].text));
      if (call.name == "new" && values.size() == 1 && values[0].is(VK::Regex)) return values[0];
      if (call.name == "new" && values.size() == 1 && values[0].is(VK::String)) return RubyValue::of(VK::Regex, values[0].text);
      return unknown();
    }
    if (path == "File") return call_file(call.name, values);
    const RubyMethod* method = program_.find_method(path, "self." + std::string(call.name), nesting_);
    return method && !call.has_block ? program_.call_method(*method, values) : unknown();
  }

  static RubyValue call_file(std::string_view name, const std::vector<RubyValue>& values) {
    if (values.empty() || !std::all_of(values.begin(), values.end(), [](const RubyValue& v) { return v.is(VK::String); })) return unknown();
    if (name == "join") {
      std::string out = values[0].text;
      for (size_t i = 1; i < values.size(); ++i) {
        while (out.ends_with('/')) out.pop_back();
        out += values[i].text.starts_with('/') ? values[i].text : "/" + values[i].text;
      }
      return RubyValue::of(VK::String, out);
    }
    if (name == "dirname") {
      size_t cut = values[0].text.rfind('/');
      return RubyValue::of(VK::String, cut == std::string::npos ? "." : cut == 0 ? "/" : values[0].text.substr(0, cut));
    }
    if (name == "expand_path") return RubyValue::of(VK::String, absolute_path(values[0].text, values.size() > 1 ? values[1].text : ""));
    return unknown();
  }

  RubyValue call_on(const RubyValue& v, const RubyCall& call) {
    std::string_view m = call.name;
    if (m == "freeze" || m == "dup" || m == "clone") return v;
    if (m == "nil?") return boolean(v.is(VK::Nil));
    if (m == "empty?" && (v.is(VK::Array) || v.is(VK::Hash))) return boolean(v.items.empty());
    if (m == "empty?" && v.is_name()) return boolean(v.text.empty());
    if ((m == "count" || m == "size" || m == "length") && v.is(VK::Array) && call.arguments.empty() && !call.has_block)
      return RubyValue::of(VK::Integer, std::to_string(v.items.size()));
    if (v.is_name() && call.arguments.empty() && !call.has_block) {
      if (m == "to_sym" || m == "intern") return RubyValue::of(VK::Symbol, v.text);
      if (m == "to_s" || m == "to_str" || m == "id2name") return RubyValue::of(VK::String, v.text);
      RubyValue out = v;
      bool ascii = std::all_of(v.text.begin(), v.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
      auto map = [&](auto f) { std::transform(out.text.begin(), out.text.end(), out.text.begin(), f); };
      if (m == "downcase" && ascii) return map([](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }), out;
      if (m == "upcase" && ascii) return map([](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }), out;
    }
    if (v.is(VK::Integer) && m == "to_s") return RubyValue::of(VK::String, v.text);
    if (v.is(VK::Regex) && m == "source") return RubyValue::of(VK::String, v.text);
    if (v.is(VK::Hash) && m == "merge" && !call.has_block) {
      RubyValue out = v;
      for (const auto& other : program_.arguments(call.arguments, locals_, nesting_)) {
        if (!other.is(VK::Hash)) return unknown();
        out.items.insert(out.items.begin(), other.items.begin(), other.items.end()); // `find` returns a key's first entry: `other` wins
      }
      return out;
    }
    if (v.is(VK::Hash) && (m == "keys" || m == "values")) {
      RubyValue out = RubyValue::of(VK::Array);
      for (size_t i = m == "keys" ? 0 : 1; i < v.items.size(); i += 2) out.items.push_back(v.items[i]);
      return out;
    }
    if (!v.is(VK::Array)) return unknown();
    if (m == "to_a") return v;
    if ((m == "first" || m == "last") && call.arguments.empty())
      return v.items.empty() ? RubyValue::of(VK::Nil) : m == "first" ? v.items.front() : v.items.back();
    if (m == "flatten" && call.arguments.empty()) return flattened(v);
    if (m == "uniq" && !call.has_block) return combine(RubyValue::of(VK::Array), "|", v);
    if (m == "map" || m == "collect" || m == "flat_map") return mapped(v, call);
    return unknown();
  }

  static RubyValue flattened(const RubyValue& v) {
    RubyValue out = RubyValue::of(VK::Array);
    for (const auto& item : v.items) {
      if (item.is(VK::Array)) {
        RubyValue inner = flattened(item);
        out.items.insert(out.items.end(), inner.items.begin(), inner.items.end());
      } else {
        out.items.push_back(item);
      }
    }
    return out;
  }

  RubyValue mapped(const RubyValue& v, const RubyCall& call) {
    RubyValue out = RubyValue::of(VK::Array);
    const RubyRange& a = call.arguments;
    bool to_proc = !call.has_block && a.end - a.begin == 2 && is_op(a[a.begin], "&") && a[a.begin + 1].kind == Kind::Symbol;
    if (!to_proc && !call.has_block) return unknown();
    for (const auto& item : v.items) {
      if (to_proc) {
        RubyCall inner;
        inner.name = a[a.begin + 1].body;
        out.items.push_back(call_on(item, inner));
      } else {
        RubyLocals locals = program_.copy(locals_);
        std::span<const RubyValue> values = item.is(VK::Array) ? std::span(item.items) : std::span(&item, 1);
        program_.bind(call.block_parameters, values, nullptr, locals, nesting_);
        out.items.push_back(program_.evaluate_body(call.block, locals, nesting_));
      }
      if (!out.items.back().known() || !program_.within_budget()) return unknown();
    }
    return call.name == "flat_map" ? flattened(out) : out;
  }

  RubyProgram& program_;
  RubyLocals& locals_;
  std::string nesting_;
};

RubyValue evaluate_ruby_expression(RubyProgram& program, RubyRange expression, RubyLocals& locals, std::string_view nesting) {
  return RubyExpression(program, locals, nesting).value(expression);
}

RubyValue evaluate_ruby_hash(RubyProgram& program, const std::vector<RubyRange>& entries, RubyLocals& locals, std::string_view nesting) {
  return RubyExpression(program, locals, nesting).hash(entries);
}

bool is_ruby_hash_entry(const RubyRange& item) { return RubyExpression::has_arrow(item); }

RubyValue combine_ruby_values(RubyValue a, std::string_view op, const RubyValue& b) { return RubyExpression::combine(std::move(a), op, b); }

} // namespace pupc
