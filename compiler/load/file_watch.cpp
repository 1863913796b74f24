#include "compiler/load/file_watch.h"

#include <cstdlib>
#include <ctime>

namespace pupc::compiler {
namespace {

// How long the kernel's word is enough. What it does not tell (a write to mapped memory) is seen after this time.
constexpr std::chrono::seconds kernel_is_trusted{1};

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

} // namespace

FileWatch::FileWatch(bool on) : on_(on), events_(on ? ChangeEvents::open() : nullptr) {}

FileWatch::Stamp FileWatch::stamp_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {true, info.st_ino, info.st_size, info.st_mtim, info.st_ctim};
}

void FileWatch::note(const std::string& path) {
  if (!on_) return;
  std::lock_guard lock(mutex_);
  std::string_view seen = path;
  while (true) {
    if (stamps_.contains(seen)) return;
    Stamp stamp = stamp_of(std::string(seen));
    // What is not there cannot come without a change of the innermost directory that is: many such paths share one.
    const size_t slash = seen.rfind('/');
    if (!stamp.exists && slash != std::string_view::npos && slash > 0) {
      seen = seen.substr(0, slash);
      continue;
    }
    if (stamp.exists && events_ != nullptr) {
      if (!events_->add(seen)) events_ = nullptr;
      stamp = stamp_of(std::string(seen)); // what happens from here on is told
    }
    if (stamp.exists) {
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME, &now);
      const long long age = (now.tv_sec - stamp.changed.tv_sec) * 1'000'000'000LL + (now.tv_nsec - stamp.changed.tv_nsec);
      // Some ticks of the kernel's clock, by which file systems tell the time. A time that lies ahead (the clock was set back) will not
      // come again.
      fresh_ |= std::abs(age) < 50'000'000;
    }
    stamps_.emplace(seen, stamp);
    return;
  }
}

bool FileWatch::told_by_kernel() const {
  std::lock_guard lock(mutex_);
  return events_ != nullptr;
}

size_t FileWatch::size() const {
  std::lock_guard lock(mutex_);
  return stamps_.size();
}

bool FileWatch::unchanged() {
  std::lock_guard lock(mutex_);
  // The kernel tells each change once, and several may ask.
  if (!changed_) changed_ = fresh_ || !told_unchanged();
  return !changed_;
}

bool FileWatch::told_unchanged() {
  if (events_ != nullptr) {
    const auto now = std::chrono::steady_clock::now();
    const ChangeEvents::News news = events_->news();
    if (news == ChangeEvents::News::Changed) return false;
    if (news == ChangeEvents::News::None && now - looked_ < kernel_is_trusted) return true;
    looked_ = now;
  }
  return looks_unchanged();
}

bool FileWatch::looks_unchanged() const {
  for (const auto& [path, was] : stamps_) {
    const Stamp is = stamp_of(path);
    if (is.exists != was.exists) return false;
    if (is.exists && (is.inode != was.inode || is.size != was.size || !same(is.modified, was.modified) || !same(is.changed, was.changed)))
      return false;
  }
  return true;
}

} // namespace pupc::compiler
