#pragma once
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <string_view>

namespace pupc::catalog {

/// Whether a text matches a pattern in which the character `any` stands for any number of characters; `fits` tells of each other character
/// whether it stands for one of the text. Takes at most time proportional to the product of the lengths.
template <class Fits> bool fits_wildcards(std::string_view pattern, std::string_view text, char any, const Fits& fits) {
  size_t p = 0, t = 0, hole = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == any) {
      hole = p++;
      resume = t;
    } else if (p < pattern.size() && fits(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (hole != std::string_view::npos) { // let the last hole match one character more
      p = hole + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == any) ++p;
  return p == pattern.size();
}

} // namespace pupc::catalog
