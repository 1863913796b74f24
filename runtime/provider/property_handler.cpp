#include "runtime/provider/property_handler.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {

std::string place_suffix(const ManagedResource& r) {
  if (r.file.empty()) return r.line == 0 ? "" : fmt::format(" (line: {})", r.line);
  return r.line == 0 ? fmt::format(" (file: {})", r.file) : fmt::format(" (file: {}, line: {})", r.file, r.line);
}

ValueError::ValueError(const ManagedResource& resource, std::string_view value, std::string_view property, const std::string& cause_text)
    : ResourceError(fmt::format("Could not set '{}' on {}: {}{}", value, property, cause_text, place_suffix(resource)), cause_text) {}

PropertyChange ensure_change(RunContext& run, bool present, std::string_view event) {
  const Value there = string_value(run.arena, "present"), gone = string_value(run.arena, "absent");
  PropertyChange c = property_change("ensure", present ? gone : there, present ? there : gone);
  c.message = present ? "created" : "removed";
  c.event_name = event;
  return c;
}

bool PropertyHandler::left_alone(const ManagedResource& resource) const {
  const auto reasons = reasons_to_exist();
  return !reasons.empty() && !resource.has("ensure") &&
         std::none_of(reasons.begin(), reasons.end(), [&](std::string_view name) { return resource.has(name); });
}

std::vector<PropertyChange> PropertyHandler::plan(ManagedResource& resource, const Present& present, RunContext& run) {
  if (left_alone(resource)) return {};
  const bool wanted_there = wanted(resource) != "absent";
  if (wanted_there != present.exists) return {ensure_change(run, wanted_there)};
  if (!wanted_there) return {};
  std::vector<PropertyChange> changes;
  for (const std::string_view property : properties()) {
    const ManagedAttribute* should = resource.find(property);
    if (!should || should->value.is_undef()) continue;
    const Value is = present.get(property);
    Value value = should->value;
    if (value.is(Kind::Sensitive)) value = value.unwrap();
    if (in_sync(resource, property, is, value, run)) continue;
    PropertyChange c = describe(resource, property, is, value, run);
    if (should->sensitive || should->value.is(Kind::Sensitive)) {
      c.sensitive = true;
      c.message = "changed [redacted] to [redacted]";
      c.is_text = c.should_text = "[redacted]";
      c.previous = c.desired = string_value(run.arena, "[redacted]");
    }
    changes.push_back(std::move(c));
  }
  return changes;
}

void PropertyHandler::apply(ManagedResource& resource, const Present& present, PropertyChange& change, RunContext& run) {
  if (change.property != "ensure") return set(resource, present, change.property, run);
  const std::string ensure = wanted(resource) == "absent" ? "absent" : "present";
  try {
    if (ensure == "absent")
      destroy(resource, present, run);
    else
      create(resource, present, run);
  } catch (const SystemError& e) { throw ValueError(resource, ensure, "ensure", e.what()); }
}

bool PropertyHandler::in_sync(const ManagedResource&, std::string_view, const Value& is, const Value& should, RunContext&) {
  return value_text(is) == value_text(should) && is.is_list() == should.is_list();
}

PropertyChange PropertyHandler::describe(const ManagedResource&, std::string_view property, const Value& is, const Value& should,
                                         RunContext&) {
  return property_change(property, is, should);
}

} // namespace pupc::runtime
