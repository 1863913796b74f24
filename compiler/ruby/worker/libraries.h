#pragma once
// The directories in which the Ruby code of an environment's modules finds its libraries.
#include "compiler/load/environment.h"

#include <algorithm>
#include <filesystem>

namespace pupc::compiler {

/// The lib directories that Puppet's autoloader searches for types, providers and old functions: those of all directories on the
/// modulepath, also of modules whose metadata.json Puppet refuses and of directories that cannot be modules by their names.
inline std::vector<std::string> autoload_directories(const Environment& environment) {
  std::vector<std::string> out;
  for (const std::string& path : environment.options().modulepath) {
    const size_t begin = out.size();
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().native().starts_with('.')) continue;
      if (std::string lib = entry->path() / "lib"; environment.path_exists(lib)) out.push_back(std::move(lib));
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  }
  return out;
}

struct RubyLibraries {
  std::vector<std::string> directories; // the lib directories of the modules, in order of the modulepath
  std::string key;                      // identifies the list of directories: each worker serves only one list
};

inline RubyLibraries ruby_libraries(const Environment& environment) {
  RubyLibraries out;
  for (const Module& module : environment.modules())
    if (std::string lib = module.path + "/lib"; environment.path_exists(lib)) out.directories.push_back(std::move(lib));
  for (std::string& lib : autoload_directories(environment))
    if (std::find(out.directories.begin(), out.directories.end(), lib) == out.directories.end()) out.directories.push_back(std::move(lib));
  for (const std::string& lib : out.directories) out.key += lib + ':';
  return out;
}

} // namespace pupc::compiler
