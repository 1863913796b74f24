// The entry point for libFuzzer. The environment variable PUPC_FUZZ_TARGET names the target.
#include "tools/fuzz/target.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const pupc::fuzz::Target* target = pupc::fuzz::find_target(PUPC_FUZZ_TARGET);
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
