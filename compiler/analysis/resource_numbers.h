#pragma once
// Numbers for resources: a pair of a type and a title is looked up once, where it stands in the code, and only its number is compared
// later.
#include "catalog/base/symbol.h"
#include "catalog/base/text_hash.h"

#include <string_view>
#include <vector>

namespace pupc {

class ResourceNumbers {
public:
  /// Makes room for so many resources.
  explicit ResourceNumbers(size_t room) {
    size_t places = 64;
    while (places < 2 * room) places *= 2;
    places_.assign(places, 0);
    resources_.reserve(room);
  }
  /// The number of the resource: the first that is asked for has 0. The text of the title must live as long as this object.
  uint32_t of(Symbol type, std::string_view title) {
    if (2 * (resources_.size() + 1) > places_.size()) grow();
    const uint32_t hash = static_cast<uint32_t>((hash_of_text(title) ^ type.id) * 0x9E3779B97F4A7C15ull >> 32);
    for (size_t i = hash;; ++i) {
      uint32_t& place = places_[i & (places_.size() - 1)];
      if (place == 0) {
        resources_.push_back({hash, type, title});
        place = static_cast<uint32_t>(resources_.size());
        return place - 1;
      }
      const Resource& r = resources_[place - 1];
      if (r.hash == hash && r.type == type && r.title == title) return place - 1;
    }
  }
  Symbol type(uint32_t number) const { return resources_[number].type; }
  std::string_view title(uint32_t number) const { return resources_[number].title; }
  /// How many numbers there are.
  size_t size() const { return resources_.size(); }

private:
  struct Resource {
    uint32_t hash;
    Symbol type;
    std::string_view title;
  };
  void grow() {
    places_.assign(2 * places_.size(), 0);
    for (uint32_t number = 0; number < resources_.size(); ++number) {
      size_t i = resources_[number].hash;
      while (places_[i & (places_.size() - 1)] != 0) ++i;
      places_[i & (places_.size() - 1)] = number + 1;
    }
  }
  std::vector<Resource> resources_;
  std::vector<uint32_t> places_; // a table with open addressing: one more than a number; 0: free
};

} // namespace pupc
