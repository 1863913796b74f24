// Texts that were meant to interpolate, and variables of classes that nothing reads.
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/bare_type.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

/// The variable ${b} of a plain text that is set here; empty where there is none.
Symbol Walker::variable_in_text(const Literal& text) const {
  if (!text.value.is_string() || body_ == nullptr) return {};
  const std::string_view value = text.value.str();
  for (size_t at = 0; (at = value.find("${", at)) != std::string_view::npos; at += 2) {
    size_t end = at + 2;
    while (end < value.size() && (std::isalnum(static_cast<unsigned char>(value[end])) || value[end] == '_')) ++end;
    if (end == at + 2 || end >= value.size() || (value[end] != '}' && value[end] != '[' && value[end] != '.')) continue;
    const Symbol name = find_symbol(value.substr(at + 2, end - at - 2));
    if (!name) continue;
    for (const Body* body = body_; body != nullptr; body = body->outer) {
      const int slot = slot_in(body->layout, name);
      if (slot < 0 || body->slots[static_cast<size_t>(slot)].set == Set::unset) continue;
      // A double-quoted text with \${ says that it is meant.
      const std::string_view source = source_->text();
      return text.offset < source.size() && source[text.offset] == '"' ? Symbol{} : name;
    }
  }
  return {};
}

/// Whether a text names several variables, and all that it names are set here: then it is hardly meant for another program.
bool Walker::names_only_own(const Literal& text) const {
  const std::string_view value = text.value.str();
  std::vector<Symbol> names;
  for (size_t at = 0; (at = value.find("${", at)) != std::string_view::npos; at += 2) {
    size_t end = at + 2;
    while (end < value.size() && (std::isalnum(static_cast<unsigned char>(value[end])) || value[end] == '_')) ++end;
    const Symbol name = end > at + 2 ? find_symbol(value.substr(at + 2, end - at - 2)) : Symbol();
    bool set = false;
    for (const Body* body = body_; name && body != nullptr; body = body->outer) {
      const int slot = slot_in(body->layout, name);
      set = set || (slot >= 0 && body->slots[static_cast<size_t>(slot)].set != Set::unset);
    }
    if (!set) return false;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.size() > 1;
}

/// Whether the text is one in single quotes, or a heredoc, in which nothing says that ${ is meant as it is: "\${a}" says so.
bool Walker::is_unescaped(const Literal& text) const {
  const std::string_view source = source_->text();
  if (text.offset >= source.size() || text.offset < 2) return false;
  if (source[text.offset] == '\'') return true;
  if (source[text.offset - 1] != '\n') return false;
  // The tag is in the line above the text of a heredoc.
  const size_t begin = source.rfind('\n', text.offset - 2) + 1;
  const std::string_view above = source.substr(begin, text.offset - 1 - begin);
  return above.find("@(") != std::string_view::npos && above.find("@(\"") == std::string_view::npos;
}

/// Whether a text interpolates what only Puppet has: ${facts['os']['family']}, ${trusted['certname']}, ${profile::base::owner}.
bool Walker::names_facts(std::string_view text) {
  for (size_t at = 0; (at = text.find("${", at)) != std::string_view::npos;) {
    at += 2;
    const std::string_view rest = text.substr(at);
    for (std::string_view hash : {"facts['", "trusted['", "facts[\"", "trusted[\""})
      if (const size_t end = rest.find('}'); rest.starts_with(hash) && end != std::string_view::npos && rest[end - 1] == ']') return true;
    size_t end = 0;
    while (end < rest.size() && (std::islower(static_cast<unsigned char>(rest[end])) || rest[end] == '_' || rest[end] == ':')) ++end;
    const std::string_view name = rest.substr(0, end);
    if (const size_t colons = name.find("::");
        colons != std::string_view::npos && colons > 0 && colons + 2 < end && end < rest.size() && rest[end] == '}')
      return true;
  }
  return false;
}

/// 'a ${b}' or a heredoc whose tag has no quotes: ${b} stays as it is, and b is a variable that is set here.
void Walker::check_plain_text(const Literal& text) {
  const Symbol name = variable_in_text(text);
  if (plain_names_.contains(&text)) return;
  if (!name) {
    if (text.value.is_string() && body_ != nullptr && is_unescaped(text) && names_facts(text.value.str()))
      report(CheckCode::uninterpolated_text, text, "What stands in ${…} stays as it is in this text, and is Puppet's",
             source_->text()[text.offset] == '\'' ? "Use double quotes." : "Put the heredoc's tag in double quotes: @(\"END\").",
             Severity::Warning);
    return;
  }
  const bool meant = names_only_own(text) || names_facts(text.value.str());
  if (!meant && !texts_matter_) return;
  report(CheckCode::uninterpolated_text, text, fmt::format("${{{}}} stays as it is in this text, and the variable is set here", name.str()),
         source_->text()[text.offset] == '\'' ? "Use double quotes." : "Put the heredoc's tag in double quotes: @(\"END\").",
         meant ? std::optional(Severity::Warning) : std::nullopt);
}

/// The same of a text that is a name, a path or the like: no program reads it that has variables of its own.
void Walker::check_plain_name(const Node* n) {
  for (const Node* element : listed_elements(n)) {
    if (element->kind != NodeKind::Literal) continue;
    const auto& text = element->as<Literal>();
    const Symbol name = variable_in_text(text);
    if (!name || source_->text()[text.offset] != '\'' || !plain_names_.insert(&text).second) continue;
    report(CheckCode::uninterpolated_text, text,
           fmt::format("${{{}}} stays as it is in this text, and the variable is set here", name.str()), "Use double quotes.",
           Severity::Warning);
  }
}

/// An attribute that is the name of something, whatever the type.
bool Walker::is_plain_name(Symbol attribute) {
  return one_of("path|source|target|creates|cwd|home|owner|group|user|gid|mode|require|before|notify|subscribe", attribute.str());
}

/// "awk '{print $5}'": a group of a pattern where no pattern is.
void Walker::check_group_in_text(const Node& part) {
  if (part.kind != NodeKind::Variable || part.as<Variable>().form() != Variable::Form::Numeric) return;
  const std::string_view name = part.as<Variable>().name.str(), code = source_->text();
  static constexpr std::string_view patterns[] = {"=~", "!~", "/:", "/ :", "/ =>", "/=>", "/,", "/ {", "/ or ", "/ and "};
  if (name == "0" || body_ == nullptr ||
      std::ranges::any_of(patterns, [&](std::string_view p) { return code.find(p) != std::string_view::npos; }))
    return;
  report(CheckCode::unset_variable, part, fmt::format("No pattern is matched in this file: ${} is undef", name),
         fmt::format("Write \\${} for another program.", name), Severity::Warning);
}

/// A Sensitive in a text: the text says that the value is redacted.
void Walker::check_secret_in_text(const Node& part) {
  const Node* n = unparenthesised(&part);
  if (n->kind != NodeKind::Variable || is_narrowed(n->as<Variable>())) return;
  const Type* type = bare_type(declared_type(n));
  if (type != nullptr && type->kind == TypeKind::Sensitive && static_value(n).kinds != kinds::sensitive) // else the walk tells it
    report(CheckCode::redacted_secret, *n,
           fmt::format("${} is a Sensitive: the text gets 'Sensitive [value redacted]' in its place", n->as<Variable>().name.str()),
           fmt::format("Write ${{{}.unwrap}}, and make a Sensitive of the whole text.", n->as<Variable>().name.str()), Severity::Warning);
}

/// The parts of a text; "$a[0]": Puppet takes $a alone.
void Walker::check_interpolation(const Interpolation& text) {
  for (const Node* part : text.parts) {
    check_group_in_text(*part);
    check_secret_in_text(*part);
  }
  for (size_t i = 0; i + 1 < text.parts.size; ++i) {
    const Node *part = text.parts[i], *next = text.parts[i + 1];
    if (part->kind != NodeKind::Variable || next->kind != NodeKind::Literal || !next->as<Literal>().value.is_string()) continue;
    const std::string_view source = source_->text(), after = next->as<Literal>().value.str();
    if (part->offset >= source.size() || source[part->offset] != '$' || source.substr(part->offset, 2) == "${") continue;
    if (part->offset > 1 && source.substr(part->offset - 2, 2) == "${") continue;
    const size_t close = after.find(']');
    const bool index = after.size() > 2 && after[0] == '[' && close != std::string_view::npos && close > 1 &&
                       (std::isdigit(static_cast<unsigned char>(after[1])) || after[1] == '\'' || after[1] == '"');
    const KindSet kinds = static_value(part).kinds;
    // "$a[$b]": an index that is a variable.
    const Node *key = i + 2 < text.parts.size ? text.parts[i + 2] : nullptr, *end = i + 3 < text.parts.size ? text.parts[i + 3] : nullptr;
    const bool by_variable = after == "[" && key != nullptr && key->kind == NodeKind::Variable && end != nullptr &&
                             end->kind == NodeKind::Literal && end->as<Literal>().value.is_string() &&
                             end->as<Literal>().value.str().starts_with(']');
    const bool attribute = after.size() > 1 && after[0] == '.' && std::islower(static_cast<unsigned char>(after[1])) &&
                           (kinds & (kinds::hash | kinds::list | kinds::other)) == kinds;
    if (!index && !attribute && !by_variable) continue;
    // Of what is a hash or list for certain the text is of no use.
    const Symbol name = part->as<Variable>().base;
    const bool certain = (index || by_variable) &&
                         (name == sym::facts || name.str() == "trusted" || (kinds != 0 && (kinds & ~(kinds::hash | kinds::list)) == 0));
    if (!certain && !texts_matter_) continue;
    const std::string of_variable = by_variable ? fmt::format("[${}]", key->as<Variable>().name.str()) : std::string();
    const std::string_view rest = by_variable ? std::string_view(of_variable)
                                  : index     ? after.substr(0, close + 1)
                                              : after.substr(0, after.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1));
    report(CheckCode::uninterpolated_text, *part,
           fmt::format("Puppet takes ${} alone here, and '{}' as text", part->as<Variable>().name.str(), rest),
           fmt::format("Write ${{{}{}}}.", part->as<Variable>().name.str(), rest),
           certain ? std::optional(Severity::Warning) : std::nullopt);
  }
}

/// $facts['os.family']: a fact whose name has no dots.
void Walker::check_fact_dots(const Node& at, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || !is_known_fact(name.substr(0, dot)) || program_.custom_facts().contains(std::string(name))) return;
  std::string path;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    path += fmt::format("['{}']", name.substr(begin, end - begin));
    begin = end + 1;
  }
  report(CheckCode::unknown_fact_key, at, fmt::format("There is no fact '{}': a dot does not lead into a fact here", name),
         fmt::format("Write $facts{}, or $facts.get('{}').", path, name));
}

/// Keeps the variables of a class that its own body sets and does not read.
void Walker::note_unused_class_variables(Body& body) {
  if (!texts_matter_ || !program_.whole() || !file_->asked || body.opaque || body.layout == nullptr || body.definition == nullptr) return;
  for (size_t slot = body.parameters.size(); slot < body.slots.size(); ++slot) {
    if (body.slots[slot].read || body.layout->names[slot].str().starts_with('_')) continue;
    const auto assignments = assignments_of(body, slot);
    if (assignments.empty() || assignments.front().assignment->left->kind != NodeKind::Variable) continue;
    const Node& target = *assignments.front().assignment->left;
    unused_variables_.push_back({body.definition, body.layout->names[slot], source_, target.offset, target.length});
  }
}

/// Tells of those that no other code reads either.
void Walker::report_unused_class_variables() {
  std::set<std::pair<uint32_t, uint32_t>> read;
  std::set<uint32_t> misread; // classes of which a variable is read that they do not set: it may be meant
  for (const ClassUse& use : class_variables_) {
    read.emplace(use.name.id, use.variable.id);
    const DefinitionEntry* entry = program_.find_class(use.name);
    const std::string_view full = use.variable.str();
    const Symbol base = find_symbol(full.substr(full.rfind(':') + 1));
    if (entry != nullptr && (!base || slot_in(entry->definition->layout, base) < 0)) misread.insert(use.name.id);
  }
  for (const UnusedVariable& u : unused_variables_) {
    if (inherited_.contains(lower_symbol(u.definition->name)) || misread.contains(u.definition->name.id)) continue;
    const std::string full = fmt::format("{}::{}", lower_name(u.definition->name), u.name.str());
    const Symbol symbol = find_symbol(full), top = find_symbol("::" + full);
    const uint32_t owner = u.definition->name.id;
    if ((symbol && read.contains({owner, symbol.id})) || (top && read.contains({owner, top.id})) || read_in_templates_.contains(full) ||
        data_->reads_variable(full))
      continue;
    std::vector<std::string_view> others;
    for (Symbol other : u.definition->layout->names)
      if (other != u.name) others.push_back(other.str());
    const std::string similar = did_you_mean(u.name.str(), others);
    findings_.add(CheckCode::unused_variable, *u.source, u.offset, u.length, fmt::format("Nothing reads the variable '{}'", u.name.str()),
                  similar.empty() ? "A name with a leading _ says that this is meant." : similar);
  }
}

} // namespace pupc::compiler
