#pragma once
// The style checks of `validate --style`: the core checks of puppet-lint, under its names, with its control comments and its
// .puppet-lint.rc. Also edits that fix some findings without changing what a manifest compiles to.
#include "compiler/analysis/codebase/findings.h"
#include "compiler/parse/source_tokens.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

struct StyleOptions {
  std::set<CheckCode> off; // disabled checks; default_style() has puppet-lint's defaults
  bool relative = false;   // autoloader_layout: the module's folder may have any name
  bool fail_on_warnings = false;
  std::vector<std::string> ignore_paths; // globs; files that are not checked
};

/// Replaces a range of the text. The edits of one list do not overlap.
struct StyleEdit {
  uint32_t offset, length;
  std::string text;
};

/// Whether the registry's check is a style check.
bool is_style_check(CheckCode code);
/// The options without configuration: all checks except those that puppet-lint disables by default.
StyleOptions default_style();

/// Reads the options of a .puppet-lint.rc, one a line, into `options`. Skips options about puppet-lint's output. Returns what it cannot
/// take, such as checks of plug-ins, each as "LINE: what".
std::vector<std::string> read_style_file(std::string_view text, StyleOptions& options);
/// Enables only the checks in `names` (separated by commas). Returns the first name that is not a style check, or an empty string.
std::string only_style_checks(std::string_view names, StyleOptions& options);

/// Whether a glob of ignore_paths matches the path.
bool is_ignored_path(const StyleOptions& options, const std::string& path);

/// Checks a manifest without syntax errors; `list` holds its tokens. With `edits`, findings that edits can fix go there as edits and are
/// not reported.
void check_style(const SourceFile& source, const TokenList& list, const StyleOptions& options, Findings& findings,
                 std::vector<StyleEdit>* edits = nullptr);

struct StyleFix {
  std::string text; // with the edits
  size_t edits = 0;
  bool refused = false; // the edits would have changed the manifest's meaning, so `text` is the original
};
/// Fixes what edits can fix without changing any catalog. It parses the result and refuses it unless the syntax tree is the same, except
/// for titles that got quotes. `text` must parse without errors. Run check_style on the result to get the remaining findings.
StyleFix fix_style(const std::string& path, const std::string& text, const StyleOptions& options);

} // namespace pupc::compiler
