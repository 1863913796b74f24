#pragma once
// Libraries that are loaded when the first resource needs them: runs without such a resource neither need nor pay for them.
#include <initializer_list>
#include <type_traits>

namespace pupc {

class SharedLibrary {
public:
  /// Where the library finds functions that it calls itself. Own: in its own dependencies first. Oniguruma has functions with the names of
  /// the C library's regular expressions that do something else; who uses these must not get ours.
  enum class Binding { Shared, Own };

  /// Loads the first of the names that is there. It stays loaded. Nothing is loaded with Binding::Own in sanitized builds, which forbid
  /// that.
  explicit SharedLibrary(std::initializer_list<const char*> names, Binding binding = Binding::Shared);

  /// Sets a pointer to a function of the library, null when it has none of that name.
  template <class Function> void find(Function& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<Function>>(symbol(name));
  }
  /// Whether the library is there and has all functions that were looked for.
  bool complete() const { return complete_; }

private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  bool complete_ = false;
};

} // namespace pupc
