#pragma once
// Shared libraries that are loaded at run time, when the first resource needs them. Other runs do not need these libraries.
#include <initializer_list>
#include <type_traits>

namespace pupc::runtime {

class SharedLibrary {
public:
  /// Where the library looks up the functions that it calls. Own: in its own dependencies first. Our Oniguruma exports functions with the
  /// names of the C library's regular expressions but another behaviour; a library that uses regular expressions needs Own.
  enum class Binding { Shared, Own };

  /// Loads the first library of these names that exists and never unloads it. Sanitized builds do not allow Binding::Own and load nothing.
  explicit SharedLibrary(std::initializer_list<const char*> names, Binding binding = Binding::Shared);

  /// Sets a pointer to the library's function of that name, or to null when there is none.
  template <class Function> void find(Function& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<Function>>(symbol(name));
  }
  /// Whether the library was loaded and has all functions that `find` looked for.
  bool complete() const { return complete_; }

private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  bool complete_ = false;
};

} // namespace pupc::runtime
