#pragma once
// Static checks of a parsed file and resolution of variable names to frame slots.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <vector>

namespace pupc {

struct CheckOptions {
  enum class Strict : uint8_t { Off, Warning, Error };
  Strict strict = Strict::Error;
};

/// The reference's static validation (Puppet's checker: no effect, illegal names, reserved words, top-level-only constructs,
/// duplicate parameters and attributes, ...). Returns errors and warnings in the reference's words, in the reference's order.
std::vector<Diagnostic> check(const ParsedFile& file, const CheckOptions& options = {});

/// Gives every body its FrameLayout and every simple variable its (up, slot). Call once, before the file is shared.
void resolve_names(ParsedFile& file);

} // namespace pupc
