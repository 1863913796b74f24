#include "compiler/analysis/ruby/ruby_type_values.h"

#include "catalog/value/regex.h"

#include <fmt/format.h>
#include <optional>
#include <vector>

namespace pupc::compiler {
namespace {

std::optional<std::string> literal(const RubyRange& part) {
  if (part.end != part.begin + 1) return std::nullopt;
  const RubyToken& t = part[part.begin];
  if (const auto name = written_name(t)) return std::string(*name);
  if (is_keyword(t, "true") || is_keyword(t, "false")) return std::string(t.text);
  return std::nullopt;
}

/// Whether a value can stand in a list of allowed values (catalog/schema/attribute_values.h).
bool is_word(std::string_view value) {
  return !value.empty() && value.find_first_of(" =\t\n") == std::string_view::npos && !value.starts_with('/') && !value.starts_with('~');
}

/// A pattern as a list of allowed values has it; nothing for one that Ruby computes, or with options.
std::optional<std::string> pattern(const RubyRange& part) {
  if (part.end != part.begin + 1) return std::nullopt;
  const RubyToken& t = part[part.begin];
  if (t.kind != RubyTokenKind::Regex || t.options != 0 || t.body.find_first_of(" \t\n") != std::string_view::npos ||
      (t.interpolated && t.body.find("#{") != std::string_view::npos))
    return std::nullopt;
  std::string out = fmt::format("/{}/", t.body);
  try {
    Regex check(std::string(t.body));
  } catch (const RegexError&) { return std::nullopt; }
  return out;
}

/// `munge { |value| Integer(value) }`: what is no number is refused. Empty for any other block.
std::string munged_to_number(const RubyCall& munge) {
  std::vector<const RubyToken*> tokens;
  for (uint32_t i = munge.block.begin; i < munge.block.end; ++i)
    if (munge.block[i].kind != RubyTokenKind::Newline) tokens.push_back(&munge.block[i]);
  const RubyRange& given = munge.block_parameters;
  if (tokens.size() != 4 || given.end != given.begin + 1 || tokens[0]->text != "Integer" || !is_op(*tokens[1], '(') ||
      tokens[2]->text != given[given.begin].text || !is_op(*tokens[3], ')'))
    return {};
  return std::string(integer_values);
}

/// What the block of an attribute lets through; nothing where that is not only a list of literals.
std::optional<std::string> values_in(RubyRange block) {
  std::string out, number;
  RubyRange statement;
  while (next_statement(block, statement)) {
    if (statement.empty()) continue;
    const RubyToken& first = statement[statement.begin];
    if (is_keyword(first, "def")) {
      std::string name;
      RubyMethod method;
      if (!read_def(statement, statement.begin, name, method) || name.find("validate") != std::string::npos) return std::nullopt;
      continue;
    }
    if (first.kind != RubyTokenKind::Identifier || find_modifier(statement) != 0) {
      if (first.kind == RubyTokenKind::Variable) continue; // @doc = …
      return std::nullopt;
    }
    const std::string_view word = first.text;
    const RubyCall call = read_call(statement, statement.begin);
    if (word == "defaultvalues") {
      out += " present absent";
    } else if (word == "newvalue" || word == "newvalues" || word == "aliasvalue") {
      const auto arguments = split_commas(call.arguments);
      for (const RubyRange& argument : arguments) {
        if (const auto value = literal(argument); value && is_word(*value))
          out.append(" ").append(*value);
        else if (const auto fits = pattern(argument))
          out.append(" ").append(*fits);
        else if (word == "newvalues" || &argument == &arguments.front())
          return std::nullopt;         // computed
        if (word == "newvalue") break; // options come behind
      }
    } else if (word == "munge") {
      number = call.has_block ? munged_to_number(call) : std::string();
    } else if (word != "desc" && word != "defaultto" && word != "unmunge" && word != "isnamevar" && word != "isrequired" &&
               word != "nodefault") {
      return std::nullopt;
    }
  }
  if (out.empty()) return number.empty() ? std::nullopt : std::optional(number);
  return out.substr(1);
}

} // namespace

std::map<std::string, std::string, std::less<>> read_ruby_type_values(const std::shared_ptr<const RubyFile>& file, std::string_view type) {
  std::map<std::string, std::string, std::less<>> out;
  if (!file->tokens.error.empty()) return out;
  const auto& tokens = file->tokens.tokens;
  const RubyRange all{file.get(), 0, static_cast<uint32_t>(tokens.size())};
  for (uint32_t i = 0; i < all.end; ++i) {
    if (tokens[i].kind != RubyTokenKind::Identifier || tokens[i].text != "newtype") continue;
    const RubyCall made = read_call(all, i);
    const auto arguments = split_commas(made.arguments);
    if (arguments.empty() || literal(arguments[0]) != type || !made.has_block) continue;
    RubyRange rest = made.block, statement;
    while (next_statement(rest, statement)) {
      if (statement.empty() || statement[statement.begin].kind != RubyTokenKind::Identifier || find_modifier(statement) != 0) continue;
      const std::string_view word = statement[statement.begin].text;
      if (word != "ensurable" && word != "newparam" && word != "newproperty") continue;
      const RubyCall call = read_call(statement, statement.begin);
      if (word == "ensurable") {
        if (const auto values = call.has_block ? values_in(call.block) : std::optional<std::string>("present absent"))
          out["ensure"] = *values;
        continue;
      }
      const auto parts = split_commas(call.arguments);
      const auto name = parts.empty() ? std::nullopt : literal(parts[0]);
      bool other_parent = false; // its class checks by itself
      for (uint32_t k = call.arguments.begin; k < call.arguments.end; ++k)
        other_parent = other_parent || tokens[k].body == "parent" || tokens[k].body == "boolean";
      if (!name || !call.has_block || other_parent) continue;
      if (const auto values = values_in(call.block)) out[*name] = *values;
    }
  }
  return out;
}

} // namespace pupc::compiler
