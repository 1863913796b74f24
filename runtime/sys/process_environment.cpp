#include "runtime/sys/process_environment.h"

#include <cstdlib>
#include <utility>
#include <vector>

namespace pupc::runtime {
namespace {

using Change = std::pair<std::string, std::optional<std::string>>;

std::vector<Change>& changes() {
  static std::vector<Change> all;
  return all;
}

bool has_directory(const std::string& path, const std::string& directory) {
  return (":" + path + ":").find(":" + directory + ":") != std::string::npos;
}

} // namespace

void set_process_environment(const std::string& name, const std::optional<std::string>& value) {
  const char* have = std::getenv(name.c_str());
  if (value ? have != nullptr && *value == have : have == nullptr) return;
  if (value)
    ::setenv(name.c_str(), value->c_str(), 1);
  else
    ::unsetenv(name.c_str());
  changes().emplace_back(name, value);
}

uint64_t process_environment_changes() { return changes().size(); }

void tell_process_environment(uint64_t seen,
                              const std::function<void(const std::string& name, const std::optional<std::string>& value)>& tell) {
  for (; seen < changes().size(); ++seen) tell(changes()[seen].first, changes()[seen].second);
}

void set_search_path(const std::string& wanted) {
  const char* have = std::getenv("PATH");
  std::string path = wanted != "none" ? wanted : have != nullptr ? have : "";
  for (const char* directory : {"/usr/sbin", "/sbin"})
    if (!has_directory(path, directory)) path += std::string(":") + directory;
  set_process_environment("PATH", path);
}

} // namespace pupc::runtime
