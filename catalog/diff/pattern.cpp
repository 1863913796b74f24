#include "catalog/diff/pattern.h"

#include "catalog/base/wildcards.h"

namespace pupc::catalog {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

bool fits_pattern(std::string_view pattern, std::string_view text, bool any_case) {
  return fits_wildcards(pattern, text, '*', [any_case](char wanted, char c) {
    return wanted == '?' || wanted == c || (any_case && lower(wanted) == lower(c));
  });
}

} // namespace pupc::catalog
