#pragma once
// Objects whose class the language does not have: values of Runtime types. Most are Ruby's and stay there; the compiler holds proxies for
// them. A collector is one of the compiler's own (compiler/resources).
#include "compiler/types/object_type.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace pupc::compiler {

struct RuntimeObject;

/// Where the objects live: a Ruby process, or the compiler. It compares and prints them.
struct RuntimeObjectHost {
  virtual bool same(const RuntimeObject& a, const RuntimeObject& b) const = 0;
  virtual std::string text(const RuntimeObject& object) const = 0;

protected:
  ~RuntimeObjectHost() = default;
};

/// The proxy of one object. An object that arrives again gets the same proxy. Lives in an arena.
struct RuntimeObject final : ObjectValue {
  uint32_t number = 0; // the object's number in the table of its host
  bool in_ruby = true; // else Ruby code gets a handle
  bool module = false; // a class or module itself: its type is Type[Runtime['ruby', NAME]]
  int64_t ruby_hash = 0;
  std::span<const std::string_view> classes; // the object's class and all its ancestors; for a module its own name
  const RuntimeObjectHost* host = nullptr;
  std::string_view symbol; // a Symbol's name (data() is not null), known without asking Ruby
  std::string_view date;   // a Date as text (not empty), likewise

  RuntimeObject();
  bool is_symbol() const { return symbol.data() != nullptr; }
  bool is_date() const { return !date.empty(); }
  std::string_view class_name() const { return classes.empty() ? std::string_view("Object") : classes.front(); }
  /// What the object's to_s returns now.
  std::string to_string() const override;
  bool equals(const Opaque& other) const override;
  uint64_t hash() const override { return static_cast<uint64_t>(ruby_hash); }
  Value to_rich_data(Arena& arena) const override { return Value::string(arena.copy(to_string())); }
};

inline const RuntimeObject* as_runtime_object(const Value& v) {
  return v.is(Kind::Object) && as_object(v)->form == ObjectValue::Form::Runtime ? static_cast<const RuntimeObject*>(v.opaque) : nullptr;
}

/// Ruby's Symbol with that name.
Value ruby_symbol(Arena& arena, std::string_view name);
/// Ruby's Date of a text YYYY-MM-DD, which the caller has checked.
Value ruby_date(Arena& arena, std::string_view text);
/// The value with every Symbol, at any depth, replaced by its name.
Value symbols_as_texts(Arena& arena, const Value& v);

/// Whether the value contains a Ruby object at any depth. Such a value is not data.
inline bool holds_runtime_object(const Value& v) {
  if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), [](const Value& item) { return holds_runtime_object(item); });
  if (v.is_hash())
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return holds_runtime_object(e.key) || holds_runtime_object(e.value); });
  return as_runtime_object(v) != nullptr;
}

/// The type of a Ruby object: Runtime['ruby', CLASS]; for a class or module Type[Runtime['ruby', NAME]].
const Type* runtime_object_type(TypeContext& ctx, const RuntimeObject& object);
/// Whether the object is an instance of `type`. The caller has handled types such as Any and Variant.
bool runtime_object_instance(TypeContext& ctx, const Type* type, const RuntimeObject& object);

} // namespace pupc::compiler
