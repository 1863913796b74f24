// stdlib functions on texts, numbers and booleans, and assert_private.
#include "catalog/base/limits.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/iteration.h"
#include "compiler/function/mersenne_twister.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The place of the warning in the file of stdlib's `deprecation`: "location: FILE:LINE:in `deprecation'". Puppet prints it as the place
/// of the deprecated call, because it knows no place in Puppet code. Empty when the file does not contain the warning.
std::string place_of_warning(const FunctionCall& c) {
  if (c.file == nullptr || c.file->old_api()) return {};
  const auto text = c.evaluator.environment().read_file(c.file->path());
  const size_t at = text == nullptr ? std::string::npos : text->find("Puppet.deprecation_warning(");
  if (at == std::string::npos) return {};
  return fmt::format("location: {}:{}:in `deprecation'", c.file->path(),
                     1 + std::count(text->begin(), text->begin() + static_cast<ptrdiff_t>(at), '\n'));
}

/// stdlib's `deprecation`: an error with strict=error, a warning once per key with strict=warning. If the third argument is false (since
/// stdlib 9.2), it is always a warning.
Value deprecation(FunctionCall& c) {
  // Ruby prints the two innermost entries of the call stack as arrays, and a missing one as nothing.
  std::string places[2];
  size_t known = 0;
  for (const CallPlace& place : innermost_calls(c.evaluator, 2)) places[known++] = fmt::format("[\"{}\", {}]", place.file, place.line);
  std::string_view key = c.args[0].str();
  std::string message = fmt::format("{} at {}:{}", c.args[1].str(), places[0], places[1]);
  const bool by_strictness = !c.arg(2).is_bool() || c.args[2].b;
  const Strict strict = c.evaluator.settings().strict;
  if (by_strictness && strict == Strict::Off) return Value::undef();
  if (by_strictness && strict == Strict::Error) c.fail(fmt::format("deprecation. {}. {}", key, message));
  const char* silent = std::getenv("STDLIB_LOG_DEPRECATIONS");
  if (silent != nullptr && std::string_view(silent) == "false") return Value::undef();
  if (!c.evaluator.settings().tell_deprecations) return Value::undef();
  const std::string once = fmt::format("deprecation-{}", key);
  if (const std::string place = place_of_warning(c); !place.empty())
    c.evaluator.warn_once(once, {}, fmt::format("{}\n   ({})", message, place));
  else
    c.warn_once(once, std::move(message));
  return Value::undef();
}

bool num2bool_of(FunctionCall& c, const Value& v) {
  if (v.is_int()) return v.i > 0;
  if (v.is_float()) return v.d >= 1; // Ruby compares the whole part
  if (!v.is_string()) return ruby_to_i(Value::string(c.arena().copy(ruby_to_s(c.types(), v)))) > 0;
  double d = 0;
  if (!ruby_float(v.str(), d))
    c.fail(fmt::format("num2bool(): '{}' does not look like a number: invalid value for Float(): {}", v.str(), ruby_inspect(c.types(), v)));
  return d >= 1;
}
Value num2bool(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  return Value::boolean(num2bool_of(c, legacy_argument(c, 0)));
}
Value any2bool(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c);
  Value v = legacy_argument(c, 0);
  if (v.is_bool()) return v;
  double d = 0;
  if (v.is_undef()) return Value::boolean(false);
  if (v.is_number() || (v.is_string() && ruby_float(v.str(), d))) return c.call_old("num2bool", {v});
  return v.is_string() ? c.call_old("str2bool", {v}) : Value::boolean(true);
}

// -- file names

// -- base64

// -- shell, regex, case

std::string shell_escaped(std::string_view s) {
  if (s.empty()) return "''";
  std::string out;
  for (char ch : s) {
    if (ch == '\n') {
      out += "'\n'";
      continue;
    }
    bool plain = std::isalnum(static_cast<unsigned char>(ch)) || std::string_view("_-.,:+/@").find(ch) != std::string_view::npos ||
                 (static_cast<unsigned char>(ch) & 0xc0) == 0x80;
    if (!plain) out += '\\';
    out += ch;
  }
  return out;
}
Value shell_join(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  Value list = legacy_argument(c, 0);
  if (!list.is_list()) c.fail(fmt::format("First argument is not an Array: {}", ruby_inspect(c.types(), list)));
  std::string out;
  for (const Value& v : list.items()) out += (out.empty() ? "" : " ") + shell_escaped(ruby_to_s(c.types(), v));
  return c.string(out);
}

// -- numbers

Value to_bytes(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  Value v = legacy_argument(c, 0);
  if (v.is_number()) return v;
  if (!v.is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(v)));
  std::string_view s = v.str();
  size_t i = 0;
  while (i < s.size() && std::string_view("0123456789.e+-").find(s[i]) != std::string_view::npos) ++i;
  double number = std::strtod(std::string(s.substr(0, i)).c_str(), nullptr);
  while (i < s.size() && std::string_view(" \t\n\v\f\r").find(s[i]) != std::string_view::npos) ++i;
  size_t end = std::min(i + 1, s.size());
  while (end < s.size() && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) ++end;
  const std::string_view prefix = i < s.size() && s[i] != 'b' && s[i] != 'B' ? s.substr(i, end - i) : std::string_view();
  static constexpr std::string_view prefixes = "kMGTPE";
  size_t power = prefix.empty() ? 0 : prefixes.find(prefix) + 1;
  if (!prefix.empty() && power == 0) c.fail(fmt::format("to_bytes(): Unknown prefix {}", prefix));
  const double bytes = std::ldexp(number, static_cast<int>(10 * power));
  // 2^63 is the first number beyond 64 bits; Ruby's own would go on.
  if (!(bytes >= -0x1p63 && bytes < 0x1p63)) c.fail(fmt::format("to_bytes(): '{}' is more than 64 bits can hold", s));
  return Value::integer(static_cast<int64_t>(bytes));
}
/// stdlib's is_integer, whose pattern asks for one line of the text that is an integer.
bool integer_text(const Value& v) {
  if (!v.is_string()) return v.is_int();
  const auto integer = [](std::string_view line) {
    if (line.starts_with('-')) line.remove_prefix(1);
    return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos && (line.size() == 1 || line[0] != '0');
  };
  for (std::string_view rest = v.str();;) {
    const size_t end = rest.find('\n');
    if (integer(rest.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
  }
}
Value seeded_rand(FunctionCall& c) {
  Value max = legacy_argument(c, 0), seed = legacy_argument(c, 1);
  if (!integer_text(max) || ruby_to_i(max) <= 0) c.fail("seeded_rand(): first argument must be a positive integer");
  if (!seed.is_string()) c.fail("seeded_rand(): second argument must be a string");
  return Value::integer(static_cast<int64_t>(random_below(seed.str(), static_cast<uint64_t>(ruby_to_i(max)))));
}
/// Ruby's Array#join of seeds and a count.
void join_seeds(FunctionCall& c, std::span<const Value> seeds, std::string& out) {
  for (const Value& seed : seeds) {
    if (seed.is_list() && !seed.items().empty()) {
      join_seeds(c, seed.items(), out);
      continue;
    }
    if (!seed.is_list() && !seed.is_undef()) out += ruby_to_s(c.types(), seed);
    out += ':';
  }
}
Value random_string(FunctionCall& c, int64_t length, std::string_view charset, std::span<const Value> seeds) {
  if (charset.empty()) charset = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::vector<Value> chars;
  characters_of(charset, chars);
  std::string seed, out;
  join_seeds(c, seeds, seed);
  for (int64_t n = 1; n <= length; ++n) {
    check_time();
    Value at = c.call("fqdn_rand", {Value::integer(static_cast<int64_t>(chars.size())), c.string(seed + std::to_string(n))});
    out += chars[static_cast<size_t>(at.i)].str();
  }
  return c.string(out);
}
Value stdlib_fqdn_rand_string(FunctionCall& c) {
  return random_string(c, c.args[0].i, c.arg(1).is_string() ? c.args[1].str() : std::string_view(),
                       c.args.subspan(std::min<size_t>(c.size(), 2)));
}
Value stdlib_seeded_rand(FunctionCall& c) {
  return Value::integer(static_cast<int64_t>(random_below(c.args[1].str(), static_cast<uint64_t>(c.args[0].i))));
}
Value fqdn_rand_string(FunctionCall& c) {
  if (c.size() == 0) c.fail("fqdn_rand_string(): wrong number of arguments (0 for 1)");
  int64_t length = ruby_to_i(c.args[0]);
  if (!integer_text(c.args[0]) || length <= 0) c.fail("fqdn_rand_string(): first argument must be a positive integer");
  Value set = legacy_argument(c, 1);
  if (!set.is_string()) c.fail("fqdn_rand_string(): second argument must be undef or a string");
  return random_string(c, length, set.str(), c.args.subspan(std::min<size_t>(c.size(), 2)));
}

Value type_of(FunctionCall& c) { return Value::type(infer_detailed(c.types(), c.arg(0))); }
Value get_module_path(FunctionCall& c) {
  if (c.size() != 1) c.fail("get_module_path(): Wrong number of arguments, expects one");
  std::string name = ruby_to_s(c.types(), legacy_argument(c, 0));
  const Module* m = c.evaluator.environment().find_module(name);
  if (m == nullptr) c.fail(fmt::format("Could not find module {} in environment {}", name, c.evaluator.environment().options().name));
  return c.string(m->path);
}

Value extname(FunctionCall& c) {
  std::string_view s = c.args[0].str();
  s = s.substr(s.rfind('/') + 1);
  size_t dot = s.rfind('.');
  if (dot == std::string_view::npos || s.find_first_not_of('.') > dot) return bytes_text(Value::string(""));
  return c.string(s.substr(dot));
}

#define LEGACY(code)                                                                                                                       \
  {                                                                                                                                        \
    { "3.x", code }                                                                                                                        \
  }
const FunctionEntry stdlib_text_table[] = {
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness.",
     {{"String $key, String $message", deprecation}},
     FunctionTrait::Statement},
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness, or always a warning.",
     {{"String $key, String $message, Boolean $use_strict_setting?", deprecation}},
     FunctionTrait::Statement,
     "stdlib",
     "9.2"},
    {"num2bool", "Whether a number is above zero.", LEGACY(num2bool)},
    {"any2bool", "Boolean of a boolean, number or text; true for anything else.", LEGACY(any2bool)},
    {"shell_join", "Words escaped for a Bourne shell, joined with blanks.", LEGACY(shell_join)},
    {"stdlib::extname", "Extension of a file name with its dot.", {{"String $filename", extname}}},
    {"to_bytes", "Number of bytes of a text such as \"4 kB\".", LEGACY(to_bytes)},
    {"seeded_rand", "Random number below a maximum that depends only on the seed.", {{"3.x 2", seeded_rand}}},
    {"stdlib::seeded_rand",
     "Random number below a maximum that depends only on the seed.",
     {{"Integer[1] $max, String $seed", stdlib_seeded_rand}}},
    {"fqdn_rand_string", "Random text of a length that depends on the node's name and seeds.", {{"3.x -2", fqdn_rand_string}}},
    {"stdlib::fqdn_rand_string",
     "Random text of a length that depends on the node's name and seeds.",
     {{"Integer[1] $length, Optional[String] $charset?, Any $seed*", stdlib_fqdn_rand_string}}},
    {"stdlib::fqdn_rand_string",
     "Random text of a length that depends on the node's name and seeds.",
     {{"Integer[1] $length, String $charset?, Any $seed*", stdlib_fqdn_rand_string}},
     FunctionTrait::None,
     "stdlib",
     "9.0"},
    {"type_of", "The inferred type of a value.", {{"Any $value", type_of}}},
    {"stdlib::type_of", "The inferred type of a value.", {{"Any $value", type_of}}},
    {"get_module_path", "Absolute path of a module.", LEGACY(get_module_path)},
};

} // namespace

FunctionTable stdlib_text_functions() { return stdlib_text_table; }

} // namespace pupc::compiler
