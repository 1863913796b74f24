#pragma once
// Objects of Ruby classes that the language lacks: values of its Runtime types. Ruby keeps them; here are what they are told by.
#include "compiler/types/object_type.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace pupc {

struct RuntimeObject;

/// Where the objects live: compares and prints them as Ruby does.
struct RuntimeObjectHost {
  virtual bool same(const RuntimeObject& a, const RuntimeObject& b) const = 0;
  virtual std::string text(const RuntimeObject& object) const = 0;

protected:
  ~RuntimeObjectHost() = default;
};

/// One for each of Ruby's objects: an object that travels again is the same one. Lives in an arena.
struct RuntimeObject final : ObjectValue {
  uint32_t number = 0; // in Ruby's table
  bool module = false; // a class or module itself: its type is Type[Runtime['ruby', NAME]]
  int64_t ruby_hash = 0;
  std::span<const std::string_view> classes; // the object's class and what it descends from and includes; of a module its own name
  const RuntimeObjectHost* host = nullptr;
  std::string_view symbol; // of a Symbol its name, with a data() that is not null: nobody has to be asked for it

  RuntimeObject();
  bool is_symbol() const { return symbol.data() != nullptr; }
  std::string_view class_name() const { return classes.empty() ? std::string_view("Object") : classes.front(); }
  /// What its to_s gives now.
  std::string to_string() const;
  bool equals(const Opaque& other) const;
  uint64_t hash() const { return static_cast<uint64_t>(ruby_hash); }
  Value to_rich_data(Arena& arena) const { return Value::string(arena.copy(to_string())); }
};

inline const RuntimeObject* as_runtime_object(const Value& v) {
  return v.is(Kind::Object) ? dynamic_cast<const RuntimeObject*>(v.opaque) : nullptr;
}

/// Ruby's Symbol of that name.
Value ruby_symbol(Arena& arena, std::string_view name);
/// The value with names in the place of symbols, at any depth.
Value symbols_as_texts(Arena& arena, const Value& v);

/// Whether there is such an object in the value, at any depth: it is no data then.
inline bool holds_runtime_object(const Value& v) {
  if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), [](const Value& item) { return holds_runtime_object(item); });
  if (v.is_hash())
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return holds_runtime_object(e.key) || holds_runtime_object(e.value); });
  return as_runtime_object(v) != nullptr;
}

/// Runtime['ruby', CLASS], for a class or module Type of that.
const Type* runtime_object_type(TypeContext& ctx, const RuntimeObject& object);
/// Whether the object is an instance of a type other than those that take everything or a choice of types.
bool runtime_object_instance(TypeContext& ctx, const Type* type, const RuntimeObject& object);

} // namespace pupc
