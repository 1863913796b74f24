// stdlib functions on values of any kind.
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

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

const FunctionEntry stdlib_value_table[] = {
    {"dig44", "Value found by following a path of keys and indexes into nested data, or a default.", {{"3.x -2", dig44}}},
    {"try_get_value", "Deprecated: use dig. Value found by a path such as `a/b/2`, or a default.", {{"3.x -2", try_get_value}}},
    {"type3x", "Name of a value's kind as Puppet 3 had it; texts of numbers count as numbers.", {{"3.x", type3x}}},
};

} // namespace

FunctionTable stdlib_value_functions() { return stdlib_value_table; }

} // namespace pupc::compiler
