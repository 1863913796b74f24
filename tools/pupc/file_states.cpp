#include "tools/pupc/file_states.h"

#include "catalog/base/descriptor.h"
#include "compiler/load/directory_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace pupc {
namespace {

constexpr size_t most_entries = 2'000'000;     // in all directories of a run; a run with more is not recorded
constexpr size_t most_linked_entries = 20'000; // of these, in directories that links lead to: a link to / shall not be walked through
constexpr size_t part_size = 64 * 1024;        // bytes: enough parts for several threads

// A record is a row of entries: a letter, for some a state, and a path that ends with a null. A path without a slash in front is a name in
// the directory that was recorded last.
enum EntryKind : char {
  Directory = 'd',      // with its state
  File = 'f',           // with its state, also any other than a regular file
  Missing = 'm',        // it cannot be asked about
  FilePlace = 'F',      // exists and is no directory
  DirectoryPlace = 'D', // exists and is a directory
};

struct State {
  int64_t words[6];
};

int64_t nanoseconds(const struct timespec& t) { return int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec; }

State state_of(const struct stat& info) {
  return {{int64_t(info.st_mode), int64_t(info.st_size), int64_t(info.st_ino), int64_t(info.st_dev), nanoseconds(info.st_mtim),
           nanoseconds(info.st_ctim)}};
}

void put_path(std::string& text, EntryKind kind, std::string_view path) {
  text += kind;
  text += path;
  text += '\0';
}
void put_state(std::string& text, int64_t& newest, EntryKind kind, const struct stat& info, std::string_view path) {
  const State state = state_of(info);
  newest = std::max({newest, state.words[4], state.words[5]});
  text += kind;
  text.append(reinterpret_cast<const char*>(state.words), sizeof state.words);
  text += path;
  text += '\0';
}

/// Whether a run may read a file of this name. For all other files only their existence matters.
bool may_be_read(std::string_view name, FileStates::Reads reads) {
  if (reads == FileStates::Reads::All || (reads == FileStates::Reads::Ruby && name.ends_with(".rb"))) return true;
  for (std::string_view end :
       {".pp", ".epp", ".erb", ".json", ".yaml", ".yml", ".eyaml", ".conf", ".hocon", "Puppetfile", ".gitignore", "Gemfile"})
    if (name.ends_with(end)) return true;
  return false;
}

FileStates::Reads reads_below(std::string_view directory, FileStates::Reads around) {
  using Reads = FileStates::Reads;
  if (around == Reads::All || directory == "templates" || directory == "facts.d") return Reads::All;
  return directory == "lib" ? Reads::Ruby : around;
}

} // namespace

void FileStates::add(const std::string& path) {
  Reads reads = Reads::Known;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    reads = reads_below(std::string_view(path).substr(begin, end - begin), reads);
    begin = end + 1;
  }
  path_ = path;
  visit(AT_FDCWD, path.c_str(), 0, reads, false);
}

void FileStates::add_place(const std::string& path) {
  struct stat info {};
  put_path(text_, ::stat(path.c_str(), &info) != 0 ? Missing : S_ISDIR(info.st_mode) ? DirectoryPlace : FilePlace, path);
}

/// Records `path_`, which is `name` in the directory `at`. `linked`: a link led there.
void FileStates::visit(int at, const char* name, int depth, Reads reads, bool linked) {
  struct stat info {};
  const Descriptor here(::openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_DIRECTORY));
  if (here.get() < 0 || ::fstat(here.get(), &info) != 0) {
    if (::fstatat(at, name, &info, 0) == 0)
      put_state(text_, newest_, File, info, path_);
    else
      put_path(text_, Missing, path_);
    return;
  }
  if (text_.size() > part_size) parts_.push_back(std::exchange(text_, {}));
  put_state(text_, newest_, Directory, info, path_);
  if (depth > 128 || !complete()) return;
  // Skip a directory that the walk has visited for as much: links can form a cycle.
  const auto [seen, fresh] = seen_.try_emplace({info.st_dev, info.st_ino}, reads);
  if (!fresh && seen->second >= reads) return;
  seen->second = reads;
  struct Below {
    std::string name;
    bool linked;
  };
  std::vector<Below> below;
  size_t& counted = linked ? linked_entries_ : entries_;
  for_each_entry(here, [&](const char* entry, unsigned char type) {
    ++counted;
    bool directory = type == DT_DIR;
    if (type == DT_REG ? may_be_read(entry, reads) : type == DT_LNK || type == DT_UNKNOWN) {
      if (::fstatat(here.get(), entry, &info, 0) == 0) {
        put_state(text_, newest_, File, info, entry);
        directory = S_ISDIR(info.st_mode);
      } else {
        put_path(text_, Missing, entry);
      }
    }
    if (directory && entry[0] != '.') below.push_back({entry, linked || type == DT_LNK});
  });
  const size_t length = path_.size();
  for (const Below& d : below) {
    if (path_ != "/") path_ += '/';
    path_ += d.name;
    visit(here.get(), d.name.c_str(), depth + 1, reads_below(d.name, reads), d.linked);
    path_.resize(length);
  }
}

bool FileStates::complete() const { return entries_ <= most_entries && linked_entries_ <= most_linked_entries; }

std::vector<std::string> FileStates::take() {
  parts_.push_back(std::move(text_));
  return std::move(parts_);
}

bool still_so(std::string_view part) {
  std::string path;
  size_t directory = 0; // the length of the directory's path in `path`, with the slash behind it
  while (!part.empty()) {
    const char kind = part[0];
    part.remove_prefix(1);
    State known;
    const bool stated = kind == Directory || kind == File;
    if (stated) {
      if (part.size() < sizeof known.words) return false;
      std::memcpy(known.words, part.data(), sizeof known.words);
      part.remove_prefix(sizeof known.words);
    }
    const size_t end = part.find('\0');
    if (end == std::string_view::npos) return false;
    path.resize(part.starts_with('/') ? 0 : directory);
    path += part.substr(0, end);
    part.remove_prefix(end + 1);
    struct stat info {};
    const bool there = ::stat(path.c_str(), &info) == 0;
    if (stated) {
      if (!there) return false;
      const State now = state_of(info);
      if (std::memcmp(now.words, known.words, sizeof now.words) != 0) return false;
    } else if (kind == Missing ? there : !there || (kind != (S_ISDIR(info.st_mode) ? DirectoryPlace : FilePlace))) {
      return false;
    }
    if (kind == Directory) {
      if (!path.ends_with('/')) path += '/';
      directory = path.size();
    }
  }
  return true;
}

} // namespace pupc
