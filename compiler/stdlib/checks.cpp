// stdlib's old type checks: what wraps is_* and validate_* to tell that they are deprecated, which is an error with strict=error;
// validate_legacy.
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The type of Stdlib::Compat that stdlib names instead of a check.
std::string_view compat_type(std::string_view check) {
  static constexpr std::pair<std::string_view, std::string_view> types[] = {
      {"string", "String"},         {"array", "Array"},       {"hash", "Hash"},        {"bool", "Bool"},
      {"integer", "Integer"},       {"numeric", "Numeric"},   {"float", "Float"},      {"absolute_path", "Absolute_Path"},
      {"ip_address", "Ip_address"}, {"ipv4_address", "Ipv4"}, {"ipv6_address", "Ipv6"}};
  for (const auto& [name, type] : types)
    if (name == check) return type;
  return {};
}

void deprecated(FunctionCall& c, std::string_view key, std::string_view text) { c.call("deprecation", {c.string(key), c.string(text)}); }

/// The 4.x wrapper around a check: it reports the deprecation, then calls the old function.
Value is_wrapper(FunctionCall& c) {
  // For IPv6, too, stdlib's message names the IPv4 function.
  deprecated(c, c.name == "is_ipv6_address" ? "is_ipv4_address" : c.name,
             fmt::format("This method is deprecated, please use match expressions with Stdlib::Compat::{} instead. They are described at "
                         "https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions.",
                         compat_type(c.name.substr(3))));
  return c.call_old(c.name, c.args);
}

/// The type that stdlib's message recommends instead of a validator.
std::string recommended(std::string_view name) {
  if (name == "re") return "Pattern[]";
  if (name == "slength") return "String[]";
  if (name == "ip_address") return "Stdlib::Compat::Ip_Address";
  if (name == "ipv4_address") return "Stdlib::Compat::Ipv4_Address";
  if (name == "ipv6_address") return "Stdlib::Compat::Ipv6_address";
  return fmt::format("Stdlib::Compat::{}", compat_type(name));
}

/// The 4.x wrapper around a validator: it reports the deprecation, then calls the old function.
Value validate_wrapper(FunctionCall& c) {
  deprecated(c, c.name,
             fmt::format("This method is deprecated, please use the stdlib validate_legacy function,\n                    with {}. There "
                         "is further documentation for validate_legacy function in the README.",
                         recommended(c.name.substr(9))));
  return c.call_old(c.name, c.args);
}

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
  deprecated(c, "validate_legacy", "This method is deprecated, please use Puppet data types to validate parameters");
  if (is_instance(c.types(), check.type, check.value)) return Value::undef();
  std::string name = fmt::format("validate_legacy({}, ...)", check.type->to_string());
  c.fail(describe_mismatch(c.types(), name, check.type, infer_detailed(c.types(), check.value)));
}

// The wrappers of the 4.x API, which take no lambda. What they wrap are files of the 3.x API, which the interpreter runs.
#define IS(name)                                                                                                                           \
  {                                                                                                                                        \
    "is_" name, "Deprecated: whether a value is of the kind that the name says.", {                                                        \
      { "Any $args*", is_wrapper }                                                                                                         \
    }                                                                                                                                      \
  }
#define VALIDATE(name)                                                                                                                     \
  {                                                                                                                                        \
    "validate_" name, "Deprecated: fails unless the values are of the kind that the name says.", {{"Any $args*", validate_wrapper}},       \
        FunctionTrait::Statement                                                                                                           \
  }
const FunctionEntry stdlib_check_table[] = {
    IS("string"),
    IS("array"),
    IS("bool"),
    IS("numeric"),
    IS("float"),
    IS("absolute_path"),
    IS("ip_address"),
    IS("ipv4_address"),
    IS("ipv6_address"),
    VALIDATE("string"),
    VALIDATE("array"),
    VALIDATE("hash"),
    VALIDATE("bool"),
    VALIDATE("integer"),
    VALIDATE("numeric"),
    VALIDATE("absolute_path"),
    VALIDATE("ip_address"),
    VALIDATE("ipv4_address"),
    VALIDATE("ipv6_address"),
    VALIDATE("re"),
    VALIDATE("slength"),
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
