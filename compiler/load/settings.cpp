#include "compiler/load/settings.h"

#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/base/host_name.h"
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/base/version.h"
#include "compiler/load/conf_file.h"
#include "compiler/load/load_error.h"
#include "compiler/load/setting_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::compiler {
namespace {

constexpr SettingInfo table[] = {
#define PUPC_SETTING(name, type, fallback, section, state) {#name, SettingType::type, fallback, section, SettingState::state},
#include "compiler/load/settings.def"
#undef PUPC_SETTING
};
constexpr size_t table_size = std::size(table);

/// Indexes into the table, sorted by name.
constexpr auto by_name = [] {
  std::array<uint16_t, table_size> out{};
  for (uint16_t i = 0; i < table_size; ++i) out[i] = i;
  std::sort(out.begin(), out.end(), [](uint16_t a, uint16_t b) { return table[a].name < table[b].name; });
  return out;
}();

constexpr std::string_view file_sections[] = {"main", "server", "master", "agent", "user"};
/// These settings belong to environments; puppet.conf may not contain them.
constexpr std::string_view of_environments[] = {"modulepath", "manifest", "config_version"};

struct Choices {
  std::string_view name;
  std::string_view values; // separated by blanks
};
constexpr Choices choices[] = {{"log_level", "debug info notice warning err alert emerg crit"},
                               {"strict", "off warning error"},
                               {"key_type", "rsa ec"},
                               {"digest_algorithm", "sha256 sha384 sha512 sha224 md5"}};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  while (!out.empty() && out.back().empty()) out.pop_back(); // like Ruby's split
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out = split(text, ',');
  for (size_t i = 0; i < out.size(); ++i) {
    std::string& part = out[i];
    if (i > 0) part.erase(0, std::min(part.find_first_not_of(" \t"), part.size()));
    if (i + 1 < out.size())
      while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.pop_back();
  }
  return out;
}

[[noreturn]] void fail_value(std::string message) { throw_load_error(std::move(message)); }

std::optional<int64_t> integer(std::string_view text) {
  int64_t n = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
  return n;
}

/// Converts "90", "30m" or "1y" to seconds.
std::optional<int64_t> seconds(std::string_view text) {
  int64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
    case 'y': unit = 365LL * 24 * 60 * 60; break;
    case 'd': unit = 24LL * 60 * 60; break;
    case 'h': unit = 60LL * 60; break;
    case 'm': unit = 60; break;
    case 's': break;
    default: unit = 0;
    }
    if (unit != 0)
      text.remove_suffix(1);
    else
      unit = 1;
  }
  int64_t n = 0;
  auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || text[0] == '-' || r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
  int64_t out = 0;
  return __builtin_mul_overflow(n, unit, &out) ? std::nullopt : std::optional(out);
}

bool runs_as_root() { return ::geteuid() == 0; }

std::string home() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? home : "/";
}

/// Where Puppet keeps what it has: the whole machine's places, and a user's own below the home directory.
struct Places {
  struct Pair {
    std::string_view system, own;
  };
  Pair confdir, codedir, vardir, publicdir, rundir, logdir;
  std::string_view basemodulepath, vendormoduledir, cadir;
};

constexpr Places all_in_one = {{"/etc/puppetlabs/puppet", ".puppetlabs/etc/puppet"},
                               {"/etc/puppetlabs/code", ".puppetlabs/etc/code"},
                               {"/opt/puppetlabs/puppet/cache", ".puppetlabs/opt/puppet/cache"},
                               {"/opt/puppetlabs/puppet/public", ".puppetlabs/opt/puppet/public"},
                               {"/var/run/puppetlabs", ".puppetlabs/var/run"},
                               {"/var/log/puppetlabs/puppet", ".puppetlabs/var/log"},
                               "$codedir/modules:/opt/puppetlabs/puppet/modules",
                               "/opt/puppetlabs/puppet/vendor_modules",
                               "/etc/puppetlabs/puppetserver/ca"};

/// Of the packages of Debian and its kin.
constexpr Places debians = {{"/etc/puppet", ".puppet/etc"},
                            {"/etc/puppet/code", ".puppet/code"},
                            {"/var/cache/puppet", ".puppet/cache"},
                            {"/var/cache/puppet/public", ".puppet/cache/public"},
                            {"/run/puppet", ".puppet/var/run"},
                            {"/var/log/puppet", ".puppet/var/log"},
                            "$codedir/modules:/usr/share/puppet/modules",
                            "/usr/share/puppet/vendor_modules",
                            "/etc/puppet/puppetserver/ca"};

/// Debian's where only its package has left something; the environment can say which.
const Places& places() {
  static const Places& found = [&]() -> const Places& {
    if (const char* told = std::getenv("PUPC_PUPPET_PLACES"); told != nullptr && *told != '\0')
      return std::string_view(told) == "debian" ? debians : all_in_one;
    std::error_code ignored;
    auto there = [&](const char* path) { return std::filesystem::is_directory(path, ignored); };
    return there("/etc/puppet") && !there("/etc/puppetlabs") && !there("/opt/puppetlabs/bin") ? debians : all_in_one;
  }();
  return found;
}

std::string system_or_own(const Places::Pair& place) {
  return runs_as_root() ? std::string(place.system) : absolute_path(fmt::format("{}/{}", home(), place.own));
}

/// Debian's certificates are the machine's; of another user only if they belong to that one.
std::string ssl_directory() {
  static constexpr const char* debians_own = "/var/lib/puppet/ssl";
  struct stat s {};
  const bool own = runs_as_root() || (::stat(debians_own, &s) == 0 && s.st_uid == ::geteuid());
  return &places() == &debians && own ? debians_own : "$confdir/ssl";
}

/// Determines a default that starts with @.
std::optional<std::string> found_default(std::string_view what, const std::function<std::string(std::string_view)>& value_of) {
  if (what == "@confdir") return system_or_own(places().confdir);
  if (what == "@codedir") return system_or_own(places().codedir);
  if (what == "@vardir") return system_or_own(places().vardir);
  if (what == "@publicdir") return system_or_own(places().publicdir);
  if (what == "@rundir") return system_or_own(places().rundir);
  if (what == "@logdir") return system_or_own(places().logdir);
  if (what == "@basemodulepath") return std::string(places().basemodulepath);
  if (what == "@vendormoduledir") return std::string(places().vendormoduledir);
  if (what == "@ssldir") return ssl_directory();
  if (what == "@certname") {
    std::string name = this_host().full;
    if (name.ends_with('.')) name.pop_back();
    return ascii_lower(name);
  }
  if (what == "@srv_domain" && !this_host().domain.empty()) return this_host().domain;
  if (what == "@http_user_agent") return fmt::format("Puppet/{}", puppet_version);
  if (what == "@hiera_config") {
    std::error_code ignored;
    std::string file = value_of("codedir") + "/hiera.yaml";
    return std::filesystem::exists(file, ignored) ? file : value_of("confdir") + "/hiera.yaml";
  }
  if (what == "@cadir") { // the directory in ssldir that older versions used, if it exists
    std::error_code ignored;
    if (std::string old = value_of("ssldir") + "/ca"; std::filesystem::is_directory(old, ignored)) return old;
    return std::string(places().cadir);
  }
  return std::nullopt;
}

std::string inspected(std::string_view text) { return fmt::format("\"{}\"", text); }

void check_disabled_warnings(std::string_view text) {
  std::string unknown;
  for (const std::string& kind : split_list(text))
    if (kind != "deprecations" && kind != "undefined_variables" && kind != "undefined_resources")
      unknown += (unknown.empty() ? "" : ",") + kind;
  if (!unknown.empty())
    fail_value(fmt::format("Cannot disable unrecognized warning types '{}'. Valid values are 'deprecations, undefined_variables, "
                           "undefined_resources'.",
                           unknown));
}

/// Converts the text to the form of the setting's type. Throws CompileError in Puppet's words for a text that is not of the type.
std::string normalized(const SettingInfo& s, std::string_view text) {
  switch (s.type) {
  case SettingType::File: return absolute_path(text);
  case SettingType::Path: {
    std::string out;
    for (const std::string& part : split(text, ':')) out += (out.empty() ? "" : ":") + absolute_path(part);
    return out;
  }
  case SettingType::Boolean:
    if (text != "true" && text != "false") fail_value(fmt::format("Invalid value '{}' for boolean parameter: {}", inspected(text), s.name));
    break;
  case SettingType::Integer:
  case SettingType::Port:
  case SettingType::Alias: {
    const auto n = integer(text);
    if (!n) fail_value(fmt::format("Cannot convert '{}' to an integer for parameter: {}", inspected(text), s.name));
    if (s.type != SettingType::Integer && (*n < 0 || *n > 65535))
      fail_value(fmt::format("Value '{}' is not a valid port number for parameter: {}", *n, s.name));
    return std::to_string(*n);
  }
  case SettingType::Duration:
    if (const auto n = seconds(text)) return std::to_string(*n);
    fail_value(fmt::format("Invalid duration format '{}' for parameter: {}", inspected(text), s.name));
  case SettingType::Ttl:
    if (text == "unlimited") break;
    if (const auto n = seconds(text)) return std::to_string(*n);
    fail_value(fmt::format("Invalid 'time to live' format '{}' for parameter: {}", inspected(text), s.name));
  case SettingType::Enum:
    for (const Choices& c : choices) {
      if (c.name != s.name) continue;
      const auto allowed = split(c.values, ' ');
      if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
        fail_value(fmt::format("Invalid value '{}' for parameter {}. Allowed values are '{}'", text, s.name, fmt::join(allowed, "', '")));
    }
    break;
  case SettingType::Priority:
    for (const auto& [name, value] : {std::pair("high", "-10"), {"normal", "0"}, {"low", "10"}, {"idle", "19"}})
      if (text == name) return value;
    if (std::none_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
      fail_value(fmt::format("Invalid priority format '{}' for parameter: {}", inspected(text), s.name));
    break;
  case SettingType::Autosign:
    if (text != "true" && text != "false" && !text.starts_with('/'))
      fail_value(fmt::format("Invalid autosign value {}: must be 'true'/'false' or an absolute path", text));
    break;
  case SettingType::Revocation:
    if (text == "true") return "chain";
    if (text != "chain" && text != "leaf" && text != "false")
      fail_value(fmt::format("Invalid certificate revocation value {}: must be one of 'true', 'chain', 'leaf', or 'false'", text));
    break;
  case SettingType::Array:
    if (s.name == "disable_warnings") check_disabled_warnings(text);
    break;
  case SettingType::String:
  case SettingType::Terminus:
  case SettingType::ServerList:
  case SettingType::HeaderList: break;
  }
  return std::string(text);
}

} // namespace

std::span<const SettingInfo> all_settings() { return table; }

const SettingInfo* find_setting(std::string_view name) {
  std::string plain;
  if (name.find('-') != std::string_view::npos) {
    plain = name;
    std::replace(plain.begin(), plain.end(), '-', '_');
    name = plain;
  }
  auto it = std::lower_bound(by_name.begin(), by_name.end(), name, [](uint16_t a, std::string_view n) { return table[a].name < n; });
  return it != by_name.end() && table[*it].name == name ? &table[*it] : nullptr;
}

std::string_view name_of(RunMode mode) {
  switch (mode) {
  case RunMode::User: return "user";
  case RunMode::Agent: return "agent";
  case RunMode::Server: return "server";
  }
  return "user";
}

std::optional<RunMode> parse_run_mode(std::string_view name) {
  if (name == "user") return RunMode::User;
  if (name == "agent") return RunMode::Agent;
  if (name == "server" || name == "master") return RunMode::Server;
  return std::nullopt;
}

PuppetSettings::PuppetSettings(RunMode mode) : mode_(mode) {}

void PuppetSettings::set(std::string_view name, std::string_view value) {
  const SettingInfo* s = find_setting(name);
  if (s == nullptr) throw_load_error(fmt::format("Attempt to assign a value to unknown setting :{}", name));
  std::string& text = command_line_[std::string(s->name)] = value;
  if (s->type == SettingType::Boolean && text.empty()) text = "true";
}

void PuppetSettings::set_default(std::string_view name, std::string value) { defaults_[std::string(name)] = std::move(value); }

void PuppetSettings::set_of_environment(std::string_view name, std::string value) { environment_[std::string(name)] = std::move(value); }

void PuppetSettings::read_file(const std::string& file) {
  const auto text = read_whole_file(file, FileKinds::Pipes);
  if (!text) throw_load_error(fmt::format("Could not read the configuration: {}", file_problem(errno)), file);
  read_text(*text, file);
}

void PuppetSettings::read_text(std::string_view text, const std::string& file) {
  const ConfFile conf = read_conf(text, file);
  for (const auto& [section, line] : conf.sections)
    if (std::find(std::begin(file_sections), std::end(file_sections), section) == std::end(file_sections))
      throw_load_error(
          fmt::format("Illegal section '{}' in config file: the sections of puppet.conf are {}; settings of environments are in "
                      "their environment.conf",
                      section, fmt::join(file_sections, ", ")),
          file, line);
  sections_.clear();
  for (const ConfSetting& s : conf.settings) {
    if (std::find(std::begin(of_environments), std::end(of_environments), s.name) != std::end(of_environments))
      throw_load_error(fmt::format("Cannot set {} settings in puppet.conf", s.name), file, s.line);
    sections_[s.section].try_emplace(s.name, s.value); // the first value wins
  }
  file_ = file;
}

std::string PuppetSettings::usual_file() const {
  if (const auto named = raw("config")) return absolute_path(*named);
  return value("confdir") + "/" + value("config_file_name");
}

const std::string* PuppetSettings::raw(std::string_view name) const {
  auto in = [&](const Texts& texts) -> const std::string* {
    auto it = texts.find(name);
    return it == texts.end() ? nullptr : &it->second;
  };
  auto in_section = [&](std::string_view section) -> const std::string* {
    auto it = sections_.find(section);
    return it == sections_.end() ? nullptr : in(it->second);
  };
  if (const auto* v = in(command_line_)) return v;
  if (const auto* v = in(environment_)) return v;
  if (!section_.empty() && section_ != "server" && section_ != "master") {
    if (const auto* v = in_section(section_)) return v;
  } else if (mode_ == RunMode::Server || !section_.empty()) {
    if (const auto* v = in_section("server")) return v;
    if (const auto* v = in_section("master")) return v;
  } else if (const auto* v = in_section(name_of(mode_))) {
    return v;
  }
  if (const auto* v = in_section("main")) return v;
  return in(defaults_);
}

bool PuppetSettings::given(std::string_view name) const {
  const std::string* v = raw(name);
  if (v == nullptr) return false;
  auto it = defaults_.find(name);
  return it == defaults_.end() || v != &it->second;
}

std::optional<std::string> PuppetSettings::raw_or_fallback(const SettingInfo& s, int depth) const {
  if (const std::string* v = raw(s.name)) return *v;
  if (s.fallback == nullptr) return std::nullopt;
  if (s.fallback[0] == '@')
    return found_default(s.fallback, [&](std::string_view name) { return converted(name, depth + 1).value_or(""); });
  return s.fallback;
}

std::optional<std::string> PuppetSettings::interpolated(std::string_view name, int depth) const {
  if (depth > 20) throw_load_error(fmt::format("the setting '{}' refers to itself", name), file_);
  if (name == "run_mode") return section_.empty() ? std::string(name_of(mode_)) : section_;
  const SettingInfo* s = find_setting(name);
  std::optional<std::string> text;
  if (s != nullptr)
    text = raw_or_fallback(*s, depth);
  else if (const std::string* v = raw(name)) // not a setting of Puppet, but other settings may refer to it
    text = *v;
  if (!text || name == "code" || text->find('$') == std::string::npos) return text;
  return interpolate_setting_text(*text, [&](std::string_view other) {
    auto found = converted(other, depth + 1);
    if (!found) throw_load_error(fmt::format("Error converting value for param '{}': Could not find value for ${}", name, other), file_);
    return found;
  });
}

std::optional<std::string> PuppetSettings::converted(std::string_view name, int depth) const {
  std::optional<std::string> text = interpolated(name, depth);
  const SettingInfo* s = find_setting(name);
  return text && s != nullptr ? normalized(*s, *text) : text;
}

std::optional<std::string> PuppetSettings::text(std::string_view name) const {
  try {
    return converted(name, 0);
  } catch (CompileError& e) {
    if (!command_line_.contains(name)) e.diagnostic.file = file_;
    throw;
  }
}

std::vector<std::string> PuppetSettings::list_of(std::string_view name) const { return split_list(value(name)); }

int64_t PuppetSettings::integer_of(std::string_view name) const { return integer(value(name)).value_or(0); }

std::vector<std::string> PuppetSettings::directories(std::string_view name) const { return split_path(value(name)); }

Value PuppetSettings::typed(std::string_view name, Arena& arena) const {
  const SettingInfo* s = find_setting(name);
  const auto text = s == nullptr ? std::nullopt : this->text(name);
  if (!text) return Value::undef();
  auto string = [&](std::string_view v) { return Value::string(arena.copy(v)); };
  auto list = [&](const std::vector<std::string>& parts, const std::function<Value(const std::string&)>& make) {
    std::vector<Value> items;
    for (const std::string& part : parts) items.push_back(make(part));
    return make_list(arena, items);
  };
  switch (s->type) {
  case SettingType::Boolean: return Value::boolean(*text == "true");
  case SettingType::Integer:
  case SettingType::Port:
  case SettingType::Alias:
  case SettingType::Duration: return Value::integer(integer(*text).value_or(0));
  case SettingType::Ttl:
    return *text == "unlimited" ? Value::floating(std::numeric_limits<double>::infinity()) : Value::integer(integer(*text).value_or(0));
  case SettingType::Priority: return Value::integer(std::strtoll(text->c_str(), nullptr, 10));
  case SettingType::Terminus: return text->empty() ? Value::undef() : string(*text);
  case SettingType::Array: return list(split_list(*text), [&](const std::string& part) { return string(part); });
  case SettingType::ServerList:
  case SettingType::HeaderList:
    return list(split_list(*text),
                [&](const std::string& part) { return list(split(part, ':'), [&](const std::string& p) { return string(p); }); });
  case SettingType::Autosign:
  case SettingType::Revocation:
    if (*text == "true" || *text == "false") return Value::boolean(*text == "true");
    return string(*text);
  default: return string(*text);
  }
}

std::string PuppetSettings::printed(std::string_view name) const {
  const SettingInfo* s = find_setting(name);
  const std::string text = value(name);
  if (s == nullptr || (s->type != SettingType::Array && s->type != SettingType::HeaderList)) return text;
  std::string out;
  for (const std::string& part : split_list(text)) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", part);
  return "[" + out + "]";
}

std::vector<const SettingInfo*> PuppetSettings::given_with(SettingState state) const {
  std::vector<const SettingInfo*> out;
  for (const SettingInfo& s : table)
    if (s.state == state && given(s.name)) out.push_back(&s);
  return out;
}

const SettingInfo* PuppetSettings::refused() const {
  for (const SettingInfo* s : given_with(SettingState::Refused)) {
    const auto wanted = s->fallback == nullptr ? std::nullopt : std::optional(normalized(*s, s->fallback));
    if (text(s->name) != wanted) return s;
  }
  return nullptr;
}

std::vector<std::string> PuppetSettings::unknown() const {
  std::vector<std::string> out;
  for (const auto& [section, texts] : sections_)
    for (const auto& [name, value] : texts)
      if (find_setting(name) == nullptr && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

struct SettingValues::State {
  explicit State(PuppetSettings s) : settings(std::move(s)) {}
  PuppetSettings settings;
  std::once_flag once;
  Arena arena;
  std::array<Value, table_size> values;
};

SettingValues::SettingValues(PuppetSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
SettingValues::~SettingValues() = default;

bool SettingValues::given(std::string_view name) const { return state_->settings.given(name); }

std::span<const Value> SettingValues::all() const {
  std::call_once(state_->once, [this] {
    for (size_t i = 0; i < table_size; ++i) state_->values[i] = state_->settings.typed(table[i].name, state_->arena);
  });
  return state_->values;
}

const Value* SettingValues::find(std::string_view name) const {
  const SettingInfo* s = name.find('-') == std::string_view::npos ? find_setting(name) : nullptr;
  return s == nullptr ? nullptr : &all()[static_cast<size_t>(s - table)];
}

const SettingValues& default_setting_values() {
  static const SettingValues values{PuppetSettings()};
  return values;
}

} // namespace pupc::compiler
