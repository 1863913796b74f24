#include "runtime/provider/ini_setting/ini_file.h"

#include "catalog/base/text.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>

namespace pupc::runtime {

IniFile::IniFile(std::string_view content, IniStyle style) : style_(std::move(style)), mark_(trimmed(style_.separator)) {
  if (mark_.empty()) mark_ = " ";
  sections_.push_back({});
  for (const std::string& line : text_lines(content)) {
    const std::string_view text = trimmed(line);
    if (text.size() >= style_.prefix.size() + style_.suffix.size() && text.starts_with(style_.prefix) && text.ends_with(style_.suffix) &&
        !style_.prefix.empty())
      sections_.push_back(
          {std::string(text.substr(style_.prefix.size(), text.size() - style_.prefix.size() - style_.suffix.size())), line, {}});
    else
      sections_.back().lines.push_back(line);
  }
}

const IniFile::Section* IniFile::find(std::string_view name) const {
  if (name.empty()) return &sections_[0];
  // Of several sections with the same name, the last one counts.
  for (size_t i = sections_.size(); i-- > 1;)
    if (sections_[i].name == name) return &sections_[i];
  return nullptr;
}

std::optional<IniFile::Setting> IniFile::parse(std::string_view line, bool commented) const {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos) return std::nullopt;
  Setting s;
  s.indent = line.substr(0, at);
  if (commented) {
    if (line[at] != '#' && line[at] != ';') return std::nullopt;
    at = line.find_first_not_of("#;", at);
    if (at == std::string_view::npos) return std::nullopt;
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return std::nullopt;
  } else if (line[at] == '#' || line[at] == ';') {
    return std::nullopt;
  }
  const size_t mark = mark_ == " " ? line.find_first_of(" \t", at + 1) : line.find(mark_, at + 1);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view name = line.substr(at, mark - at);
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
  if (name.empty()) return std::nullopt;
  size_t value = mark + mark_.size();
  while (value < line.size() && (line[value] == ' ' || line[value] == '\t')) ++value;
  s.name = name;
  s.separator = line.substr(at + name.size(), value - at - name.size());
  s.value = line.substr(value);
  return s;
}

std::optional<std::string> IniFile::get(std::string_view section, std::string_view setting) const {
  const Section* s = find(section);
  std::optional<std::string> value;
  if (s)
    for (const std::string& line : s->lines)
      if (auto parsed = parse(line, false); parsed && parsed->name == setting) value = parsed->value;
  return value;
}

std::vector<std::string> IniFile::get_all(std::string_view section, std::string_view setting) const {
  std::vector<std::string> out;
  if (const Section* s = find(section))
    for (const std::string& line : s->lines)
      if (auto parsed = parse(line, false); parsed && parsed->name == setting) out.push_back(parsed->value);
  return out;
}

std::vector<std::string> IniFile::sections() const {
  std::vector<std::string> out;
  for (size_t i = 1; i < sections_.size(); ++i) out.push_back(sections_[i].name);
  return out;
}

std::vector<std::string> IniFile::settings(std::string_view section) const {
  std::vector<std::string> out;
  if (const Section* s = find(section))
    for (const std::string& line : s->lines)
      if (auto parsed = parse(line, false); parsed && std::find(out.begin(), out.end(), parsed->name) == out.end())
        out.push_back(parsed->name);
  return out;
}

void IniFile::add_section(std::string_view section) {
  if (find(section)) return;
  Section s{std::string(section), style_.prefix + std::string(section) + style_.suffix, {}};
  // Put a blank line between sections, but none at the top of the file.
  if (sections_.size() > 1 || !sections_[0].lines.empty()) sections_.back().lines.emplace_back();
  sections_.push_back(std::move(s));
}

std::string IniFile::new_line(const Section& section, std::string_view setting, std::string_view value) const {
  std::optional<size_t> least;
  for (const std::string& line : section.lines)
    if (auto parsed = parse(line, false)) least = std::min(least.value_or(parsed->indent.size()), parsed->indent.size());
  std::string out;
  for (size_t i = 0; i < style_.indent_width.value_or(least.value_or(0)); ++i) out += style_.indent_char;
  return out + std::string(setting) + style_.separator + std::string(value);
}

void IniFile::set(std::string_view section, std::string_view setting, std::string_view value) {
  add_section(section);
  Section& s = *find(section);
  bool found = false;
  for (std::string& line : s.lines)
    if (auto parsed = parse(line, false); parsed && parsed->name == setting) {
      line = parsed->indent + parsed->name + parsed->separator + std::string(value);
      found = true;
    }
  if (!found && !set_below_comment(s, setting, {std::string(value)})) set_at_end(s, setting, {std::string(value)});
}

void IniFile::set(std::string_view section, std::string_view setting, const std::vector<std::string>& values) {
  add_section(section);
  Section& s = *find(section);
  bool found = false;
  for (size_t i = s.lines.size(); i-- > 0;) {
    const auto parsed = parse(s.lines[i], false);
    if (!parsed || parsed->name != setting) continue;
    s.lines.erase(s.lines.begin() + static_cast<ptrdiff_t>(i));
    for (size_t v = 0; v < values.size() && !found; ++v)
      s.lines.insert(s.lines.begin() + static_cast<ptrdiff_t>(i + v), parsed->indent + parsed->name + parsed->separator + values[v]);
    found = true;
  }
  if (!found && !set_below_comment(s, setting, values)) set_at_end(s, setting, values);
}

/// Adds a new setting below the line where it is commented out; false when there is no such line.
bool IniFile::set_below_comment(Section& s, std::string_view setting, const std::vector<std::string>& values) {
  for (size_t i = 0; i < s.lines.size(); ++i)
    if (auto parsed = parse(s.lines[i], true); parsed && parsed->name == setting) {
      for (size_t v = 0; v < values.size(); ++v)
        s.lines.insert(s.lines.begin() + static_cast<ptrdiff_t>(i + 1 + v), new_line(s, setting, values[v]));
      return true;
    }
  return false;
}

/// Adds a new setting above the blank lines before the next section.
void IniFile::set_at_end(Section& s, std::string_view setting, const std::vector<std::string>& values) {
  size_t at = s.lines.size();
  while (at > 0 && trimmed(s.lines[at - 1]).empty()) --at;
  const bool alone = s.name.empty() && s.lines.empty() && sections_.size() > 1;
  for (const std::string& value : values) s.lines.insert(s.lines.begin() + static_cast<ptrdiff_t>(at++), new_line(s, setting, value));
  if (alone) s.lines.emplace_back();
}

void IniFile::remove(std::string_view section, std::string_view setting) {
  Section* s = find(section);
  if (!s) return;
  const size_t before = s->lines.size();
  std::erase_if(s->lines, [&](const std::string& line) {
    auto parsed = parse(line, false);
    return parsed && parsed->name == setting;
  });
  if (!style_.many_values && s->lines.size() != before && s->lines.empty() && !section.empty())
    sections_.erase(sections_.begin() + (s - sections_.data()));
}

void IniFile::remove_section(std::string_view section) {
  std::erase_if(sections_, [&](const Section& s) { return !s.name.empty() && s.name == section; });
}

std::string IniFile::text() const {
  std::string out;
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (i) out += sections_[i].header + "\n";
    for (const std::string& line : sections_[i].lines) out += line + "\n";
  }
  return out;
}

} // namespace pupc::runtime
