#include "tools/server/request_text.h"

#include <algorithm>
#include <array>

namespace pupc::server {
namespace {

/// What each character is worth as a hexadecimal digit; -1 for those that are none.
constexpr auto digit_values = [] {
  std::array<int8_t, 256> out{};
  out.fill(-1);
  for (int8_t i = 0; i < 10; ++i) out['0' + i] = i;
  for (int8_t i = 0; i < 6; ++i) out['a' + i] = out['A' + i] = 10 + i;
  return out;
}();

int digit_of(char c) { return digit_values[static_cast<unsigned char>(c)]; }

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

constexpr size_t most_parameters = 1000;

} // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  // An agent's facts have thousands of encoded characters: one look at each, and no step of `out`.
  std::string out(text.size(), '\0');
  char* to = out.data();
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    if (*at != '%') {
      *to++ = plus_is_blank && *at == '+' ? ' ' : *at;
      continue;
    }
    const int value = end - at > 2 ? digit_of(at[1]) * 16 | digit_of(at[2]) : -1; // negative with a digit that is none
    if (value < 0) return std::nullopt;
    *to++ = static_cast<char>(value);
    at += 2;
  }
  out.resize(static_cast<size_t>(to - out.data()));
  return out;
}

std::string percent_encoded(std::string_view text, bool keep_slashes) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '~' || (c == '/' && keep_slashes)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

bool Parameters::add(std::string_view encoded) {
  while (!encoded.empty()) {
    const size_t end = std::min(encoded.find('&'), encoded.size());
    const std::string_view part = encoded.substr(0, end);
    encoded.remove_prefix(std::min(end + 1, encoded.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    auto name = percent_decoded(part.substr(0, equals), true);
    auto value = percent_decoded(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value || entries_.size() >= most_parameters) return false;
    entries_.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

const std::string* Parameters::find(std::string_view name) const {
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
    if (it->first == name) return &it->second;
  return nullptr;
}

std::string_view Parameters::get(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::string_view() : *value;
}

std::vector<std::string> Parameters::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : entries_)
    if (key == name || (key.size() == name.size() + 2 && key.starts_with(name) && key.ends_with("[]"))) out.push_back(value);
  return out;
}

TargetProblem read_target(std::string_view text, Target& out) {
  const size_t question = std::min(text.find('?'), text.size());
  auto path = percent_decoded(text.substr(0, question), false);
  if (!path || !path->starts_with('/')) return TargetProblem::Malformed;
  if (std::ranges::any_of(*path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) return TargetProblem::Malformed;
  for (const std::string_view part : path_parts(*path))
    if (part == "." || part == "..") return TargetProblem::LeavesRoot;
  if (!out.query.add(text.substr(std::min(question + 1, text.size())))) return TargetProblem::Malformed;
  out.path = std::move(*path);
  return TargetProblem::None;
}

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

bool valid_node_name(std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.size() > 255) return false;
  return std::ranges::all_of(name,
                             [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; });
}

bool valid_environment_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

} // namespace pupc::server
