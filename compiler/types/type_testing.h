#pragma once
// What unit tests of types share.
#include "compiler/types/type.h"

namespace pupc::compiler {

/// A context without modules, that knows the resource type `file` only.
class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view name) override { return name == "file"; }
};

} // namespace pupc::compiler
