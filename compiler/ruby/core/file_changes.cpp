#include "compiler/ruby/core/file_changes.h"

#include "catalog/base/paths.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace pupc::compiler::ruby {
namespace {

/// Opens a file, which is made with these permissions, and writes a text.
bool write_text(const std::string& path, std::string_view text, int how, mode_t mode) {
  const int file = ::open(catalog::system_path(path), O_WRONLY | O_CREAT | O_CLOEXEC | how, mode);
  if (file < 0) return false;
  bool good = true;
  while (good && !text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    good = n >= 0 || errno == EINTR;
    text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
  }
  return ::close(file) == 0 && good;
}

} // namespace

/// Keeps what a file is now. False: it could not be put back.
bool FileChanges::note(const std::string& path, bool with_text) {
  Before before{path, std::nullopt, std::nullopt};
  struct stat state {};
  if (::lstat(catalog::system_path(path), &state) == 0) {
    before.state = state;
    if (!S_ISREG(state.st_mode) && (with_text || !S_ISDIR(state.st_mode))) return false;
    if (with_text && !(before.text = read_whole_file(path))) return false;
  } else if (errno != ENOENT) {
    return false;
  }
  before_.push_back(std::move(before));
  return true;
}

/// `there`: also good where somebody has made it by now, as another compile may.
bool FileChanges::make_directory(const std::string& path, bool there) {
  if (!note(path, false)) return false;
  if (::mkdir(catalog::system_path(path), 0777) == 0) return true;
  const int error = errno;
  before_.pop_back();
  return there && error == EEXIST && catalog::is_directory(path);
}

bool FileChanges::write(const std::string& path, std::string_view text, bool append, mode_t mode) {
  return note(path, true) && write_text(path, text, append ? O_APPEND : O_TRUNC, mode);
}

bool FileChanges::set_owner(const std::string& path, int64_t user, int64_t group) {
  return note(path, false) && ::chown(catalog::system_path(path), static_cast<uid_t>(user), static_cast<gid_t>(group)) == 0;
}

bool FileChanges::set_mode(const std::string& path, mode_t mode) {
  return note(path, false) && ::chmod(catalog::system_path(path), mode) == 0;
}

bool FileChanges::remove(const std::string& path) { return note(path, true) && ::unlink(catalog::system_path(path)) == 0; }

/// What was noted was no link: what has become one since is another user's doing, and nobody writes through it.
void FileChanges::undo() {
  for (; !before_.empty(); before_.pop_back()) {
    const Before& was = before_.back();
    const char* path = catalog::system_path(was.path);
    if (!was.state) {
      std::remove(path);
      continue;
    }
    if (was.text) write_text(was.path, *was.text, O_TRUNC | O_NOFOLLOW, was.state->st_mode & 07777);
    if (::lchown(path, was.state->st_uid, was.state->st_gid) == 0)
      ::fchmodat(AT_FDCWD, path, was.state->st_mode & 07777, AT_SYMLINK_NOFOLLOW);
    const timespec times[] = {was.state->st_atim, was.state->st_mtim};
    ::utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
  }
}

} // namespace pupc::compiler::ruby
