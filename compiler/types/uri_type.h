#pragma once
// The parameters of URI types: components that a URI must have.
#include "compiler/types/core_types.h"

namespace pupc::compiler {

/// The hash of components from a type's parameter, which is a text, a URI or such a hash. Undef for none. Throws CompileError for a
/// text that is not a URI.
Value uri_type_parameters(TypeContext& ctx, const Value& given);
/// Whether a hash is a valid parameter: its keys are known components, its values texts, patterns or types.
bool uri_parameters_valid(TypeContext& ctx, const Hash& h);
/// Whether a URI's components match those of a parameterised URI type.
bool uri_matches(TypeContext& ctx, const UriType& type, std::string_view uri);
bool uri_type_accepts(TypeContext& ctx, const UriType& to, const UriType& from);

} // namespace pupc::compiler
