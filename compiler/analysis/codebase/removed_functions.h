#pragma once
#include <string_view>

namespace pupc::compiler {

/// Functions that Puppet or its standard modules removed, and what replaces them.
struct RemovedFunction {
  std::string_view name, instead;
};
inline constexpr RemovedFunction removed_functions[] = {
    {"is_string", "=~ String"},
    {"is_array", "=~ Array"},
    {"is_hash", "=~ Hash"},
    {"is_bool", "=~ Boolean"},
    {"is_integer", "=~ Integer"},
    {"is_float", "=~ Float"},
    {"is_numeric", "=~ Numeric"},
    {"is_absolute_path", "=~ Stdlib::Absolutepath"},
    {"is_domain_name", "=~ Stdlib::Fqdn"},
    {"is_ip_address", "=~ Stdlib::IP::Address"},
    {"is_ipv4_address", "=~ Stdlib::IP::Address::V4"},
    {"is_ipv6_address", "=~ Stdlib::IP::Address::V6"},
    {"is_mac_address", "=~ Stdlib::MAC"},
    {"is_email_address", "=~ Stdlib::Email"},
    {"validate_absolute_path", "the parameter type Stdlib::Absolutepath"},
    {"validate_array", "the parameter type Array"},
    {"validate_bool", "the parameter type Boolean"},
    {"validate_hash", "the parameter type Hash"},
    {"validate_integer", "the parameter type Integer"},
    {"validate_numeric", "the parameter type Numeric"},
    {"validate_string", "the parameter type String"},
    {"validate_re", "the parameter type Pattern"},
    {"validate_slength", "the parameter type String[MIN, MAX]"},
    {"validate_ip_address", "the parameter type Stdlib::IP::Address"},
    {"validate_ipv4_address", "the parameter type Stdlib::IP::Address::V4"},
    {"validate_ipv6_address", "the parameter type Stdlib::IP::Address::V6"},
    {"validate_legacy", "the parameter's type"},
    {"has_key", "the operator `in`"},
    {"dig44", "dig()"},
    {"hash", "Hash()"},
    {"sprintf_hash", "sprintf()"},
    {"type3x", "type()"},
    {"private", "assert_private()"},
    {"loadmetadata", "load_module_metadata()"},
};

} // namespace pupc::compiler
