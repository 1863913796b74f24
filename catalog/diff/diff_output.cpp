// Differences as text and as JSON.
#include "catalog/base/stack.h"
#include "catalog/diff/diff.h"
#include "catalog/json/json_writer.h"

#include <algorithm>

namespace pupc {
namespace {

void write_json_value(JsonWriter& json, const Value& v) {
  check_native_stack();
  if (v.is_list()) {
    json.begin_array();
    for (const Value& item : v.items()) write_json_value(json, item);
    json.end_array();
  } else if (v.is_hash()) {
    json.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      json.key(e.key.str());
      write_json_value(json, e.value);
    }
    json.end_object();
  } else if (v.is_string()) {
    json.string(v.str());
  } else if (v.is_int()) {
    json.integer(v.i);
  } else if (v.is(Kind::Float)) {
    json.floating(v.d);
  } else if (v.is(Kind::Bool)) {
    json.boolean(v.truthy());
  } else {
    json.null();
  }
}

std::string json_of(const Value& v) {
  std::string out;
  JsonWriter json(out);
  write_json_value(json, v);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Control characters as JSON escapes: none may reach a terminal.
std::string printable(std::string_view line) {
  if (std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return std::string(line);
  std::string out;
  for (char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

void changed_lines(std::string_view before, std::string_view after, std::string& out) {
  auto a = lines_of(before), b = lines_of(after);
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  auto line = [&](char sign, std::string_view text) { out += fmt::format("{}     {}\n", sign, printable(text)); };
  constexpr size_t shown_around = 2;
  for (size_t i = head - std::min(head, shown_around); i < head; ++i) line(' ', a[i]);
  // What is between by the longest common subsequence, unless its table would be larger than what it tells is worth.
  const size_t n = a.size() - head - tail, m = b.size() - head - tail;
  if (n * m <= 1'000'000) {
    std::vector<uint32_t> longest((n + 1) * (m + 1), 0);
    auto at = [&](size_t i, size_t j) -> uint32_t& { return longest[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;) at(i, j) = a[head + i] == b[head + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    for (size_t i = 0, j = 0; i < n || j < m;) {
      if (i < n && j < m && a[head + i] == b[head + j]) {
        line(' ', a[head + i]);
        ++i;
        ++j;
      } else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) {
        line('-', a[head + i++]);
      } else {
        line('+', b[head + j++]);
      }
    }
  } else {
    for (size_t i = 0; i < n; ++i) line('-', a[head + i]);
    for (size_t j = 0; j < m; ++j) line('+', b[head + j]);
  }
  for (size_t i = 0; i < std::min(tail, shown_around); ++i) line(' ', a[a.size() - tail + i]);
  if (before.ends_with('\n') != after.ends_with('\n'))
    out += fmt::format("{}     (no line end at the end)\n", after.ends_with('\n') ? '-' : '+');
}

bool has_lines(const Value& v) { return v.is_string() && v.str().find('\n') != std::string_view::npos; }

void parameter_text(const ParameterDiff& p, std::string& out) {
  const std::string name = printable(p.name);
  if (p.sensitive) {
    if (p.before != nullptr) out += fmt::format("-   {} = (sensitive)\n", name);
    if (p.after != nullptr) out += fmt::format("+   {} = (sensitive)\n", name);
    return;
  }
  if (p.before != nullptr && p.after != nullptr && has_lines(*p.before) && has_lines(*p.after)) {
    out += fmt::format("    {}:\n", name);
    changed_lines(p.before->str(), p.after->str(), out);
    return;
  }
  if (p.before != nullptr) out += fmt::format("-   {} = {}\n", name, printable(json_of(*p.before)));
  if (p.after != nullptr) out += fmt::format("+   {} = {}\n", name, printable(json_of(*p.after)));
}

} // namespace

std::string diff_text(const CatalogDiff& diff) {
  std::string out;
  auto list = [&](std::string_view start, const auto& texts) {
    for (const auto& t : texts) out += fmt::format("{}{}\n", start, printable(t));
  };
  if (diff.environment_before != diff.environment_after)
    out += fmt::format("- environment {}\n+ environment {}\n", printable(diff.environment_before), printable(diff.environment_after));
  list("- class ", diff.classes_removed);
  list("+ class ", diff.classes_added);
  for (const ResourceDiff& r : diff.resources) {
    const char sign = !r.in_after ? '-' : !r.in_before ? '+' : ' ';
    const std::string& place = r.in_after ? r.after_place : r.before_place;
    out += fmt::format("{} {}", sign, printable(r.reference));
    out += r.place_changed || place.empty() ? "\n" : fmt::format("  ({})\n", printable(place));
    if (r.place_changed) out += fmt::format("-   at {}\n+   at {}\n", printable(r.before_place), printable(r.after_place));
    if (r.exported_changed) out += "~   exported\n";
    for (const ParameterDiff& p : r.parameters) parameter_text(p, out);
    list("-   #", r.tags_removed);
    list("+   #", r.tags_added);
  }
  list("- ", diff.edges_removed);
  list("+ ", diff.edges_added);
  return out;
}

std::string diff_json(const CatalogDiff& diff) {
  std::string out;
  JsonWriter json(out);
  auto both = [&](const char* name, const auto& removed, const auto& added) {
    json.key(name);
    json.begin_object();
    for (const auto& [key, list] : {std::pair("removed", &removed), std::pair("added", &added)}) {
      json.key(key);
      json.begin_array();
      for (const auto& t : *list) json.string(t);
      json.end_array();
    }
    json.end_object();
  };
  auto flag = [&](const char* name, bool value) {
    json.key(name);
    json.boolean(value);
  };
  json.begin_object();
  flag("equal", diff.empty());
  if (diff.environment_before != diff.environment_after) {
    json.key("environment");
    json.begin_object();
    json.member("before", diff.environment_before);
    json.member("after", diff.environment_after);
    json.end_object();
  }
  both("classes", diff.classes_removed, diff.classes_added);
  json.key("resources");
  json.begin_array();
  for (const ResourceDiff& r : diff.resources) {
    json.begin_object();
    json.member("reference", r.reference);
    json.member("change", !r.in_after ? "removed" : !r.in_before ? "added" : "changed");
    if (!r.before_place.empty()) json.member("before_place", r.before_place);
    if (!r.after_place.empty()) json.member("after_place", r.after_place);
    if (r.exported_changed) flag("exported_changed", true);
    json.key("parameters");
    json.begin_object();
    for (const ParameterDiff& p : r.parameters) {
      json.key(p.name);
      json.begin_object();
      if (p.sensitive) flag("sensitive", true);
      for (const auto& [key, value] : {std::pair("before", p.before), std::pair("after", p.after)}) {
        if (value == nullptr || p.sensitive) continue;
        json.key(key);
        write_json_value(json, *value);
      }
      json.end_object();
    }
    json.end_object();
    both("tags", r.tags_removed, r.tags_added);
    json.end_object();
  }
  json.end_array();
  both("edges", diff.edges_removed, diff.edges_added);
  json.end_object();
  return out;
}

} // namespace pupc
