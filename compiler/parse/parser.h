#pragma once
// Parses text to an AST. Only compiler/parse includes ANTLR's generated code (grammar/PuppetParser.g4).
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct ParseOptions {
  bool epp = false;   // the text is an EPP template
  bool tasks = false; // the text may hold plans: `plan` and `apply` are keywords
};

struct ParseResult {
  std::shared_ptr<ParsedFile> file;    // null when there were errors
  std::vector<Diagnostic> diagnostics; // errors in the order found (the first is the one Puppet reports), then the lexer's warnings
  std::shared_ptr<SourceFile> source;  // set when `file` is null: keeps the places of the diagnostics valid
};

/// Whether a file of this path holds a plan: a manifest in a module's folder of plans. Plans are parsed with ParseOptions::tasks.
bool is_plan_path(std::string_view path);

/// Parses one text. Never throws for bad input: the result holds the errors. `regexes` compiles and owns regex literals
/// and must outlive the tree. The calling thread needs a stack of 8 MB. This function neither checks the tree nor resolves its
/// variables: compiler/check does both.
ParseResult parse(std::string path, std::string text, RegexCache& regexes, const ParseOptions& options = {});

} // namespace pupc
