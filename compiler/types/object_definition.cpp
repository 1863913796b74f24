#include "compiler/types/object_definition.h"
#include "compiler/types/runtime_object.h"

#include "catalog/value/semver.h"
#include "catalog/value/unicode_case.h"
#include "compiler/types/type_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The types that the parts of a description must match. Made once per process.
struct Forms {
  Arena arena;
  RegexCache regexes;
  const Type *object, *attribute, *function, *name;

  Forms() {
    struct NoTypes : TypeContext {
      using TypeContext::TypeContext;
      const Type* load_type(std::string_view) override { return nullptr; }
      bool resource_type_exists(std::string_view) override { return false; }
    } ctx(arena, regexes);
    static constexpr const char* member = "Pattern[/\\A[a-z_]\\w*\\z/]";
    const std::string annotations = fmt::format("Optional[annotations] => Optional[Hash[Type[Annotation], Hash[{}, Any]]]", member);
    name = parse_type(ctx, "Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/]");
    object = parse_type(
        ctx,
        fmt::format(
            "Struct[{{Optional[name] => Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/], Optional[parent] => Type, "
            "Optional[type_parameters] => Hash[{0}, NotUndef], "
            "Optional[attributes] => Hash[{0}, NotUndef], Optional[constants] => Hash[{0}, Any], Optional[functions] => Hash[Variant[{0}, "
            "Enum['[]']], NotUndef], "
            "Optional[equality] => Variant[{0}, Array[{0}]], Optional[equality_include_type] => Boolean, Optional[checks] => Any, {1}}}]",
            member, annotations));
    attribute = parse_type(ctx, "Struct[{type => Type, Optional[final] => Boolean, Optional[override] => Boolean, Optional[kind] => "
                                "Enum[constant, derived, given_or_derived, reference], "
                                "Optional[value] => Any, " +
                                    annotations + "}]");
    function = parse_type(ctx, "Struct[{type => Type[Callable], Optional[final] => Boolean, Optional[override] => Boolean, " + annotations +
                                   "}]");
  }
};
const Forms& forms() {
  static const Forms f;
  return f;
}

void assert_form(TypeContext& ctx, const std::string& subject, const Type* form, const Value& v) {
  if (!is_instance(ctx, form, v)) fail_type(describe_mismatch(ctx, subject + " has wrong type,", form, v));
}

const ObjectType* object_behind(const Type* t) {
  while (t != nullptr && t->kind == TypeKind::TypeAlias) t = type_cast<TypeAliasType>(t).resolved;
  if (t == nullptr || (t->kind != TypeKind::Object && t->kind != TypeKind::Error && t->kind != TypeKind::Deferred)) return nullptr;
  return static_cast<const ObjectType*>(t);
}

bool flag(const Hash& h, std::string_view key) {
  const Value* v = h.find(key);
  return v != nullptr && v->truthy();
}

/// Makes one type from its description.
class Builder {
public:
  Builder(TypeContext& c, const Hash& h) : ctx(c), arena(c.arena), description(h) {}

  const Type* run() {
    assert_form(ctx, "object initializer", forms().object, Value::of(&description));
    auto* t = arena.make<ObjectType>();
    type = t;
    if (const Value* v = description.find("name")) t->name = v->str();
    if (const Value* v = description.find("parent")) {
      t->parent = as_type(*v);
      const Type* meant = t->parent;
      while (meant != nullptr && meant->kind == TypeKind::TypeAlias) meant = type_cast<TypeAliasType>(meant).resolved;
      if (meant != nullptr && meant->kind == TypeKind::TypeReference)
        fail_type(fmt::format("reference to unresolved type '{}'", type_cast<TypeReferenceType>(meant).text));
      parent = object_behind(t->parent);
    }
    if (parent != nullptr) {
      inherited = all_attributes(*parent);
      for (const ObjectType* p = parent; p != nullptr; p = object_behind(p->parent))
        for (const ObjectFunction& f : p->functions) inherited_functions.push_back({p, f});
    }
    std::vector<ObjectAttribute> parameters = type_parameters(), attributes = all();
    t->type_parameters = arena.copy_span<ObjectAttribute>(parameters);
    t->attributes = arena.copy_span<ObjectAttribute>(attributes);
    std::vector<ObjectFunction> functions = own_functions(attributes);
    t->functions = arena.copy_span<ObjectFunction>(functions);
    const Value* include = description.find("equality_include_type");
    t->equality_include_type = include == nullptr || include->truthy();
    equality(*t);
    t->annotations = annotations_of(description);
    if (const Value* v = description.find("checks")) t->checks = *v;
    return t;
  }

private:
  TypeContext& ctx;
  Arena& arena;
  const Hash& description;
  const ObjectType* type = nullptr;
  const ObjectType* parent = nullptr;
  std::vector<ObjectAttribute> inherited;
  std::vector<std::pair<const ObjectType*, ObjectFunction>> inherited_functions;

  static const Hash* annotations_of(const Hash& h) {
    const Value* v = h.find("annotations");
    return v != nullptr && v->is_hash() ? v->hash : nullptr;
  }
  static std::string name_of(const ObjectType* t) { return t->name.empty() ? "Object" : std::string(t->name); }
  std::string label(std::string_view feature, std::string_view name) const {
    return fmt::format("{} {}[{}]", feature, name_of(type), name);
  }

  std::vector<std::pair<std::string_view, Value>> entries(std::string_view key) const {
    std::vector<std::pair<std::string_view, Value>> out;
    if (const Value* h = description.find(key); h != nullptr && h->is_hash())
      for (const auto& e : h->hash->entries()) out.emplace_back(e.key.str(), e.value);
    return out;
  }

  std::vector<ObjectAttribute> type_parameters() {
    std::vector<ObjectAttribute> out;
    for (const auto& [name, spec] : entries("type_parameters")) {
      ObjectAttribute a;
      a.name = name;
      if (spec.is_hash()) {
        const Value* t = spec.hash->find("type");
        if (t != nullptr) a.type = as_type(*t);
        if (const Value* v = spec.hash->find("value")) {
          a.has_value = true;
          a.value = *v;
        }
      } else {
        a.type = as_type(spec);
      }
      if (a.type == nullptr)
        fail_type(describe_mismatch(ctx, label("type_parameter", name) + " has wrong type,", types::type_type(), spec));
      if (a.type->kind != TypeKind::Optional) a.type = types::wrapper(arena, TypeKind::Optional, a.type);
      out.push_back(a);
    }
    return out;
  }

  std::vector<ObjectAttribute> all() {
    std::vector<ObjectAttribute> out;
    auto attributes = entries("attributes");
    for (const auto& [name, spec] : attributes) out.push_back(attribute(name, spec));
    for (const auto& [name, value] : entries("constants")) {
      for (const auto& known : attributes)
        if (known.first == name)
          fail_type(fmt::format("attribute {}[{}] is defined as both a constant and an attribute", name_of(type), name));
      ObjectAttribute a;
      a.name = name;
      a.type = generalize(ctx, infer(ctx, value));
      a.kind = ObjectAttribute::Kind::Constant;
      a.has_value = a.inferred = a.final = true;
      a.value = value;
      for (const ObjectAttribute& p : inherited) a.override_ = a.override_ || p.name == name;
      check_override(a);
      out.push_back(a);
    }
    return out;
  }

  ObjectAttribute attribute(std::string_view name, const Value& spec) {
    ObjectAttribute a;
    a.name = name;
    if (!spec.is_hash()) {
      a.type = as_type(spec);
      if (a.type == nullptr)
        fail_type(describe_mismatch(ctx, fmt::format("attribute {}[{}] has wrong type,", name_of(type), name), types::type_type(), spec));
      a.has_value = a.implied_value = a.type->kind == TypeKind::Optional;
    } else {
      const Hash& h = *spec.hash;
      assert_form(ctx, "initializer for " + label("attribute", name), forms().attribute, spec);
      a.type = as_type(*h.find("type"));
      a.final = flag(h, "final");
      a.override_ = flag(h, "override");
      a.annotations = annotations_of(h);
      if (const Value* kind = h.find("kind")) {
        static constexpr std::string_view names[] = {"", "constant", "derived", "given_or_derived", "reference"};
        a.kind = static_cast<ObjectAttribute::Kind>(std::find(std::begin(names), std::end(names), kind->str()) - std::begin(names));
      }
      bool constant = a.kind == ObjectAttribute::Kind::Constant;
      if (constant && h.find("final") != nullptr && !a.final)
        fail_type(fmt::format("{} of kind 'constant' cannot be combined with final => false", label("attribute", name)));
      a.final = a.final || constant;
      if (const Value* v = h.find("value")) {
        if (a.kind == ObjectAttribute::Kind::Derived || a.kind == ObjectAttribute::Kind::GivenOrDerived)
          fail_type(
              fmt::format("{} of kind '{}' cannot be combined with an attribute value", label("attribute", name), h.find("kind")->str()));
        a.has_value = true;
        a.value = *v;
        if (!v->is(Kind::Default)) assert_form(ctx, label("attribute", name) + " value", a.type, *v);
      } else if (constant) {
        fail_type(fmt::format("{} of kind 'constant' requires a value", label("attribute", name)));
      }
      a.inferred = constant && a.type->equals(*generalize(ctx, infer(ctx, a.value)));
    }
    if (name == "__ptype" || name == "__pvalue") fail_type(fmt::format("The attribute '{}' is reserved and cannot be used", name));
    check_override(a);
    return a;
  }

  void check_override(const ObjectAttribute& a) {
    const ObjectAttribute* over = nullptr;
    const ObjectType* owner = parent;
    for (const ObjectAttribute& p : inherited)
      if (p.name == a.name) over = &p;
    std::string mine = label("attribute", a.name);
    for (const auto& [t, f] : inherited_functions)
      if (f.name == a.name) fail_type(fmt::format("{} attempts to override function {}[{}]", mine, name_of(t), f.name));
    if (over == nullptr) {
      if (a.override_) fail_type(fmt::format("expected {} to override an inherited attribute, but no such attribute was found", mine));
      return;
    }
    for (const ObjectType* p = parent; p != nullptr; p = object_behind(p->parent))
      if (std::any_of(p->attributes.begin(), p->attributes.end(), [&](const ObjectAttribute& o) { return o.name == a.name; })) {
        owner = p;
        break;
      }
    std::string other = fmt::format("attribute {}[{}]", name_of(owner), a.name);
    bool both_constant = over->kind == ObjectAttribute::Kind::Constant && a.kind == ObjectAttribute::Kind::Constant;
    if (over->final && !both_constant) fail_type(fmt::format("{} attempts to override final {}", mine, other));
    if (!a.override_) fail_type(fmt::format("{} attempts to override {} without having override => true", mine, other));
    if (!is_assignable(ctx, over->type, a.type))
      fail_type(fmt::format("{} attempts to override {} with a type that does not match", mine, other));
  }

  std::vector<ObjectFunction> own_functions(std::span<const ObjectAttribute> attributes) {
    std::vector<ObjectFunction> out;
    for (const auto& [name, spec] : entries("functions")) {
      ObjectFunction f;
      f.name = name;
      if (spec.is_hash()) {
        assert_form(ctx, fmt::format("initializer for function '{}'", name), forms().function, spec);
        f.type = as_type(*spec.hash->find("type"));
        f.final = flag(*spec.hash, "final");
        f.override_ = flag(*spec.hash, "override");
        f.annotations = annotations_of(*spec.hash);
      } else {
        const Type* callables = types::wrapper(arena, TypeKind::Type, types::callable());
        assert_form(ctx, fmt::format("function {}[{}]", name_of(type), name), callables, spec);
        f.type = as_type(spec);
      }
      std::string mine = label("function", name);
      for (const ObjectAttribute& a : attributes)
        if (a.name == name) fail_type(fmt::format("{} conflicts with attribute with the same name", mine));
      for (const ObjectAttribute& a : inherited)
        if (a.name == name) fail_type(fmt::format("{} attempts to override attribute {}[{}]", mine, name_of(parent), name));
      bool found = false;
      for (const auto& [t, other] : inherited_functions) {
        if (other.name != name || found) continue;
        found = true;
        std::string theirs = fmt::format("function {}[{}]", name_of(t), name);
        if (other.final) fail_type(fmt::format("{} attempts to override final {}", mine, theirs));
        if (!f.override_) fail_type(fmt::format("{} attempts to override {} without having override => true", mine, theirs));
        if (!is_assignable(ctx, other.type, f.type))
          fail_type(fmt::format("{} attempts to override {} with a type that does not match", mine, theirs));
      }
      if (!found && f.override_)
        fail_type(fmt::format("expected {} to override an inherited function, but no such function was found", mine));
      out.push_back(f);
    }
    return out;
  }

  void equality(ObjectType& t) {
    const Value* spec = description.find("equality");
    if (spec == nullptr) return;
    std::vector<std::string_view> names;
    if (spec->is_string()) names.push_back(spec->str());
    if (spec->is_list())
      for (const Value& v : spec->items()) names.push_back(v.str());
    if (!names.empty() && !t.equality_include_type)
      fail_type("equality_include_type = false cannot be combined with non empty equality specification");
    auto all_mine = all_attributes(t);
    for (std::string_view name : names) {
      auto found = std::find_if(all_mine.begin(), all_mine.end(), [&](const ObjectAttribute& a) { return a.name == name; });
      if (found == all_mine.end()) {
        for (const ObjectFunction& f : t.functions)
          if (f.name == name)
            fail_type(fmt::format("{} equality is referencing function {}[{}]. Only attribute references are allowed", name_of(type),
                                  name_of(type), name));
        fail_type(fmt::format("{} equality is referencing non existent attribute '{}'", name_of(type), name));
      }
      if (found->kind == ObjectAttribute::Kind::Constant)
        fail_type(fmt::format("{} equality is referencing constant attribute {}[{}]. Reference to constant is not allowed in equality",
                              name_of(type), name_of(type), name));
      for (const ObjectType* p = parent; p != nullptr; p = object_behind(p->parent)) {
        bool in_parent = p->has_equality ? std::find(p->equality.begin(), p->equality.end(), name) != p->equality.end()
                                         : std::any_of(p->attributes.begin(), p->attributes.end(),
                                                       [&](const ObjectAttribute& a) { return a.name == name; });
        if (in_parent)
          fail_type(fmt::format("{} equality is referencing attribute {}[{}] which is included in equality of {}", name_of(type),
                                name_of(p), name, name_of(p)));
      }
    }
    t.equality = arena.copy_span<std::string_view>(names);
    t.has_equality = true;
  }
};

const Type* extend(TypeContext& ctx, const ObjectType& object, std::span<const Value> given) {
  auto parameters = all_type_parameters(object);
  std::string label(object.name);
  if (parameters.empty()) fail_type(fmt::format("The {}-Type cannot be parameterized using []", label));
  HashBuilder by_name(ctx.arena);
  auto set = [&](const ObjectAttribute& p, const Value& v) {
    if (v.is(Kind::Default)) return;
    assert_form(ctx, fmt::format("type_parameter {}[{}]", label, p.name), p.type, v);
    by_name.set(p.name, v);
  };
  if (given.size() == 1 && given[0].is_hash() && !is_instance(ctx, parameters[0].type, given[0])) {
    for (const auto& e : given[0].hash->entries()) {
      auto found = std::find_if(parameters.begin(), parameters.end(),
                                [&](const ObjectAttribute& p) { return e.key.is_string() && p.name == e.key.str(); });
      if (found == parameters.end())
        fail_type(fmt::format("'{}' is not a known type parameter for {}-Type", to_display_string(ctx, e.key), label));
      set(*found, e.value);
    }
  } else {
    for (size_t i = 0; i < parameters.size() && i < given.size(); ++i) set(parameters[i], given[i]);
  }
  if (by_name.size() == 0) fail_type(fmt::format("The {}-Type cannot be parameterized using an empty parameter list", label));
  return ctx.arena.make<ObjectExtensionType>(&object, by_name.finish_hash());
}

} // namespace

bool value_matches(TypeContext& ctx, const Value& actual, const Value& pattern) {
  if (pattern.is(Kind::Regex)) return actual.is_string() && pattern.regex->matches(actual.str());
  if (const Type* t = as_type(pattern)) return is_instance(ctx, t, actual);
  if (actual.is_string() && pattern.is_string()) return downcase(actual.str()) == downcase(pattern.str());
  return eql(actual, pattern);
}

std::vector<ObjectAttribute> all_type_parameters(const ObjectType& type) {
  std::vector<ObjectAttribute> out;
  if (const ObjectType* p = object_behind(type.parent)) out = all_type_parameters(*p);
  out.insert(out.end(), type.type_parameters.begin(), type.type_parameters.end());
  return out;
}

const Type* object_from_hash(TypeContext& ctx, const Hash& description) { return Builder(ctx, description).run(); }

const Type* parameterize_object(TypeContext& ctx, const Type* base, std::span<const Value> keys) {
  const auto& object = *static_cast<const ObjectType*>(base);
  if (!object.name.empty()) return extend(ctx, object, keys);
  if (keys.size() != 1) throw TypeArgumentError(-1, fmt::format("Object-Type[] accepts 1 argument. Got {}", keys.size()));
  if (!keys[0].is_hash()) fail_type(describe_mismatch(ctx, "object initializer has wrong type,", forms().object, keys[0]));
  return keys[0].hash->size == 0 ? types::object() : object_from_hash(ctx, *keys[0].hash);
}

namespace {

std::string_view type_name_in(const Value& key) {
  if (key.is_string()) return key.str();
  const Type* t = as_type(key);
  if (t != nullptr && t->kind == TypeKind::TypeReference) return type_cast<TypeReferenceType>(t).text;
  return t != nullptr && t->kind == TypeKind::Resource ? type_cast<ResourceType>(t).type_name : std::string_view();
}

/// Replaces references to members of a type set by the members themselves. With `meanings`, a member that is not an Object is
/// replaced by the type it stands for.
class MemberResolver {
public:
  MemberResolver(TypeContext& c, std::span<const TypeSetMember> m, bool with_meanings = false)
      : ctx(c), members(m), meanings(with_meanings) {}

  const Type* resolve(const Type* t) {
    Arena& a = ctx.arena;
    auto all = [&](std::span<const Type* const> list) {
      std::vector<const Type*> out;
      for (const Type* one : list) out.push_back(resolve(one));
      return out;
    };
    switch (t->kind) {
    case TypeKind::TypeReference: return member(type_cast<TypeReferenceType>(t).text, t);
    case TypeKind::Resource: return type_cast<ResourceType>(t).has_title ? t : member(type_cast<ResourceType>(t).type_name, t);
    case TypeKind::Array:
      return types::array(a, resolve(type_cast<ArrayType>(t).element), type_cast<ArrayType>(t).size, type_cast<ArrayType>(t).has_size);
    case TypeKind::Hash: {
      const auto& h = type_cast<HashType>(t);
      return types::hash(a, resolve(h.key), resolve(h.value), h.size, h.has_size);
    }
    case TypeKind::Tuple:
      return types::tuple(a, all(type_cast<TupleType>(t).types), type_cast<TupleType>(t).size, type_cast<TupleType>(t).has_size);
    case TypeKind::Variant: return types::variant(a, all(type_cast<VariantType>(t).types));
    case TypeKind::Struct: {
      std::vector<StructElement> elements(type_cast<StructType>(t).elements.begin(), type_cast<StructType>(t).elements.end());
      for (StructElement& e : elements) e.value = resolve(e.value);
      return types::structure(a, elements);
    }
    case TypeKind::Optional:
    case TypeKind::NotUndef:
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
    case TypeKind::Sensitive: {
      const Type* inner = type_cast<WrapperType>(t).inner;
      return inner == nullptr ? t : types::wrapper(a, t->kind, resolve(inner));
    }
    case TypeKind::Object: {
      auto* object = a.make<ObjectType>(*static_cast<const ObjectType*>(t));
      if (object->parent != nullptr) object->parent = resolve(object->parent);
      std::vector<ObjectAttribute> attributes(object->attributes.begin(), object->attributes.end());
      for (ObjectAttribute& attribute : attributes) attribute.type = resolve(attribute.type);
      object->attributes = a.copy_span<ObjectAttribute>(attributes);
      return object;
    }
    default: return t;
    }
  }

private:
  TypeContext& ctx;
  std::span<const TypeSetMember> members;
  bool meanings;

  std::vector<std::string_view> within_; // members being replaced by their meaning: guards against recursion

  const Type* member(std::string_view name, const Type* otherwise) {
    for (const TypeSetMember& m : members) {
      if (m.name != name) continue;
      if (!meanings || m.type->kind == TypeKind::Object || std::find(within_.begin(), within_.end(), name) != within_.end()) return m.type;
      within_.push_back(name);
      const Type* meaning = resolve(m.type);
      within_.pop_back();
      return meaning;
    }
    return otherwise;
  }
};

const Type* name_type_set(TypeContext& ctx, const TypeSetType& set, std::string_view name) {
  auto* named = ctx.arena.make<TypeSetType>(set);
  named->name = ctx.arena.copy(name);
  if (named->name_authority.empty()) named->name_authority = "http://puppet.com/2016.1/runtime";
  auto pcore = parse_semver(set.pcore_version);
  if (pcore && pcore->major != 1)
    fail_type(fmt::format("The pcore version for TypeSet '{}' is not understood by this runtime. Expected range 1.x, got {}", name,
                          set.pcore_version));
  std::vector<TypeSetMember> members(set.types.begin(), set.types.end());
  for (TypeSetMember& m : members) {
    std::string_view full = ctx.arena.copy(fmt::format("{}::{}", name, m.name));
    if (m.type->kind == TypeKind::Object)
      m.type = name_object(ctx, m.type, full);
    else
      m.type = ctx.arena.make<TypeAliasType>(full);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    MemberResolver resolver(ctx, members);
    if (members[i].type->kind == TypeKind::TypeAlias) {
      type_cast<TypeAliasType>(members[i].type).resolved = normalize(ctx, resolver.resolve(set.types[i].type));
    } else {
      // Other members already refer to this object, so complete it in place. No code outside this function has seen it yet.
      auto* object = const_cast<ObjectType*>(static_cast<const ObjectType*>(members[i].type));
      const auto* resolved = static_cast<const ObjectType*>(resolver.resolve(object));
      object->parent = resolved->parent;
      object->attributes = resolved->attributes;
    }
  }
  named->types = ctx.arena.copy_span<TypeSetMember>(members);
  std::vector<TypeSetMember> declared(set.types.begin(), set.types.end()), meant = declared;
  for (size_t i = 0; i < meant.size(); ++i)
    if (meant[i].type->kind == TypeKind::Object) meant[i].type = members[i].type;
  for (TypeSetMember& m : declared)
    if (m.type->kind != TypeKind::Object) m.type = MemberResolver(ctx, meant, true).resolve(m.type);
  named->declared = ctx.arena.copy_span<TypeSetMember>(declared);
  return named;
}

} // namespace

const Type* type_set_from_value(TypeContext& ctx, const Value& description) {
  if (description.is_string() && !description.str().empty()) {
    assert_form(ctx, "TypeSet name", forms().name, description);
    auto* named = ctx.arena.make<TypeSetType>();
    named->name = description.str();
    return named;
  }
  if (!description.is_hash()) fail_type("undefined method `empty?' for a value that describes no TypeSet");
  const Hash& h = *description.hash;
  if (h.size == 0) return types::type_set();
  auto* set = ctx.arena.make<TypeSetType>();
  static constexpr std::string_view known[] = {"pcore_uri", "pcore_version", "name_authority", "name",
                                               "version",   "types",         "references",     "annotations"};
  for (const auto& e : h.entries())
    if (!e.key.is_string() || std::find(std::begin(known), std::end(known), e.key.str()) == std::end(known))
      fail_type(fmt::format("TypeSet initializer has wrong type, unrecognized key '{}'", to_display_string(ctx, e.key)));
  auto text = [&](std::string_view key) {
    const Value* v = h.find(key);
    return v == nullptr ? std::string_view() : v->is_string() ? v->str() : ctx.arena.copy(to_display_string(ctx, *v));
  };
  if (h.find("pcore_version") == nullptr) fail_type("TypeSet initializer has wrong type, expects a value for key 'pcore_version'");
  set->name = text("name");
  set->name_authority = text("name_authority");
  set->pcore_uri = text("pcore_uri");
  set->pcore_version = text("pcore_version");
  set->version = text("version");
  for (std::string_view version : {set->pcore_version, set->version})
    if (!version.empty() && !parse_semver(version))
      fail_type(fmt::format("Unable to parse '{}' as a semantic version identifier", version));
  for (std::string_view key : {"types", "references"})
    if (const Value* v = h.find(key); v != nullptr && v->is_hash() && v->hash->size == 0)
      fail_type(fmt::format("TypeSet initializer has wrong type, entry '{}' expects size to be at least 1, got 0", key));
  if (h.find("references") != nullptr)
    throw_error(ErrorCode::not_implemented, {}, "References of a TypeSet are not implemented", PositionStyle::None);
  std::vector<TypeSetMember> members;
  if (const Value* types = h.find("types"); types != nullptr && types->is_hash())
    for (const auto& e : types->hash->entries()) {
      std::string_view name = type_name_in(e.key);
      if (name.empty()) fail_type("TypeSet initializer has wrong type, a key of 'types' is no type name");
      if (name[0] < 'A' || name[0] > 'Z')
        fail_type(fmt::format("TypeSet initializer has wrong type, entry 'types' key of entry '{0}' expects a match for "
                              "Pattern[/\\A[A-Z]\\w*\\z/], got '{0}'",
                              name));
      const Type* t = e.value.is_hash() ? object_from_hash(ctx, *e.value.hash) : as_type(e.value);
      if (t == nullptr)
        fail_type(describe_mismatch(ctx, fmt::format("TypeSet initializer has wrong type, entry 'types' entry '{}'", name),
                                    types::type_type(), e.value));
      members.push_back({name, t});
    }
  set->types = set->declared = ctx.arena.copy_span<TypeSetMember>(members);
  return set->name.empty() ? set : name_type_set(ctx, *set, set->name);
}

const Type* name_object(TypeContext& ctx, const Type* type, std::string_view name) {
  if (type->kind == TypeKind::TypeSet && type != types::type_set()) {
    const auto& set = *static_cast<const TypeSetType*>(type);
    return set.name.empty() ? name_type_set(ctx, set, name) : type;
  }
  if (type->kind != TypeKind::Object || type == types::object()) return type;
  const auto& object = *static_cast<const ObjectType*>(type);
  if (!object.name.empty()) return type;
  auto* named = ctx.arena.make<ObjectType>(object);
  named->name = ctx.arena.copy(name);
  return named;
}

std::vector<Value> extension_parameters(const ObjectExtensionType& t) {
  auto parameters = all_type_parameters(*t.object);
  if (parameters.size() > 2) return {Value::of(t.parameters)};
  std::vector<Value> out;
  for (const ObjectAttribute& p : parameters) {
    const Value* v = t.parameters->find(p.name);
    out.push_back(v != nullptr ? *v : Value::default_value());
  }
  while (!out.empty() && out.back().is(Kind::Default)) out.pop_back();
  return out;
}

bool extension_instance(TypeContext& ctx, const ObjectExtensionType& t, const Value& v) {
  if (!object_instance(ctx, t.object, v)) return false;
  for (const auto& e : t.parameters->entries()) {
    Value actual;
    if (!object_attribute(v, e.key.str(), actual) || !value_matches(ctx, actual, e.value)) return false;
  }
  return true;
}

bool extension_assignable(TypeContext& ctx, const ObjectExtensionType& to, const Type* from) {
  if (from->kind != TypeKind::ObjectExtension) return false;
  const auto& other = type_cast<ObjectExtensionType>(from);
  if (!object_assignable(ctx, to.object, other.object)) return false;
  for (const auto& e : to.parameters->entries()) {
    const Value* theirs = other.parameters->find(e.key);
    if (theirs == nullptr) return false;
    const Type *a = as_type(*theirs), *b = as_type(e.value);
    if (!value_matches(ctx, *theirs, e.value) && !(a != nullptr && b != nullptr && is_assignable(ctx, b, a))) return false;
  }
  return true;
}

const Type* infer_object(TypeContext& ctx, const ObjectValue& object) {
  if (const auto* ruby = dynamic_cast<const RuntimeObject*>(&object)) return runtime_object_type(ctx, *ruby);
  auto parameters = all_type_parameters(*object.type);
  if (parameters.empty()) return object.type;
  HashBuilder values(ctx.arena);
  for (const ObjectAttribute& p : parameters) {
    Value v;
    object_attribute(Value::opaque_of(Kind::Object, &object), p.name, v);
    values.set(p.name, v);
  }
  return ctx.arena.make<ObjectExtensionType>(object.type, values.finish_hash());
}

} // namespace pupc::compiler
