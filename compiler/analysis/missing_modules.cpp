// Modules that are not here: what is used of them is not known, and each is told once.
#include "catalog/base/text.h"
#include "compiler/analysis/walker.h"

#include <fmt/format.h>

namespace pupc::compiler {
/// The known name that one slip makes of this one, as advice; empty when there is none.
std::string Walker::near_name(std::string_view name, std::span<const std::string_view> known) const {
  if (name.size() < 4) return {};
  for (std::string_view k : known)
    if (one_slip_apart(name, k)) return fmt::format("Did you mean '{}'?", k);
  return {};
}

/// Whether the name is of a module that is not here; then the use counts. `bare`: the name is that of the module, and the use does not
/// write it.
bool Walker::note_missing_module(const Node& at, std::string_view name, bool bare) {
  name = without_leading_colons(name);
  const size_t cut = name.find("::");
  const std::string module = ascii_lower(name.substr(0, cut));
  const auto [known, fresh] = module_missing_.try_emplace(intern(module), false);
  if (fresh)
    known->second = (program_.environment().find_module(module) == nullptr || program_.lists_missing(module)) &&
                    !program_.defines_below(module) && !program_.in_broken(module) && !module.empty() && !program_.made_in_ruby(module);
  if (!known->second || program_.in_broken(name)) return false;
  if (!file_->asked) return true;
  MissingModule& missing = missing_modules_[module];
  const SourceFile* source = inline_text_ ? inline_text_->source : source_;
  const Node& place = inline_text_ ? *inline_text_->at : at;
  if (!missing.places.emplace(source, place.offset).second) return true;
  missing.qualified = missing.qualified || bare || cut != std::string_view::npos;
  const auto same_line = [&](const MissingModule::Place& p) {
    return p.source == source && p.source->line(p.offset) == source->line(place.offset);
  };
  if (missing.first.size() < 3 && std::ranges::none_of(missing.first, same_line))
    missing.first.push_back({source, place.offset, place.length});
  return true;
}

/// One finding for each such module, at the first use.
void Walker::report_missing_modules() {
  for (const auto& [name, module] : missing_modules_) {
    if (module.first.empty()) continue;
    const MissingModule::Place& first = module.first.front();
    std::string others;
    for (const MissingModule::Place& p : std::span(module.first).subspan(1))
      others += fmt::format("{}{}:{}", others.empty() ? "" : ", ", p.source->path(), p.source->line(p.offset));
    const size_t uses = module.places.size();
    const std::string used = uses == 1 ? std::string()
                                       : fmt::format("; it is used at {} places, here{}{}{}", uses, others.empty() ? "" : " and at ",
                                                     others, uses > 3 ? ", …" : "");
    const auto told = [&](CheckCode code, std::string message, std::string suggestion, Severity severity) {
      findings_.add(code, *first.source, first.offset, first.length, message + used, std::move(suggestion), severity);
    };
    if (program_.lists_missing(name)) {
      told(CheckCode::no_such_module, fmt::format("The module '{}' is not installed, so what is used of it is not known", name),
           program_.environment().find_module(name) == nullptr ? "The Puppetfile lists it: `pupc modules install` gets it."
                                                               : "Its folder is empty: `git submodule update --init` gets a submodule.",
           Severity::Warning);
    } else if (!program_.whole()) {
      told(CheckCode::no_such_module, fmt::format("The module '{}' is not on the modulepath, so what is used of it is not known", name), {},
           Severity::Hint);
    } else if (module.qualified) {
      std::vector<std::string_view> modules;
      for (const Module& m : program_.environment().modules()) modules.push_back(m.name);
      for (const std::string& m : program_.missing()) modules.push_back(m);
      told(CheckCode::no_such_module, fmt::format("The module '{}' is not on the modulepath, and no Puppetfile lists it", name),
           did_you_mean(name, modules), Severity::Error);
    } else {
      told(CheckCode::no_such_class, fmt::format("There is no class '{}'", name), {}, Severity::Error);
    }
  }
}

} // namespace pupc::compiler
