#pragma once
// Manifests and templates of an environment: each is read, parsed, checked and resolved once, and keeps its messages.
#include "catalog/base/diagnostic.h"
#include "catalog/base/log.h"
#include "catalog/base/once.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"
#include "compiler/check/checker.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pupc::compiler {

class ParserMemory;

/// An error, or null. Thousands of files and names have room for one, and few have one.
using MaybeError = std::shared_ptr<Diagnostic>;

/// One text. It is filled under `once` and immutable afterwards.
struct LoadedFile {
  Once once;
  std::shared_ptr<const ParsedFile> file; // null when there was an error
  std::shared_ptr<SourceFile> broken;     // the text that an error's places point into when `file` is null
  MaybeError error;                       // thrown at each use
  std::vector<LogEntry> messages;         // warnings, and the errors besides the thrown one; each log receives them once
  Once import_once;                       // guards import_error: the file is compared with those loaded before it
  MaybeError import_error;

  /// Empties the cell for another attempt to fill it (see cell_map.h).
  void clear() {
    file.reset();
    broken.reset();
    error.reset();
    messages.clear();
  }
  /// Logs the messages to `log` (may be null), unless that log has them already. Then throws the error, if there is one.
  void report(LogSink* log) const;
};

/// Sets `place` and `name_space` for a manifest with an absolute path, from the directories of the modulepath. `manifest` is the main
/// manifest (file or directory) or empty.
void set_place(CheckOptions& options, const std::string& path, const std::vector<std::string>& modulepath, const std::string& manifest);

/// Checks Puppet code in heredocs with the syntax pp or epp. `regexes` must outlive the result. Strictness and limits of
/// messages are those of `outer`. `tell` receives what Puppet logs about the
/// code by itself: warnings, and the errors when there are several.
EmbeddedCodeCheck embedded_code_check(RegexCache& regexes, const CheckOptions& outer, std::function<void(const LogEntry&)> tell);

/// Parses, checks and resolves `text` into `out` (inside its once-cell). `message_prefix` goes before an error's message ("Could not parse
/// for environment production: "). Order and number of logged and thrown errors are Puppet's: a single error is thrown as it is. Several
/// errors are all logged, and "Language validation logged N errors. Giving up" is thrown. `tasks`: the text may hold plans.
void load_text(LoadedFile& out, std::string path, std::string text, bool epp, RegexCache& regexes, const CheckOptions& check_options,
               std::string_view message_prefix, bool tasks = false, ParserMemory* memory = nullptr);

/// Checks the definitions of files that are loaded together (`added`, in order) for duplicates, among themselves and with the files loaded
/// `before`. Returns the first error in Puppet's words: "Class 'x' is already defined (file: F, line: L); cannot redefine".
std::optional<Diagnostic> find_duplicate(std::span<const ParsedFile* const> added, std::span<const ParsedFile* const> before);

/// The name that Puppet registers for a node definition's match: the text, "default", or `__node_regexp__…`; empty when the match is not a
/// literal.
std::string node_match_name(const Node& match);

} // namespace pupc::compiler
