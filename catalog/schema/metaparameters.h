#pragma once
// Attributes that every resource may have.
#include "catalog/base/symbol.h"

#include <span>
#include <string_view>

namespace pupc::catalog {

/// Puppet's metaparameters in its order: noop schedule audit loglevel alias tag require subscribe before notify stage.
std::span<const Symbol> metaparameters();
/// pupc's own, which Puppet does not know: only_if not_if guard_interpreter.
std::span<const Symbol> guard_metaparameters();
/// Whether the name is a metaparameter, of Puppet or pupc's own.
bool is_metaparameter(Symbol name);
/// require, subscribe, before, notify.
inline bool is_relationship(Symbol name) {
  return name == sym::before || name == sym::notify || name == sym::require || name == sym::subscribe;
}
/// Whether the name is one of pupc's guards.
bool is_guard_metaparameter(Symbol name);
/// What a metaparameter or guard is for; empty for other names.
std::string_view metaparameter_manual(Symbol name);

} // namespace pupc::catalog
