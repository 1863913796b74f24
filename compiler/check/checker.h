#pragma once
// Static checks of a parsed file.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Parses and checks a text of Puppet code (`epp`: a template). Returns the message of Puppet's exception, or empty if there is none.
using EmbeddedCodeCheck = std::function<std::string(std::string_view text, bool epp)>;

/// Puppet's setting `strict`: what to do with what it calls deprecated or doubtful.
enum class Strict : uint8_t { Off, Warning, Error };

/// How many messages about one text are logged: Puppet's settings max_errors, max_warnings and max_deprecations. What is beyond is
/// counted only. With at most one error, the first is the error itself, without a summary.
struct MessageLimits {
  int64_t errors = 10;
  int64_t warnings = 10;
  int64_t deprecations = 10;
};

struct CheckOptions {
  Strict strict = Strict::Error;
  MessageLimits limits;

  /// Where the file is (compiler/load sets this). Module: an autoloaded file of a module. Its top level may hold only definitions, but
  /// no nodes ("This X is unacceptable as a top level construct in this location", checked first). The names of the definitions, in lower
  /// case, must start with `name_space` ("Unacceptable location. The name 'x' is unacceptable in file 'F'").
  /// Misplaced: a .pp in a module, but outside its code folders. Every definition in it is an error.
  enum class Place : uint8_t { Free, Module, Misplaced };
  Place place = Place::Free;
  std::string name_space;

  /// Checks the text of heredocs with syntax pp or epp. Callers that can parse set it; without it such text is not checked.
  EmbeddedCodeCheck embedded_code;
};

/// Puppet's static validation: expressions without effect, illegal names, reserved words, top-level-only constructs,
/// duplicate parameters and attributes, and so on. Returns errors and warnings with Puppet's messages, in Puppet's order.
std::vector<Diagnostic> check(const ParsedFile& file, const CheckOptions& options = {});

} // namespace pupc::compiler
