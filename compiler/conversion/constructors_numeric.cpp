// `new` of Integer, Float, Numeric and Boolean.
#include "catalog/value/number_format.h"
#include "compiler/conversion/constructor_call.h"
#include "compiler/conversion/ruby_text.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace pupc::compiler {
namespace {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

bool blank(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

Value narrow(const ConstructorCall& call, const Integer& n) {
  if (n > INT64_MAX)
    call.fail(fmt::format("The conversion to Integer resulted in a value outside of Puppet Integer max range, got '{}'", n.str()));
  if (n < INT64_MIN)
    call.fail(fmt::format("The conversion to Integer resulted in a value outside of Puppet Integer min range, got '{}'", n.str()));
  return Value::integer(n.convert_to<int64_t>());
}

/// Ruby's Integer(text, radix). Radix 0 means: use the text's prefix. The caller has matched the text with the pattern of integers.
std::optional<Integer> ruby_integer(std::string_view s, int radix) {
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  auto prefix = [&](char letter, int base) {
    if (s.size() < 2 || s[0] != '0' || (s[1] | 0x20) != letter || (radix != 0 && radix != base)) return false;
    s.remove_prefix(2);
    radix = base;
    return true;
  };
  if (!prefix('x', 16) && !prefix('b', 2) && !prefix('o', 8) && radix == 0) radix = s.size() > 1 && s[0] == '0' ? 8 : 10;
  if (s.empty()) return std::nullopt;
  Integer n = 0;
  for (char ch : s) {
    int d = ch >= '0' && ch <= '9' ? ch - '0' : (ch | 0x20) >= 'a' && (ch | 0x20) <= 'f' ? (ch | 0x20) - 'a' + 10 : 99;
    if (d >= radix) return std::nullopt;
    n = n * radix + d;
  }
  return negative ? -n : n;
}

/// The text without the blanks after its sign, or nothing when there are no such blanks.
std::optional<std::string> joined_sign(std::string_view s) {
  if (s.size() < 2 || (s[0] != '+' && s[0] != '-') || (s[1] != ' ' && s[1] != '\t')) return std::nullopt;
  size_t digits = s.find_first_not_of(" \t", 1);
  return digits == std::string_view::npos ? std::nullopt : std::optional(std::string(1, s[0]) + std::string(s.substr(digits)));
}

Value absolute(const ConstructorCall& call, Value v, const Value& abs) {
  if (!abs.is_bool() || !abs.b) return v;
  if (v.is_float()) return Value::floating(std::fabs(v.d));
  return v.i < 0 ? narrow(call, -Integer(v.i)) : v;
}

Value integer_of(const ConstructorCall& call, const Value& from, const Value& radix) {
  switch (from.kind) {
  case Kind::Int: return from;
  case Kind::Float:
    if (std::isnan(from.d) || std::isinf(from.d)) call.fail(format_float(from.d));
    return narrow(call, Integer(from.d));
  case Kind::Bool: return Value::integer(from.b);
  case Kind::Timestamp:
  case Kind::Timespan: return Value::integer(from.i / 1000000000 - (from.i % 1000000000 < 0));
  default: break;
  }
  int base = radix.is_int() ? static_cast<int>(radix.i) : 0;
  auto n = ruby_integer(from.str(), base);
  if (!n)
    if (auto text = joined_sign(from.str())) n = ruby_integer(*text, base);
  if (!n) call.fail(fmt::format("invalid value for Integer(): {}", ruby_inspect(call.ctx, from)));
  return narrow(call, *n);
}

void check_radix(const ConstructorCall& call, const Value& radix) {
  if (radix.is_undef() || radix.is(Kind::Default)) return;
  if (!radix.is_int() || (radix.i != 2 && radix.i != 8 && radix.i != 10 && radix.i != 16))
    call.fail(fmt::format("Illegal radix: {}, expected 2, 8, 10, 16, or default", to_display_string(call.ctx, radix)));
}

double parse_double(std::string_view s) {
  double d = 0;
  auto r = std::from_chars(s.data(), s.data() + s.size(), d);
  if (r.ec == std::errc::result_out_of_range) {
    size_t e = s.find_first_of("eE");
    return e != std::string_view::npos && s.substr(e + 1).starts_with('-') ? 0.0 : HUGE_VAL;
  }
  return d;
}

/// A number as the constructors' pattern allows it: sign, blanks, then decimal, hexadecimal, octal or binary digits.
struct NumberText {
  bool negative = false;
  std::string_view digits;
  bool decimal = true; // false: an integer with a prefix (0x, 0b, 0)

  explicit NumberText(std::string_view s) {
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    negative = s.starts_with('-');
    if (negative || s.starts_with('+')) s.remove_prefix(1);
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    digits = s;
    decimal = !(s.size() > 1 && s[0] == '0' && s.find_first_of(".eE") == std::string_view::npos) && !s.starts_with("0x") &&
              !s.starts_with("0X");
  }
  bool whole() const { return digits.find_first_of(".eE") == std::string_view::npos || !decimal; }
};

Value float_of(const ConstructorCall& call, const Value& from) {
  switch (from.kind) {
  case Kind::Float: return from;
  case Kind::Int: return Value::floating(static_cast<double>(from.i));
  case Kind::Bool: return Value::floating(from.b ? 1.0 : 0.0);
  case Kind::Timestamp:
  case Kind::Timespan: return Value::floating(static_cast<double>(from.i) / 1e9);
  default: break;
  }
  NumberText text(from.str());
  bool prefixed = text.digits.size() > 1 && text.digits[0] == '0' && std::isalpha(static_cast<unsigned char>(text.digits[1])) &&
                  (text.digits[1] | 0x20) != 'e';
  double d;
  if (prefixed) {
    auto n = ruby_integer(text.digits, 0);
    if (!n) call.fail(fmt::format("invalid value for Float(): {}", ruby_inspect(call.ctx, from)));
    d = n->convert_to<double>();
  } else {
    d = parse_double(text.digits);
  }
  return Value::floating(text.negative ? -d : d);
}

Value numeric_of(const ConstructorCall& call, const Value& from) {
  switch (from.kind) {
  case Kind::Float:
  case Kind::Int: return from;
  case Kind::Bool: return Value::integer(from.b);
  case Kind::Timestamp:
  case Kind::Timespan: return Value::floating(static_cast<double>(from.i) / 1e9);
  default: break;
  }
  NumberText text(from.str());
  if (text.whole()) {
    auto n = ruby_integer(text.digits, 0);
    if (!n) return Value::undef();
    return narrow(call, text.negative ? -*n : *n);
  }
  double d = parse_double(text.digits);
  // Puppet rejects infinite numbers here, and a zero with an exponent.
  bool zero_exponent = d == 0 && text.digits.find_first_of("eE") != std::string_view::npos &&
                       text.digits.find_first_not_of("0.", 0) == text.digits.find_first_of("eE");
  if (std::isinf(d) || zero_exponent) return Value::undef();
  return Value::floating(text.negative ? -d : d);
}

} // namespace

namespace constructors {

Value integer_from_args(const ConstructorCall& c) { return absolute(c, integer_of(c, c[0], c.optional(1)), c.optional(2)); }
Value integer_from_hash(const ConstructorCall& c) { return absolute(c, integer_of(c, c.named("from"), c.named("radix")), c.named("abs")); }

std::string integer_hash_error(const ConstructorCall& c) {
  const ConstructorSet& set = *find_constructors(types::integer());
  const auto* convertible = type_cast<CallableType>(set.list[0].callable).parameters->types[0];
  const auto* named_args = type_cast<CallableType>(set.list[1].callable).parameters->types[0];
  if (const Value* from = c[0].hash->find("from"); from != nullptr && !is_instance(c.ctx, convertible, *from))
    return cannot_convert(c.ctx, *from, "Integer");
  check_radix(c, c.named("radix"));
  c.fail(describe_mismatch(c.ctx, "Integer.new has wrong type,", named_args, c[0]));
}
std::string integer_error(const ConstructorCall& c) {
  check_radix(c, c.optional(1));
  return cannot_convert(c.ctx, c[0], "Integer");
}

Value float_from_args(const ConstructorCall& c) { return absolute(c, float_of(c, c[0]), c.optional(1)); }
Value float_from_hash(const ConstructorCall& c) { return absolute(c, float_of(c, c.named("from")), c.named("abs")); }
std::string float_error(const ConstructorCall& c) { return cannot_convert(c.ctx, c[0], "Float"); }

Value numeric_from_args(const ConstructorCall& c) { return absolute(c, numeric_of(c, c[0]), c.optional(1)); }
Value numeric_from_hash(const ConstructorCall& c) { return absolute(c, numeric_of(c, c.named("from")), c.named("abs")); }
std::string numeric_error(const ConstructorCall& c) { return cannot_convert(c.ctx, c[0], "Numeric"); }

Value boolean_from_args(const ConstructorCall& c) {
  const Value& v = c[0];
  switch (v.kind) {
  case Kind::Float: return Value::boolean(v.d != 0.0);
  case Kind::Int: return Value::boolean(v.i != 0);
  case Kind::Bool: return v;
  default: return Value::boolean((v.str()[0] | 0x20) == 'y' || (v.str()[0] | 0x20) == 't');
  }
}
std::string boolean_error(const ConstructorCall& c) { return cannot_convert(c.ctx, c[0], "Boolean"); }

} // namespace constructors
} // namespace pupc::compiler
