#pragma once
// Checks the text of heredocs with a named syntax, such as @("END":json). Only json, base64, pp and epp are checked.
#include "compiler/check/checker.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// Puppet's message for text that breaks its syntax, or empty. `syntax` may have several parts ("data+json"): its longest known suffix
/// counts. The checker uses this for static text, the evaluator for interpolated text.
std::string heredoc_text_error(std::string_view syntax, std::string_view text, const EmbeddedCodeCheck& embedded_code);

/// The error message of Ruby's JSON library (2.6) for a text, or empty when it accepts the text. The library accepts comments and any
/// escaped character, but no NaN.
std::string json_error(std::string_view text);

} // namespace pupc::compiler
