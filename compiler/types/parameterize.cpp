// Type[...]: parameters of types, and references to resources and classes.
#include "compiler/types/core_types.h"
#include "compiler/types/object_type.h"
#include "compiler/types/semver_range.h"
#include "compiler/types/time_parse.h"

#include <limits>

namespace pupc {
namespace {

/// Name of a value's Ruby class as the reference's messages have it.
std::string ruby_class(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "NilClass";
  case Kind::Default: return "Symbol";
  case Kind::Bool: return v.b ? "TrueClass" : "FalseClass";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::String: return "String";
  case Kind::Regex: return "Regexp";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  case Kind::Type: return fmt::format("Puppet::Pops::Types::P{}Type", type_base_name(as_type(v)));
  default: return "Object";
  }
}

class Parameterizer {
public:
  Parameterizer(TypeContext& c, const Type* t, std::span<const Value> a) : ctx(c), arena(c.arena), base(t), raw(a.begin(), a.end()) { flatten(raw); }

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
  std::vector<Value> raw;
  std::vector<Value> keys; // flattened

  void flatten(const std::vector<Value>& from) {
    for (const Value& v : from) {
      if (v.is_list())
        flatten(std::vector<Value>(v.items().begin(), v.items().end()));
      else
        keys.push_back(v);
    }
  }

  [[noreturn]] void arity(int64_t min, int64_t max, std::string_view type_name = {}) {
    std::string name = type_name.empty() ? fmt::format("{}-Type", type_base_name(base)) : std::string(type_name);
    std::string text;
    if (max < 0)
      text = fmt::format("{}[] accepts {} or more arguments. Got {}", name, min, keys.size());
    else if (max == min || max == 0)
      text = fmt::format("{}[] accepts {} {}. Got {}", name, min, min == 1 ? "argument" : "arguments", keys.size());
    else
      text = fmt::format("{}[] accepts {} to {} arguments. Got {}", name, min, max, keys.size());
    throw TypeArgumentError(-1, text);
  }
  [[noreturn]] void bad_type_argument(size_t i) {
    throw TypeArgumentError(static_cast<int>(i), fmt::format("{}-Type[] arguments must be types. Got {}", type_base_name(base), ruby_class(raw_or_key(i))));
  }
  const Value& raw_or_key(size_t i) { return i < keys.size() ? keys[i] : raw[i]; }
  std::string key_type_name(const Value& v) {
    if (v.is_undef()) return "Undef";
    if (v.is(Kind::Default)) return "Default";
    return generalize(ctx, infer(ctx, v))->to_string();
  }
  [[noreturn]] void bad_specialization(size_t i, std::string_view expected) {
    throw TypeArgumentError(static_cast<int>(i), fmt::format("Error creating type specialization of {}, Cannot use {} where {} is expected", label(), key_type_name(raw_or_key(i)), expected));
  }
  std::string label() {
    std::string name = fmt::format("{}-Type", type_base_name(base));
    bool vowel = std::string_view("AEIOU").find(name[0]) != std::string_view::npos;
    return fmt::format("{} {}", vowel ? "an" : "a", name);
  }
  const Type* inner_type(size_t i) {
    const Type* t = i < keys.size() ? as_type(keys[i]) : nullptr;
    if (t == nullptr) bad_type_argument(i);
    return t;
  }
  static bool range_parameter(const Value& v) { return v.is_int() || v.is(Kind::Default); }

  static Range range_from(const Value* from, const Value* to) {
    Range r;
    r.from_open = from == nullptr || from->is(Kind::Default) || from->is_undef();
    r.to_open = to == nullptr || to->is(Kind::Default) || to->is_undef();
    if (!r.from_open) r.from = from->i;
    if (!r.to_open) r.to = to->i;
    if (!r.from_open && !r.to_open && r.from > r.to)
      throw_error(ErrorCode::invalid_type, {}, fmt::format("'from' must be less or equal to 'to'. Got ({}, {}", r.from, r.to), PositionStyle::None);
    return r;
  }
  /// Size given from key `i` on: Integer[…] type, or one or two bounds.
  Range collection_size(size_t i, size_t count) {
    if (count == 1)
      if (const Type* t = as_type(keys[i]); t != nullptr && t->kind == TypeKind::Integer) return type_cast<RangeType>(t).range;
    for (size_t k = i; k < i + count; ++k)
      if (!range_parameter(keys[k]))
        throw TypeArgumentError(static_cast<int>(k), fmt::format("A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {}", ruby_class(keys[k])));
    return range_from(&keys[i], count > 1 ? &keys[i + 1] : nullptr);
  }

  const Type* wrapped(std::string_view) {
    if (keys.size() != 1) arity(1, 0);
    return types::wrapper(arena, base->kind, inner_type(0));
  }

  const Type* parameterized() {
    switch (base->kind) {
    case TypeKind::Boolean:
      if (keys.size() != 1) arity(1, 1);
      if (!keys[0].is_bool()) bad_specialization(0, "a TrueClass or a FalseClass");
      return types::boolean(keys[0].b);
    case TypeKind::Integer: {
      if (keys.empty() || keys.size() > 2) throw TypeArgumentError(-1, fmt::format("Integer-Type accepts 1 or 2 arguments (from, to). Got {}", keys.size()));
      for (size_t i = 0; i < keys.size(); ++i)
        if (!range_parameter(keys[i])) throw TypeArgumentError(static_cast<int>(i), fmt::format("Integer-Type arguments must be integer or default. Got {}", ruby_class(keys[i])));
      return types::integer(arena, range_from(&keys[0], keys.size() > 1 ? &keys[1] : nullptr));
    }
    case TypeKind::Float: return float_type();
    case TypeKind::String: {
      if (keys.empty() || keys.size() > 2) throw TypeArgumentError(-1, fmt::format("String supports [] with one or two arguments. Got {}", keys.size()));
      return types::string_sized(arena, collection_size(0, keys.size()));
    }
    case TypeKind::Enum: return enum_type();
    case TypeKind::Pattern: return pattern_type();
    case TypeKind::Regexp: {
      if (keys.size() != 1) arity(1, 0);
      if (keys[0].is(Kind::Regex)) return arena.make<RegexpType>(keys[0].regex);
      if (!keys[0].is_string()) bad_specialization(0, "a String or a Regexp");
      return arena.make<RegexpType>(regex(keys[0].str()));
    }
    case TypeKind::Collection: {
      if (keys.empty() || keys.size() > 2) arity(1, 2);
      return arena.make<SizedType>(TypeKind::Collection, to_size(collection_size(0, keys.size())), true);
    }
    case TypeKind::Array: return array_type();
    case TypeKind::Hash: return hash_type();
    case TypeKind::Tuple: return tuple_type();
    case TypeKind::Struct: return struct_type();
    case TypeKind::Variant: {
      if (keys.empty()) arity(1, -1);
      std::vector<const Type*> list;
      for (size_t i = 0; i < keys.size(); ++i) {
        if (as_type(keys[i]) == nullptr) bad_specialization(i, "Any-Type");
        list.push_back(as_type(keys[i]));
      }
      return types::variant(arena, list);
    }
    case TypeKind::Optional: {
      if (keys.size() != 1) arity(1, 0);
      if (keys[0].is_string()) return types::wrapper(arena, TypeKind::Optional, types::string_literal(arena, keys[0].str()));
      return types::wrapper(arena, TypeKind::Optional, inner_type(0));
    }
    case TypeKind::NotUndef: {
      if (keys.empty()) return types::not_undef_any();
      if (keys.size() > 1) arity(0, 1);
      if (keys[0].is_string()) return types::wrapper(arena, TypeKind::NotUndef, types::string_literal(arena, keys[0].str()));
      if (as_type(keys[0]) == nullptr)
        throw TypeArgumentError(0, fmt::format("{}-Type[] argument must be a Type or a String. Got {}", type_base_name(base), ruby_class(keys[0])));
      return types::wrapper(arena, TypeKind::NotUndef, as_type(keys[0]));
    }
    case TypeKind::Type: return wrapped("Type");
    case TypeKind::Iterable: return wrapped("Iterable");
    case TypeKind::Iterator: return wrapped("Iterator");
    case TypeKind::Sensitive: return wrapped("Sensitive");
    case TypeKind::Callable: return callable_of();
    case TypeKind::Timestamp:
    case TypeKind::Timespan: return time_type();
    case TypeKind::SemVer: {
      if (keys.empty()) arity(1, -1);
      std::vector<const SemVerRange*> ranges;
      for (size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].is(Kind::SemVerRange)) {
          ranges.push_back(keys[i].semver_range);
          continue;
        }
        if (!keys[i].is_string()) bad_specialization(i, "a String or a SemVerRange");
        const SemVerRange* r = parse_semver_range(arena, keys[i].str());
        if (r == nullptr) throw_error(ErrorCode::invalid_type, {}, fmt::format("Unparsable version range: \"{}\"", keys[i].str()), PositionStyle::None);
        ranges.push_back(r);
      }
      return arena.make<SemVerType>(std::span<const SemVerRange* const>(arena.copy_span<const SemVerRange*>(ranges)));
    }
    case TypeKind::Init: {
      if (raw.empty() || as_type(raw[0]) == nullptr)
        throw TypeArgumentError(0, fmt::format("Init-Type[] arguments must be types. Got {}", raw.empty() ? "NilClass" : ruby_class(raw[0])));
      std::span<const Value> rest(raw.data() + 1, raw.size() - 1);
      return arena.make<InitType>(as_type(raw[0]), std::span<const Value>(arena.copy_span<Value>(rest)));
    }
    case TypeKind::Uri:
      if (keys.size() != 1) arity(1, 0, "URI-Type");
      if (!keys[0].is_string() && !keys[0].is_hash() && !keys[0].is(Kind::Uri)) bad_type_argument(0);
      return arena.make<UriType>(keys[0]);
    case TypeKind::Runtime: {
      if (keys.size() != 2) arity(1, 2);
      for (size_t i = 0; i < 2; ++i)
        if (!keys[i].is_string()) bad_specialization(i, "a String");
      return arena.make<RuntimeType>(keys[0].str(), keys[1].str());
    }
    case TypeKind::TypeReference:
      if (keys.size() == 1 && keys[0].is_string()) return arena.make<TypeReferenceType>(keys[0].str());
      throw TypeArgumentError(-1, fmt::format("Resource type not found: {}", type_cast<TypeReferenceType>(base).text));
    case TypeKind::TypeAlias: return as_type(parameterize(ctx, resolve_alias(ctx, base), raw));
    default:
      throw TypeArgumentError(-2, fmt::format("Operator '[]' is not applicable to {}", base->kind == TypeKind::Any || base->kind == TypeKind::Undef ? label() : label()));
    }
  }

  const Regex* regex(std::string_view source) {
    try {
      return ctx.regexes.get(source);
    } catch (const RegexError& e) {
      throw_error(ErrorCode::invalid_type, {}, fmt::format("{}: /{}/", e.message, source), PositionStyle::None);
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
    if (keys.empty() || keys.size() > 2) throw TypeArgumentError(-1, fmt::format("Float-Type accepts 1 or 2 arguments (from, to). Got {}", keys.size()));
    double bounds[2] = {-infinity, infinity};
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].is_int())
        bounds[i] = static_cast<double>(keys[i].i);
      else if (keys[i].is_float())
        bounds[i] = keys[i].d;
      else if (!keys[i].is(Kind::Default))
        throw TypeArgumentError(static_cast<int>(i), fmt::format("Float-Type arguments must be float, integer, or default. Got {}", ruby_class(keys[i])));
    }
    if (bounds[0] > bounds[1])
      throw_error(ErrorCode::invalid_type, {}, fmt::format("'from' must be less or equal to 'to'. Got ({}, {}", to_display_string(ctx, Value::floating(bounds[0])), to_display_string(ctx, Value::floating(bounds[1]))), PositionStyle::None);
    return types::floating(arena, bounds[0], bounds[1]);
  }

  const Type* enum_type() {
    bool ignore_case = false;
    if (!keys.empty() && keys.back().is_bool()) {
      ignore_case = keys.back().b;
      keys.pop_back();
    }
    if (keys.empty()) arity(1, -1);
    std::vector<std::string_view> values;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i].is_string()) bad_specialization(i, "a String");
      values.push_back(keys[i].str());
    }
    return types::enumeration(arena, values, ignore_case);
  }

  const Type* pattern_type() {
    if (keys.empty()) arity(1, -1);
    std::vector<const Regex*> patterns;
    auto add = [&](const Regex* r) {
      for (const Regex* known : patterns)
        if (known == r) return;
      patterns.push_back(r);
    };
    for (size_t i = 0; i < keys.size(); ++i) {
      const Type* t = as_type(keys[i]);
      if (keys[i].is(Kind::Regex))
        add(keys[i].regex);
      else if (keys[i].is_string())
        add(regex(keys[i].str()));
      else if (t != nullptr && t->kind == TypeKind::Pattern)
        for (const Regex* r : type_cast<PatternType>(t).patterns) add(r);
      else if (t != nullptr && t->kind == TypeKind::Regexp)
        add(type_cast<RegexpType>(t).regex != nullptr ? type_cast<RegexpType>(t).regex : regex(""));
      else
        bad_specialization(i, "a String or a Regexp or Pattern-Type or Regexp-Type");
    }
    return arena.make<PatternType>(std::span<const Regex* const>(arena.copy_span<const Regex*>(patterns)));
  }

  const Type* array_type() {
    switch (keys.size()) {
    case 1: return types::array(arena, inner_type(0));
    case 2:
      if (as_type(keys[0]) != nullptr) return types::array(arena, as_type(keys[0]), to_size(collection_size(1, 1)), true);
      return types::array(arena, nullptr, to_size(collection_size(0, 2)), true);
    case 3: {
      const Type* element = inner_type(0);
      return types::array(arena, element, to_size(collection_size(1, 2)), true);
    }
    default: arity(1, 3);
    }
  }

  const Type* hash_type() {
    if (keys.size() == 2 && keys[0].is_int() && keys[1].is_int()) return types::hash(arena, nullptr, nullptr, to_size(range_from(&keys[0], &keys[1])), true);
    for (size_t i = 0; i < std::min<size_t>(2, keys.size()); ++i) inner_type(i);
    switch (keys.size()) {
    case 2: return types::hash(arena, as_type(keys[0]), as_type(keys[1]));
    case 3:
    case 4: return types::hash(arena, as_type(keys[0]), as_type(keys[1]), to_size(collection_size(2, keys.size() - 2)), true);
    default: arity(2, 4);
    }
  }

  const Type* tuple_type() {
    size_t n = keys.size();
    Range size;
    bool sized = false;
    if (n >= 2 && range_parameter(keys[n - 1]) && range_parameter(keys[n - 2])) {
      size = range_from(&keys[n - 2], &keys[n - 1]);
      sized = true;
      keys.resize(n - 2);
    } else if (n >= 1 && range_parameter(keys[n - 1])) {
      size = range_from(&keys[n - 1], nullptr);
      sized = true;
      keys.resize(n - 1);
    }
    if (keys.empty()) arity(1, -1);
    std::vector<const Type*> list;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (as_type(keys[i]) == nullptr) bad_specialization(i, "Any-Type");
      list.push_back(as_type(keys[i]));
    }
    return types::tuple(arena, list, size, sized);
  }

  const Type* struct_type() {
    if (raw.size() != 1) arity(1, 1);
    if (!raw[0].is_hash()) {
      keys = raw;
      bad_specialization(0, "a Hash");
    }
    return struct_from_hash(*raw[0].hash);
  }

  const Type* struct_from_hash(const Hash& h) {
    std::vector<StructElement> elements;
    for (const auto& e : h.entries()) {
      const Type* value = as_type(e.value);
      if (value == nullptr)
        throw_error(ErrorCode::invalid_type, {}, fmt::format("Struct element value must be a type. Got {}", ruby_class(e.value)), PositionStyle::None);
      StructElement element{};
      element.value = value;
      const Type* key = as_type(e.key);
      if (e.key.is_string()) {
        element.name = e.key.str();
        element.optional = is_assignable(ctx, value, types::undef());
      } else if (key != nullptr && (key->kind == TypeKind::Optional || key->kind == TypeKind::NotUndef)) {
        const Type* inner = type_cast<WrapperType>(key).inner;
        if (inner == nullptr || inner->kind != TypeKind::String || !type_cast<StringType>(inner).has_value) bad_struct_key();
        element.name = type_cast<StringType>(inner).value;
        element.optional = key->kind == TypeKind::Optional;
      } else if (key != nullptr && key->kind == TypeKind::String && type_cast<StringType>(key).has_value) {
        element.name = type_cast<StringType>(key).value;
        element.optional = is_assignable(ctx, value, types::undef());
      } else if (key != nullptr && key->kind == TypeKind::Enum && type_cast<EnumType>(key).values.size() == 1) {
        element.name = type_cast<EnumType>(key).values[0];
      } else {
        bad_struct_key();
      }
      if (element.name.empty()) bad_struct_key();
      const Type* literal = types::string_literal(arena, element.name);
      element.key = element.optional ? types::wrapper(arena, TypeKind::Optional, literal) : literal;
      elements.push_back(element);
    }
    return types::structure(arena, elements);
  }
  [[noreturn]] static void bad_struct_key() {
    throw_error(ErrorCode::invalid_type, {}, "Illegal Struct member key type. Expected NotUndef, Optional, or String.", PositionStyle::None);
  }

  /// Callable[params…, min, max, block], Callable[[params…], return type].
  const Type* callable_of() {
    const Type* returns = nullptr;
    std::vector<Value> params = raw;
    if (!raw.empty() && raw[0].is_list()) {
      if (raw.size() != 2) {
        keys = raw;
        arity(2, 2);
      }
      returns = as_type(raw[1]);
      if (returns == nullptr) {
        keys = raw;
        bad_specialization(1, "Any-Type");
      }
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
    bool sized = false;
    size_t n = params.size();
    if (n >= 2 && range_parameter(params[n - 2]) && range_parameter(params[n - 1])) {
      size = range_from(&params[n - 2], &params[n - 1]);
      sized = true;
      params.resize(n - 2);
    } else if (n >= 1 && range_parameter(params[n - 1])) {
      size = range_from(&params[n - 1], nullptr);
      sized = true;
      params.resize(n - 1);
    }
    std::vector<const Type*> list;
    for (const Value& v : params) {
      if (as_type(v) == nullptr) throw_error(ErrorCode::invalid_type, {}, fmt::format("Callable[] parameters must be types. Got {}", ruby_class(v)), PositionStyle::None);
      list.push_back(as_type(v));
    }
    if (list.empty() && raw.empty()) sized = true, size = Range::of(0, 0);
    if (list.empty()) {
      if (sized && !(size == Range::of(0, 0))) list.push_back(types::unit());
      if (!sized) size = Range::of(0, 0);
      sized = true;
    }
    return arena.make<CallableType>(static_cast<const TupleType*>(types::tuple(arena, list, size, sized)), block, returns);
  }

  const Type* time_type() {
    if (keys.size() > 2) arity(0, 2);
    Range r;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].is(Kind::Default) || keys[i].is_undef()) continue;
      int64_t ns = base->kind == TypeKind::Timestamp ? to_timestamp(ctx, keys[i]) : to_timespan(ctx, keys[i]);
      (i == 0 ? r.from : r.to) = ns;
      (i == 0 ? r.from_open : r.to_open) = false;
    }
    if (r.finite() && r.from > r.to)
      throw_error(ErrorCode::invalid_type, {}, "'from' must be less or equal to 'to'.", PositionStyle::None);
    return types::range(arena, base->kind, r);
  }

  static bool valid_name(std::string_view s) { // segments of a class reference, each capitalised
    if (s.starts_with("::")) s.remove_prefix(2);
    bool start = true;
    if (s.empty()) return false;
    for (size_t i = 0; i < s.size(); ++i) {
      char ch = s[i];
      if (start) {
        if (ch < 'A' || ch > 'Z') return false;
        start = false;
      } else if (ch == ':') {
        if (i + 1 >= s.size() || s[i + 1] != ':') return false;
        ++i;
        start = true;
      } else if (!(std::isalnum(static_cast<unsigned char>(ch)) || ch == '_')) {
        return false;
      }
    }
    return !start;
  }
  static std::string capitalised(std::string_view s) {
    std::string out;
    bool first = true;
    for (char ch : s) {
      out += first && ch >= 'a' && ch <= 'z' ? static_cast<char>(ch - 32) : ch;
      first = ch == ':';
    }
    return out;
  }

  Value results(const std::vector<const Type*>& list, bool many) {
    if (!many) return list.empty() ? Value::undef() : Value::type(list.back());
    ListBuilder out(arena, list.size());
    for (const Type* t : list) out.add(Value::type(t));
    return out.finish();
  }

  Value resource_references() {
    const auto& r = type_cast<ResourceType>(base);
    std::vector<Value> args = raw;
    if (args.empty()) throw TypeArgumentError(-1, fmt::format("{}[] accepts 1 or more arguments. Got 0", base->to_string()));
    std::string name(r.type_name);
    if (name.empty()) {
      const Value first = args[0];
      args.erase(args.begin());
      if (const Type* t = as_type(first); t != nullptr && t->kind == TypeKind::Resource)
        name = type_cast<ResourceType>(t).type_name;
      else if (first.is_string())
        name = capitalised(first.str());
      else
        throw TypeArgumentError(0, fmt::format("First argument to Resource[] must be a resource type or a String. Got {}.", key_type_name(first)));
    }
    if (!valid_name(capitalised(name))) throw TypeArgumentError(0, fmt::format("Illegal type reference. The given name '{}' does not conform to the naming rule", name));
    std::string_view kept = arena.copy(capitalised(name));
    if (args.empty()) return Value::type(arena.make<ResourceType>(kept, std::string_view(), false));
    bool many = args.size() > 1 || args[0].is_list();
    std::vector<Value> titles;
    keys.clear();
    flatten(args);
    for (const Value& v : keys)
      if (!v.is_undef()) titles.push_back(v);
    if (titles.empty()) throw TypeArgumentError(0, "Arguments to Resource-Type[] are all undef/undefined or empty strings");
    std::vector<const Type*> list;
    for (size_t i = 0; i < titles.size(); ++i) {
      if (!titles[i].is_string())
        throw TypeArgumentError(static_cast<int>(i), fmt::format("Error creating type specialization of {}, Cannot use {} where a resource title String is expected", label(), key_type_name(titles[i])));
      list.push_back(arena.make<ResourceType>(kept, titles[i].str(), true));
    }
    return results(list, many);
  }

  Value class_references() {
    if (raw.empty()) throw TypeArgumentError(-1, "Class[] accepts 1 or more arguments. Got 0");
    bool many = raw.size() > 1 || raw[0].is_list();
    std::vector<Value> names;
    for (const Value& v : keys)
      if (!v.is_undef()) names.push_back(v);
    if (names.empty()) throw TypeArgumentError(0, "Arguments to Class-Type[] are all undef/undefined or empty strings");
    std::vector<const Type*> list;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i].is_string())
        throw TypeArgumentError(static_cast<int>(i), fmt::format("Illegal Class name in class reference. {} cannot be used where a String is expected", label_of_value(names[i])));
      std::string name(names[i].str());
      for (char& ch : name)
        if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
      if (name.starts_with("::")) name.erase(0, 2);
      if (!valid_name(capitalised(name)))
        throw TypeArgumentError(static_cast<int>(i), fmt::format("Illegal name. The given name '{}' does not conform to the naming rule /^((::)?[a-z]\\w*)(::[a-z]\\w*)*$/", names[i].str()));
      list.push_back(arena.make<ClassType>(arena.copy(name)));
    }
    return results(list, many);
  }
  std::string label_of_value(const Value& v) {
    std::string name = type_name_of(ctx, v);
    bool vowel = std::string_view("AEIOU").find(name[0]) != std::string_view::npos;
    return fmt::format("{} {}", vowel ? "An" : "A", name);
  }
};

} // namespace

Value parameterize(TypeContext& ctx, const Type* base, std::span<const Value> args) { return Parameterizer(ctx, base, args).run(); }

} // namespace pupc
