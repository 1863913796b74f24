#include "tools/pupc/validate/finding_output.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"
#include "compiler/analysis/codebase/check_registry.h"
#include "tools/pupc/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace pupc::cli {
namespace {

constexpr uint64_t fnv_start = 0xcbf29ce484222325ull, fnv_prime = 0x100000001b3ull;

uint64_t fnv(std::string_view text, uint64_t hash = fnv_start) {
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
  return (hash ^ 0xff) * fnv_prime; // a separator: "ab","c" must differ from "a","bc"
}

/// The path relative to the working directory `here` if the file is below it: the same in every checkout.
std::string relative_path(const std::string& path, const std::string& here) {
  if (path.empty()) return path;
  const std::string absolute = absolute_path(path, here);
  if (is_below(absolute, here)) return absolute.substr(here.size() + 1);
  return path.starts_with('/') ? path : absolute;
}

/// The text with U+FFFD in place of invalid UTF-8.
std::string valid_text(std::string text) {
  if (valid_utf8(text)) return text;
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t width = 1;
    while (width < 4 && i + width < text.size() && (static_cast<unsigned char>(text[i + width]) & 0xC0) == 0x80) ++width;
    const std::string_view character = std::string_view(text).substr(i, width);
    const bool valid = valid_utf8(character);
    out += valid ? character : "\xEF\xBF\xBD";
    i += valid ? width : 1;
  }
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\n': out += "&#10;"; break;
    case '\t': out += ' '; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        out += "\xEF\xBF\xBD"; // XML cannot represent this character
      else
        out += c;
    }
  }
  return out;
}

std::string full_message(const Finding& f) {
  return f.diagnostic->suggestion.empty() ? f.diagnostic->message : f.diagnostic->message + ". " + f.diagnostic->suggestion;
}

std::string uri(std::string_view path) {
  static constexpr std::string_view plain = "-._~/";
  std::string out;
  for (char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) || plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void text_member(JsonWriter& w, std::string_view key, std::string_view text) {
  w.key(key);
  w.begin_object();
  w.member("text", text);
  w.end_object();
}

std::string json(const std::vector<Finding>& findings) {
  std::string out = "[";
  for (const Finding& f : findings) {
    const Diagnostic& d = *f.diagnostic;
    out += out.size() == 1 ? "\n" : ",\n";
    JsonWriter w(out);
    w.begin_object();
    w.member("file", f.file);
    w.place_member("line", f.from.line);
    w.place_member("column", f.from.column);
    w.member("severity", severity_name(d.severity));
    w.key("code");
    w.integer(static_cast<int64_t>(d.code));
    w.member("check", f.rule);
    w.member("message", d.message);
    if (!d.suggestion.empty()) w.member("suggestion", d.suggestion);
    w.member("fingerprint", f.fingerprint);
    w.end_object();
  }
  return out += out.size() == 1 ? "]\n" : "\n]\n";
}

std::string sarif(const std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  std::map<std::string, const Finding*> rules;
  for (const Finding& f : findings) rules.try_emplace(f.rule, &f);
  std::string out;
  JsonWriter w(out);
  auto level = [](Severity s) { return s == Severity::Error ? "error" : s == Severity::Hint ? "note" : "warning"; };
  w.begin_object();
  w.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  w.member("version", "2.1.0");
  w.key("runs");
  w.begin_array();
  w.begin_object();
  w.key("tool");
  w.begin_object();
  w.key("driver");
  w.begin_object();
  w.member("name", "pupc");
  w.member("semanticVersion", PUPC_VERSION);
  w.key("rules");
  w.begin_array();
  for (const auto& [name, f] : rules) {
    const auto number = static_cast<uint16_t>(f->diagnostic->code);
    const CheckEntry* check = find_check(number);
    const ErrorClass* error = find_error_class(number);
    w.begin_object();
    w.member("id", std::to_string(number));
    w.member("name", name);
    text_member(w, "shortDescription", check ? check->summary : error ? error->summary : name);
    text_member(w, "fullDescription", check ? check->explanation : error ? error->explanation : name);
    w.end_object();
  }
  w.end_array();
  w.end_object();
  w.end_object();
  w.member("columnKind", "unicodeCodePoints");
  w.key("results");
  w.begin_array();
  for (const Finding& f : findings) {
    w.begin_object();
    w.member("ruleId", std::to_string(static_cast<uint16_t>(f.diagnostic->code)));
    w.key("ruleIndex");
    w.integer(std::distance(rules.begin(), rules.find(f.rule)));
    w.member("level", level(f.diagnostic->severity));
    text_member(w, "message", full_message(f));
    if (!f.file.empty()) {
      w.key("locations");
      w.begin_array();
      w.begin_object();
      w.key("physicalLocation");
      w.begin_object();
      w.key("artifactLocation");
      w.begin_object();
      w.member("uri", uri(relative_path(f.file, here)));
      w.end_object();
      if (f.from.line != 0) {
        w.key("region");
        w.begin_object();
        w.key("startLine");
        w.integer(f.from.line);
        if (f.from.column != 0) {
          w.key("startColumn");
          w.integer(f.from.column);
        }
        w.end_object();
      }
      w.end_object();
      w.end_object();
      w.end_array();
    }
    w.key("partialFingerprints");
    w.begin_object();
    w.member("pupc/v1", f.fingerprint);
    w.end_object();
    w.end_object();
  }
  w.end_array();
  w.end_object();
  w.end_array();
  w.end_object();
  return out += '\n';
}

std::string gitlab(const std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  std::string out = "[";
  for (const Finding& f : findings) {
    const Severity s = f.diagnostic->severity;
    out += out.size() == 1 ? "\n" : ",\n";
    JsonWriter w(out);
    w.begin_object();
    w.member("type", "issue");
    w.member("description", full_message(f));
    w.member("check_name", f.rule);
    w.member("fingerprint", f.fingerprint);
    w.member("severity", s == Severity::Error ? "major" : s == Severity::Hint ? "info" : "minor");
    w.key("location");
    w.begin_object();
    w.member("path", relative_path(f.file, here));
    w.key("lines");
    w.begin_object();
    w.key("begin");
    w.integer(std::max<uint32_t>(f.from.line, 1));
    w.end_object();
    w.end_object();
    w.end_object();
  }
  return out += out.size() == 1 ? "]\n" : "\n]\n";
}

std::string github(const std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  auto escaped = [](std::string_view text, bool property) {
    std::string out;
    for (char c : text) {
      if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
        out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      else
        out += c;
    }
    return out;
  };
  std::string out;
  for (const Finding& f : findings) {
    const Severity s = f.diagnostic->severity;
    out += fmt::format("::{} file={}",
                       s == Severity::Error  ? "error"
                       : s == Severity::Hint ? "notice"
                                             : "warning",
                       escaped(relative_path(f.file, here), true));
    if (f.from.line != 0) out += fmt::format(",line={}", f.from.line);
    if (f.from.column != 0) out += fmt::format(",col={}", f.from.column);
    out += fmt::format(",title={}::{}\n", escaped(fmt::format("{} {}", static_cast<unsigned>(f.diagnostic->code), f.rule), true),
                       escaped(full_message(f), false));
  }
  return out;
}

/// Groups findings by file, in the order of `files`; files that are not in the list come last.
std::vector<std::pair<std::string, std::vector<const Finding*>>> by_file(const std::vector<Finding>& findings,
                                                                         const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> out;
  std::map<std::string_view, size_t> index;
  for (const std::string& file : files)
    if (index.try_emplace(file, out.size()).second) out.push_back({file, {}});
  for (const Finding& f : findings) {
    auto [at, fresh] = index.try_emplace(f.file, out.size());
    if (fresh) out.push_back({f.file, {}});
    out[at->second].second.push_back(&f);
  }
  return out;
}

std::string junit(const std::vector<Finding>& findings, const std::vector<std::string>& files) {
  const std::string here = absolute_path(".");
  const auto groups = by_file(findings, files);
  size_t failures = 0;
  for (const auto& [file, list] : groups) failures += list.empty() ? 0 : 1;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"pupc validate\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
      groups.size(), failures);
  for (const auto& [file, list] : groups) {
    out += fmt::format("    <testcase classname=\"pupc\" name=\"{}\"", xml(file.empty() ? "(code)" : relative_path(file, here)));
    if (list.empty()) {
      out += "/>\n";
      continue;
    }
    std::string text;
    for (const Finding* f : list)
      text += fmt::format("{}:{}: {}: {} [{} {}]\n", f->from.line, f->from.column, severity_name(f->diagnostic->severity), full_message(*f),
                          static_cast<unsigned>(f->diagnostic->code), f->rule);
    out += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                       severity_name(list.front()->diagnostic->severity), xml(full_message(*list.front())), xml(text));
  }
  return out += "  </testsuite>\n</testsuites>\n";
}

std::string checkstyle(const std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  for (const auto& [file, list] : by_file(findings, {})) {
    out += fmt::format("  <file name=\"{}\">\n", xml(relative_path(file, here)));
    for (const Finding* f : list) {
      const Severity s = f->diagnostic->severity;
      out += fmt::format("    <error line=\"{}\"", std::max<uint32_t>(f->from.line, 1));
      if (f->from.column != 0) out += fmt::format(" column=\"{}\"", f->from.column);
      out += fmt::format(" severity=\"{}\" message=\"{}\" source=\"pupc.{}\"/>\n",
                         s == Severity::Error  ? "error"
                         : s == Severity::Hint ? "info"
                                               : "warning",
                         xml(full_message(*f)), xml(f->rule));
    }
    out += "  </file>\n";
  }
  return out += "</checkstyle>\n";
}

} // namespace

FindingFormat parse_finding_format(std::string_view name) {
  static constexpr std::pair<std::string_view, FindingFormat> formats[] = {
      {"human", FindingFormat::Human},          {"json", FindingFormat::Json},     {"sarif", FindingFormat::Sarif},
      {"junit", FindingFormat::Junit},          {"github", FindingFormat::Github}, {"gitlab", FindingFormat::Gitlab},
      {"checkstyle", FindingFormat::Checkstyle}};
  for (const auto& [known, format] : formats)
    if (known == name) return format;
  throw UsageError{fmt::format("--format is human, json, sarif, junit, github, gitlab or checkstyle, not '{}'", name)};
}

void make_printable(Diagnostic& diagnostic) {
  for (std::string* text : {&diagnostic.message, &diagnostic.suggestion, &diagnostic.file}) *text = valid_text(std::move(*text));
}

Finding make_finding(const Diagnostic& d) {
  Finding f;
  f.diagnostic = &d;
  f.file = valid_text(d.file_name());
  // Puppet gives the end of a file no line; where a bracket is open that is the place to look at.
  const bool place_of_bracket = d.style == PositionStyle::File && d.loc && d.loc.length != 0;
  if (place_of_bracket || (d.style != PositionStyle::None && d.style != PositionStyle::File)) f.from = d.position();
  if (d.style == PositionStyle::Line) f.from.column = 0;
  const auto number = static_cast<uint16_t>(d.code);
  if (const CheckEntry* check = find_check(number))
    f.rule = check->name();
  else if (const ErrorClass* error = find_error_class(number))
    f.rule = error->ident;
  return f;
}

void add_fingerprints(std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  std::map<uint64_t, unsigned> seen;
  for (Finding& f : findings) {
    uint64_t hash = fnv(f.rule);
    hash = fnv(relative_path(f.file, here), hash);
    hash = fnv(f.diagnostic->message, hash);
    if (f.diagnostic->loc && f.from.line != 0) hash = fnv(trimmed(f.diagnostic->loc.file->line_text(f.from.line)), hash);
    const unsigned n = seen[hash]++;
    f.fingerprint = fmt::format("{:016x}", n == 0 ? hash : fnv(std::to_string(n), hash));
  }
}

std::string finding_line(const Finding& f) {
  std::string place = f.file.empty() ? "(code)" : f.file;
  if (f.from.line != 0) place += fmt::format(":{}", f.from.line);
  if (f.from.line != 0 && f.from.column != 0) place += fmt::format(":{}", f.from.column);
  std::string text = f.diagnostic->message;
  if (!f.diagnostic->suggestion.empty()) text += (text.ends_with('.') ? " " : ". ") + f.diagnostic->suggestion;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return fmt::format("{}: {}[{} {}]: {}\n", place, severity_name(f.diagnostic->severity), static_cast<unsigned>(f.diagnostic->code), f.rule,
                     text);
}

std::string write_findings(FindingFormat format, const std::vector<Finding>& findings, const std::vector<std::string>& files) {
  switch (format) {
  case FindingFormat::Human: return {};
  case FindingFormat::Json: return json(findings);
  case FindingFormat::Sarif: return sarif(findings);
  case FindingFormat::Junit: return junit(findings, files);
  case FindingFormat::Github: return github(findings);
  case FindingFormat::Gitlab: return gitlab(findings);
  case FindingFormat::Checkstyle: return checkstyle(findings);
  }
  return {};
}

std::multiset<std::string> read_baseline(const std::string& path) {
  auto text = read_whole_file(path);
  if (!text) throw UsageError{fmt::format("--baseline: cannot read {}; --write-baseline makes one", path)};
  Arena arena;
  Value root;
  const Value* list = nullptr;
  if (!read_json(*text, arena, root) && root.is_hash()) list = root.hash->find("findings");
  if (list == nullptr || !list->is_list()) throw UsageError{fmt::format("--baseline: {} is no baseline of pupc", path)};
  std::multiset<std::string> out;
  for (const Value& v : list->items())
    if (v.is_hash())
      if (const Value* fingerprint = v.hash->find("fingerprint"); fingerprint != nullptr && fingerprint->is_string())
        out.emplace(fingerprint->str());
  return out;
}

bool write_baseline(const std::string& path, const std::vector<Finding>& findings) {
  const std::string here = absolute_path(".");
  std::string out = "{\"version\": 1, \"findings\": [";
  bool first = true;
  for (const Finding& f : findings) {
    out += first ? "\n" : ",\n";
    first = false;
    JsonWriter w(out);
    w.begin_object();
    w.member("fingerprint", f.fingerprint);
    w.member("file", relative_path(f.file, here));
    w.member("check", f.rule);
    w.member("message", f.diagnostic->message);
    w.end_object();
  }
  out += "\n]}\n";
  // Write a temporary file and rename it: a partial baseline would no longer hide known findings.
  const std::string fresh = path + ".new";
  std::FILE* file = std::fopen(fresh.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(out.data(), 1, out.size(), file) == out.size();
  if (std::fclose(file) != 0 || !written || std::rename(fresh.c_str(), path.c_str()) != 0) {
    ::unlink(fresh.c_str());
    return false;
  }
  return true;
}

} // namespace pupc::cli
