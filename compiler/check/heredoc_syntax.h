#pragma once
// Text with a named syntax, of heredocs such as @("END":json): json, base64, pp and epp are checked, other names are not.
#include "compiler/check/checker.h"

#include <string>
#include <string_view>

namespace pupc {

/// Puppet's message for text that breaks its syntax, or empty. `syntax` may be composed ("data+json"): the longest known
/// end of it counts. Used for static text by the checker, for interpolated text by the evaluator.
std::string heredoc_text_error(std::string_view syntax, std::string_view text, const EmbeddedCodeCheck& embedded_code);

/// What Ruby's JSON library (2.6) says about a text, or empty when it accepts it. It takes comments and any escaped character, no NaN.
std::string json_error(std::string_view text);

} // namespace pupc
