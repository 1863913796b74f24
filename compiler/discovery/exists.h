#pragma once
#include <string>
#include <sys/stat.h>

namespace pupc::compiler {

/// Whether there is a file, directory or anything else at the path; links are followed.
inline bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

} // namespace pupc::compiler
