#pragma once
// ERB without Ruby, for the subset of Ruby in which most templates are written.
#include "catalog/base/source.h"
#include "compiler/ruby/core/ruby_host.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <memory>
#include <string>
#include <string_view>

namespace pupc::compiler {

class Evaluator;
struct Frame;

/// The rendered text, or the reason why only Ruby can render the template.
struct ErbResult {
  bool rendered = false;
  std::string text;
  std::string reason; // why it was not rendered: the construct that only Ruby knows, with its line ("line 3: method 'gsub!'")
};

/// Renders an ERB text with the variables of `frame`. `loc`: the place of the call that renders it, which is that of resources that
/// functions make for the template. If the text uses more than the subset, evaluates and prints nothing, and returns the
/// reason. Throws CompileError for errors that Puppet raises, too (an undefined method of nil, an unknown variable through scope[]).
ErbResult render_erb_natively(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc = {});

/// The parsed template. Each environment parses a text once.
std::shared_ptr<const ruby::RubyScript> parsed_erb(Evaluator& evaluator, std::string_view text);

/// Parses an ERB template. Code that is broken or unknown becomes a problem of the program, never an error.
std::shared_ptr<const ruby::RubyScript> parse_erb(std::string_view text, RegexCache& regexes, const ruby::CallableFunctions& functions);

} // namespace pupc::compiler
