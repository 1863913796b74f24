#pragma once
// Text -> AST. The only room that includes ANTLR's generated code (grammar/PuppetParser.g4).
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct ParseOptions {
  bool epp = false; // the text is an EPP template
};

struct ParseResult {
  std::shared_ptr<ParsedFile> file;    // null when there were errors
  std::vector<Diagnostic> diagnostics; // errors as found, the first is Puppet's; then the lexer's warnings
  std::shared_ptr<SourceFile> source;  // set when file is null, so that the diagnostics' places stay valid
};

/// Parses one text. Never throws for bad input: errors are in the result. `regexes` compiles and owns regex literals
/// and must outlive the tree. The calling thread needs a stack of 8 MB. The tree is not checked and its variables are not resolved
/// (compiler/check does both).
ParseResult parse(std::string path, std::string text, RegexCache& regexes, const ParseOptions& options = {});

} // namespace pupc
