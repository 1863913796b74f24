#include "compiler/load/directory_listing.h"

#include "catalog/base/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace pupc {
namespace {

DirectoryEntry::Kind kind_of_entry(const std::string& directory, const dirent64& e) {
  using Kind = DirectoryEntry::Kind;
  struct stat info {};
  switch (e.d_type) {
  case DT_DIR: return Kind::Directory;
  case DT_REG: return Kind::File;
  case DT_LNK: return ::stat((directory + "/" + e.d_name).c_str(), &info) == 0 && S_ISREG(info.st_mode) ? Kind::LinkToFile : Kind::Other;
  case DT_UNKNOWN: // a file system that does not report the type
    if (::lstat((directory + "/" + e.d_name).c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Kind::Directory;
    return Kind::File;
  default: return Kind::Other;
  }
}

/// Not readdir(), which asks for the directory's state and for memory: a repository has thousands of directories.
std::vector<DirectoryEntry> entries_of(const OpenDirectory& opened, const std::string& directory) {
  std::vector<DirectoryEntry> out;
  alignas(dirent64) char buffer[32 * 1024];
  for (ssize_t read; (read = ::getdents64(opened.descriptor(), buffer, sizeof buffer)) > 0;) {
    size_t count = 0;
    for (ssize_t at = 0; at < read; at += reinterpret_cast<const dirent64*>(buffer + at)->d_reclen) ++count;
    out.reserve(out.size() + count);
    for (ssize_t at = 0; at < read;) {
      const auto& e = *reinterpret_cast<const dirent64*>(buffer + at);
      at += e.d_reclen;
      if (std::string_view name = e.d_name; name != "." && name != "..") out.push_back({e.d_name, kind_of_entry(directory, e)});
    }
  }
  std::sort(out.begin(), out.end(), [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return out;
}

} // namespace

OpenDirectory::~OpenDirectory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool OpenDirectory::open(const std::string& path, const OpenDirectory* above) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  if (above != nullptr && above->descriptor_ >= 0)
    descriptor_ = ::openat(above->descriptor_, path.c_str() + path.rfind('/') + 1, flags);
  else
    descriptor_ = ::open(path.c_str(), flags);
  return descriptor_ >= 0;
}

std::optional<std::vector<DirectoryEntry>> read_directory(const std::string& directory) {
  OpenDirectory here;
  if (!here.open(directory, nullptr)) return std::nullopt;
  return entries_of(here, directory);
}

const std::vector<DirectoryEntry>& DirectoryListing::list(const std::string& directory) {
  OpenDirectory above, here;
  return list(directory, above, here);
}

const std::vector<DirectoryEntry>& DirectoryListing::list(const std::string& directory, const OpenDirectory& above, OpenDirectory& here) {
  static const std::vector<DirectoryEntry> none;
  if (const auto known = directories_.find(directory); known != directories_.end()) return known->second;
  if (!here.open(directory, &above)) return none;
  return directories_.emplace(directory, entries_of(here, directory)).first->second;
}

std::vector<std::string> DirectoryListing::names_in(const std::string& directory) const {
  std::vector<std::string> names;
  auto take = [&](const std::vector<DirectoryEntry>& entries) {
    for (const DirectoryEntry& e : entries)
      if (e.name[0] != '.') names.push_back(e.name);
  };
  if (const auto known = directories_.find(directory); known != directories_.end())
    take(known->second);
  else if (!lacks(directory))
    take(read_directory(directory).value_or(std::vector<DirectoryEntry>()));
  return names;
}

/// Looks for the nearest directory around the path that was listed.
DirectoryListing::Found DirectoryListing::look(std::string_view path) const {
  for (bool whole = true; !directories_.empty(); whole = false) {
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) break;
    const std::string_view name = path.substr(slash + 1);
    path = path.substr(0, slash);
    if (name.empty() || name == "." || name == "..") break;
    const auto known = directories_.find(path);
    if (known == directories_.end()) continue;
    const auto& entries = known->second;
    const auto at = std::lower_bound(entries.begin(), entries.end(), name,
                                     [](const DirectoryEntry& e, std::string_view n) { return e.name < n; });
    if (at == entries.end() || at->name != name) return Found::Nothing;
    if (!whole) return at->kind == DirectoryEntry::Kind::File ? Found::Nothing : Found::Unknown; // a directory that was not entered
    switch (at->kind) {
    case DirectoryEntry::Kind::File: return Found::File;
    case DirectoryEntry::Kind::Directory: return Found::Directory;
    default: return Found::Unknown;
    }
  }
  return Found::Unknown;
}

bool DirectoryListing::exists(const std::string& path) const {
  struct stat info {};
  const Found found = look(path);
  return found == Found::Unknown ? ::stat(path.c_str(), &info) == 0 : found != Found::Nothing;
}

bool DirectoryListing::is_directory(const std::string& path) const {
  const Found found = look(path);
  return found == Found::Unknown ? pupc::is_directory(path) : found == Found::Directory;
}

} // namespace pupc
