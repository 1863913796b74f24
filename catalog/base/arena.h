#pragma once
// Chunked bump allocator. Everything a compile creates lives in one Arena and dies with it: no destructors run,
// so only trivially destructible types may be allocated. Not thread-safe: one arena per compile or parsed file.
#include "catalog/base/assert.h"
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pupc::catalog {

class Arena {
public:
  static constexpr size_t chunk_size = 64 * 1024;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  /// Raw storage of `bytes` bytes aligned to `align` (a power of two, at most 16). Never null.
  void* allocate(size_t bytes, size_t align = 8) {
    PUPC_ASSERT(align != 0 && align <= 16 && (align & (align - 1)) == 0, "an arena aligns to a power of two, 16 at most");
    uintptr_t p = (reinterpret_cast<uintptr_t>(cursor_) + align - 1) & ~(uintptr_t(align) - 1);
    if (cursor_ == nullptr || p + bytes > reinterpret_cast<uintptr_t>(limit_)) return allocate_slow(bytes, align);
    cursor_ = reinterpret_cast<char*>(p + bytes);
    return reinterpret_cast<void*>(p);
  }

  /// A T constructed in the arena; its destructor never runs.
  template <class T, class... Args> T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "arena objects are never destroyed");
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  /// Uninitialised array of `n` T.
  template <class T> T* make_array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>, "arena objects are never destroyed");
    return static_cast<T*>(allocate(sizeof(T) * n, alignof(T)));
  }

  /// Copy of a contiguous range.
  template <class T> std::span<T> copy_span(std::span<const T> from) {
    T* p = make_array<T>(from.size());
    for (size_t i = 0; i < from.size(); ++i) new (p + i) T(from[i]);
    return {p, from.size()};
  }

  /// Copy of a string. The view is valid as long as the arena.
  std::string_view copy(std::string_view s) {
    if (s.empty()) return {};
    char* p = static_cast<char*>(allocate(s.size(), 1));
    std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
  }

private:
  struct Chunk {
    Chunk* next;
    size_t size;
  };
  void* allocate_slow(size_t bytes, size_t align);
  void release() noexcept;

  char* cursor_ = nullptr;
  char* limit_ = nullptr;
  Chunk* chunks_ = nullptr;
  size_t reserved_ = 0;
};

} // namespace pupc::catalog
