#include "runtime/facts/fact_value.h"

#include <algorithm>
#include <charconv>

namespace pupc::runtime {

const FactValue* FactValue::find(std::string_view key) const {
  if (const FactMap* m = map())
    for (const auto& [k, v] : *m)
      if (k == key) return &v;
  return nullptr;
}

FactValue& FactValue::member(std::string_view key) {
  if (!map()) data = FactMap{};
  if (FactValue* v = find(key)) return *v;
  return map()->emplace_back(std::string(key), FactValue{}).second;
}

void Facts::set(std::string_view dotted, FactValue value) {
  if (value.is_null()) return;
  FactValue* at = &root_;
  for (;;) {
    const size_t dot = dotted.find('.');
    at = &at->member(dotted.substr(0, dot));
    if (dot == std::string_view::npos) break;
    dotted.remove_prefix(dot + 1);
  }
  *at = std::move(value);
}

void Facts::set_given(std::string_view name, FactValue value) {
  set_top(name, std::move(value));
  given_.emplace(name);
}

void Facts::set_legacy(std::string name, FactValue value) {
  if (!value.is_null()) legacy_.emplace_back(std::move(name), std::move(value));
}

const FactValue* Facts::find(std::string_view dotted) const {
  if (const FactValue* v = root_.find(dotted)) return v;
  for (const auto& [name, value] : legacy_)
    if (name == dotted) return &value;
  const FactValue* at = &root_;
  for (;;) {
    const size_t dot = dotted.find('.');
    const std::string_view part = dotted.substr(0, dot);
    if (const FactList* list = at->list()) {
      size_t index = 0;
      auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (error != std::errc{} || end != part.data() + part.size() || index >= list->size()) return nullptr;
      at = &(*list)[index];
    } else {
      at = at->find(part);
    }
    if (!at || dot == std::string_view::npos) return at;
    dotted.remove_prefix(dot + 1);
  }
}

std::optional<std::string> Facts::text(std::string_view dotted) const {
  const FactValue* v = find(dotted);
  if (!v || !v->text()) return std::nullopt;
  return *v->text();
}

Value fact_to_value(const FactValue& fact, Arena& arena, bool sorted) {
  struct Visitor {
    Arena& arena;
    bool sorted;
    Value operator()(std::monostate) const { return Value::undef(); }
    Value operator()(bool v) const { return Value::boolean(v); }
    Value operator()(int64_t v) const { return Value::integer(v); }
    Value operator()(double v) const { return Value::floating(v); }
    Value operator()(const std::string& v) const { return Value::string(arena.copy(v)); }
    Value operator()(const FactList& v) const {
      ListBuilder b(arena, v.size());
      for (const FactValue& e : v) b.add(fact_to_value(e, arena, false)); // as in Puppet, maps in lists stay unsorted
      return b.finish();
    }
    Value operator()(const FactMap& v) const {
      std::vector<const std::pair<std::string, FactValue>*> order;
      for (const auto& e : v) order.push_back(&e);
      if (sorted) std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
      HashBuilder b(arena, v.size());
      for (const auto* e : order) b.set(arena.copy(e->first), fact_to_value(e->second, arena, sorted));
      return b.finish();
    }
  };
  return std::visit(Visitor{arena, sorted}, fact.data);
}

FactValue fact_from_value(const Value& value) {
  switch (value.kind) {
  case Kind::Bool: return value.b;
  case Kind::Int: return value.i;
  case Kind::Float: return value.d;
  case Kind::String: return value.str();
  case Kind::List: {
    FactList list;
    for (const Value& v : value.items()) list.push_back(fact_from_value(v));
    return list;
  }
  case Kind::Hash: {
    FactMap map;
    for (const HashEntry& e : value.hash->entries()) {
      const FactValue key = fact_from_value(e.key);
      std::string name = key.text()                                  ? *key.text()
                         : std::holds_alternative<int64_t>(key.data) ? std::to_string(std::get<int64_t>(key.data))
                                                                     : "";
      map.emplace_back(std::move(name), fact_from_value(e.value));
    }
    return map;
  }
  default: return {};
  }
}

Value Facts::to_value(Arena& arena, bool with_legacy, Order order) const {
  std::vector<const std::pair<std::string, FactValue>*> all;
  for (const auto& fact : *root_.map()) all.push_back(&fact);
  if (with_legacy)
    for (const auto& fact : legacy_)
      if (root_.find(fact.first) == nullptr) all.push_back(&fact);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  HashBuilder out(arena, all.size());
  for (const auto* fact : all)
    out.set(arena.copy(fact->first), fact_to_value(fact->second, arena, order == Order::Sorted || !given_.contains(fact->first)));
  return out.finish();
}

} // namespace pupc::runtime
