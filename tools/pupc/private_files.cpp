#include "tools/pupc/private_files.h"

#include <cerrno>

namespace pupc::cli {

void write_private_file(System& system, const std::string& path, std::string_view text) {
  const auto there = system.stat(path);
  if (is_own_descriptor(path) || (there && there->type != FileType::File && there->type != FileType::Directory))
    system.overwrite_file(path, text);
  else
    system.write_file(path, text, 0640, std::nullopt, std::nullopt, false);
}

void make_private_directories(System& system, const std::string& path, std::optional<uint32_t> trusted) {
  const auto there = system.stat(path);
  if (!there) {
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash != 0 && !system.stat(path.substr(0, slash)))
      make_private_directories(system, path.substr(0, slash), trusted);
    system.make_directory(path, 0750);
    return;
  }
  if (there->type != FileType::Directory) throw SystemError(ENOTDIR, path);
  const uint32_t self = system.effective_uid();
  const bool ours = there->uid == self || there->uid == trusted;
  if (!ours && there->uid != 0) throw SystemError(EPERM, path);
  if (ours && (there->mode & 0022) != 0 && (there->mode & 01000) == 0) system.set_mode(path, there->mode & ~0022U);
}

} // namespace pupc::cli
