#pragma once
// Numbers by hashes: the part that quick tables share. A table keeps its things in a list, in the order of their adding, and asks here for
// the place of one in that list.
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pupc::catalog {

class IndexTable {
public:
  static constexpr uint32_t none = UINT32_MAX;

  /// Makes room for so many.
  void reserve(size_t room) {
    size_t places = 16;
    while (places < 2 * room) places *= 2;
    hashes_.reserve(room);
    if (places > places_.size()) place_all(places);
  }
  /// The number with this hash for which `same(number)` is true, or `none`.
  template <class Same> uint32_t find(uint64_t hash, Same same) const {
    if (places_.empty()) return none;
    for (size_t i = hash;; ++i) {
      const uint32_t place = places_[i & (places_.size() - 1)];
      if (place == 0 || (hashes_[place - 1] == static_cast<uint32_t>(hash) && same(place - 1))) return place - 1;
    }
  }
  /// Adds the next number: the first is 0.
  void add(uint64_t hash) {
    hashes_.push_back(static_cast<uint32_t>(hash));
    if (2 * hashes_.size() > places_.size())
      place_all(places_.empty() ? 16 : 2 * places_.size());
    else
      put(static_cast<uint32_t>(hashes_.size()));
  }
  size_t size() const { return hashes_.size(); }

private:
  void put(uint32_t place) {
    size_t i = hashes_[place - 1];
    while (places_[i & (places_.size() - 1)] != 0) ++i;
    places_[i & (places_.size() - 1)] = place;
  }
  void place_all(size_t places) {
    places_.assign(places, 0);
    for (uint32_t place = 1; place <= hashes_.size(); ++place) put(place);
  }

  std::vector<uint32_t> hashes_; // by numbers
  std::vector<uint32_t> places_; // a table with open addressing: one more than a number; 0: free
};

} // namespace pupc::catalog
