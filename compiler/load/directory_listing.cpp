#include "compiler/load/directory_listing.h"

#include "catalog/base/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace pupc::compiler {
namespace {

DirectoryEntry::Kind kind_of_entry(const std::string& directory, const char* name, unsigned char type) {
  using Kind = DirectoryEntry::Kind;
  struct stat info {};
  switch (type) {
  case DT_DIR: return Kind::Directory;
  case DT_REG: return Kind::File;
  case DT_LNK: return ::stat((directory + "/" + name).c_str(), &info) == 0 && S_ISREG(info.st_mode) ? Kind::LinkToFile : Kind::Other;
  case DT_UNKNOWN: // a file system that does not report the type
    if (::lstat((directory + "/" + name).c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Kind::Directory;
    return Kind::File;
  default: return Kind::Other;
  }
}

} // namespace

bool in_order_of_paths(const DirectoryEntry& a, const DirectoryEntry& b) {
  const size_t common = std::min(a.name.size(), b.name.size());
  const int order = a.name.compare(0, common, b.name, 0, common);
  if (order != 0) return order < 0;
  auto next = [common](const DirectoryEntry& e) {
    return e.name.size() > common ? static_cast<unsigned char>(e.name[common]) : e.kind == DirectoryEntry::Kind::Directory ? '/' : 0;
  };
  return next(a) < next(b);
}

Descriptor open_directory(const std::string& path, const Descriptor& above) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  return Descriptor(above.get() >= 0 ? ::openat(above.get(), path.c_str() + path.rfind('/') + 1, flags) : ::open(system_path(path), flags));
}

DirectoryListing::Entries DirectoryListing::list(const std::string& directory) {
  Descriptor above, here;
  return list(directory, above, here);
}

DirectoryListing::Entries DirectoryListing::list(const std::string& directory, const Descriptor& above, Descriptor& here) {
  const auto known = directories_.find(directory);
  if (known != directories_.end()) return known->second;
  here = open_directory(directory, above);
  if (here.get() < 0) return {};
  read_.clear();
  for_each_entry(here, [&](const char* name, unsigned char type) {
    read_.push_back({arena_.copy(std::string_view(name)), kind_of_entry(directory, name, type)});
  });
  std::sort(read_.begin(), read_.end(), in_order_of_paths);
  const Entries entries = arena_.copy_span<DirectoryEntry>(read_);
  directories_.emplace(arena_.copy(directory), entries);
  return entries;
}

std::vector<std::string> DirectoryListing::names_in(const std::string& directory) const {
  std::vector<std::string> names;
  if (const auto known = directories_.find(directory); known != directories_.end()) {
    for (const DirectoryEntry& e : known->second)
      if (e.name[0] != '.') names.emplace_back(e.name);
  } else if (!lacks(directory)) {
    if (const Descriptor here = open_directory(directory, Descriptor()); here.get() >= 0)
      for_each_entry(here, [&](const char* name, unsigned char) {
        if (name[0] != '.') names.emplace_back(name);
      });
  }
  std::sort(names.begin(), names.end());
  return names;
}

const DirectoryEntry* DirectoryListing::find(Entries entries, std::string_view name) {
  for (const auto kind : {DirectoryEntry::Kind::File, DirectoryEntry::Kind::Directory}) { // which have their own places
    const auto at = std::lower_bound(entries.begin(), entries.end(), DirectoryEntry{name, kind}, in_order_of_paths);
    if (at != entries.end() && at->name == name) return &*at;
  }
  return nullptr;
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
    const DirectoryEntry* at = find(known->second, name);
    if (at == nullptr) return Found::Nothing;
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
  return found == Found::Unknown ? ::stat(system_path(path), &info) == 0 : found != Found::Nothing;
}

bool DirectoryListing::is_directory(const std::string& path) const {
  const Found found = look(path);
  return found == Found::Unknown ? pupc::compiler::is_directory(path) : found == Found::Directory;
}

} // namespace pupc::compiler
