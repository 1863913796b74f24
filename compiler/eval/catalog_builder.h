#pragma once
// The catalog under construction: scopes of classes and defines, lazy queues, defaults, overrides, collectors, relationships.
// Functions (include, contain, realize, create_resources, …) and the evaluator's catalog nodes call it.
#include "catalog/value/value.h"
#include "compiler/ast/ast.h"
#include "compiler/eval/scope.h"

#include <optional>
#include <span>
#include <string_view>

namespace pupc {

class Catalog;
class Evaluator;

/// What a collector expression yields (Value::flags of an undef): undef to everything but a relationship and text.
inline constexpr uint8_t collector_flag = 0x40;
inline bool is_collector(const Value& v) { return v.is_undef() && v.flags == collector_flag; }

class CatalogBuilder {
public:
  virtual ~CatalogBuilder() = default;

  // -- AST nodes (called by Evaluator::evaluate); results are what the expression yields
  virtual Value evaluate_resource(const ResourceExpr& node, Frame& frame) = 0;
  virtual Value evaluate_defaults(const ResourceDefaults& node, Frame& frame) = 0;
  virtual Value evaluate_override(const ResourceOverride& node, Frame& frame) = 0;
  virtual Value evaluate_collector(const Collector& node, Frame& frame) = 0;
  virtual Value evaluate_relationship(const Binary& node, Frame& frame) = 0;

  // -- classes
  enum class Inclusion : uint8_t { Include, Require, Contain };
  /// include/require/contain of class names (a leading :: is allowed): all are put into the catalog, then those that are new are
  /// evaluated. Throws without a place what is about the names ("Could not find class ::x for node"): the function call gives it one.
  virtual void include_classes(std::span<const std::string_view> names, Inclusion how, Frame& caller, Loc loc) = 0;
  virtual bool class_included(std::string_view name) = 0;
  /// Scope of an evaluated class, or null. For `$a::b`.
  virtual Scope* class_scope(std::string_view name) = 0;
  /// `$settings::name`; false when Puppet has no such setting.
  virtual bool find_setting(std::string_view name, Value& out) = 0;
  /// Adds a class without a body, made at run time; `parent` may be empty. When there is a class of that name:
  /// where, as messages tell it (" (line: 1)", maybe empty).
  virtual std::optional<std::string> add_class_definition(std::string_view /*name*/, std::string_view /*parent*/) { return ""; }
  virtual bool class_known(std::string_view name) = 0;
  virtual bool define_known(std::string_view name) = 0;
  virtual bool native_type_known(std::string_view name) = 0;

  // -- resources
  virtual bool resource_declared(std::string_view type, std::string_view title) = 0;
  /// The declared resource of a reference (by title, alias or what its title stands for); no_resource when there is none.
  virtual ResourceId find_declared(std::string_view type, std::string_view title) = 0;
  /// The class, define or node whose body a frame is of; Class[main] at top scope and in functions.
  virtual ResourceId container_of(Frame& frame) = 0;
  /// Declares a resource as `type { title: attributes }` does; used by create_resources and ensure_resource. `form` as in ResourceExpr.
  /// Throws without a place what a resource expression wraps ("Duplicate declaration: …").
  /// `title` may be a number or a boolean: the resource is then not tagged with it, and `$title` is that value.
  virtual void create_resource(std::string_view type, const Value& title, std::span<const HashEntry> attributes, ResourceForm form,
                               Frame& caller, Loc loc) = 0;
  /// Value of a resource's parameter, undef when not set; false when there is no such resource. For `File['x']['mode']`.
  virtual bool resource_parameter(std::string_view type, std::string_view title, std::string_view parameter, Value& out) = 0;
  /// Makes virtual resources real, now or when they are declared; those never declared are an error at the end of the compile. A reference
  /// with an empty type is text that is none: an error when the queue of collectors is evaluated.
  virtual void realize(std::span<const ResourceRef> references, Frame& caller, Loc loc) = 0;
  virtual void add_tags(std::span<const std::string_view> tags, Frame& caller) = 0;
  virtual bool tagged(std::string_view tag, Frame& caller) = 0;

  /// "Catalog-Collector[File]" of a collector's value.
  virtual std::string collector_text(const Value& v) const = 0;
  virtual std::string_view node_name() const = 0;
  virtual Scope& top_scope() = 0;
  virtual Catalog& catalog() = 0;
};

} // namespace pupc
