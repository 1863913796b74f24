#include "runtime/sys/selinux_library.h"

#include <dlfcn.h>
#include <sys/types.h>
#include <type_traits>
#include <unistd.h>

namespace pupc {
namespace {

struct Functions {
  int (*is_selinux_enabled)() = nullptr;
  int (*lgetfilecon)(const char*, char**) = nullptr;
  int (*lsetfilecon)(const char*, const char*) = nullptr;
  int (*matchpathcon)(const char*, mode_t, char**) = nullptr;
  const char* (*translations_path)() = nullptr;
  void (*freecon)(char*) = nullptr;
  bool complete = false;
};

Functions load() {
  Functions f;
  // The kernel shows its SELinux here; without it the library need not be asked.
  if (::access("/sys/fs/selinux/enforce", F_OK) != 0 && ::access("/selinux/enforce", F_OK) != 0) return f;
  void* library = ::dlopen("libselinux.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return f;
  f.complete = true;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr) f.complete = false;
  };
  find(f.is_selinux_enabled, "is_selinux_enabled");
  find(f.lgetfilecon, "lgetfilecon");
  find(f.lsetfilecon, "lsetfilecon");
  find(f.matchpathcon, "matchpathcon");
  find(f.translations_path, "selinux_translations_path");
  find(f.freecon, "freecon");
  return f;
}

const Functions& functions() {
  static const Functions loaded = load();
  return loaded;
}

std::optional<std::string> taken(int result, char* context) {
  if (result < 0 || context == nullptr) return std::nullopt;
  std::string text = context;
  functions().freecon(context);
  return text;
}

} // namespace

bool SelinuxLibrary::enabled() {
  static const bool on = functions().complete && functions().is_selinux_enabled() == 1;
  return on;
}

std::optional<std::string> SelinuxLibrary::label(const std::string& path) {
  char* context = nullptr;
  const int result = functions().lgetfilecon(path.c_str(), &context);
  return taken(result, context);
}

bool SelinuxLibrary::set_label(const std::string& path, const std::string& label) { return functions().lsetfilecon(path.c_str(), label.c_str()) == 0; }

std::optional<std::string> SelinuxLibrary::default_label(const std::string& path, uint32_t mode) {
  char* context = nullptr;
  const int result = functions().matchpathcon(path.c_str(), mode, &context);
  return taken(result, context);
}

std::string SelinuxLibrary::translations() {
  const char* path = functions().translations_path();
  return path == nullptr ? "" : path;
}

} // namespace pupc
