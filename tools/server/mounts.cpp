#include "tools/server/mounts.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "tools/server/request_text.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::server {
namespace {

/// Directories of every module that a mount shows merged, and the files of one module's folder that a mount shows by the module's name.
struct Merged {
  std::string_view mount, directory;
};
constexpr Merged merged[] = {{"plugins", "lib"}, {"pluginfacts", "facts.d"}, {"locales", "locales"}};
constexpr Merged by_module[] = {{"modules", "files"}, {"tasks", "tasks"}, {"scripts", "scripts"}};

std::string expanded(const std::string& path, const std::string& node) {
  const size_t dot = std::min(node.find('.'), node.size());
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%' || i + 1 == path.size()) {
      out += path[i];
      continue;
    }
    switch (path[++i]) {
    case 'h': out += node.substr(0, dot); break;
    case 'H': out += node; break;
    case 'd': out += node.substr(std::min(dot + 1, node.size())); break;
    case '%': out += '%'; break;
    default: (out += '%') += path[i];
    }
  }
  return out;
}

} // namespace

FileMounts read_file_mounts(std::string_view text, const std::string& file) {
  FileMounts out;
  std::string mount;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = catalog::trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto wrong = [&](std::string_view what) { return MountError(fmt::format("{}: {} (line: {})", file, what, number)); };
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      const size_t close = line.find(']');
      if (close == std::string_view::npos || close < 2) throw wrong("a mount is written [name]");
      mount = line.substr(1, close - 1);
      if (std::ranges::any_of(mount, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_'; }))
        throw wrong("a mount's name has letters, digits, - and _");
      if (out.contains(mount)) throw wrong(fmt::format("the mount {} is there twice", mount));
      out[mount];
      continue;
    }
    const size_t blank = line.find_first_of(" \t");
    const std::string_view word = line.substr(0, blank);
    const std::string_view value = blank == std::string_view::npos ? std::string_view() : catalog::trimmed(line.substr(blank), " \t\r");
    if (mount.empty()) throw wrong("there is no [mount] before this line");
    if (word == "path") {
      if (!value.starts_with('/')) throw wrong("a mount's path is absolute");
      out[mount] = absolute_path(value);
    } else if (word != "allow" || value != "*") { // who may is told by auth.conf
      throw wrong(fmt::format("'{}' is not supported: it is path, or allow *; all else is told by auth.conf", line));
    }
  }
  std::erase_if(out, [&](const auto& m) {
    const bool own = MountedPath::same_for_all(m.first);
    if (!own && m.second.empty()) throw MountError(fmt::format("{}: the mount {} has no path", file, m.first));
    return own;
  });
  return out;
}

MountedPath::MountedPath(const Environment& environment, const FileMounts& mounts, std::string_view path, const std::string& node,
                         FileWatch* watch)
    : environment_(environment), watch_(watch) {
  const auto is_there = [&](const std::string& file) {
    note(file);
    struct stat info {};
    return ::lstat(file.c_str(), &info) == 0;
  };
  std::string rest;
  const std::vector<std::string_view> parts = path_parts(path);
  const std::string mount(parts.empty() ? std::string_view() : parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) (rest += i > 1 ? "/" : "") += parts[i];
  for (const Merged& kind : merged) {
    if (kind.mount != mount) continue;
    for (const Module& module : environment.modules()) {
      std::string directory = fmt::format("{}/{}", module.path, kind.directory);
      note(directory);
      if (!is_directory(directory)) continue;
      std::string file = rest.empty() ? directory : directory + "/" + rest;
      if (found_.empty() && is_there(file)) found_ = std::move(file);
      roots_.push_back(std::move(directory));
    }
    if (roots_.empty()) {
      roots_only_ = true;
      for (const std::string& directory : environment.options().modulepath) {
        note(directory);
        if (is_directory(directory)) roots_.push_back(directory);
      }
      if (roots_.empty()) roots_.push_back(environment.options().path);
    }
    return;
  }
  std::string root;
  for (const Merged& kind : by_module) {
    if (kind.mount != mount) continue;
    if (parts.size() < 2) return;
    const std::string name(parts[1]);
    const Module* module = environment.find_module(name);
    if (module == nullptr) return;
    rest.clear();
    for (size_t i = 2; i < parts.size(); ++i) (rest += i > 2 ? "/" : "") += parts[i];
    root = fmt::format("{}/{}", module->path, kind.directory);
  }
  if (root.empty()) {
    const auto configured = mounts.find(mount);
    if (configured == mounts.end()) {
      known_ = false;
      return;
    }
    root = expanded(configured->second, node);
    own_root_ = root;
  }
  std::string file = rest.empty() ? root : root + "/" + rest;
  if (!is_there(file)) return;
  found_ = file;
  roots_ = {std::move(file)};
}

bool MountedPath::same_for_all(std::string_view path) {
  const std::string_view mount = path.substr(0, path.find('/'));
  const auto is = [&](const Merged& kind) { return kind.mount == mount; };
  return std::ranges::any_of(merged, is) || std::ranges::any_of(by_module, is);
}

Descriptor MountedPath::open(const std::string& path) const {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return Descriptor();
  char real[PATH_MAX];
  const ssize_t size = ::readlink(fmt::format("/proc/self/fd/{}", file.get()).c_str(), real, sizeof real);
  if (size <= 0 || size >= static_cast<ssize_t>(sizeof real)) return Descriptor();
  if (!allowed({real, static_cast<size_t>(size)})) return Descriptor();
  return file;
}

bool MountedPath::inside(const std::string& path) const {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) != nullptr && allowed(real);
}

bool MountedPath::allowed(std::string_view real) const {
  if (!allowed_) {
    allowed_.emplace();
    const auto add = [&](const std::string& directory) {
      char found[PATH_MAX];
      if (!directory.empty() && ::realpath(directory.c_str(), found) != nullptr) allowed_->emplace_back(found);
    };
    for (const std::string& directory : environment_.options().modulepath) add(directory);
    for (const Module& module : environment_.modules()) add(module.path);
    add(environment_.options().path);
    add(own_root_);
  }
  return std::ranges::any_of(*allowed_, [&](const std::string& directory) { return real == directory || is_below(real, directory); });
}

} // namespace pupc::server
