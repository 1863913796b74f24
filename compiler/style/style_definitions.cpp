// Style checks: classes, defined types, and code outside of them.
#include "catalog/base/text.h"
#include "compiler/load/environment_extras.h"
#include "compiler/style/style_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using Form = StyleToken::Form;

constexpr std::string_view scope_variables[] = {"name",          "title",      "module_name", "environment",   "clientcert",
                                                "clientversion", "servername", "serverip",    "serverversion", "caller_module_name",
                                                "alias",         "audit",      "before",      "loglevel",      "noop",
                                                "notify",        "require",    "schedule",    "stage",         "subscribe",
                                                "tag",           "facts",      "trusted",     "server_facts"};

/// First part of a qualified name.
std::string_view module_of(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name.substr(0, name.find("::"));
}

std::string_view what(const StyleDefinition& d) { return d.is_class ? "class" : "defined type"; }

} // namespace

void StyleChecks::definitions() {
  for (const StyleDefinition& d : t_.definitions) {
    const StyleToken& name = t_.at(d.name);
    autoloader_layout(d);
    documentation(d);
    parameter_order(d);
    if (d.is_class) inheritance(d);
    if (name.value.find('-') != std::string_view::npos)
      report(CheckCode::names_containing_dash, name, fmt::format("The {} {} has a dash in its name", what(d), name.value));
    if (has_capital(name.value))
      report(CheckCode::names_containing_uppercase, name,
             fmt::format("The {} {} has an uppercase letter in its name", what(d), name.value));
    if (!d.is_class) continue;
    for (uint32_t i = d.first + 1; i <= d.last; ++i)
      if ((t_[i].is(Tok::Class) || t_[i].is(Tok::Define)) && !is_open_brace(t_.after(t_[i])))
        report(CheckCode::nested_classes_or_defines, t_[i],
               fmt::format("A {} inside a class", t_[i].is(Tok::Class) ? "class" : "defined type"));
  }
  variable_scope();
  top_scope();
}

/// Whether the file is at this place of a module whose metadata.json has the name: the folder of a clone may have any.
bool StyleChecks::in_named_module(std::string_view module, std::string_view place) const {
  if (!full_path_.ends_with(place) || !full_path_.substr(0, full_path_.size() - place.size()).ends_with('/')) return false;
  const auto metadata = read_module_metadata(full_path_.substr(0, full_path_.size() - place.size() - 1));
  if (!metadata || metadata->error || !metadata->root.is_hash()) return false;
  const Value* name = metadata->root.hash->find("name");
  if (name == nullptr || !name->is_string()) return false;
  const std::string_view full = name->str();
  return full.substr(std::min(full.find_first_of("/-"), full.size() - 1) + 1) == module;
}

void StyleChecks::autoloader_layout(const StyleDefinition& d) {
  const std::string& path = t_.source.path();
  if (path.empty()) return;
  const StyleToken& name = t_.at(d.name);
  std::string_view rest = name.value;
  std::vector<std::string_view> parts;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find("::"), rest.size());
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  if (parts.empty()) return;
  std::string wanted = options_.relative ? "manifests" : fmt::format("/{}/manifests", parts.size() > 1 ? parts[0] : name.value);
  for (size_t i = 1; i < parts.size(); ++i) wanted += fmt::format("/{}", parts[i]);
  if (parts.size() == 1) wanted += "/init";
  wanted += ".pp";
  if (!full_path_.ends_with(wanted) && !in_named_module(parts[0], std::string_view(wanted).substr(wanted.find("manifests"))))
    report(CheckCode::autoloader_layout, name, fmt::format("{} is not in the file that autoloading looks into", name.value));
}

void StyleChecks::documentation(const StyleDefinition& d) {
  uint32_t lines = 0, i = d.first;
  while (i > 0 && (t_[i - 1].is(Form::Whitespace) || t_[i - 1].is(Form::Indent) || t_[i - 1].is(Form::Newline))) {
    if (t_[i - 1].is(Form::Newline) && ++lines > 1) break;
    --i;
  }
  if (lines > 1 || i == 0 || !t_[i - 1].is_comment())
    report(CheckCode::documentation, t_[d.first], fmt::format("The {} {} has no comment above it", what(d), t_.at(d.name).value));
}

void StyleChecks::inheritance(const StyleDefinition& d) {
  if (d.inherited == StyleToken::none) return;
  const StyleToken& parent = t_[d.inherited];
  if (parent.value.ends_with("::params"))
    report(CheckCode::class_inherits_from_params_class, parent, "A class that inherits a class of parameters");
  if (module_of(parent.value) != module_of(t_.at(d.name).value))
    report(CheckCode::inherits_across_namespaces, parent, fmt::format("The class inherits {} of another module", parent.value));
}

void StyleChecks::parameter_order(const StyleDefinition& d) {
  if (!d.has_parameters) return;
  int parens = 0, others = 0;
  bool optional_before = false;
  for (uint32_t i = d.parameters_first; i <= d.parameters_last; ++i) {
    const StyleToken& t = t_[i];
    if (is_open_paren(t))
      ++parens;
    else if (t.is(Tok::RParen))
      --parens;
    else if (is_open_brace(t) || is_open_bracket(t))
      ++others;
    else if (t.is(Tok::RBrace) || t.is(Tok::RBrack))
      --others;
    optional_before = optional_before || t.is(Tok::Equals);
    if (!optional_before || others != 0 || parens != 0 || !t.is_variable()) continue;
    const StyleToken& before = t_.before(t);
    if (!is_open_paren(before) && !before.is(Tok::Comma) && !before.is(Form::TypeName) && !before.is(Tok::RBrack)) continue;
    const StyleToken& after = t_.after(t);
    if (t.after != StyleToken::none && !after.is(Tok::Comma) && !after.is(Tok::RParen)) continue;
    if (outer_type(i) == "Optional") continue;
    report(CheckCode::parameter_order, t, fmt::format("${} must be given and comes after one with a default", t.value));
  }
}

/// The nearest core data type before a token, skipping parts in brackets.
std::string_view StyleChecks::outer_type(uint32_t i) const {
  for (int depth = 0; i-- > 0;) {
    const StyleToken& t = t_[i];
    if (t.is(Tok::RBrack) || t.is(Tok::RBrace) || t.is(Tok::RParen))
      ++depth;
    else if (is_open_bracket(t) || is_open_brace(t) || is_open_paren(t))
      depth = std::max(depth - 1, 0);
    else if (depth == 0 && t.is(Form::TypeName))
      return t.value;
  }
  return {};
}

// ---- scopes ------------------------------------------------------------------------------------------------------------------

/// Reports variables that are neither set in the class, nor qualified, nor Puppet's own. The parameters of a lambda count as set on the
/// lines of its body.
void StyleChecks::variable_scope() {
  if (!on(CheckCode::variable_scope)) return;
  std::set<std::string_view> known(std::begin(scope_variables), std::end(scope_variables));
  for (const StyleDefinition& d : t_.definitions) {
    for (uint32_t i = d.parameters_first; d.has_parameters && i <= d.parameters_last; ++i) {
      const StyleToken& after = t_.after(t_[i]);
      if (t_[i].is_variable() && (after.is(Tok::Comma) || after.is(Tok::Equals) || after.is(Tok::RParen))) known.insert(t_[i].value);
    }
    std::vector<uint32_t> read;
    std::map<uint32_t, std::set<std::string_view>> of_lambdas; // by line
    std::vector<std::vector<std::string_view>> open;
    bool in_pipe = false;
    for (uint32_t i = d.first; i <= d.last; ++i) {
      const StyleToken& t = t_[i];
      if (t.is(Tok::Equals)) {
        note_assigned(i, known);
      } else if (t.is_variable()) {
        if (in_pipe)
          open.back().push_back(t.value);
        else
          read.push_back(i);
      } else if (t.is(Tok::Pipe)) {
        in_pipe = !in_pipe;
        if (in_pipe) {
          open.emplace_back();
          continue;
        }
        int depth = 0;
        uint32_t end = i;
        for (; end < t_.size(); ++end) {
          if (is_open_brace(t_[end]))
            ++depth;
          else if (t_[end].is(Tok::RBrace) && --depth == 0)
            break;
        }
        const uint32_t last_line = t_.at(end).line;
        for (uint32_t line = t.line; end < t_.size() && line <= last_line; ++line)
          of_lambdas[line].insert(open.back().begin(), open.back().end());
        open.pop_back();
      }
    }
    for (const uint32_t i : read) {
      const std::string_view value = t_[i].value, name = value.substr(0, value.ends_with(']') ? value.find('[') : value.size());
      const auto lambda = of_lambdas.find(t_[i].line);
      if (lambda != of_lambdas.end() && lambda->second.contains(name)) continue;
      if (value.find("::") != std::string_view::npos || known.contains(name)) continue;
      if (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) continue;
      report(CheckCode::variable_scope, t_[i],
             fmt::format("${} is not set here; a variable of another scope needs its qualified name", name));
    }
  }
}

/// Adds the variables on the left of an equals sign to `known`: $a = …, [$a, $b] = …
void StyleChecks::note_assigned(uint32_t equals, std::set<std::string_view>& known) const {
  uint32_t i = t_[equals].before;
  if (t_.at(i).is_variable()) known.insert(t_[i].value);
  if (!t_.at(i).is(Tok::RBrack)) return;
  int depth = 0;
  for (; i != StyleToken::none; i = t_[i].before) {
    const StyleToken& t = t_[i];
    if (t.is_variable())
      known.insert(t.value);
    else if (t.is(Tok::RBrack))
      ++depth;
    else if (is_open_bracket(t)) {
      if (--depth == 0) return;
    } else if (!t.is(Tok::Comma))
      return;
  }
}

void StyleChecks::top_scope() {
  if (!on(CheckCode::code_on_top_scope)) return;
  std::vector<bool> inside(t_.size(), false);
  for (const StyleDefinition& d : t_.definitions) std::fill(inside.begin() + d.first, inside.begin() + d.last + 1, true);
  for (uint32_t i = 0; i < t_.size(); ++i)
    if (!inside[i] && !t_[i].is_formatting()) report(CheckCode::code_on_top_scope, t_[i], "Code outside of a class or defined type");
}

} // namespace pupc::compiler
