#include "runtime/state/run_state.h"

#include "catalog/value/symbol_text.h"

namespace pupc::runtime {
namespace {

constexpr int64_t time_to_live = int64_t{32} * 24 * 3600 * 1'000'000'000;

} // namespace

const Value* RunState::Entry::find(std::string_view property) const {
  for (const auto& [name, value] : audited)
    if (name == property) return &value;
  return nullptr;
}

RunState::Entry& RunState::of(const std::string& reference) {
  auto [at, fresh] = index_.try_emplace(reference, entries_.size());
  if (fresh) entries_.emplace_back(reference, Entry{});
  return entries_[at->second].second;
}

const RunState::Entry* RunState::find(const std::string& reference) const {
  auto it = index_.find(reference);
  return it == index_.end() ? nullptr : &entries_[it->second].second;
}

void RunState::audit(Entry& entry, std::string_view property, const Value& value) {
  const Value kept = state_property(arena_, property, value);
  for (auto& [name, old] : entry.audited)
    if (name == property) {
      old = kept;
      return;
    }
  entry.audited.emplace_back(property, kept);
}

void RunState::load(System& system, const std::string& path, const StateForm& form) {
  const Value root = read_state_map(system, path, "Checksumfile", form, arena_);
  if (!root.is_hash()) return;
  for (const HashEntry& e : root.hash->entries()) {
    if (!e.key.is_string() || !e.value.is_hash()) continue;
    Entry& entry = of(std::string(e.key.str()));
    for (const HashEntry& member : e.value.hash->entries()) {
      if (!member.key.is_string()) continue;
      const int64_t time = member.value.is_string() && !is_symbol(member.value) ? read_state_time(member.value.str()) : 0;
      if (member.key.str() == "checked")
        entry.checked = time;
      else if (member.key.str() == "synced")
        entry.synced = time;
      else
        entry.audited.emplace_back(member.key.str(), time != 0 ? Value::timestamp(time) : member.value);
    }
  }
}

void RunState::save(System& system, const std::string& path, const StateForm& form) const {
  Arena arena;
  const int64_t oldest = system.now() - time_to_live;
  HashBuilder root(arena, entries_.size());
  for (const auto& [reference, entry] : entries_) {
    if (entry.checked == 0 && entry.synced == 0 && entry.audited.empty()) continue; // an empty entry
    if (entry.checked != 0 && entry.checked < oldest) continue;
    HashBuilder members(arena);
    if (entry.checked != 0) members.set(symbol_text("checked"), Value::timestamp(entry.checked));
    for (const auto& [property, value] : entry.audited) members.set(symbol_text(property), value);
    if (entry.synced != 0) members.set(symbol_text("synced"), Value::timestamp(entry.synced));
    root.set(std::string_view(reference), members.finish());
  }
  system.write_file(path, form.write(root.finish()), 0640, std::nullopt, std::nullopt, false);
}

} // namespace pupc::runtime
