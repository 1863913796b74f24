#pragma once
// The type aliases of modules, evaluated once per environment: their expressions hold only names and literals, so all compiles of an
// environment get the same type.
#include "compiler/load/environment.h"
#include "compiler/types/type.h"

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

/// A module's alias with its meaning. A compile may use it when each name in `uses` (followed to the end) means the same alias there:
/// a main manifest can define a type of the same name.
struct SharedAlias {
  std::string name;  // as the alias was asked for, without a leading ::
  std::string lower; // in lower case
  const TypeAliasEntry* entry = nullptr;
  const Type* type = nullptr;
  std::vector<const SharedAlias*> uses; // what its expression names, in that order
};

/// Thread-safe. An alias lives as long as the environment.
class SharedAliases : public EnvironmentAttachment {
public:
  /// The alias of that name. Null when each compile has to evaluate it itself: it is broken, stands for an Object, or names something
  /// else than built-in types and other such aliases. Never throws CompileError.
  const SharedAlias* find(const Environment& environment, std::string_view name);

private:
  class Loader;
  std::mutex mutex_;
  Arena arena_;
  RegexCache regexes_; // the types hold its patterns as long as the environment lives
  std::deque<SharedAlias> owned_;
  std::unordered_map<std::string, const SharedAlias*> known_; // null: not shared
};

} // namespace pupc::compiler
