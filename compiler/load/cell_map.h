#pragma once
// The environment's caches: a map from text to cells. A cell is made once; it never moves and never goes away. The map holds the lock of a
// shard only while it finds a cell or makes an empty one. The cell's own Once guards filling it (reading, parsing), so a slow
// file never stops threads that want another one.
// Filling a cell may end with an exception (a limit of the work is reached); then the next caller fills it. So filling begins with
// emptying the cell: what the first attempt has left behind must not count twice.
#include "catalog/base/text_hash.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pupc {

template <class Cell> class CellMap {
public:
  /// The cell of a key; default-constructed when it is new.
  Cell& at(std::string_view key) {
    Shard& shard = shards_[(hash_of_text(key) >> 40) % shards_.size()]; // other bits than those that the shard's own table uses
    {
      std::shared_lock lock(shard.mutex);
      if (auto it = shard.cells.find(key); it != shard.cells.end()) return *it->second;
    }
    std::unique_lock lock(shard.mutex);
    auto& slot = shard.cells[std::string(key)];
    if (!slot) slot = std::make_unique<Cell>();
    return *slot;
  }

private:
  struct Shard {
    std::shared_mutex mutex;
    std::unordered_map<std::string, std::unique_ptr<Cell>, TransparentHash, std::equal_to<>> cells;
  };
  std::array<Shard, 16> shards_;
};

} // namespace pupc
