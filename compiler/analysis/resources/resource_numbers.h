#pragma once
// Numbers for resources: a pair of a type and a title is looked up once, where it stands in the code, and only its number is compared
// later.
#include "catalog/base/index_table.h"
#include "catalog/base/symbol.h"
#include "catalog/base/text_hash.h"

#include <string_view>
#include <vector>

namespace pupc::compiler {

class ResourceNumbers {
public:
  /// Makes room for so many resources.
  explicit ResourceNumbers(size_t room) {
    resources_.reserve(room);
    numbers_.reserve(room);
  }
  /// The number of the resource: the first that is asked for has 0. The text of the title must live as long as this object.
  uint32_t of(Symbol type, std::string_view title) {
    const uint64_t hash = (hash_of_text(title) ^ type.id) * 0x9E3779B97F4A7C15ull >> 32;
    const uint32_t known = numbers_.find(
        hash, [&](uint32_t number) { return resources_[number].type == type && resources_[number].title == title; });
    if (known != IndexTable::none) return known;
    numbers_.add(hash);
    resources_.push_back({type, title});
    return static_cast<uint32_t>(resources_.size() - 1);
  }
  Symbol type(uint32_t number) const { return resources_[number].type; }
  std::string_view title(uint32_t number) const { return resources_[number].title; }
  /// How many numbers there are.
  size_t size() const { return resources_.size(); }

private:
  struct Resource {
    Symbol type;
    std::string_view title;
  };
  IndexTable numbers_;
  std::vector<Resource> resources_;
};

} // namespace pupc::compiler
