#pragma once
// The fields of a crontab entry and what they take.
#include <string_view>

namespace pupc::compiler {

/// A field of a crontab entry.
struct CronField {
  std::string_view attribute;
  int least, most;
  std::string_view names; // their first is `least`
};
inline constexpr CronField cron_fields[] = {
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"monthday", 1, 31, ""},
    {"month", 1, 12, "january|february|march|april|may|june|july|august|september|october|november|december"},
    {"weekday", 0, 7, "sunday|monday|tuesday|wednesday|thursday|friday|saturday"},
};

/// Whether the text is a number without sign, as fields and ids are written.
bool digits(std::string_view s);

/// Whether the field takes the text: numbers, names, ranges, lists and steps.
bool cron_value(const CronField& field, std::string_view text);

} // namespace pupc::compiler
