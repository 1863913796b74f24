#pragma once
// Where operator new and the arenas get their memory: blocks of fixed sizes, kept by each thread in lists of free blocks.
//
// A check of a thousand files, or a compile, makes and frees hundreds of thousands of small texts and vectors. The system's allocator
// takes some 270 instructions for each pair, and in all threads but the first it asks the kernel for a few pages at a time. A block of
// this pool takes about 25. Each block stands behind eight bytes that tell its size, as with the system's allocator, so that it can be
// freed without knowing it. The program of libraries in C (regular expressions, YAML, SQLite) goes on using the system's allocator.
#include <cstddef>

namespace pupc {

/// What a block takes beside its bytes. Who can choose a size asks for a power of two less this.
constexpr size_t block_head = 8;

/// Storage for `size` bytes, aligned to 16. Null when the system has no more memory. Counts nothing; see limits.h.
void* take_block(size_t size) noexcept;
/// Frees what take_block returned, in any thread. Null is nothing to free.
void give_block(void* block) noexcept;

} // namespace pupc
