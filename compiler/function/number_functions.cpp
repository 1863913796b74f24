// Functions on numbers: abs, ceiling, floor, round, max, min, compare, fqdn_rand.
#include "catalog/value/mersenne_twister.h"
#include "catalog/value/semver.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"
#include "compiler/function/iteration.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/types/ruby_class.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr double int_limit = 9223372036854775808.0;

/// Converts a float without fraction to Integer. Raises an error beyond 64 bits.
Value to_integer(FunctionCall& c, double d) {
  if (!(d < int_limit && d >= -int_limit))
    c.fail(std::isnan(d) ? "NaN" : std::isinf(d) ? (d < 0 ? "-Infinity" : "Infinity") : "bignum too big to convert into `long'");
  return Value::integer(static_cast<int64_t>(d));
}

bool matches(std::string_view s, bool with_fraction) {
  size_t i = s.starts_with('-') ? 1 : 0, digits = 0;
  auto digit = [&] { return i < s.size() && s[i] >= '0' && s[i] <= '9'; };
  while (digit()) ++i, ++digits;
  if (digits == 0) return false;
  if (with_fraction) {
    if (i >= s.size() || s[i] != '.') return false;
    size_t begin = ++i;
    while (digit()) ++i;
    if (i == begin) return false;
  }
  return i == s.size();
}

Value abs_number(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_float()) return Value::floating(std::fabs(v.d));
  if (v.i == INT64_MIN) c.fail("Integer overflow: the absolute value of -9223372036854775808 does not fit 64 bits");
  return Value::integer(v.i < 0 ? -v.i : v.i);
}
Value abs_string(FunctionCall& c) {
  c.warn_once("abs_function_numeric_coerce_string",
              "The abs() function's auto conversion of String to Numeric is deprecated - change to convert input before calling");
  std::string_view s = c.args[0].str();
  double d = 0;
  if (matches(s, true)) {
    ruby_float(s, d);
    return Value::floating(std::fabs(d));
  }
  int64_t i = 0;
  if (matches(s, false) && std::from_chars(s.data(), s.data() + s.size(), i).ec == std::errc()) return Value::integer(i < 0 ? -i : i);
  c.fail("abs(): Requires float or integer to work with - was given non decimal string");
}

template <double (*Round)(double)> Value rounded(FunctionCall& c) {
  const Value& v = c.args[0];
  return v.is_int() ? v : to_integer(c, Round(v.d));
}
template <double (*Round)(double)> Value rounded_string(FunctionCall& c) {
  c.warn_once(
      fmt::format("{}_function_numeric_coerce_string", c.name),
      fmt::format("The {}() function's auto conversion of String to Float is deprecated - change to convert input before calling", c.name));
  double d = 0;
  if (!ruby_float(c.args[0].str(), d)) c.fail(fmt::format("{}(): cannot convert given value to a floating point value.", c.name));
  return to_integer(c, Round(d));
}
double ceil_of(double d) { return std::ceil(d); }
double floor_of(double d) { return std::floor(d); }

/// Rounds half away from zero: like Puppet, it adds a half and truncates.
Value round_number(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_int()) return v;
  return to_integer(c, std::trunc(v.d > 0 ? v.d + 0.5 : v.d - 0.5));
}

double as_double(const Value& v) { return v.is_int() ? static_cast<double>(v.i) : v.d; }

int compare_numbers(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.i < b.i ? -1 : a.i > b.i ? 1 : 0;
  double x = as_double(a), y = as_double(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

bool number_like(std::string_view s) {
  size_t i = s.starts_with('-') ? 1 : 0, begin = i;
  auto digits = [&] {
    size_t from = i;
    while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
    return i > from;
  };
  if (!digits() || i == begin) return false;
  if (i < s.size() && (s[i] == '.' || s[i] == '_' || s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (!digits()) return false;
  }
  return i == s.size();
}

int compare_texts(FunctionCall& c, std::string_view a, std::string_view b) {
  if (number_like(a) && number_like(b)) {
    c.warn_once(fmt::format("{}_function_numeric_coerce_string", c.name),
                fmt::format("The {}() function's auto conversion of String to Numeric is deprecated - change to convert input before "
                            "calling, or use lambda",
                            c.name));
    double x = 0, y = 0;
    ruby_float(a, x);
    ruby_float(b, y);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  int r = a.compare(b);
  return r < 0 ? -1 : r > 0 ? 1 : 0;
}

using Order = int (*)(FunctionCall&, const Value&, const Value&);

int order_numbers(FunctionCall&, const Value& a, const Value& b) { return compare_numbers(a, b); }
int order_strings(FunctionCall& c, const Value& a, const Value& b) { return compare_texts(c, a.str(), b.str()); }
int order_times(FunctionCall&, const Value& a, const Value& b) { return a.i < b.i ? -1 : a.i > b.i ? 1 : 0; }
int order_versions(FunctionCall&, const Value& a, const Value& b) { return compare(*a.semver, *b.semver); }
int order_any(FunctionCall& c, const Value& a, const Value& b) {
  std::string x = ruby_to_s(c.types(), a), y = ruby_to_s(c.types(), b);
  if (!(number_like(x) && number_like(y)))
    c.warn_once(
        fmt::format("{}_function_string_coerce_any", c.name),
        fmt::format(
            "The {}() function's auto conversion of Any to String is deprecated - change to convert input before calling, or use lambda",
            c.name));
  return compare_texts(c, x, y);
}
int order_by_block(FunctionCall& c, const Value& a, const Value& b) { return order_of_result(c, c.call_block({a, b}), a, b); }

/// The largest (Direction 1) or smallest (-1) value. Of equal values the first wins.
template <int Direction> Value extreme(FunctionCall& c, std::span<const Value> values, Order order) {
  if (values.empty()) {
    if (c.block != nullptr) return Value::undef();
    c.fail(fmt::format("{}(): Wrong number of arguments need at least one", c.name));
  }
  Value best = values[0];
  for (const Value& v : values.subspan(1))
    if (order(c, v, best) * Direction > 0) best = v;
  return best;
}
template <int Direction, Order How> Value extreme_of_arguments(FunctionCall& c) { return extreme<Direction>(c, c.args, How); }
template <int Direction, Order How> Value extreme_of_array(FunctionCall& c) {
  return extreme<Direction>(c, c.args[0].items(), c.block != nullptr ? order_by_block : How);
}

template <int Direction> std::vector<Dispatch> extreme_dispatches() {
  return {{"Numeric $values*", extreme_of_arguments<Direction, order_numbers>},
          {"String $values*", extreme_of_arguments<Direction, order_strings>},
          {"SemVer $values*", extreme_of_arguments<Direction, order_versions>},
          {"Timespan $values*", extreme_of_arguments<Direction, order_times>},
          {"Timestamp $values*", extreme_of_arguments<Direction, order_times>},
          {"Array[Numeric] $values, Callable[2,2] &block?", extreme_of_array<Direction, order_numbers>},
          {"Array[SemVer] $values, Callable[2,2] &block?", extreme_of_array<Direction, order_versions>},
          {"Array[Timespan] $values, Callable[2,2] &block?", extreme_of_array<Direction, order_times>},
          {"Array[Timestamp] $values, Callable[2,2] &block?", extreme_of_array<Direction, order_times>},
          {"Array[String] $values, Callable[2,2] &block?", extreme_of_array<Direction, order_strings>},
          {"Array $values, Callable[2,2] &block?", extreme_of_array<Direction, order_any>},
          {"Any $values*, Callable[2,2] &block", extreme_of_arguments<Direction, order_by_block>},
          {"Any $values*", extreme_of_arguments<Direction, order_any>}};
}

Value compare_two_numbers(FunctionCall& c) { return Value::integer(compare_numbers(c.args[0], c.args[1])); }
Value compare_strings(FunctionCall& c) {
  std::string a(c.args[0].str()), b(c.args[1].str());
  if (!c.given(2) || c.args[2].b) { // like Ruby's casecmp, fold only ASCII letters
    for (std::string* s : {&a, &b})
      for (char& ch : *s)
        if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
  }
  int r = a.compare(b);
  return Value::integer(r < 0 ? -1 : r > 0 ? 1 : 0);
}
Value compare_semver(FunctionCall& c) {
  int r = compare(*c.args[0].semver, *c.args[1].semver);
  return Value::integer(r < 0 ? -1 : r > 0 ? 1 : 0);
}
/// A value in seconds, as a float. Times are stored as nanoseconds.
double seconds(const Value& v) { return v.is(Kind::Timestamp) || v.is(Kind::Timespan) ? static_cast<double>(v.i) / 1e9 : as_double(v); }
Value compare_times(FunctionCall& c) {
  const Value &a = c.args[0], &b = c.args[1];
  if (a.kind == b.kind) return Value::integer(order_times(c, a, b));
  double x = seconds(a), y = seconds(b);
  return Value::integer(x < y ? -1 : x > y ? 1 : 0);
}
/// The label without its article: "Integer" of "an Integer".
std::string bare_label(const Value& v) {
  if (v.is_type()) return v.opaque->to_string() + "-Type";
  if (v.is(Kind::Default)) return "Object";
  std::string label = label_of(v);
  return label.substr(std::min(label.find(' ') + 1, label.size()));
}
Value compare_mismatch(FunctionCall& c) {
  if (c.size() > 2) {
    if (!c.args[0].is_string() || !c.args[1].is_string())
      return c.string("compare(): The third argument (ignore case) can only be used when comparing strings");
    if (c.size() != 3) return c.string(fmt::format("compare(): Accepts at most 3 arguments, got {}", c.size()));
    if (!c.args[2].is_bool())
      return c.string(fmt::format("compare(): The third argument (ignore case) must be a Boolean. Got {}", label_of(c.args[2])));
  }
  if (c.args[0].kind != c.args[1].kind)
    return c.string(
        fmt::format("compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). Got {} and {}",
                    bare_label(c.args[0]), bare_label(c.args[1])));
  return Value::undef();
}
Value compare_incomparable(FunctionCall& c) {
  return c.string(fmt::format("compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp "
                              "can be compared. Got {} and {}",
                              bare_label(c.args[0]), bare_label(c.args[1])));
}

std::string seed_text(FunctionCall& c, const Value& v) {
  if (v.is_undef()) return "";
  if (v.is_list()) { // Ruby's [fqdn, max, seed].join(':') flattens a seed that is a list
    std::string out;
    for (const Value& item : v.items()) out.append(out.empty() && &item == v.items().data() ? "" : ":").append(seed_text(c, item));
    return out;
  }
  return ruby_to_s(c.types(), v);
}

Value fqdn_rand(FunctionCall& c) {
  int64_t max = ruby_to_i(c.args[0]);
  Value facts;
  std::string fqdn;
  bool named = false;
  if (c.evaluator.lookup_variable("facts", c.frame, facts) && facts.is_hash())
    if (const Value* n = facts.hash->find("networking"); n != nullptr && n->is_hash())
      if (const Value* f = n->hash->find("fqdn"); f != nullptr && f->is_string()) {
        fqdn = f->str();
        named = true;
      }
  if (c.given(2) && c.args[2].truthy()) {
    if (!named) c.fail("undefined method `downcase' for nil:NilClass");
    fqdn = downcase(fqdn);
  }
  std::string text = fmt::format("{}:{}:{}", fqdn, max, c.given(1) ? seed_text(c, c.args[1]) : "");
  if (max == 0) c.fail("invalid argument - 0");
  if (max < 0) c.fail(fmt::format("invalid argument - {}", max));
  return Value::integer(static_cast<int64_t>(random_below(text, static_cast<uint64_t>(max))));
}

const FunctionEntry number_table[] = {
    {"abs", "Absolute value of a number.", {{"Numeric $val", abs_number}, {"String $val", abs_string}}},
    {"ceiling", "Smallest integer not below a number.", {{"Numeric $val", rounded<ceil_of>}, {"String $val", rounded_string<ceil_of>}}},
    {"floor", "Largest integer not above a number.", {{"Numeric $val", rounded<floor_of>}, {"String $val", rounded_string<floor_of>}}},
    {"round", "Nearest integer; a half is rounded away from zero.", {{"Numeric $val", round_number}}},
    {"max", "The largest of the arguments or of an array; with a lambda, by the order it gives (-1, 0, 1).", extreme_dispatches<1>()},
    {"min", "The smallest of the arguments or of an array; with a lambda, by the order it gives (-1, 0, 1).", extreme_dispatches<-1>()},
    {"compare",
     "-1, 0 or 1: order of two numbers, texts, versions or times.",
     {{"Numeric $a, Numeric $b", compare_two_numbers},
      {"String $a, String $b, Boolean $ignore_case?", compare_strings},
      {"SemVer $a, SemVer $b", compare_semver},
      {"Numeric $a, Variant[Timespan, Timestamp] $b", compare_times},
      {"Timestamp $a, Variant[Timestamp, Numeric] $b", compare_times},
      {"Timespan $a, Variant[Timespan, Numeric] $b", compare_times},
      {"Variant[String, SemVer, Numeric, Timespan, Timestamp] $a, Variant[String, SemVer, Numeric, Timespan, Timestamp] $b, Any "
       "$ignore_case*",
       compare_mismatch, true},
      {"Any $a, Any $b, Any $ignore_case*", compare_incomparable, true}}},
    {"fqdn_rand",
     "A number from 0 below the maximum, the same at every compile for a node (its fqdn fact), a maximum and a seed.",
     {{"3.x -2", fqdn_rand}},
     FunctionTrait::OldApi | FunctionTrait::AsksNode},
};

} // namespace

FunctionTable number_functions() { return number_table; }

} // namespace pupc::compiler
