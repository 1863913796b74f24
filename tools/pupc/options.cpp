#include "tools/pupc/options.h"

#include <charconv>
#include <cstdio>

namespace pupc {
namespace {

constexpr std::string_view negatable = "--[no-]";

template <class F> void for_each_name(std::string_view names, F visit) {
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    visit(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

} // namespace

const Option* Options::find(std::string_view name, bool& negated) const {
  for (const Option& o : options_) {
    const Option* found = nullptr;
    for_each_name(o.names, [&](std::string_view known) {
      if (known == name) found = &o;
      if (!known.starts_with(negatable)) return;
      std::string_view bare = known.substr(negatable.size());
      if (name.starts_with("--") && name.substr(2) == bare) found = &o;
      if (name.starts_with("--no-") && name.substr(5) == bare) {
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
    if (o == nullptr) throw UsageError{fmt::format("unknown option '{}'", name)};
    if (o->argument.empty()) {
      if (equals != std::string_view::npos) throw UsageError{fmt::format("option '{}' takes no value", name)};
      o->set(negated ? "false" : "true");
    } else if (equals != std::string_view::npos) {
      o->set(word.substr(equals + 1));
    } else {
      if (i + 1 >= words.size()) throw UsageError{fmt::format("option '{}' needs a value: {}", name, o->argument)};
      o->set(words[++i]);
    }
  }
  return rest;
}

void Options::print_help() const {
  fmt::print("{}\n\nOptions:\n", usage_);
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

} // namespace pupc
