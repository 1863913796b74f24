#pragma once
// Who is told where resources and their parameters come from, while a catalog is made. Without one (the default) a compile does nothing
// for it but compare a pointer; `pupc why` derives from it.
#include "catalog/base/source.h"
#include "catalog/graph/resource.h"

#include <string_view>

namespace pupc {

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
  Container,         // a metaparameter of what contains it
  Relationship,      // `->` and `~>`, and the function require
  Stage,             // of the class around it
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

  /// `container`: whose body declared it (no_resource: the top). `detail`: the exporting node, or the class that inherits.
  virtual void declared(ResourceId /*id*/, DeclaredBy /*how*/, const OriginPlace& /*place*/, ResourceId /*container*/,
                        std::string_view /*detail*/) {}
  /// A class that is there was included once more.
  virtual void included_again(ResourceId /*id*/, const OriginPlace& /*place*/, ResourceId /*container*/) {}
  /// A virtual resource was made real by a collector or a call of realize.
  virtual void realized(ResourceId /*id*/, const OriginPlace& /*place*/) {}
  /// A parameter got a value, perhaps instead of an earlier one; `appended`: in addition to that. `from`: the container that passed it.
  virtual void parameter_set(ResourceId /*id*/, const Param& /*param*/, ParamSource /*source*/, const OriginPlace& /*place*/,
                             bool /*appended*/, ResourceId /*from*/) {}
  /// Data for a parameter are about to be looked up: who is told how that goes, null for nobody. A ParamSource::Data follows if any are
  /// found.
  virtual Explainer* data_lookup(ResourceId /*id*/, std::string_view /*key*/) { return nullptr; }
};

} // namespace pupc
