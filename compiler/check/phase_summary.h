#pragma once
// Finds phase errors: code that reads, while compiling, a value that is known only at converge time.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// What check_phases needs from one file of a program. It holds no part of the tree, but the places of its findings point into the
/// file's source.
struct PhaseSummary {
  /// The value `value` comes from the value `from`, or, if that is empty, from a node attribute. Values are named "function a::b" (its
  /// result) and "a::b::c" (variable c of a::b).
  struct Source {
    std::string value, from, attribute;
  };
  /// A place that needs, while compiling, the value `value`, or, if that is empty, the node attribute `attribute`.
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

/// Whether a function reads a file that its arguments name. A callback for FunctionTrait::ReadsFiles, because compiler/check does not
/// depend on compiler/eval.
using FileReader = std::function<bool(std::string_view function)>;

/// Summarizes one file. `template_name`: "module/path.epp" if the file is a template. `attributes`: PhaseNeeds::attributes of the
/// program.
PhaseSummary summarize_phases(const ParsedFile& file, const FileReader& reads_files, std::string template_name = {},
                              bool attributes = true);

/// What tells cheaply whether check_phases can find anything in a program. Most programs need no summaries.
struct PhaseNeeds {
  bool attributes = false;               // the file reads a node attribute: summarize where values come from and where they are read
  std::vector<std::string> reads;        // absolute paths that the file reads while compiling
  std::vector<std::string_view> manages; // paths of its file resources: parts of the tree

  /// Whether the file reads anything. A program of files that read nothing has no phase errors.
  bool any() const { return attributes || !reads.empty(); }
};
PhaseNeeds phase_needs(const ParsedFile& file, const FileReader& reads_files);

/// Returns two kinds of errors, per file of `files` and in its order. First: reads of a run-time node attribute that compiling cannot
/// know, in the test of an if, case or selector, in an operand or in a part of a string, also through variables, parameters and
/// functions of other files. Second: calls such as file(), find_file() and generate() on a path that a file resource of the same
/// program manages, because the file does not exist yet. Two files are in one program when some file leads to both by what it calls,
/// declares and renders. Not part of check(), because Puppet has neither error.
std::vector<std::vector<Diagnostic>> check_phases(std::span<const PhaseSummary* const> files);

} // namespace pupc::compiler
