#pragma once
// The catalog under construction: scopes of classes and defines, lazy queues, defaults, overrides, collectors, relationships.
// Functions (include, contain, realize, create_resources, …) and the evaluator's catalog nodes call it.
#include "catalog/value/value.h"
#include "compiler/ast/ast.h"
#include "compiler/eval/scope.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pupc::catalog {
class Catalog;
} // namespace pupc::catalog
namespace pupc::compiler {
class Evaluator;

/// A resource that Ruby code of a module makes: Puppet::Parser::Resource.new.
struct MadeResource {
  std::string_view type; // in any case
  std::string_view title;
  std::span<const HashEntry> parameters = {};
  std::span<const Value> tags = {};
  bool is_virtual = false;
  bool exported = false;
  std::string_view file = {};
  uint32_t line = 0;
};

class CatalogBuilder {
public:
  virtual ~CatalogBuilder() = default;

  // -- AST nodes (called by Evaluator::evaluate); each function returns the value of the expression
  virtual Value evaluate_resource(const ResourceExpr& node, Frame& frame) = 0;
  virtual Value evaluate_defaults(const ResourceDefaults& node, Frame& frame) = 0;
  virtual Value evaluate_override(const ResourceOverride& node, Frame& frame) = 0;
  virtual Value evaluate_collector(const Collector& node, Frame& frame) = 0;
  virtual Value evaluate_relationship(const Binary& node, Frame& frame) = 0;

  // -- classes
  enum class Inclusion : uint8_t { Include, Require, Contain };
  /// Carries out include, require or contain. A name may start with `::`. All classes go into the catalog first; then the new ones are
  /// evaluated. An error about the names ("Could not find class ::x for node") has no place: the function call adds it.
  virtual void include_classes(std::span<const std::string_view> names, Inclusion how, Frame& caller, Loc loc) = 0;
  virtual bool class_included(std::string_view name) = 0;
  /// The scope of an evaluated class, or null. Used for `$a::b`.
  virtual Scope* class_scope(std::string_view name) = 0;
  /// Reads `$settings::name`. Returns false when Puppet has no such setting.
  virtual bool find_setting(std::string_view name, Value& out) = 0;
  virtual bool class_known(std::string_view name) = 0;
  virtual bool define_known(std::string_view name) = 0;
  virtual bool native_type_known(std::string_view name) = 0;

  // -- resources
  virtual bool resource_declared(std::string_view type, std::string_view title) = 0;
  /// The declared resource that a reference names by title, by alias or by its uniqueness key; no_resource when there is none.
  virtual ResourceId find_declared(std::string_view type, std::string_view title) = 0;
  /// The class, define or node whose body the frame belongs to; Class[main] at top scope and in functions.
  virtual ResourceId container_of(Frame& frame) = 0;
  /// Declares a resource as `type { title: attributes }` does; create_resources and ensure_resource use it. `form` is that of ResourceExpr.
  /// Errors have no place ("Duplicate declaration: …"): the caller adds the words that surround errors of a resource expression. `title`
  /// may be a number or a boolean: `$title` then keeps that value, and the resource gets no tag from it.
  virtual void create_resource(std::string_view type, const Value& title, std::span<const HashEntry> attributes, ResourceForm form,
                               Frame& caller, Loc loc) = 0;
  /// Reads a parameter of a resource, for `File['x']['mode']`. `out` is undef when the parameter is not set. Returns false when the
  /// resource does not exist.
  virtual bool resource_parameter(std::string_view type, std::string_view title, std::string_view parameter, Value& out) = 0;
  /// Makes virtual resources real, now or as soon as they are declared. A resource that is never declared is an error at the end of the
  /// compile. A reference with an empty type holds text that is no reference: an error when the collectors are evaluated.
  virtual void realize(std::span<const ResourceRef> references, Frame& caller, Loc loc) = 0;
  /// Tags the class, define or node whose code calls. Throws for an invalid tag.
  virtual void add_tags(std::span<const std::string_view> tags, Frame& caller) = 0;
  /// Whether the calling class, define or node has the tag, or one of its containers, or the catalog itself.
  virtual bool tagged(std::string_view tag, Frame& caller) = 0;

  /// The scope whose code gave a parameter of the scope's class or define its value; null when data or a default did.
  virtual const Scope* giver_of(const Scope& /*scope*/, std::string_view /*parameter*/) const { return nullptr; }

  // -- what Ruby code of modules does with the compiler and the catalog (made_resources.cpp)
  /// Adds a class or define without a body; `parent` may be empty. If one of that name exists already, returns its place as messages show
  /// it (" (line: 1)", or an empty text).
  virtual std::optional<std::string> add_definition(bool /*define*/, std::string_view /*name*/, std::string_view /*parent*/,
                                                    std::span<const Value> /*parameters*/) {
    return "";
  }
  /// `compiler.add_resource(container, resource)`: declares the resource in `declared_in`, contained in what runs in `container`. Without a
  /// container it is `catalog.add_resource`, which only adds: no edge, no tags of the scope, no checks at the end, nothing is evaluated.
  virtual ResourceId add_made(const MadeResource& /*resource*/, Frame& /*declared_in*/, Frame* /*container*/) { return no_resource; }
  /// `resource.evaluate`, or with `again` `type.evaluate_code(resource)`, which evaluates it whatever was before.
  virtual void evaluate_made(ResourceId /*resource*/, bool /*again*/) {}
  /// `type.ensure_in_catalog(scope, parameters)` of a class: its resource, declared if need be, not evaluated.
  virtual ResourceId ensure_class_declared(std::string_view /*name*/, const Hash* /*parameters*/, Frame& /*scope*/) { return no_resource; }
  /// `compiler.newscope(parent, :resource => …)`: an empty scope; no_resource: that of top scope.
  virtual Scope* new_scope(Frame& /*parent*/, ResourceId /*resource*/) { return nullptr; }
  /// `compiler.add_override`
  virtual void override_with(const MadeResource& /*resource*/, Frame& /*scope*/) {}
  /// The names of the classes (or defines) that this compile has found so far.
  virtual std::vector<std::string_view> known_definitions(bool /*defines*/) const { return {}; }
  /// `compiler.add_relationship`
  virtual void add_relationship(const ResourceRef& /*from*/, const ResourceRef& /*to*/, bool /*notify*/) {}
  /// Whether the compiler, and not the catalog alone, has the resource.
  virtual bool compiler_has(ResourceId /*resource*/) const { return true; }

  virtual std::string_view node_name() const = 0;
  virtual Scope& top_scope() = 0;
  virtual Catalog& catalog() = 0;
};

} // namespace pupc::compiler
