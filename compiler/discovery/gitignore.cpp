#include "compiler/discovery/gitignore.h"

namespace pupc::compiler {
namespace {

/// Whether the set ([a-z]) at the start of `glob` contains the character. `length` gets the set's length, 0 when no set starts there.
bool in_set(std::string_view glob, char c, size_t& length) {
  length = 0;
  const size_t end = glob.find(']', glob.size() > 1 && (glob[1] == '!' || glob[1] == '^') ? 3 : 2);
  if (end == std::string_view::npos) return false;
  length = end + 1;
  std::string_view set = glob.substr(1, end - 1);
  const bool negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (c >= set[i] && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || c == set[i];
    }
  }
  return found != negated;
}

} // namespace

bool glob_matches(std::string_view glob, std::string_view path) {
  // Backtracking: where to resume when a star must match one more character. Only the latest star needs a retry.
  size_t g = 0, p = 0, star_g = std::string_view::npos, star_p = 0;
  bool star_crosses = false;
  while (p < path.size() || g < glob.size()) {
    if (g < glob.size()) {
      const char c = glob[g];
      if (c == '*') {
        const bool two = g + 1 < glob.size() && glob[g + 1] == '*';
        if (two && g + 2 < glob.size() && glob[g + 2] == '/' && glob_matches(glob.substr(g + 3), path.substr(p))) return true;
        star_g = g + (two ? 2 : 1);
        star_p = p;
        star_crosses = two;
        g = star_g;
        continue;
      }
      if (p < path.size()) {
        size_t set = 0;
        if (c == '[' && path[p] != '/' && in_set(glob.substr(g), path[p], set) && set != 0) {
          g += set;
          ++p;
          continue;
        }
        if ((c == '?' && path[p] != '/') || (c == '\\' && g + 1 < glob.size() && glob[g + 1] == path[p]) || (c == path[p] && c != '?')) {
          g += c == '\\' && path[p] != '\\' ? 2 : 1;
          ++p;
          continue;
        }
      }
    }
    if (star_g == std::string_view::npos || star_p >= path.size() || (!star_crosses && path[star_p] == '/')) return false;
    p = ++star_p;
    g = star_g;
  }
  return true;
}

GitIgnore::GitIgnore(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    Pattern p{{}, false, false, false};
    if (line[0] == '!') {
      p.negated = true;
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      p.directory_only = true;
      line.remove_suffix(1);
    }
    p.anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    size_t stars = 0; // each `**` multiplies the time to match: ignore patterns with many
    for (size_t at = 0; (at = line.find("**", at)) != std::string_view::npos; at += 2) ++stars;
    if (line.empty() || stars > 6) continue;
    p.glob = line;
    patterns_.push_back(std::move(p));
  }
}

GitIgnore::Verdict GitIgnore::verdict(std::string_view relative, bool directory) const {
  const std::string_view name = relative.substr(relative.rfind('/') == std::string_view::npos ? 0 : relative.rfind('/') + 1);
  for (auto p = patterns_.rbegin(); p != patterns_.rend(); ++p) {
    if (p->directory_only && !directory) continue;
    if (glob_matches(p->glob, p->anchored ? relative : name)) return p->negated ? Verdict::Kept : Verdict::Ignored;
  }
  return Verdict::Unknown;
}

} // namespace pupc::compiler
