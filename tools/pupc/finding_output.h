#pragma once
// Findings of `validate` for machines: JSON, SARIF, JUnit, Checkstyle, GitHub's and GitLab's forms, baselines.
#include "catalog/base/diagnostic.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

enum class FindingFormat : uint8_t { Human, Json, Sarif, Junit, Github, Gitlab, Checkstyle };

/// The format of a name. Throws UsageError.
FindingFormat parse_finding_format(std::string_view name);

struct Finding {
  const Diagnostic* diagnostic = nullptr;
  std::string file;        // as it is shown
  LineColumn from;         // line 0: the file as a whole
  std::string rule;        // name of the check or error class
  std::string fingerprint; // the same as long as the check, the file, the message and the text of the line are
};

/// Puts U+FFFD for what is no UTF-8 in its texts (pieces of files, names of files): documents for machines hold only that.
void make_printable(Diagnostic& diagnostic);
/// A diagnostic as finding, without fingerprint.
Finding make_finding(const Diagnostic& diagnostic);
/// Gives all findings their fingerprints. Equal ones of a file are told apart by their order.
void add_fingerprints(std::vector<Finding>& findings);

/// The whole document. `files`: all that were checked, for JUnit.
std::string write_findings(FindingFormat format, const std::vector<Finding>& findings, const std::vector<std::string>& files);

/// Fingerprints of a baseline file. Throws UsageError when it cannot be read or is none.
std::multiset<std::string> read_baseline(const std::string& path);
/// Writes a baseline of the findings. False when it cannot be written.
bool write_baseline(const std::string& path, const std::vector<Finding>& findings);

} // namespace pupc
