// Paths and globs of hiera.yaml as Ruby joins and expands them.
#include "compiler/hiera/config.h"

#include <algorithm>
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

namespace pupc::compiler {
namespace {

bool is_directory(const std::string& path, bool follow) {
  struct stat info {};
  return (follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) == 0 && S_ISDIR(info.st_mode);
}

/// Expands `{a,b}` alternatives in order, nested ones too.
void expand_braces(std::string_view pattern, std::vector<std::string>& out) {
  size_t open = std::string_view::npos, depth = 0;
  std::vector<size_t> commas;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (c == '{') {
      if (depth++ == 0) {
        open = i;
        commas.clear();
      }
    } else if (c == ',' && depth == 1) {
      commas.push_back(i);
    } else if (c == '}' && depth > 0 && --depth == 0) {
      commas.push_back(i);
      size_t begin = open + 1;
      for (size_t end : commas) {
        std::string one(pattern.substr(0, open));
        one.append(pattern.substr(begin, end - begin)).append(pattern.substr(i + 1));
        expand_braces(one, out);
        begin = end + 1;
      }
      return;
    }
  }
  out.emplace_back(pattern);
}

class Globber {
public:
  explicit Globber(std::string_view pattern) {
    size_t begin = 0;
    std::string start;
    if (pattern.starts_with('/')) {
      start = "/";
      begin = 1;
    }
    for (; begin <= pattern.size();) {
      size_t end = std::min(pattern.find('/', begin), pattern.size());
      if (end > begin) components_.emplace_back(pattern.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!components_.empty()) walk(start, {0}, 0);
  }
  std::vector<std::string> found;

private:
  static bool plain(const std::string& component) { return component.find_first_of("*?[") == std::string::npos; }

  static std::string unescaped(const std::string& s) {
    std::string out;
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i] == '\\' && i + 1 < s.size()) ++i;
      out += s[i];
    }
    return out;
  }

  void walk(const std::string& directory, std::vector<size_t> states, int depth) {
    if (depth > 100) return;
    for (size_t i = 0; i < states.size(); ++i) { // ** also matches no directory
      size_t next = states[i] + 1;
      if (components_[states[i]] == "**" && next < components_.size() && std::find(states.begin(), states.end(), next) == states.end())
        states.push_back(next);
    }
    if (states.size() == 1 && plain(components_[states[0]])) {
      std::string path = directory + unescaped(components_[states[0]]);
      if (states[0] + 1 == components_.size())
        add(path);
      else if (is_directory(path, true))
        walk(path + "/", {states[0] + 1}, depth + 1);
      return;
    }
    std::vector<std::string> names;
    DIR* d = ::opendir(directory.empty() ? "." : directory.c_str());
    if (!d) return;
    while (const dirent* e = ::readdir(d))
      if (std::string_view(e->d_name) != "." && std::string_view(e->d_name) != "..") names.emplace_back(e->d_name);
    ::closedir(d);
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      std::string path = directory + name;
      std::vector<size_t> below;
      bool matched = false;
      for (size_t state : states) {
        const std::string& component = components_[state];
        if (component == "**" && state + 1 < components_.size()) {
          if (name[0] != '.' && is_directory(path, false)) below.push_back(state);
        } else if (::fnmatch(component.c_str(), name.c_str(), FNM_PERIOD) == 0) {
          if (state + 1 == components_.size())
            matched = true;
          else if (is_directory(path, true) && std::find(below.begin(), below.end(), state + 1) == below.end())
            below.push_back(state + 1);
        }
      }
      if (matched) add(path);
      if (!below.empty()) walk(path + "/", below, depth + 1);
    }
  }

  void add(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) found.push_back(path);
  }

  std::vector<std::string> components_;
};

} // namespace

std::string join_path(std::string_view base, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  std::string out(base);
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  for (;;) {
    if (path == "." || path.starts_with("./")) {
      path.remove_prefix(path.size() == 1 ? 1 : 2);
    } else if (path == ".." || path.starts_with("../")) {
      path.remove_prefix(path.size() == 2 ? 2 : 3);
      size_t cut = out.rfind('/');
      out.resize(cut == std::string::npos ? 0 : std::max<size_t>(cut, 1));
    } else {
      break;
    }
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  if (path.empty()) return out;
  if (out != "/") out += '/';
  return out.append(path);
}

std::vector<std::string> glob_files(const std::string& pattern) {
  std::vector<std::string> patterns, out;
  expand_braces(pattern, patterns);
  for (const auto& p : patterns) {
    Globber g(p);
    out.insert(out.end(), g.found.begin(), g.found.end());
  }
  return out;
}

} // namespace pupc::compiler
