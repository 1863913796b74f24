// Reads .puppet-lint.rc and lists of checks.
#include "compiler/style/style.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <optional>

namespace pupc::compiler {
namespace {

std::optional<CheckCode> style_check_named(std::string_view name) {
  for (const CheckEntry& c : all_checks())
    if (is_style_check(c.code) && c.name() == name) return c.code;
  return {};
}

/// Options of puppet-lint without effect here: they control its output or load plug-ins.
constexpr std::string_view without_meaning[] = {"--version",
                                                "--no-config",
                                                "--config",
                                                "-c",
                                                "--with-context",
                                                "--with-filename",
                                                "--show-ignored",
                                                "--load",
                                                "-l",
                                                "--load-from-puppet",
                                                "--fix",
                                                "-f",
                                                "--log-format",
                                                "--json",
                                                "--sarif",
                                                "--codeclimate-report-file",
                                                "--list-checks"};

/// The option that a name stands for, as puppet-lint reads it: - and _ are the same, and what only one option begins with is that option.
/// Empty when there is none.
std::string option_named(std::string_view written) {
  static const std::vector<std::string> known = [] {
    std::vector<std::string> out = {"--relative", "--fail-on-warnings", "--error-level", "--ignore-paths", "--only-checks"};
    for (std::string_view name : without_meaning) out.emplace_back(name);
    for (const CheckEntry& c : all_checks())
      if (is_style_check(c.code))
        for (const char* prefix : {"--", "--no-"}) out.push_back(fmt::format("{}{}-check", prefix, c.name()));
    return out;
  }();
  const auto same = [](char a, char b) { return (a == '_' ? '-' : a) == (b == '_' ? '-' : b); };
  std::string found;
  for (const std::string& name : known) {
    if (written.size() > name.size() || !std::equal(written.begin(), written.end(), name.begin(), same)) continue;
    if (written.size() == name.size()) return name;
    if (!written.starts_with("--")) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

/// Sets one option; `problem` gets what is wrong with its value. False when puppet-lint has no option of that name.
bool take_option(std::string_view written, std::string_view value, StyleOptions& options, std::string& problem) {
  const std::string name = option_named(written);
  if (name == "--relative") return options.relative = true;
  if (name == "--fail-on-warnings") return options.fail_on_warnings = true;
  if (name == "--error-level") return true;
  if (name == "--ignore-paths") {
    while (!value.empty()) {
      const size_t end = std::min(value.find(','), value.size());
      options.ignore_paths.emplace_back(value.substr(0, end));
      value.remove_prefix(std::min(end + 1, value.size()));
    }
    return true;
  }
  if (name == "--only-checks") {
    const std::string unknown = only_style_checks(value, options);
    if (!unknown.empty()) problem = fmt::format("'{}' is no check of style", unknown);
    return true;
  }
  if (name.starts_with("--") && name.ends_with("-check")) {
    std::string_view check = std::string_view(name).substr(2, name.size() - 8);
    const bool off = check.starts_with("no-");
    if (off) check.remove_prefix(3);
    if (const auto code = style_check_named(check)) {
      if (off)
        options.off.insert(*code);
      else
        options.off.erase(*code);
    }
    return true;
  }
  return std::find(std::begin(without_meaning), std::end(without_meaning), name) != std::end(without_meaning);
}

} // namespace

std::string only_style_checks(std::string_view names, StyleOptions& options) {
  std::set<CheckCode> wanted;
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    const auto code = style_check_named(names.substr(0, end));
    if (!code) return std::string(names.substr(0, end));
    wanted.insert(*code);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  options.off.clear();
  for (const CheckEntry& c : all_checks())
    if (is_style_check(c.code) && !wanted.contains(c.code)) options.off.insert(c.code);
  return {};
}

std::vector<std::string> read_style_file(std::string_view text, StyleOptions& options) {
  std::vector<std::string> problems;
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (uint32_t number = 1; !text.empty(); ++number) {
    const size_t nl = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, nl);
    text.remove_prefix(std::min(nl + 1, text.size()));
    while (!line.empty() && blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && blank(line.back())) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const size_t cut = std::min(line.find_first_of("= \t"), line.size());
    std::string_view value = line.substr(std::min(cut + 1, line.size()));
    while (!value.empty() && blank(value.front())) value.remove_prefix(1);
    std::string problem;
    if (!take_option(line.substr(0, cut), value, options, problem))
      problem = fmt::format("'{}' is no option of puppet-lint{}", line.substr(0, cut),
                            line.substr(0, cut).ends_with("check") ? "; a plug-in may have the check" : "");
    if (!problem.empty()) problems.push_back(fmt::format("{}: {}", number, problem));
  }
  return problems;
}

bool is_ignored_path(const StyleOptions& options, const std::string& path) {
  return std::any_of(options.ignore_paths.begin(), options.ignore_paths.end(),
                     [&](const std::string& glob) { return ::fnmatch(glob.c_str(), path.c_str(), FNM_PERIOD) == 0; });
}

} // namespace pupc::compiler
