#include "runtime/provider/archive/archive_members.h"

#include "catalog/base/octal_escapes.h"
#include "runtime/provider/commands.h"

#include <fmt/format.h>
#include <unordered_set>

namespace pupc {
namespace {

/// Decodes the escapes in tar's listing: "\\n", "\\303" and the like.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (const auto byte = octal_escape(text, i)) {
      out += *byte;
      i += 3;
    } else if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else {
      const char c = text[++i];
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return out;
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  for (std::string& part : split_text(path, '/'))
    if (!part.empty() && part != ".") out.push_back(std::move(part));
  return out;
}

/// Whether a path leaves the directory of extraction, when it starts `depth` directories below it.
bool leaves(std::string_view path, size_t depth) {
  if (path.starts_with('/')) return true;
  for (const std::string& part : parts_of(path)) {
    if (part != "..")
      ++depth;
    else if (depth-- == 0)
      return true;
  }
  return false;
}

bool has_parent(std::string_view path) {
  for (const std::string& part : parts_of(path))
    if (part == "..") return true;
  return false;
}

} // namespace

std::vector<ArchiveMember> read_tar_list(std::string_view text) {
  std::vector<ArchiveMember> out;
  for (const std::string& line : text_lines(text)) {
    // A line has mode, owner, size, date and time, then the name.
    size_t at = 0;
    for (int field = 0; field < 5 && at != std::string::npos; ++field) {
      at = line.find(' ', at);
      if (at != std::string::npos) at = line.find_first_not_of(' ', at);
    }
    if (at == std::string::npos || line.empty()) continue;
    ArchiveMember m;
    const std::string rest = line.substr(at);
    m.hard = line[0] == 'h';
    const std::string_view mark = line[0] == 'l' ? " -> " : m.hard ? " link to " : "";
    size_t cut = mark.empty() ? std::string::npos : rest.find(mark);
    // A name may hold the mark itself: the list does not tell which one ends the name, so each of them counts.
    do {
      m.name = unescaped(rest.substr(0, cut));
      if (cut != std::string::npos) {
        m.link = unescaped(rest.substr(cut + mark.size()));
        cut = rest.find(mark, cut + 1);
      }
      out.push_back(m);
    } while (cut != std::string::npos);
  }
  return out;
}

std::string member_outside(const std::vector<ArchiveMember>& members) {
  std::unordered_set<std::string> doors; // links that lead outside
  for (const ArchiveMember& m : members) {
    if (m.name.starts_with('/') || has_parent(m.name)) return m.name;
    if (m.link.empty()) continue;
    const std::vector<std::string> parts = parts_of(m.name);
    if (m.hard && (m.link.starts_with('/') || has_parent(m.link))) return m.name;
    if (!m.hard && leaves(m.link, parts.empty() ? 0 : parts.size() - 1)) doors.insert(join_text(parts, "/"));
  }
  if (doors.empty()) return {};
  for (const ArchiveMember& m : members) {
    const std::vector<std::string> parts = parts_of(m.name);
    std::string above;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      above += (i == 0 ? "" : "/") + parts[i];
      if (doors.contains(above)) return m.name;
    }
    // tar may write a file with the name of such a link through the link.
    if (m.link.empty() && doors.contains(join_text(parts, "/"))) return m.name;
  }
  return {};
}

void check_archive_members(const std::string& path, const std::string& shown, RunContext& run) {
  const bool zip = path.ends_with(".zip") || path.ends_with(".war") || path.ends_with(".jar");
  std::vector<ArchiveMember> members;
  ToolOptions options;
  options.merge_output = false;
  if (zip) {
    if (!find_tool(run, "unzip")) return;
    for (const std::string& name : text_lines(run_tool(run, {"unzip", "-Z1", path}, options).output)) members.push_back({name, "", false});
  } else {
    if (!find_tool(run, "tar")) return;
    // Check a damaged archive up to the damage: tar would extract that part.
    members = read_tar_list(run_tool(run,
                                     {"tar", "--list", "--verbose", "--numeric-owner", "--absolute-names", "--quoting-style=escape",
                                      "--file=" + path, "--force-local"},
                                     options)
                                .output);
  }
  if (const std::string outside = member_outside(members); !outside.empty())
    throw ResourceError(fmt::format("Refused to extract {}: its member '{}' would be outside the target directory", shown, outside));
}

} // namespace pupc
