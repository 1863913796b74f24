#include "runtime/sys/shared_library.h"

#include <dlfcn.h>

namespace pupc::runtime {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names, Binding binding) {
  int flags = RTLD_NOW | RTLD_LOCAL;
  if (binding == Binding::Own) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return;
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
