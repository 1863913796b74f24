// stdlib functions on addresses, names and the node's interfaces.
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Value variable(FunctionCall& c, std::string_view name) {
  Value v;
  return c.evaluator.lookup_variable(name, c.frame, v) ? v : Value::undef();
}

/// Whether the node has an interface of this name, or an interface with a fact (`ipaddress_eth0`) of this value.
bool has_interface(FunctionCall& c, std::span<const Value> args) {
  Value interfaces = variable(c, "interfaces");
  if (!interfaces.is_string()) return false;
  std::string_view list = interfaces.str();
  std::vector<std::string_view> names;
  for (size_t i = 0; i <= list.size();) {
    size_t end = std::min(list.find(',', i), list.size());
    if (end > i) names.push_back(list.substr(i, end - i));
    i = end + 1;
  }
  if (args.size() == 1) return args[0].is_string() && std::find(names.begin(), names.end(), args[0].str()) != names.end();
  if (!args[0].is_string()) return false;
  std::string kind(args[0].str());
  if (eql(variable(c, kind), args[1])) return true;
  for (std::string_view name : names) {
    std::string fact = kind + "_";
    for (char ch : name) fact += ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
    if (eql(variable(c, fact), args[1])) return true;
  }
  return false;
}

Value has_interface_with(FunctionCall& c) {
  if (c.size() == 0 || c.size() > 2) c.fail(fmt::format("has_interface_with(): Wrong number of arguments given ({} for 1 or 2)", c.size()));
  if (Value ignored; !c.evaluator.lookup_variable("interfaces", c.frame, ignored)) return c.run_file(); // an error where it is strict
  return Value::boolean(has_interface(c, c.args));
}
template <bool Network> Value has_address(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("{}(): Wrong number of arguments given ({} for 1)", c.name, c.size()));
  for (std::string_view method : {"loaded?", "load"})
    if (c.evaluator.settings().strict != Strict::Off)
      c.warn_once(fmt::format("autoloader {}", method),
                  fmt::format("The method 'Puppet::Parser::Functions.autoloader#{}(\"has_interface_with\")' is deprecated in favor of "
                              "using 'Scope#call_function'.",
                              method));
  return c.call_old("has_interface_with", {Value::string(Network ? "network" : "ipaddress"), c.args[0]});
}

const FunctionEntry stdlib_network_table[] = {
    {"has_interface_with",
     "Whether the node has an interface of a name, or one whose fact (`ipaddress`, `netmask`, `macaddress`, `network`) has a value.",
     {{"3.x", has_interface_with}}},
    {"has_ip_address", "Whether an interface of the node has an address.", {{"3.x", has_address<false>}}},
    {"has_ip_network", "Whether an interface of the node is in a network.", {{"3.x", has_address<true>}}},
};

} // namespace

FunctionTable stdlib_network_functions() { return stdlib_network_table; }

} // namespace pupc::compiler
