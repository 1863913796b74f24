// Type[...]: parameterised types and references to resources and classes, as Puppet's access operator makes them.
#include "catalog/base/stack.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver_range.h"
#include "catalog/value/time_text.h"
#include "compiler/types/alias_step.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_definition.h"
#include "compiler/types/pcore_aliases.h"
#include "compiler/types/ruby_class.h"
#include "compiler/types/semver_type.h"
#include "compiler/types/type_error.h"
#include "compiler/types/uri_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace pupc::compiler {
namespace {

constexpr int blame_all = -1, blame_left = -2;
constexpr int64_t unlimited = -1;

/// Throws the errors that Puppet raises as plain ArgumentError, without an issue.
[[noreturn]] void issue(int key, std::string message) { throw TypeArgumentError(key, std::move(message)); }

std::string with_article(const std::string& label, bool upper = false) {
  size_t at = !label.empty() && (label[0] == '"' || label[0] == '\'') ? 1 : 0;
  bool vowel = at < label.size() && std::string_view("aeiouyAEIOUY").find(label[at]) != std::string_view::npos;
  return std::string(upper ? "A" : "a") + (vowel ? "n " : " ") + label;
}
std::string label_of_type(const Type* t) { return t->to_string() + "-Type"; }

/// Puppet's label for the class of a value. For a type this is its name.
std::string class_label(const Value& v) {
  std::string name = ruby_class_name(v);
  constexpr std::string_view prefix = "Puppet::Pops::Types::P";
  if (!v.is_type()) return name;
  return name.substr(prefix.size(), name.size() - prefix.size() - 4) + "-Type";
}

bool range_parameter(const Value& v) { return v.is_int() || v.is(Kind::Default); }

Range range_of(const Value& from, const Value& to) {
  Range r;
  r.from_open = !from.is_int();
  r.to_open = !to.is_int();
  if (!r.from_open) r.from = from.i;
  if (!r.to_open) r.to = to.i;
  if (r.finite() && r.from > r.to) fail_type(fmt::format("'from' must be less or equal to 'to'. Got ({}, {}", r.from, r.to));
  return r;
}

/// Whether `s` is a name of segments that each begin with a letter of one case, followed by word characters. A leading :: is allowed.
bool segments(std::string_view s, bool capital) {
  bool start = true;
  if (s.starts_with("::")) s.remove_prefix(2);
  for (size_t i = 0; i < s.size(); ++i) {
    char ch = s[i];
    if (start) {
      if (capital ? ch < 'A' || ch > 'Z' : ch < 'a' || ch > 'z') return false;
      start = false;
    } else if (ch == ':') {
      if (i + 1 >= s.size() || s[i + 1] != ':') return false;
      ++i;
      start = true;
    } else if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '_') {
      return false;
    }
  }
  return !start;
}

class Parameterizer {
public:
  Parameterizer(TypeContext& c, const Type* t, std::span<const Value> a) : ctx(c), arena(c.arena), base(t), raw(a) {
    keys.reserve(raw.size());
    flatten(raw, keys);
  }

  Value run() {
    switch (base->kind) {
    case TypeKind::Resource: return resource_references();
    case TypeKind::Class: return class_references();
    default: return Value::type(parameterized());
    }
  }

private:
  TypeContext& ctx;
  Arena& arena;
  const Type* base;
  std::span<const Value> raw;
  std::vector<Value> keys; // the arguments, flattened

  static void flatten(std::span<const Value> from, std::vector<Value>& into) {
    check_native_stack();
    for (const Value& v : from) {
      if (v.is_list())
        flatten(v.items(), into);
      else
        into.push_back(v);
    }
  }

  // -- errors

  [[noreturn]] void arity(const std::string& name, int64_t min, std::optional<int64_t> max, size_t given, int key = blame_all) {
    if (max == unlimited) issue(key, fmt::format("{}[] accepts {} or more arguments. Got {}", name, min, given));
    if (max && *max != min) issue(key, fmt::format("{}[] accepts {} to {} arguments. Got {}", name, min, *max, given));
    issue(key, fmt::format("{}[] accepts {} argument{}. Got {}", name, min, min == 1 ? "" : "s", given));
  }
  std::string labelled() { return with_article(label_of_type(base), true); }
  std::string plain_name() { return std::string(type_base_name(base)) + "-Type"; }

  std::string key_type_name(const Value& v) {
    if (v.is_undef()) return "Undef";
    if (v.is(Kind::Default)) return "Default";
    return generalize(ctx, infer(ctx, v))->to_string();
  }
  [[noreturn]] void bad_specialization(size_t i, const Value& given, std::string_view expected) {
    issue(static_cast<int>(i), fmt::format("Error creating type specialization of {}, Cannot use {} where {} is expected",
                                           with_article(label_of_type(base)), key_type_name(given), expected));
  }
  /// Checks first the number of keys, then the class of each, because Puppet reports them in this order.
  template <class Allowed>
  void assert_keys(std::span<const Value> given, size_t min, int64_t max, std::string_view expected, Allowed allowed) {
    if (given.size() < min || (max != unlimited && given.size() > static_cast<size_t>(max))) arity(labelled(), 1, max, given.size());
    for (size_t i = 0; i < given.size(); ++i)
      if (!allowed(given[i])) bad_specialization(i, given[i], expected);
  }
  static bool is_type(const Value& v) { return v.is_type(); }
  std::vector<const Type*> types_of(std::span<const Value> given) {
    std::vector<const Type*> out;
    for (const Value& v : given) out.push_back(as_type(v));
    return out;
  }
  [[noreturn]] void not_a_type(size_t i, const Value& given) {
    issue(static_cast<int>(i), fmt::format("{}[] arguments must be types. Got {}", plain_name(), ruby_class_name(given)));
  }
  const Type* type_argument(size_t i) {
    if (as_type(keys[i]) == nullptr) not_a_type(i, keys[i]);
    return as_type(keys[i]);
  }

  // -- parts

  Range collection_size(size_t begin, size_t count) {
    if (count == 1)
      if (const Type* t = as_type(keys[begin]); t != nullptr && t->kind == TypeKind::Integer) return type_cast<RangeType>(t).range;
    for (size_t i = begin; i < begin + count; ++i)
      if (!range_parameter(keys[i]))
        issue(static_cast<int>(i),
              fmt::format("A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {}",
                          with_article(class_label(keys[i]))));
    return range_of(keys[begin], count > 1 ? keys[begin + 1] : Value::default_value());
  }

  const Regex* regex(std::string_view source) {
    try {
      return ctx.regexes.get(source);
    } catch (const RegexError& e) { fail_type(fmt::format("{}: /{}/", e.message, source)); }
  }

  const Type* runtime_type(std::string_view runtime, std::string_view name) {
    if (name.empty())
      fail_type("Runtime 'name_or_pattern' has wrong type, expects a value of type String[1] or Tuple[Regexp, String[1]], got String");
    return arena.make<RuntimeType>(runtime, name);
  }
  const Type* ruby_class_type(std::string_view name) { return runtime_type("ruby", name); }

  /// The type that Puppet uses when it expects a type and gets a value: a text names a Ruby class, any other value stands for its type.
  const Type* type_of(const Value& v) {
    if (const Type* t = as_type(v)) return t;
    if (v.is_string()) return ruby_class_type(v.str());
    return generalize(ctx, infer(ctx, v));
  }

  const Type* parameterized() {
    switch (base->kind) {
    case TypeKind::Boolean:
      assert_keys(keys, 1, 1, "TrueClass or FalseClass", [](const Value& v) { return v.is_bool(); });
      return types::boolean(keys[0].b);
    case TypeKind::Integer:
      if (keys.empty() || keys.size() > 2)
        issue(blame_all, fmt::format("Integer-Type supports [] with one or two arguments (from, to). Got {}", keys.size()));
      for (size_t i = 0; i < keys.size(); ++i)
        if (!range_parameter(keys[i]))
          issue(static_cast<int>(i),
                fmt::format("Integer-Type [] requires all arguments to be integers (or default). Got {}", ruby_class_name(keys[i])));
      return types::integer(arena, range_of(keys[0], keys.size() > 1 ? keys[1] : Value::default_value()));
    case TypeKind::Float: return float_type();
    case TypeKind::String:
      if (keys.empty() || keys.size() > 2)
        issue(blame_all, fmt::format("String supports [] with one or two arguments. Got {}", keys.size()));
      return types::string_sized(arena, collection_size(0, keys.size()));
    case TypeKind::Enum: return enum_type();
    case TypeKind::Pattern: return pattern_type();
    case TypeKind::Regexp:
      if (keys.size() != 1) arity(labelled(), 1, std::nullopt, keys.size(), keys.empty() ? blame_all : 1);
      assert_keys(keys, 1, 1, "String or Regexp", [](const Value& v) { return v.is_string() || v.is(Kind::Regex); });
      return arena.make<RegexpType>(keys[0].is(Kind::Regex) ? keys[0].regex : regex(keys[0].str()));
    case TypeKind::Collection:
      if (keys.empty() || keys.size() > 2) arity(plain_name(), 1, 2, keys.size());
      return arena.make<SizedType>(TypeKind::Collection, to_size(collection_size(0, keys.size())), true);
    case TypeKind::Array: return array_type();
    case TypeKind::Hash: return hash_type();
    case TypeKind::Tuple: return tuple_type();
    case TypeKind::Struct: assert_keys(raw, 1, 1, "Hash", [](const Value& v) { return v.is_hash(); }); return struct_of(*raw[0].hash);
    case TypeKind::Variant: assert_keys(keys, 1, unlimited, "Any-Type", is_type); return types::variant(arena, types_of(keys));
    case TypeKind::Optional:
      if (keys.size() != 1) arity(plain_name(), 1, std::nullopt, keys.size());
      if (keys[0].is_string()) return types::wrapper(arena, TypeKind::Optional, types::string_literal(arena, keys[0].str()));
      return types::wrapper(arena, TypeKind::Optional, type_argument(0));
    case TypeKind::NotUndef:
      if (keys.empty()) return types::not_undef_any();
      if (keys.size() > 1) arity(plain_name(), 0, 1, keys.size());
      if (keys[0].is_string()) return types::wrapper(arena, TypeKind::NotUndef, types::string_literal(arena, keys[0].str()));
      if (!keys[0].is_type())
        issue(0, fmt::format("NotUndef-Type[] argument must be a Type or a String. Got {}", ruby_class_name(keys[0])));
      return types::wrapper(arena, TypeKind::NotUndef, as_type(keys[0]));
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
      if (keys.size() != 1) arity(plain_name(), 1, std::nullopt, keys.size());
      return types::wrapper(arena, base->kind, type_argument(0));
    case TypeKind::Sensitive:
      if (keys.size() != 1) arity(plain_name(), 1, std::nullopt, keys.size());
      return types::wrapper(arena, base->kind, generalize(ctx, type_argument(0)));
    case TypeKind::Callable: return callable_of();
    case TypeKind::Timestamp:
    case TypeKind::Timespan: return time_type();
    case TypeKind::SemVer: {
      assert_keys(keys, 1, unlimited, "String or SemanticPuppet::VersionRange",
                  [](const Value& v) { return v.is_string() || v.is(Kind::SemVerRange); });
      std::vector<const SemVerRange*> ranges;
      for (const Value& v : keys) {
        ranges.push_back(v.is_string() ? parse_semver_range(arena, v.str()) : v.semver_range);
        if (ranges.back() == nullptr) fail_type(fmt::format("Unparsable version range: \"{}\"", v.str()));
      }
      return semver_type(arena, ranges);
    }
    case TypeKind::Init: {
      if (raw.empty() || !raw[0].is_type())
        issue(0, fmt::format("Init-Type[] arguments must be types. Got {}", raw.empty() ? "NilClass" : ruby_class_name(raw[0])));
      std::span<const Value> rest(raw.data() + 1, raw.size() - 1);
      return arena.make<InitType>(as_type(raw[0]), std::span<const Value>(arena.copy_span<Value>(rest)));
    }
    case TypeKind::Uri:
      if (keys.size() != 1) arity(plain_name(), 1, std::nullopt, keys.size());
      if (!(keys[0].is_string() && keys[0].len > 0) && !(keys[0].is_hash() && uri_parameters_valid(ctx, *keys[0].hash)))
        not_a_type(0, keys[0]);
      if (const Type* form = pcore_alias("Pcore::URI"); keys[0].is_string() && !is_instance(ctx, form, keys[0]))
        fail_type(describe_mismatch(ctx, "URI-Type parameter has wrong type,", type_cast<TypeAliasType>(form).resolved, keys[0]));
      return arena.make<UriType>(uri_type_parameters(ctx, keys[0]));
    case TypeKind::Runtime:
      assert_keys(keys, 2, 2, "String or String", [](const Value& v) { return v.is_string(); });
      return runtime_type(keys[0].str(), keys[1].str());
    case TypeKind::Object:
    case TypeKind::Deferred:
    case TypeKind::Error: return parameterize_object(ctx, base, keys);
    case TypeKind::TypeSet:
      if (keys.size() != 1) arity("TypeSet-Type", 1, std::nullopt, keys.size());
      return type_set_from_value(ctx, keys[0]);
    case TypeKind::TypeReference: issue(blame_all, fmt::format("Resource type not found: {}", type_cast<TypeReferenceType>(base).text));
    default: issue(blame_left, fmt::format("Operator '[]' is not applicable to {}.", with_article(label_of_type(base))));
    }
  }

  static Range to_size(Range r) {
    if (r.from_open || r.from < 0) {
      r.from_open = false;
      r.from = 0;
      if (!r.to_open && r.to < 0) r.to = 0;
    }
    return r;
  }

  const Type* float_type() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (keys.empty() || keys.size() > 2)
      issue(blame_all, fmt::format("Float-Type supports [] with one or two arguments (from, to). Got {}", keys.size()));
    double bounds[2] = {-infinity, infinity};
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].is_int())
        bounds[i] = static_cast<double>(keys[i].i);
      else if (keys[i].is_float())
        bounds[i] = keys[i].d;
      else if (!keys[i].is(Kind::Default))
        issue(static_cast<int>(i),
              fmt::format("Float-Type [] requires all arguments to be floats, or integers (or default). Got {}", ruby_class_name(keys[i])));
    }
    if (bounds[0] > bounds[1])
      fail_type(fmt::format("'from' must be less or equal to 'to'. Got ({}, {}", format_float(bounds[0]), format_float(bounds[1])));
    return types::floating(arena, bounds[0], bounds[1]);
  }

  const Type* enum_type() {
    bool ignore_case = false;
    if (!keys.empty() && keys.back().is_bool()) {
      ignore_case = keys.back().b;
      keys.pop_back();
    }
    assert_keys(keys, 1, unlimited, "String", [](const Value& v) { return v.is_string(); });
    std::vector<std::string_view> values;
    for (const Value& v : keys) values.push_back(v.str());
    return types::enumeration(arena, values, ignore_case);
  }

  const Type* pattern_type() {
    assert_keys(keys, 1, unlimited, "String or Regexp or Pattern-Type or Regexp-Type", [](const Value& v) {
      const Type* t = as_type(v);
      return v.is_string() || v.is(Kind::Regex) || (t != nullptr && (t->kind == TypeKind::Pattern || t->kind == TypeKind::Regexp));
    });
    std::vector<const Regex*> patterns;
    auto add = [&](const Regex* r) {
      if (std::find(patterns.begin(), patterns.end(), r) == patterns.end()) patterns.push_back(r);
    };
    for (const Value& v : keys) {
      if (v.is(Kind::Regex))
        add(v.regex);
      else if (v.is_string())
        add(regex(v.str()));
      else if (as_type(v)->kind == TypeKind::Pattern)
        for (const Regex* r : type_cast<PatternType>(as_type(v)).patterns) add(r);
      else
        add(type_cast<RegexpType>(as_type(v)).regex != nullptr ? type_cast<RegexpType>(as_type(v)).regex : regex(""));
    }
    return arena.make<PatternType>(std::span<const Regex* const>(arena.copy_span<const Regex*>(patterns)));
  }

  const Type* array_type() {
    switch (keys.size()) {
    case 1: return types::array(arena, type_argument(0));
    case 2:
      if (keys[0].is_type()) return types::array(arena, as_type(keys[0]), collection_size(1, 1), true);
      return types::array(arena, nullptr, collection_size(0, 2), true);
    case 3: {
      if (!keys[0].is_type()) not_a_type(0, keys[0]);
      return types::array(arena, as_type(keys[0]), collection_size(1, 2), true);
    }
    default: arity(plain_name(), 1, 3, keys.size());
    }
  }

  const Type* hash_type() {
    if (keys.size() == 2 && keys[0].is_int() && keys[1].is_int())
      return types::hash(arena, nullptr, nullptr, range_of(keys[0], keys[1]), true);
    for (size_t i = 0; i < std::min<size_t>(2, keys.size()); ++i) type_argument(i);
    switch (keys.size()) {
    case 2: return types::hash(arena, as_type(keys[0]), as_type(keys[1]));
    case 3: {
      const Type* size = as_type(keys[2]);
      if (size == nullptr && !range_parameter(keys[2]) && !keys[2].is_undef())
        fail_type(fmt::format("comparison of {} with Infinity failed", ruby_class_name(keys[2])));
      return types::hash(arena, as_type(keys[0]), as_type(keys[1]),
                         size != nullptr && size->kind == TypeKind::Integer ? type_cast<RangeType>(size).range
                                                                            : range_of(keys[2], Value::default_value()),
                         true);
    }
    case 4: return types::hash(arena, as_type(keys[0]), as_type(keys[1]), collection_size(2, 2), true);
    default: arity(plain_name(), 2, 4, keys.size());
    }
  }

  /// Removes one or two bounds from the end of the list and stores them in `size`.
  static bool take_range(std::vector<Value>& list, Range& size) {
    size_t n = list.size();
    if (n >= 2 && range_parameter(list[n - 2]) && range_parameter(list[n - 1])) {
      size = range_of(list[n - 2], list[n - 1]);
      list.resize(n - 2);
      return true;
    }
    if (n == 0 || !range_parameter(list[n - 1])) return false;
    size = range_of(list[n - 1], Value::default_value());
    list.resize(n - 1);
    return true;
  }

  const Type* tuple_type() {
    Range size;
    bool sized = take_range(keys, size);
    assert_keys(keys, 1, unlimited, "Any-Type", is_type);
    return types::tuple(arena, types_of(keys), size, sized);
  }

  const Type* struct_of(const Hash& h) {
    std::vector<StructElement> elements;
    for (const auto& e : h.entries()) {
      StructElement element{};
      element.value = type_of(e.value);
      const Type* key = as_type(e.key);
      const Type* literal = nullptr;
      if (e.key.is_string()) {
        if (e.key.len == 0) fail_type("Struct element key cannot be an empty String");
        literal = types::string_literal(arena, e.key.str());
        // An alias that is still being resolved cannot be asked yet. It stands for more than undef, so treat the key as required.
        element.optional = !undecided(element.value) && is_assignable(ctx, element.value, types::undef());
      } else if (key != nullptr && (key->kind == TypeKind::Optional || key->kind == TypeKind::NotUndef)) {
        literal = type_cast<WrapperType>(key).inner;
        element.optional = key->kind == TypeKind::Optional;
      } else if (key != nullptr && key->kind == TypeKind::String) {
        literal = key;
      } else if (key != nullptr && key->kind == TypeKind::Enum) {
        if (type_cast<EnumType>(key).values.size() == 1) literal = types::string_literal(arena, type_cast<EnumType>(key).values[0]);
      } else {
        fail_type(
            fmt::format("Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {}", ruby_class_name(e.key)));
      }
      if (literal == nullptr || literal->kind != TypeKind::String || !type_cast<StringType>(literal).has_value)
        fail_type(fmt::format("Unable to extract a non-empty literal string from Struct member key type {}", key->to_string()));
      element.name = type_cast<StringType>(literal).value;
      element.key = element.optional ? types::wrapper(arena, TypeKind::Optional, literal) : literal;
      elements.push_back(element);
    }
    return types::structure(arena, elements);
  }

  /// Callable[params…, min, max, block], Callable[[params…], return type].
  const Type* callable_of() {
    const Type* returns = nullptr;
    std::vector<Value> params(raw.begin(), raw.end());
    if (!raw.empty() && raw[0].is_list()) {
      if (raw.size() != 2) arity(labelled(), 2, 2, raw.size());
      if (!raw[1].is_type()) bad_specialization(1, raw[1], "Any-Type");
      returns = as_type(raw[1]);
      params.assign(raw[0].items().begin(), raw[0].items().end());
    }
    if (returns != nullptr && returns->kind == TypeKind::Any) returns = nullptr;
    const Type* block = nullptr;
    if (!params.empty())
      if (const Type* last = as_type(params.back()); last != nullptr && kind_of_callable(ctx, last)) {
        block = last;
        params.pop_back();
      }
    Range size;
    bool sized = take_range(params, size);
    std::vector<const Type*> list;
    for (const Value& v : params) list.push_back(type_of(v));
    if (list.empty() && sized && (size.to_open || size.to > 0)) list.push_back(types::unit());
    return arena.make<CallableType>(static_cast<const TupleType*>(types::tuple(arena, list, size, sized)), block, returns);
  }

  const Type* time_type() {
    if (keys.size() > 2) arity(labelled(), 0, 2, keys.size());
    bool stamp = base->kind == TypeKind::Timestamp;
    const char* name = stamp ? "Timestamp" : "Timespan";
    Range r;
    for (size_t i = 0; i < keys.size(); ++i) {
      const Value& v = keys[i];
      if (v.is(Kind::Default) || v.is_undef()) continue;
      if (!v.is_number() && !v.is_string() && !v.is_hash() && !v.is(stamp ? Kind::Timestamp : Kind::Timespan))
        fail_type(fmt::format("Unable to create a Puppet::Pops::Time::{} from a {}", name, ruby_class_name(v)));
      if (stamp && v.is_hash() && v.hash->find("string") == nullptr) fail_type("no implicit conversion of nil into String");
      int64_t ns = stamp ? to_timestamp(v) : to_timespan(v);
      (i == 0 ? r.from : r.to) = ns;
      (i == 0 ? r.from_open : r.to_open) = false;
    }
    auto text = [&](int64_t ns) { return to_display_string(ctx, stamp ? Value::timestamp(ns) : Value::timespan(ns)); };
    if (r.finite() && r.from > r.to) fail_type(fmt::format("'from' must be less or equal to 'to'. Got ({}, {}", text(r.from), text(r.to)));
    return types::range(arena, base->kind, r);
  }

  // -- references

  Value results(std::span<const Type* const> list, bool many) {
    if (!many) return list.empty() ? Value::undef() : Value::type(list.back());
    ListBuilder out(arena, list.size());
    for (const Type* t : list) out.add(Value::type(t));
    return out.finish();
  }

  Value resource_references() {
    const auto& r = type_cast<ResourceType>(base);
    std::vector<Value> args(raw.begin(), raw.end());
    // Puppet returns the reference unchanged: Resource[File['x']] is File['x'].
    if (r.type_name.empty() && raw.size() == 1 && raw[0].is_type() && as_type(raw[0])->kind == TypeKind::Resource) return raw[0];
    if (args.empty()) arity(base->to_string(), 1, unlimited, 0);
    std::string name(r.type_name);
    if (name.empty()) {
      const Value first = args[0];
      args.erase(args.begin());
      if (const Type* t = as_type(first); t != nullptr && t->kind == TypeKind::Resource && !type_cast<ResourceType>(t).type_name.empty())
        name = type_cast<ResourceType>(t).type_name;
      else if (first.is_string())
        name = first.len > 0 && first.str()[0] >= 'A' && first.str()[0] <= 'Z'
                   ? std::string(first.str())
                   : capitalized_segments(first.str()); // keep a name that begins with a capital
      else
        issue(0, fmt::format("First argument to Resource[] must be a resource type or a String. Got {}.", key_type_name(first)));
    }
    if (!segments(name, true))
      issue(0, fmt::format("Illegal type reference. The given name '{}' does not conform to the naming rule", name));
    std::string_view kept = arena.copy(name);
    if (args.empty()) return Value::type(arena.make<ResourceType>(kept, std::string_view(), false));
    bool many = args.size() > 1 || args[0].is_list();
    size_t given = args.size();
    std::vector<Value> all, titles;
    flatten(args, all);
    for (const Value& v : all)
      if (!v.is_undef()) titles.push_back(v);
    std::vector<const Type*> list;
    for (size_t i = 0; i < titles.size(); ++i) {
      if (!titles[i].is_string()) bad_specialization(given != titles.size() ? i + 1 : i, titles[i], "a resource title String");
      list.push_back(arena.make<ResourceType>(kept, titles[i].str(), true));
    }
    return results(list, many);
  }

  Value class_references() {
    if (raw.empty()) arity(base->to_string(), 1, unlimited, 0);
    bool many = raw.size() > 1 || raw[0].is_list();
    std::vector<const Type*> list;
    int i = -1;
    for (const Value& v : keys) {
      if (v.is_undef()) continue;
      ++i;
      if (!v.is_string())
        issue(i, fmt::format("Illegal Class name in class reference. {} cannot be used where a String is expected", value_label(v)));
      std::string name(v.str());
      for (char& ch : name)
        if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
      if (name.starts_with("::")) name.erase(0, 2);
      if (!segments(name, false))
        issue(i, fmt::format("Illegal name. The given name '{}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/",
                             v.str()));
      list.push_back(arena.make<ClassType>(arena.copy(name)));
    }
    return results(list, many);
  }
  std::string value_label(const Value& v) {
    if (const Type* t = as_type(v)) {
      if (t->kind == TypeKind::Resource && type_cast<ResourceType>(t).has_title)
        return with_article(t->to_string() + " Resource-Reference", true);
      return with_article(label_of_type(t), true);
    }
    if (v.is(Kind::Default)) return "An Object";
    if (v.is(Kind::SemVerRange)) return "A SemverRange";
    std::string label = label_of(v); // "a String"
    label[0] = 'A';
    return label;
  }
};

} // namespace

Value parameterize(TypeContext& ctx, const Type* base, std::span<const Value> args) { return Parameterizer(ctx, base, args).run(); }

} // namespace pupc::compiler
