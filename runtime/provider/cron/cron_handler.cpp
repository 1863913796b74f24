// cron: users' crontabs, read and written by the program crontab. A comment line before a job holds its name.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace pupc::runtime {
namespace {

constexpr std::string_view time_fields[] = {"minute", "hour", "monthday", "month", "weekday"};
constexpr std::string_view specials[] = {"reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly", "absent"};
constexpr std::string_view day_names[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
constexpr std::string_view months[] = {"",     "january", "february",  "march",   "april",    "may",     "june",
                                       "july", "august",  "september", "october", "november", "december"};

struct Range {
  std::string_view property;
  int low, high;
  std::span<const std::string_view> names;
};
const Range ranges[] = {
    {"minute", 0, 59, {}}, {"hour", 0, 23, {}}, {"weekday", 0, 7, day_names}, {"month", 1, 12, months}, {"monthday", 1, 31, {}}};

/// Whether a text has the form `*/5`, `1-5` or `1-5/2`. Puppet does not check such values further.
bool is_step(std::string_view v) {
  const size_t slash = v.find('/'), dash = v.find('-');
  if (v.starts_with("*/")) return all_digits(v.substr(2));
  if (dash == std::string_view::npos || !all_digits(v.substr(0, dash))) return false;
  return all_digits(v.substr(dash + 1, slash == std::string_view::npos ? slash : slash - dash - 1)) &&
         (slash == std::string_view::npos || all_digits(v.substr(slash + 1)));
}

std::string normal_time(const ManagedResource& r, const Range& range, const std::string& value) {
  if (value == "absent" || value == "*") return "absent";
  if (is_step(value)) return value;
  auto refuse = [&]() -> std::string {
    throw ResourceError(
        fmt::format("Parameter {} failed on {}: {} is not a valid {}", range.property, r.reference(), value, range.property));
  };
  if (all_digits(value)) {
    const long n = value.size() > 3 ? 1000 : std::stol(value);
    return n < range.low || n > range.high ? refuse() : value;
  }
  const std::string low = ascii_lower(value);
  for (size_t i = 0; i < range.names.size(); ++i)
    if (!range.names[i].empty() && (low == range.names[i] || (low.size() == 3 && low == range.names[i].substr(0, 3))))
      return std::to_string(i);
  return refuse();
}

class CronHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    for (const Range& range : ranges) {
      if (!r.has(range.property)) continue;
      ListBuilder b(run.arena);
      bool absent = false;
      for (const std::string& v : r.texts(range.property)) {
        const std::string normal = normal_time(r, range, v);
        absent |= normal == "absent";
        b.add(string_value(run.arena, normal));
      }
      r.set(range.property, absent ? string_value(run.arena, "absent") : b.finish());
    }
    const std::string special = r.text("special");
    if (r.has("special") && std::find(std::begin(specials), std::end(specials), special) == std::end(specials))
      throw ResourceError(fmt::format("Parameter special failed on {}: Invalid special schedule \"{}\"", r.reference(), special));
    if (r.has("special") && special != "absent")
      for (const std::string_view field : {"minute", "hour", "weekday", "monthday", "month"})
        if (r.has(field) && r.text(field) != "absent")
          throw ResourceError(fmt::format("{} cannot specify both a special schedule and a value for {}", r.reference(), field));
    for (const std::string& e : r.texts("environment")) {
      size_t end = e.find_first_not_of(" \t");
      const size_t begin = end;
      while (end < e.size() && (isalnum(static_cast<unsigned char>(e[end])) || e[end] == '_')) ++end;
      const size_t equals = e.find_first_not_of(" \t", end);
      if (e != "absent" && (end == begin || equals == std::string::npos || e[equals] != '='))
        throw ResourceError(fmt::format("Parameter environment failed on {}: Invalid environment setting \"{}\"", r.reference(), e));
    }
    if (r.has("environment") && !r.get("environment").is_list() && r.text("environment") != "absent") {
      ListBuilder b(run.arena);
      b.add(r.get("environment"));
      r.set("environment", b.finish());
    }
    if (r.has("command")) r.set("command", string_value(run.arena, trimmed(r.text("command"))));
    if (!r.has("target") && !left_alone(r)) r.set("target", string_value(run.arena, target_of(r, run)));
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    if (r.has("user")) out.push_back({AutoRelation::Require, "user", r.text("user")});
  }
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    return find_tool(run, "crontab") ? "" : no_provider(r, "crontab");
  }
  bool providerless(const ManagedResource& r) const override { return !r.has("provider"); }

protected:
  std::string_view type_name() const override { return "cron"; }
  std::string default_target(RunContext& run) const override {
    const auto user = run.system.user_by_id(run.system.effective_uid());
    return user ? user->name : "root";
  }
  std::string target_of(const ManagedResource& r, RunContext& run) const override {
    return r.text("target", r.text("user", default_target(run)));
  }
  /// All crontabs of the machine: purging looks for jobs in them.
  std::vector<std::string> targets_of_instances(RunContext& run) const override {
    std::vector<std::string> out{run.system.environment("USER").value_or("root")};
    const std::string family = value_text(run.fact("os.family")),
                      directory = family.empty() || family == "Debian" ? "/var/spool/cron/crontabs" : "/var/spool/cron";
    if (!exists(run.system, directory)) return out;
    try {
      for (const std::string& name : run.system.list_directory(directory))
        if (const auto status = run.system.stat(directory + "/" + name);
            status && status->type == FileType::File && !name.starts_with(".keep_"))
          out.push_back(name);
    } catch (const SystemError&) { // only root may list the crontabs of other users
    }
    return out;
  }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"command", "special",  "minute",      "hour", "weekday",
                                                 "month",   "monthday", "environment", "user", "target"};
    return names;
  }
  bool is_list(std::string_view property) const override {
    return property == "environment" || std::find(std::begin(time_fields), std::end(time_fields), property) != std::end(time_fields);
  }
  bool in_line(std::string_view property) const override { return property == "command"; }
  std::string header(RunContext& run) const override {
    return fmt::format("# HEADER: This file was autogenerated at {} by puppet.\n# HEADER: While it can still be managed manually, it is "
                       "definitely not recommended.\n"
                       "# HEADER: Note particularly that the comments starting with 'Puppet Name' should\n# HEADER: not be deleted, as "
                       "doing so could cause duplicate cron jobs.\n",
                       time_text(run));
  }

  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex setting(R"(^\s*\w+\s*=)"), job(R"(^\s*(@\w+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.+)$)"), blanks(R"(\s+)"),
        name(R"(Puppet Name: (.+)\s*$)");
    const size_t begin = line.find_first_not_of(" \t\r\n\f\v");
    if (begin == std::string::npos || line[begin] == '#' || setting.matches(line)) {
      FileRecord text = FileRecord::text_line(line);
      text.kind = begin == std::string::npos ? "blank" : line[begin] == '#' ? "comment" : "environment";
      if (text.kind == "comment")
        if (const auto groups = groups_of(name, line)) text.set("name", *(*groups)[0]);
      return text;
    }
    const auto groups = groups_of(job, line);
    if (!groups) return std::nullopt;
    FileRecord f;
    f.set("command", *(*groups)[1]);
    const std::string time = *(*groups)[0];
    const bool special = time.starts_with('@') && time.find_first_of(" \t\r\n\f\v") == std::string::npos;
    f.set("special", special ? RecordField::of(time.substr(1)) : RecordField::none());
    const auto fields = split_by(blanks, time);
    for (size_t i = 0; i < std::size(time_fields); ++i) {
      if (special || fields[i] == "*")
        f.set(time_fields[i], RecordField::none());
      else
        f.set(time_fields[i], RecordField::of(parts_of(fields[i])));
    }
    return f;
  }

  /// Joins the comment with a job's name and the environment settings after it to the job's record: they are no records of their own.
  void after_reading(Records& records, const std::string&) override {
    std::optional<std::string> name;
    std::optional<std::vector<std::string>> environment; // of the named job whose lines are being collected
    Records out;
    for (auto& record : records) {
      if (record->kind == "comment" && record->find("name") != nullptr) {
        name = record->text("name");
        environment.emplace();
        continue;
      }
      if (record->kind == "environment" && environment) {
        environment->push_back(record->line);
        continue;
      }
      out.push_back(record);
      if (record->is_text) continue;
      if (name) {
        record->set("name", *std::exchange(name, std::nullopt));
      } else {
        static const Regex blanks(R"(\s+)");
        record->set("name", fmt::format("unmanaged:{}-{}", replace_all(blanks, *record->text("command"), "_"), ++made_names_));
        record->name_is_made = true;
      }
      if (!environment || environment->empty()) {
        record->set("environment", RecordField::none());
      } else {
        record->set("environment", RecordField::of(std::move(*environment)));
        environment.reset();
      }
    }
    records = std::move(out);
  }

  /// Made-up names differ between readings, so a resource to be purged never matches by name: `adopts` finds its job by command and times.
  bool is_record_of(const ManagedResource& r, const FileRecord& f, RunContext& run) const override {
    return f.target == target_of(r, run) && !(f.name_is_made && r.memory);
  }

  /// The first resource with the command and times of an unnamed job manages that job.
  ManagedResource* adopts(const FileRecord& f, std::span<ManagedResource* const> resources, RunContext& run) const override {
    if (!f.name_is_made) return nullptr;
    for (ManagedResource* r : resources) {
      if (f.target != target_of(*r, run)) continue;
      const auto* to_purge = dynamic_cast<const FileRecord*>(r->memory.get());
      if (f.text("command") != (r->has("command") ? r->text("command") : to_purge != nullptr ? to_purge->text("command") : std::nullopt))
        continue;
      bool same = true;
      for (const std::string_view field : {"minute", "hour", "monthday", "month", "weekday", "special"}) {
        if (!r->has(field)) continue;
        const RecordField* is = f.find(field);
        const auto should = r->texts(field);
        if (should == std::vector<std::string>{"absent"})
          same &= is->absent && field != "special";
        else
          same &= !is->absent && is->texts == should;
      }
      if (same) return r;
    }
    return nullptr;
  }

  void create(ManagedResource& r, const Present& p, RunContext& run) override {
    if (r.has("command"))
      ParsedFileHandler::create(r, p, run);
    else
      run.log(LogLevel::Err, r, "no command specified, cannot create");
  }
  void set(ManagedResource& r, const Present& p, std::string_view property, RunContext& run) override {
    ParsedFileHandler::set(r, p, property, run);
    if (property == "user") record_of(r).target = r.text("user");
  }
  std::optional<RecordField> wanted_field(const ManagedResource& r, std::string_view property, RunContext& run) const override {
    if (property != "command" && r.has(property) && r.text(property) == "absent") return RecordField::none();
    return ParsedFileHandler::wanted_field(r, property, run);
  }
  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p = ParsedFileHandler::retrieve(r, run);
    const FileRecord& record = record_of(r);
    if (p.exists) p.set("user", string_value(run.arena, record.text("user").value_or(record.target)));
    return p;
  }

  std::string to_line(const FileRecord& f) const override {
    std::string out;
    if (const auto name = f.text("name"); name && !f.name_is_made) out = "# Puppet Name: " + *name + "\n";
    if (const RecordField* environment = f.find("environment"); environment != nullptr && !environment->absent)
      for (const std::string& e : environment->texts) out += e + "\n";
    if (const auto special = f.text("special")) {
      out += "@" + *special;
    } else {
      for (const std::string_view field : time_fields) {
        const RecordField* time = f.find(field);
        if (field != time_fields[0]) out += ' ';
        out += time == nullptr || time->absent ? "*" : join_text(time->texts, ",");
      }
    }
    return out + " " + f.text("command").value_or("*");
  }

  std::string to_file(const std::vector<std::string>& lines, RunContext& run) const override {
    static const Regex native(R"(# DO NOT EDIT THIS FILE.*?Cron version.*?vixie.*?\n)", false, false, true);
    static const Regex zone(R"(^TZ=.+\n)");
    std::string text = join_text(lines, "\n") + "\n";
    auto cut = [&](const Regex& pattern) -> std::string {
      const MatchResult m = pattern.search(text);
      if (!m.matched) return {};
      const size_t begin = static_cast<size_t>(m.groups[0].begin), size = static_cast<size_t>(m.groups[0].end) - begin;
      const std::string found = text.substr(begin, size);
      text.erase(begin, size);
      return found;
    };
    cut(native);                           // crontab adds its own header again
    return cut(zone) + header(run) + text; // a TZ line goes to the top, so that it holds for all jobs
  }

  std::optional<std::string> read_target(const std::string& user, RunContext& run) override {
    unreadable_.erase(user);
    if (!run.system.user_by_name(user)) return std::nullopt; // the run may create the user later
    const std::vector<std::string> argv = arguments(user, "-l", run);
    const CommandResult r = run_tool(run, argv);
    if (r.status == 0) return r.output;
    if (r.output.find("no crontab for") != std::string::npos || r.output.find("are not allowed to") != std::string::npos)
      return std::nullopt;
    // The job counts as missing for now; writing it reports this failure.
    unreadable_[user] = fmt::format("Could not read crontab for {}: Execution of '{}' returned {}: {}", user, join_text(argv, " "),
                                    r.status, trimmed(r.output));
    return std::nullopt;
  }
  void back_up_target(const std::string& user, RunContext&) override {
    if (auto it = unreadable_.find(user); it != unreadable_.end())
      throw ResourceError(fmt::format("Failed to read {}'s records when prefetching them. Reason: {}", user, it->second));
  }
  void write_target(const ManagedResource& r, const std::string& user, const std::string& content, RunContext& run) override {
    back_up_target(user, run);
    static_cast<void>(r);
    if (!run.system.user_by_name(user))
      throw ResourceError(fmt::format("Cannot write the {} user's crontab: The user does not exist", user));
    ToolOptions options;
    options.input = content;
    run_tool_checked(run, arguments(user, "-", run), options);
  }

  bool in_sync(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property == "environment" && is.is_list() && should.is_list()) {
      std::vector<std::string> a, b;
      for (const Value& v : is.items()) a.push_back(value_text(v));
      for (const Value& v : should.items()) b.push_back(value_text(v));
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      return a == b;
    }
    return ParsedFileHandler::in_sync(r, property, is, should, run);
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext&) override {
    PropertyChange c = property_change(property, is, should);
    if (property == "environment" && should.is_list()) {
      c.should_text = join_text(r.texts("environment"), ",");
      c.message = is.is_list() ? fmt::format("environment changed {} to {}", c.is_text, c.should_text)
                               : fmt::format("defined 'environment' as {}", c.should_text);
    }
    return c;
  }

private:
  /// Splits at commas. Like Ruby's split, drops empty parts at the end.
  static std::vector<std::string> parts_of(const std::string& text) {
    auto out = catalog::split_text(text, ',');
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
  }
  static std::vector<std::string> arguments(const std::string& user, const char* action, RunContext& run) {
    const auto account = run.system.user_by_name(user);
    if (account && account->uid == run.system.effective_uid()) return {"crontab", action};
    return {"crontab", "-u", user, action};
  }

  int made_names_ = 0;
  std::map<std::string, std::string> unreadable_; // user -> failure message
};

} // namespace

std::unique_ptr<TypeHandler> make_cron_handler() { return std::make_unique<CronHandler>(); }

} // namespace pupc::runtime
