// Dispatch of calls, methods that every object has, functions, the scope, classes.
#include "compiler/ruby_interpreter/interpreter.h"
#include "compiler/ruby_interpreter/known_methods.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace pupc::ruby {

MethodId find_method(std::string_view name) {
  static const std::unordered_map<std::string_view, MethodId> table{
#define PUPC_RUBY_METHOD(id, text) {text, MethodId::id},
#include "compiler/ruby_interpreter/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  auto it = table.find(name);
  return it == table.end() ? MethodId::unknown : it->second;
}

void Interpreter::unknown(const MethodCall& c) {
  if (c.method == MethodId::unknown) not_rendered(c.line, fmt::format("method '{}'", c.name));
  RubyClass k = class_of(c.self);
  std::string_view of = c.self.is_nil() ? "nil" : k == RubyClass::Other ? "this object" : class_name(k);
  not_rendered(c.line, fmt::format("method '{}' of {}{}{}", c.name, of, c.args.empty() ? "" : " with these arguments",
                                   c.block != nullptr ? " and a block" : ""));
}

void Interpreter::need(const MethodCall& c, size_t least, size_t most) {
  if (c.args.size() < least || c.args.size() > most) unknown(c);
}

int64_t Interpreter::integer_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size()) unknown(c);
  if (c.args[i].is(RubyKind::Float) && std::fabs(c.args[i].d) < 1e15) return static_cast<int64_t>(c.args[i].d);
  if (!c.args[i].is_integer()) unknown(c);
  return c.args[i].i;
}

std::string_view Interpreter::string_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size() || !c.args[i].is_string()) unknown(c);
  return c.args[i].s->text;
}

void Interpreter::check_changeable(const MethodCall& c) {
  bool frozen = c.self.is_string() ? c.self.s->frozen : c.self.is_array() ? c.self.a->frozen : c.self.is_hash() && c.self.h->frozen;
  if (frozen) not_rendered(c.line, fmt::format("method '{}' of something frozen", c.name));
  changed_ = true;
}

RubyValue Interpreter::send(const RubyValue& self, MethodId method, std::initializer_list<RubyValue> args, uint32_t line,
                            const RubyProc* block) {
  return call_method({self, method, method_name(method), std::span<const RubyValue>(args.begin(), args.size()), block, line});
}

std::string_view method_name(MethodId id) {
  static constexpr std::string_view names[] = {
#define PUPC_RUBY_METHOD(ident, text) text,
#include "compiler/ruby_interpreter/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  return id == MethodId::unknown ? "" : names[static_cast<size_t>(id)];
}

RubyValue Interpreter::call_method(const MethodCall& c) {
  if (c.self.is(RubyKind::Instance)) return instance_method(c);
  if (c.method == MethodId::unknown) unknown(c);
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

/// Methods of every object. False: look among the receiver's own.
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
    if (c.self.is_string()) c.self.s->frozen = true;
    if (c.self.is_array()) c.self.a->frozen = true;
    if (c.self.is_hash()) c.self.h->frozen = true;
    out = c.self;
    return true;
  case MethodId::m_frozen_p:
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
    return true;
  case MethodId::m_itself: out = c.self; return true;
  case MethodId::m_tap:
    yield(c, c.self);
    out = c.self;
    return true;
  case MethodId::m_to_yaml:
  case MethodId::m_to_json:
    if (n != 0 || class_of(c.self) == RubyClass::Other || c.self.kind >= RubyKind::Range) unknown(c);
    out = document(c, c.self);
    return true;
  case MethodId::m_yield_self:
  case MethodId::m_then: out = yield(c, c.self); return true;
  case MethodId::m_equal_p:
    if (n != 1) unknown(c);
    if (c.self.kind != c.args[0].kind) return answer(false);
    if (c.self.kind <= RubyKind::Symbol) return answer(ruby_eql(c.self, c.args[0]));
    if (c.self.kind == RubyKind::Foreign) { // an object of Ruby's own is the same one wherever it travels; of others it is not known
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
    if (own == RubyClass::Other && (wanted == RubyClass::Comparable || wanted == RubyClass::Enumerable))
      not_rendered(line, "the class of this object");
    return descends(own, wanted);
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

/// Ruby's <=>: false when it gives nil.
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
  if (!comparable(a, b, order)) not_rendered(line, "a comparison of values that have no order");
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
  case RubyKind::Address: return address_text(v, line);
  case RubyKind::Instance:
  case RubyKind::Proc:
  case RubyKind::Enumerator: break;
  }
  not_rendered(line, "an object as text");
}

std::string Interpreter::inspect(const RubyValue& v, uint32_t line) {
  switch (v.kind) {
  case RubyKind::Nil: return "nil";
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
    for (const auto& [key, value] : v.h->entries) {
      if (out.size() > 1) out += ", ";
      out += inspect(key, line) + "=>" + inspect(value, line);
    }
    return out + "}";
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
  if (!v.is_string()) not_rendered(line, "Integer() of this value");
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
    if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(*own->second, c);
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
  case MethodId::m_require: need(c, 1); return RubyValue::boolean(false); // the checker has seen that it makes no difference
  case MethodId::m_format:
  case MethodId::m_sprintf:
    if (c.args.empty()) unknown(c);
    return str(format(c, string_argument(c, 0), c.args.subspan(1)));
  case MethodId::m_loop:
    need(c, 0);
    for (;;) yield(c, std::span<const RubyValue>());
  default: unknown(c);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// the scope

RubyValue Interpreter::scope_variable(std::string_view name, uint32_t line) {
  for (const auto& [own, value] : own_variables_)
    if (own == name) return value;
  Value v;
  if (host_.lookup_variable(name, v)) {
    RubyValue found = from_puppet(v);
    if (v.is_list() || v.is_hash()) read_.emplace_back(std::string(name), found);
    return found;
  }
  bool numeric = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  if (numeric) return {};
  RubyHost::Unknown unknown_name = host_.unknown_variable(name);
  if (unknown_name.needs_ruby) not_rendered(line, fmt::format("the unknown variable '{}'", name));
  if (!unknown_name.error.empty()) throw RubyError{line, std::move(unknown_name.error)};
  return {};
}

bool Interpreter::scope_includes(std::string_view name) {
  for (const auto& [own, value] : own_variables_)
    if (own == name) return !value.is_nil();
  Value v;
  return host_.lookup_variable(name, v) && !v.is_undef();
}

RubyValue Interpreter::scope_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::Index:
  case MethodId::m_lookupvar: need(c, 1); return scope_variable(string_argument(c, 0), c.line);
  case MethodId::m_include_p: need(c, 1); return RubyValue::boolean(scope_includes(string_argument(c, 0)));
  case MethodId::IndexSet:
  case MethodId::m_setvar: return set_variable(c);
  case MethodId::m_to_hash: need(c, 0); return all_variables();
  case MethodId::m_call_function: {
    need(c, 2);
    std::vector<RubyValue> args;
    if (c.args[1].is_array())
      args = c.args[1].a->items;
    else if (c.args[1].is_hash()) // as *hash: its pairs
      items_of(c.args[1], args, c.line);
    else if (c.args[1].is(RubyKind::Range) || c.args[1].is(RubyKind::Foreign))
      unknown(c);
    else if (!c.args[1].is_nil())
      args = {c.args[1]};
    return call_function(string_argument(c, 0), args, false, c.line);
  }
  case MethodId::m_function: // function_NAME
    need(c, 1);
    if (!c.args[0].is_array()) unknown(c);
    return call_function(c.name.substr(sizeof("function_") - 1), c.args[0].a->items, true, c.line);
  default: unknown(c);
  }
}

/// scope.setvar: what is set keeps its identity for the code of the same call: templates pass each other hashes that way.
RubyValue Interpreter::set_variable(const MethodCall& c) {
  need(c, 2);
  std::string name(string_argument(c, 0));
  bool simple = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  for (const auto& [own, value] : own_variables_) simple &= own != name;
  if (!simple || !host_.can_set_variable(name)) not_rendered(c.line, "scope.setvar of this variable");
  pending_variables_.emplace_back(name, to_puppet(c.args[1], c.line));
  own_variables_.emplace_back(std::move(name), c.args[1]);
  return c.args[1];
}

RubyValue Interpreter::all_variables() {
  RubyValue hash = heap_.hash();
  for (const HashEntry& entry : host_.all_variables().hash->entries()) {
    RubyValue value = from_puppet(entry.value);
    if (entry.value.is_list() || entry.value.is_hash()) read_.emplace_back(std::string(entry.key.str()), value);
    RubyValue key = str(std::string(entry.key.str()));
    key.s->frozen = true;
    hash.h->set(key, value);
  }
  for (const auto& [name, value] : own_variables_) hash.h->set(str(name), value);
  return hash;
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

/// A method of a function of the 4.x API: its own, or of Puppet's class.
RubyValue Interpreter::instance_method(const MethodCall& c) {
  if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(*own->second, c);
  switch (c.method) {
  case MethodId::m_closure_scope: need(c, 0); return RubyValue::scope();
  case MethodId::m_call_function:
    if (c.args.empty() || c.block != nullptr) unknown(c);
    return call_function(string_argument(c, 0), c.args.subspan(1), false, c.line);
  default: unknown(c);
  }
}

std::string Interpreter::address_text(const RubyValue& v, uint32_t line) {
  const IpAddress& a = v.address->value;
  if (a.family != 4) not_rendered(line, "an address of IPv6 as text");
  return fmt::format("{}.{}.{}.{}", a.bytes[0], a.bytes[1], a.bytes[2], a.bytes[3]);
}

RubyValue Interpreter::address_method(const MethodCall& c) {
  const IpAddress& a = c.self.address->value;
  switch (c.method) {
  case MethodId::m_include_p: {
    need(c, 1);
    if (!c.args[0].is(RubyKind::Address)) unknown(c);
    return RubyValue::boolean(a.includes(c.args[0].address->value));
  }
  case MethodId::m_ipv4_p: need(c, 0); return RubyValue::boolean(a.family == 4);
  case MethodId::m_ipv6_p: need(c, 0); return RubyValue::boolean(a.family == 6);
  case MethodId::m_prefix: need(c, 0); return RubyValue::integer(a.prefix);
  case MethodId::m_to_i: {
    need(c, 0);
    if (a.family != 4) unknown(c);
    return RubyValue::integer(int64_t{a.bytes[0]} << 24 | int64_t{a.bytes[1]} << 16 | int64_t{a.bytes[2]} << 8 | a.bytes[3]);
  }
  default: unknown(c);
  }
}

/// Puppet.warning, JSON.generate, Shellwords.escape.
RubyValue Interpreter::module_method(const MethodCall& c) {
  if (c.self.class_ == RubyClass::Puppet) {
    std::optional<LogLevel> level = find_log_level(c.name);
    if (!level) unknown(c);
    need(c, 1);
    logs_.push_back({*level, to_s(c.args[0], c.line), true});
    return {};
  }
  if (c.self.class_ == RubyClass::Json && (c.method == MethodId::m_generate || c.method == MethodId::m_pretty_generate)) {
    need(c, 1);
    return document(c, c.args[0]);
  }
  if (c.self.class_ == RubyClass::Shellwords && (c.method == MethodId::m_escape || c.method == MethodId::m_shellescape)) {
    need(c, 1);
    std::string out;
    const std::string text = to_s(c.args[0], c.line);
    for (std::string_view ch : characters_of(text)) {
      bool plain = ch.size() == 1 && ((ch[0] >= 'a' && ch[0] <= 'z') || (ch[0] >= 'A' && ch[0] <= 'Z') || (ch[0] >= '0' && ch[0] <= '9') ||
                                      std::string_view("_-.,:+/@").find(ch[0]) != std::string_view::npos);
      if (ch == "\n") {
        out += "'\n'";
        continue;
      }
      if (!plain) out += '\\';
      out += ch;
    }
    return str(out.empty() ? "''" : out);
  }
  unknown(c);
}

/// A value as YAML or JSON.
RubyValue Interpreter::document(const MethodCall& c, const RubyValue& v) {
  std::string_view format = c.method == MethodId::m_to_yaml           ? "to_yaml"
                            : c.method == MethodId::m_pretty_generate ? "to_json_pretty"
                                                                      : "to_json";
  if (format == "to_json_pretty" && !v.is_array() && !v.is_hash()) unknown(c);
  std::string text = host_.document(format, to_puppet(v, c.line));
  if (format == "to_json_pretty" && text.ends_with('\n')) text.pop_back(); // stdlib's function ends its text with one, JSON does not
  return str(std::move(text));
}

/// A template that another one renders: with the same objects, as both run in one Ruby.
RubyValue Interpreter::render_nested(const Program& program, std::string_view path) {
  struct Outer {
    Interpreter& i;
    const Program* program;
    std::string_view path;
    Environ* environ;
    const void* target;
    MethodFrame* method;
    RubyValue match;
    size_t own_visible;
    std::unordered_map<std::string, RubyValue> instance_variables;
    std::unordered_map<std::string_view, const Node*> methods;
    std::string out;
    ~Outer() {
      i.program_ = program;
      i.path_ = path;
      i.environ_ = environ;
      i.break_target_ = target;
      i.method_ = method;
      i.last_match_ = match;
      i.own_visible_ = own_visible;
      i.instance_variables_ = std::move(instance_variables);
      i.methods_ = std::move(methods);
      i.out_ = std::move(out);
      --i.depth_;
    }
  } outer{*this,
          program_,
          path_,
          environ_,
          break_target_,
          method_,
          last_match_,
          own_visible_,
          std::move(instance_variables_),
          std::move(methods_),
          std::move(out_)};
  ++depth_;
  own_visible_ = own_variables_.size();
  instance_variables_.clear();
  methods_.clear();
  out_.clear();
  program_ = &program;
  path_ = path;
  environ_ = make_environ(nullptr, program.slots);
  break_target_ = nullptr;
  method_ = nullptr;
  last_match_ = {};
  try {
    eval(program.body);
  } catch (const RubyError& error) {
    if (host_.has_ruby()) not_rendered(error.line, "an error in a template of a template"); // whose text tells of both
    throw;
  }
  return str(std::move(out_));
}

RubyValue Interpreter::call_function(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line) {
  if (name.starts_with("::")) name.remove_prefix(2);
  FunctionUse use = host_.functions().use_of(name, old_api);
  if (use == FunctionUse::No) not_rendered(line, fmt::format("the function {}", name));
  if (use == FunctionUse::Log) {
    if (old_api) not_rendered(line, fmt::format("method 'function_{}', which Puppet does not have any more", name));
    std::string text;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) text += ' ';
      text += to_s(args[i], line);
    }
    std::optional<LogLevel> level = find_log_level(name);
    if (!level) not_rendered(line, fmt::format("the function {}", name));
    logs_.push_back({*level, text});
    return str(std::move(text)); // what Puppet's old functions return; nobody uses it
  }
  if (name == "fail") {
    std::string text;
    for (size_t i = 0; i < args.size(); ++i) text += (i > 0 ? " " : "") + to_s(args[i], line);
    throw RubyError{line, std::move(text), RubyClass::ParseError};
  }
  if (name == "template" || name == "inline_template") {
    std::string all;
    for (const RubyValue& arg : args) {
      if (!arg.is_string()) not_rendered(line, fmt::format("{}() of something else than a string", name));
      RubyHost::TemplateFile file;
      if (name == "template") {
        file = host_.find_template(arg.s->text);
        if (file.path.empty()) throw RubyError{line, fmt::format("Could not find template '{}'", arg.s->text)};
        if (file.text == nullptr) not_rendered(line, fmt::format("the template {}, which cannot be read", file.path));
      }
      if (depth_ > 50) not_rendered(line, "templates that render each other without end");
      const Program* program = host_.parse_template(file.text ? std::string_view(*file.text) : std::string_view(arg.s->text));
      if (program == nullptr) not_rendered(line, fmt::format("the function {}", name));
      if (!program->problems.empty()) not_rendered(line, fmt::format("the template {}: {}", arg.s->text, program->problems[0]));
      all += render_nested(*program, host_.keep(std::move(file.path))).s->text;
    }
    return str(std::move(all));
  }
  if (old_api && !host_.in_old_api(name)) not_rendered(line, fmt::format("the function {}", name));
  std::vector<Value> values;
  for (const RubyValue& arg : args) values.push_back(to_puppet(arg, line));
  // Without Ruby the code cannot be run again: nothing is called twice.
  if (use == FunctionUse::Unknown && host_.has_ruby() && !host_.harmless(name, values))
    not_rendered(line, fmt::format("the function {}", name));
  try {
    return from_puppet(host_.call_function(name, values, old_api));
  } catch (CompileError& error) {
    if (program_->self == Self::Template && error.diagnostic.file.empty())
      error.diagnostic.line = line; // of the template, for the message around it
    throw;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// classes and the rest

RubyValue Interpreter::class_method(const MethodCall& c) {
  if (c.self.class_ == RubyClass::File) return file_method(c);
  if (c.self.class_ == RubyClass::Puppet || c.self.class_ == RubyClass::Json || c.self.class_ == RubyClass::Shellwords)
    return module_method(c);
  if (c.self.class_ == RubyClass::IpAddr && c.method == MethodId::m_new) {
    need(c, 1);
    std::optional<IpAddress> address = parse_ip_address(string_argument(c, 0));
    if (!address) unknown(c); // an error in IPAddr's words
    for (int bit = address->prefix; bit < (address->family == 4 ? 32 : 128); ++bit)
      address->bytes[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> (bit % 8)));
    return heap_.address(*address);
  }
  if (c.self.class_ >= RubyClass::Md5 && c.self.class_ <= RubyClass::Sha256) {
    if (c.method != MethodId::m_hexdigest) unknown(c);
    need(c, 1);
    Value text = Value::string(host_.arena().copy(string_argument(c, 0)));
    std::string_view name = c.self.class_ == RubyClass::Md5 ? "md5" : c.self.class_ == RubyClass::Sha1 ? "sha1" : "sha256";
    return from_puppet(host_.call_function(name, {&text, 1}, false));
  }
  if (is_exception(c.self.class_) && c.method == MethodId::m_new) {
    need(c, 0, 1);
    return heap_.exception(c.self.class_, c.args.empty() ? std::string(class_name(c.self.class_)) : std::string(string_argument(c, 0)));
  }
  switch (c.method) {
  case MethodId::m_name: need(c, 0); return str(std::string(class_name(c.self.class_)));
  case MethodId::m_new:
    if (c.self.class_ == RubyClass::Hash) {
      need(c, 0, 1);
      RubyValue hash = heap_.hash();
      if (c.block != nullptr) {
        if (!c.args.empty()) unknown(c);
        hash.h->fallback_proc = const_cast<RubyProc*>(c.block);
      } else if (!c.args.empty()) {
        hash.h->fallback = c.args[0];
      }
      return hash;
    }
    if (c.self.class_ == RubyClass::Array) {
      need(c, 0, 2);
      if (c.args.empty()) return list({});
      int64_t n = integer_argument(c, 0);
      if (n < 0 || n > 1'000'000) unknown(c);
      std::vector<RubyValue> items(static_cast<size_t>(n), c.args.size() > 1 ? c.args[1] : RubyValue());
      if (c.block != nullptr)
        for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = yield(c, RubyValue::integer(i));
      return list(std::move(items));
    }
    if (c.self.class_ == RubyClass::String) {
      need(c, 0, 1);
      return str(c.args.empty() ? std::string() : std::string(string_argument(c, 0)));
    }
    if (c.self.class_ == RubyClass::Regexp) {
      need(c, 1);
      return RubyValue::of(c.args[0].is(RubyKind::Regexp) ? c.args[0].regex : [&] {
        try {
          return host_.regexes().get(string_argument(c, 0));
        } catch (const RegexError& error) { not_rendered(c.line, fmt::format("a regular expression: {}", error.message)); }
      }());
    }
    unknown(c);
  case MethodId::m_escape:
  case MethodId::m_quote: {
    if (c.self.class_ != RubyClass::Regexp) unknown(c);
    need(c, 1);
    std::string out;
    for (char ch : string_argument(c, 0)) {
      switch (ch) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '\f': out += "\\f"; break;
      case '\v': out += "\\v"; break;
      default:
        if (std::string_view("[]{}()|-*.\\?+^$# ").find(ch) != std::string_view::npos) out += '\\';
        out += ch;
      }
    }
    return str(std::move(out));
  }
  case MethodId::Index: // Hash[…]
    if (c.self.class_ == RubyClass::Hash) {
      RubyValue hash = heap_.hash();
      auto set = [&](const RubyValue& key, const RubyValue& value) { send(hash, MethodId::IndexSet, {key, value}, c.line); };
      if (c.args.size() == 1 && c.args[0].is_hash()) {
        for (const auto& [key, value] : c.args[0].h->entries) hash.h->set(key, value);
      } else if (c.args.size() == 1 && c.args[0].is_array()) {
        for (const RubyValue& pair : c.args[0].a->items) {
          if (!pair.is_array() || pair.a->items.empty() || pair.a->items.size() > 2) unknown(c);
          set(pair.a->items[0], pair.a->items.size() > 1 ? pair.a->items[1] : RubyValue());
        }
      } else if (c.args.size() % 2 == 0) {
        for (size_t i = 0; i < c.args.size(); i += 2) set(c.args[i], c.args[i + 1]);
      } else {
        unknown(c);
      }
      return hash;
    }
    unknown(c);
  default: unknown(c);
  }
}

RubyValue Interpreter::file_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_join: {
    std::string out;
    bool first = true;
    auto add = [&](auto&& self, const RubyValue& v) -> void {
      if (v.is_array()) {
        for (const RubyValue& item : v.a->items) self(self, item);
        return;
      }
      if (!v.is_string()) unknown(c);
      std::string_view part = v.s->text;
      if (!first) {
        if (part.starts_with('/')) {
          while (out.ends_with('/')) out.pop_back();
        } else if (!out.ends_with('/')) {
          out += '/';
        }
      }
      out += part;
      first = false;
    };
    for (const RubyValue& arg : c.args) add(add, arg);
    return str(std::move(out));
  }
  case MethodId::m_basename: {
    need(c, 1, 2);
    std::string s(string_argument(c, 0));
    if (s.empty()) return str("");
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    if (s != "/") s = s.substr(s.rfind('/') + 1);
    if (c.args.size() == 2) {
      std::string_view suffix = string_argument(c, 1);
      if (suffix == ".*") {
        size_t dot = s.rfind('.');
        if (dot != std::string::npos && dot != 0) s.resize(dot);
      } else if (s.size() > suffix.size() && s.ends_with(suffix)) {
        s.resize(s.size() - suffix.size());
      }
    }
    return str(std::move(s));
  }
  case MethodId::m_dirname: {
    need(c, 1);
    std::string s(string_argument(c, 0));
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    size_t slash = s.rfind('/');
    if (slash == std::string::npos) return str(".");
    s.resize(slash);
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    return str(s.empty() ? "/" : s);
  }
  case MethodId::m_extname: {
    need(c, 1);
    std::string s(string_argument(c, 0));
    s = s.substr(s.rfind('/') + 1);
    size_t begin = s.find_first_not_of('.');
    size_t dot = s.rfind('.');
    if (begin == std::string::npos || dot == std::string::npos || dot < begin || dot + 1 == s.size()) {
      if (dot != std::string::npos && dot + 1 == s.size()) unknown(c);
      return str("");
    }
    return str(s.substr(dot));
  }
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
  bool answer = false;
  if (!known_response(class_of(v), name, answer)) not_rendered(line, fmt::format("respond_to?(:{})", name));
  return answer;
}

} // namespace pupc::ruby
