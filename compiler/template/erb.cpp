// render_erb_natively(): the way from an ERB text to its result.
#include "compiler/template/erb.h"

#include "compiler/eval/evaluator.h"

namespace pupc {

ErbResult render_erb_natively(Evaluator&, Frame&, std::string_view text, std::string_view) {
  ErbResult result;
  size_t tag = text.find("<%");
  if (tag == std::string_view::npos && text.find("%>") == std::string_view::npos) {
    result.rendered = true;
    result.text = text;
    return result;
  }
  size_t line = 1;
  for (char ch : text.substr(0, tag)) line += ch == '\n';
  result.reason = "line " + std::to_string(line) + ": Ruby code";
  return result;
}

} // namespace pupc
