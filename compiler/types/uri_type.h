#pragma once
// The parameters of URI types: components that a URI must have.
#include "compiler/types/core_types.h"

namespace pupc {

/// Components of a type's parameter (a text, a URI, or a hash of them already); undef for none. Throws CompileError for a text that is no
/// URI.
Value uri_type_parameters(TypeContext& ctx, const Value& given);
/// Whether a hash may be the parameter: known components with texts, patterns or types.
bool uri_parameters_valid(TypeContext& ctx, const Hash& h);
/// Whether a URI's components match those of a parameterised URI type.
bool uri_matches(TypeContext& ctx, const UriType& type, std::string_view uri);
bool uri_type_accepts(TypeContext& ctx, const UriType& to, const UriType& from);

} // namespace pupc
