#pragma once
// A list whose elements never move. Unlike std::deque an empty one has no memory: an interpreter has many of them, most calls use few.
#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace pupc::compiler::ruby {

template <class T> class StableList {
public:
  StableList() = default;
  ~StableList() {
    while (chunk_ != nullptr) {
      Chunk* const chunk = std::exchange(chunk_, chunk_->before);
      for (size_t i = 0; i < chunk->used; ++i) chunk->items()[i].~T();
      ::operator delete(chunk);
    }
  }
  StableList(const StableList&) = delete;
  StableList& operator=(const StableList&) = delete;

  template <class... Args> T& emplace_back(Args&&... args) {
    if (chunk_ == nullptr || chunk_->used == chunk_->room) grow();
    T* const made = new (chunk_->items() + chunk_->used) T(std::forward<Args>(args)...);
    ++chunk_->used;
    return *made;
  }

  /// Calls `visit` with each element, in no order.
  template <class Visit> void for_each(const Visit& visit) {
    for (Chunk* chunk = chunk_; chunk != nullptr; chunk = chunk->before)
      for (size_t i = 0; i < chunk->used; ++i) visit(chunk->items()[i]);
  }

private:
  struct alignas(alignof(T) > alignof(std::max_align_t) ? alignof(T) : alignof(std::max_align_t)) Chunk {
    Chunk* before;
    size_t used, room;
    T* items() { return reinterpret_cast<T*>(this + 1); }
  };
  static_assert(alignof(Chunk) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  void grow() {
    const size_t room = chunk_ == nullptr ? 4 : std::min<size_t>(chunk_->room * 2, 128);
    chunk_ = new (::operator new(sizeof(Chunk) + room * sizeof(T))) Chunk{chunk_, 0, room};
  }

  Chunk* chunk_ = nullptr;
};

} // namespace pupc::compiler::ruby
