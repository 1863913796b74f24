#pragma once
// What stands in the wrong phase: values that converge alone knows, read while compiling.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// What one file of a program says to the question. It holds no part of the tree; the findings' places point into its source.
struct PhaseSummary {
  /// A value that comes from another or, without one, is a node attribute. Values are "function a::b" (its result) and "a::b::c" (variable
  /// c of a::b).
  struct Source {
    std::string value, from, attribute;
  };
  /// A place that needs the value of `value` (itself a node attribute when that is empty) while compiling.
  struct Read {
    std::string value, attribute;
    Diagnostic finding;
  };
  /// A call that reads `path` while compiling.
  struct FileRead {
    std::string path;
    Diagnostic finding;
  };
  std::vector<std::string> defines; // "class a", "define a::b", "function a::c", "template a/b.epp"
  std::vector<std::string> uses;    // what it calls, declares and renders, in the same form
  std::set<std::string> managed;    // paths of its file resources
  std::vector<Source> sources;
  std::vector<Read> reads;
  std::vector<FileRead> file_reads;
};

/// Whether a function reads a file that its arguments name: FunctionTrait::ReadsFiles of compiler/eval, which this room does not know.
using ReadsFiles = std::function<bool(std::string_view function)>;

/// `template_name`: of a template, "module/path.epp". `attributes`: PhaseNeeds::attributes of the program.
PhaseSummary summarize_phases(const ParsedFile& file, const ReadsFiles& reads_files, std::string template_name = {},
                              bool attributes = true);

/// What check_phases needs to know of a program's files.
struct PhaseNeeds {
  bool attributes = false; // some file asks for a node attribute: where values come from and where they are read
  bool files = false;      // some file reads a file by an absolute path while compiling: what is managed, and who uses whom

  bool any() const { return attributes || files; }
  PhaseNeeds& operator|=(const PhaseNeeds& other) {
    attributes = attributes || other.attributes;
    files = files || other.files;
    return *this;
  }
};
/// What the program of a file needs because of it. Where no file needs anything, there is nothing to find.
PhaseNeeds phase_needs(const ParsedFile& file, const ReadsFiles& reads_files);

/// Errors for each read of a run-time node attribute that compiling cannot know (the test of an if, a case or a selector, an operand, a
/// part of a string, also by way of variables, parameters and functions of other files), and for each call of file(), find_file(),
/// generate() and their like on a path that a file resource of the same program manages: the file is not there yet. Two files are of one
/// program when some file leads to both by what it calls, declares and renders. Per file of `files`, in its order. No part of check():
/// Puppet has neither.
std::vector<std::vector<Diagnostic>> check_phases(std::span<const PhaseSummary* const> files);

} // namespace pupc
