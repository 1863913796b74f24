#pragma once
// What a change of a catalog does to a machine: what is deleted, which services stop, restart or start, which commands run. A reviewer
// wants to know that before reading the changes themselves.
#include "catalog/diff/diff.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// In the order of their risk, which is that of the report.
enum class ImpactKind : uint8_t {
  Deletes,  // `ensure` becomes absent, purged or false
  Stops,    // a service is stopped now
  Restarts, // a change reaches a service by notify, subscribe or ~>
  Starts,   // a service is managed as running now
  Runs,     // a command is new, changed, or reached by notify
  Installs, // a package is new, or its version changes
  Accounts, // users, groups and their keys
  Abandons, // no longer in the catalog: what is on the machine stays as it is
  Files,    // files, directories and links
  Changes,  // everything else
};
inline constexpr int impact_kinds = 10;

struct Impact {
  ImpactKind kind;
  std::string reference;           // "Service[nginx]"
  std::vector<std::string> causes; // of Restarts and Runs: the changed resources that lead to it, in the catalog's order
};

/// The word that says it before the reference: "restarts", "no longer manages".
std::string_view impact_verb(ImpactKind kind);
/// The same as one word for programs: "restart", "abandon".
std::string_view impact_name(ImpactKind kind);

/// What follows on a machine from `diff`, the difference of these documents. As in a run of Puppet, a
/// changed resource notifies what its own `notify`, others' `subscribe` and those of its containers name, a container passes that on to
/// all that it contains, and what was refreshed notifies in turn. Guards of commands and the state of the machine are not known here: what
/// may happen is told. Classes and defined types are containers and have no effect of their own.
std::vector<Impact> impacts_of(const Value& before, const Value& after, const CatalogDiff& diff);

} // namespace pupc::catalog
