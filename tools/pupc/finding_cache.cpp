#include "tools/pupc/finding_cache.h"

#include "catalog/base/paths.h"
#include "catalog/value/digest.h"
#include "tools/pupc/file_states.h"
#include "tools/pupc/workers.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_map>

namespace pupc::cli {
namespace {

constexpr std::string_view magic = "pupc validate cache 3\n";
constexpr size_t most_files = 64;               // in one cache; beyond that the oldest are removed
constexpr int64_t settled_after = 50'000'000;   // nanoseconds: file times may be this coarse
constexpr size_t most_beside_files = 2'000'000; // results of texts that are no files

/// Adds the files in the directories above a path that make them an environment or a module.
void add_surroundings(FileStates& states, const std::string& path) {
  std::string place = path;
  for (int i = 0; i < 9 && place.size() > 1; ++i) {
    const size_t slash = place.rfind('/');
    place = slash == std::string::npos || slash == 0 ? "" : place.substr(0, slash);
    for (std::string_view name : {"environment.conf", "Puppetfile", "metadata.json", "hiera.yaml", "modules", "site-modules", "site",
                                  "manifests", "lib/puppet", "functions", "types"})
      states.add_place(fmt::format("{}/{}", place, name));
  }
}

// ---- text of the cache

class Writer {
public:
  void number(uint64_t n) { text_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void string(std::string_view s) {
    number(s.size());
    text_ += s;
  }
  void strings(const std::vector<std::string>& list) {
    number(list.size());
    for (const std::string& s : list) string(s);
  }
  std::string text_;
};

/// A damaged file shall not count. Who could forge one could write to the cache of this user.
uint64_t check_sum(std::string_view text) { return std::hash<std::string_view>{}(text); }

struct BadCache {};

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}
  uint64_t number() {
    uint64_t n = 0;
    if (text_.size() < sizeof n) throw BadCache{};
    std::memcpy(&n, text_.data(), sizeof n);
    text_.remove_prefix(sizeof n);
    return n;
  }
  /// Reads the number of items that follow. Each takes at least eight bytes, which limits a valid number.
  size_t count() {
    const uint64_t n = number();
    if (n > text_.size() / 8) throw BadCache{};
    return static_cast<size_t>(n);
  }
  /// The next string, as part of the cache's text.
  std::string_view view() {
    const uint64_t n = number();
    if (n > text_.size()) throw BadCache{};
    const std::string_view s = text_.substr(0, static_cast<size_t>(n));
    text_.remove_prefix(static_cast<size_t>(n));
    return s;
  }
  std::string string() { return std::string(view()); }
  std::vector<std::string> strings() {
    std::vector<std::string> list(count());
    for (std::string& s : list) s = string();
    return list;
  }
  std::string_view rest() const { return text_; }

private:
  std::string_view text_;
};

/// Reads what a run recorded of its files, and returns whether they are the same now.
bool all_still_so(Reader& r, unsigned jobs) {
  std::vector<std::string_view> parts(r.count());
  for (std::string_view& part : parts) part = r.view();
  if (parts.size() == 1 || jobs == 1) return std::all_of(parts.begin(), parts.end(), still_so);
  std::atomic<bool> same = true;
  for_each_index(parts.size(), jobs, [&](size_t i) {
    if (same && !still_so(parts[i])) same = false;
  });
  return same;
}

void write_diagnostic(Writer& w, const Diagnostic& d) {
  w.number(static_cast<uint64_t>(d.code));
  w.number(static_cast<uint64_t>(d.severity));
  w.number(static_cast<uint64_t>(d.style));
  w.string(d.message);
  w.number(d.loc ? 1 : 0);
  if (d.loc) {
    w.string(d.loc.file->path());
    w.number(d.loc.offset);
    w.number(d.loc.length);
  }
  w.string(d.file);
  w.number(d.line);
  w.number(d.column);
  w.string(d.log_text);
  w.number(d.preformatted ? 1 : 0);
  w.string(d.suggestion);
}

/// Source texts that cached findings point into, read from disk again.
using Sources = std::unordered_map<std::string, std::shared_ptr<SourceFile>>;

Diagnostic read_diagnostic(Reader& r, Sources& sources) {
  Diagnostic d;
  d.code = static_cast<ErrorCode>(r.number());
  d.severity = static_cast<Severity>(r.number());
  d.style = static_cast<PositionStyle>(r.number());
  d.message = r.string();
  if (r.number() != 0) {
    const std::string path = r.string();
    auto& source = sources[path];
    if (!source) {
      auto text = read_whole_file(path);
      if (!text) throw BadCache{};
      source = std::make_shared<SourceFile>(path, std::move(*text));
    }
    d.loc.file = source.get();
    d.loc.offset = static_cast<uint32_t>(r.number());
    d.loc.length = static_cast<uint32_t>(r.number());
  }
  d.file = r.string();
  d.line = static_cast<uint32_t>(r.number());
  d.column = static_cast<uint32_t>(r.number());
  d.log_text = r.string();
  d.preformatted = r.number() != 0;
  d.suggestion = r.string();
  return d;
}

/// Whether the directory exists or can be made, and no other user can write to it.
bool usable(const std::string& directory) {
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0) {
    const size_t slash = directory.rfind('/');
    const std::string above = slash == std::string::npos ? std::string() : directory.substr(0, slash);
    if (!above.empty() && ::lstat(above.c_str(), &info) != 0 && !usable(above)) return false;
    if (::mkdir(directory.c_str(), 0700) != 0 || ::lstat(directory.c_str(), &info) != 0) return false;
  }
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0;
}

/// Removes the oldest files beyond `most_files`.
void tidy(const std::string& directory) {
  DIR* d = ::opendir(directory.c_str());
  if (d == nullptr) return;
  std::vector<std::pair<time_t, std::string>> files;
  while (const dirent* e = ::readdir(d)) {
    struct stat info {};
    if (std::string_view(e->d_name).starts_with("validate-") && ::fstatat(::dirfd(d), e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      files.emplace_back(info.st_mtime, e->d_name);
  }
  if (files.size() > most_files) {
    std::sort(files.begin(), files.end());
    for (size_t i = 0; i + most_files < files.size(); ++i) ::unlinkat(::dirfd(d), files[i].second.c_str(), 0);
  }
  ::closedir(d);
}

} // namespace

FindingCache::FindingCache(std::string directory, std::string_view key, std::vector<std::string> paths)
    : directory_(std::move(directory)), key_(hex_digest(DigestAlgorithm::Sha256, key)), paths_(std::move(paths)) {}

std::string FindingCache::file() const { return directory_ + "/validate-" + key_; }

std::optional<CachedRun> FindingCache::load(unsigned jobs) {
  if (!usable(directory_)) return std::nullopt;
  const int fd = ::open(file().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat info {};
  std::optional<std::string> text;
  if (::fstat(fd, &info) == 0 && info.st_uid == ::geteuid()) text = read_whole_file(fd, FileKinds::Regular);
  ::close(fd);
  if (!text || !text->starts_with(magic)) return std::nullopt;
  try {
    Reader r(std::string_view(*text).substr(magic.size()));
    const uint64_t check = r.number();
    if (check != check_sum(r.rest())) return std::nullopt;
    if (r.view() != key_) return std::nullopt;
    if (!all_still_so(r, jobs)) return std::nullopt;
    CachedRun run;
    run.kept = true;
    run.files = r.strings();
    const uint64_t validations = r.number();
    if (validations < run.files.size() || validations > run.files.size() + most_beside_files) return std::nullopt;
    run.validations.resize(static_cast<size_t>(validations));
    auto sources = std::make_shared<Sources>();
    for (size_t n = r.count(); n > 0; --n) { // the files with findings
      const uint64_t i = r.number();
      if (i >= run.validations.size()) return std::nullopt;
      Validation& v = run.validations[i];
      v.syntax_error = r.number() != 0;
      for (std::vector<Diagnostic>* list : {&v.findings, &v.checks})
        for (size_t k = r.count(); k > 0; --k) list->push_back(read_diagnostic(r, *sources));
      for (size_t k = r.count(); k > 0; --k) {
        const auto level = static_cast<LogLevel>(r.number());
        v.embedded.push_back({level, {}, r.string()});
      }
      v.keep = sources;
    }
    return run;
  } catch (const BadCache&) { return std::nullopt; }
}

void FindingCache::store(const CachedRun& run, const std::vector<Repository>& repositories, std::chrono::system_clock::time_point start) {
  std::vector<std::string> others;
  for (const Repository& repository : repositories) {
    for (const std::string& directory : repository.environment.modulepath) others.push_back(directory);
    if (!repository.root.empty()) others.push_back(repository.root);
    for (const auto& module : repository.extras.named_modules) others.push_back(module.path);
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  DirectoryListing none;
  FileStates now(repositories.empty() ? none : *repositories.front().extras.listing);
  for (const std::string& path : paths_) {
    now.add(path);
    add_surroundings(now, path);
  }
  for (const std::string& path : others) now.add(path);
  const int64_t began = std::chrono::duration_cast<std::chrono::nanoseconds>(start.time_since_epoch()).count();
  if (!now.complete() || now.newest() > began - settled_after || !usable(directory_)) return;
  Writer w;
  w.string(key_);
  w.strings(now.take());
  w.strings(run.files);
  w.number(run.validations.size());
  std::vector<size_t> talkative;
  for (size_t i = 0; i < run.validations.size(); ++i) {
    const Validation& v = run.validations[i];
    if (!v.findings.empty() || !v.checks.empty() || !v.embedded.empty() || v.syntax_error) talkative.push_back(i);
  }
  w.number(talkative.size());
  for (size_t i : talkative) {
    const Validation& v = run.validations[i];
    w.number(i);
    w.number(v.syntax_error ? 1 : 0);
    for (const std::vector<Diagnostic>* list : {&v.findings, &v.checks}) {
      w.number(list->size());
      for (const Diagnostic& d : *list) {
        if (!d.trace.empty() || (d.loc && d.loc.file->path().empty())) return; // not cacheable: points into a text without a file
        write_diagnostic(w, d);
      }
    }
    w.number(v.embedded.size());
    for (const LogEntry& e : v.embedded) {
      w.number(static_cast<uint64_t>(e.level));
      w.string(e.message);
    }
  }
  std::string whole(magic);
  const uint64_t check = check_sum(w.text_);
  whole.append(reinterpret_cast<const char*>(&check), sizeof check);
  whole += w.text_;
  // Write a temporary file, then rename it: another run sees either the old file or the new one.
  std::string beside = directory_ + "/.validate-XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return;
  size_t written = 0;
  while (written < whole.size()) {
    const ssize_t n = ::write(fd, whole.data() + written, whole.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  const bool done = ::close(fd) == 0 && written == whole.size();
  if (!done || ::rename(beside.c_str(), file().c_str()) != 0)
    ::unlink(beside.c_str());
  else
    tidy(directory_);
}

std::string default_cache_directory() {
  // Do not use another user's home, which sudo may leave in $HOME.
  auto own = [](const char* path) {
    struct stat info {};
    return path != nullptr && *path == '/' && ::stat(path, &info) == 0 && info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0;
  };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); own(cache)) return std::string(cache) + "/pupc";
  if (const char* home = std::getenv("HOME"); own(home)) return std::string(home) + "/.cache/pupc";
  return {};
}

} // namespace pupc::cli
