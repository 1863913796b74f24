#include "tools/pupc/settings/trusted_directory.h"

#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {

bool belongs_to_caller(const std::string& directory) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return false;
  if ((info.st_mode & (::geteuid() == 0 ? 0022 : 0002)) != 0) return false;
  if (info.st_uid == 0 || info.st_uid == ::geteuid()) return true;
  const char* caller = ::geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
  return caller != nullptr && std::to_string(info.st_uid) == caller;
}

} // namespace pupc::cli
