#pragma once
// Values of the language: 16 bytes, trivially copyable, immutable. The data they point to lives in an Arena (of a parsed
// file, an environment or a compile) and dies with it. Build lists and hashes with ListBuilder/HashBuilder.
//   This code knows no ASTs, scopes or Pcore types: a type is an Opaque with hooks.
#include "catalog/base/arena.h"
#include "catalog/base/assert.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pupc::catalog {

enum class Kind : uint8_t {
  Undef,
  Default,
  Bool,
  Int,
  Float,
  String,
  Regex,
  List,
  Hash,
  Type,      // Opaque: a Pcore type; in the language resource and class references are types, too
  Ref,       // a resource reference as the catalog stores it (type name and title)
  Sensitive, // wraps one value
  Deferred,  // name and arguments
  Timestamp, // nanoseconds since the epoch, UTC
  Timespan,  // nanoseconds
  SemVer,
  SemVerRange,
  Binary, // bytes
  Uri,
  Object,   // instance of a Pcore Object type (Opaque)
  Iterator, // a sequence for iterating functions (Opaque, from compiler/types)
  Callable, // a lambda or function value (Opaque, from compiler/eval)
};

struct Value;
struct List;
struct Hash;
class Regex;
struct DeferredData;
struct SemVer;
struct SemVerRange;
struct ResourceRef;

/// A value whose meaning the catalog does not know: a type, an object, a closure. The catalog prints, compares and
/// serialises it through these hooks, which compiler/ implements.
struct Opaque {
  virtual std::string to_string() const = 0;
  virtual bool equals(const Opaque& other) const = 0;
  virtual uint64_t hash() const = 0;
  /// The rich data form of the value: a hash with `__ptype`, built in `arena`. See catalog/json/rich_data.h.
  virtual Value to_rich_data(Arena& arena) const = 0;

protected:
  Opaque() = default;
  Opaque(const Opaque&) = default;
  ~Opaque() = default; // never destroyed through the base: arena objects
};

struct Value {
  Kind kind = Kind::Undef;
  uint8_t flags = 0;
  uint16_t aux = 0;
  uint32_t len = 0; // String, Binary, Uri: bytes
  union {
    int64_t i = 0;
    double d;
    bool b;
    const char* s;
    const List* list;
    const Hash* hash;
    const Regex* regex;
    const Opaque* opaque;
    const Value* inner;
    const DeferredData* deferred;
    const SemVer* semver;
    const SemVerRange* semver_range;
    const ResourceRef* ref;
  };

  static constexpr Value undef() { return {}; }
  static constexpr Value default_value() { return tagged(Kind::Default); }
  static constexpr Value boolean(bool v) {
    Value r = tagged(Kind::Bool); // with all bits of `i`
    r.b = v;
    return r;
  }
  static constexpr Value integer(int64_t v) { return {.kind = Kind::Int, .i = v}; }
  static constexpr Value floating(double v) { return {.kind = Kind::Float, .d = v}; }
  /// A view of bytes that outlive the value (source text, literal, arena). Use Arena::copy for temporaries.
  static constexpr Value string(std::string_view v) { return bytes(Kind::String, v); }
  static constexpr Value binary(std::string_view v) { return bytes(Kind::Binary, v); }
  static constexpr Value uri(std::string_view v) { return bytes(Kind::Uri, v); }
  static constexpr Value of(const List* v) { return {.kind = Kind::List, .list = v}; }
  static constexpr Value of(const Hash* v) { return {.kind = Kind::Hash, .hash = v}; }
  static constexpr Value of(const Regex* v) { return {.kind = Kind::Regex, .regex = v}; }
  static constexpr Value of(const DeferredData* v) { return {.kind = Kind::Deferred, .deferred = v}; }
  static constexpr Value of(const SemVer* v) { return {.kind = Kind::SemVer, .semver = v}; }
  static constexpr Value of(const SemVerRange* v) { return {.kind = Kind::SemVerRange, .semver_range = v}; }
  static constexpr Value of(const ResourceRef* v) { return {.kind = Kind::Ref, .ref = v}; }
  static constexpr Value timestamp(int64_t ns) { return {.kind = Kind::Timestamp, .i = ns}; }
  static constexpr Value timespan(int64_t ns) { return {.kind = Kind::Timespan, .i = ns}; }
  static constexpr Value type(const Opaque* v) { return {.kind = Kind::Type, .opaque = v}; }
  static constexpr Value opaque_of(Kind k, const Opaque* v) { return {.kind = k, .opaque = v}; }
  static Value sensitive(Arena& a, Value v);

  constexpr bool is(Kind k) const { return kind == k; }
  constexpr bool is_undef() const { return kind == Kind::Undef; }
  constexpr bool is_string() const { return kind == Kind::String; }
  constexpr bool is_int() const { return kind == Kind::Int; }
  constexpr bool is_float() const { return kind == Kind::Float; }
  constexpr bool is_number() const { return kind == Kind::Int || kind == Kind::Float; }
  constexpr bool is_bool() const { return kind == Kind::Bool; }
  constexpr bool is_list() const { return kind == Kind::List; }
  constexpr bool is_hash() const { return kind == Kind::Hash; }
  constexpr bool is_type() const { return kind == Kind::Type; }
  /// Puppet's truth: everything except undef and false is true.
  constexpr bool truthy() const { return kind == Kind::Bool ? b : kind != Kind::Undef; }
  /// Bytes of a String, Binary or Uri.
  constexpr std::string_view str() const {
    PUPC_ASSERT(kind == Kind::String || kind == Kind::Binary || kind == Kind::Uri, "only texts have bytes");
    return {s, len};
  }
  /// Elements of a List.
  std::span<const Value> items() const;
  /// The wrapped value of a Sensitive.
  const Value& unwrap() const {
    PUPC_ASSERT(kind == Kind::Sensitive, "only a Sensitive wraps a value");
    return *inner;
  }

private:
  static constexpr Value tagged(Kind k) {
    Value r;
    r.kind = k;
    return r;
  }
  static constexpr Value bytes(Kind k, std::string_view v) { return {.kind = k, .len = static_cast<uint32_t>(v.size()), .s = v.data()}; }
};
// A catalog stores hundreds of thousands of parameters and list elements, so larger values would cost much memory.
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

struct List {
  uint32_t size;
  const Value* data;
  std::span<const Value> items() const { return {data, size}; }
};

struct HashEntry {
  Value key;
  Value value;
};

/// A hash in insertion order. Keys compare as with Ruby's eql? (case matters, 1 and 1.0 differ). An index exists only above 8 entries.
struct Hash {
  uint32_t size;
  uint32_t index_mask; // 0 = no index
  const HashEntry* data;
  const uint32_t* index; // entry number + 1, 0 = empty; open addressing

  std::span<const HashEntry> entries() const { return {data, size}; }
  /// Value of `key`, or null.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const { return find(Value::string(key)); }
};

struct DeferredData {
  std::string_view name;
  const List* arguments; // may be null: none given
};

/// A reference to a resource by type and title, e.g. File['/tmp']. `type` is capitalised as catalogs print it.
struct ResourceRef {
  std::string_view type;
  std::string_view title;
};

/// `Type[title]`.
std::string to_string(const ResourceRef& ref);

/// Strict equality like Ruby's eql?: same kind and content.
bool eql(const Value& a, const Value& b);
uint64_t hash_of(const Value& v);

inline std::span<const Value> Value::items() const {
  PUPC_ASSERT(kind == Kind::List, "only a List has items");
  return list->items();
}

/// Collects values, then freezes them into an arena List.
class ListBuilder {
public:
  explicit ListBuilder(Arena& arena, size_t reserve = 0) : arena_(arena) { items_.reserve(reserve); }
  void add(Value v) { items_.push_back(v); }
  void add_all(std::span<const Value> vs) { items_.insert(items_.end(), vs.begin(), vs.end()); }
  size_t size() const { return items_.size(); }
  Value& operator[](size_t i) { return items_[i]; }
  std::vector<Value>& items() { return items_; }
  Value finish();
  const List* finish_list();

private:
  Arena& arena_;
  std::vector<Value> items_;
};

Value make_list(Arena& arena, std::span<const Value> items);

/// Collects entries, then freezes them into an arena Hash. Setting a key again replaces its value and keeps its position.
class HashBuilder {
public:
  explicit HashBuilder(Arena& arena, size_t reserve = 0) : arena_(arena) { entries_.reserve(reserve); }
  HashBuilder(Arena& arena, const Hash& from);
  void set(Value key, Value value);
  void set(std::string_view key, Value value) { set(Value::string(key), value); } // key must outlive the hash
  bool erase(const Value& key);
  const Value* find(const Value& key) const;
  size_t size() const { return entries_.size(); }
  Value finish();
  const Hash* finish_hash();

private:
  void reindex();
  Arena& arena_;
  std::vector<HashEntry> entries_;
  std::vector<uint32_t> index_; // same form as Hash::index, built above 8 entries
};

} // namespace pupc::catalog
