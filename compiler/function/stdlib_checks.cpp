// stdlib's old type checks: is_*, validate_*, validate_legacy, enclose_ipv6. All but a few are deprecated, which is an error with strict=error.
#include "compiler/eval/evaluator.h"
#include "compiler/function/families.h"
#include "compiler/function/ip_address.h"
#include "compiler/function/legacy.h"
#include "compiler/types/ruby_text.h"

#include <arpa/inet.h>

namespace pupc {
namespace {

int address_family(std::string_view text) {
  std::string host(text.substr(0, text.find('/')));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  unsigned char bytes[16];
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) return 4;
  return inet_pton(AF_INET6, host.c_str(), bytes) == 1 ? 6 : 0;
}
bool address(const Value& v, int family) {
  if (!v.is_string()) return false;
  int f = address_family(v.str());
  return f != 0 && (family == 0 || f == family);
}

bool is_numeric_text(std::string_view s, bool fraction) {
  size_t i = s.starts_with('-') ? 1 : 0;
  auto digits = [&] {
    size_t begin = i;
    while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
    return i - begin;
  };
  size_t first = i, n = digits();
  if (n == 0 || (n > 1 && s[first] == '0')) return false;
  if (fraction && i < s.size() && s[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (fraction && i < s.size() && (s[i] | 0x20) == 'e') {
    ++i;
    if (i < s.size() && s[i] == '-') ++i;
    if (digits() == 0) return false;
  }
  return i == s.size();
}

/// What each check of the old API accepts; one element of an array where the check takes arrays.
using Check = bool (*)(const Value&);
bool check_string(const Value& v) { return v.is_string(); }
bool check_array(const Value& v) { return v.is_list(); }
bool check_hash(const Value& v) { return v.is_hash(); }
bool check_bool(const Value& v) { return v.is_bool(); }
bool check_integer(const Value& v) { return v.is_int() || (v.is_string() && is_numeric_text(v.str(), false)); }
bool check_numeric(const Value& v) { return v.is_number() || (v.is_string() && is_numeric_text(v.str(), true)); }
bool check_float(const Value& v) { return v.is_float() || (v.is_string() && is_numeric_text(v.str(), true) && !is_numeric_text(v.str(), false)); }
bool check_path(const Value& v) {
  if (!v.is_string()) return false;
  std::string_view s = v.str();
  bool windows = s.size() > 2 && std::isalpha(static_cast<unsigned char>(s[0])) && s[1] == ':' && (s[2] == '/' || s[2] == '\\');
  return s.starts_with('/') || windows || s.starts_with("\\\\");
}
bool check_ip(const Value& v) { return address(v, 0); }
bool check_ip4(const Value& v) { return address(v, 4); }
bool check_ip6(const Value& v) { return address(v, 6); }
bool check_mac(const Value& v) {
  if (!v.is_string()) return false;
  size_t groups = 0;
  std::string_view s = v.str();
  for (size_t i = 0; i <= s.size();) {
    size_t end = std::min(s.find(':', i), s.size()), n = end - i;
    if (n < 1 || n > 2) return false;
    for (size_t k = i; k < end; ++k)
      if (!std::isxdigit(static_cast<unsigned char>(s[k]))) return false;
    ++groups;
    i = end + 1;
  }
  return groups == 6 || groups == 20;
}
bool check_domain(const Value& v) {
  if (!v.is_string()) return false;
  std::string_view s = v.str();
  if (s == ".") return true;
  if (s.ends_with('.')) s.remove_suffix(1);
  if (s.empty() || s.size() > 255) return false;
  size_t last = s.rfind('.');
  if (last != std::string_view::npos)
    for (char ch : s.substr(last + 1))
      if (!std::isalpha(static_cast<unsigned char>(ch))) return false;
  for (size_t i = 0; i <= s.size();) {
    size_t end = std::min(s.find('.', i), s.size());
    std::string_view label = s.substr(i, end - i);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    for (char ch : label)
      if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '-') return false;
    i = end + 1;
  }
  return true;
}

struct NamedCheck {
  std::string_view name; // of is_NAME and validate_NAME
  Check check;
  std::string_view compat; // type that stdlib recommends instead
  bool deprecated;         // is_NAME is
};
constexpr NamedCheck checks[] = {
    {"string", check_string, "String", true},          {"array", check_array, "Array", true},
    {"hash", check_hash, "Hash", false},               {"bool", check_bool, "Bool", true},
    {"integer", check_integer, "Integer", false},      {"numeric", check_numeric, "Numeric", true},
    {"float", check_float, "Float", true},             {"absolute_path", check_path, "Absolute_Path", true},
    {"ip_address", check_ip, "Ip_address", true},      {"ipv4_address", check_ip4, "Ipv4", true},
    {"ipv6_address", check_ip6, "Ipv6", true},         {"mac_address", check_mac, "", false},
    {"domain_name", check_domain, "", false},
};
const NamedCheck* find_check(std::string_view name) {
  for (const auto& c : checks)
    if (c.name == name) return &c;
  return nullptr;
}

void deprecated(FunctionCall& c, std::string_view key, std::string_view text) {
  Value args[] = {c.string(key), c.string(text)};
  c.evaluator.call_function("deprecation", args, nullptr, c.frame, c.loc);
}

Value is_check(FunctionCall& c) {
  const NamedCheck* check = find_check(c.name.substr(3));
  if (check->deprecated)
    // stdlib names the function for IPv4 here, too.
    deprecated(c, check->name == "ipv6_address" ? "is_ipv4_address" : c.name, fmt::format("This method is deprecated, please use match expressions with Stdlib::Compat::{} instead. They are described at "
                              "https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions.",
                              check->compat));
  if (c.size() != 1) c.fail(check->name == "hash" ? fmt::format("is_hash(): Wrong number of arguments given ({} for 1)", c.size())
                                                    : fmt::format("{}(): Wrong number of arguments given {} for 1", c.name, c.size()));
  if (check->name == "mac_address" && !c.args[0].is_string()) c.fail(fmt::format("no implicit conversion of {} into String", ruby_class_name(c.args[0])));
  return Value::boolean(check->check(legacy_argument(c, 0)));
}

/// The old validators' own verdict: empty = fine, else their error.
std::string old_verdict(FunctionCall& c, std::string_view function, std::span<const Value> args) {
  auto shown = [&](const Value& v) { return ruby_inspect(c.types(), v); };
  std::string_view name = function.starts_with("validate_") ? function.substr(9) : function;
  Value v = args.empty() ? Value::undef() : args[0];
  if (name == "re") {
    if (args.size() < 2) return fmt::format("validate_re(): wrong number of arguments ({}; must be 2 or 3)", args.size());
    if (!v.is_string()) return fmt::format("validate_re(): input needs to be a String, not a {}", ruby_class_name(v));
    std::vector<Value> patterns;
    flatten_into(args[1], patterns);
    for (const Value& p : patterns) {
      if (!p.is_string()) continue;
      try {
        if (c.types().regexes.get(p.str())->matches(v.str())) return {};
      } catch (const RegexError& e) {
        return fmt::format("{}: /{}/", e.message, p.str());
      }
    }
    if (args.size() > 2 && args[2].is_string()) return std::string(args[2].str());
    return fmt::format("validate_re(): {} does not match {}", shown(v), shown(args[1]));
  }
  if (name == "slength") {
    int64_t max = args.size() > 1 ? ruby_to_i(args[1]) : 0, min = args.size() > 2 ? ruby_to_i(args[2]) : 0;
    for (const Value& s : as_array(v)) {
      if (!s.is_string()) return fmt::format("validate_slength(): Expected first argument to be a String or Array, got a {}", ruby_class_name(v));
      int64_t n = 0;
      for (char ch : s.str()) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
      if (n < min || n > max) return fmt::format("validate_slength(): Expected length of {} to be between {} and {}, was {}", shown(s), min, max, n);
    }
    return {};
  }
  const NamedCheck* check = find_check(name);
  if (check == nullptr) c.fail(fmt::format("validate_legacy(): the function '{}' is not known", function));
  bool takes_arrays = name == "integer" || name == "numeric" || name == "absolute_path";
  for (const Value& item : takes_arrays ? as_array(v) : std::vector<Value>{v}) {
    if (check->check(item)) {
      if (name != "integer" && name != "numeric") continue;
      double d = item.is_int() ? static_cast<double>(item.i) : item.is_float() ? item.d : 0;
      if (item.is_string()) ruby_float(item.str(), d);
      double bound = 0;
      auto given = [&](size_t i) { return args.size() > i && !args[i].is_undef() && !(args[i].is_string() && args[i].str().empty()) && ruby_float(ruby_to_s(c.types(), args[i]), bound); };
      if (given(1) && d > bound) return fmt::format("{}(): Expected {} to be smaller or equal to {}, got {}", function, shown(item), shown(args[1]), shown(item));
      if (given(2) && d < bound) return fmt::format("{}(): Expected {} to be greater or equal to {}, got {}", function, shown(item), shown(args[2]), shown(item));
      continue;
    }
    if (name == "absolute_path") return fmt::format("{} is not an absolute path.", shown(item));
    if (name.starts_with("ip")) return fmt::format("{} is not a valid {} address.", shown(item), name == "ip_address" ? "IP" : name == "ipv4_address" ? "IPv4" : "IPv6");
    return fmt::format("{} is not a{} {}.  It looks to be a {}", shown(item), name == "array" || name == "integer" ? "n" : "",
                       name == "bool" ? "boolean" : name == "hash" ? "Hash" : name == "array" ? "Array" : name, ruby_class_name(item));
  }
  return {};
}

/// The type that stdlib's notice recommends instead of a validator.
std::string recommended(std::string_view name) {
  if (name == "re") return "Pattern[]";
  if (name == "slength") return "String[]";
  if (name == "ip_address") return "Stdlib::Compat::Ip_Address";
  if (name == "ipv4_address") return "Stdlib::Compat::Ipv4_Address";
  if (name == "ipv6_address") return "Stdlib::Compat::Ipv6_address";
  return fmt::format("Stdlib::Compat::{}", find_check(name)->compat);
}

Value validate_domain_name(FunctionCall& c) {
  if (c.size() == 0) c.fail(fmt::format("{}(): wrong number of arguments (0; must be > 0)", c.name));
  for (const Value& v : c.args) {
    if (!v.is_string()) c.fail(fmt::format("{} is not a string.", ruby_inspect(c.types(), v)));
    if (!check_domain(v)) c.fail(fmt::format("{} is not a syntactically correct domain name", ruby_inspect(c.types(), v)));
  }
  return Value::undef();
}

Value validate(FunctionCall& c) {
  deprecated(c, c.name, fmt::format("This method is deprecated, please use the stdlib validate_legacy function,\n                    with {}. There is further documentation for validate_legacy function in the README.",
                            recommended(c.name.substr(9))));
  if (c.size() == 0) c.fail(fmt::format("{}(): wrong number of arguments (0; must be > 0)", c.name));
  std::string error = old_verdict(c, c.name, legacy_arguments(c));
  if (!error.empty()) c.fail(error);
  return Value::undef();
}

/// The first argument is the scope, which the caller does not give (signature.h).
Value validate_legacy(FunctionCall& given) {
  FunctionCall c{given.evaluator, given.name, given.args.subspan(1), given.block, given.frame, given.loc};
  const Type* type = as_type(c.args[0]) != nullptr ? as_type(c.args[0]) : parse_type(c.types(), c.args[0].str());
  std::vector<Value> rest(c.args.begin() + 2, c.args.end());
  bool old_accepts = old_verdict(c, c.args[1].str(), rest).empty();
  if (is_instance(c.types(), type, c.args[2])) {
    if (!old_accepts) c.evaluator.log(LogLevel::Notice, "", fmt::format("Accepting previously invalid value for target type '{}'", type->to_string()));
    return Value::undef();
  }
  std::string message = describe_mismatch(c.types(), fmt::format("validate_legacy({})", c.args[1].str()), type, infer_detailed(c.types(), c.args[2]));
  if (!old_accepts) c.fail(message);
  Value args[] = {Value::string("validate_legacy"), c.string(message)};
  return c.evaluator.call_function("deprecation", args, nullptr, c.frame, c.loc);
}

Value enclose_ipv6(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("enclose_ipv6(): Wrong number of arguments given {} for 1", c.size()));
  Value v = legacy_argument(c, 0);
  if (!v.is_string() && !v.is_list()) c.fail(fmt::format("enclose_ipv6(): Wrong argument type given {} expected String or Array", ruby_class_name(v)));
  std::vector<Value> flat, out;
  flatten_into(v, flat);
  for (const Value& one : flat) {
    if (one.is_undef()) continue;
    Value kept = one;
    if (!one.is_string() || one.str() != "*") {
      std::string text = ruby_to_s(c.types(), one);
      auto ip = parse_ip_address(text);
      if (!ip) c.fail(fmt::format("enclose_ipv6(): Wrong argument given {} is not an ip address.", text));
      if (ip->family == 6) { // the network's address, in its short form
        for (int bit = ip->prefix; bit < 128; ++bit) ip->bytes[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
        char shown[INET6_ADDRSTRLEN];
        inet_ntop(AF_INET6, ip->bytes.data(), shown, sizeof shown);
        kept = c.string(fmt::format("[{}]", shown));
      }
    }
    if (!contains(out, kept)) out.push_back(kept);
  }
  return make_list(c.arena(), out);
}

#define LEGACY(code) {{"3.x", code}}
// Deprecated ones have a wrapper of the new API around them, which takes no lambda.
#define WRAPPED(code) {{"Any $args*", code}}
#define IS(name) {"is_" name, "Whether a value is of the kind that the name says.", LEGACY(is_check)}
#define VALIDATE(name) {"validate_" name, "Fails unless the values are of the kind that the name says.", WRAPPED(validate), true}
const FunctionEntry table[] = {
    IS("string"), IS("array"), IS("hash"), IS("bool"), IS("integer"), IS("numeric"), IS("float"), IS("absolute_path"), IS("ip_address"),
    IS("ipv4_address"), IS("ipv6_address"), IS("mac_address"), IS("domain_name"),
    VALIDATE("string"), VALIDATE("array"), VALIDATE("hash"), VALIDATE("bool"), VALIDATE("integer"), VALIDATE("numeric"), VALIDATE("absolute_path"),
    VALIDATE("ip_address"), VALIDATE("ipv4_address"), VALIDATE("ipv6_address"), VALIDATE("re"), VALIDATE("slength"),
    {"validate_domain_name", "Fails unless the texts are domain names.", LEGACY(validate_domain_name), true},
    {"stdlib::validate_domain_name", "Fails unless the texts are domain names.", {{"Any $values+", validate_domain_name}}, true},
    {"validate_legacy", "Fails unless a value is of a type; notes where the old validator would have decided otherwise.",
     {{"Any $scope, Type $target_type, String $function_name, Any $value, Any $args*", validate_legacy},
      {"Any $scope, String $type_string, String $function_name, Any $value, Any $args*", validate_legacy}},
     true},
    {"enclose_ipv6", "Addresses with those of IPv6 in square brackets, each once.", LEGACY(enclose_ipv6)},
};

} // namespace

FunctionTable stdlib_check_functions() { return table; }

} // namespace pupc
