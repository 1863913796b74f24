#pragma once
// Interned identifiers. Intern only names from source text or from our own tables, never run-time strings, because interned names are
// never freed and would leak in a long-lived process. The table is shared by all threads.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace pupc::catalog {

namespace symbol_detail {
inline constexpr uint32_t segment_bits = 12;
inline constexpr uint32_t segment_size = 1u << segment_bits;
/// The names by their ids, in segments that stay where they are.
extern std::array<std::atomic<std::string_view*>, 4096> segments;
/// A name that is asked for before any other symbol was made.
std::string_view first_name(uint32_t id);
} // namespace symbol_detail

struct Symbol {
  uint32_t id = 0; // 0 = the empty name

  constexpr bool operator==(const Symbol&) const = default;
  constexpr explicit operator bool() const { return id != 0; }

  /// The name; valid for the life of the process. Here, because compiles and checks ask millions of times.
  std::string_view str() const {
    const std::string_view* segment = symbol_detail::segments[id >> symbol_detail::segment_bits].load(std::memory_order_acquire);
    return segment != nullptr ? segment[id % symbol_detail::segment_size] : symbol_detail::first_name(id);
  }
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

} // namespace pupc::catalog

template <> struct std::hash<pupc::catalog::Symbol> {
  size_t operator()(pupc::catalog::Symbol s) const noexcept { return s.id * 0x9E3779B97F4A7C15ull >> 16; }
};
