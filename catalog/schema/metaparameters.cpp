#include "catalog/schema/metaparameters.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

constexpr Symbol reference[] = {sym::noop,    sym::schedule,  sym::audit,  sym::loglevel, sym::alias, sym::tag,
                                sym::require, sym::subscribe, sym::before, sym::notify,   sym::stage};
constexpr Symbol guards[] = {sym::only_if, sym::not_if, sym::guard_interpreter};

struct Manual {
  Symbol name;
  std::string_view text;
};
constexpr Manual manuals[] = {
    {sym::noop, "Say what would change, and change nothing."},
    {sym::schedule, "Manage it only at the times of this schedule."},
    {sym::audit, "Tell changes that others made: names of properties, or all."},
    {sym::loglevel, "The level of what it logs (notice)."},
    {sym::alias, "Another title, for references."},
    {sym::tag, "More tags, for --tags and collectors."},
    {sym::require, "Come after these resources."},
    {sym::subscribe, "Come after these resources, and refresh when they change."},
    {sym::before, "Come before these resources."},
    {sym::notify, "Come before these resources, and refresh them on a change."},
    {sym::stage, "The stage of a class."},
    {sym::only_if, "A guard: manage it only when this holds."},
    {sym::not_if, "A guard: do not manage it when this holds."},
    {sym::guard_interpreter, "The script type whose interpreter runs the guards' commands."},
};

} // namespace

std::span<const Symbol> metaparameters() { return reference; }
std::span<const Symbol> guard_metaparameters() { return guards; }

bool is_metaparameter(Symbol name) {
  return std::find(std::begin(reference), std::end(reference), name) != std::end(reference) || is_guard_metaparameter(name);
}

bool is_guard_metaparameter(Symbol name) { return std::find(std::begin(guards), std::end(guards), name) != std::end(guards); }

std::string_view metaparameter_manual(Symbol name) {
  const auto found = std::ranges::find(manuals, name, &Manual::name);
  return found == std::end(manuals) ? std::string_view() : found->text;
}

} // namespace pupc::catalog
