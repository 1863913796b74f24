#include "runtime/state/state_value.h"

#include "catalog/value/symbol_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

namespace pupc::runtime {

Value state_value(Arena& arena, const Value& v) {
  switch (v.kind) {
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::Timestamp: return v;
  case Kind::String: {
    Value out = Value::string(arena.copy(v.str()));
    out.flags = v.flags;
    return out;
  }
  case Kind::List: {
    ListBuilder out(arena);
    for (const Value& item : v.items()) out.add(state_value(arena, item));
    return out.finish();
  }
  case Kind::Hash: {
    HashBuilder out(arena);
    for (const HashEntry& e : v.hash->entries()) out.set(state_value(arena, e.key), state_value(arena, e.value));
    return out.finish();
  }
  default: return Value::undef();
  }
}

Value state_property(Arena& arena, std::string_view property, const Value& v) {
  Value out = state_value(arena, v);
  if (out.is_list()) {
    ListBuilder items(arena);
    for (const Value& item : out.items()) items.add(state_property(arena, property, item));
    return items.finish();
  }
  if (!out.is_string()) return out;
  const std::string_view s = out.str();
  const bool word = !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (s == "absent" || s == "notlink" || (property == "ensure" && word)) out.flags = symbol_flag;
  return out;
}

std::string state_time(int64_t nanoseconds) {
  int64_t seconds = nanoseconds / 1'000'000'000, rest = nanoseconds % 1'000'000'000;
  if (rest < 0) {
    --seconds;
    rest += 1'000'000'000;
  }
  const time_t whole = seconds;
  tm t{};
  ::localtime_r(&whole, &t);
  const long offset = t.tm_gmtoff / 60;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} {}{:02}:{:02}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                     t.tm_min, t.tm_sec, rest, offset < 0 ? '-' : '+', std::labs(offset) / 60, std::labs(offset) % 60);
}

int64_t read_state_time(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') || text[13] != ':') return 0;
  const std::string s(text);
  tm t{};
  if (std::sscanf(s.c_str(), "%4d-%2d-%2d%*c%2d:%2d:%2d", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec) != 6)
    return 0;
  t.tm_year -= 1900;
  t.tm_mon -= 1;
  size_t at = 19;
  int64_t fraction = 0, scale = 100'000'000;
  if (at < s.size() && s[at] == '.')
    for (++at; at < s.size() && s[at] >= '0' && s[at] <= '9'; ++at, scale /= 10) fraction += (s[at] - '0') * scale;
  while (at < s.size() && s[at] == ' ') ++at;
  int64_t offset = 0; // a time without a zone or with Z is in UTC
  if (at < s.size() && (s[at] == '+' || s[at] == '-')) {
    int hours = 0, minutes = 0;
    if (std::sscanf(s.c_str() + at + 1, "%2d:%2d", &hours, &minutes) < 1) return 0;
    offset = (s[at] == '-' ? -60 : 60) * (hours * 60 + minutes);
  }
  return (static_cast<int64_t>(::timegm(&t)) - offset) * 1'000'000'000 + fraction;
}

Value read_state_map(System& system, const std::string& path, std::string_view what, const StateForm& form, Arena& arena) {
  auto say = [&](LogLevel level, std::string message) {
    if (form.say) form.say(level, std::move(message));
  };
  std::string text;
  try {
    auto status = system.stat(path);
    if (!status || !form.read) return Value::undef();
    if (status->type != FileType::File) {
      say(LogLevel::Warning, fmt::format("{} {} is not a file, ignoring", what, path));
      return Value::undef();
    }
    text = system.read_file(path);
  } catch (const SystemError& e) {
    say(LogLevel::Warning, e.what());
    return Value::undef();
  }
  std::string problem;
  try {
    Value root = form.read(arena.copy(text), arena);
    if (root.is_hash()) return root;
    problem = "it is no map";
  } catch (const std::exception& e) { problem = e.what(); }
  say(LogLevel::Err, fmt::format("{} {} is corrupt ({}); replacing", what, path, problem));
  try {
    system.rename(path, path + ".bad");
  } catch (const SystemError&) {
    say(LogLevel::Warning, fmt::format("Could not rename corrupt {}", path)); // save() replaces the file
  }
  return Value::undef();
}

} // namespace pupc::runtime
