#include "tools/pupc/file_states.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace pupc::cli {
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
       {".pp", ".epp", ".erb", ".json", ".yaml", ".yml", ".eyaml", ".conf", ".hocon", "Puppetfile", ".gitignore", ".gitmodules", "Gemfile"})
    if (name.ends_with(end)) return true;
  return false;
}

FileStates::Reads reads_below(std::string_view directory, FileStates::Reads around) {
  using Reads = FileStates::Reads;
  if (around == Reads::All || directory == "templates" || directory == "facts.d" || directory == "tasks") return Reads::All;
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
  visit(0, reads, false);
}

void FileStates::add_place(const std::string& path) {
  struct stat info {};
  put_path(text_, ::stat(path.c_str(), &info) != 0 ? Missing : S_ISDIR(info.st_mode) ? DirectoryPlace : FilePlace, path);
}

/// Records the member `name` of the directory `path_`. Returns whether it is a directory.
bool FileStates::add_member(std::string_view name) {
  const size_t length = path_.size();
  struct stat info {};
  path_.append("/").append(name);
  const bool there = ::stat(path_.c_str(), &info) == 0;
  path_.resize(length);
  if (there)
    put_state(text_, newest_, File, info, name);
  else
    put_path(text_, Missing, name);
  return there && S_ISDIR(info.st_mode);
}

/// Records what is at `path_`. `linked`: a link led there.
void FileStates::visit(int depth, Reads reads, bool linked) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return put_path(text_, Missing, path_);
  if (!S_ISDIR(info.st_mode)) return put_state(text_, newest_, File, info, path_);
  if (text_.size() > part_size) parts_.push_back(std::exchange(text_, {}));
  put_state(text_, newest_, Directory, info, path_);
  if (depth > 128 || !complete()) return;
  // Skip a directory that the walk has visited for as much: links can form a cycle.
  const auto [seen, fresh] = seen_.try_emplace({info.st_dev, info.st_ino}, reads);
  if (!fresh && seen->second >= reads) return;
  seen->second = reads;
  const DirectoryListing::Entries entries = listing_.list(path_);
  (linked ? linked_entries_ : entries_) += entries.size();
  std::vector<std::pair<std::string_view, bool>> below; // names of directories, and whether a link leads there
  for (const DirectoryEntry& e : entries) {
    using Kind = DirectoryEntry::Kind;
    bool directory = e.kind == Kind::Directory;
    if (e.kind == Kind::File ? may_be_read(e.name, reads) : !directory) directory = add_member(e.name);
    if (directory && e.name[0] != '.') below.emplace_back(e.name, e.kind != Kind::Directory);
  }
  const size_t length = path_.size();
  for (const auto& [name, link] : below) {
    if (path_ != "/") path_ += '/';
    path_ += name;
    visit(depth + 1, reads_below(name, reads), linked || link);
    path_.resize(length);
  }
}

bool FileStates::settled_before(std::chrono::system_clock::time_point start) const {
  constexpr int64_t coarse = 50'000'000; // nanoseconds: file times may be so
  return newest_ <= std::chrono::duration_cast<std::chrono::nanoseconds>(start.time_since_epoch()).count() - coarse;
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

} // namespace pupc::cli
