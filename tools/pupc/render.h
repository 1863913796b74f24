#pragma once
// Prints diagnostics for people: on a terminal with the source line, a caret and a suggestion, elsewhere as one line in Puppet's form.
#include "catalog/base/diagnostic.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace pupc::cli {

enum class ColorMode : uint8_t { Auto, Always, Never };

/// "auto", "always" or "never". Throws UsageError.
ColorMode parse_color(std::string_view word);

struct RenderStyle {
  bool excerpt = false; // source line and caret
  bool color = false;
  std::string below; // paths below this directory are shown relative to it; empty: all are shown whole
};

/// The style for a stream: excerpts on a terminal. With ColorMode::Auto a terminal gets colours unless NO_COLOR is set or TERM is dumb.
RenderStyle render_style(std::FILE* stream, ColorMode color);

/// The diagnostic as text with a line end.
///   plain:   Error: MESSAGE (file: F, line: L, column: C)
///   excerpt: error[2004]: MESSAGE
///             --> F:L:C
///             |
///           3 | class Foo {
///             | ^^^^^^^^^
///             = Did you mean 'foo'?
std::string render(const Diagnostic& d, const RenderStyle& style);

/// The part of an excerpt below the message (place, source line, trace, suggestion), for errors whose message is already in the log. Empty
/// when the style has no excerpts.
std::string render_place(const Diagnostic& d, const RenderStyle& style);

/// An example as a block of code: four blanks before each line that is not empty, a line end behind the last.
std::string indented(std::string_view code);

} // namespace pupc::cli
