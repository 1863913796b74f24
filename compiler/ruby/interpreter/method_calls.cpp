// Dispatch of calls, methods that every object has, functions without a receiver.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/known_methods.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

namespace pupc::compiler::ruby {

MethodId find_method(std::string_view name) {
  static const std::unordered_map<std::string_view, MethodId> table{
#define PUPC_RUBY_METHOD(id, text) {text, MethodId::id},
#include "compiler/ruby/interpreter/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  auto it = table.find(name);
  return it == table.end() ? MethodId::unknown : it->second;
}

/// Whether the module is one that Puppet's times and versions have: they are numbers.
static bool of_numeric_object(const RubyValue& v, RubyClass wanted) {
  if (!v.is(RubyKind::Foreign) || (wanted != RubyClass::Numeric && wanted != RubyClass::Comparable)) return false;
  const Kind kind = v.foreign->kind;
  return kind == Kind::Timestamp || kind == Kind::Timespan || kind == Kind::SemVer;
}

/// Whether calls of the class are found by their names, which have no numbers.
static bool knows_by_name(RubyClass c) {
  return c == RubyClass::Yaml || c == RubyClass::HieraConfig || c == RubyClass::File || c == RubyClass::ParserFunctions;
}

RubyValue Interpreter::send(const RubyValue& self, MethodId method, std::initializer_list<RubyValue> args, uint32_t line,
                            const RubyProc* block) {
  return call_method({self, method, method_name(method), std::span<const RubyValue>(args.begin(), args.size()), block, line});
}

std::string_view method_name(MethodId id) {
  static constexpr std::string_view names[] = {
#define PUPC_RUBY_METHOD(ident, text) text,
#include "compiler/ruby/interpreter/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  return id == MethodId::unknown ? "" : names[static_cast<size_t>(id)];
}

RubyValue Interpreter::call_method(const MethodCall& c) {
  if (c.self.is(RubyKind::Instance)) return instance_method(c);
  if (c.self.is(RubyKind::Foreign))
    if (const NativeObject* context = as_native_object(*c.self.foreign)) {
      RubyValue out;
      return c.method != MethodId::unknown && object_method(c, out) ? out : context_method(*context, c);
    }
  if (c.method == MethodId::unknown && !(c.self.is(RubyKind::Class) && knows_by_name(c.self.class_))) unknown(c);
  RubyValue out;
  if (object_method(c, out)) return out;
  switch (c.self.kind) {
  case RubyKind::Nil: return nil_method(c);
  case RubyKind::True:
  case RubyKind::False:
    if (c.args.size() == 1 && c.method == MethodId::And) return RubyValue::boolean(c.self.truthy() && c.args[0].truthy());
    if (c.args.size() == 1 && c.method == MethodId::Or) return RubyValue::boolean(c.self.truthy() || c.args[0].truthy());
    if (c.args.size() == 1 && c.method == MethodId::Xor) return RubyValue::boolean(c.self.truthy() != c.args[0].truthy());
    unknown(c);
  case RubyKind::Integer:
  case RubyKind::Float: return number_method(c);
  case RubyKind::Symbol: return symbol_method(c);
  case RubyKind::String: return string_method(c);
  case RubyKind::Array: return array_method(c);
  case RubyKind::Hash: return hash_method(c);
  case RubyKind::Range: return range_method(c);
  case RubyKind::Regexp: return regexp_method(c);
  case RubyKind::Match: return match_method(c);
  case RubyKind::Proc: return proc_method(c);
  case RubyKind::Class: return class_method(c);
  case RubyKind::Scope: return scope_method(c);
  case RubyKind::Enumerator: return enumerator_method(c);
  case RubyKind::Foreign: return foreign_method(c);
  case RubyKind::Exception: return exception_method(c);
  case RubyKind::Address: return address_method(c);
  case RubyKind::Instance: return instance_method(c);
  }
  unknown(c);
}

/// Tries the methods that every object has. False: look among the methods of the receiver's kind.
bool Interpreter::object_method(const MethodCall& c, RubyValue& out) {
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  size_t n = c.args.size();
  switch (c.method) {
  case MethodId::m_nil_p:
    if (n != 0) unknown(c);
    return answer(c.self.is_nil());
  case MethodId::Not: return answer(!c.self.truthy());
  case MethodId::Eq:
    if (n != 1) unknown(c);
    return answer(equals(c.self, c.args[0]));
  case MethodId::NotEq:
    if (n != 1) unknown(c);
    return answer(!equals(c.self, c.args[0]));
  case MethodId::CaseEq:
    if (n != 1) unknown(c);
    return answer(case_equals(c.self, c.args[0], c.line));
  case MethodId::m_eql_p:
    if (n != 1) unknown(c);
    return answer(ruby_eql(c.self, c.args[0]));
  case MethodId::m_is_a_p:
  case MethodId::m_kind_of_p:
  case MethodId::m_instance_of_p: {
    if (n != 1 || !c.args[0].is(RubyKind::Class)) unknown(c);
    RubyClass own = class_of(c.self);
    RubyClass wanted = c.args[0].class_;
    if (c.method != MethodId::m_instance_of_p && of_numeric_object(c.self, wanted)) return answer(true);
    if (own == RubyClass::Other && (wanted == RubyClass::Comparable || wanted == RubyClass::Enumerable || wanted == RubyClass::Object))
      unknown(c);
    return answer(c.method == MethodId::m_instance_of_p ? own == wanted : descends(own, wanted));
  }
  case MethodId::m_class:
    if (n != 0 || class_of(c.self) == RubyClass::Other) unknown(c);
    out = RubyValue::of(class_of(c.self));
    return true;
  case MethodId::m_respond_to_p:
    if (n != 1 || (!c.args[0].is_symbol() && !c.args[0].is_string())) unknown(c);
    return answer(responds_to(c.self, c.args[0].text(), c.line));
  case MethodId::m_to_s:
    if (n != 0) return false; // Integer#to_s(2)
    out = c.self.is_string() ? c.self : str(to_s(c.self, c.line));
    return true;
  case MethodId::m_inspect:
    if (n != 0) unknown(c);
    out = str(inspect(c.self, c.line));
    return true;
  case MethodId::m_freeze:
    need(c, 0);
    if (c.self.is_string()) c.self.s->frozen = true;
    if (c.self.is_array()) c.self.a->frozen = true;
    if (c.self.is_hash()) c.self.h->frozen = true;
    out = c.self;
    return true;
  case MethodId::m_frozen_p:
    need(c, 0);
    if (c.self.is_string()) return answer(c.self.s->frozen);
    if (c.self.is_array()) return answer(c.self.a->frozen);
    if (c.self.is_hash()) return answer(c.self.h->frozen);
    if (c.self.kind <= RubyKind::Symbol) return answer(true);
    unknown(c);
  case MethodId::m_dup:
  case MethodId::m_clone:
    if (n != 0) unknown(c);
    if (c.self.is_string())
      out = str(c.self.s->text);
    else if (c.self.is_array())
      out = list(c.self.a->items);
    else if (c.self.is_hash()) {
      out = heap_.hash();
      *out.h = *c.self.h;
      out.h->frozen = false;
    } else if (c.self.kind <= RubyKind::Symbol)
      out = c.self;
    else
      unknown(c);
    if (c.method == MethodId::m_clone && c.self.is_string()) out.s->frozen = c.self.s->frozen;
    if (c.method == MethodId::m_clone && c.self.is_array()) out.a->frozen = c.self.a->frozen;
    if (c.method == MethodId::m_clone && c.self.is_hash()) out.h->frozen = c.self.h->frozen;
    return true;
  case MethodId::m_itself:
    need(c, 0);
    out = c.self;
    return true;
  case MethodId::m_tap:
    yield(c, c.self);
    out = c.self;
    return true;
  case MethodId::m_to_yaml:
  case MethodId::m_to_json:
    if (n == 1 && c.method == MethodId::m_to_yaml && c.args[0].is_hash() && // options are symbols
        std::none_of(c.args[0].h->entries().begin(), c.args[0].h->entries().end(), [](const auto& e) { return e.first.is_symbol(); }))
      n = 0;
    if (n != 0 || class_of(c.self) == RubyClass::Other || c.self.kind >= RubyKind::Range) unknown(c);
    out = document(c, c.self);
    return true;
  case MethodId::m_yield_self:
  case MethodId::m_then: out = yield(c, c.self); return true;
  case MethodId::m_equal_p:
    if (n != 1) unknown(c);
    if (c.self.kind != c.args[0].kind) return answer(false);
    if (c.self.kind <= RubyKind::Symbol) return answer(ruby_eql(c.self, c.args[0]));
    if (c.self.kind == RubyKind::Foreign) { // only objects that Ruby made keep their identity on the way through pupc
      if (!c.self.foreign->is(Kind::Object) || !c.args[0].foreign->is(Kind::Object)) unknown(c);
      return answer(c.self.foreign->opaque == c.args[0].foreign->opaque);
    }
    return answer(c.self.s == c.args[0].s);
  case MethodId::NotMatchOp: {
    RubyValue found = send(c.self, MethodId::MatchOp, {c.args[0]}, c.line);
    return answer(!found.truthy());
  }
  case MethodId::Cmp: {
    if (n != 1) unknown(c);
    int order = 0;
    if (!comparable(c.self, c.args[0], order)) {
      if (c.self.is_array() || class_of(c.self) == RubyClass::Other) unknown(c);
      out = RubyValue();
    } else {
      out = RubyValue::integer(order);
    }
    return true;
  }
  default: return false;
  }
}

bool Interpreter::case_equals(const RubyValue& pattern_value, const RubyValue& v, uint32_t line) {
  switch (pattern_value.kind) {
  case RubyKind::Class: {
    RubyClass own = class_of(v);
    RubyClass wanted = pattern_value.class_;
    if (own == RubyClass::Other && !of_numeric_object(v, wanted) && (wanted == RubyClass::Comparable || wanted == RubyClass::Enumerable))
      not_rendered(line, "the class of this object");
    return of_numeric_object(v, wanted) || descends(own, wanted);
  }
  case RubyKind::Regexp:
    if (v.is_string() || v.is_symbol()) return matched(pattern_value.regex, v.text(), 0).truthy();
    last_match_ = {};
    return false;
  case RubyKind::Range: {
    int order = 0;
    const RubyRange& r = *pattern_value.r;
    if (!r.first.is_nil() && (!comparable(r.first, v, order) || order > 0)) return false;
    if (!r.last.is_nil() && (!comparable(v, r.last, order) || order > 0 || (order == 0 && r.exclusive))) return false;
    return true;
  }
  case RubyKind::Proc: not_rendered(line, "a Proc in a case");
  default: return equals(pattern_value, v);
  }
}

/// Ruby's <=>: sets `order`; false where Ruby returns nil.
bool Interpreter::comparable(const RubyValue& a, const RubyValue& b, int& order) {
  auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_integer() && b.is_integer()) {
    order = sign(a.i, b.i);
    return true;
  }
  if (a.is_number() && b.is_number()) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return false;
    order = sign(a.number(), b.number());
    return true;
  }
  if (a.kind != b.kind) return false;
  if (a.is_string() || a.is_symbol()) {
    order = sign(a.text().compare(b.text()), 0);
    return true;
  }
  if (a.is_array()) {
    size_t n = std::min(a.a->items.size(), b.a->items.size());
    for (size_t i = 0; i < n; ++i) {
      if (!comparable(a.a->items[i], b.a->items[i], order)) return false;
      if (order != 0) return true;
    }
    order = sign(a.a->items.size(), b.a->items.size());
    return true;
  }
  if (a.is(RubyKind::Class) || a.is(RubyKind::Foreign)) return false;
  if (equals(a, b)) {
    order = 0;
    return true;
  }
  return false;
}

int Interpreter::compare(const RubyValue& a, const RubyValue& b, uint32_t line) {
  int order = 0;
  if (!comparable(a, b, order)) not_comparable(a, b, line);
  return order;
}

// ---------------------------------------------------------------------------------------------------------------------
// text forms

std::string Interpreter::to_s(const RubyValue& v, uint32_t line) {
  switch (v.kind) {
  case RubyKind::Nil: return "";
  case RubyKind::True: return "true";
  case RubyKind::False: return "false";
  case RubyKind::Integer: return std::to_string(v.i);
  case RubyKind::Float: return format_float(v.d);
  case RubyKind::Symbol:
  case RubyKind::String: return v.s->text;
  case RubyKind::Regexp: return regexp_to_s(*v.regex);
  case RubyKind::Range: return to_s(v.r->first, line) + (v.r->exclusive ? "..." : "..") + to_s(v.r->last, line);
  case RubyKind::Match: {
    auto all = v.match->result.groups[0];
    return v.match->text.substr(static_cast<size_t>(all.begin), static_cast<size_t>(all.end - all.begin));
  }
  case RubyKind::Class: return std::string(class_name(v.class_));
  case RubyKind::Scope: return host_.scope_text();
  case RubyKind::Foreign:
    switch (v.foreign->kind) {
    case Kind::Sensitive: return "Sensitive [value redacted]";
    case Kind::Type:
    case Kind::SemVer:
    case Kind::Timestamp:
    case Kind::Timespan:
    case Kind::Binary:
    case Kind::Uri: return host_.text_of(*v.foreign);
    default: not_rendered(line, "an object as text");
    }
  case RubyKind::Array:
  case RubyKind::Hash: return inspect(v, line);
  case RubyKind::Exception: return v.exception->message;
  case RubyKind::Address: return address_text(v);
  case RubyKind::Instance:
  case RubyKind::Proc:
  case RubyKind::Enumerator: break;
  }
  not_rendered(line, "an object as text");
}

std::string Interpreter::inspect(const RubyValue& v, uint32_t line) {
  switch (v.kind) {
  case RubyKind::Nil: return "nil";
  case RubyKind::Address: return inspect_address(v);
  case RubyKind::Symbol: return inspect_symbol(v.s->text);
  case RubyKind::String: return inspected(v.s->text);
  case RubyKind::Regexp: return inspect_regexp(*v.regex);
  case RubyKind::Range: {
    std::string first = v.r->first.is_nil() ? "" : inspect(v.r->first, line);
    return first + (v.r->exclusive ? "..." : "..") + (v.r->last.is_nil() ? "" : inspect(v.r->last, line));
  }
  case RubyKind::Array: {
    if (native_stack_low()) not_rendered(line, "nesting that is too deep");
    std::string out = "[";
    for (const RubyValue& item : v.a->items) {
      if (out.size() > 1) out += ", ";
      out += inspect(item, line);
    }
    return out + "]";
  }
  case RubyKind::Hash: {
    if (native_stack_low()) not_rendered(line, "nesting that is too deep");
    std::string out = "{";
    for (const auto& [key, value] : v.h->entries()) {
      if (out.size() > 1) out += ", ";
      out += inspect(key, line) + "=>" + inspect(value, line);
    }
    return out + "}";
  }
  case RubyKind::Match: {
    const RubyMatch& m = *v.match;
    std::string out = "#<MatchData " + inspect(group_text(m, 0), line);
    for (size_t i = 1; i < m.result.groups.size(); ++i) {
      std::string name = std::to_string(i);
      for (const auto& [known, number] : m.regex->names())
        if (static_cast<size_t>(number) == i) name = known;
      out += fmt::format(" {}:{}", name, inspect(group_text(m, i), line));
    }
    return out + ">";
  }
  case RubyKind::Foreign:
    if (v.foreign->is(Kind::Sensitive)) return "#<Sensitive [value redacted]>";
    break;
  case RubyKind::True:
  case RubyKind::False:
  case RubyKind::Integer:
  case RubyKind::Float:
  case RubyKind::Class: return to_s(v, line);
  default: break;
  }
  not_rendered(line, "inspect of an object");
}

// ---------------------------------------------------------------------------------------------------------------------
// functions: calls without a receiver

RubyValue Interpreter::to_integer(const RubyValue& v, uint32_t line) {
  if (v.is_integer()) return v;
  if (v.is(RubyKind::Float) && std::isfinite(v.d) && std::fabs(v.d) < 9e18) return RubyValue::integer(static_cast<int64_t>(v.d));
  if (!v.is_string()) wrong_type({v, MethodId::k_Integer, "Integer", {}, nullptr, line, false, true}, v, "can't convert {} into Integer");
  std::string_view s = v.s->text;
  auto invalid = [&]() -> RubyValue {
    throw RubyError{line, fmt::format("invalid value for Integer(): {}", inspected(v.s->text)), RubyClass::ArgumentError};
  };
  auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  int base = 10;
  if (s.size() > 1 && s[0] == '0') {
    char kind = static_cast<char>(s[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : kind == 'o' ? 8 : kind == 'd' ? 10 : 8;
    s.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' || kind == 'd' ? 2 : 1);
    if (s.starts_with('_') && !(kind == 'x' || kind == 'b' || kind == 'o' || kind == 'd')) s.remove_prefix(1);
  }
  std::string digits;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '_') {
      if (i == 0 || i + 1 == s.size() || s[i + 1] == '_') return invalid();
      continue;
    }
    digits += s[i];
  }
  int64_t n = 0;
  auto r = std::from_chars(digits.data(), digits.data() + digits.size(), n, base);
  if (r.ec == std::errc::result_out_of_range) not_rendered(line, "an integer of more than 64 bits");
  if (r.ec != std::errc() || r.ptr != digits.data() + digits.size() || digits.starts_with('-')) return invalid();
  return RubyValue::integer(negative ? -n : n);
}

RubyValue Interpreter::kernel_function(const MethodCall& c) {
  if (!methods_.empty())
    if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(own->second, c);
  if (program_->self == Self::Function) {
    if (c.method == MethodId::m_closure_scope || c.method == MethodId::m_call_function) return instance_method(c);
  } else if (program_->self == Self::Scope) {
    if (c.method == MethodId::m_lookupvar || c.method == MethodId::m_call_function || c.method == MethodId::m_function ||
        c.method == MethodId::m_setvar || c.method == MethodId::m_to_hash)
      return scope_method(MethodCall{RubyValue::scope(), c.method, c.name, c.args, c.block, c.line});
  }
  switch (c.method) {
  case MethodId::m_instance_variables: {
    need(c, 0);
    if (program_->self != Self::Template) unknown(c);
    std::vector<RubyValue> names{heap_.symbol("@__scope__")};
    if (!path_.empty()) names.push_back(heap_.symbol("@__file__"));
    Value all = host_.all_variables();
    for (const HashEntry& entry : all.hash->entries()) names.push_back(heap_.symbol(fmt::format("@{}", entry.key.str())));
    for (size_t i = 0; i < own_visible_; ++i)
      if (!own_variables_[i].second.is_nil()) names.push_back(heap_.symbol("@" + own_variables_[i].first));
    return list(std::move(names));
  }
  case MethodId::m_gettext:
    if (program_->self == Self::Template) unknown(c);
    need(c, 1);
    return c.args[0];
  case MethodId::m_lambda:
    need(c, 0);
    if (c.block == nullptr || c.block->node == nullptr) unknown(c);
    return make_lambda(*c.block->node);
  case MethodId::m_proc:
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    return RubyValue::of(const_cast<RubyProc*>(c.block));
  case MethodId::m_block_given_p: need(c, 0); return RubyValue::boolean(method_ != nullptr && method_->block != nullptr);
  case MethodId::m_scope: need(c, 0); return RubyValue::scope();
  case MethodId::m_file: need(c, 0); return path_.empty() ? RubyValue() : str(std::string(path_));
  case MethodId::m_has_variable_p: need(c, 1); return RubyValue::boolean(scope_includes(to_s(c.args[0], c.line)));
  case MethodId::k_Array: {
    need(c, 1);
    if (c.args[0].is_array()) return c.args[0];
    if (c.args[0].is_nil()) return list({});
    if (c.args[0].is(RubyKind::Foreign)) unknown(c);
    if (c.args[0].is_hash() || c.args[0].is(RubyKind::Range)) {
      std::vector<RubyValue> items;
      items_of(c.args[0], items, c.line);
      return list(std::move(items));
    }
    if (c.args[0].is(RubyKind::Enumerator) || c.args[0].is(RubyKind::Match) || c.args[0].is(RubyKind::Scope)) unknown(c);
    return list({c.args[0]});
  }
  case MethodId::k_String: need(c, 1); return c.args[0].is_string() ? c.args[0] : str(to_s(c.args[0], c.line));
  case MethodId::k_Integer: need(c, 1); return to_integer(c.args[0], c.line);
  case MethodId::k_Float: {
    need(c, 1);
    if (c.args[0].is_number()) return RubyValue::floating(c.args[0].number());
    if (!c.args[0].is_string()) wrong_type(c, c.args[0], "can't convert {} into Float");
    std::string text(string_argument(c, 0));
    double d = 0;
    auto r = std::from_chars(text.data(), text.data() + text.size(), d);
    size_t digits = text.starts_with('-') ? 1 : 0;
    bool plain = digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && text.back() >= '0' && text.back() <= '9' &&
                 text.find(".e") == std::string::npos && text.find('x') == std::string::npos;
    if (!plain || r.ec != std::errc() || r.ptr != text.data() + text.size()) unknown(c);
    return RubyValue::floating(d);
  }
  case MethodId::k_Hash:
    need(c, 1);
    if (c.args[0].is_hash()) return c.args[0];
    if (c.args[0].is_nil() || (c.args[0].is_array() && c.args[0].a->items.empty())) return heap_.hash();
    unknown(c);
  case MethodId::m_fail:
  case MethodId::m_raise: raise(c);
  case MethodId::m_require: need(c, 1); return RubyValue::boolean(false); // the checker only lets libraries through that do not matter
  case MethodId::m_format:
  case MethodId::m_sprintf:
    if (c.args.empty()) unknown(c);
    return str(format(c, string_argument(c, 0), c.args.subspan(1)));
  case MethodId::m_rand: {
    need(c, 1);
    if (!c.args[0].is_integer() || c.args[0].i <= 0) unknown(c);
    std::random_device source;
    return RubyValue::integer(std::uniform_int_distribution<int64_t>(0, c.args[0].i - 1)(source));
  }
  case MethodId::m_loop:
    need(c, 0);
    for (;;) yield(c, std::span<const RubyValue>());
  default:
    if (c.method == MethodId::unknown && running_ != nullptr)
      not_rendered(c.line, fmt::format("{} '{}'", running_->parenthesised ? "function" : "name", c.name));
    unknown(c);
  }
}

/// raise: a message, a class, an exception, or a class and a message.
void Interpreter::raise(const MethodCall& c) {
  need(c, 1, 2);
  const RubyValue& what = c.args[0];
  if (what.is_string() && c.args.size() == 1) throw RubyError{c.line, what.s->text, RubyClass::RuntimeError};
  if (what.is(RubyKind::Exception) && c.args.size() == 1) throw RubyError{c.line, what.exception->message, what.exception->class_};
  if (!what.is(RubyKind::Class) || !is_exception(what.class_)) unknown(c);
  if (c.args.size() == 1) throw RubyError{c.line, std::string(class_name(what.class_)), what.class_};
  throw RubyError{c.line, std::string(string_argument(c, 1)), what.class_};
}

RubyValue Interpreter::exception_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_message: need(c, 0); return str(c.self.exception->message);
  default: unknown(c);
  }
}

/// Calls a method on a function of the 4.x API: one that the file defines, or one of Puppet's base class for functions.
RubyValue Interpreter::instance_method(const MethodCall& c) {
  if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(own->second, c);
  switch (c.method) {
  case MethodId::m_closure_scope:
    need(c, 0);
    if (given_scope_) not_rendered(c.line, "two scopes");
    return RubyValue::scope();
  case MethodId::m_call_function:
    if (c.args.empty() || c.block != nullptr) unknown(c);
    return call_function(c.args[0].is_symbol() ? c.args[0].text() : string_argument(c, 0), c.args.subspan(1), false, c.line);
  default: unknown(c);
  }
}

RubyValue Interpreter::nil_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_to_a: need(c, 0); return list({});
  case MethodId::m_to_h: need(c, 0); return heap_.hash();
  case MethodId::m_to_i: need(c, 0); return RubyValue::integer(0);
  case MethodId::m_to_f: need(c, 0); return RubyValue::floating(0);
  case MethodId::And: return RubyValue::boolean(false);
  case MethodId::Or: need(c, 1); return RubyValue::boolean(c.args[0].truthy());
  case MethodId::MatchOp: return {};
  default: unknown(c);
  }
}

RubyValue Interpreter::proc_method(const MethodCall& c) {
  if (c.method == MethodId::m_call || c.method == MethodId::Index) return call_proc(*c.self.proc, c.args, c.line, c.keywords);
  unknown(c);
}

RubyValue Interpreter::foreign_method(const MethodCall& c) {
  if (c.method == MethodId::m_unwrap && c.args.empty() && c.self.foreign->is(Kind::Sensitive)) return from_puppet(c.self.foreign->unwrap());
  unknown(c);
}

bool Interpreter::responds_to(const RubyValue& v, std::string_view name, uint32_t line) {
  const KnownMethod known = known_method(class_of(v), name);
  if (known.presence == Presence::Unsure) not_rendered(line, fmt::format("respond_to?(:{})", name));
  return known.presence == Presence::Public;
}

} // namespace pupc::compiler::ruby
