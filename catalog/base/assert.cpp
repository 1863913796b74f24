#include "catalog/base/assert.h"

#include <cstdio>
#include <cstdlib>

#if !defined(NDEBUG) || defined(PUPC_ASSERTIONS)
namespace pupc::catalog {

void promise_broken(const char* condition, const char* promise, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, promise, condition);
  std::abort();
}

} // namespace pupc::catalog
#endif
