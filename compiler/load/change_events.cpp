#include "compiler/load/change_events.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace pupc::compiler {
namespace {

constexpr int most_links = 40; // as the kernel's own limit

// Names come and go (and change their access) in a directory; a file's content changes. The file's name is its directory's matter.
constexpr uint32_t names_change = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR | IN_DONT_FOLLOW;
constexpr uint32_t content_changes = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW;

std::string joined(const std::string& directory, std::string_view name) {
  std::string out = directory == "/" ? directory : directory + "/";
  return out += name;
}

/// The parts of a path before and after its last slash; of "/a" they are "/" and "a".
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return {slash == 0 ? path.substr(0, 1) : path.substr(0, slash), path.substr(slash + 1)};
}

/// Where a link leads, as a path from the root.
std::string target_of(const std::string& directory, const std::string& link) {
  std::array<char, 4096> buffer;
  const ssize_t size = ::readlink(link.c_str(), buffer.data(), buffer.size());
  if (size <= 0 || static_cast<size_t>(size) == buffer.size()) return {};
  const std::string_view target(buffer.data(), static_cast<size_t>(size));
  return target.starts_with('/') ? std::string(target) : joined(directory, target);
}

} // namespace

std::unique_ptr<ChangeEvents> ChangeEvents::open() {
  const int events = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (events < 0) return nullptr;
  const int mounts = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  std::unique_ptr<ChangeEvents> out(new ChangeEvents(events, mounts));
  return mounts < 0 ? nullptr : std::move(out);
}

ChangeEvents::~ChangeEvents() {
  ::close(events_);
  if (mounts_ >= 0) ::close(mounts_);
}

/// Only file systems whose every change passes through this kernel. Those that can be rolled back below it (ZFS) are none.
bool ChangeEvents::local(const std::string& path, dev_t device) {
  auto [known, unseen] = local_.try_emplace(device, false);
  if (!unseen) return known->second;
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return false;
  switch (static_cast<uint32_t>(info.f_type)) {
  case EXT4_SUPER_MAGIC: // ext2 and ext3, too
  case XFS_SUPER_MAGIC:
  case BTRFS_SUPER_MAGIC:
  case F2FS_SUPER_MAGIC:
  case TMPFS_MAGIC:
  case RAMFS_MAGIC:
  case OVERLAYFS_SUPER_MAGIC:
  case SQUASHFS_MAGIC:
  case EROFS_SUPER_MAGIC_V1:
  case ISOFS_SUPER_MAGIC: known->second = true; break;
  default: break;
  }
  return known->second;
}

/// What `name` in `parent` leads to, if that is a directory. Whatever it is, its changes are told from here on.
const ChangeEvents::Directory* ChangeEvents::enter(const Directory& parent, std::string_view name, int links) {
  if (name.empty() || name == ".") return &parent;
  if (name == "..") return directory(split(parent.path).first, links);
  names_[parent.watch].some.emplace(name);
  const std::string path = joined(parent.path, name);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return nullptr;
  if (S_ISLNK(info.st_mode)) {
    const std::string target = target_of(parent.path, path);
    if (target.empty() || links >= most_links) return nullptr;
    return directory(target, links + 1);
  }
  if (!S_ISDIR(info.st_mode)) return nullptr;
  Directory entered{path, local(path, info.st_dev) ? ::inotify_add_watch(events_, path.c_str(), names_change) : -1};
  if (entered.watch < 0) {
    failed_ = true;
    return nullptr;
  }
  return &directories_.insert_or_assign(path, std::move(entered)).first->second;
}

const ChangeEvents::Directory* ChangeEvents::directory(std::string_view path, int links) {
  if (auto known = directories_.find(path); known != directories_.end()) return &known->second;
  if (path == "/") {
    const int watch = ::inotify_add_watch(events_, "/", names_change);
    struct stat info {};
    if (watch < 0 || ::stat("/", &info) != 0 || !local("/", info.st_dev)) {
      failed_ = true;
      return nullptr;
    }
    return &directories_.emplace("/", Directory{"/", watch}).first->second;
  }
  const auto [before, name] = split(path);
  const Directory* parent = directory(before, links);
  const Directory* found = parent != nullptr ? enter(*parent, name, links) : nullptr;
  return found == nullptr ? nullptr : &directories_.emplace(path, Directory(*found)).first->second;
}

bool ChangeEvents::add(std::string_view path) {
  if (!path.starts_with('/')) return false;
  failed_ = false;
  return add(path, 0) && !failed_;
}

bool ChangeEvents::add(std::string_view path, int links) {
  if (path == "/") {
    const Directory* root = directory(path, links);
    if (root != nullptr) names_[root->watch].all = true;
    return root != nullptr;
  }
  const auto [before, name] = split(path);
  const Directory* parent = directory(before, links);
  if (parent == nullptr || name.empty() || name == "." || name == "..") {
    // Not there, which the last directory that is will tell; or an odd spelling of a directory.
    const Directory* whole = parent != nullptr ? directory(path, links) : nullptr;
    if (whole != nullptr) names_[whole->watch].all = true;
    return !failed_;
  }
  names_[parent->watch].some.emplace(name);
  const std::string place = joined(parent->path, name);
  struct stat info {};
  if (::lstat(place.c_str(), &info) != 0) return true;
  if (S_ISLNK(info.st_mode)) {
    const std::string target = target_of(parent->path, place);
    return target.empty() || links >= most_links || add(target, links + 1);
  }
  if (S_ISDIR(info.st_mode)) {
    const Directory* listed = directory(place, links);
    if (listed != nullptr) names_[listed->watch].all = true;
    return !failed_;
  }
  return local(place, info.st_dev) && ::inotify_add_watch(events_, place.c_str(), content_changes) >= 0;
}

bool ChangeEvents::matters(int watch, uint32_t what, std::string_view name) const {
  if ((what & IN_IGNORED) != 0) return true; // what was watched is gone
  auto directory = names_.find(watch);
  if (directory == names_.end() || name.empty()) return true; // a file, or the directory itself
  return directory->second.some.contains(name) || (directory->second.all && (what & IN_ATTRIB) == 0);
}

ChangeEvents::News ChangeEvents::news() {
  std::array<pollfd, 2> waiting{{{events_, POLLIN, 0}, {mounts_, POLLPRI, 0}}};
  const int ready = ::poll(waiting.data(), waiting.size(), 0);
  if (ready == 0) return News::None;
  if (ready < 0) return News::Changed;
  News out = waiting[1].revents != 0 ? News::Mounts : News::None;
  alignas(inotify_event) std::array<char, 16384> buffer;
  while (waiting[0].revents != 0) {
    const ssize_t size = ::read(events_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size < 0 && errno == EAGAIN ? out : News::Changed;
    for (const char* at = buffer.data(); at < buffer.data() + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      const char* name = at + sizeof event;
      if ((event.mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) != 0 || matters(event.wd, event.mask, {name, ::strnlen(name, event.len)}))
        return News::Changed;
      at = name + event.len;
    }
  }
  return out;
}

} // namespace pupc::compiler
