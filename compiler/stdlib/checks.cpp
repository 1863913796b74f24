// stdlib's validate_legacy, which asks a type and, until stdlib 8, the old validator.
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The arguments of validate_legacy. The first is the scope, which the caller does not pass (signature.h).
struct LegacyCheck {
  const Type* type;
  std::string_view function;
  const Value& value;
};
LegacyCheck legacy_check(FunctionCall& c) {
  const Type* type = as_type(c.args[1]);
  return {type != nullptr ? type : parse_type(c.types(), c.args[1].str()), c.args[2].str(), c.args[3]};
}

/// Until stdlib 8 the old validator runs as well.
Value validate_legacy(FunctionCall& c) {
  LegacyCheck check = legacy_check(c);
  if (c.evaluator.environment().old_function(check.function) == nullptr) return c.run_file(); // the error is Ruby's
  bool old_accepts = true;
  try {
    c.call_old(check.function, c.args.subspan(3));
  } catch (const CompileError&) { old_accepts = false; }
  if (is_instance(c.types(), check.type, check.value)) {
    if (!old_accepts)
      c.evaluator.log(LogLevel::Notice, "",
                      fmt::format("Accepting previously invalid value for target type '{}'", check.type->to_string()));
    return Value::undef();
  }
  std::string message = describe_mismatch(c.types(), fmt::format("validate_legacy({})", check.function), check.type,
                                          infer_detailed(c.types(), check.value));
  if (!old_accepts) c.fail(message);
  return c.call("deprecation", {Value::string("validate_legacy"), c.string(message)});
}

/// Since stdlib 9 only the type decides.
Value validate_legacy_9(FunctionCall& c) {
  LegacyCheck check = legacy_check(c);
  c.call("deprecation", {Value::string("validate_legacy"),
                         Value::string("This method is deprecated, please use Puppet data types to validate parameters")});
  if (is_instance(c.types(), check.type, check.value)) return Value::undef();
  std::string name = fmt::format("validate_legacy({}, ...)", check.type->to_string());
  c.fail(describe_mismatch(c.types(), name, check.type, infer_detailed(c.types(), check.value)));
}

const FunctionEntry stdlib_check_table[] = {
    {"validate_legacy",
     "Fails unless a value is of a type; notes where the old validator would have decided otherwise.",
     {{"Any $scope, Type $target_type, String $function_name, Any $value, Any $args*", validate_legacy},
      {"Any $scope, String $type_string, String $function_name, Any $value, Any $args*", validate_legacy}},
     FunctionTrait::Statement,
     "stdlib"},
    {"validate_legacy",
     "Deprecated: fails unless a value is of a type.",
     {{"Any $scope, Type $target_type, String $function_name, Any $value, Any $args*", validate_legacy_9},
      {"Any $scope, String $type_string, String $function_name, Any $value, Any $args*", validate_legacy_9}},
     FunctionTrait::Statement,
     "stdlib",
     "9.0"},
};

} // namespace

FunctionTable stdlib_check_functions() { return stdlib_check_table; }

} // namespace pupc::compiler
