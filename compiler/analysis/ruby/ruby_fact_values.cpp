// Facts that Ruby compares with texts. Ruby, unlike the language, heeds upper and lower case.
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The fact that is read by what ends before token `end`, such as os.family for @facts['os']['family']; empty for anything else.
std::string fact_before(std::span<const RubyToken> tokens, size_t end) {
  std::string path;
  const auto put = [&](std::string_view key) { path = path.empty() ? std::string(key) : fmt::format("{}.{}", key, path); };
  size_t i = end;
  while (i >= 3 && is_op(tokens[i - 1], "]") && is_op(tokens[i - 3], "[")) {
    const auto key = written_name(tokens[i - 2]);
    if (!key) return {};
    put(*key);
    i -= 3;
  }
  if (i >= 6 && is_op(tokens[i - 1], ")") && is_op(tokens[i - 3], "(") && tokens[i - 4].text == "value" && tokens[i - 6].text == "Facter") {
    const auto name = written_name(tokens[i - 2]);
    if (!name) return {};
    put(*name);
    return path;
  }
  if (i == end || i == 0) return {};
  const std::string_view base = tokens[i - 1].text;
  if (base == "@facts" || base == "facts") return path;
  if (base == "@os") return "os." + path;
  if ((base == "scope" || base == "closure_scope") && path.starts_with("facts.")) return path.substr(6);
  return {};
}

} // namespace

void check_ruby_fact_values(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!is_op(tokens[i], "==") && !is_op(tokens[i], "!=")) continue;
    const auto text = written_name(tokens[i + 1]);
    if (!text || tokens[i + 1].kind != RubyTokenKind::String || (i + 2 < tokens.size() && is_op(tokens[i + 2], "."))) continue;
    const std::string path = fact_before(tokens, i);
    if (const std::string why = path.empty() ? std::string() : never_value_in_ruby(path, *text); !why.empty())
      findings.add(CheckCode::impossible_comparison, file.shown, tokens[i].line, 0,
                   fmt::format("This is always {}: {}", tokens[i].text == "==" ? "false" : "true", why),
                   "Ruby heeds upper and lower case.");
  }
}

} // namespace pupc::compiler
