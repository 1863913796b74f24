#include "tools/pupc/modules/module_sources.h"

#include "catalog/base/text.h"
#include "catalog/json/json_reader.h"
#include "catalog/value/digest.h"
#include "catalog/value/semver.h"
#include "compiler/load/load_error.h"
#include "runtime/provider/archive/archive_members.h"
#include "runtime/sys/http.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_answer = size_t{64} << 20, most_archive = size_t{512} << 20, most_unpacked = size_t{2} << 30;

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}
bool is_whole_commit(std::string_view text) { return (text.size() == 40 || text.size() == 64) && is_hexadecimal(text); }

std::string text_member(const Value& object, std::string_view name) {
  const Value* found = object.is_hash() ? object.hash->find(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->str()) : std::string();
}

Value parse_answer(const std::string& text, const std::string& what, Arena& arena) {
  Value out;
  JsonError error;
  if (!parse_json(text, arena, out, error) || !out.is_hash())
    throw ModuleError(fmt::format("{}: the Forge's answer is no JSON object", what));
  return out;
}

/// The first line of a command's complaint, made fit for a terminal.
std::string first_line(std::string_view text) {
  std::string out;
  for (std::string_view prefix : {"fatal: ", "error: "})
    if (const size_t at = text.find(prefix); at != std::string_view::npos) {
      text = text.substr(at + prefix.size());
      break;
    }
  for (char c : text.substr(0, std::min(text.find('\n'), size_t{300}))) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return out.empty() ? "no reason was given" : without_password(out);
}

} // namespace

std::string without_password(std::string url) {
  for (size_t at = url.find("://"); at != std::string::npos; at = url.find("://", at + 3)) {
    const size_t end = std::min(url.find_first_of("/ '\"", at + 3), url.size());
    const size_t sign = url.rfind('@', end == 0 ? 0 : end - 1);
    if (sign != std::string::npos && sign > at && sign < end) url.replace(at + 3, sign - at - 3, "***");
  }
  return url;
}

// ---------------------------------------------------------------------------------------------------------------------
// the Forge

std::string Forge::get(const std::string& path, size_t most) const {
  HttpRequest request;
  request.url = url_ + path;
  request.most_body = most;
  if (!token_.empty()) request.headers.push_back("Authorization: Bearer " + token_);
  const HttpAnswer answer = send_http_request(request);
  const std::string shown = without_password(request.url);
  if (!answer.error.empty()) throw ModuleError(fmt::format("{}: {}", shown, first_line(answer.error)));
  if (!answer.good())
    throw ModuleError(fmt::format("{}: the Forge answers {}{}", shown, answer.status,
                                  answer.status == 404 ? ": it does not have that"
                                  : answer.status == 401 || answer.status == 403
                                      ? ": it asks for a token (--forge-token-file, PUPC_FORGE_TOKEN)"
                                      : ""));
  return answer.body;
}

std::vector<std::string> Forge::versions(const ModuleRequest& module) const {
  Arena arena;
  const Value answer = parse_answer(get("/v3/modules/" + module.full_name(), most_answer), module.full_name(), arena);
  std::vector<std::string> out;
  if (const Value* releases = answer.hash->find("releases"); releases != nullptr && releases->is_list())
    for (const Value& r : releases->items()) {
      const std::string version = text_member(r, "version");
      if (parse_semver(version) && text_member(r, "deleted_at").empty()) out.push_back(version);
    }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return compare(*parse_semver(a), *parse_semver(b)) > 0; });
  if (out.empty()) throw ModuleError(fmt::format("{}: the Forge has no release of it", module.full_name()));
  return out;
}

ForgeRelease Forge::release(const ModuleRequest& module, const std::string& version) const {
  Arena arena;
  const std::string what = fmt::format("{}-{}", module.full_name(), version);
  const Value answer = parse_answer(get("/v3/releases/" + what, most_answer), what, arena);
  ForgeRelease out;
  out.version = version;
  out.path = text_member(answer, "file_uri");
  // The Forge decides neither about another host nor about the schemes.
  if (out.path.starts_with(url_ + "/")) out.path.erase(0, url_.size());
  if (!out.path.starts_with('/') || out.path.find_first_of(" \t\r\n") != std::string::npos)
    throw ModuleError(fmt::format("{}: the Forge names no file of its own for it", what));
  out.sha256 = ascii_lower(text_member(answer, "file_sha256"));
  out.md5 = ascii_lower(text_member(answer, "file_md5"));
  if (out.sha256.empty() && out.md5.empty()) throw ModuleError(fmt::format("{}: the Forge tells no checksum of its file", what));
  const Value* metadata = answer.hash->find("metadata");
  if (const Value* list = metadata != nullptr && metadata->is_hash() ? metadata->hash->find("dependencies") : nullptr;
      list != nullptr && list->is_list())
    for (const Value& v : list->items()) {
      ModuleRequest d;
      if (!split_module_name(text_member(v, "name"), d.author, d.name) || d.author.empty()) continue;
      d.version = text_member(v, "version_requirement");
      out.dependencies.push_back(std::move(d));
    }
  return out;
}

std::string Forge::download(const ForgeRelease& release) const {
  std::string archive = get(release.path, most_archive);
  const bool strong = !release.sha256.empty();
  const std::string sum = hex_digest(strong ? DigestAlgorithm::Sha256 : DigestAlgorithm::Md5, archive);
  if (sum != (strong ? release.sha256 : release.md5))
    throw ModuleError(fmt::format("{}{}: the file is not the one that the Forge describes: its {} is {}, expected {}",
                                  without_password(url_), release.path, strong ? "SHA-256" : "MD5", sum,
                                  first_line(strong ? release.sha256 : release.md5)));
  return archive;
}

// ---------------------------------------------------------------------------------------------------------------------
// git

GitRepository::GitRepository(System& system, std::string url, const std::string& cache) : system_(system), url_(std::move(url)) {
  copy_ = cache + "/git/" + hex_digest(DigestAlgorithm::Sha256, url_).substr(0, 32);
  std::error_code problem;
  fs::create_directories(cache + "/git", problem);
  lock_ = ::open((copy_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0) throw ModuleError(fmt::format("the cache '{}' cannot be written: {}", cache, std::generic_category().message(errno)));
  while (::flock(lock_, LOCK_EX) != 0 && errno == EINTR) continue;
  if (fs::exists(copy_ + "/HEAD", problem)) return;
  run({"init", "--quiet", "--bare", "--template=", "--", copy_}, false); // no hooks, no examples of them
}

GitRepository::~GitRepository() {
  if (lock_ >= 0) ::close(lock_);
}

std::string GitRepository::run(std::vector<std::string> words, bool in_copy, const std::string& index) {
  Command c;
  // Nothing that a repository or a URL says runs a program.
  c.argv = {"git",
            "-c",
            "protocol.ext.allow=never",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.autocrlf=false",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "gc.auto=0"};
  if (in_copy) c.argv.push_back("--git-dir=" + copy_);
  c.argv.insert(c.argv.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  c.merge_output = false;
  // A hook of git sets these for its own repository.
  c.unset = {"GIT_DIR",        "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
             "GIT_COMMON_DIR", "GIT_PREFIX"};
  c.environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}};
  if (!system_.environment("GIT_SSH_COMMAND") && !system_.environment("GIT_SSH"))
    c.environment.emplace_back("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"); // several ask at once, and nobody could answer
  if (!index.empty()) c.environment.emplace_back("GIT_INDEX_FILE", index);
  c.timeout = std::chrono::minutes(20);
  const CommandResult result = system_.run(c);
  if (result.not_started) throw ModuleError("git is not installed");
  if (result.timed_out) throw ModuleError(fmt::format("{}: git did not end within 20 minutes", without_password(url_)));
  if (result.status != 0) throw ModuleError(fmt::format("{}: {}", without_password(url_), first_line(result.error_output)));
  return result.output;
}

bool GitRepository::has(const std::string& commit) {
  try {
    run({"cat-file", "-e", commit + "^{commit}"});
    return true;
  } catch (const ModuleError&) { return false; }
}

const std::vector<GitRepository::Reference>& GitRepository::references() {
  if (asked_) return references_;
  const std::string listed = run({"ls-remote", "--", url_}, false);
  for (size_t begin = 0; begin < listed.size();) {
    const size_t end = std::min(listed.find('\n', begin), listed.size());
    const std::string_view line(listed.data() + begin, end - begin);
    begin = end + 1;
    const size_t tab = line.find('\t');
    if (tab != std::string_view::npos && is_whole_commit(line.substr(0, tab)))
      references_.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  asked_ = true;
  return references_;
}

/// The commit of a tag, a branch, or either; "" when there is none.
GitRepository::Resolved GitRepository::commit_of(const std::string& revision, bool tags, bool branches) {
  auto named = [&](const std::string& name) -> std::string {
    for (const Reference& r : references())
      if (r.name == name) return r.commit;
    return {};
  };
  if (tags)
    for (const char* annotated : {"^{}", ""}) // the commit of an annotated tag
      if (std::string found = named("refs/tags/" + revision + annotated); !found.empty()) return {std::move(found), true};
  return {branches ? named("refs/heads/" + revision) : std::string(), false};
}

GitRepository::Resolved GitRepository::resolve(const ModuleRequest& request, const std::string& control_branch) {
  std::string wanted, found;
  bool tags = true, branches = true;
  if (request.control_branch) {
    wanted = control_branch;
    tags = false;
  } else if (!request.tag.empty()) {
    wanted = request.tag;
    branches = false;
  } else if (!request.branch.empty()) {
    wanted = request.branch;
    tags = false;
  } else {
    wanted = request.commit.empty() ? request.ref : request.commit;
  }
  const bool commits = !request.commit.empty() || !request.ref.empty();
  if (commits && is_whole_commit(wanted)) return {wanted, false};
  if (!wanted.empty()) {
    Resolved named = commit_of(wanted, tags, branches);
    if (named.tag) return named;
    found = std::move(named.commit);
    // Only the repository's whole history tells what a part of a commit's name means.
    if (found.empty() && commits && wanted.size() >= 7 && is_hexadecimal(wanted)) {
      fetch_all();
      try {
        found = std::string(trimmed(run({"rev-parse", "--verify", "--quiet", "--end-of-options", wanted + "^{commit}"})));
      } catch (const ModuleError&) { found.clear(); }
    }
  }
  for (const std::string& fallback : {request.default_branch_override, request.default_branch})
    if (found.empty() && !fallback.empty()) found = commit_of(fallback, true, true).commit;
  if (found.empty() && wanted.empty() && !request.control_branch && request.default_branch.empty())
    for (const Reference& r : references())
      if (r.name == "HEAD") found = r.commit;
  if (!found.empty()) return {std::move(found), false};
  const std::string url = without_password(url_);
  if (request.control_branch)
    throw ModuleError(control_branch.empty()
                          ? fmt::format("{}: the control repository is on no branch (--control-branch, default_branch)", url)
                          : fmt::format("{}: there is no branch '{}', as the control repository has it, and no default_branch that exists",
                                        url, control_branch));
  throw ModuleError(fmt::format("{}: there is no {} '{}'", url,
                                !request.tag.empty()      ? "tag"
                                : !request.branch.empty() ? "branch"
                                : !request.commit.empty() ? "commit"
                                                          : "revision",
                                wanted.empty() ? request.default_branch.empty() ? "HEAD" : request.default_branch : wanted));
}

void GitRepository::fetch_all() {
  const bool shallow = trimmed(run({"rev-parse", "--is-shallow-repository"})) == "true";
  std::vector<std::string> words = {"fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--force"};
  if (shallow) words.emplace_back("--unshallow");
  words.insert(words.end(), {"--", url_, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"});
  run(std::move(words));
}

void GitRepository::fetch(const std::string& commit) {
  try {
    run({"fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", url_,
         fmt::format("+{}:refs/pupc/{}", commit, commit)});
    if (has(commit)) return;
  } catch (const ModuleError&) { /* some servers give only what a reference names */
  }
  fetch_all();
  if (!has(commit)) throw ModuleError(fmt::format("{}: it has no commit {}", without_password(url_), commit));
}

void GitRepository::check_out(const std::string& commit, const std::string& path, const std::string& target) {
  if (!is_whole_commit(commit)) throw ModuleError(fmt::format("{}: no commit is named so", without_password(url_)));
  if (!has(commit)) fetch(commit);
  const std::string index = target + ".index";
  run({"read-tree", path.empty() ? commit : commit + ":" + path}, true, index);
  run({"--work-tree=" + target, "checkout-index", "--all", "--quiet"}, true, index);
  std::error_code ignored;
  fs::remove(index, ignored);
}

std::string GitRepository::newest_tag() {
  std::string newest;
  auto version_of = [](std::string_view tag) { return parse_semver(tag.starts_with('v') ? tag.substr(1) : tag); };
  for (const Reference& r : references()) {
    constexpr std::string_view tags = "refs/tags/";
    if (!r.name.starts_with(tags) || r.name.ends_with("^{}")) continue;
    const std::string tag = r.name.substr(tags.size());
    const auto version = version_of(tag);
    if (!version || !version->prerelease.empty()) continue;
    if (newest.empty() || compare(*version, *version_of(newest)) > 0) newest = tag;
  }
  return newest;
}

// ---------------------------------------------------------------------------------------------------------------------
// archives

void unpack_release(System& system, const std::string& archive, const std::string& work, const std::string& target) {
  const std::string file = work + "/release.tar.gz";
  system.write_file(file, archive, 0600, std::nullopt, std::nullopt, false);
  auto tar = [&](std::vector<std::string> words) {
    Command c;
    c.argv = {"tar", "--gzip", "--file=" + file, "--force-local"};
    c.argv.insert(c.argv.end(), words.begin(), words.end());
    c.merge_output = false;
    c.unset = {"TAR_OPTIONS"};
    c.environment = {{"LC_ALL", "C"}};
    c.most_output = most_answer;
    const CommandResult result = system.run(c);
    if (result.not_started) throw ModuleError("tar is not installed");
    if (result.status != 0) throw ModuleError(fmt::format("the release cannot be unpacked: {}", first_line(result.error_output)));
    if (result.output.size() > most_answer) throw ModuleError("the release has too many members");
    return result.output;
  };
  const std::vector<ArchiveMember> members = read_tar_list(
      tar({"--list", "--verbose", "--numeric-owner", "--absolute-names", "--quoting-style=escape"}));
  if (const std::string outside = member_outside(members); !outside.empty())
    throw ModuleError(fmt::format("the release is refused: its member '{}' would be outside the module", first_line(outside)));
  uint64_t size = 0;
  std::string top;
  for (const ArchiveMember& m : members) {
    size += std::min(m.size, UINT64_MAX - size);
    std::string_view name = m.name;
    while (name.starts_with("./")) name.remove_prefix(2);
    if (name.empty()) continue;
    const std::string_view first = name.substr(0, name.find('/'));
    if (top.empty()) top = first;
    if (first != top || first == ".") throw ModuleError("the release is refused: its files are not in one directory");
    for (size_t begin = 0; begin < name.size();) {
      const size_t end = std::min(name.find('/', begin), name.size());
      if (ascii_lower(name.substr(begin, end - begin)) == ".git")
        throw ModuleError("the release is refused: it has a .git, which would configure git");
      begin = end + 1;
    }
  }
  if (size > most_unpacked) throw ModuleError(fmt::format("the release is refused: it takes {} bytes", size));
  const std::string into = work + "/unpacked";
  fs::create_directory(into);
  tar({"--extract", "--directory=" + into, "--no-same-owner", "--no-same-permissions"});
  fs::rename(into + "/" + top, target);
  std::error_code ignored;
  fs::remove(file, ignored);
}

void check_module_tree(const std::string& directory) {
  const fs::path root = fs::canonical(directory);
  auto inside = [&](const fs::path& path) { return path == root || path.string().starts_with(root.string() + "/"); };
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    const std::string shown = first_line(path.string().substr(root.string().size() + 1));
    const fs::file_status status = entry.symlink_status();
    if (status.type() == fs::file_type::symlink) {
      const fs::path to = fs::read_symlink(path);
      std::error_code dangling;
      const fs::path real = fs::canonical(path, dangling);
      if (to.is_absolute() || !inside((path.parent_path() / to).lexically_normal()) || (!dangling && !inside(real)))
        throw ModuleError(fmt::format("its link '{}' leads out of the module", shown));
    } else if (status.type() == fs::file_type::directory) {
      fs::permissions(path, fs::perms(0755));
    } else if (status.type() == fs::file_type::regular) {
      const bool program = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
      fs::permissions(path, fs::perms(program ? 0755 : 0644));
    } else {
      throw ModuleError(fmt::format("its '{}' is neither a file nor a directory", shown));
    }
  }
}

} // namespace pupc::cli
