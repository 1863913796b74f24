#pragma once
// The known name that a wrong one probably stands for. similar_names(), for several of them, is in diagnostic.h.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// "Did you mean 'x'?" with the nearest name; empty when none is near.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& known);

/// False when the lengths and letters of the names tell that none stands for the other: saves to ask whether a name may be suggested.
bool may_be_similar(std::string_view wanted, std::string_view name);

/// Names among which many wrong ones are looked for: what each search needs of them is made once. They must outlive this.
class KnownNames {
public:
  void add(std::string_view name);

private:
  friend std::string did_you_mean(std::string_view wanted, std::initializer_list<const KnownNames*> known);
  struct Entry {
    std::string_view name;
    uint64_t letters;
  };
  std::vector<Entry> names_;
};
std::string did_you_mean(std::string_view wanted, std::initializer_list<const KnownNames*> known);

} // namespace pupc::catalog
