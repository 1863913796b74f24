// Functions of widespread public modules: apache and openstacklib.
#include "catalog/value/ip_address.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool holds_ignoring_case(std::string_view text, std::string_view word) {
  auto it = std::search(text.begin(), text.end(), word.begin(), word.end(),
                        [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  return it != text.end();
}

Value bool2httpd(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_undef() || (v.is_bool() && !v.b) || (v.is_string() && holds_ignoring_case(v.str(), "false"))) return Value::string("Off");
  if (v.is_bool() || (v.is_string() && holds_ignoring_case(v.str(), "true"))) return Value::string("On");
  return c.string(ruby_to_s(c.types(), v));
}
/// Applies `change` to the arguments, or to the elements of the first when it is an array. One item gives a value, several give an array.
template <class Change> Value changed(FunctionCall& c, Change change) {
  std::span<const Value> items = c.size() > 0 && c.args[0].is_list() ? c.args[0].items() : c.args;
  std::vector<Value> out;
  for (const Value& v : items) out.push_back(change(v));
  return out.size() == 1 ? out[0] : make_list(c.arena(), out);
}

Value inet6_prefix(FunctionCall& c) {
  return changed(c, [&](const Value& v) {
    if (!v.is_string() || v.str().starts_with("inet6:")) return v;
    std::vector<std::string> parts(1);
    for (char ch : v.str()) {
      if (ch == '[' || ch == ']' || ch == ' ' || ch == '\t' || ch == '\n') {
        if (!parts.back().empty()) parts.emplace_back();
      } else {
        parts.back() += ch;
      }
    }
    auto ip = parse_ip_address(parts[0]);
    if (!ip || ip->family != 6) return v;
    std::string rest;
    for (size_t i = 1; i < parts.size(); ++i) rest += parts[i];
    return c.string(fmt::format("inet6:[{}]{}", parts[0], rest));
  });
}

const FunctionEntry other_module_table[] = {
    {"apache::bool2httpd",
     "On or Off of a boolean or a text that holds true or false; other values as text.",
     {{"Any $arg", bool2httpd}},
     FunctionTrait::None,
     "apache"},
    {"inet6_prefix",
     "Addresses with those of IPv6 as inet6:[address].",
     {{"Any $args*", inet6_prefix}},
     FunctionTrait::None,
     "openstacklib"},
};

} // namespace

FunctionTable other_module_functions() { return other_module_table; }

} // namespace pupc::compiler
