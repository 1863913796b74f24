#include "runtime/sys/selinux_library.h"

#include "runtime/sys/shared_library.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

namespace pupc::runtime {
namespace {

struct Functions {
  int (*is_selinux_enabled)() = nullptr;
  int (*getfilecon)(const char*, char**) = nullptr;
  int (*setfilecon)(const char*, const char*) = nullptr;
  int (*matchpathcon)(const char*, mode_t, char**) = nullptr;
  const char* (*translations_path)() = nullptr;
  void (*freecon)(char*) = nullptr;
  bool complete = false;
};

Functions load() {
  Functions f;
  // The kernel provides these files only when it has SELinux: without them do not even load the library.
  if (::access("/sys/fs/selinux/enforce", F_OK) != 0 && ::access("/selinux/enforce", F_OK) != 0) return f;
  SharedLibrary library({"libselinux.so.1"}, SharedLibrary::Binding::Own);
  library.find(f.is_selinux_enabled, "is_selinux_enabled");
  library.find(f.getfilecon, "getfilecon");
  library.find(f.setfilecon, "setfilecon");
  library.find(f.matchpathcon, "matchpathcon");
  library.find(f.translations_path, "selinux_translations_path");
  library.find(f.freecon, "freecon");
  f.complete = library.complete();
  return f;
}

const Functions& functions() {
  static const Functions loaded = load();
  return loaded;
}

/// The library has no functions for O_PATH descriptors. The kernel leads this path to the very file, which may be a link: it is not
/// followed further.
std::string path_of(int file) { return fmt::format("/proc/self/fd/{}", file); }

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

std::optional<std::string> SelinuxLibrary::label(int file) {
  if (!functions().complete) return std::nullopt;
  char* context = nullptr;
  const int result = functions().getfilecon(path_of(file).c_str(), &context);
  return taken(result, context);
}

bool SelinuxLibrary::set_label(int file, const std::string& label) {
  return functions().complete && functions().setfilecon(path_of(file).c_str(), label.c_str()) == 0;
}

std::optional<std::string> SelinuxLibrary::default_label(const std::string& path, uint32_t mode) {
  char* context = nullptr;
  const int result = functions().matchpathcon(path.c_str(), mode, &context);
  return taken(result, context);
}

std::string SelinuxLibrary::translations() {
  const char* path = functions().translations_path();
  return path == nullptr ? "" : path;
}

} // namespace pupc::runtime
