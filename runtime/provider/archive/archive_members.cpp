#include "runtime/provider/archive/archive_members.h"

#include "catalog/base/octal_escapes.h"
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_set>

namespace pupc::runtime {
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
  for (std::string& part : catalog::split_text(path, '/'))
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

/// The number at `at`: beyond 64 bits the largest one, 0 where there is none (a device has two numbers instead of a size).
uint64_t number_at(std::string_view text, size_t at) {
  uint64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), n);
  if (problem == std::errc::result_out_of_range) return UINT64_MAX;
  return problem == std::errc() && (end == text.data() + text.size() || *end == ' ') ? n : 0;
}

/// How many bytes of a list of members are read: about 700,000 members.
constexpr size_t most_listed = size_t{64} << 20;

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
    ArchiveMember m;
    for (int field = 0; field < 5 && at != std::string::npos; ++field) {
      at = line.find(' ', at);
      if (at != std::string::npos) at = line.find_first_not_of(' ', at);
      if (field == 1 && at != std::string::npos) m.size = number_at(line, at);
    }
    if (at == std::string::npos || line.empty()) continue;
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

void check_archive_members(const std::string& path, const ArchiveTarget& target, RunContext& run) {
  auto refuse = [&](const std::string& why) { throw ResourceError(fmt::format("Refused to extract {}: {}", target.shown, why)); };
  const bool zip = path.ends_with(".zip") || path.ends_with(".war") || path.ends_with(".jar");
  std::vector<ArchiveMember> members;
  uint64_t size = 0;
  // What is left out of a long list would not be checked.
  auto list = [&](std::vector<std::string> argv) {
    Command c;
    c.argv = std::move(argv);
    c.argv[0] = *find_tool(run, c.argv[0]);
    c.merge_output = false;
    set_tool_environment(c);
    c.most_output = most_listed;
    std::string listed = run.system.run(c).output;
    if (listed.size() > most_listed) refuse(fmt::format("the list of its members is longer than {} MB", most_listed >> 20));
    return listed;
  };
  if (zip) {
    if (!find_tool(run, "unzip")) return;
    for (const std::string& name : text_lines(list({"unzip", "-Z1", path}))) members.push_back({name, "", false, 0});
    // "3 files, 1234 bytes uncompressed, 500 bytes compressed:  59.5%"
    const std::string totals = list({"unzip", "-Zt", path});
    if (const size_t comma = totals.find(", "); comma != std::string::npos) size = number_at(totals, comma + 2);
  } else {
    if (!find_tool(run, "tar")) return;
    // Check a damaged archive up to the damage: tar would extract that part.
    members = read_tar_list(list({"tar", "--list", "--verbose", "--numeric-owner", "--absolute-names", "--quoting-style=escape",
                                  "--file=" + path, "--force-local"}));
    for (const ArchiveMember& m : members) size += std::min(m.size, UINT64_MAX - size);
  }
  if (const std::string outside = member_outside(members); !outside.empty())
    refuse(fmt::format("its member '{}' would be outside the target directory", outside));
  if (!target.limit_size) return;
  // "Avail" in a line of its own, then the number.
  if (!find_tool(run, "df")) return;
  const std::vector<std::string> left = text_lines(list({"df", "--output=avail", "--block-size=1", target.directory}));
  if (left.size() == 2 && size > number_at(trimmed(left[1]), 0))
    refuse(fmt::format("its members take {} bytes, and {} has {} left", size, target.directory, trimmed(left[1])));
}

} // namespace pupc::runtime
