// The entry point for libFuzzer. PUPC_FUZZ_TARGET, set by the build, names the target.
#include "catalog/base/limits.h"
#include "tools/fuzz/target.h"

#include <csignal>
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The watchdog of a work that cannot be interrupted ends the process, and the input would be lost. libFuzzer has a time limit of its own
  // that keeps the input. The first work installs the watchdog's handler for good, so this one comes after it.
  { const pupc::catalog::LimitedWork work({std::chrono::seconds(1)}); }
  std::signal(SIGRTMIN + 5, SIG_IGN);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const pupc::fuzz::Target* target = pupc::fuzz::find_target(PUPC_FUZZ_TARGET);
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
