#pragma once
// Errors and warnings: a numbered class (errors.def), a message in Puppet's words, a place, and help for fixing the problem.
#include "catalog/base/source.h"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

enum class ErrorCode : uint16_t {
#define PUPC_ERROR(number, ident, summary, explanation) ident = number,
#include "catalog/base/errors.def"
#undef PUPC_ERROR
};

/// Errors at a limit of depth or of steps: code that turns an error of what it runs into one of its own lets these through.
inline bool is_limit(ErrorCode code) { return code == ErrorCode::stack_overflow || code == ErrorCode::pattern_limit; }

/// A Hint is below a warning: the code may well be intended, so users see hints only on request. Only the checks of
/// compiler/analysis give them.
enum class Severity : uint8_t { Error, Warning, Deprecation, Hint };

/// Which parts of the place Puppet appends to the message.
enum class PositionStyle : uint8_t { LineColumn, Line, None, File };

struct TraceEntry {
  std::string what; // e.g. "function foo::bar", "Class[Ntp]"
  Loc loc;
};

struct Diagnostic {
  ErrorCode code = ErrorCode::internal_error;
  Severity severity = Severity::Error;
  PositionStyle style = PositionStyle::LineColumn;
  std::string message;       // Puppet's text, without place and node
  Loc loc;                   // place in Puppet source; without it the next three fields give the place:
  std::string file;          // name of a data file
  uint32_t line = 0;         // its line
  uint32_t column = 0;       // its column
  std::string log_text;      // text for Puppet's log if it differs from `message` (without place and node); empty = `message`
  bool preformatted = false; // complete despite the missing place: do not add "Error while evaluating …, "
  std::string suggestion;    // "did you mean …", a complete sentence; empty = none
  std::vector<TraceEntry> trace;

  std::string file_name() const;
  LineColumn position() const;
  /// Puppet's one-line form: message and `(file: F, line: L, column: C)`.
  std::string puppet_text() const;
};

/// Returns ` (file: F, line: L, column: C)` with the known parts, as Puppet appends it to messages.
std::string position_suffix(std::string_view file, uint32_t line, uint32_t column);
/// A message with the places in it (`file: …`) relative to a directory, where they are below it. An empty directory changes nothing.
std::string with_paths_below(std::string message, const std::string& directory);

/// Explanation of a numbered error class. The texts are null when no class has the number.
struct ErrorClass {
  uint16_t number;
  const char* ident;
  const char* summary;
  const char* explanation;
};
const ErrorClass* find_error_class(uint16_t number);
std::vector<ErrorClass> all_error_classes();

/// The exception that carries one Diagnostic. Only cold functions throw it.
class CompileError : public std::exception {
public:
  explicit CompileError(Diagnostic d) : diagnostic(std::move(d)) {}
  const char* what() const noexcept override { return diagnostic.message.c_str(); }
  Diagnostic diagnostic;
};

[[noreturn]] void throw_error(ErrorCode code, Loc loc, std::string message, PositionStyle style = PositionStyle::LineColumn);

/// The names closest to `wanted` by edit distance, best first, at most `limit` of them.
std::vector<std::string_view> similar_names(std::string_view wanted, const std::vector<std::string_view>& known, size_t limit = 3);

} // namespace pupc::catalog
