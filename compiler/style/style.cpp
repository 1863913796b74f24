#include "compiler/style/style.h"

#include "catalog/base/paths.h"
#include "compiler/ast/printer.h"
#include "compiler/parse/parser.h"
#include "compiler/style/style_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The words of a text.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty()) {
    if (blank(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const auto end = std::find_if(text.begin(), text.end(), blank);
    words.emplace_back(text.substr(0, static_cast<size_t>(end - text.begin())));
    text.remove_prefix(words.back().size());
  }
  return words;
}

/// The text of a comment without its `#` or `/* */`.
std::string_view inner_text(const StyleToken& t) {
  std::string_view s = t.value;
  if (t.is(StyleToken::Form::Comment)) return s.substr(1);
  s.remove_prefix(2);
  s.remove_suffix(2);
  return s;
}

} // namespace

StyleChecks::StyleChecks(const StyleText& text, const StyleOptions& options, Findings& findings, std::vector<StyleEdit>* edits)
    : t_(text), options_(options), findings_(findings), edits_(edits),
      full_path_(text.source.path().empty() ? std::string() : absolute_path(text.source.path())) {
  read_control_comments();
}

void StyleChecks::run() {
  white_space();
  line_length(CheckCode::_140chars, 140);
  line_length(CheckCode::_80chars, 80);
  comments();
  relationship_arrows();
  strings();
  variables();
  resources();
  titles();
  node_names();
  cases();
  definitions();
}

/// Reads `# lint:ignore:NAME [reason]`. Behind code it holds for its line; alone on a line it holds up to `# lint:endignore`.
void StyleChecks::read_control_comments() {
  struct Start {
    uint32_t line;
    std::string check;
  };
  std::vector<std::vector<Start>> open;
  for (uint32_t i = 0; i < t_.size(); ++i) {
    const StyleToken& t = t_[i];
    if (!t.is_comment() || inner_text(t).find("lint:") == std::string_view::npos) continue;
    std::vector<Start> starts;
    for (std::string_view word : words_of(inner_text(t))) {
      const bool ignore = word.starts_with("lint:ignore");
      if (!ignore && !word.starts_with("lint:endignore")) break; // the reason follows: no more names
      if (!ignore) {
        if (open.empty()) continue;
        for (const Start& s : open.back()) ignores_[s.check].emplace_back(s.line, t.line);
        open.pop_back();
        continue;
      }
      word.remove_prefix(std::min(word.size(), std::string_view("lint:ignore:").size()));
      const std::string check(word.substr(0, word.find(':')));
      const bool alone = i == 0 || t_[i - 1].is(StyleToken::Form::Newline) || t_[i - 1].is(StyleToken::Form::Indent);
      if (alone)
        starts.push_back({t.line, check});
      else
        ignores_[check].emplace_back(t.line, t.line);
    }
    if (!starts.empty()) open.push_back(std::move(starts));
  }
  for (auto& [check, ranges] : ignores_) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<std::pair<uint32_t, uint32_t>> apart;
    for (const auto& [first, last] : ranges) {
      if (apart.empty() || apart.back().second < first)
        apart.emplace_back(first, last);
      else
        apart.back().second = std::max(apart.back().second, last);
    }
    ranges = std::move(apart);
  }
}

bool StyleChecks::ignored(CheckCode code, uint32_t line) const {
  const auto at = ignores_.find(find_check(static_cast<uint16_t>(code))->name());
  if (at == ignores_.end()) return false;
  const auto after = std::upper_bound(at->second.begin(), at->second.end(), line,
                                      [](uint32_t n, const auto& range) { return n < range.first; });
  return after != at->second.begin() && std::prev(after)->second >= line;
}

void StyleChecks::report(CheckCode code, uint32_t offset, uint32_t length, uint32_t line, std::string message) {
  if (!on(code) || ignored(code, line)) return;
  OnLine& told = on_line_[code];
  if (told.line != line) told = {line, 0};
  if (told.count++ < most_on_a_line) findings_.add(code, t_.source, offset, length, std::move(message));
}

void StyleChecks::mend(CheckCode code, const StyleToken& t, std::string message, std::vector<StyleEdit> edits) {
  if (!on(code) || ignored(code, t.line)) return;
  if (edits_ == nullptr) return report(code, t, std::move(message));
  for (StyleEdit& e : edits) edits_->push_back(std::move(e));
}

bool is_style_check(CheckCode code) { return static_cast<uint16_t>(code) >= 8900; }

StyleOptions default_style() {
  StyleOptions options;
  options.off = {CheckCode::_80chars, CheckCode::quoted_booleans, CheckCode::class_inherits_from_params_class,
                 CheckCode::code_on_top_scope};
  return options;
}

void check_style(const SourceFile& source, const TokenList& list, const StyleOptions& options, Findings& findings,
                 std::vector<StyleEdit>* edits) {
  if (is_ignored_path(options, source.path())) return;
  const StyleText text(source, list);
  StyleChecks(text, options, findings, edits).run();
}

// ---- mending -----------------------------------------------------------------------------------------------------------------

namespace {

/// The syntax tree as text, with bare-word titles printed as strings: two trees that differ only in quotes of titles give the same text.
std::string tree_with_quoted_titles(const ParsedFile& file) {
  PrintOptions options;
  options.positions = options.slots = false;
  std::string tree = print_ast(file, options), out;
  out.reserve(tree.size());
  for (std::string_view rest = tree; !rest.empty();) {
    const size_t nl = rest.find('\n');
    std::string_view line = rest.substr(0, nl);
    const size_t title = line.find("title: Name ");
    if (title != std::string_view::npos && line.find_first_not_of(' ') == title)
      out += fmt::format("{}title: Literal \"{}\"\n", line.substr(0, title), line.substr(title + 12));
    else
      out += fmt::format("{}\n", line);
    rest.remove_prefix(std::min(nl == std::string_view::npos ? rest.size() : nl + 1, rest.size()));
  }
  return out;
}

std::string with_edits(std::string_view text, std::vector<StyleEdit> edits, size_t& done) {
  std::stable_sort(edits.begin(), edits.end(), [](const StyleEdit& a, const StyleEdit& b) { return a.offset < b.offset; });
  std::string out;
  uint32_t at = 0;
  done = 0;
  for (const StyleEdit& e : edits) {
    if (e.offset < at) continue; // overlaps an earlier edit
    out += text.substr(at, e.offset - at);
    out += e.text;
    at = e.offset + e.length;
    ++done;
  }
  out += text.substr(at);
  return out;
}

} // namespace

StyleFix fix_style(const std::string& path, const std::string& text, const StyleOptions& options) {
  StyleFix fix;
  fix.text = text;
  RegexCache regexes;
  const ParseResult before = parse(path, text, regexes);
  if (!before.file) return fix;
  // Repeat, because an edit can create a new finding: a moved arrow, or an arrow behind a name that got quotes, may need alignment.
  for (int round = 0; round < 4; ++round) {
    const SourceFile source(path, fix.text);
    Arena arena;
    TokenList list;
    lex(source, false, arena, regexes, list);
    Findings told;
    std::vector<StyleEdit> edits;
    check_style(source, list, options, told, &edits);
    size_t done = 0;
    std::string next = with_edits(fix.text, std::move(edits), done);
    if (next == fix.text) break;
    fix.text = std::move(next);
    fix.edits += done;
  }
  if (fix.edits == 0) return fix;
  const ParseResult after = parse(path, fix.text, regexes);
  if (!after.file || tree_with_quoted_titles(*after.file) != tree_with_quoted_titles(*before.file)) {
    fix.refused = true;
    fix.edits = 0;
    fix.text = text;
  }
  return fix;
}

} // namespace pupc::compiler
