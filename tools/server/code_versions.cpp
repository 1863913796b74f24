#include "tools/server/code_versions.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "tools/pupc/node/program_output.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>

namespace pupc::server {
namespace {

constexpr size_t most_kept = 16; // commits: those of a few environments, and of agents that come late
constexpr size_t most_links = 5; // of a symbolic reference to the next
constexpr std::chrono::seconds limit{20};
constexpr std::time_t oldest_lock = 60; // seconds

std::string first_line(const std::string& file) {
  const std::string text = read_whole_file(file).value_or(std::string());
  return std::string(catalog::trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

/// The directory in which git keeps a work tree's HEAD: `.git`, or what the file `.git` names.
std::string git_directory(const std::string& directory) {
  const std::string dot = directory + "/.git";
  struct stat info {};
  if (::stat(dot.c_str(), &info) != 0) return {};
  if (S_ISDIR(info.st_mode)) return dot;
  const std::string line = first_line(dot);
  constexpr std::string_view prefix = "gitdir: ";
  if (!line.starts_with(prefix)) return {};
  const std::string named = line.substr(prefix.size());
  return named.starts_with('/') ? named : directory + "/" + named;
}

/// The commit of a branch that git has packed.
std::string packed(const std::string& directory, const std::string& name) {
  const std::string text = read_whole_file(directory + "/packed-refs").value_or(std::string());
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (const size_t blank = line.find(' '); blank != std::string_view::npos && line.substr(blank + 1) == name)
      return std::string(line.substr(0, blank));
  }
  return {};
}

/// What git prints. The code may belong to another user than the one who serves it, who runs code of it anyway.
std::optional<std::string> git_output(const std::string& directory, std::vector<std::string> words) {
  std::vector<std::string> command = {"/usr/bin/git", "-c", "safe.directory=*", "-C", directory, "--no-replace-objects"};
  command.insert(command.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  cli::ProgramOutput out = cli::program_output(std::move(command), limit);
  return out.good() ? std::optional(std::move(out.text)) : std::nullopt;
}

} // namespace

bool valid_code_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> CodeVersions::current(const std::string& directory) {
  const std::string git = git_directory(directory);
  if (git.empty()) return std::nullopt;
  const std::string common_line = first_line(git + "/commondir"); // of a work tree beside others
  const std::string common = common_line.empty() ? git : common_line.starts_with('/') ? common_line : git + "/" + common_line;
  std::string text = first_line(git + "/HEAD");
  constexpr std::string_view symbolic = "ref: ";
  for (size_t i = 0; i < most_links && text.starts_with(symbolic); ++i) {
    const std::string name = text.substr(symbolic.size());
    if (!name.starts_with("refs/") || name.find("..") != std::string::npos) return std::nullopt;
    text = first_line(common + "/" + name);
    if (text.empty()) text = packed(common, name);
  }
  return valid_code_id(text) ? std::optional(text) : std::nullopt;
}

bool CodeVersions::changing(const std::string& directory) {
  const std::string git = git_directory(directory);
  struct stat lock {};
  if (git.empty() || ::stat((git + "/index.lock").c_str(), &lock) != 0) return false;
  return std::abs(std::time(nullptr) - lock.st_mtim.tv_sec) < oldest_lock;
}

std::shared_ptr<const CodeVersions::Files> CodeVersions::files(const std::string& directory, const std::string& commit) {
  if (!valid_code_id(commit)) return nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, commit, &Kept::commit);
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
      return found->files;
    }
  }
  const auto text = git_output(directory, {"ls-tree", "-r", "-z", "--full-tree", commit});
  if (!text) return nullptr;
  auto files = std::make_shared<Files>();
  // "MODE TYPE ID\tPATH"; links, whose content is a path, are left out
  for (std::string_view rest = *text; !rest.empty();) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t tab = entry.find('\t');
    if (tab == std::string_view::npos || !entry.starts_with("100")) continue;
    const std::string_view head = entry.substr(0, tab);
    files->emplace(entry.substr(tab + 1), head.substr(head.rfind(' ') + 1));
  }
  std::lock_guard lock(mutex_);
  if (std::ranges::find(kept_, commit, &Kept::commit) == kept_.end()) kept_.push_front({commit, files});
  if (kept_.size() > most_kept) kept_.pop_back();
  return files;
}

std::optional<std::string> CodeVersions::content(const std::string& directory, const std::string& commit, const std::string& path) {
  if (!valid_code_id(commit)) return std::nullopt;
  return git_output(directory, {"cat-file", "blob", commit + ":" + path});
}

} // namespace pupc::server
