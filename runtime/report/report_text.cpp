// Writes a report: Puppet's format 12 as YAML and JSON, the summary file and the summary for people.
#include "catalog/base/version.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/number_format.h"
#include "catalog/value/unicode_case.h"
#include "runtime/report/report.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

std::string label(std::string_view name) {
  std::string out(name);
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

bool left_out(const ResourceStatus& s) { return !s.failed && !s.failed_to_restart && !s.skipped && s.out_of_sync_count() == 0; }

/// The text with U+FFFD for each byte that is no UTF-8: commands print what they like, but readers refuse a report with such a byte.
std::string readable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    bool valid = true;
    const char32_t c = next_code_point(text, i, valid);
    append_utf8(out, valid ? c : U'\uFFFD');
  }
  return out;
}

/// The interface of the YAML and JSON writers, so that one function describes the report for both.
class Writer {
public:
  virtual ~Writer() = default;
  virtual void begin_map(std::string_view tag = {}) = 0;
  virtual void end_map() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void valid_string(std::string_view text) = 0;
  virtual void plain(std::string_view text) = 0; // a number, true, false or null
  void string(std::string_view text) { valid_utf8(text) ? valid_string(text) : valid_string(readable(text)); }
  void text(std::string_view name, std::string_view value) {
    key(name);
    string(value);
  }
  void optional(std::string_view name, std::string_view value) {
    key(name);
    if (value.empty())
      plain("null");
    else
      string(value);
  }
  void boolean(std::string_view name, bool value) {
    key(name);
    plain(value ? "true" : "false");
  }
  void number(std::string_view name, double value, bool whole) {
    key(name);
    plain(whole ? std::to_string(static_cast<int64_t>(value)) : format_float(value));
  }
};

class JsonForm final : public Writer {
public:
  explicit JsonForm(std::string& out) : json_(out) {}
  void begin_map(std::string_view) override { json_.begin_object(); }
  void end_map() override { json_.end_object(); }
  void begin_list() override { json_.begin_array(); }
  void end_list() override { json_.end_array(); }
  void key(std::string_view name) override { json_.key(name); }
  void valid_string(std::string_view text) override { json_.string(text); }
  void plain(std::string_view text) override {
    json_.raw([&](std::string& out) { out += text; });
  }

private:
  JsonWriter json_;
};

/// Writes YAML in Psych's block style with two blanks per level. Quotes strings that YAML could read as another type.
class YamlForm final : public Writer {
public:
  explicit YamlForm(std::string& out) : out_(out) { out_ += "---"; }
  void begin_map(std::string_view tag = {}) override {
    if (!tag.empty()) out_ += fmt::format(" {}", tag);
    open('m');
  }
  void end_map() override { close("{}"); }
  void begin_list() override { open('l'); }
  void end_list() override { close("[]"); }
  void key(std::string_view name) override {
    line();
    scalar(name);
    out_ += ':';
  }
  void valid_string(std::string_view text) override {
    element();
    // A block takes no control characters, and a reader would make a line feed of a carriage return in it.
    const auto other_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; };
    if (text.find('\n') != std::string_view::npos && text.front() != ' ' && text.front() != '\n' &&
        std::none_of(text.begin(), text.end(), other_control)) {
      block(text);
      return;
    }
    scalar(text);
  }
  void plain(std::string_view text) override {
    if (text == "null") {
      if (!levels_.empty() && levels_.back().kind == 'l') element();
      return;
    }
    element();
    out_ += text;
  }

private:
  struct Level {
    char kind;
    int indent;
    bool empty = true;
    bool same_line = false; // the first entry follows "- " on the same line
  };
  void open(char kind) {
    int indent = 0;
    bool same_line = false;
    if (!levels_.empty()) {
      Level& up = levels_.back();
      if (up.kind == 'l') {
        line();
        out_ += '-';
        same_line = true;
        indent = up.indent + 2;
      } else {
        indent = kind == 'l' ? up.indent : up.indent + 2;
      }
    }
    levels_.push_back({kind, indent, true, same_line});
  }
  void close(std::string_view empty) {
    if (levels_.back().empty) {
      out_ += ' ';
      out_ += empty;
    }
    levels_.pop_back();
    if (levels_.empty()) out_ += '\n';
  }
  /// Begins a line for the next key or element.
  void line() {
    Level& l = levels_.back();
    if (l.empty && l.same_line) {
      out_ += ' ';
    } else {
      out_ += '\n';
      out_.append(static_cast<size_t>(l.indent), ' ');
    }
    l.empty = false;
  }
  void element() {
    if (levels_.back().kind == 'l') {
      line();
      out_ += "- ";
    } else {
      out_ += ' ';
    }
  }
  void block(std::string_view text) {
    out_ += text.ends_with('\n') ? "|" : "|-";
    if (text.ends_with("\n\n")) out_ += '+';
    int indent = levels_.back().indent + (levels_.back().kind == 'l' ? 2 : 2);
    size_t start = 0;
    while (start < text.size()) {
      size_t end = std::min(text.find('\n', start), text.size());
      out_ += '\n';
      if (end > start) {
        out_.append(static_cast<size_t>(indent), ' ');
        out_ += text.substr(start, end - start);
      }
      start = end + 1;
    }
  }
  static bool plain_form(std::string_view s) {
    if (s.empty()) return false;
    static constexpr std::string_view special[] = {"null", "true",  "false", "yes",   "no",  "on",  "off", "~",   "y",
                                                   "n",    "Null",  "True",  "False", "Yes", "No",  "On",  "Off", "NULL",
                                                   "TRUE", "FALSE", "YES",   "NO",    "ON",  "OFF", "Y",   "N"};
    if (std::find(std::begin(special), std::end(special), s) != std::end(special)) return false;
    auto alpha = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (!alpha(s[0]) && s[0] != '_' && s[0] != '/') return false;
    if (s[0] == '/') return false; // Psych quotes these
    for (size_t i = 0; i < s.size(); ++i) {
      unsigned char c = static_cast<unsigned char>(s[i]);
      if (c < 0x20 || c == 0x7f) return false;
      if (c == ':' && (i + 1 == s.size() || s[i + 1] == ' ')) return false;
      if (c == '#' && i > 0 && s[i - 1] == ' ') return false;
    }
    return s.back() != ' ';
  }
  void scalar(std::string_view s) {
    if (plain_form(s)) {
      out_ += s;
      return;
    }
    bool control = std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (!control && !s.starts_with('/')) {
      out_ += '\'';
      for (char c : s) {
        if (c == '\'') out_ += '\'';
        out_ += c;
      }
      out_ += '\'';
      return;
    }
    out_ += '"';
    for (char c : s) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (c == '\t') {
        out_ += "\\t";
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        out_ += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  std::string& out_;
  std::vector<Level> levels_;
};

void write_value(Writer& w, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: w.plain("null"); break;
  case Kind::Bool: w.plain(v.b ? "true" : "false"); break;
  case Kind::Int: w.plain(std::to_string(v.i)); break;
  case Kind::Float: w.plain(format_float(v.d)); break;
  case Kind::String:
  case Kind::Uri: w.string(valid_utf8(v.str()) ? v.str() : "[binary]"); break;
  case Kind::List:
    w.begin_list();
    for (const Value& item : v.items()) write_value(w, item);
    w.end_list();
    break;
  case Kind::Hash:
    w.begin_map();
    for (const HashEntry& e : v.hash->entries()) {
      w.key(e.key.is_string() ? e.key.str() : "?");
      write_value(w, e.value);
    }
    w.end_map();
    break;
  case Kind::Ref: w.string(to_string(*v.ref)); break;
  default: w.string("[redacted]"); break;
  }
}

void write_list(Writer& w, std::string_view name, const std::vector<std::string>& items) {
  w.key(name);
  w.begin_list();
  for (const std::string& i : items) w.string(i);
  w.end_list();
}

void write_event(Writer& w, const RunEvent& e) {
  w.begin_map();
  w.boolean("audited", e.audited);
  w.optional("property", e.property);
  for (auto [name, value] :
       {std::pair{"previous_value", &e.previous}, {"desired_value", &e.desired}, {"historical_value", &e.historical}}) {
    w.key(name);
    write_value(w, *value);
  }
  w.text("message", e.message);
  w.text("name", e.name);
  w.text("status", name_of(e.status));
  w.text("time", iso_time(e.time));
  w.key("redacted");
  w.plain(e.redacted ? "true" : e.property.empty() ? "false" : "null"); // as in Puppet

  w.boolean("corrective_change", e.corrective);
  w.end_map();
}

void write_status(Writer& w, const ResourceStatus& s) {
  w.begin_map();
  w.text("title", s.title);
  if (s.line > 0) {
    w.text("file", s.file);
    w.number("line", s.line, true);
  } else {
    w.optional("file", s.file);
    w.optional("line", "");
  }
  w.text("resource", s.reference);
  w.text("resource_type", s.type);
  w.optional("provider_used", s.provider);
  write_list(w, "containment_path", s.containment);
  if (s.evaluation_time < 0)
    w.optional("evaluation_time", "");
  else
    w.number("evaluation_time", s.evaluation_time, false);
  write_list(w, "tags", s.tags);
  w.text("time", iso_time(s.time));
  w.boolean("failed", s.failed);
  w.boolean("failed_to_restart", s.failed_to_restart);
  w.boolean("changed", s.changed());
  w.boolean("out_of_sync", s.out_of_sync_count() > 0);
  w.boolean("skipped", s.skipped);
  w.number("change_count", static_cast<double>(s.change_count()), true);
  w.number("out_of_sync_count", static_cast<double>(s.out_of_sync_count()), true);
  w.key("events");
  w.begin_list();
  for (const RunEvent& e : s.events) write_event(w, e);
  w.end_list();
  w.boolean("corrective_change", s.corrective());
  if (!s.skip_reason.empty()) w.text("skip_reason", s.skip_reason);
  w.end_map();
}

void write_report(Writer& w, const RunReport& r) {
  w.begin_map("!ruby/object:Puppet::Transaction::Report");
  w.text("host", r.host);
  w.text("time", iso_time(r.time));
  w.key("configuration_version");
  if (!r.configuration_version.empty() &&
      std::all_of(r.configuration_version.begin(), r.configuration_version.end(), [](char c) { return c >= '0' && c <= '9'; }))
    w.plain(r.configuration_version);
  else
    w.string(r.configuration_version);
  w.text("transaction_uuid", r.transaction_uuid);
  w.number("report_format", 12, true);
  w.text("puppet_version", puppet_version);
  w.text("status", r.status());
  w.boolean("transaction_completed", r.completed);
  w.boolean("noop", r.noop);
  bool pending = false, corrective = false;
  for (const ResourceStatus& s : r.statuses) {
    corrective = corrective || s.corrective();
    for (const RunEvent& e : s.events) pending = pending || e.status == EventStatus::Noop;
  }
  w.boolean("noop_pending", pending);
  w.text("environment", r.environment);
  w.key("logs");
  w.begin_list();
  for (const ReportLog& l : r.logs) {
    w.begin_map();
    w.text("level", name_of(l.level));
    w.text("message", l.message);
    w.text("source", l.source);
    write_list(w, "tags", l.tags);
    w.text("time", iso_time(l.time));
    if (l.line > 0) {
      w.text("file", l.file); // empty for code of -e
      w.number("line", l.line, true);
    } else {
      w.optional("file", l.file);
      w.optional("line", "");
    }
    w.end_map();
  }
  w.end_list();
  w.key("metrics");
  w.begin_map();
  for (const auto& [name, values] : r.metrics()) {
    w.key(name);
    w.begin_map();
    w.text("name", name);
    w.text("label", label(name));
    w.key("values");
    w.begin_list();
    for (const auto& [key, value] : values) {
      w.begin_list();
      w.string(key);
      w.string(label(key));
      w.plain(name == "time" ? format_float(value) : std::to_string(static_cast<int64_t>(value)));
      w.end_list();
    }
    w.end_list();
    w.end_map();
  }
  w.end_map();
  w.key("resource_statuses");
  w.begin_map();
  for (const ResourceStatus& s : r.statuses) {
    if (left_out(s)) continue;
    w.key(s.reference);
    write_status(w, s);
  }
  w.end_map();
  w.boolean("corrective_change", corrective);
  for (const auto& [name, value] : {std::pair("server_used", &r.server_used),
                                    {"catalog_uuid", &r.catalog_uuid},
                                    {"code_id", &r.code_id},
                                    {"job_id", &r.job_id},
                                    {"cached_catalog_status", &r.cached_catalog_status}})
    if (!value->empty()) w.text(name, *value);
  w.end_map();
}

} // namespace

std::string iso_time(int64_t nanoseconds) {
  time_t seconds = static_cast<time_t>(nanoseconds / 1'000'000'000);
  tm t{};
  ::localtime_r(&seconds, &t);
  long offset = t.tm_gmtoff / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}{}{:02}:{:02}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                     t.tm_min, t.tm_sec, nanoseconds % 1'000'000'000, offset < 0 ? '-' : '+', std::labs(offset) / 60,
                     std::labs(offset) % 60);
}

std::string report_yaml(const RunReport& report) {
  std::string out;
  YamlForm form(out);
  write_report(form, report);
  return out;
}

std::string report_json(const RunReport& report) {
  std::string out;
  JsonForm form(out);
  write_report(form, report);
  out += '\n';
  return out;
}

std::string summary_yaml(const RunReport& r, int64_t now) {
  std::string out;
  YamlForm w(out);
  w.begin_map();
  w.key("version");
  w.begin_map();
  w.key("config");
  w.plain(r.configuration_version.empty() ? "''" : r.configuration_version);
  w.text("puppet", puppet_version);
  w.end_map();
  w.key("application");
  w.begin_map();
  w.text("run_mode", r.run_mode);
  w.text("initial_environment", r.initial_environment.empty() ? r.environment : r.initial_environment);
  w.text("converged_environment", r.environment);
  w.end_map();
  for (const auto& [name, values] : r.metrics()) {
    w.key(name);
    w.begin_map();
    for (const auto& [key, value] : values) w.number(key, value, name != "time");
    if (name == "time") w.number("last_run", static_cast<double>(now / 1'000'000'000), true);
    w.end_map();
  }
  w.end_map();
  return out;
}

std::string summary_text(const RunReport& r, int64_t now) {
  auto metrics = r.metrics();
  std::sort(metrics.begin(), metrics.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::string out;
  for (auto& [name, values] : metrics) {
    if (name == "time") values.emplace_back("last_run", static_cast<double>(now / 1'000'000'000));
    std::sort(values.begin(), values.end(), [](auto& a, auto& b) {
      return a.first == "total" ? false : b.first == "total" ? true : a.first < b.first;
    });
    out += label(name) + ":\n";
    for (const auto& [key, value] : values) {
      if (value == 0) continue;
      bool whole = name != "time" || key == "last_run";
      out += fmt::format("   {:>15} {}\n", label(key) + ":",
                         whole ? std::to_string(static_cast<int64_t>(value)) : fmt::format("{:.2f}", value));
    }
  }
  out += fmt::format("Version:\n   {:>15} {}\n   {:>15} {}\n", "Config:", r.configuration_version, "Puppet:", puppet_version);
  return out;
}

} // namespace pupc::runtime
