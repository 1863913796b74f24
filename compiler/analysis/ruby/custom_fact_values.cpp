// The texts that facts in Ruby give, where their code lists them.
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/analysis/ruby/facts_in_ruby.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pupc::compiler {
namespace {

using Texts = std::set<std::string, std::less<>>;

bool texts_of_body(RubyRange body, Texts& out, int depth);

/// `when /a/ then 'b'`, `else 'c'`: the statements behind a word of a case, up to the next one.
bool texts_of_case(const RubyRange& statement, Texts& out, int depth) {
  const uint32_t end = statement.end - 1; // the `end`
  std::vector<uint32_t> begins;
  for (uint32_t i = statement.begin + 1; i < end;) {
    if (is_keyword(statement[i], "when") || is_keyword(statement[i], "else")) begins.push_back(i);
    if (is_keyword(statement[i], "in")) return false;
    i = is_keyword(statement[i], "when") || is_keyword(statement[i], "else") || is_keyword(statement[i], "then")
            ? i + 1
            : skip_element(statement, i);
  }
  if (begins.empty()) return false;
  for (size_t b = 0; b < begins.size(); ++b) {
    uint32_t from = begins[b] + 1;
    const uint32_t to = b + 1 < begins.size() ? begins[b + 1] : end;
    if (is_keyword(statement[begins[b]], "when")) {
      while (from < to && !is_keyword(statement[from], "then") && statement[from].kind != RubyTokenKind::Newline)
        from = skip_element(statement, from);
      ++from;
    }
    if (!texts_of_body({statement.file, from, to}, out, depth + 1)) return false;
  }
  return true;
}

/// Adds what the body gives. False: it may be anything.
bool texts_of_body(RubyRange body, Texts& out, int depth) {
  if (depth > 6) return false;
  for (uint32_t i = body.begin; i < body.end; ++i)
    for (std::string_view leaves : {"return", "next", "break", "rescue", "ensure"})
      if (is_keyword(body[i], leaves)) return false;
  RubyRange statement, last;
  while (next_statement(body, statement))
    if (!statement.empty()) last = statement;
  if (last.empty()) return true; // nil
  if (find_modifier(last) != 0) last.end = find_modifier(last);
  const RubyToken& first = last[last.begin];
  if (last.end == last.begin + 1) {
    if (is_keyword(first, "nil")) return true;
    const auto text = first.kind == RubyTokenKind::String ? written_name(first) : std::nullopt;
    if (!text || text->find('\\') != std::string_view::npos || first.text.starts_with("<<")) return false;
    out.insert(ascii_lower(*text));
    return true;
  }
  if (is_keyword(first, "case") && is_keyword(last[last.end - 1], "end")) return texts_of_case(last, out, depth);
  if ((is_keyword(first, "if") || is_keyword(first, "unless")) && is_keyword(last[last.end - 1], "end")) {
    const auto branches = read_if(last, last.begin);
    for (const RubyBranch& branch : branches)
      if (!texts_of_body(branch.body, out, depth + 1)) return false;
    return !branches.empty();
  }
  // … ? 'a' : 'b'
  const uint32_t n = last.end;
  if (n >= last.begin + 5 && is_op(last[n - 4], "?") && is_op(last[n - 2], ":")) {
    const RubyRange then{last.file, n - 3, n - 2}, other{last.file, n - 1, n};
    return texts_of_body(then, out, depth + 1) && texts_of_body(other, out, depth + 1);
  }
  return false;
}

/// The same of all resolutions of the fact in a file.
bool texts_in_file(const RubyFile& file, std::string_view name, Texts& out) {
  if (!file.tokens.error.empty()) return false;
  const RubyRange all{&file, 0, static_cast<uint32_t>(file.tokens.tokens.size())};
  bool found = false;
  for (uint32_t i = 2; i < all.end; ++i) {
    if (all[i].text != "add" || !is_op(all[i - 1], ".") || all[i - 2].text != "Facter") continue;
    const RubyCall fact = read_call(all, i);
    const auto arguments = split_commas(fact.arguments);
    if (arguments.size() != 1 || arguments[0].empty() || !fact.has_block) return false; // of other types, or made elsewhere
    const auto own = written_name(arguments[0][arguments[0].begin]);
    if (!own) return false;
    if (*own != name) continue;
    for (uint32_t k = fact.block.begin; k < fact.block.end; ++k) {
      if (all[k].kind != RubyTokenKind::Identifier || all[k].text != "setcode") continue;
      const RubyCall code = read_call(all, k);
      if (!code.has_block || !code.arguments.empty() || !texts_of_body(code.block, out, 0)) return false;
      found = true;
    }
  }
  return found;
}

} // namespace

std::string never_value_of_custom_fact(CheckedCodebase& program, std::string_view name, std::string_view text) {
  const auto [at, fresh] = program.fact_texts().try_emplace(std::string(name));
  if (fresh) {
    Texts texts;
    const auto files = program.files_of_fact(name);
    bool known = !files.empty();
    for (const std::string& path : files) {
      auto code = read_whole_file(path);
      known = known && code && code->size() < (1u << 16) && texts_in_file(*read_ruby_file(path, std::move(*code)), name, texts);
    }
    if (known && !texts.empty()) at->second = std::move(texts);
  }
  if (!at->second || at->second->contains(ascii_lower(text))) return {};
  return fmt::format("the fact '{}' is {}", name, fmt::join(*at->second, ", "));
}

} // namespace pupc::compiler
