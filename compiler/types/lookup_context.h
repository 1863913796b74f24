#pragma once
// The types of Hiera's functions: Puppet::LookupContext, and the names of what they take and give. And objects whose functions are native.
#include "compiler/types/object_type.h"

#include <functional>

namespace pupc {

/// A block given to a native function of an object.
struct ObjectBlock {
  std::function<Value(std::span<const Value>)> call;
  size_t parameters = 0;
};

/// An object whose functions are native. Lives in an arena: holds nothing that needs freeing.
struct NativeObject : ObjectValue {
  /// Calls a function that the object's type declares with arguments that fit. `block` may be null. Throws CompileError without place.
  virtual Value call(std::string_view function, std::span<const Value> args, const ObjectBlock* block) const = 0;
  /// Equal for objects that keep their values in one place, in one compile.
  virtual uint64_t kept_place() const = 0;
};
inline const NativeObject* as_native_object(const Value& v) {
  return v.is(Kind::Object) ? dynamic_cast<const NativeObject*>(v.opaque) : nullptr;
}

/// `context.not_found()`: passes through code to the lookup that called it.
struct KeyNotFoundSignal {};

/// Puppet::LookupContext; lives as long as the process.
const ObjectType* lookup_context_type();
/// The type that "Puppet::LookupContext", "Puppet::LookupKey" or "Puppet::LookupValue" names (in any case); null for other names.
const Type* lookup_type(std::string_view name);

} // namespace pupc
