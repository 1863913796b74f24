#include "catalog/base/symbol.h"

#include "catalog/base/arena.h"
#include "catalog/base/text_hash.h"

#include <array>
#include <atomic>
#include <mutex>

namespace pupc::catalog {

namespace symbol_detail {
constinit std::array<std::atomic<std::string_view*>, 4096> segments{};
} // namespace symbol_detail

namespace {

using symbol_detail::segment_bits, symbol_detail::segment_size, symbol_detail::segments;

uint32_t hash_of(std::string_view name) { return static_cast<uint32_t>(hash_of_text(name)); }

// Readers need no lock, because nothing that they read moves. Segments of names stay in place. An id becomes visible only after its
// name is written. When the index is too small, a new one replaces it, but the old one is kept for threads that still read it.
// Only adding a name takes a lock.
class Table {
public:
  Table() {
    index_.store(new_index(8192), std::memory_order_release);
    add("", hash_of(""));
#define PUPC_SYMBOL(ident, text) add(text, hash_of(text));
#include "catalog/base/symbols.def"
#undef PUPC_SYMBOL
  }

  uint32_t intern(std::string_view name) {
    const uint32_t hash = hash_of(name);
    if (uint32_t id = 0; look_up(name, hash, id)) return id;
    std::lock_guard lock(mutex_);
    if (uint32_t id = 0; look_up(name, hash, id)) return id;
    return add(name, hash);
  }

  uint32_t find(std::string_view name) const {
    uint32_t id = 0;
    return look_up(name, hash_of(name), id) ? id : 0;
  }

  std::string_view name(uint32_t id) const { return segments[id >> segment_bits].load(std::memory_order_acquire)[id & (segment_size - 1)]; }

private:
  /// A hash table with open addressing: each place holds a name's hash and its id + 1, or 0 if it is free.
  struct Index {
    uint64_t mask;
    std::atomic<uint64_t>* places;
  };

  Index* new_index(size_t size) {
    auto* index = storage_.make<Index>();
    index->mask = size - 1;
    index->places = storage_.make_array<std::atomic<uint64_t>>(size);
    for (size_t i = 0; i < size; ++i) new (&index->places[i]) std::atomic<uint64_t>(0);
    return index;
  }

  bool look_up(std::string_view name, uint32_t hash, uint32_t& id) const {
    const Index& index = *index_.load(std::memory_order_acquire);
    for (uint64_t i = hash & index.mask;; i = (i + 1) & index.mask) {
      const uint64_t place = index.places[i].load(std::memory_order_acquire);
      if (place == 0) return false;
      if (place >> 32 != hash) continue;
      id = static_cast<uint32_t>(place) - 1;
      if (this->name(id) == name) return true;
    }
  }

  static void put(Index& index, uint32_t hash, uint32_t id) {
    uint64_t i = hash & index.mask;
    while (index.places[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & index.mask;
    index.places[i].store(uint64_t(hash) << 32 | (id + 1), std::memory_order_release);
  }

  uint32_t add(std::string_view name, uint32_t hash) {
    uint32_t id = next_++;
    auto& slot = segments.at(id >> segment_bits);
    std::string_view* segment = slot.load(std::memory_order_relaxed);
    if (segment == nullptr) {
      segment = storage_.make_array<std::string_view>(segment_size);
      slot.store(segment, std::memory_order_release);
    }
    std::string_view stored = storage_.copy(name);
    new (&segment[id & (segment_size - 1)]) std::string_view(stored);
    Index* index = index_.load(std::memory_order_relaxed);
    if (uint64_t(next_) * 2 > index->mask) {
      Index* larger = new_index((index->mask + 1) * 4);
      for (uint64_t i = 0; i <= index->mask; ++i)
        if (const uint64_t place = index->places[i].load(std::memory_order_relaxed); place != 0)
          put(*larger, static_cast<uint32_t>(place >> 32), static_cast<uint32_t>(place) - 1);
      index = larger;
    }
    put(*index, hash, id);
    index_.store(index, std::memory_order_release);
    return id;
  }

  std::mutex mutex_;
  Arena storage_;
  std::atomic<Index*> index_{nullptr};
  uint32_t next_ = 0;
};

constinit std::atomic<Table*> the_table{nullptr};

[[gnu::noinline]] Table& make_table() {
  static Table* made = new Table; // never destroyed: symbols are valid until the process ends
  the_table.store(made, std::memory_order_release);
  return *made;
}

/// Short enough to be inlined: the checks of a repository ask half a million times.
Table& table() {
  Table* t = the_table.load(std::memory_order_acquire);
  return t != nullptr ? *t : make_table();
}

} // namespace

std::string_view symbol_detail::first_name(uint32_t id) { return table().name(id); }
Symbol intern(std::string_view name) { return Symbol{table().intern(name)}; }
Symbol find_symbol(std::string_view name) { return Symbol{table().find(name)}; }

} // namespace pupc::catalog
