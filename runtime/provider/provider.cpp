#include "runtime/provider/provider.h"

namespace pupc {

PropertyChange property_change(std::string_view property, Value is, Value should) {
  PropertyChange c;
  c.property = property;
  auto absent = [](const Value& v) { return v.is_undef() || (v.is_string() && v.str() == "absent"); };
  c.is_text = is.is_undef() ? "'absent'" : display_text(is);
  c.should_text = display_text(should);
  c.previous = is;
  c.desired = should;
  if (absent(is)) c.message = fmt::format("defined '{}' as {}", property, c.should_text);
  else if (absent(should)) c.message = fmt::format("undefined '{}' from {}", property, c.is_text);
  else c.message = fmt::format("{} changed {} to {}", property, c.is_text, c.should_text);
  return c;
}

void Present::set(std::string_view property, Value value) {
  for (auto& [name, have] : values)
    if (name == property) {
      have = value;
      return;
    }
  values.emplace_back(property, value);
}

Value Present::get(std::string_view property) const {
  for (const auto& [name, have] : values)
    if (name == property) return have;
  return Value::undef();
}

} // namespace pupc
