#pragma once
// The directories in which the Ruby code of an environment's modules finds its libraries.
#include "compiler/load/environment.h"

namespace pupc {

struct RubyLibraries {
  std::vector<std::string> directories; // the lib directories of the modules, in order of the modulepath
  std::string key;                      // identifies the list of directories: each worker serves only one list
};

inline RubyLibraries ruby_libraries(const Environment& environment) {
  RubyLibraries out;
  for (const Module& module : environment.modules()) {
    std::string lib = module.path + "/lib";
    if (!environment.path_exists(lib)) continue;
    out.key += lib + ':';
    out.directories.push_back(std::move(lib));
  }
  return out;
}

} // namespace pupc
