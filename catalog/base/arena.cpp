#include "catalog/base/arena.h"

#include "catalog/base/limits.h"

#include <algorithm>
#include <cstdlib>

namespace pupc::catalog {

Arena::~Arena() { release(); }

Arena::Arena(Arena&& other) noexcept
    : cursor_(std::exchange(other.cursor_, nullptr)), limit_(std::exchange(other.limit_, nullptr)),
      chunks_(std::exchange(other.chunks_, nullptr)), reserved_(std::exchange(other.reserved_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this != &other) {
    release();
    cursor_ = std::exchange(other.cursor_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    chunks_ = std::exchange(other.chunks_, nullptr);
    reserved_ = std::exchange(other.reserved_, 0);
  }
  return *this;
}

void* Arena::allocate_slow(size_t bytes, size_t align) {
  // Chunks grow with the arena, so that a tiny compile stays tiny and a large one makes few system calls.
  // By half each time at first: a run of validate keeps the arenas of thousands of small files.
  size_t want = reserved_ < 2 * chunk_size ? std::max(chunk_size / 32, reserved_ / 2) : chunk_size;
  while (want < reserved_ / 4 && want < 4 * 1024 * 1024) want *= 2;
  size_t need = bytes + align + sizeof(Chunk);
  bool oversized = need > want;
  if (oversized) want = need;
  check_time();
  count_memory(want);
  auto* chunk = static_cast<Chunk*>(std::malloc(want));
  if (chunk == nullptr) {
    uncount_memory(want);
    throw std::bad_alloc();
  }
  chunk->size = want;
  chunk->next = chunks_;
  chunks_ = chunk;
  reserved_ += want;
  char* begin = reinterpret_cast<char*>(chunk) + sizeof(Chunk);
  uintptr_t p = (reinterpret_cast<uintptr_t>(begin) + align - 1) & ~(uintptr_t(align) - 1);
  // An oversized block must not replace the current chunk, whose tail is still free.
  if (!oversized || cursor_ == nullptr) {
    cursor_ = reinterpret_cast<char*>(p + bytes);
    limit_ = reinterpret_cast<char*>(chunk) + want;
  }
  return reinterpret_cast<void*>(p);
}

void Arena::release() noexcept {
  while (chunks_ != nullptr) {
    Chunk* next = chunks_->next;
    uncount_memory(chunks_->size);
    std::free(chunks_);
    chunks_ = next;
  }
}

} // namespace pupc::catalog
