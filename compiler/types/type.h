#pragma once
// Puppet's data types (Pcore) as immutable arena objects, and what can be asked of them.
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <span>
#include <string>
#include <string_view>

namespace pupc {

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
  // Opaque: to_string() is the type as Puppet prints it, e.g. "Array[Integer[0, 10], 1]"
  std::string to_string() const override;
  bool equals(const Opaque& other) const override;
  uint64_t hash() const override;
  Value to_rich_data(Arena& arena) const override;
};
// Concrete structs (IntegerType, ArrayType, StructType, CallableType, ResourceType, ClassType, TypeAliasType, …) are in types/*.h.

inline const Type* as_type(const Value& v) { return v.is(Kind::Type) ? static_cast<const Type*>(v.opaque) : nullptr; }

/// What the type system needs from outside; one per compile. Implemented by the evaluator (aliases are loaded by name).
class TypeContext {
public:
  TypeContext(Arena& a, RegexCache& r) : arena(a), regexes(r) {}
  virtual ~TypeContext() = default;
  /// The type that `name` (cased, e.g. "Stdlib::Port") is an alias for, or an Object/TypeSet type; null when there is none.
  virtual const Type* load_type(std::string_view name) = 0;
  /// Whether lower-case `name` is a known resource type (native or define): then Foo is Resource['foo'].
  virtual bool resource_type_exists(std::string_view name) = 0;

  Arena& arena;
  RegexCache& regexes;
};

/// The built-in type of that cased name unparameterised ("Integer", "Array"), or null.
const Type* builtin_type(std::string_view name);
/// Resource['file'] / Resource['file', 'title'] / Class['a::b'] as types. Title empty = none.
const Type* resource_type(Arena& arena, std::string_view type_name, std::string_view title = {});
const Type* class_type(Arena& arena, std::string_view class_name = {});
/// For a Resource or Class type with a title: its reference (type name capitalised); false for anything else.
bool type_to_ref(const Type* type, ResourceRef& out);

/// Wrong parameters of a type where Puppet has an issue of its own ("Array-Type[] accepts 1 to 3 arguments. Got 4"). The
/// message has neither "Evaluation Error: " nor a place: the evaluator adds both. `key` = index of the blamed argument, -1 = the
/// whole expression, -2 = its left side. A plain CompileError without place is what Puppet raises as ArgumentError: the evaluator
/// makes "Error while evaluating a '[]' expression, …" of it.
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

/// `base[args...]` as the evaluator's access operator on types: parameterises, or builds resource references (one or more:
/// a List for several titles). `base` has no title (parameters of resources are the evaluator's business).
/// Throws TypeArgumentError or CompileError (no place set) with Puppet's words for wrong parameters.
Value parameterize(TypeContext& ctx, const Type* base, std::span<const Value> args);

/// Reads a type from its printed form ("Optional[String[1]]"). Throws CompileError. Used for function signatures and Type("...").
const Type* parse_type(TypeContext& ctx, std::string_view text);

const Type* infer(TypeContext& ctx, const Value& v);          // Puppet's infer (common element types)
const Type* infer_detailed(TypeContext& ctx, const Value& v); // infer_set: tuples and structs
bool is_instance(TypeContext& ctx, const Type* type, const Value& v);
bool is_assignable(TypeContext& ctx, const Type* to, const Type* from);
const Type* common_type(TypeContext& ctx, const Type* a, const Type* b);
const Type* generalize(TypeContext& ctx, const Type* t);
/// Follows aliases to what they stand for.
const Type* resolve_alias(TypeContext& ctx, const Type* t);

/// Puppet's mismatch text, e.g. "parameter 'x' expects an Integer value, got String".
/// `subject` is put first as Puppet does ("parameter 'x'", "function f return value", …).
std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Value& actual);
std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Type* actual);

/// What values of Kind::Callable point to (closures of compiler/eval): inference and instance checks ask for its Callable type.
struct CallableValue : Opaque {
  virtual const Type* callable_type(TypeContext& ctx) const = 0;

protected:
  ~CallableValue() = default;
};

/// Callable[params..., min, max, block] (and return type). `max` < 0 = unlimited, `block` and `returns` may be null (none, any).
const Type* callable_type(Arena& arena, std::span<const Type* const> params, int64_t min, int64_t max, const Type* block = nullptr,
                          const Type* returns = nullptr);

/// One way to call a function, for the message when none fits. `names` of the parameters without $; `callable` is a Callable.
struct CallSignature {
  const Type* callable = nullptr;
  std::span<const std::string_view> names;
  std::string_view block_name;
};
/// Puppet's text for arguments that no signature accepts (describe_signatures of its mismatch describer):
/// "'each' expects a Hash value, got Integer", "'f' expects 1 argument, got 2", "The function 'g' was called with arguments it
/// does not accept. It expects one of:\n  (…)\n    rejected: …". `function` is "lambda" for blocks. `block` is the given
/// block's type, null = none given.
std::string describe_signatures(TypeContext& ctx, std::string_view function, std::span<const CallSignature> signatures,
                                std::span<const Value> args, const Type* block);

/// A declared parameter of a class or define. `optional`: it has a default, or a given value is not needed.
struct ParameterDescription {
  std::string_view name;
  const Type* type = nullptr; // null = Any
  bool optional = false;
  const Type* result = nullptr; // of a Deferred value: what its function says it returns; null: nothing, the value is not checked
};
/// Puppet's text for attributes that a class or define does not accept, "Class[Foo]: parameter 'x' expects …", all problems in one
/// text; empty when everything fits. Of Deferred values the `result` is checked, without its parameters. `missing_ok`: parameters without a
/// value are no problem.
std::string describe_parameters(TypeContext& ctx, std::string_view subject, std::span<const ParameterDescription> declared,
                                std::span<const HashEntry> given, bool missing_ok = false);

/// Name of a value's type as messages have it: "Integer", "String", "Hash", "Undef"…
std::string type_name_of(TypeContext& ctx, const Value& v);

/// T.new(args): Puppet's `new` function. Throws CompileError.
Value new_instance(TypeContext& ctx, const Type* type, std::span<const Value> args);

/// A value as string interpolation prints it (Puppet's StringConverter with default formats): undef is "", arrays "[1, 2]".
std::string to_display_string(TypeContext& ctx, const Value& v);
/// A value as Puppet source (strings quoted), used inside arrays and hashes and in messages.
std::string to_program_string(TypeContext& ctx, const Value& v);

} // namespace pupc
