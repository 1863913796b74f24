// `new` of Timestamp, Timespan, SemVer and SemVerRange.
#include "catalog/value/semver.h"
#include "catalog/value/semver_range.h"
#include "catalog/value/time_text.h"
#include "compiler/conversion/constructor_call.h"

#include <charconv>
#include <ctime>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::vector<std::string_view> format_list(const Value& v) {
  std::vector<std::string_view> out;
  if (v.is_string()) out.push_back(v.str());
  if (v.is_list())
    for (const Value& one : v.items()) out.push_back(one.str());
  return out;
}

Value semver(const ConstructorCall& c, const Value& major, const Value& minor, const Value& patch, const Value& prerelease,
             const Value& build) {
  auto text = [](const Value& v) { return v.is_string() ? v.str() : std::string_view(); };
  return Value::of(c.arena().make<SemVer>(SemVer{major.i, minor.i, patch.i, text(prerelease), text(build)}));
}

Value versions(const ConstructorCall& c, const Value& min, const Value& max, const Value& exclude_max) {
  return Value::of(make_semver_range(c.arena(), min.is(Kind::SemVer) ? min.semver : nullptr, max.is(Kind::SemVer) ? max.semver : nullptr,
                                     exclude_max.truthy()));
}

} // namespace

namespace constructors {

Value timespan_from_seconds(const ConstructorCall& c) { return Value::timespan(nanoseconds_of_seconds(c[0])); }
Value timespan_from_string(const ConstructorCall& c) {
  auto formats = format_list(c.optional(1));
  return Value::timespan(parse_timespan(c[0].str(), {formats, c.optional(1).is_list()}));
}
Value timespan_from_fields(const ConstructorCall& c) {
  int64_t fields[7] = {};
  for (size_t i = 0; i < c.args.size(); ++i) fields[i] = c[i].i;
  return Value::timespan(timespan_of_fields(false, fields));
}
Value timespan_from_hash(const ConstructorCall& c) { return Value::timespan(timespan_of_hash(*c[0].hash)); }

Value timestamp_now(const ConstructorCall&) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return Value::timestamp(static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec);
}
Value timestamp_from_seconds(const ConstructorCall& c) { return Value::timestamp(nanoseconds_of_seconds(c[0])); }
Value timestamp_from_string(const ConstructorCall& c) {
  auto formats = format_list(c.optional(1));
  return Value::timestamp(
      parse_timestamp(c[0].str(), {formats, c.optional(1).is_list()}, c.args.size() > 2 ? c[2].str() : std::string_view()));
}
Value timestamp_from_hash(const ConstructorCall& c) { return Value::timestamp(timestamp_of_hash(*c[0].hash)); }

Value semver_from_string(const ConstructorCall& c) {
  if (auto v = parse_semver(c[0].str())) return Value::of(c.arena().make<SemVer>(*v));
  // The text has matched the pattern, so the only remaining error is a number that is too large.
  std::string_view numbers = c[0].str().substr(0, c[0].str().find_first_of("-+"));
  for (size_t at = 0; at < numbers.size(); at = std::min(numbers.size(), numbers.find('.', at)) + 1)
    if (int64_t n = 0; std::from_chars(numbers.data() + at, numbers.data() + numbers.size(), n).ec != std::errc())
      c.fail(fmt::format("A number of the version '{}' does not fit 64 bits", c[0].str()));
  c.fail("Numeric pre-release identifiers MUST NOT contain leading zeroes");
}
Value semver_from_args(const ConstructorCall& c) { return semver(c, c[0], c[1], c[2], c.optional(3), c.optional(4)); }
Value semver_from_hash(const ConstructorCall& c) {
  return semver(c, c.named("major"), c.named("minor"), c.named("patch"), c.named("prerelease"), c.named("build"));
}
std::string semver_error(const ConstructorCall& c) { return fmt::format("The string '{}' cannot be converted to a SemVer", c[0].str()); }

Value semver_range_from_string(const ConstructorCall& c) {
  const SemVerRange* r = parse_semver_range(c.arena(), c[0].str());
  if (r == nullptr) c.fail(fmt::format("Unparsable version range: \"{}\"", c[0].str()));
  return Value::of(r);
}
Value semver_range_from_versions(const ConstructorCall& c) { return versions(c, c[0], c[1], c.optional(2)); }
Value semver_range_from_hash(const ConstructorCall& c) { return versions(c, c.named("min"), c.named("max"), c.named("exclude_max")); }

} // namespace constructors
} // namespace pupc::compiler
