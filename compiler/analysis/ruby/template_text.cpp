#include "compiler/analysis/ruby/template_text.h"

#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"
#include "compiler/analysis/ruby/ruby_known_names.h"
#include "compiler/analysis/ruby/ruby_names.h"
#include "compiler/ruby/syntax/ruby_lexical.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <algorithm>
#include <set>
#include <span>

namespace pupc::compiler {

std::string code_of(std::string_view text) {
  std::string code;
  code.reserve(text.size() / 2);
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find("<%", at);
    if (open == std::string_view::npos) break;
    code.append(
        static_cast<size_t>(std::count(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(open), '\n')),
        '\n');
    at = open + 2;
    if (at < text.size() && text[at] == '%') { // <%% is text
      ++at;
      continue;
    }
    const size_t close = std::min(text.find("%>", at), text.size());
    std::string_view inside = text.substr(at, close - at);
    at = std::min(close + 2, text.size());
    const bool comment = inside.starts_with('#');
    if (inside.starts_with('=') || inside.starts_with('-')) inside.remove_prefix(1);
    if (inside.ends_with('-')) inside.remove_suffix(1);
    if (comment)
      code.append(static_cast<size_t>(std::count(inside.begin(), inside.end(), '\n')), '\n');
    else
      code.append(inside).append(";");
  }
  return code;
}

std::string_view near_branch(std::string_view word) {
  if (word.size() < 3 || word.size() > 6) return {};
  for (std::string_view branch : {"elsif", "else", "when"})
    if (one_slip_apart(word, branch)) return branch;
  return {};
}

namespace {

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_letter(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Words that code before made variables.
struct BoundNames {
  std::set<std::string_view> all, parameters, // of blocks
      last;                                   // of the last block
};

/// Looks at the words of a piece of code that stand by themselves.
void find_names(std::string_view code, BoundNames& bound, TemplateDoubts& out) {
  if (code.starts_with('#')) return;
  bool parameters = false;
  for (size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (!is_word(c)) {
      if (c == '}' || (c == '|' && !parameters)) bound.last.clear();
      if (c == '|') parameters = !parameters;
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < code.size() && is_word(code[at])) ++at;
    const char before = begin == 0 ? ' ' : code[begin - 1];
    if (before == '$' && is_letter(c)) out.name = true; // no variable of Puppet
    if (before == '@' || before == '.' || before == '$' || before == ':') continue;
    if (at < code.size() && code[at] == '?') ++at;
    const std::string_view word = code.substr(begin, at - begin);
    if (word == "end") bound.last.clear();
    if (c >= 'A' && c <= 'Z' && !out.constant)
      out.constant = (at < code.size() && code[at] == '.') || find_removed(word, "") != nullptr || !meant_constant("", word).empty();
    if (!is_letter(c)) continue;
    size_t next = at;
    while (next < code.size() && code[next] == ' ') ++next;
    const bool set = next + 1 < code.size() && code[next] == '=' && code[next + 1] != '=';
    if (parameters) {
      bound.parameters.insert(word);
      bound.last.insert(word);
    } else if (set || (next < code.size() && before != '|' && code[next] == '|' && code.substr(next, 2) != "||"))
      bound.all.insert(word);
    else if (!bound.all.contains(word) && !bound.last.contains(word) && bound.parameters.contains(word))
      out.name = true; // perhaps behind its block
    else if (!bound.all.contains(word) && !bound.parameters.contains(word) && ruby::word_of(word) == ruby::Word::None &&
             !is_template_word(word))
      out.name = true;
  }
}

} // namespace

TemplateDoubts doubts_of(std::string_view text) {
  TemplateDoubts out;
  BoundNames bound;
  for (size_t open = 0; (open = text.find("<%", open)) != std::string_view::npos;) {
    const size_t close = std::min(text.find("%>", open), text.size());
    const std::string_view code = text.substr(open + 2, close - std::min(open + 2, close));
    size_t at = 0;
    while (at < code.size() && (code[at] == '-' || code[at] == ' ')) ++at;
    const size_t word = at;
    while (at < code.size() && is_letter(code[at])) ++at;
    out.branch = out.branch || !near_branch(code.substr(word, at - word)).empty();
    while (!out.method && (at = code.find('.', at)) != std::string_view::npos) {
      const size_t begin = ++at;
      while (at < code.size() && (is_letter(code[at]) || code[at] == '_')) ++at;
      if (at < code.size() && code[at] == '?') ++at;
      out.method = at > begin && !near_ruby_method(code.substr(begin, at - begin)).empty();
    }
    out.scope = out.scope || code.find("scope") != std::string_view::npos || code.find("function_") != std::string_view::npos;
    if (!out.name || !out.constant) find_names(code, bound, out);
    open = close;
  }
  return out;
}

namespace {

/// Whether the variable at `i` begins a statement and its value is used as it is: `<%= @a %>`, `@a.each do`, `@a['b']`.
bool is_plain_read(std::span<const RubyToken> tokens, size_t i) {
  if (i > 0 && tokens[i - 1].kind != RubyTokenKind::Newline) return false;
  if (i + 1 >= tokens.size() || tokens[i + 1].kind == RubyTokenKind::Newline || is_op(tokens[i + 1], "[")) return true;
  return is_op(tokens[i + 1], ".") && i + 2 < tokens.size() && tokens[i + 2].kind == RubyTokenKind::Identifier &&
         !is_object_word(tokens[i + 2].text) && !tokens[i + 2].text.starts_with("to_") && tokens[i + 2].text != "nil?";
}

} // namespace

void reads_of(std::string_view code, uint32_t first_line, std::vector<TemplateRead>& reads, std::set<std::string, std::less<>>& assigned,
              int depth) {
  const RubyTokens ruby = ruby_tokens(code, first_line);
  if (!ruby.error.empty() || depth > 8) return;
  for (size_t i = 0; i < ruby.tokens.size(); ++i) {
    const RubyToken& t = ruby.tokens[i];
    if (t.kind == RubyTokenKind::Variable && t.text.size() > 1 && t.text[0] == '@' && t.text[1] != '@') {
      const std::string_view name = t.text.substr(1);
      const bool set = i + 1 < ruby.tokens.size() && sets_name(ruby.tokens[i + 1]);
      const auto asks = [&](size_t back) { return i >= back && ruby.tokens[i - back].text.starts_with("defined"); };
      if (set || asks(1) || asks(2)) // defined?(@a) says that it may not be there
        assigned.emplace(name);
      else
        reads.push_back({std::string(name), t.line, is_plain_read(ruby.tokens, i)});
    }
    if (t.interpolated)
      for_each_interpolation(t, [&](std::string_view inside, uint32_t line) { reads_of(inside, line, reads, assigned, depth + 1); });
  }
}

} // namespace pupc::compiler
