#include "runtime/provider/ini_setting/many_values_file.h"

#include "catalog/base/text.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>

namespace pupc::runtime {
namespace {

struct Line {
  size_t indent = 0;
  std::string name, value;
};

std::optional<Line> parse(std::string_view line, bool commented) {
  Line out;
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos) return std::nullopt;
  out.indent = at;
  const bool comment = line[at] == '#' || line[at] == ';';
  if (comment != commented) return std::nullopt;
  if (commented) at = line.find_first_not_of("#; \t", at);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t mark = line.find('=', at);
  if (mark == std::string_view::npos || mark == at) return std::nullopt;
  out.name = trimmed(line.substr(at, mark - at));
  const size_t value = line.find_first_not_of(" \t", mark + 1);
  out.value = value == std::string_view::npos ? "" : line.substr(value);
  return out.name.empty() ? std::nullopt : std::optional(out);
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

} // namespace

ManyValuesFile::ManyValuesFile(std::string_view content) {
  sections_.push_back({});
  for (const std::string& line : text_lines(content)) {
    const std::string_view text = trimmed(line);
    if (text.size() >= 2 && text.starts_with('[') && text.ends_with(']'))
      sections_.push_back({std::string(text.substr(1, text.size() - 2)), {}});
    else
      sections_.back().lines.push_back(line);
  }
}

ManyValuesFile::Section* ManyValuesFile::find(std::string_view name) {
  // Of several sections with the same name, the last one counts.
  for (size_t i = sections_.size(); i-- > 0;)
    if (sections_[i].name == name) return &sections_[i];
  return nullptr;
}

std::vector<std::string> ManyValuesFile::get(std::string_view section, std::string_view setting) const {
  std::vector<std::string> out;
  if (const Section* s = find(section))
    for (const std::string& line : s->lines)
      if (auto l = parse(line, false); l && l->name == setting) out.push_back(l->value);
  return out;
}

std::vector<std::pair<std::string, std::string>> ManyValuesFile::settings() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Section& s : sections_)
    for (const std::string& line : s.lines)
      if (auto l = parse(line, false))
        if (std::pair one(s.name, l->name); std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  return out;
}

void ManyValuesFile::set(std::string_view section, std::string_view setting, const std::vector<std::string>& values) {
  if (find(section) == nullptr) sections_.push_back({std::string(section), {}});
  Section& s = *find(section);
  const std::vector<std::string> old = get(section, setting);
  std::erase_if(s.lines, [&](const std::string& line) {
    auto l = parse(line, false);
    return l && l->name == setting && !contains(values, l->value);
  });
  std::optional<size_t> indent, last, comment;
  for (size_t i = 0; i < s.lines.size(); ++i) {
    if (auto l = parse(s.lines[i], false)) {
      indent = std::min(indent.value_or(l->indent), l->indent);
      if (l->name == setting) last = i;
    } else if (auto c = parse(s.lines[i], true); c && c->name == setting && !comment) {
      comment = i;
    }
  }
  size_t at = last ? *last : comment ? *comment + 1 : s.lines.size();
  for (const std::string& value : values)
    if (!contains(old, value))
      s.lines.insert(s.lines.begin() + static_cast<ptrdiff_t>(at++),
                     std::string(indent.value_or(0), ' ') + std::string(setting) + "=" + value);
}

void ManyValuesFile::remove(std::string_view section, std::string_view setting) {
  Section* s = find(section);
  if (s == nullptr) return;
  auto first = std::find_if(s->lines.begin(), s->lines.end(), [&](const std::string& line) {
    auto l = parse(line, false);
    return l && l->name == setting;
  });
  if (first != s->lines.end()) s->lines.erase(first);
}

std::string ManyValuesFile::text() const {
  std::string out;
  for (const Section& s : sections_) {
    if (!s.name.empty()) out += "[" + s.name + "]\n";
    for (const std::string& line : s.lines) out += line + "\n";
  }
  return out;
}

} // namespace pupc::runtime
