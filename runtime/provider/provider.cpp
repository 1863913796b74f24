#include "runtime/provider/provider.h"

#include <fmt/format.h>

namespace pupc::runtime {

PropertyChange property_change(std::string_view property, Value is, Value should) {
  PropertyChange c;
  c.property = property;
  auto absent = [](const Value& v) { return v.is_undef() || (v.is_string() && v.str() == "absent"); };
  c.is_text = is.is_undef() ? "'absent'" : display_text(is);
  c.should_text = display_text(should);
  c.previous = is;
  c.desired = should;
  if (absent(is))
    c.message = fmt::format("defined '{}' as {}", property, c.should_text);
  else if (absent(should))
    c.message = fmt::format("undefined '{}' from {}", property, c.is_text);
  else
    c.message = fmt::format("{} changed {} to {}", property, c.is_text, c.should_text);
  return c;
}

namespace {

Value with_attribute(Arena& arena, const Value& store, std::string_view path, const Value& value) {
  HashBuilder out = store.is_hash() ? HashBuilder(arena, *store.hash) : HashBuilder(arena);
  size_t dot = path.find('.');
  Value key = string_value(arena, path.substr(0, dot));
  const Value* below = out.find(key);
  out.set(key, dot == std::string_view::npos
                   ? value
                   : with_attribute(arena, below == nullptr ? Value::undef() : *below, path.substr(dot + 1), value));
  return out.finish();
}

} // namespace

Value RunContext::node_attribute(std::string_view path) const {
  Value at = node_attributes_;
  while (true) {
    if (!at.is_hash()) return Value::undef();
    size_t dot = path.find('.');
    const Value* found = at.hash->find(path.substr(0, dot));
    if (found == nullptr) return Value::undef();
    at = *found;
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

void RunContext::set_node_attribute(std::string_view path, Value value) {
  node_attributes_ = with_attribute(arena, node_attributes_, path, value);
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

} // namespace pupc::runtime
