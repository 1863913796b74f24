#include "tools/pupc/validate/finding_cache.h"

#include "catalog/base/paths.h"
#include "catalog/value/digest.h"
#include "tools/pupc/cache_file.h"
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

constexpr CacheKind cache_kind{"validate", 4, 64};
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

/// Reads what a run recorded of its files, and returns whether they are the same now.
bool all_still_so(CacheReader& r, unsigned jobs) {
  std::vector<std::string_view> parts(r.count());
  for (std::string_view& part : parts) part = r.view();
  if (parts.size() == 1 || jobs == 1) return std::all_of(parts.begin(), parts.end(), still_so);
  std::atomic<bool> same = true;
  for_each_index(parts.size(), jobs, [&](size_t i) {
    if (same && !still_so(parts[i])) same = false;
  });
  return same;
}

void write_diagnostic(CacheWriter& w, const Diagnostic& d) {
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

Diagnostic read_diagnostic(CacheReader& r, Sources& sources) {
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

} // namespace

FindingCache::FindingCache(std::string directory, std::string_view key, std::vector<std::string> paths)
    : directory_(std::move(directory)), key_(hex_digest(DigestAlgorithm::Sha256, key)), paths_(std::move(paths)) {}

std::optional<CachedRun> FindingCache::load(unsigned jobs) {
  const auto text = read_cache(directory_, cache_kind, key_);
  if (!text) return std::nullopt;
  try {
    CacheReader r(*text);
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
  if (!now.complete() || !now.settled_before(start)) return;
  CacheWriter w;
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
  write_cache(directory_, cache_kind, key_, w.text());
}

} // namespace pupc::cli
