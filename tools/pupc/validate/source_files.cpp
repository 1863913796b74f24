#include "tools/pupc/validate/source_files.h"

#include <cerrno>

namespace pupc::cli {

void replace_source(System& system, const std::string& path, const std::string& text) {
  const std::string target = system.followed(path);
  const auto status = system.stat(target);
  if (!status) throw SystemError(ENOENT, target);
  system.write_file(target, text, status->mode & 07777, status->uid, status->gid);
}

} // namespace pupc::cli
