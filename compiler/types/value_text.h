#pragma once
// Values as they stand among a type's parameters or an object's attributes: the printers of types and of values share them.
#include "catalog/value/value.h"

#include <string>

namespace pupc::compiler {

/// An object or Deferred with one attribute per line, indented as Puppet's formatter does.
std::string indented_literal(const Value& v, int level);
/// Appends a value as it appears among a type's parameters or an object's attributes.
void append_literal(std::string& out, const Value& v);

} // namespace pupc::compiler
