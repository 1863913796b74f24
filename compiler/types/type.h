#pragma once
// Puppet's data types (Pcore) as immutable arena objects, and the questions that other code may ask about them.
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler {

enum class TypeKind : uint8_t {
  Any,
  Undef,
  Unit,
  NotUndef,
  Default,
  Scalar,
  ScalarData,
  Data,
  RichData,
  RichDataKey,
  Numeric,
  Integer,
  Float,
  Boolean,
  String,
  Enum,
  Pattern,
  Regexp,
  Collection,
  Array,
  Hash,
  Tuple,
  Struct,
  Variant,
  Optional,
  Type,
  Callable,
  Iterable,
  Iterator,
  Sensitive,
  Binary,
  Timestamp,
  Timespan,
  SemVer,
  SemVerRange,
  Uri,
  Init,
  Runtime,
  TypeReference,
  TypeAlias,
  TypeSet,
  Object,
  Deferred,
  Error,
  Resource,
  Class,
  CatalogEntry,
  ObjectExtension,
};

struct Type : Opaque {
  TypeKind kind;
  explicit Type(TypeKind k) : kind(k) {}
  // From Opaque. to_string() gives the type as Puppet prints it, e.g. "Array[Integer[0, 10], 1]".
  std::string to_string() const override;
  bool equals(const Opaque& other) const override;
  uint64_t hash() const override;
  Value to_rich_data(Arena& arena) const override;
};
// Concrete structs (IntegerType, ArrayType, StructType, CallableType, ResourceType, ClassType, TypeAliasType, …) are in types/*.h.

inline const Type* as_type(const Value& v) { return v.is(Kind::Type) ? static_cast<const Type*>(v.opaque) : nullptr; }

/// What the type system needs from its surroundings, such as loading an alias by name. The evaluator implements it, one per compile.
class TypeContext {
public:
  TypeContext(Arena& a, RegexCache& r) : arena(a), regexes(r) {}
  virtual ~TypeContext() = default;
  /// The type declared as `name` (with capitals, e.g. "Stdlib::Port"): an alias, an Object or a TypeSet. Null when there is none.
  virtual const Type* load_type(std::string_view name) = 0;
  /// Whether `name` (lower case) is a known native type or define. If so, Foo means Resource['foo'].
  virtual bool resource_type_exists(std::string_view name) = 0;

  Arena& arena;
  RegexCache& regexes;
};

/// The built-in type of that name ("Integer", "Array", in any case), without parameters, or null.
const Type* builtin_type(std::string_view name);
/// The types Resource['file'], Resource['file', 'title'] and Class['a::b']. An empty title or class name means none.
const Type* resource_type(Arena& arena, std::string_view type_name, std::string_view title = {});
const Type* class_type(Arena& arena, std::string_view class_name = {});
/// Sets `out` to the reference that a Resource or Class type with a title stands for (type name capitalised). False for other types.
bool type_to_ref(const Type* type, ResourceRef& out);

/// Wrong parameters of a type for which Puppet has an issue of its own ("Array-Type[] accepts 1 to 3 arguments. Got 4"). The
/// message has neither "Evaluation Error: " nor a place: the evaluator adds both. `key` is the index of the wrong argument, -1 for the
/// whole expression, -2 for its left side. Where Puppet raises ArgumentError, this code throws a plain CompileError without a place
/// instead: the evaluator turns it into "Error while evaluating a '[]' expression, …".
class TypeArgumentError : public CompileError {
public:
  TypeArgumentError(int blamed_key, std::string message) : CompileError(make(std::move(message))), key(blamed_key) {}
  int key;

private:
  static Diagnostic make(std::string message) {
    Diagnostic d;
    d.code = ErrorCode::invalid_type;
    d.message = std::move(message);
    return d;
  }
};

/// `base[args...]`, the access operator on types: returns the type with parameters, or a resource reference (a List of them for
/// several titles). `base` has no title: the evaluator itself reads parameters of resources.
/// Throws TypeArgumentError or CompileError (without a place) with Puppet's message for wrong parameters.
Value parameterize(TypeContext& ctx, const Type* base, std::span<const Value> args);

/// Reads a type from its printed form ("Optional[String[1]]"). Throws CompileError. Used for function signatures and Type("...").
const Type* parse_type(TypeContext& ctx, std::string_view text);

const Type* infer(TypeContext& ctx, const Value& v);          // Puppet's infer (common element types)
const Type* infer_detailed(TypeContext& ctx, const Value& v); // infer_set: tuples and structs
bool is_instance(TypeContext& ctx, const Type* type, const Value& v);
bool is_assignable(TypeContext& ctx, const Type* to, const Type* from);
const Type* common_type(TypeContext& ctx, const Type* a, const Type* b);
const Type* generalize(TypeContext& ctx, const Type* t);
/// The type that an alias stands for, through any number of aliases.
const Type* resolve_alias(TypeContext& ctx, const Type* t);

/// Puppet's text for a value of the wrong type, e.g. "parameter 'x' expects an Integer value, got String".
/// The text begins with `subject` ("parameter 'x'", "function f return value", …).
std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Value& actual);
std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Type* actual);

/// A value of Kind::Callable: a closure of compiler/eval. Inference and instance checks ask it for its Callable type.
struct CallableValue : Opaque {
  virtual const Type* callable_type(TypeContext& ctx) const = 0;

protected:
  ~CallableValue() = default;
};

/// Callable[params..., min, max, block] (and return type). `max` < 0 = unlimited, `block` and `returns` may be null (none, any).
const Type* callable_type(Arena& arena, std::span<const Type* const> params, int64_t min, int64_t max, const Type* block = nullptr,
                          const Type* returns = nullptr);

/// One signature of a function, for the message when no signature fits. `names`: the parameters without $. `callable`: a Callable type.
struct CallSignature {
  const Type* callable = nullptr;
  std::span<const std::string_view> names;
  std::string_view block_name;
};
/// Puppet's text for arguments that no signature accepts (describe_signatures in its TypeMismatchDescriber):
/// "'each' expects a Hash value, got Integer", "'f' expects 1 argument, got 2", "The function 'g' was called with arguments it
/// does not accept. It expects one of:\n  (…)\n    rejected: …". `function` is "lambda" for blocks. `block` is the given
/// block's type, null = none given.
std::string describe_signatures(TypeContext& ctx, std::string_view function, std::span<const CallSignature> signatures,
                                std::span<const Value> args, const Type* block);

/// A declared parameter of a class or define. `optional`: the parameter needs no value, because it has a default.
struct ParameterDescription {
  std::string_view name;
  const Type* type = nullptr; // null = Any
  bool optional = false;
  const Type* result = nullptr; // declared return type of a Deferred value's function; null: no check
};
/// Puppet's text for attributes that a class or define does not accept: "Class[Foo]: parameter 'x' expects …". It holds all problems,
/// and is empty when everything fits. For a Deferred value, checks `result` without its type parameters. `missing_ok`: a parameter
/// without a value is no problem.
std::string describe_parameters(TypeContext& ctx, std::string_view subject, std::span<const ParameterDescription> declared,
                                std::span<const HashEntry> given, bool missing_ok = false);

/// Name of a value's type as messages show it: "Integer", "String", "Hash", "Undef"…
std::string type_name_of(TypeContext& ctx, const Value& v);

/// A value as string interpolation prints it (Puppet's StringConverter with default formats): undef is "", arrays "[1, 2]".
std::string to_display_string(TypeContext& ctx, const Value& v);
/// A value as Puppet source (with quoted strings), for messages and for the elements of arrays and hashes.
std::string to_program_string(TypeContext& ctx, const Value& v);

} // namespace pupc::compiler
