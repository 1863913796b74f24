#include "runtime/sys/shared_library.h"

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PUPC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PUPC_SANITIZED 1
#endif
#endif

namespace pupc::runtime {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names, Binding binding) {
  int flags = RTLD_NOW | RTLD_LOCAL;
  if (binding == Binding::Own) {
#ifdef PUPC_SANITIZED
    return; // its run-time library refuses such a load
#else
    flags |= RTLD_DEEPBIND;
#endif
  }
  for (const char* name : names)
    if (handle_ == nullptr) handle_ = ::dlopen(name, flags);
  complete_ = handle_ != nullptr;
}

void* SharedLibrary::symbol(const char* name) {
  void* found = handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  if (found == nullptr) complete_ = false;
  return found;
}

} // namespace pupc::runtime
