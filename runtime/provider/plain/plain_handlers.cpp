// Types that change nothing themselves: schedule and filebucket, which other resources refer to, and anchor (module stdlib).
#include "runtime/provider/handlers.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class PlainHandler : public TypeHandler {
public:
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}
};

class ScheduleHandler final : public PlainHandler {
public:
  /// None are known besides those of the catalog.
  std::optional<std::vector<ManagedResource>> instances(RunContext&) override { return std::vector<ManagedResource>(); }
  void prepare(ManagedResource& r, RunContext&) override {
    auto bad = [&](std::string_view name, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", name, r.reference(), why));
    };
    for (const std::string& range : r.texts("range")) {
      int from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
      size_t dash = range.find('-');
      if (dash == std::string::npos || std::sscanf(range.c_str(), "%d:%d:%d", &from[0], &from[1], &from[2]) < 1 ||
          std::sscanf(range.c_str() + dash + 1, " %d:%d:%d", &to[0], &to[1], &to[2]) < 1)
        bad("range", fmt::format("Munging failed for value \"{}\" in class range: Invalid range value '{}'", range, range));
      for (int hour : {from[0], to[0]})
        if (hour < 0 || hour > 23)
          bad("range", fmt::format("Munging failed for value \"{}\" in class range: Invalid hour '{}'", range, hour));
      for (int minute : {from[1], to[1]})
        if (minute < 0 || minute > 59)
          bad("range", fmt::format("Munging failed for value \"{}\" in class range: Invalid minute '{}'", range, minute));
    }
    static constexpr std::string_view days[] = {"mon",    "monday",    "tue",    "tues",     "tueday", "tuesday",  "wed", "wednes",
                                                "wedday", "wednesday", "thu",    "thurs",    "thuday", "thursday", "fri", "friday",
                                                "sat",    "satur",     "satday", "saturday", "sun",    "sunday"};
    for (const std::string& day : r.texts("weekday")) {
      const std::string lower = ascii_lower(day);
      bool digit = day.size() == 1 && day[0] >= '0' && day[0] <= '6';
      if (!digit && std::find(std::begin(days), std::end(days), lower) == std::end(days))
        bad("weekday", fmt::format("{} is not a valid day of the week", day));
    }
    std::string repeat = r.text("repeat", "1");
    if (repeat.empty() || repeat.find_first_not_of("0123456789") != std::string::npos) bad("repeat", "Repeat must be a number");
    const std::string match = r.text("periodmatch", "distance");
    if (repeat != "1" && match != "distance")
      bad("repeat", fmt::format("Repeat must be 1 unless periodmatch is 'distance', not '{}'", match));
  }
};

class FilebucketHandler final : public PlainHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    Value path = r.get("path");
    if (path.is_string() && !path.str().starts_with('/'))
      throw ResourceError(fmt::format("Parameter path failed on {}: You can only have absolute paths: {}", r.reference(), path.str()));
  }
};

/// anchor: passes events from the resources before it to the resources after it.
class AnchorHandler final : public PlainHandler {
public:
  bool refreshable(const ManagedResource&) const override { return true; }
};

/// The handler of a type that neither pupc nor a module implements. Its resources fail under noop as well: what they would change is
/// unknown.
class MissingTypeHandler final : public PlainHandler {
public:
  Present retrieve(ManagedResource& r, RunContext&) override {
    if (make_type_handler(r.type) != nullptr) // exec, file: a module's provider that only Puppet's own code of the type could use
      throw ResourceError(fmt::format("The provider {} of a module cannot be used: pupc has {} only natively", r.text("provider"), r.type));
    throw ResourceError(
        fmt::format("The resource type {} cannot be applied: neither pupc nor a module has an implementation of it", r.type));
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_anchor_handler() { return std::make_unique<AnchorHandler>(); }
std::unique_ptr<TypeHandler> make_filebucket_handler() { return std::make_unique<FilebucketHandler>(); }
std::unique_ptr<TypeHandler> make_missing_type_handler() { return std::make_unique<MissingTypeHandler>(); }
std::unique_ptr<TypeHandler> make_schedule_handler() { return std::make_unique<ScheduleHandler>(); }

} // namespace pupc::runtime
