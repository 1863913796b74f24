#pragma once
// Identifies the program in a Ruby file, regardless of comments, blanks and quotes, by a digest of its tokens. A native function names the
// digests of the Ruby functions that it replaces.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// Returns the significant tokens of a file, one per line; nothing where the tokenizer cannot follow the text. It leaves out comments,
/// blanks and line breaks without meaning, the kind of quotes, a comma before a closing bracket, the value of `doc:`, and statements `desc
/// "…"`. It keeps parentheses, the choice of `do` or braces, hash arrows, names of variables and texts of errors.
std::optional<std::string> ruby_program_text(std::string_view source);

/// Returns the first 64 bits of the SHA-256 of ruby_program_text, or nothing if there is no such text: then the file matches no known
/// program.
std::optional<uint64_t> ruby_program_digest(std::string_view source);

} // namespace pupc::compiler
