#include "catalog/base/block_pool.h"

#include "catalog/base/limits.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

// The sanitizers watch the system's allocator, so the program uses it there.
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

#if !PUPC_OWN_NEW

void* pupc::take_block(size_t size) noexcept { return std::malloc(size); }
void pupc::give_block(void* block) noexcept { std::free(block); }

#else

namespace pupc {
namespace {

// Sizes count the eight bytes before the block. Up to `fine` there is a class for every 16 bytes, beyond it four for each doubling.
constexpr size_t grain = 16, smallest = 32, fine = 1024, largest = 512 * 1024;
constexpr size_t fine_classes = fine / grain;
constexpr size_t class_count = fine_classes + 1 + 4 * (std::bit_width(largest) - std::bit_width(fine));

constexpr size_t class_of(size_t bytes) {
  if (bytes <= fine) return (bytes + grain - 1) / grain;
  const size_t doubling = static_cast<size_t>(std::bit_width(bytes - 1)) - 1; // 2^doubling < bytes <= 2^(doubling + 1)
  return fine_classes + 4 * (doubling - 10) + ((bytes - 1) >> (doubling - 2)) - 3;
}
constexpr size_t bytes_of(size_t kind) {
  if (kind <= fine_classes) return kind * grain;
  const size_t step = kind - fine_classes - 1;
  return (5 + step % 4) << (8 + step / 4);
}
static_assert(class_of(1024) == 64 && class_of(1025) == 65 && bytes_of(65) == 1280 && class_of(1280) == 65 && class_of(1281) == 66);
static_assert(bytes_of(68) == 2048 && class_of(2048) == 68 && class_of(2049) == 69);
static_assert(class_of(largest) == class_count - 1 && bytes_of(class_count - 1) == largest);

/// What stands before each block.
struct Head {
  uint64_t kind : 8;   // its class; 0 = too large for the pool, from the system's allocator
  uint64_t bytes : 56; // with the head
};
static_assert(sizeof(Head) == block_head);

Head& head_of(void* block) { return *reinterpret_cast<Head*>(static_cast<char*>(block) - block_head); }

/// A block while it is free. The second word is used in the first block of a batch only.
struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_batch;
};
static_assert(smallest - block_head >= sizeof(FreeBlock));

/// As many blocks as threads pass to one another at once: 8 kB, four large ones, so that a lock is taken seldom.
constexpr auto batch_sizes = [] {
  std::array<uint32_t, class_count> out{};
  for (size_t kind = 1; kind < class_count; ++kind) out[kind] = static_cast<uint32_t>(std::max<size_t>(8192 / bytes_of(kind), 4));
  return out;
}();

struct List {
  FreeBlock* first = nullptr; // blocks to take
  FreeBlock* batch = nullptr; // one full batch beside them, so that a thread at the edge does not pass it to and fro
  uint32_t count = 0;         // in `first`
};

/// The blocks of one thread.
struct ThreadPool {
  List lists[class_count];
  char *at = nullptr, *end = nullptr; // memory not cut yet; `at` is 8 bytes before a multiple of 16
  size_t chunk = 0;                   // the size of the last piece of memory from the system; 0 = none yet
  ThreadPool* next = nullptr;         // while no thread has it
};
constinit thread_local ThreadPool pool; // trivially destructible: threads free memory until their very end

/// What threads leave to one another.
struct Shared {
  std::mutex lock;
  std::atomic<FreeBlock*> batches[class_count] = {}; // of a thread that frees more than it makes
  ThreadPool* pools = nullptr;                       // of threads that have ended
};
constinit Shared shared;

// A process that forks has one thread, and no other could give the lock back. Like the system's allocator, this one works there.
[[maybe_unused]] const int at_fork = ::pthread_atfork([] { shared.lock.lock(); }, [] { shared.lock.unlock(); },
                                                      [] { shared.lock.unlock(); });

void share(size_t kind, FreeBlock* first) {
  std::lock_guard guard(shared.lock);
  first->next_batch = shared.batches[kind].load(std::memory_order_relaxed);
  shared.batches[kind].store(first, std::memory_order_relaxed);
}

FreeBlock* shared_batch(size_t kind) {
  if (shared.batches[kind].load(std::memory_order_relaxed) == nullptr) return nullptr; // mostly, so look before locking
  std::lock_guard guard(shared.lock);
  FreeBlock* batch = shared.batches[kind].load(std::memory_order_relaxed);
  if (batch != nullptr) shared.batches[kind].store(batch->next_batch, std::memory_order_relaxed);
  return batch;
}

void share_all(const ThreadPool& left) {
  for (size_t kind = 1; kind < class_count; ++kind)
    for (FreeBlock* list : {left.lists[kind].batch, left.lists[kind].first})
      if (list != nullptr) share(kind, list);
}

/// Leaves the blocks of a thread that ends to others: all it has to the next one that begins, or its free blocks to those that run.
struct Leaving {
  bool needed = false;
  ~Leaving() {
    if (!needed) return;
    const ThreadPool own = std::exchange(pool, ThreadPool());
    void* place = own.chunk == 0 ? nullptr : std::malloc(sizeof(ThreadPool));
    if (place == nullptr) {
      share_all(own);
      return;
    }
    auto* left = new (place) ThreadPool(own);
    std::lock_guard guard(shared.lock);
    left->next = shared.pools;
    shared.pools = left;
  }
};
thread_local Leaving leaving;

void put(size_t kind, FreeBlock* block) {
  List& list = pool.lists[kind];
  block->next = list.first;
  list.first = block;
  if (block->next == nullptr) leaving.needed = true; // also a thread that only frees leaves blocks
  if (++list.count < batch_sizes[kind]) [[likely]]
    return;
  if (list.batch != nullptr) share(kind, list.batch);
  list.batch = list.first;
  list.first = nullptr;
  list.count = 0;
}

/// Takes the blocks of a thread that has ended, if there is one.
void take_pool() {
  leaving.needed = true;
  ThreadPool* left = nullptr;
  {
    std::lock_guard guard(shared.lock);
    left = shared.pools;
    if (left != nullptr) shared.pools = left->next;
  }
  if (left == nullptr) return;
  const ThreadPool own = std::exchange(pool, *left); // this thread may have freed what others made
  std::free(left);
  share_all(own);
}

/// Cuts a new block, for which there must be room.
FreeBlock* cut(size_t kind, size_t bytes) {
  auto* block = reinterpret_cast<FreeBlock*>(pool.at + block_head);
  head_of(block) = {kind, bytes};
  pool.at += bytes;
  return block;
}

/// Cuts the memory that is left into free blocks, so that none of it is lost.
void cut_rest() {
  for (;;) {
    const auto left = static_cast<size_t>(pool.end - pool.at);
    if (pool.at == nullptr || left < smallest) return;
    size_t kind = class_of(std::min(left, largest));
    if (bytes_of(kind) > left) --kind;
    put(kind, cut(kind, bytes_of(kind)));
  }
}

/// More memory from the system, `least` bytes or more: ever larger pieces, the largest of whole huge pages, for which the kernel works far
/// less often.
bool add_chunk(size_t least) {
  constexpr size_t first = 128 * 1024, huge = 2 * 1024 * 1024;
  static_assert(largest < huge);
  size_t want = pool.chunk == 0 ? first : std::min(pool.chunk * 2, huge);
  while (want < least) want *= 2;
  const size_t reserved = want == huge ? 2 * huge : want; // enough to hold a place that a huge page may have
  void* memory = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  char* begin = static_cast<char*>(memory);
  if (want == huge) {
    char* aligned = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(begin) + huge - 1) & ~(uintptr_t(huge) - 1));
    char* const end = begin + reserved;
    if (aligned > begin) ::munmap(begin, static_cast<size_t>(aligned - begin));
    if (end > aligned + huge) ::munmap(aligned + huge, static_cast<size_t>(end - aligned) - huge);
    begin = aligned;
    ::madvise(begin, huge, MADV_HUGEPAGE);
  }
  cut_rest();
  pool.chunk = want;
  pool.at = begin + block_head;
  pool.end = begin + want;
  return true;
}

FreeBlock* pop(List& list) {
  FreeBlock* block = list.first;
  list.first = block->next;
  --list.count;
  return block;
}

/// A block of a class of which the thread has none, and no room to cut one.
FreeBlock* find_block(size_t kind) {
  List& list = pool.lists[kind];
  if (pool.chunk == 0) take_pool();
  if (list.first != nullptr) return pop(list);
  FreeBlock* batch = std::exchange(list.batch, nullptr);
  if (batch == nullptr) batch = shared_batch(kind);
  if (batch != nullptr) {
    list.first = batch->next;
    // A batch that take_pool shared may be smaller. Counting more than there are only makes the next batch smaller.
    list.count = batch_sizes[kind] - 1;
    return batch;
  }
  const size_t bytes = bytes_of(kind);
  if (static_cast<size_t>(pool.end - pool.at) < bytes && !add_chunk(bytes + block_head)) return nullptr;
  return cut(kind, bytes);
}

void* take(size_t bytes) {
  if (bytes > largest) {
    auto* memory = static_cast<char*>(std::malloc(bytes + block_head)); // twice eight bytes keep the block at a multiple of 16
    if (memory == nullptr) return nullptr;
    void* block = memory + 2 * block_head;
    head_of(block) = {0, bytes};
    return block;
  }
  const size_t kind = class_of(std::max(bytes, smallest));
  List& list = pool.lists[kind];
  if (list.first != nullptr) return pop(list);
  if (const size_t whole = bytes_of(kind); list.batch == nullptr && static_cast<size_t>(pool.end - pool.at) >= whole)
    return cut(kind, whole);
  return find_block(kind);
}

void give(void* block) {
  const size_t kind = head_of(block).kind;
  if (kind == 0)
    std::free(static_cast<char*>(block) - 2 * block_head);
  else
    put(kind, static_cast<FreeBlock*>(block));
}

} // namespace

void* take_block(size_t size) noexcept { return size > PTRDIFF_MAX / 2 ? nullptr : take(size + block_head); }
void give_block(void* block) noexcept {
  if (block != nullptr) give(block);
}

} // namespace pupc

// Counts every allocation by C++ code, also by libraries.
void* operator new(size_t size) {
  void* p = pupc::take_block(size);
  if (p == nullptr) throw std::bad_alloc();
  auto& m = pupc::limits_detail::meter;
  const auto bytes = static_cast<int64_t>(pupc::head_of(p).bytes);
  m.bytes += bytes;
  if (m.bytes > m.most_bytes) [[unlikely]] {
    m.bytes -= bytes;
    pupc::give(p);
    pupc::limits_detail::refuse_memory();
  }
  return p;
}
void operator delete(void* p) noexcept {
  if (p == nullptr) return;
  pupc::limits_detail::meter.bytes -= static_cast<int64_t>(pupc::head_of(p).bytes);
  pupc::give(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }

#endif
