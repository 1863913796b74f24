#include "catalog/value/time_format.h"

#include "catalog/value/time_zone.h"

#include <ctime>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {} // namespace

std::string format_timestamp(int64_t nanoseconds) {
  int64_t seconds = nanoseconds / ns_per_second;
  int64_t fraction = nanoseconds % ns_per_second;
  if (fraction < 0) {
    fraction += ns_per_second;
    --seconds;
  }
  int64_t days = seconds / 86400;
  int64_t of_day = seconds % 86400;
  if (of_day < 0) {
    of_day += 86400;
    --days;
  }
  int64_t year;
  int month, day;
  civil_from_days(days, year, month, day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09} UTC", year, month, day, of_day / 3600, of_day / 60 % 60, of_day % 60,
                     fraction);
}

std::string format_timespan(int64_t nanoseconds) {
  bool negative = nanoseconds < 0;
  uint64_t n = negative ? 0 - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  uint64_t fraction = n % ns_per_second;
  uint64_t seconds = n / ns_per_second;
  while (fraction != 0 && fraction % 10 == 0) fraction /= 10;
  return fmt::format("{}{}-{:02}:{:02}:{:02}.{}", negative ? "-" : "", seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60,
                     seconds % 60, fraction);
}

std::string local_time_text(int64_t nanoseconds) {
  const time_t seconds = nanoseconds / ns_per_second;
  struct tm local {};
  ::localtime_r(&seconds, &local);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local));
}

} // namespace pupc::catalog
