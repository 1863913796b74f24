#pragma once
// The steps of `pupc validate` for one text: parse, check, find definitions that clash.
#include "catalog/base/diagnostic.h"
#include "catalog/base/log.h"
#include "compiler/check/checker.h"
#include "compiler/check/phase_summary.h"
#include "compiler/discovery/repository.h"
#include "compiler/parse/parser.h"
#include "compiler/style/style.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc::cli {

struct ValidateOptions {
  Strict strict = Strict::Error;
  std::vector<std::string> modulepath; // absolute; files below it must be where autoloading finds their names
  bool keep_trees = false;             // for the checks over all files
  // Make a phase summary for every text; else only for texts that need one (phase_needs). With keep_trees, add_summaries() makes them.
  bool summaries = false;
  const StyleOptions* style = nullptr; // check manifests for style, too
  ParserMemory* memory = nullptr;      // what texts share, see ParseOptions
};

struct Validation {
  std::vector<Diagnostic> findings;         // in Puppet's order
  std::vector<Diagnostic> checks;           // of checks over all files and of style, in order of places
  std::vector<LogEntry> embedded;           // log lines about code in heredocs, for display only; the finding of the heredoc counts
  bool syntax_error = false;                // the parser went on after its first error, where Puppet's stops
  std::shared_ptr<const ParsedFile> parsed; // only with keep_trees and without errors
  std::shared_ptr<const ParsedFile> plan;   // the same of a file that holds a plan
  std::shared_ptr<const void> keep_program; // keeps alive other files that findings point into
  std::shared_ptr<const void> keep;         // keeps alive what the findings point into
  std::unique_ptr<PhaseSummary> phases;     // only without errors; for check_program(), see ValidateOptions::summaries. Few files have one
  PhaseNeeds phase_needs;                   // only without errors
  size_t errors() const;
};

/// Makes the summaries that check_program() needs, if any, from the kept trees. `files`: those of the first texts, in their order.
void add_summaries(std::vector<Validation>& texts, const std::vector<RepositoryFile>& files);

/// Adds the findings of check_phases about code in the wrong phase, over all texts together. With a modulepath this includes files of
/// modules that the texts use: the files with findings are appended to `texts`.
void check_program(std::vector<Validation>& texts, const ValidateOptions& options);

/// Validates a text, without check_program. Findings show `path`. `epp`: the text is a template. Never throws for bad input.
Validation validate_text(std::string path, std::string text, bool epp, const ValidateOptions& options);

/// The same for a file. An unreadable file is a finding. A file is a template if its name ends in .epp.
Validation validate_file(const std::string& path, const ValidateOptions& options);

} // namespace pupc::cli
