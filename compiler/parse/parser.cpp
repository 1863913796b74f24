#include "compiler/parse/parser.h"

#include "PuppetParser.h"

namespace pupc {

ParseResult parse(std::string path, std::string text, RegexCache& regexes, const ParseOptions& options) {
  ParseResult result;
  auto file = std::make_shared<ParsedFile>();
  file->source = std::make_unique<SourceFile>(std::move(path), std::move(text));
  TokenList list;
  lex(*file->source, options.epp, file->arena, regexes, list);

  AstBuilder builder(*file, list, regexes, result.diagnostics);
  ParserTokens stream(builder);
  PuppetParser parser(&stream);
  parser.b = &builder;
  parser.removeErrorListeners();
  parser.setBuildParseTree(false);
  for (bool more = true; more;) {
    more = false;
    try {
      parser.program();
    } catch (const SyntaxFailure&) {
      // Outside every statement, at an unpaired brace or the like: go on behind it.
      more = result.diagnostics.size() < AstBuilder::max_errors && builder.skip_unexpected();
    }
  }
  if (builder.failed()) {
    // The tree is unusable; the places of the diagnostics are not.
    result.source = std::shared_ptr<SourceFile>(std::move(file->source));
  } else {
    result.file = std::move(file);
  }
  for (Diagnostic& w : list.warnings) result.diagnostics.push_back(std::move(w));
  return result;
}

} // namespace pupc
