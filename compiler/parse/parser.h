#pragma once
// Parses text to an AST. Only compiler/parse includes ANTLR's generated code (grammar/PuppetParser.g4).
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pupc::compiler {

struct ParseOptions;
struct ParseResult;

/// The memory that parse() needs only while it runs: tokens, parts of unfinished lists, the parser itself. Who parses many texts keeps one
/// of these and saves thousands of allocations. Several threads may use one at the same time.
class ParserMemory {
public:
  ParserMemory();
  ~ParserMemory();

private:
  friend ParseResult parse(std::string, std::string, RegexCache&, const ParseOptions&);
  struct Parts;
  std::unique_ptr<Parts> take();
  void give_back(std::unique_ptr<Parts> parts);
  static bool build_tree(ParsedFile& file, Parts& parts, RegexCache& regexes, std::vector<Diagnostic>& diagnostics);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Parts>> idle_;
};

struct ParseOptions {
  bool epp = false;               // the text is an EPP template
  bool tasks = false;             // the text may hold plans: `plan` and `apply` are keywords
  ParserMemory* memory = nullptr; // null: memory of its own
};

struct ParseResult {
  std::shared_ptr<ParsedFile> file;    // null when there were errors
  std::vector<Diagnostic> diagnostics; // errors in the order found (the first is the one Puppet reports), then the lexer's warnings
  std::shared_ptr<SourceFile> source;  // set when `file` is null: keeps the places of the diagnostics valid
};

/// Whether a file of this path holds a plan: a manifest in a module's folder of plans. Plans are parsed with ParseOptions::tasks.
bool is_plan_path(std::string_view path);

/// Parses one text. Never throws for bad input: the result holds the errors. `regexes` compiles and owns regex literals
/// and must outlive the tree. The calling thread needs a stack of 8 MB. This function does not check
/// the tree: compiler/check does.
ParseResult parse(std::string path, std::string text, RegexCache& regexes, const ParseOptions& options = {});

} // namespace pupc::compiler
