#pragma once
// Looking for the elements with a key in a sorted list.
#include <algorithm>
#include <functional>
#include <span>

namespace pupc::compiler {

/// The elements whose `key_of` is `key`, of a list that is sorted by it. (clang 14 cannot compile the library's ranges::equal_range.)
template <class List, class Key, class KeyOf> auto elements_with(List& sorted, const Key& key, KeyOf key_of) {
  const auto before = [&](const auto& element, const Key& k) { return std::invoke(key_of, element) < k; };
  const auto after = [&](const Key& k, const auto& element) { return k < std::invoke(key_of, element); };
  const auto begin = std::lower_bound(sorted.begin(), sorted.end(), key, before);
  return std::span(begin, std::upper_bound(begin, sorted.end(), key, after));
}

} // namespace pupc::compiler
