// Methods of integers, floats and ranges; formats.
#include "compiler/ruby/core/methods.h"

#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pupc::compiler::ruby {

RubyValue number_method(Core& core, const MethodCall& c) {
  if (c.self.is(RubyKind::Big) || (c.args.size() == 1 && c.args[0].is(RubyKind::Big) && c.self.is_number())) return big_method(core, c);
  auto other = [&]() -> const RubyValue& {
    core.need(c, 1);
    if (c.args[0].is_number()) return c.args[0];
    if (c.method >= MethodId::Less && c.method <= MethodId::GreaterEq) core.not_comparable(c.self, c.args[0], c.line);
    core.not_coercible(c, c.args[0]);
  };
  bool real = c.self.is(RubyKind::Float) || (c.args.size() == 1 && c.args[0].is(RubyKind::Float));
  auto checked = [&](bool overflow, const int64_t& result) { // by reference: `overflow` sets it first
    return overflow ? big_method(core, c) : RubyValue::integer(result);
  };
  int64_t v = 0;
  switch (c.method) {
  case MethodId::Plus:
    if (other(); real) return RubyValue::floating(c.self.number() + other().number());
    return checked(__builtin_add_overflow(c.self.i, other().i, &v), v);
  case MethodId::Minus:
    if (other(); real) return RubyValue::floating(c.self.number() - other().number());
    return checked(__builtin_sub_overflow(c.self.i, other().i, &v), v);
  case MethodId::Times:
    if (other(); real) return RubyValue::floating(c.self.number() * other().number());
    return checked(__builtin_mul_overflow(c.self.i, other().i, &v), v);
  case MethodId::Divide:
  case MethodId::Percent:
  case MethodId::m_modulo:
  case MethodId::m_div: {
    bool modulo = c.method == MethodId::Percent || c.method == MethodId::m_modulo;
    if (other(); real) {
      if (c.method == MethodId::m_div) core.unknown(c);
      if (!modulo) return RubyValue::floating(c.self.number() / other().number());
      double x = c.self.number(), y = other().number();
      if (y == 0) core.unknown(c);
      double m = std::fmod(x, y);
      if (std::isinf(y) && !std::isinf(x)) m = x;
      if (y * m < 0) m += y;
      return RubyValue::floating(m);
    }
    int64_t x = c.self.i, y = other().i;
    if (y == 0) throw RubyError{c.line, "divided by 0", RubyClass::ZeroDivisionError};
    if (x == INT64_MIN && y == -1) return big_method(core, c);
    int64_t q = x / y;
    if ((x % y != 0) && ((x < 0) != (y < 0))) --q;
    return RubyValue::integer(modulo ? x - q * y : q);
  }
  case MethodId::Power: {
    if (other(); real) {
      double r = std::pow(c.self.number(), other().number());
      if (std::isnan(r)) core.unknown(c);
      return RubyValue::floating(r);
    }
    int64_t power = other().i;
    if (power < 0) core.unknown(c);
    int64_t result = 1;
    if (c.self.i == 0 || c.self.i == 1) return RubyValue::integer(power == 0 ? 1 : c.self.i);
    for (int64_t n = 0; n < power; ++n)
      if (__builtin_mul_overflow(result, c.self.i, &result)) return big_method(core, c);
    return RubyValue::integer(result);
  }
  case MethodId::Less:
    return RubyValue::boolean(c.self.is_integer() && other().is_integer() ? c.self.i < other().i : c.self.number() < other().number());
  case MethodId::LessEq:
    return RubyValue::boolean(c.self.is_integer() && other().is_integer() ? c.self.i <= other().i : c.self.number() <= other().number());
  case MethodId::Greater:
    return RubyValue::boolean(c.self.is_integer() && other().is_integer() ? c.self.i > other().i : c.self.number() > other().number());
  case MethodId::GreaterEq:
    return RubyValue::boolean(c.self.is_integer() && other().is_integer() ? c.self.i >= other().i : c.self.number() >= other().number());
  case MethodId::Negate:
    if (real) return RubyValue::floating(-c.self.d);
    return checked(__builtin_sub_overflow(int64_t(0), c.self.i, &v), v);
  case MethodId::UnaryPlus: return c.self;
  case MethodId::m_to_i:
    core.need(c, 0);
    if (!real) return c.self;
    if (!std::isfinite(c.self.d)) core.unknown(c);
    if (std::fabs(c.self.d) > 9e18) return integer_of_float(core, std::trunc(c.self.d));
    return RubyValue::integer(static_cast<int64_t>(c.self.d));
  case MethodId::m_to_f: core.need(c, 0); return RubyValue::floating(c.self.number());
  case MethodId::m_zero_p: core.need(c, 0); return RubyValue::boolean(c.self.number() == 0);
  case MethodId::m_positive_p: core.need(c, 0); return RubyValue::boolean(c.self.number() > 0);
  case MethodId::m_negative_p: core.need(c, 0); return RubyValue::boolean(c.self.number() < 0);
  case MethodId::m_integer_p: core.need(c, 0); return RubyValue::boolean(c.self.is_integer());
  case MethodId::m_abs:
    core.need(c, 0);
    if (c.self.is_integer()) return c.self.i < 0 ? checked(__builtin_sub_overflow(int64_t(0), c.self.i, &v), v) : c.self;
    return RubyValue::floating(std::fabs(c.self.d));
  case MethodId::m_fdiv: return RubyValue::floating(c.self.number() / other().number());
  case MethodId::m_between_p:
    core.need(c, 2);
    return RubyValue::boolean(core.compare(c.self, c.args[0], c.line) >= 0 && core.compare(c.self, c.args[1], c.line) <= 0);
  case MethodId::m_clamp:
    core.need(c, 2);
    if (!c.args[0].is_number() || !c.args[1].is_number()) core.unknown(c);
    if (core.compare(c.args[0], c.args[1], c.line) > 0) core.unknown(c);
    if (core.compare(c.self, c.args[0], c.line) < 0) return c.args[0];
    return core.compare(c.self, c.args[1], c.line) > 0 ? c.args[1] : c.self;
  case MethodId::MatchOp: return {};
  default: return c.self.is_integer() ? integer_method(core, c) : float_method(core, c);
  }
}

RubyValue integer_method(Core& core, const MethodCall& c) {
  int64_t n = c.self.i;
  switch (c.method) {
  case MethodId::m_times: {
    core.need(c, 0);
    if (c.block == nullptr) {
      if (n > 100'000) core.unknown(c);
      std::vector<RubyValue> items;
      for (int64_t i = 0; i < n; ++i) items.push_back(RubyValue::integer(i));
      return make_enumerator(core, c, std::move(items));
    }
    for (int64_t i = 0; i < n; ++i) core.yield(c, RubyValue::integer(i));
    return c.self;
  }
  case MethodId::m_upto:
  case MethodId::m_downto: {
    core.need(c, 1);
    if (!c.args[0].is_integer()) core.unknown(c);
    int64_t end = c.args[0].i;
    int64_t by = c.method == MethodId::m_upto ? 1 : -1;
    std::vector<RubyValue> items;
    for (int64_t i = n; by > 0 ? i <= end : i >= end; i += by) {
      if (c.block != nullptr)
        core.yield(c, RubyValue::integer(i));
      else if (items.size() > 100'000)
        core.unknown(c);
      else
        items.push_back(RubyValue::integer(i));
      if (i == INT64_MAX || i == INT64_MIN) break;
    }
    return c.block != nullptr ? c.self : make_enumerator(core, c, std::move(items));
  }
  case MethodId::m_step: {
    core.need(c, 2);
    if (c.block == nullptr || !c.args[0].is_integer() || !c.args[1].is_integer() || c.args[1].i == 0) core.unknown(c);
    int64_t end = c.args[0].i, by = c.args[1].i;
    for (int64_t i = n; by > 0 ? i <= end : i >= end; i += by) core.yield(c, RubyValue::integer(i));
    return c.self;
  }
  case MethodId::m_succ:
  case MethodId::m_next:
    core.need(c, 0);
    if (n == INT64_MAX) return big_method(core, c);
    return RubyValue::integer(n + 1);
  case MethodId::m_pred:
    core.need(c, 0);
    if (n == INT64_MIN) return big_method(core, c);
    return RubyValue::integer(n - 1);
  case MethodId::m_even_p: core.need(c, 0); return RubyValue::boolean(n % 2 == 0);
  case MethodId::m_odd_p: core.need(c, 0); return RubyValue::boolean(n % 2 != 0);
  case MethodId::m_floor:
  case MethodId::m_ceil:
  case MethodId::m_round:
  case MethodId::m_truncate:
    if (!c.args.empty() && (c.args.size() != 1 || !c.args[0].is_integer() || c.args[0].i < 0)) core.unknown(c);
    return c.self;
  case MethodId::m_to_s: {
    core.need(c, 1);
    int64_t base = core.integer_argument(c, 0);
    if (base < 2 || base > 36 || n == INT64_MIN) core.unknown(c);
    std::string digits;
    uint64_t rest = static_cast<uint64_t>(n < 0 ? -n : n);
    do {
      digits += "0123456789abcdefghijklmnopqrstuvwxyz"[rest % static_cast<uint64_t>(base)];
      rest /= static_cast<uint64_t>(base);
    } while (rest > 0);
    if (n < 0) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return core.str(std::move(digits));
  }
  case MethodId::m_chr:
    core.need(c, 0);
    if (n >= 32 && n <= 126) return core.str(std::string(1, static_cast<char>(n)));
    if (n < 0 || n > 255) core.unknown(c); // depends on the encoding
    return core.heap.bytes(std::string(1, static_cast<char>(n)));
  case MethodId::m_ord: core.need(c, 0); return c.self;
  case MethodId::m_digits: {
    core.need(c, 0, 1);
    const int64_t base = c.args.empty() ? 10 : c.args[0].is_integer() ? c.args[0].i : 0;
    if (n < 0 || base < 2) core.unknown(c);
    std::vector<RubyValue> out;
    for (int64_t rest = n; rest > 0 || out.empty(); rest /= base) out.push_back(RubyValue::integer(rest % base));
    return core.list(std::move(out));
  }
  case MethodId::m_size: core.need(c, 0); return RubyValue::integer(8);
  case MethodId::m_divmod: {
    core.need(c, 1);
    if (!c.args[0].is_integer()) core.unknown(c);
    RubyValue q = core.send(c.self, MethodId::Divide, {c.args[0]}, c.line);
    return core.list({q, core.send(c.self, MethodId::Percent, {c.args[0]}, c.line)});
  }
  case MethodId::And:
  case MethodId::Or:
  case MethodId::Xor: {
    core.need(c, 1);
    if (!c.args[0].is_integer()) core.unknown(c);
    int64_t m = c.args[0].i;
    return RubyValue::integer(c.method == MethodId::And ? n & m : c.method == MethodId::Or ? n | m : n ^ m);
  }
  case MethodId::ShiftLeft:
  case MethodId::ShiftRight: {
    core.need(c, 1);
    if (!c.args[0].is_integer()) core.unknown(c);
    if (c.args[0].i < 0 || c.args[0].i > 62) return big_method(core, c);
    if (c.method == MethodId::ShiftRight) return RubyValue::integer(n >> c.args[0].i);
    int64_t v = 0;
    if (__builtin_mul_overflow(n, int64_t(1) << c.args[0].i, &v)) return big_method(core, c);
    return RubyValue::integer(v);
  }
  case MethodId::Index:
    core.need(c, 1);
    if (c.args[0].is_nil()) core.wrong_type(c, c.args[0], "no implicit conversion of {} into Integer");
    if (c.args[0].is(RubyKind::Range)) core.unknown(c);
    if (const int64_t bit = core.integer_argument(c, 0); bit >= 0) return RubyValue::integer(bit > 62 ? n < 0 : n >> bit & 1);
    core.unknown(c);
  case MethodId::Tilde: return RubyValue::integer(~n);
  default: core.unknown(c);
  }
}

RubyValue float_method(Core& core, const MethodCall& c) {
  double d = c.self.d;
  switch (c.method) {
  case MethodId::m_nan_p: core.need(c, 0); return RubyValue::boolean(std::isnan(d));
  case MethodId::m_finite_p: core.need(c, 0); return RubyValue::boolean(std::isfinite(d));
  case MethodId::m_floor:
  case MethodId::m_ceil:
  case MethodId::m_truncate:
  case MethodId::m_round: {
    core.need(c, 0, 1);
    int64_t digits = c.args.empty() ? 0 : core.integer_argument(c, 0);
    if (digits == 0) {
      double r = c.method == MethodId::m_floor      ? std::floor(d)
                 : c.method == MethodId::m_ceil     ? std::ceil(d)
                 : c.method == MethodId::m_truncate ? std::trunc(d)
                                                    : std::round(d);
      if (!std::isfinite(r)) core.unknown(c);
      if (std::fabs(r) > 9e18) return integer_of_float(core, r);
      return RubyValue::integer(static_cast<int64_t>(r));
    }
    if (digits < 0) { // by the whole number
      const double whole = c.method == MethodId::m_floor ? std::floor(d) : c.method == MethodId::m_ceil ? std::ceil(d) : std::trunc(d);
      if (!std::isfinite(d) || std::fabs(d) > 9e15 || digits < -15) core.unknown(c);
      return core.call_method({RubyValue::integer(static_cast<int64_t>(whole)), c.method, c.name, c.args, nullptr, c.line});
    }
    if (!std::isfinite(d)) core.unknown(c);
    int exponent = 0;
    std::frexp(d, &exponent);
    if (d == 0 || digits >= 17 - (exponent > 0 ? exponent / 4 : exponent / 3 - 1)) return c.self; // it has no more digits
    if (digits > 14 || digits < -(exponent > 0 ? exponent / 3 + 1 : exponent / 4)) core.unknown(c);
    if (c.method != MethodId::m_round) {
      const double unit = std::pow(10.0, static_cast<double>(digits));
      const bool down = c.method == MethodId::m_floor || (c.method == MethodId::m_truncate && d > 0);
      if (!down) return RubyValue::floating(std::ceil(d * unit) / unit);
      const double scaled = std::floor(d * unit), next = (scaled + 1) / unit; // the product may be too small
      return RubyValue::floating(next > d ? scaled / unit : next);
    }
    // As Ruby's round_half_up: scale, round, then correct the result where the scaling itself moved it by one.
    double s = std::pow(10.0, static_cast<double>(digits));
    double xs = d * s;
    double f = std::round(xs);
    if (s != 1.0) {
      if (d > 0 && (f + 0.5) / s <= d) f += 1;
      if (d < 0 && (f - 0.5) / s >= d) f -= 1;
    }
    return RubyValue::floating(f / s);
  }
  default: core.unknown(c);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// ranges

static bool plain_text(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

/// The elements of a range of texts, as String#upto gives them: characters, numbers, or what String#succ makes. False: only Ruby knows.
static bool add_texts(Core& core, const RubyRange& r, std::vector<RubyValue>& out, uint32_t line) {
  const std::string &first = r.first.s->text, &last = r.last.s->text;
  const auto add = [&](std::string text) { out.push_back(core.str(std::move(text))); };
  if (first.size() == 1 && last.size() == 1 && first[0] >= 0 && last[0] >= 0) {
    for (int c = first[0]; c < last[0] + !r.exclusive; ++c) add(std::string(1, static_cast<char>(c)));
    return true;
  }
  const auto is_number = [](const std::string& s) {
    return !s.empty() && s.size() < 10 && s.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(first) && is_number(last)) {
    const int end = std::stoi(last) + !r.exclusive;
    if (end - std::stoi(first) > 1'000'000) return false;
    for (int n = std::stoi(first); n < end; ++n) add(fmt::format("{:0{}}", n, first.size()));
    return true;
  }
  if (first > last || (r.exclusive && first == last)) return true;
  if (!plain_text(first)) return false;
  std::string s = first; // the first one is there whatever its size
  for (int n = 0; n < 100'000; ++n) {
    add(s);
    if (s == last) return true;
    s = core.send(core.str(s), MethodId::m_succ, {}, line).s->text;
    if (s.size() > last.size() || (r.exclusive && s == last)) return true;
  }
  return false;
}

/// Collects the elements of an enumerable value; false for any other value.
bool Core::items_of(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line) {
  if (v.is(RubyKind::Object)) return items_of_object(v, out, line);
  switch (v.kind) {
  case RubyKind::Array: out.insert(out.end(), v.a->items.begin(), v.a->items.end()); return true;
  case RubyKind::Hash:
    for (const auto& [key, value] : v.h->entries()) out.push_back(list({key, value}));
    return true;
  case RubyKind::Enumerator: out.insert(out.end(), v.e->items.begin(), v.e->items.end()); return true;
  case RubyKind::Range: {
    const RubyRange& r = *v.r;
    if (r.first.is_integer() && r.last.is_integer()) {
      int64_t last = r.exclusive ? r.last.i - 1 : r.last.i;
      if (last - r.first.i > 1'000'000) not_rendered(line, "a long range");
      for (int64_t i = r.first.i; i <= last; ++i) out.push_back(RubyValue::integer(i));
      return true;
    }
    if (r.first.kind == r.last.kind && (r.first.is(RubyKind::Address) || r.first.is(RubyKind::Object))) {
      RubyValue at = r.first;
      for (int n = 0; n < 100'000; ++n) {
        const int order = compare(at, r.last, line);
        if (order > 0 || (order == 0 && r.exclusive)) return true;
        out.push_back(at);
        if (order == 0) return true;
        at = send(at, MethodId::m_succ, {}, line);
      }
    }
    if (r.first.is_string() && r.last.is_string() && add_texts(*this, r, out, line)) return true;
    not_rendered(line, "elements of this range");
  }
  default: return false;
  }
}

RubyValue range_method(Core& core, const MethodCall& c) {
  const RubyRange& r = *c.self.r;
  switch (c.method) {
  case MethodId::m_begin: core.need(c, 0); return r.first;
  case MethodId::m_end: core.need(c, 0); return r.last;
  case MethodId::m_first:
  case MethodId::m_min:
    if (c.args.empty() && c.block == nullptr && c.method == MethodId::m_first) return r.first;
    break;
  case MethodId::m_last:
    if (c.args.empty()) return r.last;
    core.unknown(c);
  case MethodId::m_include_p:
  case MethodId::m_member_p:
  case MethodId::m_cover_p:
    core.need(c, 1);
    if (r.first.is_string() && r.last.is_string() && c.args[0].is_string()) {
      if (c.method == MethodId::m_cover_p) return RubyValue::boolean(core.case_equals(c.self, c.args[0], c.line));
      std::vector<RubyValue> all;
      core.items_of(c.self, all, c.line);
      return RubyValue::boolean(std::any_of(all.begin(), all.end(), [&](const RubyValue& v) { return ruby_eql(v, c.args[0]); }));
    }
    if (r.first.is_string() && r.last.is_string() &&
        (c.args[0].is_number() || c.args[0].is_nil() || c.args[0].is_array() || c.args[0].is_hash()))
      return RubyValue::boolean(false);
    if ((!r.first.is_number() && !r.first.is_nil()) || (!r.last.is_number() && !r.last.is_nil()) || !c.args[0].is_number()) core.unknown(c);
    return RubyValue::boolean(core.case_equals(c.self, c.args[0], c.line));
  case MethodId::m_exclude_end_p: core.need(c, 0); return RubyValue::boolean(r.exclusive);
  case MethodId::m_size:
    core.need(c, 0);
    if (r.first.is_string() && r.last.is_string()) return {};
    if (!r.first.is_integer() || !r.last.is_integer()) core.unknown(c);
    break;
  case MethodId::m_step: {
    core.need(c, 1);
    int64_t by = core.integer_argument(c, 0);
    if (!c.args[0].is_integer() || by <= 0) core.unknown(c);
    std::vector<RubyValue> items;
    core.items_of(c.self, items, c.line);
    std::vector<RubyValue> chosen;
    for (size_t i = 0; i < items.size(); i += static_cast<size_t>(by)) chosen.push_back(items[i]);
    if (c.block == nullptr) return make_enumerator(core, {core.list(chosen), MethodId::m_each, "each", {}, nullptr, c.line}, chosen);
    for (const RubyValue& item : chosen) core.yield(c, item);
    return c.self;
  }
  case MethodId::m_sum: break;
  default: break;
  }
  const bool least = c.method == MethodId::m_min, most = c.method == MethodId::m_max && !r.exclusive;
  if ((least || most) && c.args.empty() && c.block == nullptr && r.first.is_string() && r.last.is_string()) { // the ends, not the elements
    const int order = r.first.s->text.compare(r.last.s->text);
    if (order > 0 || (order == 0 && r.exclusive)) return {};
    return least ? r.first : r.last;
  }
  const bool endless = r.last.is_nil() || (r.last.is(RubyKind::Float) && std::isinf(r.last.d) && r.last.d > 0);
  if (endless && r.first.is_integer() && c.method == MethodId::m_each && c.block != nullptr && c.args.empty())
    for (int64_t i = r.first.i;; ++i) core.yield(c, RubyValue::integer(i));
  std::vector<RubyValue> items;
  core.items_of(c.self, items, c.line);
  if (c.method == MethodId::m_size) return RubyValue::integer(static_cast<int64_t>(items.size()));
  if (c.method == MethodId::m_each) {
    core.need(c, 0);
    if (c.block == nullptr) return make_enumerator(core, c, std::move(items));
    for (const RubyValue& item : items) core.yield(c, item);
    return c.self;
  }
  if (c.method == MethodId::m_min && !c.args.empty() && c.block == nullptr) // a range is sorted
    return enumerable_method(core, {c.self, MethodId::m_first, "first", c.args, nullptr, c.line}, items);
  return enumerable_method(core, c, items);
}

/// Whether all directives of a format take their arguments as texts.
static bool is_text_alone(std::string_view format_text) {
  for (size_t at = 0; (at = format_text.find('%', at)) != std::string_view::npos; ++at) {
    at = format_text.find_first_not_of("-0123456789.", at + 1);
    if (at == std::string_view::npos || (format_text[at] != 's' && format_text[at] != '%')) return false;
  }
  return true;
}

std::string format(Core& core, const MethodCall& c, std::string_view format_text, std::span<const RubyValue> args) {
  std::vector<Value> values;
  bool inspects = format_text.find('p') != std::string_view::npos;
  for (const RubyValue& arg : args) {
    if (arg.is_symbol() && !inspects)
      values.push_back(Value::string(core.host.arena().copy(arg.s->text)));
    else if (arg.is_hash()) {
      HashBuilder named(core.host.arena());
      for (const auto& [key, value] : arg.h->entries()) {
        if (!key.is_symbol()) core.not_rendered(c.line, "a format with a hash");
        if (value.is_array() || value.is_hash() || value.is_symbol()) core.not_rendered(c.line, "a format with a hash");
        named.set(Value::string(core.host.arena().copy(key.s->text)), core.to_puppet(value, c.line));
      }
      values.push_back(named.finish());
    } else if (arg.is_array() || (arg.kind >= RubyKind::Range && arg.kind != RubyKind::Bytes && arg.kind != RubyKind::Big)) {
      const std::string text = core.to_s(arg, c.line);
      // Where the format wants a number such a value is none, whatever its text is.
      if (!text.empty() && std::string_view("0123456789+-. \t\n_").find(text[0]) != std::string_view::npos && !is_text_alone(format_text))
        core.not_rendered(c.line, "a format of such a value");
      values.push_back(Value::string(core.host.arena().copy(text)));
      if (inspects) core.not_rendered(c.line, "a format with %p");
    } else {
      values.push_back(core.to_puppet(arg, c.line));
    }
  }
  try {
    return ruby_sprintf(core.host.types(), format_text, values);
  } catch (const FormatError& error) { core.not_rendered(c.line, fmt::format("a format: {}", error.message)); }
}

} // namespace pupc::compiler::ruby
