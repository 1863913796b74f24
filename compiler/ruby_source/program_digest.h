#pragma once
// Which program a Ruby file holds, whatever its comments, blanks and quotes: a digest of its tokens. Natively written functions stand
// for the programs whose digests they name.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pupc {

/// The tokens of a file that count, one a line; nothing where the tokenizer cannot follow the text. What does not count: comments,
/// blanks and line breaks that mean nothing, which quotes a text has, a comma before a closing bracket, the value of `doc:` and
/// statements `desc "…"`. What counts: parentheses, `do` and braces, hash arrows, names of variables, texts of errors.
std::optional<std::string> ruby_program_text(std::string_view source);

/// The first 64 bits of the SHA-256 of that text; nothing where there is none, so such a file is no program that anyone knows.
std::optional<uint64_t> ruby_program_digest(std::string_view source);

} // namespace pupc
