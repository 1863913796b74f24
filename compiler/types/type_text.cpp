// Prints types as Puppet's formatter does, plain or with aliases and objects spelled out.
#include "catalog/base/stack.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/time_format.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/object_definition.h"
#include "compiler/types/value_text.h"

#include <algorithm>
#include <cmath>

namespace pupc::compiler {
namespace {

/// Whether `undef` is an instance of the type.
bool accepts_undef(const Type* t, int depth = 0) {
  if (t == nullptr || depth > 20) return false;
  switch (t->kind) {
  case TypeKind::Any:
  case TypeKind::Undef:
  case TypeKind::Unit:
  case TypeKind::Optional:
  case TypeKind::Data:
  case TypeKind::RichData: return true;
  case TypeKind::Init: return type_cast<InitType>(t).inner == nullptr || accepts_undef(type_cast<InitType>(t).inner, depth + 1);
  case TypeKind::Variant:
    for (const Type* inner : type_cast<VariantType>(t).types)
      if (accepts_undef(inner, depth + 1)) return true;
    return false;
  case TypeKind::TypeAlias: return accepts_undef(type_cast<TypeAliasType>(t).resolved, depth + 1);
  default: return false;
  }
}

/// A context for inferring types of values, which needs no named types.
class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view) override { return false; }
};

class Formatter {
public:
  explicit Formatter(bool expand) : expanded(expand) {}
  std::string out;

  void type(const Type* t) {
    check_native_stack();
    switch (t->kind) {
    case TypeKind::Integer: bounds("Integer", type_cast<RangeType>(t).range); break;
    case TypeKind::Timestamp: times("Timestamp", type_cast<RangeType>(t).range, [](int64_t ns) { return format_timestamp(ns); }); break;
    case TypeKind::Timespan: times("Timespan", type_cast<RangeType>(t).range, [](int64_t ns) { return format_timespan(ns); }); break;
    case TypeKind::Float: {
      const auto& f = type_cast<FloatType>(t);
      begin("Float");
      if (!std::isinf(f.from) || !std::isinf(f.to)) {
        item(std::isinf(f.from) ? std::string("default") : format_float(f.from));
        if (!std::isinf(f.to)) item(format_float(f.to));
      }
      end();
      break;
    }
    case TypeKind::Boolean:
      begin("Boolean");
      if (type_cast<BooleanType>(t).value >= 0) item(type_cast<BooleanType>(t).value != 0 ? "true" : "false");
      end();
      break;
    case TypeKind::String: bounds("String", type_cast<StringType>(t).has_size ? type_cast<StringType>(t).size : Range::all()); break;
    case TypeKind::Enum:
      begin("Enum");
      for (std::string_view v : type_cast<EnumType>(t).values) item(to_puppet_quoted(v));
      if (type_cast<EnumType>(t).case_insensitive && !type_cast<EnumType>(t).values.empty()) item("true");
      end();
      break;
    case TypeKind::Pattern:
      begin("Pattern");
      for (const Regex* r : type_cast<PatternType>(t).patterns) item(regex_literal(*r));
      end();
      break;
    case TypeKind::Regexp:
      begin("Regexp");
      if (const Regex* r = type_cast<RegexpType>(t).regex) item(regex_literal(*r));
      end();
      break;
    case TypeKind::Collection: bounds("Collection", type_cast<SizedType>(t).has_size ? type_cast<SizedType>(t).size : Range::all()); break;
    case TypeKind::Array: array(type_cast<ArrayType>(t)); break;
    case TypeKind::Hash: hash(type_cast<HashType>(t)); break;
    case TypeKind::Tuple: {
      const auto& tuple = type_cast<TupleType>(t);
      begin("Tuple");
      for (const Type* e : tuple.types) nested(e);
      if (!tuple.types.empty() && tuple.has_size) size(tuple.size);
      end();
      break;
    }
    case TypeKind::Struct: structure(type_cast<StructType>(t)); break;
    case TypeKind::Variant:
      begin("Variant");
      for (const Type* e : type_cast<VariantType>(t).types) nested(e);
      end();
      break;
    case TypeKind::Optional:
    case TypeKind::NotUndef:
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
    case TypeKind::Sensitive: wrapper(type_cast<WrapperType>(t)); break;
    case TypeKind::Callable: callable(type_cast<CallableType>(t)); break;
    case TypeKind::SemVer:
      begin("SemVer");
      for (const SemVerRange* r : type_cast<SemVerType>(t).ranges) item("'" + std::string(r->text) + "'");
      end();
      break;
    case TypeKind::Init: {
      const auto& i = type_cast<InitType>(t);
      begin("Init");
      if (i.inner != nullptr) {
        nested(i.inner);
        for (const Value& v : i.arguments) {
          separate();
          literal(v);
        }
      }
      end();
      break;
    }
    case TypeKind::Uri:
      begin("URI");
      if (!type_cast<UriType>(t).parameters.is_undef()) {
        separate();
        literal(type_cast<UriType>(t).parameters);
      }
      end();
      break;
    case TypeKind::Runtime: {
      const auto& r = type_cast<RuntimeType>(t);
      begin("Runtime");
      if (!r.runtime.empty()) {
        item(std::string(r.runtime)); // a symbol in Puppet: not quoted
        item(to_puppet_quoted(r.name));
      }
      end();
      break;
    }
    case TypeKind::TypeReference:
      begin("TypeReference");
      item(to_puppet_quoted(type_cast<TypeReferenceType>(t).text));
      end();
      break;
    case TypeKind::Class:
      begin("Class");
      if (!type_cast<ClassType>(t).class_name.empty()) item(std::string(type_cast<ClassType>(t).class_name));
      end();
      break;
    case TypeKind::Resource: {
      const auto& r = type_cast<ResourceType>(t);
      begin(r.type_name.empty() ? "Resource" : capitalised(r.type_name));
      if (r.has_title) item(to_puppet_quoted(r.title));
      end();
      break;
    }
    case TypeKind::TypeAlias: {
      // An alias stands in for an Object inside the Object's own description.
      const Type* meaning = type_cast<TypeAliasType>(t).resolved;
      if (meaning != nullptr && meaning->kind == TypeKind::Object && type_cast<TypeAliasType>(t).name == type_base_name(meaning))
        object(*static_cast<const ObjectType*>(meaning));
      else
        alias(type_cast<TypeAliasType>(t));
      break;
    }
    case TypeKind::Object:
    case TypeKind::Deferred:
    case TypeKind::Error: object(*static_cast<const ObjectType*>(t)); break;
    case TypeKind::TypeSet: type_set(*static_cast<const TypeSetType*>(t)); break;
    case TypeKind::ObjectExtension: {
      begin(type_cast<ObjectExtensionType>(t).object->name);
      for (const Value& v : extension_parameters(type_cast<ObjectExtensionType>(t))) {
        separate();
        literal(v);
      }
      end();
      break;
    }
    default: out += type_base_name(t);
    }
  }

  void literal(const Value& v) {
    switch (v.kind) {
    case Kind::Undef: out += "undef"; break;
    case Kind::Default: out += "default"; break;
    case Kind::Bool: out += v.b ? "true" : "false"; break;
    case Kind::Int: out += std::to_string(v.i); break;
    case Kind::Float: out += format_float(v.d); break;
    case Kind::String: out += to_puppet_quoted(v.str()); break;
    case Kind::Regex: out += regex_literal(*v.regex); break;
    case Kind::Type: type(static_cast<const Type*>(v.opaque)); break;
    case Kind::List: {
      out += '[';
      bool first = true;
      for (const Value& e : v.items()) {
        if (!first) out += ", ";
        first = false;
        literal(e);
      }
      out += ']';
      break;
    }
    case Kind::Hash: {
      out += '{';
      bool first = true;
      for (const auto& e : v.hash->entries()) {
        if (!first) out += ", ";
        first = false;
        literal(e.key);
        out += " => ";
        literal(e.value);
      }
      out += '}';
      break;
    }
    case Kind::Timestamp: out += "'" + format_timestamp(v.i) + "'"; break;
    case Kind::Timespan: out += "'" + format_timespan(v.i) + "'"; break;
    case Kind::SemVer: out += "'" + to_string(*v.semver) + "'"; break;
    case Kind::SemVerRange: out += "'" + std::string(v.semver_range->text) + "'"; break;
    case Kind::Uri: out += "URI(" + to_puppet_quoted(v.str()) + ")"; break;
    case Kind::Deferred:
      out += "Deferred({'name' => " + to_puppet_quoted(v.deferred->name);
      if (v.deferred->arguments != nullptr) {
        out += ", 'arguments' => ";
        literal(Value::of(v.deferred->arguments));
      }
      out += "})";
      break;
    case Kind::Ref: out += to_string(*v.ref); break;
    case Kind::Sensitive: { // prints only the type, not the secret
      Arena arena;
      RegexCache regexes;
      NoTypes types(arena, regexes);
      out += "Instance of " + infer(types, v)->to_string();
      break;
    }
    case Kind::Binary: out += "Instance of Binary"; break;
    case Kind::Object:
    case Kind::Iterator:
    case Kind::Callable: out += v.opaque->to_string(); break;
    }
  }

  /// Prints hashes, and long arrays, with one element per line. Used for the attributes of objects.
  void indented(const Value& v, int level) {
    auto newline = [&](int n) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      out += "\n" + std::string(static_cast<size_t>(2 * n), ' ');
    };
    bool lines = v.is_hash() || (v.is_list() && !short_list(v, level));
    if (!lines) return literal(v);
    out += v.is_hash() ? '{' : '[';
    size_t n = v.is_hash() ? v.hash->size : v.list->size;
    for (size_t i = 0; i < n; ++i) {
      newline(level + 1);
      if (v.is_hash()) {
        indented(v.hash->entries()[i].key, level + 1);
        out += " => ";
      }
      indented(v.is_hash() ? v.hash->entries()[i].value : v.items()[i], level + 1);
      if (i + 1 < n) out += ", ";
    }
    newline(level);
    out += v.is_hash() ? '}' : ']';
  }

private:
  static bool short_list(const Value& v, int level) {
    size_t sum = 0;
    for (const Value& e : v.items()) {
      Formatter f(false);
      bool plain = e.is_bool() || e.is_undef() || e.is_number() || e.is(Kind::Default);
      if (plain) f.literal(e);
      sum += plain                                                                      ? (e.is_undef() ? 3 : f.out.size())
             : e.is_string()                                                            ? 2 + e.str().size()
             : (e.is_list() && e.list->size == 0) || (e.is_hash() && e.hash->size == 0) ? 2
                                                                                        : 1000;
    }
    return v.list->size == 0 || 100 - 2 * level > static_cast<int>(sum);
  }

  bool expanded;
  bool recursed = false;                    // like Puppet's recursion guard: set once a recursion was found
  std::vector<const TypeAliasType*> active; // self-recursive aliases that are being spelled out
  std::vector<bool> open;                   // per type: whether its bracket is already printed

  void begin(std::string_view name) {
    out += name;
    open.push_back(false);
  }
  void separate() {
    out += open.back() ? ", " : "[";
    open.back() = true;
  }
  void item(std::string_view text) {
    separate();
    out += text;
  }
  void nested(const Type* t) {
    check_native_stack();
    separate();
    type(t);
  }
  void end() {
    if (open.back()) out += ']';
    open.pop_back();
  }

  void size(const Range& r) {
    if (r.unbounded()) return;
    item(r.from_open ? std::string("default") : std::to_string(r.from));
    if (!r.to_open) item(std::to_string(r.to));
  }
  void bounds(std::string_view name, const Range& r) {
    begin(name);
    size(r);
    end();
  }
  template <class Text> void times(std::string_view name, const Range& r, Text text) {
    begin(name);
    if (!r.unbounded()) {
      item(r.from_open ? "default" : "'" + text(r.from) + "'");
      if (!r.to_open && (r.from_open || r.from != r.to)) item("'" + text(r.to) + "'");
    }
    end();
  }

  void array(const ArrayType& a) {
    begin("Array");
    if (a.has_size && a.size == Range::of(0, 0)) {
      size(a.size);
    } else if (a.has_size || a.element->kind != TypeKind::Any) {
      nested(a.element);
      if (a.has_size) size(a.size);
    }
    end();
  }
  void hash(const HashType& h) {
    begin("Hash");
    if (h.has_size && h.size == Range::of(0, 0)) {
      size(h.size);
    } else if (h.has_size || h.key->kind != TypeKind::Any || h.value->kind != TypeKind::Any) {
      nested(h.key);
      nested(h.value);
      if (h.has_size) size(h.size);
    }
    end();
  }

  void structure(const StructType& s) {
    begin("Struct");
    if (!s.elements.empty()) {
      separate();
      out += '{';
      bool first = true;
      for (const auto& e : s.elements) {
        if (!first) out += ", ";
        first = false;
        std::string name = to_puppet_quoted(e.name);
        bool value_optional = accepts_undef(e.value);
        out += e.optional == value_optional ? name : (e.optional ? "Optional[" : "NotUndef[") + name + "]";
        out += " => ";
        type(e.value);
      }
      out += '}';
    }
    end();
  }

  void wrapper(const WrapperType& w) {
    begin(type_base_name(&w));
    if (w.inner != nullptr && !(w.kind == TypeKind::Sensitive && w.inner->kind == TypeKind::Any)) {
      bool literal_string = (w.kind == TypeKind::Optional || w.kind == TypeKind::NotUndef) && w.inner->kind == TypeKind::String &&
                            type_cast<StringType>(w.inner).has_value;
      if (literal_string)
        item(to_puppet_quoted(type_cast<StringType>(w.inner).value));
      else
        nested(w.inner);
    }
    end();
  }

  void callable_parameters(const CallableType& c) {
    for (const Type* t : c.parameters->types)
      if (t->kind != TypeKind::Unit) nested(t);
    if (c.parameters->types.empty())
      size(Range::of(0, 0));
    else if (c.parameters->has_size)
      size(c.parameters->size);
    if (c.block != nullptr) nested(c.block);
  }
  void callable(const CallableType& c) {
    begin("Callable");
    if (c.returns == nullptr) {
      if (c.parameters != nullptr) callable_parameters(c);
    } else {
      separate();
      begin("");
      if (c.parameters != nullptr) callable_parameters(c);
      if (!open.back()) separate(); // empty brackets
      end();
      nested(c.returns);
    }
    end();
  }

  static std::string capitalised(std::string_view name) {
    std::string text(name);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') return text;
    bool first = true;
    for (char& ch : text) {
      if (first && ch >= 'a' && ch <= 'z') ch = static_cast<char>(ch - 32);
      first = ch == ':';
    }
    return text;
  }

  void alias(const TypeAliasType& a) {
    out += a.name;
    // Puppet prints the aliases of its static loader by name only, like Data.
    if (!expanded || a.resolved == nullptr || lookup_type(a.name) == &a) return;
    if (!self_recursive(a)) {
      out += " = ";
      type(a.resolved);
      return;
    }
    if (std::find(active.begin(), active.end(), &a) != active.end()) recursed = true;
    if (recursed) return;
    active.push_back(&a);
    out += " = ";
    type(a.resolved);
    active.pop_back();
    recursed = false;
  }

  void object(const ObjectType& t) {
    if (!expanded) {
      out += t.name.empty() ? std::string_view(type_base_name(&t)) : t.name;
      return;
    }
    expanded = false;
    out += "Object[{";
    bool first = true;
    auto key = [&](std::string_view name) {
      if (!first) out += ", ";
      first = false;
      out += name;
      out += " => ";
    };
    if (t.annotations != nullptr) {
      key("annotations");
      literal(Value::of(t.annotations));
    }
    if (!t.name.empty()) {
      key("name");
      out += to_puppet_quoted(t.name);
    }
    if (t.parent != nullptr) {
      key("parent");
      type(t.parent);
    }
    if (!t.type_parameters.empty()) {
      key("type_parameters");
      members(t.type_parameters, true);
    }
    std::vector<ObjectAttribute> plain, constants;
    for (const ObjectAttribute& a : t.attributes)
      (a.kind == ObjectAttribute::Kind::Constant && a.inferred ? constants : plain).push_back(a);
    if (!plain.empty()) {
      key("attributes");
      members(plain, false);
    }
    if (!constants.empty()) {
      key("constants");
      out += '{';
      for (size_t i = 0; i < constants.size(); ++i) {
        out += (i == 0 ? "" : ", ") + to_puppet_quoted(constants[i].name) + " => ";
        literal(constants[i].value);
      }
      out += '}';
    }
    if (!t.functions.empty()) {
      key("functions");
      out += '{';
      for (size_t i = 0; i < t.functions.size(); ++i) {
        const ObjectFunction& f = t.functions[i];
        out += (i == 0 ? "" : ", ") + to_puppet_quoted(f.name) + " => ";
        if (!f.final && !f.override_ && f.annotations == nullptr) {
          type(f.type);
          continue;
        }
        out += "{type => ";
        type(f.type);
        annotations(f.annotations);
        if (f.final) out += ", final => true";
        if (f.override_) out += ", override => true";
        out += '}';
      }
      out += '}';
    }
    if (t.has_equality) {
      key("equality");
      out += '[';
      for (size_t i = 0; i < t.equality.size(); ++i) out += (i == 0 ? "" : ", ") + to_puppet_quoted(t.equality[i]);
      out += ']';
    }
    if (!t.checks.is_undef()) {
      key("checks");
      literal(t.checks);
    }
    out += "}]";
    expanded = true;
  }

  void annotations(const Hash* given) {
    if (given == nullptr) return;
    out += ", annotations => ";
    literal(Value::of(given));
  }

  void type_set(const TypeSetType& t) {
    out += "TypeSet[{";
    if (!t.pcore_uri.empty()) out += "pcore_uri => " + to_puppet_quoted(t.pcore_uri) + ", ";
    out += "pcore_version => " + to_puppet_quoted(t.pcore_version);
    if (!t.name_authority.empty()) out += ", name_authority => " + to_puppet_quoted(t.name_authority);
    out += ", name => " + (t.name.empty() ? std::string("undef") : to_puppet_quoted(t.name));
    if (!t.version.empty()) out += ", version => " + to_puppet_quoted(t.version);
    if (!t.declared.empty()) {
      out += ", types => {";
      for (size_t i = 0; i < t.declared.size(); ++i) {
        out += (i == 0 ? "" : ", ") + std::string(t.declared[i].name) + " => ";
        const Type* member = t.declared[i].type;
        type(expanded && member->kind == TypeKind::TypeAlias ? type_cast<TypeAliasType>(member).resolved : member);
      }
      out += '}';
    }
    out += "}]";
  }

  void members(std::span<const ObjectAttribute> list, bool type_parameters) {
    static constexpr const char* kinds[] = {"", "constant", "derived", "given_or_derived", "reference"};
    out += '{';
    for (size_t i = 0; i < list.size(); ++i) {
      const ObjectAttribute& a = list[i];
      out += (i == 0 ? "" : ", ") + to_puppet_quoted(a.name) + " => ";
      const Type* shown = type_parameters && a.type->kind == TypeKind::Optional ? type_cast<WrapperType>(a.type).inner : a.type;
      bool value = a.has_value && !(type_parameters && a.value.is_undef());
      bool compressed = !a.final && !a.override_ && a.kind == ObjectAttribute::Kind::Plain && !value &&
                        (a.annotations == nullptr || type_parameters);
      if (compressed) {
        type(shown);
        continue;
      }
      out += "{type => ";
      type(shown);
      if (!type_parameters) annotations(a.annotations);
      if (a.final && a.kind != ObjectAttribute::Kind::Constant) out += ", final => true";
      if (a.override_) out += ", override => true";
      if (a.kind != ObjectAttribute::Kind::Plain) out += std::string(", kind => ") + kinds[static_cast<size_t>(a.kind)];
      if (value) {
        out += ", value => ";
        literal(a.value);
      }
      out += '}';
    }
    out += '}';
  }
};

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
  case TypeKind::TypeSet: return static_cast<const TypeSetType*>(t)->name.empty() ? "TypeSet" : static_cast<const TypeSetType*>(t)->name;
  case TypeKind::Object: return static_cast<const ObjectType*>(t)->name.empty() ? "Object" : static_cast<const ObjectType*>(t)->name;
  case TypeKind::ObjectExtension: return type_cast<ObjectExtensionType>(t).object->name;
  case TypeKind::Deferred: return "Deferred";
  case TypeKind::Error: return "Error";
  case TypeKind::Resource: return "Resource";
  case TypeKind::Class: return "Class";
  case TypeKind::CatalogEntry: return "CatalogEntry";
  }
  return "Any";
}

std::string Type::to_string() const {
  // A bare alias or object is spelled out. Inside other types only its name is printed.
  Formatter f(kind == TypeKind::TypeAlias || kind == TypeKind::Object || kind == TypeKind::Error || kind == TypeKind::Deferred ||
              kind == TypeKind::TypeSet);
  f.type(this);
  return std::move(f.out);
}

std::string type_to_string_expanded(const Type* t) {
  Formatter f(true);
  f.type(t);
  return std::move(f.out);
}

void append_literal(std::string& out, const Value& v) {
  Formatter f(false);
  f.literal(v);
  out += f.out;
}

std::string indented_literal(const Value& v, int level) {
  Formatter f(false);
  if (const ObjectValue* o = as_object(v)) {
    f.out = std::string(o->type->name) + "(";
    f.indented(Value::of(o->attributes), level);
  } else {
    // Writes the attributes of a Deferred as a hash.
    HashEntry entries[2] = {{Value::string("name"), Value::string(v.deferred->name)}, {Value::string("arguments"), Value::undef()}};
    Hash h{1, 0, entries, nullptr};
    if (v.deferred->arguments != nullptr) {
      entries[1].value = Value::of(v.deferred->arguments);
      h.size = 2;
    }
    f.out = "Deferred(";
    f.indented(Value::of(&h), level);
  }
  return f.out + ")";
}

bool self_recursive(const TypeAliasType& alias) {
  std::vector<const Type*> seen;
  auto reaches = [&](auto& self, const Type* t) -> bool {
    if (t == nullptr) return false;
    if (t == &alias) return true;
    if (t->kind == TypeKind::TypeAlias) {
      if (std::find(seen.begin(), seen.end(), t) != seen.end()) return false;
      seen.push_back(t);
    }
    bool found = false;
    for_each_contained(t, [&](const Type* inner) { found = found || self(self, inner); });
    return found;
  };
  bool found = false;
  for_each_contained(&alias, [&](const Type* inner) { found = found || reaches(reaches, inner); });
  return found;
}

void for_each_contained(const Type* t, const std::function<void(const Type*)>& visit) {
  auto one = [&](const Type* inner) {
    if (inner != nullptr) visit(inner);
  };
  switch (t->kind) {
  case TypeKind::Array: one(type_cast<ArrayType>(t).element); break;
  case TypeKind::Hash:
    one(type_cast<HashType>(t).key);
    one(type_cast<HashType>(t).value);
    break;
  case TypeKind::Tuple:
    for (const Type* e : type_cast<TupleType>(t).types) one(e);
    break;
  case TypeKind::Struct:
    for (const auto& e : type_cast<StructType>(t).elements) {
      one(e.key);
      one(e.value);
    }
    break;
  case TypeKind::Variant:
    for (const Type* e : type_cast<VariantType>(t).types) one(e);
    break;
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: one(type_cast<WrapperType>(t).inner); break;
  case TypeKind::Callable:
    one(type_cast<CallableType>(t).parameters);
    one(type_cast<CallableType>(t).block);
    one(type_cast<CallableType>(t).returns);
    break;
  case TypeKind::Init: one(type_cast<InitType>(t).inner); break;
  case TypeKind::TypeAlias: one(type_cast<TypeAliasType>(t).resolved); break;
  default: break;
  }
}

} // namespace pupc::compiler
