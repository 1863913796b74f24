#pragma once
// Memory on the stack for short-lived containers of the standard library, which saves calls of malloc and free.
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <memory_resource>

namespace pupc::catalog {

/// Use it as `StackMemory<256> memory; std::pmr::vector<int> list(&memory.resource);`. What does not fit comes from the heap. Everything is
/// free when the memory is destroyed, and not before.
template <size_t Size> class StackMemory {
  alignas(std::max_align_t) std::byte first_[Size];

public:
  std::pmr::monotonic_buffer_resource resource{first_, Size};
};

} // namespace pupc::catalog
