#include "catalog/schema/metaparameters.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

constexpr Symbol reference[] = {sym::noop,    sym::schedule,  sym::audit,  sym::loglevel, sym::alias, sym::tag,
                                sym::require, sym::subscribe, sym::before, sym::notify,   sym::stage};
constexpr Symbol guards[] = {sym::only_if, sym::not_if, sym::guard_interpreter};

} // namespace

std::span<const Symbol> metaparameters() { return reference; }
std::span<const Symbol> guard_metaparameters() { return guards; }

bool is_metaparameter(Symbol name) {
  return std::find(std::begin(reference), std::end(reference), name) != std::end(reference) || is_guard_metaparameter(name);
}

bool is_guard_metaparameter(Symbol name) { return std::find(std::begin(guards), std::end(guards), name) != std::end(guards); }

} // namespace pupc::catalog
