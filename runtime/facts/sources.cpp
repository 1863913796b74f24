#include "runtime/facts/sources.h"

#include "catalog/base/split_text.h"
#include "catalog/base/text.h"

#include <cmath>
#include <fmt/format.h>

namespace pupc::runtime {

std::optional<std::string> FactSources::read(const std::string& path) const {
  try {
    return system.read_file(root_ + path);
  } catch (const SystemError&) { return std::nullopt; }
}

std::optional<std::string> FactSources::read_stripped(const std::string& path) const {
  auto content = read(path);
  if (!content) return std::nullopt;
  std::string text(trimmed(*content, ruby_blanks));
  if (text.empty()) return std::nullopt;
  return text;
}

std::vector<std::string> FactSources::lines(const std::string& path) const {
  auto content = read(path);
  if (!content) return {};
  std::vector<std::string> out = catalog::split_text(*content, '\n');
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::vector<std::string> FactSources::entries(const std::string& path) const {
  try {
    return system.list_directory(root_ + (path.ends_with('/') ? path.substr(0, path.size() - 1) : path));
  } catch (const SystemError&) { return {}; }
}

bool FactSources::exists(const std::string& path) const {
  try {
    return system.stat(root_ + path).has_value();
  } catch (const SystemError&) { return false; }
}

bool FactSources::is_directory(const std::string& path) const {
  try {
    auto s = system.stat(root_ + path);
    return s && s->type == FileType::Directory;
  } catch (const SystemError&) { return false; }
}

std::optional<std::string> after(std::string_view text, std::string_view prefix) {
  const size_t at = text.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + prefix.size());
  return std::string(text.substr(0, text.find('\n')));
}

int64_t leading_integer(std::string_view text) {
  text = trimmed(text, ruby_blanks);
  int64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    n = n * 10 + (c - '0');
  }
  return n;
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  static constexpr const char* prefixes[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int exponent = static_cast<int>(std::floor(std::log2(static_cast<double>(bytes)) / 10.0));
  double number = std::round(100.0 * (static_cast<double>(bytes) / std::pow(1024.0, exponent))) / 100.0;
  if (std::abs(number - 1024.0) < 1e-9) {
    ++exponent;
    number = 1.0;
  }
  return fmt::format("{:.2f} {}", number, prefixes[std::min(exponent - 1, 5)]);
}

std::string human_hertz(uint64_t hertz) {
  if (hertz == 0) return {};
  static constexpr const char* prefixes[] = {"", "k", "M", "G", "T"};
  const int power = static_cast<int>(std::floor(std::log10(static_cast<double>(hertz))));
  const int group = std::min(power / 3, 4);
  return fmt::format("{:.2f} {}Hz", static_cast<double>(hertz) / std::pow(10.0, group * 3), prefixes[group]);
}

std::string mount_capacity(uint64_t used, uint64_t total) {
  if (used == total) return "100%";
  if (used == 0) return "0%";
  return fmt::format("{:.2f}%", static_cast<double>(used) / static_cast<double>(total) * 100);
}

} // namespace pupc::runtime
