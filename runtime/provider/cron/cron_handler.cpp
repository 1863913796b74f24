// cron: users' crontabs, through the program crontab. A job's name stands in a comment before it.
#include "runtime/provider/commands.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"

#include <cctype>

namespace pupc {
namespace {

constexpr std::string_view time_fields[] = {"minute", "hour", "monthday", "month", "weekday"};
constexpr std::string_view specials[] = {"reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly", "absent"};
constexpr std::string_view days[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
constexpr std::string_view months[] = {"", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"};

struct Range {
  std::string_view property;
  int low, high;
  std::span<const std::string_view> names;
};
const Range ranges[] = {{"minute", 0, 59, {}}, {"hour", 0, 23, {}}, {"weekday", 0, 7, days}, {"month", 1, 12, months}, {"monthday", 1, 31, {}}};

/// Whether a text is `*/5`, `1-5` or `1-5/2`, which are taken as they are.
bool is_step(std::string_view v) {
  const size_t slash = v.find('/'), dash = v.find('-');
  if (v.starts_with("*/")) return all_digits(v.substr(2));
  if (dash == std::string_view::npos || !all_digits(v.substr(0, dash))) return false;
  return all_digits(v.substr(dash + 1, slash == std::string_view::npos ? slash : slash - dash - 1)) && (slash == std::string_view::npos || all_digits(v.substr(slash + 1)));
}

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(tolower(static_cast<unsigned char>(c)));
  return s;
}

std::string normal_time(const ManagedResource& r, const Range& range, const std::string& value) {
  if (value == "absent" || value == "*") return "absent";
  if (is_step(value)) return value;
  auto refuse = [&]() -> std::string { throw ResourceError(fmt::format("Parameter {} failed on {}: {} is not a valid {}", range.property, r.reference(), value, range.property)); };
  if (all_digits(value)) {
    const long n = value.size() > 3 ? 1000 : std::stol(value);
    return n < range.low || n > range.high ? refuse() : value;
  }
  const std::string low = lower(value);
  for (size_t i = 0; i < range.names.size(); ++i)
    if (!range.names[i].empty() && (low == range.names[i] || (low.size() == 3 && low == range.names[i].substr(0, 3)))) return std::to_string(i);
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
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    if (r.has("user")) out.push_back({AutoRelation::Require, "user", r.text("user")});
  }
  std::string unsuitable(ManagedResource&, RunContext& run) override { return find_tool(run, "crontab") ? "" : "Provider crontab is not functional on this host"; }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    looked_for_ = &r;
    return ParsedFileHandler::retrieve(r, run);
  }

protected:
  std::string_view type_name() const override { return "cron"; }
  std::string default_target(RunContext& run) const override {
    const auto user = run.system.user_by_id(run.system.effective_uid());
    return user ? user->name : "root";
  }
  std::string target_of(const ManagedResource& r, RunContext& run) const override { return r.text("user", r.text("target", default_target(run))); }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"command", "special", "minute", "hour", "weekday", "month", "monthday", "environment"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property != "command" && property != "special"; }
  std::string header(RunContext& run) const override {
    return fmt::format("# HEADER: This file was autogenerated at {} by puppet.\n# HEADER: While it can still be managed manually, it is definitely not recommended.\n"
                       "# HEADER: Note particularly that the comments starting with 'Puppet Name' should\n# HEADER: not be deleted, as doing so could cause duplicate cron jobs.\n",
                       time_text(run));
  }

  std::optional<RecordFields> parse_line(const std::string& line) const override {
    const auto words = words_of(line);
    if (words.empty()) return std::nullopt;
    const size_t times = words[0][0] == '@' ? 1 : 5;
    if (words.size() <= times) return std::nullopt;
    size_t at = 0;
    for (size_t i = 0; i < times; ++i) at = line.find(words[i], at) + words[i].size();
    RecordFields f{{"command", {std::string(line.substr(line.find_first_not_of(" \t", at)))}}};
    if (times == 1) {
      f["special"] = {words[0].substr(1)};
    } else {
      for (size_t i = 0; i < 5; ++i)
        if (words[i] != "*") f[std::string(time_fields[i])] = split_text(words[i], ',');
    }
    return f;
  }

  /// A job begins at its name and takes the settings between; without a name it is only its line.
  std::vector<FileEntry> parse(const std::string& content) const override {
    std::vector<FileEntry> out;
    std::string pending, name;
    std::vector<std::string> environment;
    bool named = false;
    bool native_header = content.starts_with("# DO NOT EDIT THIS FILE");
    for (const std::string& line : text_lines(content)) {
      const std::string_view text = trimmed(line);
      if (line.starts_with("# HEADER")) continue;
      if (native_header && line.starts_with("#")) { // the program's own header, up to its version
        if (line.find("Cron version") != std::string::npos) native_header = false;
        continue;
      }
      if (text.starts_with('#')) {
        const size_t at = text.find("Puppet Name: ");
        if (at == std::string_view::npos) {
          out.push_back({line + "\n", std::nullopt});
          continue;
        }
        if (!pending.empty()) out.push_back({pending, std::nullopt});
        pending = line + "\n";
        name = std::string(trimmed(text.substr(at + 13)));
        environment.clear();
        named = true;
      } else if (text.empty()) {
        out.push_back({line + "\n", std::nullopt});
      } else if (is_setting(text)) {
        if (named) {
          pending += line + "\n";
          environment.push_back(line);
        } else {
          out.push_back({line + "\n", std::nullopt});
        }
      } else if (auto record = parse_line(line)) {
        if (named) (*record)["name"] = {name};
        if (!environment.empty()) (*record)["environment"] = environment;
        out.push_back({pending + line + "\n", std::move(record)});
        pending.clear();
        environment.clear();
        named = false;
      } else {
        out.push_back({line + "\n", std::nullopt});
      }
    }
    if (!pending.empty()) out.push_back({pending, std::nullopt});
    adopt(out);
    return out;
  }

  /// The job of this name, else one without a name that has the same command and times.
  bool belongs(const ManagedResource& r, const RecordFields& f) const override {
    if (auto it = f.find("adopted"); it != f.end()) return true;
    auto it = f.find("name");
    return it != f.end() && it->second[0] == r.name("name");
  }

  std::string title_of(const RecordFields& f) const override {
    auto it = f.find("name");
    if (it != f.end()) return it->second[0];
    std::string command = join_text(words_of(f.at("command")[0]), "_");
    return "unmanaged:" + command + "-1";
  }

  void complete(const ManagedResource& r, RecordFields& f, RunContext&) const override {
    if (!r.has("command")) throw ResourceError("no command specified, cannot create");
    f["name"] = {r.name("name")};
  }

  std::string format(const RecordFields& f) const override {
    std::string out;
    if (auto it = f.find("name"); it != f.end() && !f.contains("adopted")) out = "# Puppet Name: " + it->second[0] + "\n";
    if (auto it = f.find("environment"); it != f.end())
      for (const std::string& e : it->second) out += e + "\n";
    if (auto it = f.find("special"); it != f.end()) {
      out += "@" + it->second[0];
    } else {
      std::vector<std::string> times;
      for (const std::string_view field : time_fields) {
        auto time = f.find(field);
        times.push_back(time == f.end() || time->second.empty() ? "*" : join_text(time->second, ","));
      }
      out += join_text(times, " ");
    }
    return out + " " + f.at("command")[0];
  }

  std::string read_target(const ManagedResource*, const std::string& user, RunContext& run) override {
    if (!run.system.user_by_name(user)) return {}; // may come during the run
    const std::vector<std::string> argv = arguments(user, "-l", run);
    const CommandResult r = run_tool(run, argv);
    if (r.status == 0) return r.output;
    if (r.output.find("no crontab for") != std::string::npos || r.output.find("are not allowed to") != std::string::npos) return {};
    // The job counts as missing; only writing it fails.
    unreadable_[user] = fmt::format("Could not read crontab for {}: Execution of '{}' returned {}: {}", user, join_text(argv, " "), r.status, trimmed(r.output));
    return {};
  }
  void write_target(const ManagedResource&, const std::string& user, const std::string& content, RunContext& run) override {
    if (auto it = unreadable_.find(user); it != unreadable_.end())
      throw ResourceError(fmt::format("Failed to read {}'s records when prefetching them. Reason: {}", user, it->second));
    if (!run.system.user_by_name(user)) throw ResourceError(fmt::format("Cannot write the {} user's crontab: The user does not exist", user));
    // A time zone set anywhere holds for the lines below it: it goes to the top.
    std::string text = content;
    const size_t at = text.starts_with("TZ=") ? 0 : text.find("\nTZ=");
    if (at != std::string::npos && at != 0) {
      const size_t end = text.find('\n', at + 1);
      const std::string zone = text.substr(at + 1, end - at);
      text.erase(at + 1, end - at);
      text = zone + text;
    }
    ToolOptions options;
    options.input = text;
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
      c.message = is.is_list() ? fmt::format("environment changed {} to {}", c.is_text, c.should_text) : fmt::format("defined 'environment' as {}", c.should_text);
    }
    return c;
  }
  void flush(ManagedResource& r, const Present& p, RunContext& run) override {
    looked_for_ = &r;
    ParsedFileHandler::flush(r, p, run);
  }

private:
  static bool is_setting(std::string_view text) {
    size_t i = 0;
    while (i < text.size() && (isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_')) ++i;
    if (i == 0) return false;
    i = text.find_first_not_of(" \t", i);
    return i != std::string_view::npos && text[i] == '=';
  }
  static std::vector<std::string> arguments(const std::string& user, const char* action, RunContext& run) {
    const auto account = run.system.user_by_name(user);
    if (account && account->uid == run.system.effective_uid()) return {"crontab", action};
    return {"crontab", "-u", user, action};
  }

  /// Marks the unnamed job that stands for the resource looked for, when none has its name.
  void adopt(std::vector<FileEntry>& entries) const {
    if (!looked_for_) return;
    const ManagedResource& r = *looked_for_;
    for (const FileEntry& e : entries)
      if (e.record && e.record->contains("name") && e.record->at("name")[0] == r.name("name")) return;
    if (!r.has("command")) return;
    for (FileEntry& e : entries) {
      if (!e.record || e.record->contains("name") || e.record->at("command")[0] != r.text("command")) continue;
      bool same = true;
      for (const std::string_view field : {"minute", "hour", "monthday", "month", "weekday", "special"}) {
        if (!r.has(field)) continue;
        auto it = e.record->find(field);
        const auto wanted = r.texts(field);
        same &= it == e.record->end() ? wanted == std::vector<std::string>{"absent"} : it->second == wanted;
      }
      if (!same) continue;
      (*e.record)["adopted"] = {};
      return;
    }
  }

  const ManagedResource* looked_for_ = nullptr;
  std::map<std::string, std::string> unreadable_; // by user, why
};

} // namespace

std::unique_ptr<TypeHandler> make_cron_handler() { return std::make_unique<CronHandler>(); }

} // namespace pupc
