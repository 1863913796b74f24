#pragma once
// ERB without Ruby: the subset of Ruby in which most templates are written.
#include "compiler/ruby_interpreter/ruby_tree.h"

#include <memory>
#include <string>
#include <string_view>

namespace pupc {

class Evaluator;
struct Frame;

struct ErbResult {
  bool rendered = false;
  std::string text;
  std::string reason; // when not rendered: the construct that only Ruby knows, with its line ("line 3: method 'gsub!'")
};

/// Renders an ERB text with the variables of `frame`, or says what in it is beyond the subset before anything was evaluated or printed.
/// Errors that Puppet would raise too (an undefined method of nil, an unknown variable through scope[]) are CompileErrors.
ErbResult render_erb_natively(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path);

/// The parsed template, parsed once an environment.
std::shared_ptr<const ruby::Program> parsed_erb(Evaluator& evaluator, std::string_view text);

/// Parses an ERB template. What cannot be parsed or isn't known becomes a problem, never an error.
std::shared_ptr<const ruby::Program> parse_erb(std::string_view text, RegexCache& regexes, const ruby::CallableFunctions& functions);

struct ErbComparison {
  ErbResult native;
  std::string by_ruby;
  bool same = true; // also when the template is not rendered natively: there is nothing to compare then
};

/// For tests: renders a template natively and by the evaluator's Ruby service and compares the bytes. Logs of functions that it calls come
/// twice. Raises what either way raises; it is a mistake of the caller when there is no Ruby service.
ErbComparison compare_erb_renderings(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path);

} // namespace pupc
