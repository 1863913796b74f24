#include "tools/server/kept_answers.h"

#include <utility>

namespace pupc::server {
namespace {

// Of one environment. Once a second all files are looked at, whatever the kernel tells.
constexpr size_t most_kept_bytes = 16 << 20, most_watched_files = 20000;
constexpr size_t longest_kept_key = 4096;

} // namespace

http::Response KeptAnswers::answer(const std::shared_ptr<const Environment>& environment, const std::string& key, const Make& make) {
  if (key.size() > longest_kept_key) return make(nullptr);
  const std::string& name = environment->options().name;
  const std::shared_ptr<FileWatch> watch = watch_of(environment);
  if (const auto kept = find(name, watch.get(), key)) {
    http::Response out;
    out.headers = kept->headers;
    out.body = kept->body;
    return out;
  }
  if (watch->size() > most_watched_files) return make(nullptr);
  http::Response out = make(watch.get());
  if (out.status == 200 && watch->told_by_kernel() && watch->size() <= most_watched_files)
    keep(name, watch.get(), std::make_shared<const Kept>(Kept{key, out.headers, out.body}));
  return out;
}

/// The watch of the environment's answers; when something has changed, a new one without answers.
std::shared_ptr<FileWatch> KeptAnswers::watch_of(const std::shared_ptr<const Environment>& environment) {
  const std::string& name = environment->options().name;
  std::shared_ptr<FileWatch> watch;
  {
    std::lock_guard lock(mutex_);
    if (const auto slot = slots_.find(name); slot != slots_.end() && slot->second.of.lock() == environment) watch = slot->second.watch;
  }
  if (watch != nullptr && watch->unchanged()) return watch; // may look at many files, so without the lock
  auto fresh = std::make_shared<FileWatch>(true);
  Slot old; // ends without the lock
  std::lock_guard lock(mutex_);
  Slot& slot = slots_[name];
  if (slot.watch != watch && slot.of.lock() == environment) return slot.watch; // somebody else was first
  old = std::exchange(slot, Slot{environment, fresh, {}, 0});
  std::erase_if(slots_, [](const auto& s) { return s.second.of.expired(); });
  return fresh;
}

std::shared_ptr<const KeptAnswers::Kept> KeptAnswers::find(const std::string& environment, const FileWatch* watch, const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto slot = slots_.find(environment);
  if (slot == slots_.end() || slot->second.watch.get() != watch) return nullptr;
  for (const auto& kept : slot->second.answers)
    if (kept->key == key) return kept;
  return nullptr;
}

void KeptAnswers::keep(const std::string& environment, const FileWatch* watch, std::shared_ptr<const Kept> kept) {
  std::lock_guard lock(mutex_);
  const auto found = slots_.find(environment);
  if (found == slots_.end() || found->second.watch.get() != watch) return; // changed meanwhile
  Slot& slot = found->second;
  const auto size = [](const Kept& one) { return one.key.size() + one.body.size() + sizeof(Kept); };
  slot.bytes += size(*kept);
  slot.answers.push_front(std::move(kept));
  while (slot.bytes > most_kept_bytes) {
    slot.bytes -= size(*slot.answers.back());
    slot.answers.pop_back();
  }
}

} // namespace pupc::server
