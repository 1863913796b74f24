#pragma once
// Values as the documents that Ruby's own libraries write of them.
#include "compiler/types/type.h"

#include <string>

namespace pupc::compiler {

/// Ruby's to_json. A value that JSON lacks is its text.
std::string json_document(TypeContext& types, const Value& v);
/// Ruby's JSON.pretty_generate of a list or hash. `options`: a hash of its layout by name (indent, space, space_before, object_nl,
/// array_nl), or undef. Throws Puppet's error for a document that is nested too deep.
std::string pretty_json_document(TypeContext& types, const Value& v, const Value& options);
/// Ruby's to_yaml. `options`: a hash of Psych's options by name (indentation, line_width, canonical, header), or undef.
std::string yaml_document(TypeContext& types, const Value& v, const Value& options = {});

} // namespace pupc::compiler
