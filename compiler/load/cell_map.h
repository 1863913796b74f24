#pragma once
// The environment's caches: a map from text to cells. A cell is made once; it never moves and never goes away. The map holds the lock of a
// shard only while it finds a cell or makes an empty one. The cell's own Once guards filling it (reading, parsing), so a slow
// file never stops threads that want another one.
// Filling a cell may end with an exception (a limit of the work is reached); then the next caller fills it. So filling begins with
// emptying the cell: what the first attempt has left behind must not count twice.
#include "catalog/base/text_hash.h"

#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

template <class Cell> class CellMap {
public:
  /// The cell of a key; default-constructed when it is new.
  Cell& at(std::string_view key) {
    const uint64_t hash = hash_of_text(key);
    Shard& shard = shards_[(hash >> 40) % shards_.size()]; // other bits than those that the shard's own table uses
    {
      std::shared_lock lock(shard.mutex);
      if (Entry* entry = shard.find(hash, key)) return entry->cell;
    }
    std::unique_lock lock(shard.mutex);
    if (Entry* entry = shard.find(hash, key)) return entry->cell;
    return shard.add(std::make_unique<Entry>(hash, key))->cell;
  }

private:
  struct Entry {
    Entry(uint64_t h, std::string_view k) : hash(h), key(k) {}
    uint64_t hash;
    std::string key;
    Cell cell;
  };
  /// A hash table with open addressing: keys are paths, so a text is hashed and copied once only.
  struct Shard {
    std::shared_mutex mutex;
    std::vector<std::unique_ptr<Entry>> entries;
    std::vector<Entry*> places; // null: free

    Entry* find(uint64_t hash, std::string_view key) const {
      if (places.empty()) return nullptr;
      for (size_t i = hash;; ++i) {
        Entry* entry = places[i & (places.size() - 1)];
        if (entry == nullptr || (entry->hash == hash && entry->key == key)) return entry;
      }
    }
    void put(Entry* entry) {
      size_t i = entry->hash;
      while (places[i & (places.size() - 1)] != nullptr) ++i;
      places[i & (places.size() - 1)] = entry;
    }
    Entry* add(std::unique_ptr<Entry> entry) {
      entries.push_back(std::move(entry));
      if (entries.size() * 2 > places.size()) {
        places.assign(places.empty() ? 16 : places.size() * 2, nullptr);
        for (const auto& known : entries) put(known.get());
      } else {
        put(entries.back().get());
      }
      return entries.back().get();
    }
  };
  std::array<Shard, 16> shards_;
};

} // namespace pupc::compiler
