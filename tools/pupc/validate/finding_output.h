#pragma once
// Findings of `validate` for machines: JSON, SARIF, JUnit, Checkstyle, the formats of GitHub and GitLab, baselines.
#include "catalog/base/diagnostic.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

enum class FindingFormat : uint8_t { Human, Json, Sarif, Junit, Github, Gitlab, Checkstyle };

/// The format of that name. Throws UsageError for an unknown one.
FindingFormat parse_finding_format(std::string_view name);

struct Finding {
  const Diagnostic* diagnostic = nullptr;
  std::string file;        // the path to show
  LineColumn from;         // line 0: the file as a whole
  std::string rule;        // name of the check or error class
  std::string fingerprint; // stays the same as long as the check, the file, the message and the line's text do
};

/// Replaces invalid UTF-8 in the diagnostic's texts (parts of files, names of files) with U+FFFD: the output formats require UTF-8.
void make_printable(Diagnostic& diagnostic);
/// Makes a finding of a diagnostic, still without fingerprint.
Finding make_finding(const Diagnostic& diagnostic);
/// Sets the fingerprints of all findings. Otherwise equal findings of a file get fingerprints that differ by their order.
void add_fingerprints(std::vector<Finding>& findings);

/// A finding as one line for people and editors who read a pipe: FILE:LINE:COLUMN: SEVERITY[NUMBER CHECK]: MESSAGE. SUGGESTION
std::string finding_line(const Finding& f);

/// Writes the whole document. `files`: all checked files, which JUnit lists.
std::string write_findings(FindingFormat format, const std::vector<Finding>& findings, const std::vector<std::string>& files);

/// Reads the fingerprints of a baseline file. Throws UsageError when the file cannot be read or is not a baseline.
std::multiset<std::string> read_baseline(const std::string& path);
/// Writes a baseline of the findings. False when it cannot be written.
bool write_baseline(const std::string& path, const std::vector<Finding>& findings);

} // namespace pupc::cli
