// Functions of stdlib on values whose files the interpreter cannot run: HOCON is no part of Ruby, and type3x names constants that newer
// Rubies do not have.
#include "catalog/formats/data_file.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Value parsehocon(FunctionCall& c) {
  Value out;
  auto error = read_hocon(c.args[0].str(), c.arena(), out);
  if (!error) return out;
  if (c.given(1)) return c.args[1];
  c.fail(error->message);
}

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

#define PARSEHOCON(name)                                                                                                                   \
  {                                                                                                                                        \
    name, "Value of a HOCON text, or the default when it is malformed.", {                                                                 \
      { "String $hocon_string, Any $default?", parsehocon }                                                                                \
    }                                                                                                                                      \
  }
const FunctionEntry stdlib_value_table[] = {
    PARSEHOCON("parsehocon"),
    PARSEHOCON("stdlib::parsehocon"),
    {"type3x", "Name of a value's kind as Puppet 3 had it; texts of numbers count as numbers.", {{"3.x", type3x}}},
};

} // namespace

FunctionTable stdlib_value_functions() { return stdlib_value_table; }

} // namespace pupc::compiler
