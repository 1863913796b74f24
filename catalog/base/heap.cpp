// operator new and delete of the whole program. They count what each thread holds, for LimitedWork, and are quick for small blocks: each
// thread keeps those that it freed in lists by size and takes them from there again. That takes ten instructions where malloc and
// malloc_usable_size take two hundred; a run of validate over a thousand files asks for four hundred thousand blocks.
//
// A block has its size in the eight bytes before it, as malloc's blocks have, so it takes no more memory than one of malloc's. Small
// blocks are cut from larger ones of malloc and keep their size for ever; larger blocks come from malloc one by one.
#include "catalog/base/limits.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

// The sanitizers define their own operator new.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PUPC_OWN_NEW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PUPC_OWN_NEW 0
#endif
#endif
#ifndef PUPC_OWN_NEW
#define PUPC_OWN_NEW 1
#endif

#if PUPC_OWN_NEW

namespace pupc {
namespace {

// Sizes count the eight bytes before the block. They are multiples of a step, to which every block is aligned.
constexpr size_t block_step = 16;
constexpr size_t least_size = 32;
constexpr size_t most_small = 512;
constexpr size_t size_classes = most_small / block_step + 1;
constexpr size_t chunk_bytes = 32 * 1024;
// So many free blocks of a size stay with a thread; those beyond go to the threads that ask for some. Blocks may be freed by other
// threads than those that asked for them, and without this one thread would gather all.
constexpr uint32_t most_idle = 1024;

/// What a free block holds.
struct IdleBlock {
  IdleBlock* next;
  IdleBlock* next_list; // of the first block of a list that all threads share
};

/// A part of a chunk that is not cut into blocks yet. A thread that ends leaves it, and it holds this itself.
struct SpareChunk {
  SpareChunk* next;
  char* end;
};

struct IdleList {
  IdleBlock* first;
  uint32_t count;
};

/// What a thread has at hand.
struct ThreadBlocks {
  IdleList idle[size_classes];
  char* cursor; // the chunk that blocks are cut from: eight bytes before a multiple of a step
  char* end;
};
thread_local constinit ThreadBlocks my_blocks{};

/// What threads left to each other.
struct SharedBlocks {
  std::mutex mutex;
  std::atomic<IdleBlock*> lists[size_classes];
  std::atomic<SpareChunk*> chunks;

  void give(size_t which, IdleList& list) {
    std::lock_guard lock(mutex);
    list.first->next_list = lists[which].load(std::memory_order_relaxed);
    lists[which].store(list.first, std::memory_order_relaxed);
    list = {};
  }
  IdleBlock* take(size_t which) {
    if (lists[which].load(std::memory_order_relaxed) == nullptr) return nullptr; // the usual case needs no lock
    std::lock_guard lock(mutex);
    IdleBlock* list = lists[which].load(std::memory_order_relaxed);
    if (list != nullptr) lists[which].store(list->next_list, std::memory_order_relaxed);
    return list;
  }
  void give_chunk(char* begin, char* end) {
    auto* spare = reinterpret_cast<SpareChunk*>(begin + sizeof(uint64_t));
    std::lock_guard lock(mutex);
    *spare = {chunks.load(std::memory_order_relaxed), end};
    chunks.store(spare, std::memory_order_relaxed);
  }
  SpareChunk* take_chunk() {
    if (chunks.load(std::memory_order_relaxed) == nullptr) return nullptr;
    std::lock_guard lock(mutex);
    SpareChunk* spare = chunks.load(std::memory_order_relaxed);
    if (spare != nullptr) chunks.store(spare->next, std::memory_order_relaxed);
    return spare;
  }
};
constinit SharedBlocks shared_blocks{};

/// A child of fork() may allocate, too, even if another thread was at the shared blocks just then.
const int at_fork = ::pthread_atfork([] { shared_blocks.mutex.lock(); }, [] { shared_blocks.mutex.unlock(); },
                                     [] { shared_blocks.mutex.unlock(); });

/// Leaves a thread's blocks to the others when it ends.
struct Heir {
  ~Heir() {
    for (size_t i = 0; i < size_classes; ++i)
      if (my_blocks.idle[i].first != nullptr) shared_blocks.give(i, my_blocks.idle[i]);
    if (my_blocks.end - my_blocks.cursor >= static_cast<ptrdiff_t>(most_small)) shared_blocks.give_chunk(my_blocks.cursor, my_blocks.end);
    my_blocks.cursor = my_blocks.end = nullptr;
  }
  bool needed = false;
};
thread_local Heir my_heir;

uint64_t& block_size(void* block) { return static_cast<uint64_t*>(block)[-1]; }

/// A small block of this size that this thread never had. The size is a multiple of a step.
[[gnu::noinline]] void* other_small_block(size_t size) {
  const size_t which = size / block_step;
  if (IdleBlock* list = shared_blocks.take(which)) {
    IdleBlock* rest = list->next;
    uint32_t count = 0;
    for (const IdleBlock* b = rest; b != nullptr; b = b->next) ++count;
    my_blocks.idle[which] = {rest, count};
    return list;
  }
  if (static_cast<size_t>(my_blocks.end - my_blocks.cursor) < size) {
    if (SpareChunk* spare = shared_blocks.take_chunk()) {
      my_blocks.end = spare->end;
      my_blocks.cursor = reinterpret_cast<char*>(spare) - sizeof(uint64_t);
    } else {
      auto* chunk = static_cast<char*>(std::malloc(chunk_bytes));
      if (chunk == nullptr) throw std::bad_alloc();
      my_blocks.cursor = chunk + block_step - sizeof(uint64_t);
      my_blocks.end = chunk + chunk_bytes;
    }
    my_heir.needed = true; // makes it, if it is not there yet
  }
  void* block = my_blocks.cursor + sizeof(uint64_t);
  my_blocks.cursor += size;
  block_size(block) = size;
  return block;
}

[[gnu::noinline]] void* large_block(size_t size) {
  auto* begin = size < block_step ? nullptr
                                  : static_cast<char*>(std::malloc(size)); // smaller: the sum with the step was too large a number
  if (begin == nullptr) throw std::bad_alloc();
  block_size(begin + block_step) = size;
  return begin + block_step;
}

} // namespace
} // namespace pupc

void* operator new(size_t bytes) {
  using namespace pupc;
  void* block;
  size_t size = std::max((bytes + sizeof(uint64_t) + block_step - 1) & ~(block_step - 1), least_size);
  if (bytes <= most_small - sizeof(uint64_t)) [[likely]] {
    IdleList& list = my_blocks.idle[size / block_step];
    if (list.first != nullptr) [[likely]] {
      block = list.first;
      list.first = list.first->next;
      --list.count;
    } else {
      block = other_small_block(size);
    }
  } else {
    size = bytes + block_step;
    block = large_block(size);
  }
  auto& meter = limits_detail::meter;
  meter.bytes += static_cast<int64_t>(size);
  if (meter.bytes > meter.most_bytes) [[unlikely]] {
    operator delete(block);
    limits_detail::refuse_memory();
  }
  return block;
}

void operator delete(void* block) noexcept {
  using namespace pupc;
  if (block == nullptr) return;
  const size_t size = block_size(block);
  limits_detail::meter.bytes -= static_cast<int64_t>(size);
  if (size > most_small) return std::free(static_cast<char*>(block) - block_step);
  IdleList& list = my_blocks.idle[size / block_step];
  auto* idle = static_cast<IdleBlock*>(block);
  idle->next = list.first;
  list.first = idle;
  if (++list.count == most_idle) [[unlikely]]
    shared_blocks.give(size / block_step, list);
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }

#endif
