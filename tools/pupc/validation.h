#pragma once
// What `pupc validate` does to one text: parse, check, look for definitions that clash.
#include "catalog/base/diagnostic.h"
#include "catalog/base/log.h"
#include "compiler/analysis/style.h"
#include "compiler/check/checker.h"
#include "compiler/check/phases.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc {

struct ValidateOptions {
  CheckOptions::Strict strict = CheckOptions::Strict::Error;
  std::vector<std::string> modulepath; // absolute; files below must stand where their names say
  bool keep_trees = false;             // for checks over all files
  // Summaries of phases, for each text; else only of those that need them (phase_needs), and where trees are kept by add_summaries().
  bool summaries = false;
  const StyleOptions* style = nullptr; // check manifests for style, too
};

struct Validation {
  std::vector<Diagnostic> findings;             // in Puppet's order
  std::vector<Diagnostic> checks;               // of checks over all files and of style, in order of places
  std::vector<LogEntry> embedded;               // what there is to tell of code in heredocs by itself; the finding of the heredoc counts
  bool syntax_error = false;                    // the parser went on after its first error, where Puppet's stops
  std::shared_ptr<const ParsedFile> parsed;     // of a text without errors, names resolved: where ValidateOptions::keep_trees asks for it
  std::shared_ptr<const void> keep_environment; // the same for places in files that nobody asked about
  std::shared_ptr<const void> keep;             // what the findings' places point into
  std::optional<PhaseSummary> phases;           // of a text without errors; check_program() needs it, see ValidateOptions::summaries
  PhaseNeeds phase_needs;                       // of a text without errors
  size_t errors() const;
};

/// Makes the summaries that check_program() needs of files whose trees are kept (`paths`, in the order of the first texts), if it needs
/// any.
void add_summaries(std::vector<Validation>& texts, const std::vector<std::string>& paths);

/// Adds what stands in the wrong phase, seen over all texts together (check_phases). With a modulepath the files of modules that they use
/// count too: those with findings are added to the texts.
void check_program(std::vector<Validation>& texts, const ValidateOptions& options);

/// Validates a text, but for check_program. `path` is shown in findings; `epp`: a template. Never throws for bad input.
Validation validate_text(std::string path, std::string text, bool epp, const ValidateOptions& options);

/// The same for a file; one that cannot be read is a finding. Templates are known by their .epp.
Validation validate_file(const std::string& path, const ValidateOptions& options);

} // namespace pupc
