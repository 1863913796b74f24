// The functions that stdlib 9 left under their old names when it moved them to its name space: they log a deprecation and call the new one.
// Those whose new one is native; of the others the interpreter runs both files (interpreted.cpp).
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

enum class Told : uint8_t { ByStrictness, AlwaysWarning, Nothing };
enum class CalledFrom : uint8_t { Top, Caller };

template <Told told, CalledFrom scope = CalledFrom::Top> Value forward(FunctionCall& c) {
  const std::string moved = fmt::format("stdlib::{}", c.name);
  if (told != Told::Nothing) {
    Value text = c.string(fmt::format("This function is deprecated, please use {} instead.", moved));
    if (told == Told::AlwaysWarning)
      c.call("deprecation", {c.string(c.name), text, Value::boolean(false)});
    else
      c.call("deprecation", {c.string(c.name), text});
  }
  // A Ruby function's call_function uses the top scope: Class[main] contains the resources that the called function declares.
  // Since 9.2 the wrapper of ensure_packages calls from the scope that it was called in.
  Frame& from = scope == CalledFrom::Top ? *c.evaluator.catalog().top_scope().frame : c.frame;
  return c.evaluator.call_function_from(c.module(), moved, c.args, c.block, from, c.loc);
}

constexpr std::string_view moved_in_9_0[] = {"ensure_packages",
                                             "fqdn_rand_string",
                                             "has_interface_with",
                                             "parsehocon",
                                             "seeded_rand",
                                             "seeded_rand_string",
                                             "to_json",
                                             "to_json_pretty",
                                             "to_python",
                                             "to_ruby",
                                             "to_toml",
                                             "to_yaml",
                                             "type_of",
                                             "validate_domain_name",
                                             "validate_email_address"};
constexpr std::string_view moved_later[] = {"fqdn_rotate", "has_ip_address", "has_ip_network"};

std::vector<FunctionEntry> wrappers() {
  std::vector<FunctionEntry> table;
  constexpr std::string_view doc = "Deprecated: use the function of that name in the name space stdlib.";
  constexpr FunctionTrait traits = FunctionTrait::Statement | FunctionTrait::Effects;
  for (std::string_view name : moved_in_9_0)
    table.push_back({name, doc, {{"Any $args*", forward<Told::ByStrictness>}}, traits, "stdlib", "9.0"});
  for (std::span<const std::string_view> names :
       {std::span<const std::string_view>(moved_in_9_0), std::span<const std::string_view>(moved_later)})
    for (std::string_view name : names)
      if (name != "ensure_packages") table.push_back({name, doc, {{"Any $args*", forward<Told::AlwaysWarning>}}, traits, "stdlib", "9.2"});
  table.push_back({"ensure_packages", doc, {{"Any $args*", forward<Told::AlwaysWarning, CalledFrom::Caller>}}, traits, "stdlib", "9.2"});
  table.push_back({"time", doc, {{"Any $args*", forward<Told::Nothing>}}, FunctionTrait::Effects, "stdlib", "9.5"});
  return table;
}

} // namespace

FunctionTable stdlib_deprecated_functions() {
  static const std::vector<FunctionEntry> table = wrappers();
  return table;
}

} // namespace pupc::compiler
