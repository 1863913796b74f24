#pragma once
// Diagnostics for people: on a terminal with the source line, a caret and a suggestion; elsewhere Puppet's one line.
#include "catalog/base/diagnostic.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace pupc {

enum class ColorMode : uint8_t { Auto, Always, Never };

/// "auto", "always" or "never". Throws UsageError.
ColorMode parse_color(std::string_view word);

struct RenderStyle {
  bool excerpt = false; // source line and caret
  bool color = false;
};

/// The style for a stream: excerpts on a terminal, colour there unless NO_COLOR is set or TERM is dumb, or as `color` says.
RenderStyle render_style(std::FILE* stream, ColorMode color);

/// The diagnostic with a line end.
///   plain:   Error: MESSAGE (file: F, line: L, column: C)
///   excerpt: error[2004]: MESSAGE
///             --> F:L:C
///             |
///           3 | class Foo {
///             | ^^^^^^^^^
///             = Did you mean 'foo'?
std::string render(const Diagnostic& d, const RenderStyle& style);

/// The part of an excerpt below the message (place, source line, trace, suggestion), for errors whose message a log has shown. Empty when
/// the style has no excerpts.
std::string render_place(const Diagnostic& d, const RenderStyle& style);

} // namespace pupc
