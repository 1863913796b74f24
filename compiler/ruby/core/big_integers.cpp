// Methods of integers of more than 64 bits, and operators whose results are.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/values/big_integer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace pupc::compiler::ruby {
namespace {

constexpr unsigned most_bits = 100'000; // of a result: more is left to Ruby

BigInteger value_of(const RubyValue& v) { return v.is(RubyKind::Big) ? v.big->value : BigInteger(v.i); }

bool is_integral(const RubyValue& v) { return v.is_integer() || v.is(RubyKind::Big); }

RubyValue integer_of(Core& core, BigInteger v) {
  if (v >= BigInteger(INT64_MIN) && v <= BigInteger(INT64_MAX)) return RubyValue::integer(static_cast<int64_t>(v));
  return core.heap.big(std::make_shared<const RubyBig>(RubyBig{std::move(v)}));
}

/// Rounds to the nearest double, as Ruby does.
double to_double(const BigInteger& v) {
  const std::string digits = v.str();
  double out = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return result.ec == std::errc::result_out_of_range ? (v < 0 ? -HUGE_VAL : HUGE_VAL) : out;
}

/// Quotient and rest of a division that rounds down.
std::pair<BigInteger, BigInteger> floored(const BigInteger& a, const BigInteger& b) {
  BigInteger quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    --quotient;
    rest += b;
  }
  return {std::move(quotient), std::move(rest)};
}

/// The bits of a negative number go on without end; this takes those of both numbers, and one for the sign.
BigInteger with_bits(MethodId method, const BigInteger& a, const BigInteger& b) {
  const unsigned size = std::max(a == 0 ? 0 : msb(abs(a)), b == 0 ? 0 : msb(abs(b))) + 2;
  const BigInteger limit = BigInteger(1) << size;
  const BigInteger x = a < 0 ? a + limit : a, y = b < 0 ? b + limit : b;
  BigInteger out = method == MethodId::And ? x & y : method == MethodId::Or ? x | y : x ^ y;
  return bit_test(out, size - 1) ? out - limit : out;
}

std::string in_base(BigInteger v, unsigned base) {
  const bool negative = v < 0;
  if (negative) v = -v;
  std::string out;
  while (v > 0) {
    out += "0123456789abcdefghijklmnopqrstuvwxyz"[static_cast<unsigned>(v % base)];
    v /= base;
  }
  if (negative) out += '-';
  return {out.rbegin(), out.rend()};
}

RubyValue shifted(Core& core, const MethodCall& c, bool left) {
  if (!c.args[0].is_integer()) core.unknown(c);
  const int64_t by = left ? c.args[0].i : -c.args[0].i;
  const BigInteger v = value_of(c.self);
  if (v == 0) return c.self;
  if (by > most_bits || by < -int64_t{most_bits}) core.unknown(c);
  if (by >= 0) return integer_of(core, v << static_cast<unsigned>(by));
  return integer_of(core, floored(v, BigInteger(1) << static_cast<unsigned>(-by)).first);
}

RubyValue power(Core& core, const MethodCall& c) {
  const BigInteger base = value_of(c.self);
  if (!c.args[0].is_integer() || c.args[0].i < 0 || base == 0) core.unknown(c);
  if ((msb(abs(base)) + 1.0) * static_cast<double>(c.args[0].i) > most_bits) core.unknown(c);
  return integer_of(core, boost::multiprecision::pow(base, static_cast<unsigned>(c.args[0].i)));
}

/// pow(exponent, modulus)
RubyValue power_modulo(Core& core, const MethodCall& c) {
  if (!is_integral(c.args[0]) || !is_integral(c.args[1])) core.unknown(c);
  const BigInteger exponent = value_of(c.args[0]), modulus = value_of(c.args[1]);
  if (exponent < 0 || modulus <= 0 || msb(modulus) > 4096) core.unknown(c);
  return integer_of(core, powm(floored(value_of(c.self), modulus).second, exponent, modulus));
}

/// Operators with a float.
RubyValue with_float(Core& core, const MethodCall& c) {
  const bool first = c.self.is(RubyKind::Float);
  const double a = first ? c.self.d : to_double(value_of(c.self));
  const double b = first ? to_double(value_of(c.args[0])) : c.args[0].d;
  switch (c.method) {
  case MethodId::Plus: return RubyValue::floating(a + b);
  case MethodId::Minus: return RubyValue::floating(a - b);
  case MethodId::Times: return RubyValue::floating(a * b);
  default: core.not_rendered(c.line, "a float with an integer of more than 64 bits");
  }
}

RubyValue with_integer(Core& core, const MethodCall& c) {
  const BigInteger a = value_of(c.self), b = value_of(c.args[0]);
  auto answer = [](bool v) { return RubyValue::boolean(v); };
  auto divisor = [&]() -> const BigInteger& {
    if (b == 0) throw RubyError{c.line, "divided by 0", RubyClass::ZeroDivisionError};
    return b;
  };
  switch (c.method) {
  case MethodId::Plus: return integer_of(core, a + b);
  case MethodId::Minus: return integer_of(core, a - b);
  case MethodId::Times: return integer_of(core, a * b);
  case MethodId::Divide:
  case MethodId::m_div: return integer_of(core, floored(a, divisor()).first);
  case MethodId::Percent:
  case MethodId::m_modulo: return integer_of(core, floored(a, divisor()).second);
  case MethodId::m_divmod: {
    auto [quotient, rest] = floored(a, divisor());
    return core.list({integer_of(core, std::move(quotient)), integer_of(core, std::move(rest))});
  }
  case MethodId::m_remainder: return integer_of(core, a % divisor());
  case MethodId::m_gcd: return integer_of(core, gcd(a, b));
  case MethodId::m_lcm: return integer_of(core, lcm(a, b));
  case MethodId::And:
  case MethodId::Or:
  case MethodId::Xor: return integer_of(core, with_bits(c.method, a, b));
  case MethodId::Less: return answer(a < b);
  case MethodId::LessEq: return answer(a <= b);
  case MethodId::Greater: return answer(a > b);
  case MethodId::GreaterEq: return answer(a >= b);
  case MethodId::Cmp: return RubyValue::integer(a < b ? -1 : a > b ? 1 : 0);
  default: core.not_rendered(c.line, fmt::format("method '{}' of an integer of more than 64 bits", c.name));
  }
}

} // namespace

std::string big_text(const RubyValue& v) { return v.big->value.str(); }

int compare_integers(const RubyValue& a, const RubyValue& b) {
  const BigInteger x = value_of(a), y = value_of(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

RubyValue integer_of_digits(Core& core, std::string_view digits, int base, bool negative) {
  BigInteger v = 0;
  for (const char ch : digits) {
    const char low = static_cast<char>(ch | 0x20);
    v = v * base + (ch <= '9' ? ch - '0' : low - 'a' + 10);
  }
  return integer_of(core, negative ? -v : v);
}

RubyValue integer_of_unsigned(Core& core, uint64_t v) { return integer_of(core, BigInteger(v)); }

RubyValue integer_of_float(Core& core, double whole) { return integer_of(core, BigInteger(whole)); }

RubyValue big_method(Core& core, const MethodCall& c) {
  if (c.args.size() == 1 && (c.method == MethodId::ShiftLeft || c.method == MethodId::ShiftRight))
    return shifted(core, c, c.method == MethodId::ShiftLeft);
  if (c.args.size() == 1 && (c.method == MethodId::Power || c.method == MethodId::m_pow)) return power(core, c);
  if (c.args.size() == 2 && c.method == MethodId::m_pow) return power_modulo(core, c);
  if (c.args.size() == 1 && (c.self.is(RubyKind::Float) || c.args[0].is(RubyKind::Float))) return with_float(core, c);
  if (c.args.size() == 1 && is_integral(c.args[0]) && c.method != MethodId::m_to_s && c.method != MethodId::Index)
    return with_integer(core, c);
  const BigInteger v = value_of(c.self);
  auto integer = [&](BigInteger result) {
    core.need(c, 0);
    return integer_of(core, std::move(result));
  };
  auto answer = [&](bool result) {
    core.need(c, 0);
    return RubyValue::boolean(result);
  };
  switch (c.method) {
  case MethodId::m_between_p:
    core.need(c, 2);
    return RubyValue::boolean(core.compare(c.self, c.args[0], c.line) >= 0 && core.compare(c.self, c.args[1], c.line) <= 0);
  case MethodId::m_to_s: {
    core.need(c, 1);
    const int64_t base = core.integer_argument(c, 0);
    if (base < 2 || base > 36) core.unknown(c);
    return core.str(in_base(v, static_cast<unsigned>(base)));
  }
  case MethodId::Index:
    core.need(c, 1);
    if (!c.args[0].is_integer() || c.args[0].i < 0 || c.args[0].i > most_bits) core.unknown(c);
    return RubyValue::integer(
        static_cast<int64_t>(floored(floored(v, BigInteger(1) << static_cast<unsigned>(c.args[0].i)).first, 2).second));
  case MethodId::m_size: core.not_rendered(c.line, "the size of an integer of more than 64 bits");
  case MethodId::m_to_i:
  case MethodId::UnaryPlus:
  case MethodId::m_ord: core.need(c, 0); return c.self;
  case MethodId::m_to_f: core.need(c, 0); return RubyValue::floating(to_double(v));
  case MethodId::Negate: return integer(-v);
  case MethodId::Tilde: return integer(-v - 1);
  case MethodId::m_abs: return integer(abs(v));
  case MethodId::m_succ:
  case MethodId::m_next: return integer(v + 1);
  case MethodId::m_pred: return integer(v - 1);
  case MethodId::m_even_p: return answer(v % 2 == 0);
  case MethodId::m_odd_p: return answer(v % 2 != 0);
  case MethodId::m_zero_p: return answer(v == 0);
  case MethodId::m_positive_p: return answer(v > 0);
  case MethodId::m_negative_p: return answer(v < 0);
  case MethodId::m_integer_p: return answer(true);
  case MethodId::m_digits: {
    core.need(c, 0);
    if (v < 0) core.unknown(c);
    std::vector<RubyValue> out;
    const std::string digits = v.str();
    for (auto at = digits.rbegin(); at != digits.rend(); ++at) out.push_back(RubyValue::integer(*at - '0'));
    return core.list(std::move(out));
  }
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
