// Types as text, their equality and hash.
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"
#include "compiler/types/value_text.h"

#include <cmath>

namespace pupc {
namespace {

/// Appends "[", elements separated by commas, "]" as they come; nothing when there are none.
class Brackets {
public:
  explicit Brackets(std::string& o) : out(o) {}
  std::string& next() {
    out += any_ ? ", " : "[";
    any_ = true;
    return out;
  }
  void close() {
    if (any_) out += ']';
  }

private:
  std::string& out;
  bool any_ = false;
};

void append_type(std::string& out, const Type* t, bool expand);

void append_capitalised(std::string& out, std::string_view name) {
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
    out += name;
    return;
  }
  bool first = true;
  for (char c : name) {
    out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    first = c == ':';
  }
}

void append_quoted(std::string& out, std::string_view s) { out += to_puppet_quoted(s); }

/// Bounds as a list of texts: none when unbounded, "default" for an open lower one.
template <class Text> void append_range(Brackets& b, const Range& r, Text text, bool equal_once) {
  if (r.unbounded()) return;
  if (r.from_open)
    b.next() += "default";
  else
    b.next() += text(r.from);
  if (r.to_open || (equal_once && !r.from_open && r.from == r.to)) return;
  b.next() += text(r.to);
}
void append_size(Brackets& b, const Range& r) {
  append_range(b, r, [](int64_t v) { return std::to_string(v); }, false);
}

void append_callable_parameters(Brackets& b, const CallableType& c, bool expand) {
  for (const Type* t : c.parameters->types)
    if (t->kind != TypeKind::Unit) append_type(b.next(), t, expand);
  if (c.parameters->types.empty()) {
    b.next() += "0";
    b.next() += "0";
  } else if (c.parameters->has_size) {
    append_size(b, c.parameters->size);
  }
  if (c.block != nullptr) append_type(b.next(), c.block, expand);
}

bool accepts_undef(const Type* t, int depth = 0) {
  if (depth > 20) return false;
  switch (t->kind) {
  case TypeKind::Any:
  case TypeKind::Undef:
  case TypeKind::Unit:
  case TypeKind::Optional:
  case TypeKind::Data:
  case TypeKind::RichData: return true;
  case TypeKind::Variant:
    for (const Type* inner : type_cast<VariantType>(t).types)
      if (accepts_undef(inner, depth + 1)) return true;
    return false;
  case TypeKind::TypeAlias: return type_cast<TypeAliasType>(t).resolved != nullptr && accepts_undef(type_cast<TypeAliasType>(t).resolved, depth + 1);
  default: return false;
  }
}

void append_struct(std::string& out, const StructType& s, bool expand) {
  out += "{";
  bool first = true;
  for (const auto& e : s.elements) {
    if (!first) out += ", ";
    first = false;
    bool value_optional = accepts_undef(e.value);
    if (e.optional && !value_optional) {
      out += "Optional[";
      append_quoted(out, e.name);
      out += "]";
    } else if (!e.optional && value_optional) {
      out += "NotUndef[";
      append_quoted(out, e.name);
      out += "]";
    } else {
      append_quoted(out, e.name);
    }
    out += " => ";
    append_type(out, e.value, expand);
  }
  out += "}";
}

void append_value(std::string& out, const Value& v) {
  switch (v.kind) {
  case Kind::String: append_quoted(out, v.str()); break;
  case Kind::Int: out += std::to_string(v.i); break;
  case Kind::Float: out += format_float(v.d); break;
  case Kind::Bool: out += v.b ? "true" : "false"; break;
  case Kind::Undef: out += "undef"; break;
  case Kind::Default: out += "default"; break;
  case Kind::Regex: out += regex_literal(*v.regex); break;
  case Kind::Type: append_type(out, as_type(v), false); break;
  case Kind::List: {
    out += "[";
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ", ";
      first = false;
      append_value(out, item);
    }
    out += "]";
    break;
  }
  case Kind::Hash: {
    out += "{";
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      append_value(out, e.key);
      out += " => ";
      append_value(out, e.value);
    }
    out += "}";
    break;
  }
  case Kind::Uri: append_quoted(out, v.str()); break;
  default: out += "?"; break;
  }
}

void append_type(std::string& out, const Type* t, bool expand) {
  switch (t->kind) {
  case TypeKind::Resource: {
    const auto& r = type_cast<ResourceType>(t);
    if (r.type_name.empty()) {
      out += "Resource";
      return;
    }
    append_capitalised(out, r.type_name);
    if (r.has_title) {
      out += "[";
      append_quoted(out, r.title);
      out += "]";
    }
    return;
  }
  case TypeKind::TypeAlias: {
    const auto& a = type_cast<TypeAliasType>(t);
    out += a.name;
    if (expand && a.resolved != nullptr) {
      out += " = ";
      append_type(out, a.resolved, false);
    }
    return;
  }
  case TypeKind::Object:
  case TypeKind::TypeSet: out += t->to_string(); return; // their own text (object_type.cpp)
  default: break;
  }
  out += type_base_name(t);
  Brackets b(out);
  switch (t->kind) {
  case TypeKind::Integer: append_range(b, type_cast<RangeType>(t).range, [](int64_t v) { return std::to_string(v); }, false); break;
  case TypeKind::Timestamp: append_range(b, type_cast<RangeType>(t).range, [](int64_t v) { return "'" + timestamp_to_string(v) + "'"; }, true); break;
  case TypeKind::Timespan: append_range(b, type_cast<RangeType>(t).range, [](int64_t v) { return "'" + timespan_to_string(v) + "'"; }, true); break;
  case TypeKind::Float: {
    const auto& f = type_cast<FloatType>(t);
    if (std::isinf(f.from) && std::isinf(f.to)) break;
    b.next() += std::isinf(f.from) ? std::string("default") : format_float(f.from);
    if (!std::isinf(f.to)) b.next() += format_float(f.to);
    break;
  }
  case TypeKind::Boolean:
    if (type_cast<BooleanType>(t).value >= 0) b.next() += type_cast<BooleanType>(t).value != 0 ? "true" : "false";
    break;
  case TypeKind::String:
    if (type_cast<StringType>(t).has_size) append_size(b, type_cast<StringType>(t).size);
    break;
  case TypeKind::Enum:
    for (std::string_view v : type_cast<EnumType>(t).values) append_quoted(b.next(), v);
    if (type_cast<EnumType>(t).case_insensitive && !type_cast<EnumType>(t).values.empty()) b.next() += "true";
    break;
  case TypeKind::Pattern:
    for (const Regex* r : type_cast<PatternType>(t).patterns) b.next() += regex_literal(*r);
    break;
  case TypeKind::Regexp:
    if (type_cast<RegexpType>(t).regex != nullptr) b.next() += regex_literal(*type_cast<RegexpType>(t).regex);
    break;
  case TypeKind::Collection:
    if (type_cast<SizedType>(t).has_size) append_size(b, type_cast<SizedType>(t).size);
    break;
  case TypeKind::Array: {
    const auto& a = type_cast<ArrayType>(t);
    if (a.has_size && a.size == Range::of(0, 0)) {
      out += "[0, 0]";
      return;
    }
    if (!a.has_size && a.element->kind == TypeKind::Any) break;
    append_type(b.next(), a.element, expand);
    if (a.has_size) append_size(b, a.size);
    break;
  }
  case TypeKind::Hash: {
    const auto& h = type_cast<HashType>(t);
    if (h.has_size && h.size == Range::of(0, 0)) {
      out += "[0, 0]";
      return;
    }
    if (!h.has_size && h.key->kind == TypeKind::Any && h.value->kind == TypeKind::Any) break;
    append_type(b.next(), h.key, expand);
    append_type(b.next(), h.value, expand);
    if (h.has_size) append_size(b, h.size);
    break;
  }
  case TypeKind::Tuple:
    for (const Type* e : type_cast<TupleType>(t).types) append_type(b.next(), e, expand);
    if (type_cast<TupleType>(t).has_size && !type_cast<TupleType>(t).types.empty()) append_size(b, type_cast<TupleType>(t).size);
    break;
  case TypeKind::Struct:
    if (!type_cast<StructType>(t).elements.empty()) append_struct(b.next(), type_cast<StructType>(t), expand);
    break;
  case TypeKind::Variant:
    for (const Type* e : type_cast<VariantType>(t).types) append_type(b.next(), e, expand);
    break;
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (inner == nullptr || (t->kind == TypeKind::Sensitive && inner->kind == TypeKind::Any)) break;
    if ((t->kind == TypeKind::Optional || t->kind == TypeKind::NotUndef) && inner->kind == TypeKind::String && type_cast<StringType>(inner).has_value)
      append_quoted(b.next(), type_cast<StringType>(inner).value);
    else
      append_type(b.next(), inner, expand);
    break;
  }
  case TypeKind::Callable: {
    const auto& c = type_cast<CallableType>(t);
    if (c.returns == nullptr) {
      if (c.parameters != nullptr) append_callable_parameters(b, c, expand);
      break;
    }
    out += "[[";
    if (c.parameters != nullptr) {
      std::string inner;
      Brackets ib(inner);
      append_callable_parameters(ib, c, expand);
      out += inner.empty() ? inner : inner.substr(1);
    }
    out += "], ";
    append_type(out, c.returns, expand);
    out += "]";
    return;
  }
  case TypeKind::SemVer:
    for (const SemVerRange* r : type_cast<SemVerType>(t).ranges) b.next().append("'").append(r->text).append("'");
    break;
  case TypeKind::Init: {
    const auto& i = type_cast<InitType>(t);
    if (i.inner == nullptr) break;
    append_type(b.next(), i.inner, expand);
    for (const Value& v : i.arguments) append_value(b.next(), v);
    break;
  }
  case TypeKind::Uri:
    if (!type_cast<UriType>(t).parameters.is_undef()) append_value(b.next(), type_cast<UriType>(t).parameters);
    break;
  case TypeKind::Runtime: {
    const auto& r = type_cast<RuntimeType>(t);
    if (r.runtime.empty()) break;
    b.next() += r.runtime; // a symbol in the reference: not quoted
    append_quoted(b.next(), r.name);
    break;
  }
  case TypeKind::TypeReference: append_quoted(b.next(), type_cast<TypeReferenceType>(t).text); break;
  case TypeKind::Class:
    if (!type_cast<ClassType>(t).class_name.empty()) b.next() += type_cast<ClassType>(t).class_name;
    break;
  default: break;
  }
  b.close();
}

bool same(const Type* a, const Type* b) { return a == b || (a != nullptr && b != nullptr && a->equals(*b)); }

bool same_list(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

bool same_set(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (const Type* x : a) {
    bool found = false;
    for (const Type* y : b) found = found || same(x, y);
    if (!found) return false;
  }
  return true;
}

} // namespace

std::string_view type_base_name(const Type* t) {
  switch (t->kind) {
  case TypeKind::Any: return "Any";
  case TypeKind::Undef: return "Undef";
  case TypeKind::Unit: return "Unit";
  case TypeKind::NotUndef: return "NotUndef";
  case TypeKind::Default: return "Default";
  case TypeKind::Scalar: return "Scalar";
  case TypeKind::ScalarData: return "ScalarData";
  case TypeKind::Data: return "Data";
  case TypeKind::RichData: return "RichData";
  case TypeKind::RichDataKey: return "RichDataKey";
  case TypeKind::Numeric: return "Numeric";
  case TypeKind::Integer: return "Integer";
  case TypeKind::Float: return "Float";
  case TypeKind::Boolean: return "Boolean";
  case TypeKind::String: return "String";
  case TypeKind::Enum: return "Enum";
  case TypeKind::Pattern: return "Pattern";
  case TypeKind::Regexp: return "Regexp";
  case TypeKind::Collection: return "Collection";
  case TypeKind::Array: return "Array";
  case TypeKind::Hash: return "Hash";
  case TypeKind::Tuple: return "Tuple";
  case TypeKind::Struct: return "Struct";
  case TypeKind::Variant: return "Variant";
  case TypeKind::Optional: return "Optional";
  case TypeKind::Type: return "Type";
  case TypeKind::Callable: return "Callable";
  case TypeKind::Iterable: return "Iterable";
  case TypeKind::Iterator: return "Iterator";
  case TypeKind::Sensitive: return "Sensitive";
  case TypeKind::Binary: return "Binary";
  case TypeKind::Timestamp: return "Timestamp";
  case TypeKind::Timespan: return "Timespan";
  case TypeKind::SemVer: return "SemVer";
  case TypeKind::SemVerRange: return "SemVerRange";
  case TypeKind::Uri: return "URI";
  case TypeKind::Init: return "Init";
  case TypeKind::Runtime: return "Runtime";
  case TypeKind::TypeReference: return "TypeReference";
  case TypeKind::TypeAlias: return type_cast<TypeAliasType>(t).name;
  case TypeKind::TypeSet: return "TypeSet";
  case TypeKind::Object: return "Object";
  case TypeKind::Deferred: return "Deferred";
  case TypeKind::Error: return "Error";
  case TypeKind::Resource: return "Resource";
  case TypeKind::Class: return "Class";
  case TypeKind::CatalogEntry: return "CatalogEntry";
  }
  return "Any";
}

std::string Type::to_string() const {
  std::string out;
  append_type(out, this, false);
  return out;
}

std::string type_to_string_expanded(const Type* t) {
  std::string out;
  append_type(out, t, true);
  return out;
}

bool Type::equals(const Opaque& other) const {
  if (this == &other) return true;
  const auto* o = dynamic_cast<const Type*>(&other);
  if (o == nullptr || o->kind != kind) return false;
  switch (kind) {
  case TypeKind::Integer:
  case TypeKind::Timestamp:
  case TypeKind::Timespan: return type_cast<RangeType>(this).range == type_cast<RangeType>(o).range;
  case TypeKind::Float: return type_cast<FloatType>(this).from == type_cast<FloatType>(o).from && type_cast<FloatType>(this).to == type_cast<FloatType>(o).to;
  case TypeKind::Boolean: return type_cast<BooleanType>(this).value == type_cast<BooleanType>(o).value;
  case TypeKind::String: {
    const auto &a = type_cast<StringType>(this), &b = type_cast<StringType>(o);
    return a.has_value == b.has_value && a.value == b.value && a.has_size == b.has_size && a.size == b.size;
  }
  case TypeKind::Enum: {
    const auto &a = type_cast<EnumType>(this), &b = type_cast<EnumType>(o);
    if (a.case_insensitive != b.case_insensitive || a.values.size() != b.values.size()) return false;
    for (size_t i = 0; i < a.values.size(); ++i)
      if (a.values[i] != b.values[i]) return false;
    return true;
  }
  case TypeKind::Pattern: {
    const auto &a = type_cast<PatternType>(this), &b = type_cast<PatternType>(o);
    if (a.patterns.size() != b.patterns.size()) return false;
    for (const Regex* x : a.patterns) {
      bool found = false;
      for (const Regex* y : b.patterns) found = found || regex_literal(*x) == regex_literal(*y);
      if (!found) return false;
    }
    return true;
  }
  case TypeKind::Regexp: {
    const Regex *a = type_cast<RegexpType>(this).regex, *b = type_cast<RegexpType>(o).regex;
    return a == b || (a != nullptr && b != nullptr && regex_literal(*a) == regex_literal(*b));
  }
  case TypeKind::Collection: return type_cast<SizedType>(this).has_size == type_cast<SizedType>(o).has_size && type_cast<SizedType>(this).size == type_cast<SizedType>(o).size;
  case TypeKind::Array: {
    const auto &a = type_cast<ArrayType>(this), &b = type_cast<ArrayType>(o);
    return a.has_size == b.has_size && a.size == b.size && same(a.element, b.element);
  }
  case TypeKind::Hash: {
    const auto &a = type_cast<HashType>(this), &b = type_cast<HashType>(o);
    return a.has_size == b.has_size && a.size == b.size && same(a.key, b.key) && same(a.value, b.value);
  }
  case TypeKind::Tuple: {
    const auto &a = type_cast<TupleType>(this), &b = type_cast<TupleType>(o);
    return a.has_size == b.has_size && a.size == b.size && same_list(a.types, b.types);
  }
  case TypeKind::Struct: {
    const auto &a = type_cast<StructType>(this).elements, &b = type_cast<StructType>(o).elements;
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].name != b[i].name || a[i].optional != b[i].optional || !same(a[i].value, b[i].value)) return false;
    return true;
  }
  case TypeKind::Variant: return same_set(type_cast<VariantType>(this).types, type_cast<VariantType>(o).types);
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: return same(type_cast<WrapperType>(this).inner, type_cast<WrapperType>(o).inner);
  case TypeKind::Callable: {
    const auto &a = type_cast<CallableType>(this), &b = type_cast<CallableType>(o);
    return same(a.parameters, b.parameters) && same(a.block, b.block) && same(a.returns, b.returns);
  }
  case TypeKind::TypeAlias: return type_cast<TypeAliasType>(this).name == type_cast<TypeAliasType>(o).name;
  case TypeKind::TypeReference: return type_cast<TypeReferenceType>(this).text == type_cast<TypeReferenceType>(o).text;
  case TypeKind::Runtime: return type_cast<RuntimeType>(this).runtime == type_cast<RuntimeType>(o).runtime && type_cast<RuntimeType>(this).name == type_cast<RuntimeType>(o).name;
  case TypeKind::Resource: {
    const auto &a = type_cast<ResourceType>(this), &b = type_cast<ResourceType>(o);
    if (a.has_title != b.has_title || a.title != b.title || a.type_name.size() != b.type_name.size()) return false;
    for (size_t i = 0; i < a.type_name.size(); ++i)
      if ((a.type_name[i] | 0x20) != (b.type_name[i] | 0x20)) return false;
    return true;
  }
  case TypeKind::Class: return type_cast<ClassType>(this).class_name == type_cast<ClassType>(o).class_name;
  case TypeKind::SemVer:
  case TypeKind::Init:
  case TypeKind::Uri: return to_string() == o->to_string();
  case TypeKind::Object:
  case TypeKind::TypeSet: return false; // identity, or their own equals
  default: return true;
  }
}

uint64_t Type::hash() const {
  // Equal types print alike but for the order in a Variant or Pattern, and for literals of String.
  if (kind == TypeKind::Variant || kind == TypeKind::Pattern) return static_cast<uint64_t>(kind) * 0x9E3779B97F4A7C15ull;
  if (kind == TypeKind::String) return std::hash<std::string_view>{}(type_cast<StringType>(this).value) ^ 77;
  if (kind == TypeKind::Array || kind == TypeKind::Hash || kind == TypeKind::Struct || kind == TypeKind::Tuple || kind == TypeKind::Optional || kind == TypeKind::NotUndef ||
      kind == TypeKind::Type || kind == TypeKind::Callable || kind == TypeKind::Resource)
    return static_cast<uint64_t>(kind) * 0x9E3779B97F4A7C15ull;
  return std::hash<std::string>{}(to_string());
}

} // namespace pupc
