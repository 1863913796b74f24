// Functions that touch the catalog: classes, resources, tags. Also stdlib's functions that declare a resource unless it exists.
#include "catalog/base/stack.h"
#include "catalog/graph/catalog.h"
#include "catalog/graph/tags.h"
#include "catalog/value/flatten.h"
#include "catalog/value/inspect.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"
#include "catalog/value/time_format.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/labels.h"
#include "compiler/function/function_tables.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::vector<Value> flattened(std::span<const Value> values) {
  std::vector<Value> out;
  for (const Value& v : values) flatten_into(v, out);
  return out;
}

/// Checks the number of arguments as Puppet does for functions of its old API. `most` < 0: any number.
void check_count(FunctionCall& c, int least, int most = -1) {
  auto n = static_cast<int>(c.size());
  if (most == least && n != least) c.fail(fmt::format("{}(): Wrong number of arguments given ({} for {})", c.name, n, least));
  if (n < least) c.fail(fmt::format("{}(): Wrong number of arguments given ({} for minimum {})", c.name, n, least));
}

// ---------------------------------------------------------------------------------------------------------------------
// classes

/// The class name in a string, Class or Resource['class', …] (Puppet's transform_and_assert_classnames).
std::string class_name_of(FunctionCall& c, const Value& v) {
  auto check = [&](std::string_view type, bool titled) {
    if (type.empty()) c.fail("Cannot use an unspecific Resource[] where a Resource['class', name] is expected");
    if (downcase_name(type) != "class") c.fail(fmt::format("Cannot use a Resource[{}] where a Resource['class', name] is expected", type));
    if (!titled) c.fail("Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected");
  };
  if (v.is_undef()) c.fail("Cannot use undef as a class name");
  if (v.is_string()) {
    if (v.str().empty()) c.fail("Cannot use empty string as a class name");
    return downcase_name(v.str());
  }
  if (v.is(Kind::Ref)) {
    check(v.ref->type, true);
    return downcase_name(v.ref->title);
  }
  if (const Type* type = as_type(v)) {
    if (type->kind == TypeKind::Class) {
      const auto& name = type_cast<ClassType>(type).class_name;
      if (name.empty()) c.fail("Cannot use an unspecific Class[] Type");
      return downcase_name(name);
    }
    if (type->kind == TypeKind::Resource) {
      const auto& resource = type_cast<ResourceType>(type);
      check(resource.type_name, resource.has_title);
      return downcase_name(resource.title);
    }
  }
  c.fail(fmt::format("Cannot use {} as a class name", a_an(label(v))));
}

template <CatalogBuilder::Inclusion how> Value include_classes(FunctionCall& c) {
  std::vector<std::string> names;
  for (const Value& v : flattened(c.args)) names.push_back(class_name_of(c, v));
  std::vector<std::string_view> views(names.begin(), names.end());
  ListBuilder result(c.arena(), names.size());
  for (std::string_view name : views)
    result.add(Value::type(class_type(c.arena(), c.arena().copy(name.starts_with("::") ? name.substr(2) : name))));
  c.evaluator.catalog().include_classes(views, how, c.frame, c.loc);
  return result.finish();
}

// ---------------------------------------------------------------------------------------------------------------------
// resources

/// Reads "Type[title]" or a reference value; the result has the form that the catalog stores. An empty title: not a reference.
ResourceRef reference_of(FunctionCall& c, const Value& v) {
  if (v.is(Kind::Ref)) return *v.ref;
  const Type* type = as_type(v);
  if (type != nullptr && type->kind == TypeKind::Resource) {
    const auto& resource = type_cast<ResourceType>(type);
    return {c.arena().copy(capitalize_segments(resource.type_name)), resource.title};
  }
  if (type != nullptr && type->kind == TypeKind::Class)
    return {"Class", c.arena().copy(capitalize_segments(type_cast<ClassType>(type).class_name))};
  std::string text = ruby_to_s(v);
  ResourceRef ref;
  if (!split_reference(c.arena().copy(text), ref.type, ref.title))
    c.fail(fmt::format("No title provided and {} is not a valid resource reference", ruby_inspect(Value::string(text))));
  return ref;
}

Value realize(FunctionCall& c) {
  check_count(c, 1);
  std::vector<ResourceRef> references;
  for (const Value& v : flattened(c.args)) {
    // Pass on text that is not a reference: evaluating the collector raises the error.
    std::string text = v.is_undef() ? std::string() : v.is(Kind::Ref) || v.is_type() ? std::string("Type[title]") : ruby_to_s(v);
    ResourceRef ref;
    bool sound = split_reference(text, ref.type, ref.title);
    references.push_back(sound ? reference_of(c, v) : ResourceRef{{}, c.arena().copy(text)});
  }
  c.evaluator.catalog().realize(references, c.frame, c.loc);
  return Value::undef();
}

/// Converts a value as Puppet does for functions of its old API: rich data becomes text.
Value plain_value(FunctionCall& c, const Value& v) {
  switch (v.kind) {
  case Kind::Regex:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Timespan:
  case Kind::Timestamp: return c.string(to_display_string(c.types(), v));
  default: return map_parts(c.arena(), v, [&](const Value& part) { return plain_value(c, part); });
  }
}

void create(FunctionCall& c, std::string_view type, const Hash& instances, const Hash* defaults) {
  // Only defines can have an absolute name.
  if (type.starts_with("::") && instances.size > 0 && !c.evaluator.catalog().define_known(downcase_name(type.substr(2))))
    c.fail(fmt::format("Unknown resource type: '{}'", type));
  std::string name = downcase_name(type);
  ResourceForm form = ResourceForm::Regular;
  if (name.starts_with("@@")) {
    form = ResourceForm::Exported;
    name.erase(0, 2);
  } else if (name.starts_with('@')) {
    form = ResourceForm::Virtual;
    name.erase(0, 1);
  }
  if (name == "class" && form != ResourceForm::Regular) c.fail("Classes are not virtualizable");
  for (const auto& instance : instances.entries()) {
    std::vector<HashEntry> attributes;
    if (defaults != nullptr) attributes.assign(defaults->entries().begin(), defaults->entries().end());
    if (!instance.value.is_hash()) c.fail(fmt::format("no implicit conversion of {} into Hash", ruby_class_or_nil(instance.value)));
    for (const auto& e : instance.value.hash->entries()) {
      auto it = std::find_if(attributes.begin(), attributes.end(), [&](const HashEntry& a) { return eql(a.key, e.key); });
      if (it == attributes.end())
        attributes.push_back(e);
      else
        it->value = e.value;
    }
    for (HashEntry& e : attributes) e.value = plain_value(c, e.value);
    std::vector<Value> titles;
    flatten_into(instance.key, titles);
    for (const Value& title : titles) {
      if (title.is_undef()) c.fail(fmt::format("No title provided and :{} is not a valid resource reference", name));
      c.evaluator.catalog().create_resource(name, title, attributes, form, c.frame, c.loc);
    }
  }
}

Value create_resources(FunctionCall& c) {
  check_count(c, 2);
  if (c.size() > 3) c.fail(fmt::format("create_resources(): wrong number of arguments ({}; must be 2 or 3)", c.size()));
  if (!c.args[1].is_hash()) c.fail("create_resources(): second argument must be a hash");
  if (c.size() == 3 && !c.args[2].is_hash()) c.fail("create_resources(): third argument, if provided, must be a hash");
  // Puppet's function calls sub on the type's name: a number, list or data type has none.
  if (!c.args[0].is_string() && !c.args[0].is_undef())
    c.fail(fmt::format("undefined method `sub' for {}:{}", ruby_inspect(c.types(), c.args[0]), ruby_class_or_nil(c.args[0])));
  create(c, ruby_to_s(c.args[0]), *c.args[1].hash, c.size() == 3 ? c.args[2].hash : nullptr);
  return Value::undef();
}

/// Reads a reference value of the language or of the catalog. Returns false when the value is not a reference.
bool resource_named(FunctionCall& c, const Value& v, ResourceRef& out) {
  if (v.is(Kind::Ref)) {
    out = *v.ref;
    return true;
  }
  const Type* type = as_type(v);
  if (type == nullptr || (type->kind != TypeKind::Resource && type->kind != TypeKind::Class)) return false;
  out = reference_of(c, v);
  return true;
}

/// Ruby's == between the parameter's value and a given one: numbers are compared by value, references by what they name, everything else by
/// kind and content.
bool same_parameter(FunctionCall& c, const Value& set, const Value& given) {
  check_native_stack();
  if (set.is_number() && given.is_number())
    return (set.is_int() ? static_cast<double>(set.i) : set.d) == (given.is_int() ? static_cast<double>(given.i) : given.d);
  ResourceRef a, b;
  if (resource_named(c, set, a)) return resource_named(c, given, b) && a.type == b.type && a.title == b.title;
  if (set.is_list() && given.is_list())
    return std::equal(set.items().begin(), set.items().end(), given.items().begin(), given.items().end(),
                      [&](const Value& x, const Value& y) { return same_parameter(c, x, y); });
  if (set.is_hash() && given.is_hash())
    return set.hash->size == given.hash->size &&
           std::all_of(set.hash->entries().begin(), set.hash->entries().end(), [&](const HashEntry& e) {
             const Value* other = given.hash->find(e.key);
             return other != nullptr && same_parameter(c, e.value, *other);
           });
  return eql(set, given);
}

bool has_parameters(FunctionCall& c, ResourceId id, const Hash* params) {
  Catalog& catalog = c.evaluator.catalog().catalog();
  if (id == no_resource || id == c.evaluator.catalog().container_of(c.frame)) return false;
  if (params == nullptr) return true;
  for (const auto& e : params->entries()) {
    Symbol name = e.key.is_string() ? find_symbol(e.key.str()) : Symbol{};
    const Param* p = name ? catalog[id].find(name) : nullptr;
    Value set = name == sym::title ? Value::string(catalog[id].title) : p ? p->value : Value::undef();
    if (set.is_undef() && e.value.is_undef()) continue;
    if (!same_parameter(c, set, e.value)) return false;
  }
  return true;
}

Value defined_with_params(FunctionCall& c) {
  const Value reference = c.arg(0);
  if (!reference.truthy()) c.fail("Must specify a reference");
  if (!reference.is_string() && !reference.is(Kind::Ref) && !reference.is_type()) return c.run_file(); // Ruby's own errors
  const Hash* params = c.arg(1).is_hash() ? c.arg(1).hash : nullptr;
  CatalogBuilder& builder = c.evaluator.catalog();
  const ResourceRef ref = reference_of(c, reference);
  if (!ref.title.empty()) return Value::boolean(has_parameters(c, builder.find_declared(ref.type, ref.title), params));
  const Catalog& catalog = builder.catalog();
  for (ResourceId id = 0; id < catalog.size(); ++id)
    if (catalog.type_name(catalog[id].type) == ref.type && has_parameters(c, id, params)) return Value::boolean(true);
  return Value::boolean(false);
}

void ensure_one(FunctionCall& c, std::string_view type, const Value& title, const Hash* params) {
  HashBuilder none(c.arena());
  Value attributes = params ? Value::of(params) : none.finish();
  for (const Value& item : flattened({&title, 1})) {
    std::string name = ruby_to_s(item);
    if (type.empty() || type.find_first_of("[]") != std::string_view::npos || name.empty())
      c.fail(fmt::format("No title provided and {} is not a valid resource reference",
                         ruby_inspect(c.string(fmt::format("{}[{}]", type, name)))));
    if (c.call_old("defined_with_params", {c.string(fmt::format("{}[{}]", type, name)), attributes}).truthy()) continue;
    HashBuilder instance(c.arena());
    instance.set(item.is_number() || item.is_bool() ? item : c.string(name), attributes);
    create(c, type, *instance.finish_hash(), nullptr);
  }
}

Value ensure_resource(FunctionCall& c) {
  if (!c.arg(0).truthy()) c.fail("Must specify a type");
  if (!c.arg(1).truthy()) c.fail("Must specify a title");
  if (!c.args[0].is_string()) return c.run_file(); // Ruby's own errors
  if (c.given(2) && !c.args[2].is_hash()) c.fail(fmt::format("no implicit conversion of {} into Hash", ruby_class_or_nil(c.args[2])));
  ensure_one(c, c.args[0].str(), c.args[1], c.arg(2).is_hash() ? c.arg(2).hash : nullptr);
  return Value::undef();
}

/// The entries of both hashes; those of `b` win.
const Hash* merged(FunctionCall& c, const Hash* a, const Value& b) {
  if (!b.is_hash()) return a;
  if (a == nullptr) return b.hash;
  HashBuilder out(c.arena(), *a);
  for (const auto& e : b.hash->entries()) out.set(e.key, e.value);
  return out.finish_hash();
}

bool hashes_only(const Hash& hash) {
  return std::ranges::all_of(hash.entries(), [](const HashEntry& e) { return e.value.is_hash(); });
}

/// Until stdlib 8.5 every package is `installed` unless something else is asked for.
Value ensure_packages(FunctionCall& c) {
  HashBuilder builder(c.arena());
  builder.set("ensure", Value::string("installed"));
  if (c.arg(1).is_hash())
    for (const auto& e : c.arg(1).hash->entries()) builder.set(e.key, e.value);
  if (const Value* ensure = builder.find(Value::string("ensure")); ensure->is_string() && ensure->str() == "present")
    builder.set("ensure", Value::string("installed"));
  Value defaults = builder.finish();
  if (c.args[0].is_hash() && !hashes_only(*c.args[0].hash)) return c.run_file();
  if (c.args[0].is_hash()) {
    c.call("ensure_resources", {Value::string("package"), c.args[0], defaults});
  } else {
    for (const Value& name : c.args[0].is_list() ? c.args[0].items() : c.args.first(1))
      c.call("ensure_resource", {Value::string("package"), name, defaults});
  }
  return Value::undef();
}

/// Since stdlib 8.6 a package that was declared with `present` keeps that.
void ensure_package(FunctionCall& c, const Value& name, const Hash* attributes) {
  HashBuilder builder(c.arena());
  builder.set("ensure", Value::string("installed"));
  if (attributes != nullptr)
    for (const auto& e : attributes->entries()) builder.set(e.key, e.value);
  const Value* ensure = builder.find(Value::string("ensure"));
  if (ensure->is_string() && (ensure->str() == "present" || ensure->str() == "installed")) {
    HashBuilder asked(c.arena());
    asked.set("ensure", Value::string("present"));
    const bool present = c.call("defined_with_params", {c.string(fmt::format("Package[{}]", name.str())), asked.finish()}).truthy();
    builder.set("ensure", Value::string(present ? "present" : "installed"));
  }
  c.call("ensure_resource", {Value::string("package"), name, builder.finish()});
}
Value ensure_packages_as_declared(FunctionCall& c) {
  const Hash* defaults = c.arg(1).is_hash() ? c.args[1].hash : nullptr;
  if (!c.args[0].is_hash()) {
    for (const Value& name : c.args[0].is_list() ? c.args[0].items() : c.args.first(1)) ensure_package(c, name, defaults);
    return Value::undef();
  }
  if (!hashes_only(*c.args[0].hash)) return c.run_file(); // an error, after what comes before it
  for (const auto& e : c.args[0].hash->entries()) { ensure_package(c, e.key, merged(c, defaults, e.value)); }
  return Value::undef();
}

// ---------------------------------------------------------------------------------------------------------------------
// questions

bool is_defined(FunctionCall& c, const Value& v) {
  CatalogBuilder& builder = c.evaluator.catalog();
  auto known_type = [&](std::string_view name) { return builder.native_type_known(name) || builder.define_known(name); };
  if (v.is_string()) {
    std::string_view text = v.str();
    if (text.size() > 1 && text[0] == '$') {
      Value out;
      return c.evaluator.lookup_variable(text.substr(1), c.frame, out);
    }
    if (text.empty()) return false;
    if (text == "main") return true;
    return known_type(text) || builder.class_known(text);
  }
  if (v.is(Kind::Ref)) return builder.resource_declared(v.ref->type, v.ref->title);
  const Type* type = as_type(v);
  bool wrapped = type != nullptr && type->kind == TypeKind::Type;
  if (wrapped) type = type_cast<WrapperType>(type).inner;
  if (type != nullptr && type->kind == TypeKind::Resource) {
    const auto& resource = type_cast<ResourceType>(type);
    if (resource.type_name.empty()) c.fail("The given resource type is a reference to all kind of types");
    return resource.has_title ? builder.resource_declared(resource.type_name, resource.title) : known_type(resource.type_name);
  }
  if (type != nullptr && type->kind == TypeKind::Class) {
    std::string_view name = type_cast<ClassType>(type).class_name;
    if (name.empty()) c.fail("The given class type is a reference to all classes");
    return wrapped ? builder.class_known(name) : builder.resource_declared("class", name);
  }
  c.fail(fmt::format("Invalid argument of type '{}' to 'defined'", ruby_class_or_nil(v)));
}

Value defined(FunctionCall& c) {
  for (const Value& v : c.args)
    if (is_defined(c, v)) return Value::boolean(true);
  return Value::boolean(false);
}

Value add_tags(FunctionCall& c) {
  check_count(c, 1);
  std::vector<std::string> texts;
  for (const Value& v : flattened(c.args))
    if (!v.is_undef()) texts.push_back(ruby_to_s(v));
  std::vector<std::string_view> views(texts.begin(), texts.end());
  c.evaluator.catalog().add_tags(views, c.frame);
  return Value::undef();
}

Value tagged(FunctionCall& c) {
  check_count(c, 1);
  for (const Value& v : c.args)
    if (!c.evaluator.catalog().tagged(ruby_to_s(v), c.frame)) return Value::boolean(false);
  return Value::boolean(true);
}

} // namespace

FunctionTable catalog_functions() {
  using enum CatalogBuilder::Inclusion;
  static const std::vector<FunctionEntry> table{
      {"include",
       "Declares classes and evaluates those that are new. Takes names, lists of names, `Class[…]` and `Resource['class', …]`. Returns the "
       "`Class[…]` references. An unknown class is an error.",
       {{"Any $names+", include_classes<Include>}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"require",
       "Like `include`; also makes the calling class, define or node require the classes.",
       {{"Any $names+", include_classes<Require>}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"contain",
       "Like `include`; also puts the classes into the calling class, so that what depends on it depends on them.",
       {{"Any $names+", include_classes<Contain>}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"realize",
       "Makes virtual resources real, given by reference. One that is never declared is an error at the end of the compile.",
       {{"3.x -2", realize}},
       FunctionTrait::Statement | FunctionTrait::Effects | FunctionTrait::OldApi},
      {"create_resources",
       "Declares resources from data: `create_resources(type, {title => {attribute => value}}, {attribute => default})`. A type name may "
       "begin with "
       "`@` (virtual) or `@@` (exported).",
       {{"3.x -3", create_resources}},
       FunctionTrait::Statement | FunctionTrait::Effects | FunctionTrait::OldApi},
      {"tag",
       "Adds tags to the calling class, define or node, and so to all it contains.",
       {{"3.x -2", add_tags}},
       FunctionTrait::Statement | FunctionTrait::Effects | FunctionTrait::OldApi},
      {"tagged",
       "Whether the calling class, define or node has all the tags.",
       {{"3.x -2", tagged}},
       FunctionTrait::AsksNode | FunctionTrait::OldApi},
      {"defined",
       "Whether one of the arguments is known: a variable ('$name'), class, define or type by name, a declared resource (`File['/x']`) or "
       "an "
       "evaluated class (`Class['a']`), a type (`File`) or an existing class (`Type[Class['a']]`).",
       {{"Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] $vals+", defined}},
       FunctionTrait::AsksNode},
      {"ensure_resource",
       "Declares a resource (or several, by a list of titles) with the attributes, unless it is there with them already.",
       {{"3.x", ensure_resource}},
       FunctionTrait::Statement | FunctionTrait::Effects,
       "stdlib"},
      {"ensure_packages",
       "Declares packages by name, list of names or hash, `ensure => installed` unless given, each unless it is there already.",
       {{"Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash $default_attributes?", ensure_packages}},
       FunctionTrait::Statement | FunctionTrait::Effects,
       "stdlib"},
      {"ensure_packages",
       "Declares packages by name, list of names or hash, each unless it is there already.",
       {{"Variant[String[1], Array[String[1]]] $packages, Hash $default_attributes?", ensure_packages_as_declared},
        {"Hash[String[1], Any] $packages, Hash $default_attributes?", ensure_packages_as_declared}},
       FunctionTrait::Statement | FunctionTrait::Effects,
       "stdlib",
       "8.6"},
      {"stdlib::ensure_packages",
       "Declares packages by name, list of names or hash, each unless it is there already.",
       {{"Variant[String[1], Array[String[1]]] $packages, Hash $default_attributes?", ensure_packages_as_declared},
        {"Hash[String[1], Any] $packages, Hash $default_attributes?", ensure_packages_as_declared}},
       FunctionTrait::Statement | FunctionTrait::Effects,
       "stdlib"},
      {"defined_with_params",
       "Whether a resource, given as `Type[title]` reference or text, is declared with the parameters of a hash.",
       {{"3.x", defined_with_params}},
       FunctionTrait::Effects,
       "stdlib"},
  };
  return table;
}

} // namespace pupc::compiler
