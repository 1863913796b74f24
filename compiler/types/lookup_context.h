#pragma once
// The types in the signatures of Hiera's functions: Puppet::LookupContext, LookupKey and LookupValue. Also the base of objects
// whose functions are implemented in C++.
#include "compiler/types/object_type.h"

#include <functional>

namespace pupc::compiler {

/// A block that the caller passes to a native function of an object.
struct ObjectBlock {
  std::function<Value(std::span<const Value>)> call;
  size_t parameters = 0;
};

/// An object whose functions are implemented in C++. It lives in an arena, so it holds nothing that needs freeing.
struct NativeObject : ObjectValue {
  NativeObject() : ObjectValue(Form::Native) {}
  /// Calls a function that the object's type declares. The caller has checked the arguments against the function's type. `block` may
  /// be null. Throws CompileError without a place.
  virtual Value call(std::string_view function, std::span<const Value> args, const ObjectBlock* block) const = 0;
  /// Names the store behind `cache` and `cached_value`: objects of one compile with the same number share their cached values.
  virtual uint64_t kept_place() const = 0;
  /// Whether that store holds anything.
  virtual bool keeps() const = 0;
  /// Whether a lookup waits for this very call of the function `name`. It answers once: what the function calls must throw
  /// KeyNotFoundSignal.
  virtual bool take_direct_call(std::string_view) const { return false; }
  /// Tells that lookup, in place of KeyNotFoundSignal, that the key was not found: most keys are not in most places, and a throw is dear.
  virtual void miss(bool) const {}
  virtual bool missed() const { return false; }
};
inline const NativeObject* as_native_object(const Value& v) {
  return v.is(Kind::Object) && as_object(v)->form == ObjectValue::Form::Native ? static_cast<const NativeObject*>(v.opaque) : nullptr;
}

/// `context.not_found()` throws this. It unwinds the data function up to the lookup that called it.
struct KeyNotFoundSignal {};

/// Puppet::LookupContext; lives as long as the process.
const ObjectType* lookup_context_type();
/// The type named "Puppet::LookupContext", "Puppet::LookupKey" or "Puppet::LookupValue" (in any case), or null for other names.
const Type* lookup_type(std::string_view name);

} // namespace pupc::compiler
