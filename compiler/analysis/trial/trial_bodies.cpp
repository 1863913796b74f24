// Bodies that are run many times: each once with the same values, and in all not longer than it may be worth.
#include "compiler/analysis/trial/trial.h"

namespace pupc::compiler {
namespace {

constexpr uint32_t most_steps_of_body = 3'000; // with all values together
constexpr uint64_t mixer = 0x9E3779B97F4A7C15ull;

} // namespace

uint64_t Trial::hash_of_guess(uint64_t before, Symbol name, const Guess& g) {
  uint64_t result = (before ^ hash_of(g.value) ^ name.id) * mixer;
  result ^= result >> 32;
  if (g.choices == nullptr) return result;
  for (const Value& v : g.choices->items()) result = (result ^ hash_of(v) ^ (g.of_data ? 1u : 2u)) * mixer;
  return result;
}

/// Whether it is the same with the present file of data: the file has nothing that the body looks up.
bool Trial::as_before(const Ran& ran) const {
  const void* const file = pinned_ != nullptr ? pinned_->file : nullptr;
  if (file == ran.file) return true;
  return std::ranges::none_of(ran.asked, [&](const auto* sources) {
    return std::ranges::any_of(*sources, [&](const DataFiles::Source& s) { return s.file == file || s.file == ran.file; });
  });
}

/// Whether a body has been run with so many values that further ones are not worth the time.
bool Trial::is_spent(const Definition& d) const {
  if (!only_failures_) return false;
  const auto spent = spent_.find(d.name);
  return spent != spent_.end() && spent->second > most_steps_of_body;
}

/// Runs a body, or tells what failed when it was run with these values.
void Trial::run_once(const Definition& d, uint64_t values, const std::function<void()>& body) {
  if (is_spent(d)) return;
  if (only_failures_)
    if (const auto ran = ran_.find(values); ran != ran_.end() && as_before(ran->second)) {
      unit_->failures.insert(unit_->failures.end(), ran->second.failures.begin(), ran->second.failures.end());
      asked_.insert(asked_.end(), ran->second.asked.begin(), ran->second.asked.end());
      return;
    }
  const size_t failures = unit_->failures.size(), asked = asked_.size();
  const uint64_t before = all_steps_ + steps_;
  body();
  if (only_failures_) spent_[d.name] += static_cast<uint32_t>(all_steps_ + steps_ - before);
  Ran& ran = ran_[values];
  ran.file = pinned_ != nullptr ? pinned_->file : nullptr;
  ran.asked.assign(asked_.begin() + static_cast<ptrdiff_t>(asked), asked_.end());
  ran.failures.assign(unit_->failures.begin() + static_cast<ptrdiff_t>(failures), unit_->failures.end());
}

} // namespace pupc::compiler
