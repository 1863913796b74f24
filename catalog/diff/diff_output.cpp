// Differences as text and as JSON.
#include "catalog/diff/diff.h"
#include "catalog/diff/diff_text.h"
#include "catalog/diff/unified_text.h"
#include "catalog/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

void changed_lines(std::string_view before, std::string_view after, std::string& out) {
  for (const DiffHunk& hunk : unified_diff(before, after)) {
    out += fmt::format("      {}\n", hunk.head());
    for (const DiffLine& line : hunk.lines) out += fmt::format("{}     {}\n", line.sign, printable(line.text));
  }
}

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

std::string resource_diff_text(const ResourceDiff& r) {
  const char sign = !r.in_after ? '-' : !r.in_before ? '+' : ' ';
  const std::string& place = r.in_after ? r.after_place : r.before_place;
  std::string out = fmt::format("{} {}", sign, printable(r.reference));
  out += r.place_changed || place.empty() ? "\n" : fmt::format("  ({})\n", printable(place));
  if (r.place_changed) out += fmt::format("-   at {}\n+   at {}\n", printable(r.before_place), printable(r.after_place));
  if (r.exported_changed) out += "~   exported\n";
  for (const ParameterDiff& p : r.parameters) parameter_text(p, out);
  for (std::string_view tag : r.tags_removed) out += fmt::format("-   #{}\n", printable(tag));
  for (std::string_view tag : r.tags_added) out += fmt::format("+   #{}\n", printable(tag));
  return out;
}

std::string diff_text(const CatalogDiff& diff) {
  std::string out;
  auto list = [&](std::string_view start, const auto& texts) {
    for (const auto& t : texts) out += fmt::format("{}{}\n", start, printable(t));
  };
  if (diff.environment_before != diff.environment_after)
    out += fmt::format("- environment {}\n+ environment {}\n", printable(diff.environment_before), printable(diff.environment_after));
  list("- class ", diff.classes_removed);
  list("+ class ", diff.classes_added);
  for (const ResourceDiff& r : diff.resources) out += resource_diff_text(r);
  list("- ", diff.edges_removed);
  list("+ ", diff.edges_added);
  return out;
}

namespace {

void write_both(JsonWriter& json, const char* name, const auto& removed, const auto& added) {
  json.key(name);
  json.begin_object();
  for (const auto& [key, list] : {std::pair("removed", &removed), std::pair("added", &added)}) {
    json.key(key);
    json.begin_array();
    for (const auto& t : *list) json.string(t);
    json.end_array();
  }
  json.end_object();
}

} // namespace

void write_resource_diff(JsonWriter& json, const ResourceDiff& r, bool places) {
  json.begin_object();
  json.member("reference", r.reference);
  json.member("change", !r.in_after ? "removed" : !r.in_before ? "added" : "changed");
  if (places && !r.before_place.empty()) json.member("before_place", r.before_place);
  if (places && !r.after_place.empty()) json.member("after_place", r.after_place);
  if (r.exported_changed) {
    json.key("exported_changed");
    json.boolean(true);
  }
  json.key("parameters");
  json.begin_object();
  for (const ParameterDiff& p : r.parameters) {
    json.key(p.name);
    json.begin_object();
    if (p.sensitive) {
      json.key("sensitive");
      json.boolean(true);
    }
    for (const auto& [key, value] : {std::pair("before", p.before), std::pair("after", p.after)}) {
      if (value == nullptr || p.sensitive) continue;
      json.key(key);
      write_json_value(json, *value);
    }
    json.end_object();
  }
  json.end_object();
  write_both(json, "tags", r.tags_removed, r.tags_added);
  json.end_object();
}

void write_diff_members(JsonWriter& json, const CatalogDiff& diff) {
  if (diff.environment_before != diff.environment_after) {
    json.key("environment");
    json.begin_object();
    json.member("before", diff.environment_before);
    json.member("after", diff.environment_after);
    json.end_object();
  }
  write_both(json, "classes", diff.classes_removed, diff.classes_added);
  json.key("resources");
  json.begin_array();
  for (const ResourceDiff& r : diff.resources) write_resource_diff(json, r);
  json.end_array();
  write_both(json, "edges", diff.edges_removed, diff.edges_added);
}

std::string diff_json(const CatalogDiff& diff) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("equal");
  json.boolean(diff.empty());
  write_diff_members(json, diff);
  json.end_object();
  return out;
}

} // namespace pupc::catalog
