#include "catalog/base/symbol.h"

#include "catalog/base/arena.h"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace pupc {
namespace {

constexpr uint32_t segment_bits = 12;
constexpr uint32_t segment_size = 1u << segment_bits;

// Names are read without a lock: segments never move, and an id is handed out only after its slot was written.
class Table {
public:
  Table() {
    ids_.reserve(4096);
    add("");
#define PUPC_SYMBOL(ident, text) add(text);
#include "catalog/base/symbols.def"
#undef PUPC_SYMBOL
  }

  uint32_t intern(std::string_view name) {
    {
      std::shared_lock lock(mutex_);
      auto it = ids_.find(name);
      if (it != ids_.end()) return it->second;
    }
    std::unique_lock lock(mutex_);
    auto it = ids_.find(name);
    if (it != ids_.end()) return it->second;
    return add(name);
  }

  uint32_t find(std::string_view name) {
    std::shared_lock lock(mutex_);
    auto it = ids_.find(name);
    return it == ids_.end() ? 0 : it->second;
  }

  std::string_view name(uint32_t id) const {
    return segments_[id >> segment_bits].load(std::memory_order_acquire)[id & (segment_size - 1)];
  }

private:
  uint32_t add(std::string_view name) {
    uint32_t id = next_++;
    auto& slot = segments_.at(id >> segment_bits);
    std::string_view* segment = slot.load(std::memory_order_relaxed);
    if (segment == nullptr) {
      segment = storage_.make_array<std::string_view>(segment_size);
      slot.store(segment, std::memory_order_release);
    }
    std::string_view stored = storage_.copy(name);
    new (&segment[id & (segment_size - 1)]) std::string_view(stored);
    ids_.emplace(stored, id);
    return id;
  }

  std::shared_mutex mutex_;
  Arena storage_;
  std::unordered_map<std::string_view, uint32_t> ids_;
  std::array<std::atomic<std::string_view*>, 4096> segments_{};
  uint32_t next_ = 0;
};

Table& table() {
  static Table* t = new Table; // never destroyed: symbols are valid until the process ends
  return *t;
}

} // namespace

std::string_view Symbol::str() const { return table().name(id); }
Symbol intern(std::string_view name) { return Symbol{table().intern(name)}; }
Symbol find_symbol(std::string_view name) { return Symbol{table().find(name)}; }

} // namespace pupc
