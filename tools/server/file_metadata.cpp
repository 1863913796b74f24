#include "tools/server/file_metadata.h"

#include "tools/server/checksums.h"
#include "tools/server/responses.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <ctime>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::server {
namespace {

// A tree above this is an error: the answer would not fit into anybody's memory.
constexpr size_t most_files = 200000;
// A pattern's cost grows with the length of a name to the power of its stars.
constexpr int64_t most_stars = 8;

Checksums& checksums() {
  static Checksums all;
  return all;
}

/// A time as Ruby prints it: "2026-11-23 19:24:03 +0000".
std::string ruby_time(std::time_t seconds) {
  std::tm t{};
  ::localtime_r(&seconds, &t);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &t)};
}

bool state_of(const std::string& path, bool follow, struct stat& info) {
  return (follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) == 0;
}

} // namespace

FileView::FileView(const Parameters& p) {
  if (const std::string* links = p.find("links")) {
    if (*links != "manage" && *links != "follow" && *links != "ignore") server_error(fmt::format("Invalid :links value '{}'", *links));
    follow = *links == "follow";
  }
  if (const std::string* type = p.find("checksum_type")) {
    if (!known_checksum(*type) && *type != "mtime" && *type != "ctime") server_error(fmt::format("Unsupported checksum type {}", *type));
    checksum = *type;
  }
  if (const std::string* permissions = p.find("source_permissions")) {
    if (*permissions != "use" && *permissions != "use_when_creating" && *permissions != "ignore")
      server_error(fmt::format("Unsupported source_permission {}", *permissions));
    own_permissions = *permissions == "ignore";
  }
  recurse = p.get("recurse") == "true";
  const auto number = [&](const char* name, int64_t& into) {
    const std::string* text = p.find(name);
    if (text == nullptr || *text == "infinite") return;
    const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), into);
    if (ec != std::errc() || end != text->data() + text->size()) bad_request(fmt::format("'{}' is no number ({})", *text, name));
  };
  number("recurselimit", depth);
  number("max_files", most);
  ignore = p.all("ignore");
  for (const std::string& pattern : ignore)
    if (std::ranges::count(pattern, '*') > most_stars || pattern.size() > 1000)
      bad_request(fmt::format("the pattern '{}' to ignore files is too long", pattern.substr(0, 100)));
}

bool write_file_metadata(JsonWriter& w, const MountedPath& mounted, const FileView& view, const std::string& base,
                         const std::string& relative, const StaticPlace& place) {
  ListedFile file{relative, {}};
  const std::string path = relative.empty() || relative == "." ? base : base + "/" + relative;
  mounted.note(path);
  return state_of(path, view.follow, file.info) && write_file_metadata(w, mounted, view, base, file, place);
}

bool write_file_metadata(JsonWriter& w, const MountedPath& mounted, const FileView& view, const std::string& base, const ListedFile& listed,
                         const StaticPlace& place) {
  const std::string& relative = listed.name;
  const struct stat& info = listed.info;
  const std::string path = relative.empty() || relative == "." ? base : base + "/" + relative;
  std::string type, sum, sum_type = view.checksum, destination;
  bool has_sum = true;
  const auto checksum = [&] {
    // A file that was opened once, and is still the same one, need not be opened again to see that it may be served.
    if (S_ISREG(info.st_mode))
      if (auto known = checksums().known(path, info, view.checksum)) {
        sum = std::move(*known);
        return true;
      }
    struct stat real {};
    const Descriptor file = mounted.open(path);
    if (file.get() < 0 || ::fstat(file.get(), &real) != 0) return false;
    if (view.checksum == "mtime" || view.checksum == "ctime") {
      sum = ruby_time(view.checksum == "mtime" ? real.st_mtime : real.st_ctime);
      return true;
    }
    auto text = checksums().of(file.get(), path, real, view.checksum);
    if (!text) return false;
    sum = std::move(*text);
    return true;
  };
  if (S_ISREG(info.st_mode)) {
    type = "file";
    if (!checksum()) return false;
  } else if (S_ISDIR(info.st_mode)) {
    type = "directory";
    sum_type = "ctime";
    struct stat top {};
    sum = ruby_time(::stat(base.c_str(), &top) == 0 ? top.st_ctime : info.st_ctime);
  } else if (S_ISLNK(info.st_mode)) {
    type = "link";
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size < 0) return false;
    destination.assign(target, static_cast<size_t>(size));
    has_sum = checksum();
  } else {
    return false;
  }
  w.begin_object();
  w.member("path", base);
  w.key("relative_path");
  if (relative.empty())
    w.null();
  else
    w.string(relative);
  w.member("links", view.follow ? "follow" : "manage");
  w.key("owner");
  w.integer(view.own_permissions ? ::geteuid() : info.st_uid);
  w.key("group");
  w.integer(view.own_permissions ? ::getegid() : info.st_gid);
  w.key("mode");
  w.integer(view.own_permissions ? 0644 : info.st_mode & 07777);
  w.key("checksum");
  w.begin_object();
  w.member("type", sum_type);
  w.key("value");
  if (has_sum)
    w.string(fmt::format("{{{}}}{}", sum_type, sum));
  else
    w.null();
  w.end_object();
  w.member("type", type);
  w.key("destination");
  if (type == "link")
    w.string(destination);
  else
    w.null();
  if (!place.content_uri.empty()) w.member("content_uri", place.content_uri);
  if (!place.source.empty()) w.member("source", place.source);
  w.end_object();
  return true;
}

std::vector<ListedFile> files_below(const MountedPath& mounted, const std::string& root, const FileView& view) {
  struct Waiting {
    std::string name;
    int64_t depth;
    bool known; // a directory that is no link, in one that is inside
  };
  struct Entry {
    ListedFile file;
    bool directory; // and no link to one
  };
  std::vector<ListedFile> out;
  std::deque<Waiting> directories{{"", 0, false}};
  while (!directories.empty() && view.recurse) {
    const Waiting directory = std::move(directories.front());
    directories.pop_front();
    if (view.depth >= 0 && directory.depth + 1 > view.depth) continue;
    const std::string path = directory.name.empty() ? root : root + "/" + directory.name;
    mounted.note(path);
    if (!directory.known) {
      struct stat info {};
      if (!state_of(path, view.follow, info) || !S_ISDIR(info.st_mode)) continue;
      if (view.follow && !mounted.inside(path)) continue;
    }
    if (std::ranges::count(directory.name, '/') > 100) server_error(fmt::format("The directory '{}' is nested too deeply", root));
    DIR* open = ::opendir(path.c_str());
    if (open == nullptr) continue;
    std::vector<Entry> entries;
    while (const dirent* entry = ::readdir(open)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (std::ranges::any_of(view.ignore, [&](const std::string& p) { return ::fnmatch(p.c_str(), name.c_str(), FNM_PERIOD) == 0; }))
        continue;
      ListedFile file{directory.name.empty() ? name : directory.name + "/" + name, {}};
      mounted.note(root + "/" + file.name);
      // One that is gone, or a link to nowhere, keeps no kind and is not served.
      if (::fstatat(::dirfd(open), entry->d_name, &file.info, view.follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) file.info = {};
      entries.push_back({std::move(file), entry->d_type == DT_DIR});
    }
    ::closedir(open);
    std::ranges::sort(entries, {}, [](const Entry& e) -> const std::string& { return e.file.name; });
    for (Entry& entry : entries) {
      if (S_ISDIR(entry.file.info.st_mode)) directories.push_back({entry.file.name, directory.depth + 1, entry.directory});
      out.push_back(std::move(entry.file));
    }
    if (out.size() > most_files) server_error(fmt::format("The directory '{}' contains more than {} entries", root, most_files));
  }
  if (view.most > 0 && static_cast<int64_t>(out.size()) > view.most)
    server_error(
        fmt::format("The directory '{}' contains {} entries, which exceeds the limit of {} specified by the max_files parameter for this "
                    "resource. The limit may be increased, but be aware that large number of file resources can result in excessive "
                    "resource consumption and degraded performance. Consider using an alternate method to manage large directory trees",
                    root, out.size(), view.most));
  return out;
}

std::optional<std::string> git_id_of(const MountedPath& mounted, const std::string& path) {
  struct stat info {};
  if (!state_of(path, true, info) || !S_ISREG(info.st_mode)) return std::nullopt;
  if (auto known = checksums().known(path, info, git_checksum)) return known;
  const Descriptor file = mounted.open(path);
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return std::nullopt;
  return checksums().of(file.get(), path, info, git_checksum);
}

} // namespace pupc::server
