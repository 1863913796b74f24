// Functions: calls without a receiver, and methods of the function itself.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/value/inspect.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <random>

namespace pupc::compiler::ruby {

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
    std::vector<RubyValue> names{heap.symbol("@__scope__")};
    if (!path_.empty()) names.push_back(heap.symbol("@__file__"));
    Value all = host.all_variables();
    for (const HashEntry& entry : all.hash->entries()) names.push_back(heap.symbol(fmt::format("@{}", entry.key.str())));
    for (size_t i = 0; i < own_visible_; ++i)
      if (!own_variables_[i].second.is_nil()) names.push_back(heap.symbol("@" + own_variables_[i].first));
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
    if (c.args[0].is_nil() || (c.args[0].is_array() && c.args[0].a->items.empty())) return heap.hash();
    unknown(c);
  case MethodId::m_fail:
  case MethodId::m_raise: raise(c);
  case MethodId::m_require: need(c, 1); return RubyValue::boolean(false); // the checker only lets libraries through that do not matter
  case MethodId::m_format:
  case MethodId::m_sprintf:
    if (c.args.empty()) unknown(c);
    return str(format(*this, c, string_argument(c, 0), c.args.subspan(1)));
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
    if (RubyValue out; host_function(c, out)) return out;
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

RubyValue Interpreter::call_outside(const MethodCall& c) {
  if (c.self.is(RubyKind::Host)) return host_method(c);
  return c.self.is(RubyKind::Scope) ? scope_method(c) : instance_method(c);
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

} // namespace pupc::compiler::ruby
