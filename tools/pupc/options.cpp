#include "tools/pupc/options.h"

#include "catalog/base/diagnostic.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

constexpr std::string_view negatable = "--[no-]";

template <class F> void for_each_name(std::string_view names, F visit) {
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    visit(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

/// Whether two option names are equal if `_` counts as `-`.
bool same_name(std::string_view a, std::string_view b) {
  auto plain = [](char c) { return c == '_' ? '-' : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return plain(x) == plain(y); });
}

} // namespace

const Option* Options::find(std::string_view name, bool& negated) const {
  for (const Option& o : options_) {
    const Option* found = nullptr;
    for_each_name(o.names, [&](std::string_view known) {
      if (same_name(known, name)) found = &o;
      if (!known.starts_with(negatable)) return;
      std::string_view bare = known.substr(negatable.size());
      if (name.starts_with("--") && same_name(name.substr(2), bare)) found = &o;
      if (name.starts_with("--no-") && same_name(name.substr(5), bare)) {
        found = &o;
        negated = true;
      }
    });
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::vector<std::string_view> Options::parse(std::span<const std::string_view> words, bool& help) const {
  std::vector<std::string_view> rest;
  help = false;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "--") {
      rest.insert(rest.end(), words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word == "--help" || word == "-h") {
      print_help();
      help = true;
      return {};
    }
    if (!word.starts_with('-') || word == "-") {
      rest.push_back(word);
      continue;
    }
    size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    std::string_view name = word.substr(0, equals);
    bool negated = false;
    const Option* o = find(name, negated);
    if (o == nullptr && take_setting(words, i)) continue;
    if (o == nullptr) throw UsageError{fmt::format("unknown option '{}'{}", name, near_option(name))};
    if (o->argument.empty()) {
      if (equals != std::string_view::npos) throw UsageError{fmt::format("option '{}' takes no value", name)};
      o->set(negated ? "false" : "true");
      give_setting(*o, name, negated ? "false" : "true");
    } else if (equals != std::string_view::npos) {
      o->set(word.substr(equals + 1));
      give_setting(*o, name, word.substr(equals + 1));
    } else {
      if (i + 1 >= words.size()) throw UsageError{fmt::format("option '{}' needs a value: {}", name, o->argument)};
      o->set(words[++i]);
      give_setting(*o, name, words[i]);
    }
  }
  return rest;
}

bool Options::take_setting(std::span<const std::string_view> words, size_t& i) const {
  std::string_view word = words[i];
  if (settings_ == nullptr || !word.starts_with("--")) return false;
  const size_t equals = word.find('=');
  std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
  const SettingInfo* setting = find_setting(name);
  const bool negated = setting == nullptr && name.starts_with("no-");
  if (negated) setting = find_setting(name.substr(3));
  if (setting == nullptr) return false;
  if (setting->type == SettingType::Boolean) {
    if (equals != std::string_view::npos) throw UsageError{fmt::format("option '--{}' takes no value", name)};
    settings_->set(setting->name, negated ? "false" : "true");
    // `--storeconfigs puppetdb` names the backend too.
    if (setting->name == "storeconfigs" && !negated && i + 1 < words.size() && words[i + 1] == "puppetdb")
      settings_->set("storeconfigs_backend", words[++i]);
    return true;
  }
  if (negated) return false;
  if (equals == std::string_view::npos && i + 1 >= words.size()) throw UsageError{fmt::format("option '--{}' needs a value", name)};
  settings_->set(setting->name, equals == std::string_view::npos ? words[++i] : word.substr(equals + 1));
  return true;
}

void Options::give_setting(const Option& option, std::string_view name, std::string_view value) const {
  if (settings_ == nullptr || !name.starts_with("--")) return;
  const SettingInfo* setting = find_setting(name.substr(2));
  if (setting == nullptr && name.starts_with("--no-")) setting = find_setting(name.substr(5));
  // Skip an option of pupc that shares the name of a setting but has another meaning: only one of the two is a flag.
  if (setting == nullptr || (setting->type == SettingType::Boolean) != option.argument.empty()) return;
  settings_->set(setting->name, value);
}

std::string Options::near_option(std::string_view name) const {
  std::vector<std::string> known;
  for (const Option& o : options_)
    for_each_name(o.names, [&](std::string_view n) {
      if (n.starts_with(negatable)) {
        known.push_back("--" + std::string(n.substr(negatable.size())));
        known.push_back("--no-" + std::string(n.substr(negatable.size())));
      } else {
        known.emplace_back(n);
      }
    });
  if (settings_ != nullptr)
    for (const SettingInfo& s : all_settings()) known.push_back("--" + std::string(s.name));
  const auto near = similar_names(name, {known.begin(), known.end()}, 1);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near[0]);
}

void Options::print_help() const {
  fmt::print("{}\n{}", usage_, options_.empty() ? "" : "\nOptions:\n");
  for (const Option& o : options_) {
    std::string left;
    for_each_name(o.names, [&](std::string_view name) { left += (left.empty() ? "" : ", ") + std::string(name); });
    if (!o.argument.empty()) left += " " + std::string(o.argument);
    fmt::print("  {:<34} {}\n", left, o.help);
  }
}

unsigned positive_number(std::string_view option, std::string_view value) {
  unsigned n = 0;
  auto r = std::from_chars(value.data(), value.data() + value.size(), n);
  if (r.ec != std::errc() || r.ptr != value.data() + value.size() || n == 0)
    throw UsageError{fmt::format("option '{}' needs a number of at least 1, not '{}'", option, value)};
  return n;
}

} // namespace pupc::cli
