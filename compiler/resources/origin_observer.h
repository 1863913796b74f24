#pragma once
// An observer of a compile: it hears where resources and their parameters come from. Without one (the default) a compile spends no more
// than a comparison of a pointer. `pupc why` derives from it.
#include "catalog/base/source.h"
#include "catalog/graph/resource.h"

#include <string_view>

namespace pupc::compiler {

class Explainer;

/// How a resource came into the catalog.
enum class DeclaredBy : uint8_t {
  Expression,     // `file { … }`, also `class { … }`
  Call,           // include, contain, require, create_resources, ensure_packages, …
  NodeDefinition, // the node that matched
  Classifier,     // a class of the external node classifier
  Inherited,      // a class that another class inherits
  Collector,      // exported by another node
};

/// Who gave a parameter its value.
enum class ParamSource : uint8_t {
  Unknown,
  Body,              // an attribute of the resource expression
  DefaultBody,       // of its `default:` body
  Splat,             // `* => $hash`
  ResourceDefault,   // `File { … }`
  Override,          // `File['/x'] { … }`
  CollectorOverride, // `File <| … |> { … }`
  Call,              // a function's argument
  Data,              // Hiera, by automatic parameter lookup
  DefaultExpression, // of the class's or define's parameter
  Container,         // a metaparameter of the container
  Relationship,      // `->` and `~>`, and the function require
  Stage,             // of the class around the resource
  Classifier,
  Exported, // by another node, with the value that it had there
};

struct OriginPlace {
  const SourceFile* file = nullptr; // null: unknown
  uint32_t line = 0;
  uint32_t offset = 0; // of the call, the expression or the attribute; 0 when only the line is known
};

class OriginObserver {
public:
  virtual ~OriginObserver() = default;

  /// `container`: the resource whose body declared this one (no_resource: the top). `detail`: the exporting node, or the class that
  /// inherits.
  virtual void declared(ResourceId /*id*/, DeclaredBy /*how*/, const OriginPlace& /*place*/, ResourceId /*container*/,
                        std::string_view /*detail*/) {}
  /// Code included a class that is already in the catalog.
  virtual void included_again(ResourceId /*id*/, const OriginPlace& /*place*/, ResourceId /*container*/) {}
  /// A collector or a call of realize made a virtual resource real.
  virtual void realized(ResourceId /*id*/, const OriginPlace& /*place*/) {}
  /// A parameter got a value, perhaps in place of an earlier one. `appended`: the value was added to the earlier one. `from`: the container
  /// that passed it.
  virtual void parameter_set(ResourceId /*id*/, const Param& /*param*/, ParamSource /*source*/, const OriginPlace& /*place*/,
                             bool /*appended*/, ResourceId /*from*/) {}
  /// A lookup of data for a parameter is about to start. Returns who records the lookup's steps; null for nobody. If the lookup finds a
  /// value, a parameter_set with ParamSource::Data follows.
  virtual Explainer* data_lookup(ResourceId /*id*/, std::string_view /*key*/) { return nullptr; }
};

} // namespace pupc::compiler
