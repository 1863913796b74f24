// stdlib functions on values of any kind, on randomness and on the environment.
#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/digest.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/iteration.h"
#include "compiler/function/mersenne_twister.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/load/dependencies.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <chrono>
#include <fmt/format.h>
#include <glob.h>
#include <random>

namespace pupc::compiler {
namespace {

// -- paths into data

Value dug(const Value& data, std::span<const Value> path, const Value& fallback) {
  Value at = data;
  for (const Value& key : path) {
    if (at.is_list()) {
      double number = 0;
      if (!key.is_int() && !(key.is_string() && ruby_float(key.str(), number))) return fallback;
      int64_t i = key.is_int() ? key.i : ruby_to_i(key);
      auto size = static_cast<int64_t>(at.items().size());
      if (i < 0) i += size;
      if (i < 0 || i >= size) return fallback;
      at = at.items()[static_cast<size_t>(i)];
    } else if (at.is_hash()) {
      const Value* found = at.hash->find(key);
      if (found == nullptr) return fallback;
      at = *found;
    } else {
      return fallback;
    }
    if (at.is_undef()) return fallback;
  }
  return at;
}

Value dig44(FunctionCall& c) {
  if (c.size() < 2) c.fail(fmt::format("dig44(): Wrong number of arguments given ({} for at least 2)", c.size()));
  if (!c.args[0].is_hash() && !c.args[0].is_list())
    c.fail(fmt::format("dig44(): first argument must be a hash or an array, given {}", ruby_class_name(c.args[0])));
  if (!c.args[1].is_list()) c.fail(fmt::format("dig44(): second argument must be an array, given {}", ruby_class_name(c.args[1])));
  return dug(c.args[0], c.args[1].items(), c.arg(2));
}

Value try_get_value(FunctionCall& c) {
  auto warn = [&](std::string_view text) { c.evaluator.log(LogLevel::Warning, scope_source(*c.frame.scope), std::string(text)); };
  warn("try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.");
  Value path = c.size() > 1 ? c.args[1] : Value::string("");
  if ((!c.args[0].is_hash() && !c.args[0].is_list()) || (path.is_string() && path.str().empty()))
    return c.arg(2).truthy() ? c.args[2] : c.args[0];
  warn("dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for backwards compatibility or use the new "
       "version.");
  for (std::string_view method : {"loaded?", "load"})
    if (c.evaluator.settings().strict != Strict::Off)
      c.warn_once(
          fmt::format("autoloader dig44 {}", method),
          fmt::format(
              "The method 'Puppet::Parser::Functions.autoloader#{}(\"dig44\")' is deprecated in favor of using 'Scope#call_function'.",
              method));
  if (!path.is_string()) c.fail(fmt::format("try_get_value(): the path must be a text, got {}", label_of(path)));
  std::string_view separator = c.arg(3).is_string() && !c.args[3].str().empty() ? c.args[3].str() : "/";
  std::vector<Value> keys;
  std::string_view rest = path.str();
  while (true) {
    size_t end = rest.find(separator);
    std::string_view key = rest.substr(0, end);
    keys.push_back(has_line_of_digits(key) ? Value::integer(ruby_to_i(Value::string(key))) : Value::string(key));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + separator.size());
  }
  return dug(c.args[0], keys, c.arg(2));
}

// -- kinds of values

Value type3x(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("type3x(): Wrong number of arguments given ({} for 1)", c.size()));
  const Value& v = c.args[0];
  switch (v.kind) {
  case Kind::Bool: return Value::string("boolean");
  case Kind::Int: return Value::string("integer");
  case Kind::Float: return Value::string("float");
  case Kind::List: return Value::string("array");
  case Kind::Hash: return Value::string("hash");
  case Kind::String: break;
  default: c.fail("type3x(): Unknown type");
  }
  if (v.str() == std::to_string(ruby_to_i(v))) return Value::string("integer");
  double d = 0;
  if (ruby_float(v.str(), d) && ruby_to_s(c.types(), Value::floating(d)) == v.str()) return Value::string("float");
  return Value::string("string");
}

// -- randomness

Value seeded_rand_string(FunctionCall& c) {
  std::string_view set = c.given(2) && !c.args[2].is_undef() ? c.args[2].str()
                                                             : "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<Value> chars;
  characters_of(set, chars);
  std::string hex = hex_digest(DigestAlgorithm::Sha256, c.args[1].str());
  uint32_t key[8]; // the digest as one number, least significant word first
  for (size_t i = 0; i < 8; ++i) key[i] = static_cast<uint32_t>(std::stoul(hex.substr(56 - 8 * i, 8), nullptr, 16));
  MersenneTwister twister(key);
  std::string out;
  for (int64_t i = 0; i < c.args[0].i; ++i) {
    check_time();
    out += chars[twister.limited(chars.size() - 1)].str();
  }
  return c.string(out);
}

/// A new order at every compile, as stdlib intends.
Value shuffle(FunctionCall& c) {
  if (c.size() == 0) c.fail("shuffle(): Wrong number of arguments given (0 for 1)");
  const Value& v = c.args[0];
  if (!v.is_string() && !v.is_list()) c.fail("shuffle(): Requires either array or string to work with");
  std::vector<Value> items;
  if (v.is_string())
    characters_of(v.str(), items);
  else
    items.assign(v.items().begin(), v.items().end());
  std::random_device seed;
  std::mt19937 generator(seed());
  std::shuffle(items.begin(), items.end(), generator);
  if (v.is_list()) return make_list(c.arena(), items);
  std::string out;
  for (const Value& item : items) out += item.str();
  return c.string(out);
}

Value seconds_now(FunctionCall& c) {
  if (c.size() > 1) c.fail(fmt::format("time(): Wrong number of arguments given {} for 0 or 1", c.size()));
  return Value::integer(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

// -- files

Value glob_files(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("glob(): Wrong number of arguments given ({} for 1)", c.size()));
  if (!c.args[0].is_string() && !c.args[0].is_list()) c.fail("glob(): Requires either array or string to work");
  std::vector<Value> out;
  if (DependencyRecorder* notes = c.evaluator.environment().recorder()) notes->doubt("glob() listed files");
  for (const Value& pattern : as_array(c.args[0])) {
    if (!pattern.is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(pattern)));
    glob_t found{};
    if (!pattern.str().empty() && ::glob(std::string(pattern.str()).c_str(), GLOB_BRACE, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i) out.push_back(c.string(found.gl_pathv[i]));
    globfree(&found);
  }
  return make_list(c.arena(), out);
}

// -- functions of newer versions

void collect_values(const Value& v, std::vector<Value>& out) {
  check_native_stack();
  if (v.is_hash())
    for (const auto& e : v.hash->entries()) collect_values(e.value, out);
  else
    out.push_back(v);
}
Value nested_values(FunctionCall& c) {
  std::vector<Value> out;
  collect_values(c.args[0], out);
  return make_list(c.arena(), out);
}

Value plain_scalar(const Value& v) { return v.is(Kind::Sensitive) ? v.unwrap() : v; }
Value crc32(FunctionCall& c) {
  if (plain_scalar(c.args[0]).is(Kind::Binary)) return c.run_file();
  uint32_t crc = 0xffffffffu;
  for (char ch : ruby_to_s(c.types(), plain_scalar(c.args[0]))) {
    crc ^= static_cast<unsigned char>(ch);
    for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return c.string(fmt::format("{:x}", crc ^ 0xffffffffu));
}
Value sha256(FunctionCall& c) {
  if (plain_scalar(c.args[0]).is(Kind::Binary)) return c.run_file();
  return c.string(hex_digest(DigestAlgorithm::Sha256, ruby_to_s(c.types(), plain_scalar(c.args[0]))));
}

#define CHECKSUM_DATA "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] $my_data"
#define SEEDED_RAND_STRING                                                                                                                 \
  {                                                                                                                                        \
    { "Integer[1] $length, String $seed, String[2] $charset?", seeded_rand_string }                                                        \
  }
const FunctionEntry stdlib_value_table[] = {
    {"dig44", "Value found by following a path of keys and indexes into nested data, or a default.", {{"3.x -2", dig44}}},
    {"try_get_value", "Deprecated: use dig. Value found by a path such as `a/b/2`, or a default.", {{"3.x -2", try_get_value}}},
    {"type3x", "Name of a value's kind as Puppet 3 had it; texts of numbers count as numbers.", {{"3.x", type3x}}},
    {"seeded_rand_string", "Random text of a length that depends only on the seed.", SEEDED_RAND_STRING},
    {"stdlib::seeded_rand_string", "Random text of a length that depends only on the seed.", SEEDED_RAND_STRING},
    {"shuffle", "Elements of an array or characters of a text in a random order, another one in each compilation.", {{"3.x", shuffle}}},
    {"time", "Seconds since 1970.", {{"3.x", seconds_now}}},
    {"glob", "Paths of the compiling machine's files that match a pattern or several.", {{"3.x", glob_files}}},
    {"stdlib::nested_values", "All values of a nested hash in one array.", {{"Hash $hash", nested_values}}},
    {"stdlib::crc32", "CRC-32 checksum of a value's text, in hexadecimal.", {{CHECKSUM_DATA, crc32}}},
    {"stdlib::sha256", "SHA-256 digest of a value's text, in hexadecimal.", {{CHECKSUM_DATA, sha256}}},
};

} // namespace

FunctionTable stdlib_value_functions() { return stdlib_value_table; }

} // namespace pupc::compiler
