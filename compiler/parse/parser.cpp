#include "compiler/parse/parser.h"

#include "compiler/parse/ast_builder.h"

#include "PuppetParser.h"

namespace pupc::compiler {

bool is_plan_path(std::string_view path) {
  if (!path.ends_with(".pp")) return false;
  bool plan = false;
  // From its end: the folder of most files says what they are.
  for (size_t end = path.rfind('/'); end != std::string_view::npos;) {
    const size_t slash = path.substr(0, end).rfind('/');
    const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view folder = path.substr(begin, end - begin);
    if (folder == "manifests" || folder == "functions" || folder == "types") return false; // with a subfolder of that name
    plan = plan || folder == "plans";
    end = slash;
  }
  return plan;
}

struct ParserMemory::Parts {
  TokenList list;
  AstBuilder builder;
  ParserTokens stream;
  PuppetParser parser{&stream};

  Parts() {
    parser.removeErrorListeners();
    parser.setBuildParseTree(false);
  }
};

ParserMemory::ParserMemory() = default;
ParserMemory::~ParserMemory() = default;

std::unique_ptr<ParserMemory::Parts> ParserMemory::take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto parts = std::move(idle_.back());
      idle_.pop_back();
      return parts;
    }
  }
  return std::make_unique<Parts>();
}

void ParserMemory::give_back(std::unique_ptr<Parts> parts) {
  constexpr size_t most_tokens = 100'000;
  if (parts->list.tokens.capacity() > most_tokens) return; // a text of unusual size
  parts->list.clear();
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(parts));
}

/// Parses the tokens and builds the tree. False when there is an error, which is among the diagnostics then.
bool ParserMemory::build_tree(ParsedFile& file, Parts& parts, RegexCache& regexes, std::vector<Diagnostic>& diagnostics) {
  PuppetParser& parser = parts.parser;
  AstBuilder& builder = parts.builder;
  builder.start(file, parts.list, regexes, diagnostics);
  parser.read(builder);
  for (bool more = true; more;) {
    more = false;
    try {
      parser.program();
    } catch (const SyntaxFailure&) {
      // The error is outside every statement, e.g. an unpaired brace: continue after it.
      more = diagnostics.size() < AstBuilder::max_errors && builder.skip_unexpected();
    }
  }
  return !builder.failed();
}

ParseResult parse(std::string path, std::string text, RegexCache& regexes, const ParseOptions& options) {
  ParserMemory own;
  ParserMemory& memory = options.memory != nullptr ? *options.memory : own;
  auto parts = memory.take();
  TokenList& list = parts->list;
  ParseResult result;
  auto file = std::make_shared<ParsedFile>();
  file->source = std::make_unique<SourceFile>(std::move(path), std::move(text));
  lex(*file->source, options.epp, file->arena, regexes, list, options.tasks);

  const bool good = ParserMemory::build_tree(*file, *parts, regexes, result.diagnostics);
  const bool failed = !good || !list.late.empty();
  if (good && failed) result.diagnostics.push_back(list.late.front());
  // Puppet reads only up to the token of the first error, so later warnings do not count.
  const uint32_t read = !good ? result.diagnostics.front().loc.offset + result.diagnostics.front().loc.length : UINT32_MAX;
  if (failed) {
    // Drop the tree, which is unusable, but keep the source, to which the places of the diagnostics refer.
    result.source = std::shared_ptr<SourceFile>(std::move(file->source));
  } else {
    result.file = std::move(file);
  }
  for (Diagnostic& w : list.warnings)
    if (w.loc.offset <= read) result.diagnostics.push_back(std::move(w));
  memory.give_back(std::move(parts));
  return result;
}

} // namespace pupc::compiler
