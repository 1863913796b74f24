#pragma once
// Interned identifiers. Intern only names from source text or from our own tables, never run-time strings, because interned names are
// never freed and would leak in a long-lived process. The table is shared by all threads.
#include <cstdint>
#include <functional>
#include <string_view>

namespace pupc {

struct Symbol {
  uint32_t id = 0; // 0 = the empty name

  constexpr bool operator==(const Symbol&) const = default;
  constexpr explicit operator bool() const { return id != 0; }

  /// The name; valid for the life of the process.
  std::string_view str() const;
};

/// The symbol of `name`, which is added if it is new. Thread-safe.
Symbol intern(std::string_view name);

/// The symbol of `name` if it was interned before, otherwise the empty symbol. For names made at run time. Thread-safe.
Symbol find_symbol(std::string_view name);

/// Well-known names as constants: sym::title and so on (symbols.def has the list).
namespace sym {
enum Index : uint32_t {
  none_index = 0,
#define PUPC_SYMBOL(ident, text) ident##_index,
#include "catalog/base/symbols.def"
#undef PUPC_SYMBOL
  well_known_count
};
#define PUPC_SYMBOL(ident, text) inline constexpr Symbol ident{ident##_index};
#include "catalog/base/symbols.def"
#undef PUPC_SYMBOL
} // namespace sym

} // namespace pupc

template <> struct std::hash<pupc::Symbol> {
  size_t operator()(pupc::Symbol s) const noexcept { return s.id * 0x9E3779B97F4A7C15ull >> 16; }
};
