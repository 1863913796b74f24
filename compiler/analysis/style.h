#pragma once
// The checks of style of `validate --style`: those of puppet-lint's core, under its names, with its control comments and its
// .puppet-lint.rc; and edits that mend some of them without changing what is compiled.
#include "compiler/analysis/findings.h"
#include "compiler/parse/source_tokens.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct StyleOptions {
  std::set<CheckCode> off; // as puppet-lint has them at first: see default_style()
  bool relative = false;   // autoloader_layout: the module's folder may have any name
  bool fail_on_warnings = false;
  std::vector<std::string> ignore_paths; // globs; files that are not checked
};

/// A piece of text to put in place of another. Edits of one list do not overlap.
struct StyleEdit {
  uint32_t offset, length;
  std::string text;
};

/// The checks of style, as all of them are in the registry.
bool is_style_check(CheckCode code);
/// What is checked where nothing is said: all but what puppet-lint leaves off, too.
StyleOptions default_style();

/// Takes the options of a .puppet-lint.rc, one a line. What only says how puppet-lint prints is read over, and so are checks of its
/// plug-ins. Returns what is wrong, "LINE: what", or an empty text.
std::string read_style_file(std::string_view text, StyleOptions& options);
/// Only these checks, a list with commas. Returns the first name that is no check of style, or an empty text.
std::string only_style_checks(std::string_view names, StyleOptions& options);

/// Whether ignore_paths has a glob for it.
bool is_ignored_path(const StyleOptions& options, const std::string& path);

/// Checks a manifest that can be parsed. `list` is of the same text. With `edits` those findings that can be mended are put there instead
/// of being told.
void check_style(const SourceFile& source, const TokenList& list, const StyleOptions& options, Findings& findings,
                 std::vector<StyleEdit>* edits = nullptr);

struct StyleFix {
  std::string text; // with the edits
  size_t edits = 0;
  bool refused = false; // the edits would have changed what the text means; it is as it was
};
/// Mends what can be mended without changing any catalog: the result is parsed and must hold the same tree, but for titles that got quotes.
/// The text must be one that can be parsed. Findings that are left are told by check_style of the result.
StyleFix fix_style(const std::string& path, const std::string& text, const StyleOptions& options);

} // namespace pupc
