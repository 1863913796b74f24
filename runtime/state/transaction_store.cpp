#include "runtime/state/transaction_store.h"

#include "catalog/value/number_format.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

std::string text_of(const Value& v) {
  switch (v.kind) {
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return std::to_string(v.i);
  case Kind::Float: return format_float(v.d);
  case Kind::String: return std::string(v.str());
  case Kind::Undef: return "absent";
  case Kind::Hash: { // named settings (locales of a package, options of an unknown type)
    std::string out;
    for (const HashEntry& e : v.hash->entries()) out += fmt::format("{}={},", text_of(e.key), text_of(e.value));
    return out;
  }
  default: return "";
  }
}

std::vector<std::string> texts_of(const Value& v) {
  std::vector<std::string> out;
  if (v.is_list())
    for (const Value& item : v.items()) out.push_back(text_of(item));
  else
    out.push_back(text_of(v));
  return out;
}

/// Drops leading zeros ("0644" -> "644"): Puppet stores modes in this form.
std::string short_mode(std::string_view mode) {
  while (mode.size() > 1 && mode.front() == '0') mode.remove_prefix(1);
  return std::string(mode);
}

} // namespace

void TransactionStore::load(System& system, const std::string& path, const StateForm& form) {
  const Value root = read_state_map(system, path, "Transaction store file", form, arena_);
  const Value* resources = root.is_hash() ? root.hash->find("resources") : nullptr;
  if (resources == nullptr || !resources->is_hash()) return;
  for (const HashEntry& e : resources->hash->entries()) {
    if (!e.key.is_string() || !e.value.is_hash()) continue;
    const Value* parameters = e.value.hash->find("parameters");
    if (parameters == nullptr || !parameters->is_hash()) continue;
    Values& values = old_[std::string(e.key.str())];
    for (const HashEntry& p : parameters->hash->entries()) {
      const Value* value = p.value.is_hash() ? p.value.hash->find("system_value") : nullptr;
      if (p.key.is_string() && value != nullptr) values.emplace_back(p.key.str(), *value);
    }
  }
}

void TransactionStore::save(System& system, const std::string& path, const StateForm& form) const {
  Arena arena;
  HashBuilder resources(arena, new_.size());
  for (const auto& [reference, values] : new_) {
    HashBuilder parameters(arena);
    for (const auto& [property, value] : values) {
      HashBuilder parameter(arena);
      parameter.set("system_value", value);
      parameters.set(std::string_view(property), parameter.finish());
    }
    HashBuilder resource(arena);
    resource.set("parameters", parameters.finish());
    resources.set(std::string_view(reference), resource.finish());
  }
  HashBuilder root(arena);
  root.set("resources", resources.finish());
  system.write_file(path, form.write(root.finish()), 0640, std::nullopt, std::nullopt, false);
}

const Value* TransactionStore::old_value(const std::string& reference, std::string_view property) const {
  auto it = old_.find(reference);
  if (it == old_.end()) return nullptr;
  for (const auto& [name, value] : it->second)
    if (name == property) return value.is_undef() ? nullptr : &value;
  return nullptr;
}

void TransactionStore::set(const std::string& reference, std::string_view property, const Value& value) {
  auto [at, fresh] = index_.try_emplace(reference, new_.size());
  if (fresh) new_.emplace_back(reference, Values{});
  Value kept = state_property(arena_, property, value);
  if (property == "mode" && kept.is_string()) kept = Value::string(arena_.copy(short_mode(kept.str())));
  if (!kept.is_list() && !kept.is_undef()) {
    ListBuilder one(arena_);
    one.add(kept);
    kept = one.finish();
  }
  Values& values = new_[at->second].second;
  auto old = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == property; });
  if (old != values.end())
    old->second = kept;
  else
    values.emplace_back(property, kept);
}

void TransactionStore::copy_skipped(const std::string& reference) {
  auto it = old_.find(reference);
  if (it == old_.end() || !index_.try_emplace(reference, new_.size()).second) return;
  new_.emplace_back(reference, it->second);
}

bool TransactionStore::still_there(std::string_view type, std::string_view property, const Value& old, const Value& is) {
  std::vector<std::string> before = texts_of(old), now = texts_of(is);
  if (property == "mode")
    for (std::vector<std::string>* side : {&before, &now})
      for (std::string& mode : *side) mode = short_mode(mode);
  if (property == "ensure" && before.size() == 1 && now.size() == 1) {
    const bool there = now[0] != "absent" && now[0] != "purged";
    // `present` matches every state in which the resource exists, `absent` also matches "purged".
    if (before[0] == "present" || before[0] == "installed") return there;
    if (before[0] == "absent") return !there;
    if (type == "file" && before[0] == "file") return now[0] == "file" || now[0] == "present";
  }
  if (now.size() == 1 && std::find(before.begin(), before.end(), now[0]) != before.end() && type != "exec")
    return true; // one of several allowed values
  std::sort(before.begin(), before.end());
  std::sort(now.begin(), now.end());
  return before == now;
}

} // namespace pupc::runtime
