#include "compiler/analysis/ruby/ruby_code_checks.h"

#include "catalog/base/paths.h"
#include "compiler/analysis/ruby/facts_in_ruby.h"
#include "compiler/analysis/ruby/ruby_attribute_uses.h"
#include "compiler/analysis/ruby/ruby_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unordered_set>

namespace pupc::compiler {
namespace {

constexpr size_t largest_file = 1u << 20;

/// The part of the path behind a folder: "package/apt.rb" of …/lib/puppet/provider/package/apt.rb.
std::string_view below(std::string_view path, std::string_view folder) {
  const size_t at = path.find(folder);
  return at == std::string_view::npos ? std::string_view() : path.substr(at + folder.size());
}

/// The name that stands at the token, perhaps in parentheses: newtype(:x), newtype :x. Empty: none that is written there.
std::string_view name_given(std::span<const RubyToken> tokens, size_t i) {
  if (i < tokens.size() && is_op(tokens[i], "(")) ++i;
  return i < tokens.size() ? written_name(tokens[i]).value_or("") : "";
}

/// Puppet finds a type by the name of its file, and providers in the folder that has their type's name.
void check_type_names(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  const std::string_view type_file = below(file.path, "/lib/puppet/type/"), provider_file = below(file.path, "/lib/puppet/provider/");
  const auto told = [&](const RubyToken& at, std::string message) {
    findings.add(CheckCode::ruby_code, file.shown, at.line, 0, std::move(message), {});
  };
  if (!type_file.empty() && type_file.find('/') == std::string_view::npos) {
    const std::string_view expected = type_file.substr(0, type_file.size() - 3);
    const RubyToken* other = nullptr;
    std::string_view defined;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool api = tokens[i].kind == RubyTokenKind::Label && tokens[i].body == "name" && i > 1 && !other;
      if (tokens[i].text != "newtype" && !api) continue;
      const std::string_view name = name_given(tokens, i + 1);
      if (name.empty() || name == expected) return;
      if (other == nullptr) other = &tokens[i], defined = name;
    }
    if (other != nullptr) told(*other, fmt::format("The file stands for the type '{}', and defines '{}'", expected, defined));
  }
  const size_t slash = provider_file.find('/');
  if (slash == std::string_view::npos) return;
  const std::string_view folder = provider_file.substr(0, slash);
  for (size_t i = 0; i + 5 < tokens.size(); ++i) {
    if (tokens[i].text != "type" || !is_op(tokens[i + 1], "(") || !is_op(tokens[i + 3], ")") || !is_op(tokens[i + 4], ".") ||
        tokens[i + 5].text != "provide")
      continue;
    const std::string_view name = name_given(tokens, i + 1);
    if (!name.empty() && name != folder)
      told(tokens[i], fmt::format("Providers in this folder are of the type '{}', and this one is of '{}'", folder, name));
  }
}

/// Whether code may come into the class from elsewhere, or is made at run time.
bool adds_code(const RubyToken& token) {
  constexpr std::string_view words[] = {"include",          "extend",        "eval",       "instance_eval", "class_eval",
                                        "require_relative", "load",          "send",       "public_send",   "module",
                                        "define_method",    "instance_exec", "class_exec", "prepend"};
  return std::ranges::find(words, token.text) != std::end(words);
}

/// A type needs a namevar, which the title of a resource sets: without one no resource can be declared.
void check_namevar(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  const std::string_view name = below(file.path, "/lib/puppet/type/");
  if (name.empty() || name.find('/') != std::string_view::npos) return;
  const RubyToken* type = nullptr;
  size_t attributes = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].kind == RubyTokenKind::Label || tokens[i].kind == RubyTokenKind::Symbol ? tokens[i].body
                                                                                                                    : tokens[i].text;
    if (adds_code(tokens[i]) || word == "isnamevar" || word == "namevar" || word == "title_patterns") return;
    if (word == "newtype") type = &tokens[i];
    if (word != "newparam" && word != "newproperty") continue;
    const std::string_view attribute = name_given(tokens, i + 1);
    if (attribute.empty() || attribute == "name") return;
    ++attributes;
  }
  if (type != nullptr && attributes != 0)
    findings.add(CheckCode::ruby_code, file.shown, type->line, 0,
                 "No parameter of the type is its namevar, so no resource of it can be declared", "Write isnamevar in one.");
}

/// Puppet asks the class of a provider for `instances` and `prefetch`.
void check_provider_methods(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  if (below(file.path, "/lib/puppet/provider/").find('/') == std::string_view::npos) return;
  bool provides = false;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "module" || tokens[i].text == "extend" || tokens[i].text == "singleton_class" ||
        (tokens[i].text == "class" && is_op(tokens[i + 1], "<<")))
      return;
    provides |= tokens[i].text == "provide";
  }
  if (!provides) return;
  for (size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i].text == "def" && (tokens[i + 1].text == "prefetch" || tokens[i + 1].text == "instances") && !is_op(tokens[i + 2], "."))
      findings.add(CheckCode::ruby_code, file.shown, tokens[i].line, 0,
                   fmt::format("Puppet calls {} of the provider's class, and this is a method of each provider", tokens[i + 1].text),
                   fmt::format("Write def self.{}.", tokens[i + 1].text), Severity::Warning);
}

} // namespace

void check_ruby_code(const std::vector<RepositoryFile>& files, RubyFiles& ruby, CheckedCodebase& program, Findings& findings,
                     std::set<std::string>& unreadable) {
  for (const RepositoryFile& file : files) {
    if (file.kind != FileKind::RubyCode) continue;
    const auto read = ruby.take(file.path);
    if (!read || read->text.size() > largest_file) continue;
    if (read->tokens.error.empty()) {
      check_ruby_names(file, read->tokens, CheckCode::ruby_code, program, findings);
      check_type_names(file, read->tokens.tokens, findings);
      check_namevar(file, read->tokens.tokens, findings);
      check_provider_methods(file, read->tokens.tokens, findings);
      check_attribute_uses(file, *read, program, findings);
      check_ruby_facts(file, *read, program, findings);
      check_ruby_fact_values(file, read->tokens.tokens, findings);
    } else {
      unreadable.insert(file.path);
    }
  }
}

std::string_view near_ruby_method(std::string_view name) {
  static constexpr std::string_view known[] = {"each",
                                               "each_with_index",
                                               "each_with_object",
                                               "each_pair",
                                               "each_key",
                                               "each_value",
                                               "each_slice",
                                               "each_line",
                                               "collect",
                                               "flat_map",
                                               "select",
                                               "reject",
                                               "join",
                                               "sort",
                                               "sort_by",
                                               "keys",
                                               "values",
                                               "include?",
                                               "empty?",
                                               "size",
                                               "length",
                                               "count",
                                               "to_s",
                                               "to_i",
                                               "to_f",
                                               "to_a",
                                               "to_h",
                                               "to_sym",
                                               "split",
                                               "gsub",
                                               "upcase",
                                               "downcase",
                                               "capitalize",
                                               "strip",
                                               "chomp",
                                               "first",
                                               "last",
                                               "uniq",
                                               "flatten",
                                               "compact",
                                               "merge",
                                               "has_key?",
                                               "key?",
                                               "value?",
                                               "match?",
                                               "member?",
                                               "nil?",
                                               "is_a?",
                                               "inspect",
                                               "find_all",
                                               "index",
                                               "reverse",
                                               "match",
                                               "start_with?",
                                               "end_with?",
                                               "fetch",
                                               "delete",
                                               "inject",
                                               "reduce",
                                               "lines",
                                               "chars",
                                               "round",
                                               "floor",
                                               "times",
                                               "unwrap",
                                               "to_json",
                                               "to_yaml",
                                               "group_by",
                                               "partition"},
                                    others[] = {"all",  "bind", "catch",  "chop",  "empty", "gzip",   "include",    "included", "key",
                                                "line", "list", "lstrip", "patch", "port",  "rindex", "rpartition", "rstrip",   "sqrt",
                                                "time", "to_c", "to_io",  "to_r",  "value", "reach",  "nil",        "found"};
  static const auto* there = [] {
    auto* names = new std::unordered_set<std::string_view>(std::begin(known), std::end(known));
    names->insert(std::begin(others), std::end(others));
    return names;
  }();
  if (name.size() < 4 || name.back() == '!' || there->contains(name)) return {};
  for (std::string_view method : known)
    if (one_slip_apart(name, method)) return method;
  return {};
}

} // namespace pupc::compiler
