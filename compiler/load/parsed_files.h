#pragma once
// Manifests and templates as the environment knows them: read, parsed, checked and resolved once, with what is to be said about them.
#include "catalog/base/diagnostic.h"
#include "catalog/base/log.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"
#include "compiler/check/checker.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// One text. Filled under `once`, immutable afterwards.
struct LoadedFile {
  std::once_flag once;
  std::shared_ptr<const ParsedFile> file; // null when there was an error
  std::shared_ptr<SourceFile> broken;     // the text that an error's places point into when `file` is null
  std::optional<Diagnostic> error;        // thrown at each use
  std::vector<LogEntry> messages;         // warnings, and errors beyond the thrown one: told once per log
  std::once_flag import_once;             // guards import_error: duplicates are found when the file joins what was loaded before it
  std::optional<Diagnostic> import_error;

  /// Tells `log` (may be null) the messages if it has not heard them, then throws the error if there is one.
  void report(LogSink* log) const;
};

/// Sets `place` and `name_space` for an absolute manifest path among the modulepath's directories. `manifest` is the main
/// manifest (file or directory) or empty.
void set_place(CheckOptions& options, const std::string& path, const std::vector<std::string>& modulepath, const std::string& manifest);

/// Looks at Puppet code in heredocs with syntax pp or epp. `regexes` must outlive what is returned. `tell` hears what Puppet logs
/// of the code by itself: warnings, and the errors when there are several.
EmbeddedCodeCheck embedded_code_check(RegexCache& regexes, CheckOptions::Strict strict, std::function<void(const LogEntry&)> tell);

/// Parses, checks and resolves `text` into `out` (inside its once-cell). `message_prefix` goes before an error's message
/// ("Could not parse for environment production: "). Puppet's order and number of logged and thrown errors: one error
/// is thrown as it is; of several, all are logged and "Language validation logged N errors. Giving up" is thrown.
void load_text(LoadedFile& out, std::string path, std::string text, bool epp, RegexCache& regexes, const CheckOptions& check_options,
               std::string_view message_prefix);

/// Checks the definitions of files that are loaded together (`added`, in order) against each other and against those of files
/// loaded `before`, in Puppet's words: "Class 'x' is already defined (file: F, line: L); cannot redefine".
/// Returns the first violation.
std::optional<Diagnostic> find_duplicate(const std::vector<const ParsedFile*>& added, const std::vector<const ParsedFile*>& before);

/// The name under which a node definition's match is registered: the text, "default", or `__node_regexp__…`; empty for what is no literal.
std::string node_match_name(const Node& match);

} // namespace pupc
