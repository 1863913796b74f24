#pragma once
// Why a value does not fit, for people who read the source.
#include "compiler/types/type.h"

namespace pupc::compiler {

/// The type as Puppet prints it in messages, in which an alias of a long type has its name alone.
std::string brief_text(const Type* type);

/// The text of describe_mismatch() without a subject, in which an alias of a long type has its name alone: "expects a match for
/// Stdlib::Fqdn, got 'a b'". Throws a CompileError when a type in it does not exist.
std::string describe_briefly(TypeContext& ctx, const Type* expected, const Value& actual);

} // namespace pupc::compiler
