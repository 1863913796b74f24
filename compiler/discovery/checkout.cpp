#include "compiler/discovery/checkout.h"

#include "catalog/base/paths.h"
#include "compiler/discovery/exists.h"
#include "compiler/discovery/repository.h"

#include <algorithm>
#include <filesystem>

namespace pupc::compiler {
namespace {

/// Whether a directory is one environment. A module may have a Puppetfile for its tests.
bool is_environment(const std::string& directory) {
  if (exists(directory + "/environment.conf")) return true;
  if (exists(directory + "/metadata.json")) return false;
  if (exists(directory + "/Puppetfile")) return true;
  const bool main = is_directory(directory + "/manifests") || exists(directory + "/hiera.yaml");
  return main && (is_directory(directory + "/modules") || is_directory(directory + "/site-modules") || is_directory(directory + "/site"));
}

/// Whether one of the directories in it is an environment, or has main manifests.
bool has_environments(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    if (is_environment(entry.path().string()) || is_directory(entry.path().string() + "/manifests")) return true;
  return false;
}

} // namespace

std::optional<Checkout> checkout_around(const std::string& directory) {
  std::string here = absolute_path(directory);
  while (here.size() > 1) {
    if (is_environment(here)) return Checkout{here, ""};
    if (has_environments(here + "/environments")) return Checkout{"", here + "/environments"};
    if (exists(here + "/.git")) break;
    here.resize(std::max<size_t>(here.rfind('/'), 0));
  }
  return std::nullopt;
}

EnvironmentOptions environment_of_checkout(const std::string& directory, const std::vector<std::string>& basemodulepath, LogSink* log) {
  EnvironmentOptions options = environment_of_directory(directory, basemodulepath, log);
  auto add = [&](const std::string& modules) {
    auto& path = options.modulepath;
    if (is_directory(modules) && std::find(path.begin(), path.end(), modules) == path.end()) path.push_back(modules);
  };
  if (!exists(options.path + "/environment.conf"))
    for (const char* own : {"/site-modules", "/site", "/dist", "/local"}) add(options.path + own);
  if (const auto text = read_whole_file(options.path + "/Puppetfile")) add(absolute_path(read_puppetfile(*text).directory, options.path));
  return options;
}

} // namespace pupc::compiler
