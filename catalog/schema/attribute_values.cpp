#include "catalog/schema/attribute_values.h"

#include "catalog/base/text.h"
#include "catalog/schema/native_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {

AllowedValues::AllowedValues(std::string_view written) {
  left_to_type_ = written.starts_with('~');
  if (left_to_type_) written.remove_prefix(1);
  boolean_ = written == "boolean";
  if (boolean_) written = "true false yes no";
  std::vector<std::string_view> others;
  while (!written.empty()) {
    std::string_view word = written.substr(0, written.find(' '));
    written.remove_prefix(std::min(word.size() + 1, written.size()));
    if (word.starts_with('/')) {
      patterns_.push_back(word);
      compiled_.push_back(std::make_unique<const Regex>(std::string(word.substr(1, word.size() - 2))));
      continue;
    }
    main_.push_back(word.substr(0, word.find('=')));
    for (word.remove_prefix(main_.back().size()); !word.empty(); word.remove_prefix(others.back().size())) {
      word.remove_prefix(1); // the =
      others.push_back(word.substr(0, word.find('=')));
    }
  }
  names_ = main_;
  names_.insert(names_.end(), others.begin(), others.end());
}

bool AllowedValues::allows(std::string_view text) const {
  if (any()) return true;
  const std::string lower = boolean_ ? ascii_lower(text) : std::string();
  if (std::ranges::find(names_, boolean_ ? std::string_view(lower) : text) != names_.end()) return true;
  return std::ranges::any_of(compiled_, [&](const auto& pattern) { return pattern->matches(text); });
}

std::string AllowedValues::refusal(std::string_view inspected, std::string_view attribute) const {
  if (boolean_) return fmt::format("Munging failed for value {} in class {}: expected a boolean value", inspected, attribute);
  std::string out = fmt::format("Invalid value {}.", inspected);
  if (!main_.empty()) out += fmt::format(" Valid values are {}.", fmt::join(main_, ", "));
  if (!patterns_.empty()) out += fmt::format(" Valid values match {}.", fmt::join(patterns_, ", "));
  return out;
}

const AllowedValues& allowed_values(const NativeAttribute& attribute) {
  static const std::vector<AllowedValues> all = [] {
    std::vector<AllowedValues> made;
    for (const NativeAttribute& row : all_native_attributes()) made.emplace_back(row.allowed);
    return made;
  }();
  return all[static_cast<size_t>(&attribute - all_native_attributes().data())];
}

bool octal_file_mode(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  return !text.empty() && text.size() <= 4 && text.find_first_not_of("01234567") == std::string_view::npos;
}

bool valid_file_mode(std::string_view text) {
  if (octal_file_mode(text)) return true;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t operation = std::min(part.find_first_not_of("ugoa"), part.size());
    if (operation == part.size() || std::string_view("-=+").find(part[operation]) == std::string_view::npos) return false;
    if (part.find_first_not_of("-=+rstwxXugo", operation) != std::string_view::npos) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

std::string_view algorithm_of_digest(std::string_view text) {
  static constexpr std::pair<std::string_view, size_t> digits[] = {{"md5", 32},    {"sha1", 40},   {"sha224", 56},
                                                                   {"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
  if (text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return {};
  for (const auto& [name, count] : digits)
    if (text.size() == count) return name;
  return {};
}

bool valid_checksum(std::string_view kind, std::string_view text) {
  if (kind == "none") return text.empty();
  if (kind == "mtime" || kind == "ctime") return true;
  if (kind.ends_with("lite")) kind.remove_suffix(4);
  return algorithm_of_digest(text) == kind;
}

} // namespace pupc::catalog
