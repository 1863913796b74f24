// stdlib's old type checks: is_*, validate_*, validate_legacy, enclose_ipv6. Most are deprecated, which is an error with strict=error.
#include "catalog/value/ip_address.h"
#include "catalog/value/number_format.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

int address_family(const Value& v) {
  if (!v.is_string()) return 0;
  auto ip = parse_ip_address(v.str());
  return ip ? ip->family : 0;
}

/// Ruby's String#to_f: the number at the beginning of the text, else 0.
double leading_float(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  if (s.starts_with('+')) s.remove_prefix(1);
  double d = 0;
  std::from_chars(s.data(), s.data() + s.size(), d);
  return d;
}

/// Ruby's Kernel#Integer of a text: it allows blanks around it, a sign, a base prefix (0x, 0b, 0o, 0) and single underscores between
/// digits.
bool ruby_integer(std::string_view s, int64_t& out) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  int base = 10;
  if (s.size() > 1 && s[0] == '0') {
    char letter = static_cast<char>(s[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'd' ? 10 : 8;
    s.remove_prefix(std::isdigit(static_cast<unsigned char>(s[1])) || s[1] == '_' ? 1 : 2);
  }
  if (s.empty() || s.front() == '_' || s.back() == '_' || s.find("__") != std::string_view::npos) return false;
  std::string digits;
  for (char ch : s)
    if (ch != '_') digits += ch;
  auto r = std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
  if (r.ec != std::errc() || r.ptr != digits.data() + digits.size()) return false;
  if (negative) out = -out;
  return true;
}

/// The check behind each is_NAME.
using Check = bool (*)(FunctionCall&, const Value&);
bool check_string(FunctionCall&, const Value& v) {
  if (!v.is_string()) return v.is_undef();
  return v.str() != format_float(leading_float(v.str())) && v.str() != std::to_string(ruby_to_i(v));
}
bool check_array(FunctionCall&, const Value& v) { return v.is_list(); }
bool check_hash(FunctionCall&, const Value& v) { return v.is_hash(); }
bool check_bool(FunctionCall&, const Value& v) { return v.is_bool(); }
bool check_integer(FunctionCall& c, const Value& v) { return v.is_int() || matches(c, "^-?(?:(?:[1-9]\\d*)|0)$", v); }
bool check_numeric(FunctionCall& c, const Value& v) {
  return v.is_number() || matches(c, "^-?(?:(?:[1-9]\\d*)|0)(?:\\.\\d+)?(?:[eE]-?\\d+)?$", v);
}
bool check_float(FunctionCall&, const Value& v) {
  return v.is_float() || (v.is_string() && v.str() == format_float(leading_float(v.str())));
}
bool check_path(FunctionCall& c, const Value& v) {
  if (v.is_string())
    return matches(c, "^/", v) ||
           matches(c, R"(^(?:(?:[A-Z]:[\\/])|(?:[\\/][\\/][^\\/]+[\\/][^\\/]+)|(?:[\\/][\\/]\?[\\/][^\\/]+)))", v, true);
  for (int system = 0; system < 2; ++system) // stdlib asks once for each kind of path
    c.evaluator.log(LogLevel::Warning, "",
                    fmt::format("Cannot check if {} is an absolute path because it is a '{}' and not a String'", ruby_to_s(c.types(), v),
                                ruby_class_name(v)));
  return false;
}
bool check_ip(FunctionCall&, const Value& v) { return address_family(v) != 0; }
bool check_ip4(FunctionCall&, const Value& v) { return address_family(v) == 4; }
bool check_ip6(FunctionCall&, const Value& v) { return address_family(v) == 6; }
bool check_mac(FunctionCall& c, const Value& v) { return matches(c, "^[a-f0-9]{1,2}(:[a-f0-9]{1,2}){5}((:[a-f0-9]{1,2}){14})?$", v, true); }
bool check_domain(FunctionCall& c, const Value& v) {
  if (!v.is_string()) return false;
  std::string_view s = v.str();
  if (s == ".") return true;
  if (s.ends_with('.')) s.remove_suffix(1);
  if (s.empty() || s.size() > 255) return false;
  if (s.find('.') != std::string_view::npos && !matches(c, "\\.[A-Za-z]+$", Value::string(s))) return false;
  for (size_t i = 0; i <= s.size();) {
    size_t end = std::min(s.find('.', i), s.size());
    std::string_view label = s.substr(i, end - i);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    if (!matches(c, "^[a-z\\d-]+$", Value::string(label), true)) return false;
    i = end + 1;
  }
  return true;
}

struct NamedCheck {
  std::string_view name; // the name in is_NAME and validate_NAME
  Check check;
  std::string_view compat; // type that stdlib recommends instead
  bool deprecated;         // is_NAME is deprecated
};
constexpr NamedCheck checks[] = {
    {"string", check_string, "String", true},     {"array", check_array, "Array", true},
    {"hash", check_hash, "Hash", false},          {"bool", check_bool, "Bool", true},
    {"integer", check_integer, "Integer", false}, {"numeric", check_numeric, "Numeric", true},
    {"float", check_float, "Float", true},        {"absolute_path", check_path, "Absolute_Path", true},
    {"ip_address", check_ip, "Ip_address", true}, {"ipv4_address", check_ip4, "Ipv4", true},
    {"ipv6_address", check_ip6, "Ipv6", true},    {"mac_address", check_mac, "", false},
    {"domain_name", check_domain, "", false},
};
const NamedCheck* find_check(std::string_view name) {
  for (const auto& c : checks)
    if (c.name == name) return &c;
  return nullptr;
}

void deprecated(FunctionCall& c, std::string_view key, std::string_view text) { c.call("deprecation", {c.string(key), c.string(text)}); }

/// The 4.x wrapper around a check: it reports the deprecation, then calls the old function.
Value is_wrapper(FunctionCall& c) {
  const NamedCheck* check = find_check(c.name.substr(3));
  // For IPv6, too, stdlib's message names the IPv4 function.
  deprecated(c, check->name == "ipv6_address" ? "is_ipv4_address" : c.name,
             fmt::format("This method is deprecated, please use match expressions with Stdlib::Compat::{} instead. They are described at "
                         "https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions.",
                         check->compat));
  return c.call_old(c.name, c.args);
}

Value is_check(FunctionCall& c) {
  const NamedCheck* check = find_check(c.name.substr(3));
  std::string_view name = check->name;
  bool any_number = name == "array" || name == "string"; // these ignore further arguments
  if (any_number ? c.size() == 0 : c.size() != 1) {
    bool bracketed = any_number || name == "hash" || name == "bool" || name == "absolute_path";
    c.fail(fmt::format("{}(): Wrong number of arguments given {}{} for 1{}", c.name, bracketed ? "(" : "", c.size(), bracketed ? ")" : ""));
  }
  if (name == "mac_address" && !c.args[0].is_string())
    c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(c.args[0])));
  return Value::boolean(check->check(c, c.args[0]));
}

/// Thrown when an old validator refuses a value.
struct Refused {
  std::string message;
};

/// validate_integer and validate_numeric: check one value or an array of values against bounds, both inclusive.
void validate_number(FunctionCall& c, std::string_view function, std::span<const Value> args, bool integers) {
  auto refuse = [&](std::string text) { throw Refused{fmt::format("{}(): {}", function, text)}; };
  if (args.empty() || args.size() > 3) refuse(fmt::format("Wrong number of arguments; must be 1, 2 or 3, got {}", args.size()));
  std::string_view kind = integers ? "an Integer" : "a Numeric";
  struct Number {
    double d = 0;
    std::string shown;
  };
  auto number = [&](const std::string& text, Number& out) {
    if (integers) {
      int64_t i = 0;
      if (!ruby_integer(text, i)) return false;
      out = {static_cast<double>(i), std::to_string(i)};
      return true;
    }
    if (!ruby_float(text, out.d)) return false;
    out.shown = format_float(out.d);
    return true;
  };
  std::optional<Number> max, min;
  if (args.size() > 1) {
    std::string text = ruby_to_s(c.types(), args[1]);
    if (args.size() == 2 || !text.empty()) {
      max.emplace();
      if (!number(text, *max)) refuse(fmt::format("Expected second argument to be unset or {}, got {}:String", kind, text));
    }
  }
  if (args.size() > 2) {
    min.emplace();
    std::string text = ruby_to_s(c.types(), args[2]);
    if (!number(text, *min))
      refuse(fmt::format("Expected third argument to be unset or {}, got {}:{}", kind, text, ruby_class_name(args[2])));
  }
  if (min && max && min->d > max->d)
    refuse(fmt::format("Expected second argument to be larger than third argument, got {} < {}", max->shown, min->shown));
  auto in_bounds = [&](const Number& n, const std::string& shown) {
    if (max && n.d > max->d) refuse(fmt::format("Expected {0} to be smaller or equal to {1}, got {0}.", shown, max->shown));
    if (min && n.d < min->d) refuse(fmt::format("Expected {0} to be greater or equal to {1}, got {0}.", shown, min->shown));
  };
  const Value& input = args[0];
  Number n;
  if (input.is_list()) {
    for (size_t i = 0; i < input.items().size(); ++i) {
      const Value& item = input.items()[i];
      if (item.is_hash() || !number(ruby_to_s(c.types(), item), n))
        refuse(fmt::format("Expected element at array position {} to be {}, got {}", i, kind, ruby_class_name(item)));
      in_bounds(n, ruby_inspect(c.types(), input));
    }
  } else if (input.is_hash()) {
    throw Refused{fmt::format("validate_integer(): Expected first argument to be {} or Array, got Hash", kind)}; // in validate_numeric, too
  } else {
    if (!number(ruby_to_s(c.types(), input), n))
      refuse(fmt::format("Expected first argument to be {} or Array, got {}", kind, ruby_class_name(input)));
    in_bounds(n, n.shown);
  }
}

/// validate_slength: checks the longest and the shortest length of a text, or of each text in an array.
void validate_length(FunctionCall& c, std::span<const Value> args) {
  auto refuse = [&](std::string text) { throw Refused{fmt::format("validate_slength(): {}", text)}; };
  if (args.size() != 2 && args.size() != 3) refuse(fmt::format("Wrong number of arguments ({}; must be 2 or 3)", args.size()));
  auto length = [&](const Value& v, int64_t least, int64_t& out, std::string_view expected) {
    out = v.is_int() ? v.i : v.is_float() ? static_cast<int64_t>(v.d) : 0;
    bool read = v.is_number() || (v.is_string() && ruby_integer(v.str(), out));
    if (read && out >= least) return;
    refuse(fmt::format("Expected {}, got {}:{}", expected, read ? std::to_string(out) : ruby_to_s(c.types(), v),
                       read ? "Integer" : ruby_class_name(v)));
  };
  int64_t max = 0, min = 0;
  length(args[1], 1, max, "second argument to be a positive Numeric");
  if (args.size() > 2 && args[2].truthy()) length(args[2], 0, min, "third argument to be unset or a positive Numeric");
  if (max < min) refuse("Expected second argument to be equal to or larger than third argument");
  const Value& input = args[0];
  auto characters = [](std::string_view s) {
    int64_t n = 0;
    for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
    return n;
  };
  auto fits = [&](std::string_view s) {
    int64_t n = characters(s);
    if (n <= max && n >= min) return;
    int64_t shown = input.is_list() ? static_cast<int64_t>(input.items().size()) : n;
    refuse(fmt::format("Expected length of {} to be between {} and {}, was {}", ruby_inspect(c.types(), input), min, max, shown));
  };
  if (input.is_string()) return fits(input.str());
  if (!input.is_list()) refuse(fmt::format("Expected first argument to be a String or Array, got {}", ruby_class_name(input)));
  for (size_t i = 0; i < input.items().size(); ++i) {
    const Value& item = input.items()[i];
    if (!item.is_string()) refuse(fmt::format("Expected element at array position {} to be a String, got {}", i, ruby_class_name(item)));
    fits(item.str());
  }
}

void validate_pattern(FunctionCall& c, std::span<const Value> args) {
  if (args.size() < 2 || args.size() > 3)
    throw Refused{fmt::format("validate_re(): wrong number of arguments ({}; must be 2 or 3)", args.size())};
  const Value& text = args[0];
  if (!text.is_string()) throw Refused{fmt::format("validate_re(): input needs to be a String, not a {}", ruby_class_name(text))};
  std::vector<Value> patterns;
  flatten_into(args[1], patterns);
  for (const Value& p : patterns) {
    if (p.is(Kind::Regex) && p.regex->matches(text.str())) return;
    if (p.is(Kind::Regex)) continue;
    if (!p.is_string()) throw Refused{fmt::format("no implicit conversion of {} into String", conversion_name(p))};
    try {
      if (c.types().regexes.get(p.str())->matches(text.str())) return;
    } catch (const RegexError& e) { throw Refused{fmt::format("{}: /{}/", e.message, p.str())}; }
  }
  bool told = args.size() > 2 && args[2].truthy();
  throw Refused{told ? ruby_to_s(c.types(), args[2])
                     : fmt::format("validate_re(): {} does not match {}", ruby_inspect(c.types(), text), ruby_inspect(c.types(), args[1]))};
}

/// The verdict of an old validator: empty = accepted, else the error's text.
std::string old_verdict(FunctionCall& c, std::string_view function, std::span<const Value> args) {
  auto shown = [&](const Value& v) { return ruby_inspect(c.types(), v); };
  std::string_view name = function.starts_with("validate_") ? function.substr(9) : function;
  try {
    if (name == "re") return validate_pattern(c, args), "";
    if (name == "slength") return validate_length(c, args), "";
    if (name == "integer" || name == "numeric") return validate_number(c, function, args, name == "integer"), "";
  } catch (const Refused& refused) { return refused.message; }
  const NamedCheck* check = find_check(name);
  if (check == nullptr) c.fail(fmt::format("validate_legacy(): the function '{}' is not known", function));
  if (args.empty()) return fmt::format("{}(): wrong number of arguments (0; must be > 0)", function);
  for (const Value& v : args) {
    if (name == "absolute_path") {
      for (const Value& path : v.is_list() ? std::vector<Value>(v.items().begin(), v.items().end()) : std::vector<Value>{v})
        if (!check_path(c, path)) return fmt::format("{} is not an absolute path.", shown(path));
    } else if (name.starts_with("ip")) {
      if (!v.is_string()) return fmt::format("{} is not a string.", shown(v));
      if (!check->check(c, v))
        return fmt::format("{} is not a valid {} address.", shown(v),
                           name == "ip_address"     ? "IP"
                           : name == "ipv4_address" ? "IPv4"
                                                    : "IPv6");
    } else if (name == "string" ? !v.is_string() && !v.is_undef() : !check->check(c, v)) {
      return fmt::format("{} is not a{} {}.  It looks to be a {}", shown(v), name == "array" ? "n" : "",
                         name == "bool"    ? "boolean"
                         : name == "hash"  ? "Hash"
                         : name == "array" ? "Array"
                                           : name,
                         ruby_class_name(v));
    }
  }
  return {};
}

/// The type that stdlib's message recommends instead of a validator.
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
    if (!check_domain(c, v)) c.fail(fmt::format("{} is not a syntactically correct domain name", ruby_inspect(c.types(), v)));
  }
  return Value::undef();
}

Value validate(FunctionCall& c) {
  std::string error = old_verdict(c, c.name, c.args);
  if (!error.empty()) c.fail(error);
  return Value::undef();
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

Value enclose_ipv6(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("enclose_ipv6(): Wrong number of arguments given {} for 1", c.size()));
  Value v = legacy_argument(c, 0);
  if (!v.is_string() && !v.is_list())
    c.fail(fmt::format("enclose_ipv6(): Wrong argument type given {} expected String or Array", ruby_class_name(v)));
  std::vector<Value> flat, out;
  flatten_into(v, flat);
  for (const Value& one : flat) {
    if (one.is_undef()) continue;
    Value kept = one;
    if (!one.is_string() || one.str() != "*") {
      std::string text = ruby_to_s(c.types(), one);
      auto ip = parse_ip_address(text);
      if (!ip) c.fail(fmt::format("enclose_ipv6(): Wrong argument given {} is not an ip address.", text));
      if (ip->family == 6) { // the address of the network, in short form
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

#define LEGACY(code)                                                                                                                       \
  {                                                                                                                                        \
    { "3.x", code }                                                                                                                        \
  }
// Deprecated functions have a 4.x wrapper, which takes no lambda.
#define IS_BODY(name, variant)                                                                                                             \
  { "is_" name, "Whether a value is of the kind that the name says.", LEGACY(is_check), FunctionTrait::None, "stdlib", variant }
#define IS(name)                                                                                                                           \
  {"is_" name,                                                                                                                             \
   "Deprecated: whether a value is of the kind that the name says.",                                                                       \
   {{"Any $args*", is_wrapper}},                                                                                                           \
   FunctionTrait::None,                                                                                                                    \
   "stdlib"},                                                                                                                              \
      IS_BODY(name, "3.x")
#define VALIDATE(name)                                                                                                                     \
  {"validate_" name,                                                                                                                       \
   "Deprecated: fails unless the values are of the kind that the name says.",                                                              \
   {{"Any $args*", validate_wrapper}},                                                                                                     \
   FunctionTrait::Statement,                                                                                                               \
   "stdlib"},                                                                                                                              \
  {                                                                                                                                        \
    "validate_" name, "Fails unless the values are of the kind that the name says.", LEGACY(validate), FunctionTrait::Statement, "stdlib", \
        "3.x"                                                                                                                              \
  }
const FunctionEntry stdlib_check_table[] = {
    IS("string"),
    IS("array"),
    IS_BODY("hash", ""),
    IS("bool"),
    IS_BODY("integer", ""),
    IS("numeric"),
    IS("float"),
    IS("absolute_path"),
    IS("ip_address"),
    IS("ipv4_address"),
    IS("ipv6_address"),
    IS_BODY("mac_address", ""),
    IS_BODY("domain_name", ""),
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
    {"validate_domain_name", "Fails unless the texts are domain names.", LEGACY(validate_domain_name), FunctionTrait::Statement, "stdlib"},
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
    {"enclose_ipv6", "Addresses with those of IPv6 in square brackets, each once.", LEGACY(enclose_ipv6), FunctionTrait::None, "stdlib"},
};

} // namespace

FunctionTable stdlib_check_functions() { return stdlib_check_table; }

} // namespace pupc::compiler
