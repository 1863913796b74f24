#pragma once
// Errors and warnings: numbered classes (errors.def), a message in Puppet's words, a place, and what helps to mend it.
#include "catalog/base/source.h"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

enum class ErrorCode : uint16_t {
#define PUPC_ERROR(number, ident, summary, explanation) ident = number,
#include "catalog/base/errors.def"
#undef PUPC_ERROR
};

/// Errors at a limit of depth or of steps: code that turns an error of what it runs into one of its own lets these through.
inline bool is_limit(ErrorCode code) { return code == ErrorCode::stack_overflow || code == ErrorCode::pattern_limit; }

enum class Severity : uint8_t { Error, Warning, Deprecation };

/// How much of the place Puppet appends to this message.
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
  Loc loc;                   // place in Puppet source, or
  std::string file;          // a data file's name
  uint32_t line = 0;         // and line,
  uint32_t column = 0;       // and column, when there is no Loc
  std::string log_text;      // what Puppet's log has instead of the whole message (it leaves out place and node); empty = the message
  bool preformatted = false; // complete as it is, though without a place: nobody puts "Error while evaluating …, " around it
  std::string suggestion;    // "did you mean …", a complete sentence; empty = none
  std::vector<TraceEntry> trace;

  std::string file_name() const;
  LineColumn position() const;
  /// Puppet's one-line form: message and `(file: F, line: L, column: C)`.
  std::string puppet_text() const;
};

/// Appends ` (file: F, line: L, column: C)` with the parts that are known, as Puppet does.
std::string position_suffix(std::string_view file, uint32_t line, uint32_t column);

/// Explanation of a numbered class; null members when there is no such number.
struct ErrorClass {
  uint16_t number;
  const char* ident;
  const char* summary;
  const char* explanation;
};
const ErrorClass* find_error_class(uint16_t number);
std::vector<ErrorClass> all_error_classes();

/// The exception that carries one Diagnostic. Thrown from cold functions only.
class CompileError : public std::exception {
public:
  explicit CompileError(Diagnostic d) : diagnostic(std::move(d)) {}
  const char* what() const noexcept override { return diagnostic.message.c_str(); }
  Diagnostic diagnostic;
};

[[noreturn]] void throw_error(ErrorCode code, Loc loc, std::string message, PositionStyle style = PositionStyle::LineColumn);

/// Names close to `wanted` (edit distance), best first, at most `limit`.
std::vector<std::string_view> similar_names(std::string_view wanted, const std::vector<std::string_view>& known, size_t limit = 3);

} // namespace pupc
