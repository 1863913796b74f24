#pragma once
// Collects what the checks report: findings, each with the number of its check.
#include "catalog/base/similar_names.h"
#include "catalog/formats/data_file.h"
#include "compiler/analysis/codebase/check_registry.h"
#include "compiler/ast/ast.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace pupc::compiler {

class Findings {
public:
  /// Without `hints` those are counted, but not kept.
  explicit Findings(bool hints = true) : hints_(hints) {}

  /// Adds a finding at a place in Puppet source. `severity` replaces the check's own severity, for findings that are less certain.
  void add(CheckCode code, const SourceFile& source, uint32_t offset, uint32_t length, std::string message, std::string suggestion = {},
           std::optional<Severity> severity = {}) {
    if (!keeps(code, severity)) return;
    Diagnostic d = make(code, std::move(message), std::move(suggestion), severity);
    d.loc = {&source, offset, length};
    list_.push_back(std::move(d));
  }
  /// Adds a finding in a file that is not Puppet source. Line 0: the file as a whole.
  void add(CheckCode code, std::string file, uint32_t line, uint32_t column, std::string message, std::string suggestion = {},
           std::optional<Severity> severity = {}) {
    if (!keeps(code, severity)) return;
    Diagnostic d = make(code, std::move(message), std::move(suggestion), severity);
    d.file = std::move(file);
    d.line = line;
    d.column = column;
    if (line == 0) d.style = PositionStyle::File;
    list_.push_back(std::move(d));
  }
  bool hints() const { return hints_; }
  /// Counts a hint that nobody wants to see, for a check that has many and need not make their texts.
  void dropped() { ++count_; }
  /// How many there have been, kept or not.
  size_t count() const { return count_; }
  /// Whether an error or a warning stands on the line of the source.
  bool has_on_line(const SourceFile& source, uint32_t offset) const {
    const uint32_t line = source.line(offset);
    return std::ranges::any_of(list_, [&](const Diagnostic& d) {
      return d.loc.file == &source && d.severity != Severity::Hint && source.line(d.loc.offset) == line;
    });
  }
  /// Whether an error stands in a file that is not Puppet source.
  bool has_error_in(std::string_view file) const {
    return std::ranges::any_of(list_, [&](const Diagnostic& d) { return d.severity == Severity::Error && d.file == file; });
  }
  /// Adds to the message of the last finding.
  void amend_last(std::string_view text) {
    if (!list_.empty()) list_.back().message += text;
  }
  std::vector<Diagnostic> take() { return std::move(list_); }

private:
  bool keeps(CheckCode code, std::optional<Severity> severity) {
    ++count_;
    return hints_ || (severity ? *severity : find_check(static_cast<uint16_t>(code))->severity) != Severity::Hint;
  }
  static Diagnostic make(CheckCode code, std::string message, std::string suggestion, std::optional<Severity> severity) {
    Diagnostic d;
    d.code = static_cast<ErrorCode>(code);
    d.severity = severity ? *severity : find_check(static_cast<uint16_t>(code))->severity;
    d.message = std::move(message);
    d.suggestion = std::move(suggestion);
    return d;
  }
  std::vector<Diagnostic> list_;
  size_t count_ = 0;
  bool hints_;
};

/// Reports that a data file cannot be read, at the place of its error.
void add_data_error(Findings& findings, const std::string& file, const DataError& error);

} // namespace pupc::compiler
