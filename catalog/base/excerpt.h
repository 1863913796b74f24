#pragma once
// What an excerpt of an error shows besides the place in Puppet's message.
#include "catalog/base/diagnostic.h"

namespace pupc::catalog {

/// A line without the white space around its text; no place when there is no such line.
Loc whole_line(const SourceFile* file, uint32_t line);

/// The cause of an error where the message names a place further out, or only a line. It is kept in front of the trace, without a name.
void set_cause(Diagnostic& d, Loc cause);
Loc cause_of(const Diagnostic& d);

} // namespace pupc::catalog
