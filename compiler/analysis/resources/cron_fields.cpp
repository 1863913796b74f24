#include "compiler/analysis/resources/cron_fields.h"

#include "catalog/base/split_text.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace pupc::compiler {

bool digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool cron_value(const CronField& field, std::string_view text) {
  auto number = [&](std::string_view s) {
    int n = 0;
    if (!digits(s) || s.size() > 4) return -1;
    std::from_chars(s.data(), s.data() + s.size(), n);
    return n >= field.least && n <= field.most ? n : -1;
  };
  if (text == "*" || text == "absent" || text.empty()) return true;
  if (text.find_first_of(",") != std::string_view::npos) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (!cron_value(field, text.substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    return true;
  }
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view base = text.substr(0, slash);
    return digits(text.substr(slash + 1)) && (base == "*" || cron_value(field, base));
  }
  if (const size_t dash = text.find('-'); dash != std::string_view::npos && dash > 0)
    return dash + 1 < text.size() && cron_value(field, text.substr(0, dash)) && cron_value(field, text.substr(dash + 1));
  if (number(text) >= 0) return true;
  if (field.names.empty() || text.size() < 3) return false;
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::string_view name : catalog::split_views(field.names, '|'))
    if (name.starts_with(lower)) return true;
  return false;
}

} // namespace pupc::compiler
