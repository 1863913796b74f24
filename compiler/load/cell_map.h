#pragma once
// Map from text to cells that are made once and never move or go away: the environment's caches. The lock of a shard is held
// only while a cell is found or made empty; what fills a cell (reading, parsing) is up to the cell's own std::once_flag, so
// a slow file never stops threads that want another one.
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pupc {

struct TransparentHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
};

template <class Cell> class CellMap {
public:
  /// The cell of a key, default-constructed when new.
  Cell& at(std::string_view key) {
    Shard& shard = shards_[std::hash<std::string_view>{}(key) % shards_.size()];
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
