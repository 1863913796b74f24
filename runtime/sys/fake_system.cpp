#include "runtime/sys/fake_system.h"

#include <cerrno>
#include <fmt/ranges.h>
#include <sys/stat.h>

namespace pupc::runtime {
namespace {

std::string parent_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

} // namespace

FakeSystem::FakeSystem() {
  put_directory("/");
  put_user("root", 0, 0, "/root");
  put_group("root", 0);
}

void FakeSystem::put_directory(const std::string& path, uint32_t mode, uint32_t owner, uint32_t group) {
  if (path != "/" && !files.contains(parent_of(path))) put_directory(parent_of(path));
  Node& n = files[path];
  n.status.type = FileType::Directory;
  n.status.mode = mode;
  n.status.uid = owner;
  n.status.gid = group;
  n.status.inode = next_inode_++;
  n.status.modified = n.status.changed = n.status.accessed = now();
}

void FakeSystem::put_file(const std::string& path, std::string content, uint32_t mode, uint32_t owner, uint32_t group) {
  if (!files.contains(parent_of(path))) put_directory(parent_of(path));
  Node& n = files[path];
  n.status.type = FileType::File;
  n.status.mode = mode;
  n.status.uid = owner;
  n.status.gid = group;
  n.status.size = content.size();
  n.status.inode = next_inode_++;
  n.status.modified = n.status.changed = n.status.accessed = now();
  n.content = std::move(content);
}

void FakeSystem::put_link(const std::string& path, std::string target) {
  put_file(path, std::move(target), 0777);
  files[path].status.type = FileType::Link;
}

void FakeSystem::put_user(const std::string& name, uint32_t user_id, uint32_t group_id, const std::string& home) {
  User u;
  u.name = name;
  u.uid = user_id;
  u.gid = group_id;
  u.home = home;
  u.shell = "/bin/sh";
  u.password = "x";
  users_[name] = u;
}

void FakeSystem::put_group(const std::string& name, uint32_t group_id, std::vector<std::string> members) {
  Group g;
  g.name = name;
  g.gid = group_id;
  g.members = std::move(members);
  groups_[name] = g;
}

void FakeSystem::answer(const std::string& text, int status, std::string output) {
  CommandResult r;
  r.status = status;
  r.output = std::move(output);
  answers_[text] = std::move(r);
}

const FakeSystem::Node* FakeSystem::find(const std::string& path) const {
  auto it = files.find(path);
  return it == files.end() ? nullptr : &it->second;
}

FakeSystem::Node& FakeSystem::existing(const std::string& path) {
  auto it = files.find(path);
  if (it == files.end()) throw SystemError(ENOENT, path);
  return it->second;
}

std::string FakeSystem::end_of_links(const std::string& path) const {
  std::string at = path;
  for (int i = 0; i < 40; ++i) {
    auto it = files.find(at);
    if (it == files.end()) return "";
    if (it->second.status.type != FileType::Link) return at;
    at = it->second.content.starts_with('/') ? it->second.content : parent_of(at) + "/" + it->second.content;
  }
  return "";
}

void FakeSystem::record(const std::string& path, std::string call) {
  if (auto it = failures_.find(path); it != failures_.end()) throw SystemError(it->second, path);
  calls.push_back(std::move(call));
}

void FakeSystem::need_parent(const std::string& path) const {
  std::string parent = end_of_links(parent_of(path));
  if (parent.empty()) throw SystemError(ENOENT, path);
  if (files.at(parent).status.type != FileType::Directory) throw SystemError(ENOTDIR, path);
}

std::optional<FileStatus> FakeSystem::lstat(const std::string& path) {
  const Node* n = find(path);
  if (n == nullptr) return std::nullopt;
  return n->status;
}

std::optional<FileStatus> FakeSystem::stat(const std::string& path) {
  std::string real = end_of_links(path);
  if (real.empty()) return std::nullopt;
  return files.at(real).status;
}

std::string FakeSystem::read_file(const std::string& path) {
  std::string real = end_of_links(path);
  if (real.empty()) throw SystemError(ENOENT, path);
  const Node& n = files.at(real);
  if (n.status.type == FileType::Directory) throw SystemError(EISDIR, path);
  return n.content;
}

void FakeSystem::write_file(const std::string& path, std::string_view content, uint32_t mode, std::optional<uint32_t> owner,
                            std::optional<uint32_t> group, bool) {
  need_parent(path);
  if (const Node* n = find(path); n != nullptr && n->status.type == FileType::Directory) throw SystemError(EISDIR, path);
  record(path, fmt::format("write {} {:04o}", path, mode));
  put_file(path, std::string(content), mode, owner.value_or(uid), group.value_or(gid));
}

void FakeSystem::overwrite_file(const std::string& path, std::string_view content) {
  Node& n = existing(path);
  record(path, fmt::format("overwrite {}", path));
  n.content = content;
}

std::string FakeSystem::read_link(const std::string& path) {
  Node& n = existing(path);
  if (n.status.type != FileType::Link) throw SystemError(EINVAL, path);
  return n.content;
}

bool FakeSystem::safe_from_others(const std::string& path) {
  const Node* file = find(path);
  if (file == nullptr || file->status.type != FileType::File) return false;
  auto others = [&](const Node& n, bool sticky_is_safe) {
    return (n.status.uid != 0 && n.status.uid != uid) || ((n.status.mode & 0022) != 0 && !(sticky_is_safe && (n.status.mode & 01000) != 0));
  };
  if (others(*file, false)) return false;
  for (std::string at = path; at != "/";) {
    at = parent_of(at);
    const Node* directory = find(at);
    if (directory == nullptr || others(*directory, true)) return false;
  }
  return true;
}

std::string FakeSystem::followed(const std::string& path) {
  std::string at = path;
  for (int i = 0; i < 40; ++i) {
    const Node* n = find(at);
    if (n == nullptr || n->status.type != FileType::Link) return at;
    at = n->content.starts_with('/') ? n->content : parent_of(at) + "/" + n->content;
  }
  throw SystemError(ELOOP, path, "rb_readlink");
}

std::string FakeSystem::make_private_directory(const std::string& parent, std::optional<uint32_t> owner) {
  need_parent(parent + "/x");
  const std::string path = fmt::format("{}/.pupc-{:016x}", parent, ++next_inode_);
  put_directory(path, 0700, owner.value_or(uid), gid);
  return path;
}

std::string FakeSystem::as_user(const User& user, const std::function<std::string(System&)>& work) {
  calls.push_back("as " + user.name);
  const auto before = std::pair(uid, gid);
  uid = user.uid;
  gid = user.gid;
  try {
    std::string out = work(*this);
    std::tie(uid, gid) = before;
    return out;
  } catch (...) {
    std::tie(uid, gid) = before;
    throw;
  }
}

void FakeSystem::make_link(const std::string& target, const std::string& path) {
  need_parent(path);
  if (files.contains(path)) throw SystemError(EEXIST, path);
  record(path, fmt::format("link {} -> {}", path, target));
  put_link(path, target);
}

void FakeSystem::make_directory(const std::string& path, uint32_t mode) {
  need_parent(path);
  if (files.contains(path)) throw SystemError(EEXIST, path);
  record(path, fmt::format("mkdir {} {:04o}", path, mode));
  put_directory(path, mode, uid, gid);
}

std::vector<std::string> FakeSystem::list_directory(const std::string& path) {
  std::string real = end_of_links(path);
  if (real.empty()) throw SystemError(ENOENT, path);
  if (files.at(real).status.type != FileType::Directory) throw SystemError(ENOTDIR, path);
  std::string prefix = real == "/" ? "/" : real + "/";
  std::vector<std::string> out;
  for (auto it = files.upper_bound(prefix); it != files.end() && it->first.starts_with(prefix); ++it)
    if (it->first.find('/', prefix.size()) == std::string::npos) out.push_back(it->first.substr(prefix.size()));
  return out;
}

void FakeSystem::remove_file(const std::string& path) {
  if (existing(path).status.type == FileType::Directory) throw SystemError(EISDIR, path);
  record(path, "unlink " + path);
  files.erase(path);
}

void FakeSystem::remove_directory(const std::string& path) {
  if (existing(path).status.type != FileType::Directory) throw SystemError(ENOTDIR, path);
  if (!list_directory(path).empty()) throw SystemError(ENOTEMPTY, path);
  record(path, "rmdir " + path);
  files.erase(path);
}

void FakeSystem::rename(const std::string& from, const std::string& to) {
  existing(from);
  record(to, fmt::format("rename {} {}", from, to));
  std::map<std::string, Node> moved;
  for (auto it = files.begin(); it != files.end();) {
    if (it->first == from || it->first.starts_with(from + "/")) {
      moved[to + it->first.substr(from.size())] = std::move(it->second);
      it = files.erase(it);
    } else {
      ++it;
    }
  }
  for (auto& [path, node] : moved) files[path] = std::move(node);
}

void FakeSystem::set_mode(const std::string& path, uint32_t mode) {
  std::string real = end_of_links(path);
  if (real.empty()) throw SystemError(ENOENT, path);
  record(path, fmt::format("chmod {} {:04o}", path, mode));
  files[real].status.mode = mode;
}

void FakeSystem::set_owner(const std::string& path, std::optional<uint32_t> owner, std::optional<uint32_t> group, bool follow) {
  std::string real = follow ? end_of_links(path) : path;
  if (real.empty()) throw SystemError(ENOENT, path);
  Node& n = existing(real);
  record(path, fmt::format("chown {} {}:{}", path, owner ? std::to_string(*owner) : "", group ? std::to_string(*group) : ""));
  if (owner) n.status.uid = *owner;
  if (group) n.status.gid = *group;
}

void FakeSystem::set_times(const std::string& path, int64_t accessed, int64_t modified) {
  Node& n = existing(path);
  record(path, "utime " + path);
  n.status.accessed = accessed;
  n.status.modified = modified;
}

bool FakeSystem::executable(const std::string& path) {
  auto s = stat(path);
  return s && s->type == FileType::File && (s->mode & 0111) != 0;
}

std::optional<User> FakeSystem::user_by_name(const std::string& name) {
  auto it = users_.find(name);
  if (it == users_.end()) return std::nullopt;
  return it->second;
}
std::optional<User> FakeSystem::user_by_id(uint32_t user_id) {
  for (const auto& [name, user] : users_)
    if (user.uid == user_id) return user;
  return std::nullopt;
}
std::optional<Group> FakeSystem::group_by_name(const std::string& name) {
  auto it = groups_.find(name);
  if (it == groups_.end()) return std::nullopt;
  return it->second;
}
std::optional<Group> FakeSystem::group_by_id(uint32_t group_id) {
  for (const auto& [name, group] : groups_)
    if (group.gid == group_id) return group;
  return std::nullopt;
}

std::optional<std::string> FakeSystem::label(const std::string& path) {
  auto it = labels.find(path);
  return it == labels.end() ? std::nullopt : std::optional(it->second);
}
bool FakeSystem::set_label(const std::string& path, const std::string& label) {
  calls.push_back(fmt::format("label {} {}", path, label));
  if (failures_.contains(path)) return false;
  labels[path] = label;
  return true;
}
std::optional<std::string> FakeSystem::default_label(const std::string& path, uint32_t mode) {
  const char letter = S_ISREG(mode) ? '-' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : '?';
  auto it = default_labels.find(fmt::format("{} {}", letter, path));
  if (it == default_labels.end()) it = default_labels.find(path);
  return it == default_labels.end() ? std::nullopt : std::optional(it->second);
}

HttpAnswer FakeSystem::http(const HttpRequest& request) {
  calls.push_back(fmt::format("http {} {}", request.head ? "HEAD" : "GET", request.url));
  auto it = urls.find(request.url);
  if (it != urls.end()) return it->second;
  HttpAnswer none;
  none.status = 404;
  none.reason = "Not Found";
  return none;
}

CommandResult FakeSystem::run(const Command& command) {
  std::string text = command.shell.empty() ? fmt::format("{}", fmt::join(command.argv, " ")) : command.shell;
  calls.push_back("run " + text);
  commands.push_back(command);
  if (auto it = answers_.find(text); it != answers_.end()) return it->second;
  if (on_run) return on_run(command);
  CommandResult r;
  r.not_started = true;
  r.error = ENOENT;
  r.status = 127;
  return r;
}

std::optional<std::string> FakeSystem::which(std::string_view program, const std::vector<std::string>* path) {
  if (program.find('/') != std::string_view::npos) {
    if (executable(std::string(program))) return std::string(program);
    return std::nullopt;
  }
  std::vector<std::string> directories;
  if (path != nullptr) {
    directories = *path;
  } else {
    std::string text = variables["PATH"];
    for (size_t at = 0; at <= text.size();) {
      size_t end = std::min(text.find(':', at), text.size());
      directories.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  for (const std::string& d : directories)
    if (executable(fmt::format("{}/{}", d, program))) return fmt::format("{}/{}", d, program);
  return std::nullopt;
}

void FakeSystem::sleep(std::chrono::milliseconds duration) {
  calls.push_back(fmt::format("sleep {}", duration.count()));
  time += std::chrono::nanoseconds(duration).count();
}

std::optional<std::string> FakeSystem::environment(const std::string& name) {
  auto it = variables.find(name);
  if (it == variables.end()) return std::nullopt;
  return it->second;
}

} // namespace pupc::runtime
