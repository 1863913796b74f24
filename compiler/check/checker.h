#pragma once
// Static checks of a parsed file and resolution of variable names to frame slots.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Parses and checks a text of Puppet code (`epp`: a template). Returns what Puppet's exception says, empty when the text is right.
using EmbeddedCodeCheck = std::function<std::string(std::string_view text, bool epp)>;

struct CheckOptions {
  enum class Strict : uint8_t { Off, Warning, Error };
  Strict strict = Strict::Error;

  /// Where the file stands (filled by compiler/load). Module: an autoloaded file of a module, whose top level may hold
  /// only definitions other than nodes ("This X is unacceptable as a top level construct in this location", checked first) and whose
  /// definitions' lower-cased names must start with `name_space` ("Unacceptable location. The name 'x' is unacceptable in file 'F'").
  /// Misplaced: a .pp below a module but in none of its code folders: every definition is unacceptable.
  enum class Place : uint8_t { Free, Module, Misplaced };
  Place place = Place::Free;
  std::string name_space;

  /// Checks the text of heredocs with syntax pp or epp; set by those that can parse. Without it such text is not looked at.
  EmbeddedCodeCheck embedded_code;
};

/// Puppet's static validation (Puppet's checker: no effect, illegal names, reserved words, top-level-only constructs,
/// duplicate parameters and attributes, ...). Returns errors and warnings in Puppet's words, in Puppet's order.
std::vector<Diagnostic> check(const ParsedFile& file, const CheckOptions& options = {});

/// Gives every body its FrameLayout and every simple variable its (up, slot). Call once, before the file is shared.
void resolve_names(ParsedFile& file);

} // namespace pupc
