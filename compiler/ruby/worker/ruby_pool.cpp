#include "compiler/ruby/worker/ruby_pool.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace pupc::compiler {

std::unique_ptr<RubyWorker> RubyPool::take(const std::string& key) {
  for (;;) {
    std::unique_ptr<RubyWorker> worker;
    {
      std::lock_guard lock(mutex_);
      auto found = std::find_if(idle_.begin(), idle_.end(), [&](const auto& one) { return one->key() == key; });
      if (found == idle_.end()) {
        ++starts_;
        break;
      }
      worker = std::move(*found);
      idle_.erase(found);
    }
    // One that waits sends nothing: it has ended meanwhile (the kernel was short of memory, say), which must not cost this compile.
    if (!worker->wait_readable(std::chrono::milliseconds(0))) return worker;
  }
  return std::make_unique<RubyWorker>(options_.program, key, ruby_worker_source(), options_.memory);
}

void RubyPool::give_back(std::unique_ptr<RubyWorker> worker) {
  if (worker == nullptr || !worker->alive()) return;
  std::lock_guard lock(mutex_);
  constexpr size_t most_idle = 16;
  if (idle_.size() >= most_idle) idle_.erase(idle_.begin());
  idle_.push_back(std::move(worker));
}

RubyUse& RubyPool::use_of(std::string_view kind, std::string_view name, std::string_view file) {
  auto use = std::find_if(uses_.begin(), uses_.end(),
                          [&](const RubyUse& known) { return known.kind == kind && known.name == name && known.file == file; });
  if (use == uses_.end()) use = uses_.insert(use, RubyUse{std::string(kind), std::string(name), std::string(file), 0, {}, {}, {}});
  return *use;
}

static void add_reason(RubyUse& use, std::string_view reason) {
  if (!reason.empty() && std::find(use.reasons.begin(), use.reasons.end(), reason) == use.reasons.end()) use.reasons.emplace_back(reason);
}

void RubyPool::add_use(std::string_view kind, std::string_view name, std::string_view file, std::chrono::nanoseconds time,
                       std::string_view note, std::string_view reason) {
  std::lock_guard lock(mutex_);
  RubyUse& use = use_of(kind, name, file);
  ++use.calls;
  use.time += time;
  if (!note.empty()) use.note = note;
  add_reason(use, reason);
}

void RubyPool::add_refusal(std::string_view kind, std::string_view name, std::string_view file, std::string_view reason) {
  std::lock_guard lock(mutex_);
  add_reason(use_of(kind, name, file), reason);
}

std::vector<RubyUse> RubyPool::uses() const {
  std::lock_guard lock(mutex_);
  return uses_;
}

unsigned RubyPool::starts() const {
  std::lock_guard lock(mutex_);
  return starts_;
}

std::chrono::nanoseconds RubyPool::start_time() const {
  std::lock_guard lock(mutex_);
  return start_time_;
}

void RubyPool::add_start_time(std::chrono::nanoseconds time) {
  std::lock_guard lock(mutex_);
  start_time_ += time;
}

std::string explain_ruby(const RubyPool& pool) {
  auto milliseconds = [](std::chrono::nanoseconds t) { return std::chrono::duration<double, std::milli>(t).count(); };
  std::string out;
  std::map<std::string, std::set<std::string>> users; // of each construct that pupc does not know
  std::chrono::nanoseconds sum{};
  for (const RubyUse& use : pool.uses()) {
    out += use.kind;
    if (!use.name.empty()) out += fmt::format(" {}", use.name);
    if (!use.file.empty()) out += fmt::format(" ({})", use.file);
    out += use.calls == 0 ? ": not allowed\n"
                          : fmt::format(": {} {}, {:.2f} ms\n", use.calls, use.calls == 1 ? "call" : "calls", milliseconds(use.time));
    if (!use.note.empty()) out += fmt::format("  {}\n", use.note);
    for (const std::string& reason : use.reasons) {
      out += fmt::format("  needs Ruby: {}\n", reason);
      std::string_view construct = reason;
      if (const size_t colon = construct.find(": "); construct.starts_with("line ") && colon != std::string_view::npos)
        construct.remove_prefix(colon + 2);
      const std::string_view user = use.name.empty() ? std::string_view(use.file) : std::string_view(use.name);
      users[std::string(construct)].insert(user.empty() ? use.kind : fmt::format("{} {}", use.kind, user));
    }
    sum += use.time;
  }
  if (out.empty() && pool.starts() == 0) return "Ruby was not needed.\n";
  if (pool.starts() != 0)
    out += fmt::format("Ruby processes: {}, started in {:.1f} ms; all calls {:.2f} ms\n", pool.starts(), milliseconds(pool.start_time()),
                       milliseconds(sum));
  if (!users.empty()) out += "To need no Ruby, pupc would have to know:\n";
  for (const auto& [construct, by] : users) {
    out += fmt::format("  {} (", construct);
    for (const std::string& user : by) out += fmt::format("{}{}", out.ends_with('(') ? "" : ", ", user);
    out += ")\n";
  }
  return out;
}

} // namespace pupc::compiler
