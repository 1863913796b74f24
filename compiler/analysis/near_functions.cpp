// The function that is meant by a name that none has.
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/foreign_functions.h"
#include "compiler/analysis/walker.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether one of the names is the plural of the other. Of short ones that is no slip.
bool is_plural(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() > 7 && b.size() == a.size() + 1 && b.back() == 's' && b.starts_with(a);
}

} // namespace

/// The names of the functions of all modules that are here, whatever they are written in.
const std::vector<std::string>& Walker::module_functions() {
  if (module_functions_) return *module_functions_;
  module_functions_.emplace();
  const auto add = [&](const std::string& folder, std::string_view extension, const std::string& before) {
    if (!program_.environment().path_exists(folder)) return;
    for (const std::string& name : names_of_files(folder, extension)) module_functions_->push_back(before + name);
  };
  for (const Module& module : program_.environment().modules()) {
    add(module.path + "/functions", ".pp", module.name + "::");
    add(module.path + "/lib/puppet/functions", ".rb", "");
    add(module.path + "/lib/puppet/parser/functions", ".rb", "");
  }
  return *module_functions_;
}

/// What is probably meant by a name without a module that is no slip of a letter: a plural, a function of a module that is here without the
/// module's name, another language's word. Empty when there is none.
std::string Walker::near_function(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return {};
  if (std::string advice = advice_for_foreign_function(name); !advice.empty()) return advice;
  const auto meant = [](std::string_view known) { return fmt::format("Did you mean '{}'?", known); };
  for (const FunctionEntry* f : program_.functions().entries())
    if (f->name != name && is_plural(name, f->name) && (f->module.empty() || program_.environment().find_module(f->module) != nullptr))
      return meant(f->name);
  for (const std::string& known : module_functions())
    if (is_plural(name, known)) return meant(known);
  // What has several words is hardly the name of two functions.
  const bool long_enough = name.size() > 8 && name.find('_') != std::string_view::npos;
  for (const std::string& known : module_functions())
    if (const size_t cut = known.rfind("::"); cut != std::string::npos)
      if (const std::string_view last = std::string_view(known).substr(cut + 2); long_enough && (last == name || is_plural(last, name)))
        return meant(known);
  return {};
}

} // namespace pupc::compiler
