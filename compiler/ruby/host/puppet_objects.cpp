#include "compiler/ruby/host/puppet_objects.h"

#include "compiler/ruby/host/resource_objects.h"

#include "catalog/value/inspect.h"

#include <unordered_map>

namespace pupc::compiler {
namespace puppet_objects {

RubyValue ResourceObject::get_scope(const ObjectCall& c) {
  if (found()) c.tools.leave("the scope of a resource");
  return RubyValue::of(room.make<ScopeObject>(*scope));
}

/// The frame of an argument that is a scope.
Frame& frame_of(Room& room, const ObjectCall& c, const RubyValue& v) {
  if (v.is(RubyKind::Scope)) return room.main;
  const auto* scope = v.is(RubyKind::Host) ? dynamic_cast<const ScopeObject*>(v.host) : nullptr;
  if (scope == nullptr) c.tools.leave(fmt::format("{} without a scope", c.name));
  return scope->frame;
}

/// The resource that an argument is.
ResourceObject& resource_of(const ObjectCall& c, const RubyValue& v) {
  auto* resource = v.is(RubyKind::Host) ? dynamic_cast<ResourceObject*>(v.host) : nullptr;
  if (resource == nullptr) c.tools.leave(fmt::format("{} of something else than a resource", c.name));
  return *resource;
}

/// Type and title of a reference that comes as both or as one text ("File[/x]"), as Puppet spells them.
std::pair<std::string, std::string> type_and_title(const ObjectCall& c, std::span<const RubyValue> args) {
  std::string type, title;
  if (args.size() == 1 || args[1].is_nil()) {
    const std::string text(args[0].is(RubyKind::Host) ? c.tools.shown(args[0]) : std::string(text_of(c, args[0])));
    const size_t open = text.find('[');
    if (open == 0 || open == std::string::npos || !text.ends_with(']') || open + 2 >= text.size())
      c.tools.raise(RubyClass::ArgumentError, fmt::format("No title provided and {} is not a valid resource reference", inspected(text)));
    type = text.substr(0, open);
    title = text.substr(open + 1, text.size() - open - 2);
  } else {
    type = text_of(c, args[0]);
    title = text_of(c, args[1]);
  }
  if (type.empty() || ascii_lower(type) == "component") c.tools.leave("a resource of this type");
  type = capitalize_segments(ascii_lower(type).starts_with("::") ? type.substr(2) : type);
  if (type == "Class") title = capitalize_segments(without_colons(title));
  return {type, title};
}

RubyValue find_resource(Room& room, const ObjectCall& c) {
  const auto [type, title] = type_and_title(c, c.args);
  const ResourceId id = room.builder().find_declared(ascii_lower(type), title);
  return id == no_resource ? RubyValue() : RubyValue::of(room.make<ResourceObject>(id));
}

RubyValue find_type(Room& room, const ObjectCall& c, bool define) {
  std::string wanted = ascii_lower(without_colons(text_of(c, c.args[0])));
  if (define ? !room.builder().define_known(wanted) : !room.builder().class_known(wanted)) return {};
  return RubyValue::of(room.make<TypeObject>(define, std::move(wanted)));
}

RubyValue TypeObject::evaluate_code(const ObjectCall& c) {
  ResourceObject& resource = resource_of(c, c.args[0]);
  if (resource.found()) {
    room.builder().evaluate_made(resource.id, true);
    return {};
  }
  // Puppet names the class, and then asks the resource's catalog for the stage.
  if (!define) room.catalog().add_class(type_name_);
  c.tools.raise(RubyClass::NoMethodError, "undefined method `resource' for nil:NilClass");
}

RubyValue TypeObject::ensure_in_catalog(const ObjectCall& c) {
  if (define) c.tools.leave("ensure_in_catalog of a define");
  const ResourceId id = room.builder().ensure_class_declared(type_name_, nullptr, frame_of(room, c, c.args[0]));
  return RubyValue::of(room.make<ResourceObject>(id));
}

/// Puppet::Resource: what names a class or resource.
class ReferenceObject final : public Object<ReferenceObject> {
public:
  ReferenceObject(Room& r, std::string of_type, std::string with_title)
      : Object(r), type(std::move(of_type)), title(std::move(with_title)) {}
  std::string_view name() const override { return "Puppet::Resource"; }
  std::string text() const override { return fmt::format("{}[{}]", type, title); }
  bool is(const HostObject& other) const override {
    const auto* reference = dynamic_cast<const ReferenceObject*>(&other);
    return reference != nullptr && reference->text() == text();
  }

  const std::string type, title;

  RubyValue get_type(const ObjectCall& c) { return c.tools.text(type); }
  RubyValue get_title(const ObjectCall& c) { return c.tools.text(title); }
  RubyValue ref(const ObjectCall& c) { return c.tools.text(text()); }

  static constexpr Method methods[] = {
      {"type", &ReferenceObject::get_type, 0, 0}, {"title", &ReferenceObject::get_title, 0, 0}, {"ref", &ReferenceObject::ref, 0, 0}};
};

/// Puppet::Resource::Catalog.
class CatalogObject final : public Object<CatalogObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Resource::Catalog"; }
  bool is(const HostObject& other) const override { return dynamic_cast<const CatalogObject*>(&other) != nullptr; }

  RubyValue resource(const ObjectCall& c) { return find_resource(room, c); }
  RubyValue resources(const ObjectCall& c) {
    std::vector<RubyValue> out;
    for (ResourceId id = 0; id < room.catalog().size(); ++id) out.push_back(RubyValue::of(room.make<ResourceObject>(id)));
    return c.tools.list(std::move(out));
  }
  RubyValue classes(const ObjectCall& c) {
    std::vector<RubyValue> out;
    for (std::string_view name : room.catalog().classes()) out.push_back(c.tools.text(std::string(name)));
    return c.tools.list(std::move(out));
  }
  RubyValue tags(const ObjectCall& c) {
    std::vector<RubyValue> out;
    for (TagId tag : room.catalog().tags()) out.push_back(c.tools.text(std::string(room.catalog().tag_text(tag))));
    return c.tools.list(std::move(out));
  }
  RubyValue tag(const ObjectCall& c) {
    for (const RubyValue& name : c.args) room.catalog().tag(text_of(c, name));
    return {};
  }
  RubyValue add_resource(const ObjectCall& c) {
    for (const RubyValue& v : c.args) {
      ResourceObject& resource = resource_of(c, v);
      if (resource.found()) c.tools.leave("add_resource of a resource that the catalog has");
      resource.add(nullptr);
    }
    return c.args[0];
  }
  RubyValue add_class(const ObjectCall& c) {
    for (const RubyValue& name : c.args) room.catalog().add_class(text_of(c, name));
    return {};
  }
  RubyValue environment(const ObjectCall& c) { return c.tools.text(room.e.environment().options().name); }
  RubyValue get_name(const ObjectCall& c) { return c.tools.text(std::string(room.builder().node_name())); }

  static constexpr Method methods[] = {{"resource", &CatalogObject::resource, 1, 2},
                                       {"resources", &CatalogObject::resources, 0, 0},
                                       {"classes", &CatalogObject::classes, 0, 0},
                                       {"tags", &CatalogObject::tags, 0, 0},
                                       {"tag", &CatalogObject::tag, 1, 255, true},
                                       {"add_resource", &CatalogObject::add_resource, 1, 255, true},
                                       {"add_class", &CatalogObject::add_class, 1, 255, true},
                                       {"environment", &CatalogObject::environment, 0, 0},
                                       {"name", &CatalogObject::get_name, 0, 0}};
};

/// Puppet::Module.
class ModuleObject final : public Object<ModuleObject> {
public:
  ModuleObject(Room& r, const Module& of) : Object(r), module(of) {}
  std::string_view name() const override { return "Puppet::Module"; }
  std::string text() const override { return fmt::format("Module {}({})", module.name, module.path); }
  bool is(const HostObject& other) const override {
    const auto* other_module = dynamic_cast<const ModuleObject*>(&other);
    return other_module != nullptr && &other_module->module == &module;
  }

  RubyValue get_name(const ObjectCall& c) { return c.tools.text(module.name); }
  RubyValue path(const ObjectCall& c) { return c.tools.text(module.path); }
  RubyValue version(const ObjectCall& c) { return module.version.empty() ? RubyValue() : c.tools.text(module.version); }
  RubyValue metadata_file(const ObjectCall& c) { return c.tools.text(module.path + "/metadata.json"); }
  RubyValue file(const ObjectCall& c) { return part(c, "files"); }
  RubyValue template_file(const ObjectCall& c) { return part(c, "templates"); }

  static constexpr Method methods[] = {{"name", &ModuleObject::get_name, 0, 0},   {"path", &ModuleObject::path, 0, 0},
                                       {"version", &ModuleObject::version, 0, 0}, {"metadata_file", &ModuleObject::metadata_file, 0, 0},
                                       {"file", &ModuleObject::file, 1, 1},       {"template", &ModuleObject::template_file, 1, 1}};

private:
  RubyValue part(const ObjectCall& c, std::string_view folder) {
    std::string full = fmt::format("{}/{}/{}", module.path, folder, text_of(c, c.args[0]));
    return room.e.environment().path_exists(full) ? c.tools.text(std::move(full)) : RubyValue();
  }
  const Module& module;
};

/// Puppet::Resource::TypeCollection.
class TypesObject final : public Object<TypesObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Resource::TypeCollection"; }
  bool is(const HostObject& other) const override { return dynamic_cast<const TypesObject*>(&other) != nullptr; }

  RubyValue find_hostclass(const ObjectCall& c) { return find_type(room, c, false); }
  RubyValue find_definition(const ObjectCall& c) { return find_type(room, c, true); }
  RubyValue add(const ObjectCall& c) {
    const auto* type = c.args[0].is(RubyKind::Host) ? dynamic_cast<const TypeObject*>(c.args[0].host) : nullptr;
    if (type == nullptr) c.tools.leave(fmt::format("{} of something else than a class or define", c.name));
    if ((c.name == "add_hostclass" && type->define) || (c.name == "add_definition" && !type->define)) c.tools.leave(std::string(c.name));
    if (auto place = room.builder().add_definition(type->define, type->type_name(), "", {}))
      c.tools.raise(RubyClass::ParseError,
                    type->define ? fmt::format("Definition '{}' is already defined{}; cannot be redefined", type->type_name(), *place)
                                 : fmt::format("Class '{}' is already defined{}; cannot redefine", type->type_name(), *place));
    return c.name == "<<" ? RubyValue::of(this) : c.args[0];
  }

  static constexpr Method methods[] = {{"find_hostclass", &TypesObject::find_hostclass, 1, 1},
                                       {"hostclass", &TypesObject::find_hostclass, 1, 1},
                                       {"find_definition", &TypesObject::find_definition, 1, 1},
                                       {"definition", &TypesObject::find_definition, 1, 1},
                                       {"add_hostclass", &TypesObject::add, 1, 1, true},
                                       {"add_definition", &TypesObject::add, 1, 1, true},
                                       {"add", &TypesObject::add, 1, 1, true},
                                       {"<<", &TypesObject::add, 1, 1, true}};
};

/// Puppet::Node::Environment.
class EnvironmentObject final : public Object<EnvironmentObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Node::Environment"; }
  std::string text() const override { return room.e.environment().options().name; }
  bool is(const HostObject& other) const override { return dynamic_cast<const EnvironmentObject*>(&other) != nullptr; }

  RubyValue get_name(const ObjectCall& c) { return c.tools.symbol(room.e.environment().options().name); }
  RubyValue modulepath(const ObjectCall& c) {
    std::vector<RubyValue> out;
    for (const std::string& path : room.e.environment().options().modulepath) out.push_back(c.tools.text(path));
    return c.tools.list(std::move(out));
  }
  RubyValue modules(const ObjectCall& c) {
    std::vector<RubyValue> out;
    for (const Module& m : room.e.environment().modules()) out.push_back(RubyValue::of(room.make<ModuleObject>(m)));
    return c.tools.list(std::move(out));
  }
  RubyValue find_module(const ObjectCall& c) {
    const Module* found = room.e.environment().find_module(text_of(c, c.args[0]));
    return found == nullptr ? RubyValue() : RubyValue::of(room.make<ModuleObject>(*found));
  }
  RubyValue known_resource_types(const ObjectCall&) { return RubyValue::of(room.make<TypesObject>()); }

  static constexpr Method methods[] = {{"name", &EnvironmentObject::get_name, 0, 0},
                                       {"to_sym", &EnvironmentObject::get_name, 0, 0},
                                       {"modulepath", &EnvironmentObject::modulepath, 0, 0},
                                       {"full_modulepath", &EnvironmentObject::modulepath, 0, 0},
                                       {"modules", &EnvironmentObject::modules, 0, 0},
                                       {"module", &EnvironmentObject::find_module, 1, 1},
                                       {"known_resource_types", &EnvironmentObject::known_resource_types, 0, 0}};
};

/// Puppet::Node.
class NodeObject final : public Object<NodeObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Node"; }
  std::string text() const override { return std::string(room.e.catalog().node_name()); }
  bool is(const HostObject& other) const override { return dynamic_cast<const NodeObject*>(&other) != nullptr; }

  RubyValue get_name(const ObjectCall& c) { return c.tools.text(text()); }
  RubyValue environment(const ObjectCall&) { return RubyValue::of(room.make<EnvironmentObject>()); }

  static constexpr Method methods[] = {{"name", &NodeObject::get_name, 0, 0}, {"environment", &NodeObject::environment, 0, 0}};
};

/// Puppet::Pops::Loaders, and the loader of what all code of the environment sees.
class LoadersObject final : public Object<LoadersObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Pops::Loaders"; }

  RubyValue loader(const ObjectCall&) { return RubyValue::of(this); }
  /// Something that is not nil for a function of either API.
  RubyValue load(const ObjectCall& c) {
    if (text_of(c, c.args[0]) != "function") c.tools.leave("load of something else than a function");
    return room.e.function_exists(without_colons(text_of(c, c.args[1])), room.main) ? RubyValue::of(this) : RubyValue();
  }

  static constexpr Method methods[] = {{"private_environment_loader", &LoadersObject::loader, 0, 0}, {"load", &LoadersObject::load, 2, 2}};
};

/// Puppet::Parser::Compiler.
class CompilerObject final : public Object<CompilerObject> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Parser::Compiler"; }
  bool is(const HostObject& other) const override { return dynamic_cast<const CompilerObject*>(&other) != nullptr; }

  RubyValue topscope(const ObjectCall&) { return RubyValue::of(room.make<ScopeObject>(*room.builder().top_scope().frame)); }
  RubyValue catalog(const ObjectCall&) { return RubyValue::of(room.make<CatalogObject>()); }
  RubyValue environment(const ObjectCall&) { return RubyValue::of(room.make<EnvironmentObject>()); }
  RubyValue node(const ObjectCall&) { return RubyValue::of(room.make<NodeObject>()); }
  RubyValue loaders(const ObjectCall&) { return RubyValue::of(room.make<LoadersObject>()); }
  RubyValue findresource(const ObjectCall& c) { return find_resource(room, c); }
  RubyValue find_hostclass(const ObjectCall& c) { return find_type(room, c, false); }
  RubyValue add_resource(const ObjectCall& c) {
    ResourceObject& resource = resource_of(c, c.args[1]);
    if (resource.found()) c.tools.leave("add_resource of a resource that the catalog has");
    resource.add(&frame_of(room, c, c.args[0]));
    return c.args[1];
  }
  RubyValue add_class(const ObjectCall& c) {
    if (const std::string_view name = text_of(c, c.args[0]); !name.empty()) room.catalog().add_class(name);
    return {};
  }
  RubyValue classlist(const ObjectCall& c) { return CatalogObject(room).classes(c); }

  static constexpr Method methods[] = {{"topscope", &CompilerObject::topscope, 0, 0},
                                       {"catalog", &CompilerObject::catalog, 0, 0},
                                       {"environment", &CompilerObject::environment, 0, 0},
                                       {"node", &CompilerObject::node, 0, 0},
                                       {"loaders", &CompilerObject::loaders, 0, 0},
                                       {"findresource", &CompilerObject::findresource, 1, 2},
                                       {"find_hostclass", &CompilerObject::find_hostclass, 1, 1},
                                       {"add_resource", &CompilerObject::add_resource, 2, 2, true},
                                       {"add_class", &CompilerObject::add_class, 1, 1, true},
                                       {"classlist", &CompilerObject::classlist, 0, 0}};
};

std::optional<Value> ResourceObject::value() const {
  if (!found()) return {};
  Arena& arena = room.e.arena();
  auto* kept = new (arena.allocate(sizeof(ResourceRef), alignof(ResourceRef))) ResourceRef;
  kept->type = arena.copy(type_text());
  kept->title = arena.copy(type_text() == "Class" ? capitalize_segments(title_text()) : std::string(title_text()));
  return Value::of(kept);
}

RubyValue ScopeObject::source(const ObjectCall& c) {
  const Scope* scope = frame.scope;
  const bool define = scope != nullptr && scope->kind == ScopeKind::Define;
  if (scope == nullptr || (!define && scope->kind != ScopeKind::Class && scope->kind != ScopeKind::Top))
    c.tools.leave("the source of this scope");
  return RubyValue::of(room.make<TypeObject>(define, std::string(scope->class_name)));
}

RubyValue ScopeObject::compiler(const ObjectCall&) { return RubyValue::of(room.make<CompilerObject>()); }
RubyValue ScopeObject::catalog(const ObjectCall&) { return RubyValue::of(room.make<CatalogObject>()); }
RubyValue ScopeObject::environment(const ObjectCall&) { return RubyValue::of(room.make<EnvironmentObject>()); }
RubyValue ScopeObject::node(const ObjectCall&) { return RubyValue::of(room.make<NodeObject>()); }
RubyValue ScopeObject::known_resource_types(const ObjectCall&) { return RubyValue::of(room.make<TypesObject>()); }
RubyValue ScopeObject::findresource(const ObjectCall& c) { return find_resource(room, c); }
RubyValue ScopeObject::find_hostclass(const ObjectCall& c) { return find_type(room, c, false); }
RubyValue ScopeObject::find_definition(const ObjectCall& c) { return find_type(room, c, true); }

// ---------------------------------------------------------------------------------------------------------------------
// classes and modules

/// Puppet::Resource::Type, the class.
class TypeClass final : public Object<TypeClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Resource::Type"; }
  bool has_instance(const RubyValue& v) const override {
    return v.is(RubyKind::Host) && dynamic_cast<const TypeObject*>(v.host) != nullptr;
  }

  RubyValue make(const ObjectCall& c) {
    const std::string_view kind = text_of(c, c.args[0]);
    if (kind != "hostclass" && kind != "definition") c.tools.leave("a node made by Ruby code");
    return RubyValue::of(room.make<TypeObject>(kind == "definition", ascii_lower(without_colons(text_of(c, c.args[1])))));
  }
  static constexpr Method methods[] = {{"new", &TypeClass::make, 2, 2}};
};

/// Puppet::Parser::Resource, the class.
class ResourceClass final : public Object<ResourceClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Parser::Resource"; }
  bool has_instance(const RubyValue& v) const override {
    return v.is(RubyKind::Host) && dynamic_cast<const ResourceObject*>(v.host) != nullptr;
  }

  RubyValue make(const ObjectCall& c) {
    if (!c.args[2].is_hash()) c.tools.leave("a resource without options");
    const RubyValue* scope = c.args[2].h->find(c.tools.symbol("scope"));
    if (scope == nullptr) c.tools.leave("a resource without a scope");
    Frame& frame = frame_of(room, c, *scope);
    auto [type, title] = type_and_title(c, c.args.first(2));
    for (const Scope* s = frame.scope; s != nullptr; s = s->parent)
      if (s->defaults != nullptr && type != "Class") c.tools.leave("a resource where resource defaults are set");
    auto* made = room.make<ResourceObject>(std::move(type), std::move(title), frame);
    for (const auto& [key, value] : c.args[2].h->entries()) {
      const std::string_view option = text_of(c, key);
      if (option == "file" && value.is_string())
        made->in_file = value.text();
      else if (option == "line" && value.is_integer())
        made->at_line = static_cast<uint32_t>(value.i);
      else if (option == "virtual")
        made->is_virtual = value.truthy();
      else if (option == "exported")
        made->is_exported = value.truthy();
      else if (option != "scope" && option != "source")
        c.tools.leave(fmt::format("a resource with the option {}", option));
    }
    return RubyValue::of(made);
  }
  static constexpr Method methods[] = {{"new", &ResourceClass::make, 3, 3}};
};

/// Puppet::Resource, the class.
class ReferenceClass final : public Object<ReferenceClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Resource"; }
  bool has_instance(const RubyValue& v) const override {
    return v.is(RubyKind::Host) &&
           (dynamic_cast<const ReferenceObject*>(v.host) != nullptr || dynamic_cast<const ResourceObject*>(v.host) != nullptr);
  }

  RubyValue split(const ObjectCall& c) {
    auto [type, title] = type_and_title(c, c.args);
    return c.tools.list({c.tools.text(std::move(type)), c.tools.text(std::move(title))});
  }
  static constexpr Method methods[] = {{"type_and_title", &ReferenceClass::split, 2, 2}};
};

/// Puppet::Module, the class.
class ModuleClass final : public Object<ModuleClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Module"; }
  bool has_instance(const RubyValue& v) const override {
    return v.is(RubyKind::Host) && dynamic_cast<const ModuleObject*>(v.host) != nullptr;
  }

  RubyValue find(const ObjectCall& c) {
    const Module* found = room.e.environment().find_module(text_of(c, c.args[0]));
    return found == nullptr ? RubyValue() : RubyValue::of(room.make<ModuleObject>(*found));
  }
  static constexpr Method methods[] = {{"find", &ModuleClass::find, 1, 2}};
};

/// Puppet::Parser::Files
class FilesModule final : public Object<FilesModule> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Parser::Files"; }

  RubyValue find_file(const ObjectCall& c) { return find(c, ModuleFileKind::Files); }
  RubyValue find_template(const ObjectCall& c) { return find(c, ModuleFileKind::Templates); }

  static constexpr Method methods[] = {{"find_file", &FilesModule::find_file, 2, 2}, {"find_template", &FilesModule::find_template, 2, 2}};

private:
  RubyValue find(const ObjectCall& c, ModuleFileKind kind) {
    const std::string file(text_of(c, c.args[0]));
    const Environment& environment = room.e.environment();
    if (file.starts_with('/')) return environment.path_exists(file) ? c.tools.text(file) : RubyValue();
    auto found = environment.find_module_file(kind, file);
    return found ? c.tools.text(std::move(*found)) : RubyValue();
  }
};

/// Puppet::FileSystem
class FileSystemModule final : public Object<FileSystemModule> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::FileSystem"; }

  RubyValue exist(const ObjectCall& c) { return RubyValue::boolean(room.e.environment().path_exists(std::string(text_of(c, c.args[0])))); }
  RubyValue read(const ObjectCall& c) {
    const auto text = room.e.environment().read_file(std::string(text_of(c, c.args[0])));
    if (text == nullptr) c.tools.leave("a file that cannot be read");
    return c.tools.to_ruby(Value::string(room.e.arena().copy(*text)));
  }

  static constexpr Method methods[] = {{"exist?", &FileSystemModule::exist, 1, 1},
                                       {"read", &FileSystemModule::read, 1, 2}, // all texts are UTF-8
                                       {"read_preserve_line_endings", &FileSystemModule::read, 1, 1}};
};

/// A type of the language that Ruby code holds; leaves the code to Ruby for anything else.
const Type* type_of(const ObjectCall& c, const RubyValue& v) {
  const Type* type = v.is(RubyKind::Foreign) ? as_type(*v.foreign) : nullptr;
  if (type == nullptr) c.tools.leave(fmt::format("the argument of {}", c.name));
  return type;
}

/// Puppet::Pops::Types::TypeCalculator, and its one object
class TypeCalculatorClass final : public Object<TypeCalculatorClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Pops::Types::TypeCalculator"; }

  RubyValue singleton(const ObjectCall&) { return RubyValue::of(this); }
  RubyValue instance(const ObjectCall& c) {
    return RubyValue::boolean(is_instance(room.e.types(), type_of(c, c.args[0]), c.tools.to_puppet(c.args[1])));
  }
  RubyValue infer(const ObjectCall& c) {
    return c.tools.to_ruby(Value::type(compiler::infer(room.e.types(), c.tools.to_puppet(c.args[0]))));
  }
  RubyValue infer_set(const ObjectCall& c) {
    return c.tools.to_ruby(Value::type(infer_detailed(room.e.types(), c.tools.to_puppet(c.args[0]))));
  }

  static constexpr Method methods[] = {{"singleton", &TypeCalculatorClass::singleton, 0, 0},
                                       {"instance?", &TypeCalculatorClass::instance, 2, 2},
                                       {"infer", &TypeCalculatorClass::infer, 1, 1},
                                       {"infer_set", &TypeCalculatorClass::infer_set, 1, 1}};
};

/// Puppet::Pops::Types::TypeParser, and its one object
class TypeParserClass final : public Object<TypeParserClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Pops::Types::TypeParser"; }

  RubyValue singleton(const ObjectCall&) { return RubyValue::of(this); }
  RubyValue parse(const ObjectCall& c) { return c.tools.to_ruby(Value::type(parse_type(room.e.types(), text_of(c, c.args[0])))); }

  static constexpr Method methods[] = {{"new", &TypeParserClass::singleton, 0, 0},
                                       {"singleton", &TypeParserClass::singleton, 0, 0},
                                       {"parse", &TypeParserClass::parse, 1, 2}};
};

/// Puppet::Pops::Types::TypeMismatchDescriber, and its one object
class MismatchDescriberClass final : public Object<MismatchDescriberClass> {
public:
  using Object::Object;
  std::string_view name() const override { return "Puppet::Pops::Types::TypeMismatchDescriber"; }

  RubyValue singleton(const ObjectCall&) { return RubyValue::of(this); }
  RubyValue describe(const ObjectCall& c) {
    return c.tools.text(
        describe_mismatch(room.e.types(), std::string(text_of(c, c.args[0])), type_of(c, c.args[1]), type_of(c, c.args[2])));
  }

  static constexpr Method methods[] = {{"new", &MismatchDescriberClass::singleton, 0, 0},
                                       {"singleton", &MismatchDescriberClass::singleton, 0, 0},
                                       {"describe_mismatch", &MismatchDescriberClass::describe, 3, 3}};
};

/// The methods of all objects, and whether one of them changes something.
const std::unordered_map<std::string_view, bool>& all_methods() {
  static const auto all = [] {
    std::unordered_map<std::string_view, bool> out;
    auto add = [&](const auto& methods) {
      for (const auto& method : methods) out[method.name] |= method.changes;
    };
    add(ScopeObject::methods), add(CompilerObject::methods), add(CatalogObject::methods), add(ResourceObject::methods),
        add(TypeObject::methods), add(TypeParserClass::methods), add(LoadersObject::methods), add(MismatchDescriberClass::methods);
    add(TypesObject::methods), add(EnvironmentObject::methods), add(ModuleObject::methods), add(NodeObject::methods);
    return out;
  }();
  return all;
}

constexpr std::string_view constants[] = {"Puppet::Resource",
                                          "Puppet::Resource::Type",
                                          "Puppet::Parser::Resource",
                                          "Puppet::Module",
                                          "Puppet::Parser::Files",
                                          "Puppet::FileSystem",
                                          "Puppet::Pops::Types::TypeCalculator",
                                          "Puppet::Pops::Types::TypeParser",
                                          "Puppet::Pops::Types::TypeMismatchDescriber"};

} // namespace puppet_objects

using namespace puppet_objects;

PuppetObjects::PuppetObjects(Evaluator& evaluator, Frame& frame, Loc loc) : room_(std::make_unique<ObjectRoom>(evaluator, frame, loc)) {}
PuppetObjects::~PuppetObjects() = default;

HostObject* PuppetObjects::scope() { return room_->make<ScopeObject>(room_->main); }

HostObject* PuppetObjects::resource_of(const Value& reference) {
  const Type* type = as_type(reference);
  if (type == nullptr || (type->kind != TypeKind::Class && type->kind != TypeKind::Resource)) return nullptr;
  if (type->kind == TypeKind::Class)
    return room_->make<ReferenceObject>("Class", capitalize_segments(type_cast<ClassType>(type).class_name));
  const auto& resource = type_cast<ResourceType>(type);
  return room_->make<ReferenceObject>(capitalize_segments(resource.type_name), std::string(resource.title));
}

HostObject* PuppetObjects::constant(std::string_view name) {
  name = without_colons(name);
  if (name == "Puppet::Resource") return room_->make<ReferenceClass>();
  if (name == "Puppet::Resource::Type") return room_->make<TypeClass>();
  if (name == "Puppet::Parser::Resource") return room_->make<ResourceClass>();
  if (name == "Puppet::Module") return room_->make<ModuleClass>();
  if (name == "Puppet::Parser::Files") return room_->make<FilesModule>();
  if (name == "Puppet::FileSystem") return room_->make<FileSystemModule>();
  if (name == "Puppet::Pops::Types::TypeParser") return room_->make<TypeParserClass>();
  if (name == "Puppet::Pops::Types::TypeMismatchDescriber") return room_->make<MismatchDescriberClass>();
  if (name == "Puppet::Pops::Types::TypeCalculator") return room_->make<TypeCalculatorClass>();
  return nullptr;
}

bool PuppetObjects::changed() const { return room_->changed; }
bool PuppetObjects::has_constant(std::string_view name) {
  return std::ranges::find(constants, without_colons(name)) != std::end(constants);
}
bool PuppetObjects::has_method(std::string_view name) { return all_methods().contains(name); }
bool PuppetObjects::changes(std::string_view name) {
  static constexpr std::string_view common[] = {"[]=", "<<", "call_function", "setvar", "add", "tag"}; // of other objects, too
  const auto known = all_methods().find(name);
  return known != all_methods().end() && known->second && std::ranges::find(common, name) == std::end(common);
}

} // namespace pupc::compiler
