// Checks the files that the code names: templates and their parameters, puppet:/// sources, file().
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/ruby/ruby_names.h"
#include "compiler/analysis/ruby/template_text.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

/// Whether the file "module/path" certainly does not exist: the module exists, but not the file.
bool Walker::file_missing(ModuleFileKind kind, std::string_view reference, bool epp) {
  const size_t slash = reference.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const std::string module(reference.substr(0, slash));
  if (program_.environment().find_module(module) == nullptr || program_.lists_missing(module)) return false;
  if (program_.environment().find_module_file(kind, reference)) return false;
  return !epp || !program_.environment().find_module_file(kind, std::string(reference) + ".epp"); // the suffix may be left out
}

void Walker::check_template_call(std::string_view function, Arguments arguments) {
  const bool file = function == "file";
  const ModuleFileKind kind = file ? ModuleFileKind::Files : ModuleFileKind::Templates;
  bool some_other = false;
  for (const Node* argument : arguments) {
    const auto name = literal_text(argument);
    if (!name) some_other = true;
    if (function == "template" && argument->kind == NodeKind::HashLiteral)
      report(CheckCode::argument_type, *argument, "template() takes the names of files alone",
             "The template sees the variables of this code.");
    if (function == "template") {
      if (!name)
        dynamic_templates_.insert(module_ == nullptr ? "" : module_->name);
      else if (auto path = program_.environment().find_module_file(kind, *name)) {
        note_template_use(*path);
        if (path->ends_with(".epp"))
          report(CheckCode::template_syntax, *argument, "This is an EPP template, and template() reads it as Ruby", "Write epp().");
        continue;
      }
    }
    if (!name || (argument->kind == NodeKind::Variable && !file)) {
      if (function == "epp") return;
      continue;
    }
    if (file && (name->starts_with('/') || !file_missing(kind, *name))) return; // Puppet takes the first file that exists
    if (!file && file_missing(kind, *name, function == "epp"))
      report(CheckCode::no_such_file, *argument,
             fmt::format("The module '{}' has no template '{}'", name->substr(0, name->find('/')), name->substr(name->find('/') + 1)));
    if (function == "epp") break;
  }
  if (file && !some_other && !arguments.empty()) {
    const auto name = literal_text(arguments[0]);
    report(CheckCode::no_such_file, *arguments[0],
           fmt::format("The module '{}' has no file '{}'", name->substr(0, name->find('/')), name->substr(name->find('/') + 1)));
  }
  if (function != "epp" || arguments.empty()) return;
  const auto name = literal_text(arguments[0]);
  if (!name) return;
  auto path = program_.environment().find_module_file(kind, *name);
  if (!path) path = program_.environment().find_module_file(kind, std::string(*name) + ".epp");
  if (!path) return;
  const Node* given = arguments.size() > 1 ? known_hash(arguments[1]) : nullptr;
  note_epp_use(*path, given);
  check_template_parameters(*arguments[0], *path, given);
}

/// A text that is plainly the name of a template of a module, where a variable gets it: template() gets it from there.
void Walker::check_template_text(const Node* value) {
  value = unparenthesised(value);
  if (value->kind == NodeKind::Selector) {
    for (const SelectorEntry& e : value->as<Selector>().entries) check_template_text(e.value);
    return;
  }
  if (value->kind != NodeKind::Literal && value->kind != NodeKind::Interpolation) return;
  const auto text = literal_text(value);
  if (!text || !(text->ends_with(".erb") || text->ends_with(".epp")) || text->starts_with('/')) return;
  if (file_missing(ModuleFileKind::Templates, *text) && file_missing(ModuleFileKind::Files, *text))
    report(CheckCode::no_such_file, *value,
           fmt::format("The module '{}' has no template '{}'", text->substr(0, text->find('/')), text->substr(text->find('/') + 1)), {},
           Severity::Warning);
}

/// The hash that stands in the code for the expression, as far as one does: itself, or what the one assignment of its variable has.
const Node* Walker::known_hash(const Node* n) {
  n = unparenthesised(n);
  if (n->kind != NodeKind::Variable || n->as<Variable>().form() != Variable::Form::Simple || body_ == nullptr) return n;
  Body* body = body_;
  for (uint16_t up = n->as<Variable>().slot == Variable::no_slot ? 0 : n->as<Variable>().up; up > 0 && body->outer != nullptr; --up)
    body = body->outer;
  const int slot = body->slot_of(n->as<Variable>());
  if (slot < 0) return n;
  const auto assignments = assignments_of(*body, static_cast<size_t>(slot));
  if (assignments.size() != 1 || assignments[0].assignment->left->kind != NodeKind::Variable) return n;
  const Node* hash = unparenthesised(assignments[0].assignment->right);
  return hash->kind == NodeKind::HashLiteral ? hash : n;
}

/// What a call gives to a template, which may declare no parameters.
void Walker::note_epp_use(const std::string& path, const Node* given) {
  EppUse& use = epp_uses_[path];
  use.of_caller = use.of_caller || given == nullptr; // it sees the variables around the call
  if (given == nullptr) return;
  use.anything = use.anything || given->kind != NodeKind::HashLiteral;
  if (given->kind != NodeKind::HashLiteral) return;
  for (const KeyedEntry& e : given->as<HashLiteral>().entries) {
    if (const auto key = literal_text(e.key))
      use.given.emplace(*key);
    else
      use.anything = true;
  }
}

/// Variables of templates without parameters that are nearly what calls give them, and that nothing in the module sets.
void Walker::check_epp_variables() {
  for (const EppRead& read : epp_reads_) {
    const auto use = epp_uses_.find(std::string(read.source->path()));
    if (use == epp_uses_.end() || use->second.anything || use->second.given.contains(read.name.str())) continue;
    const std::string_view name = read.name.str();
    const std::vector<std::string_view> given(use->second.given.begin(), use->second.given.end());
    std::string suggestion = name.size() < 4 ? "" : did_you_mean(name, given);
    // What gets values sees these and the top scope alone.
    if ((suggestion.empty() || set_in_module(read.module, name)) && (use->second.of_caller || program_.in_broken(name))) continue;
    findings_.add(CheckCode::unset_variable, *read.source, read.offset, read.length, fmt::format("Nothing sets the variable '{}'", name),
                  std::move(suggestion), Severity::Warning);
  }
}

/// Compares the parameters that the call gives a template with those that the template declares.
void Walker::check_template_parameters(const Node& at, const std::string& path, const Node* given) {
  std::shared_ptr<const ParsedFile> parsed;
  try {
    parsed = program_.environment().epp_template(path, nullptr);
  } catch (const CompileError& error) {
    // Of files that are called .epp their own check tells.
    if (!path.ends_with(".epp"))
      report(CheckCode::template_syntax, at, fmt::format("This is no EPP template: {}", error.diagnostic.message),
             path.ends_with(".erb") ? "Write template()." : "");
    return;
  }
  if (!parsed || parsed->body == nullptr || parsed->body->kind != NodeKind::Epp) return;
  const Epp& epp = parsed->body->as<Epp>();
  if (given != nullptr && given->kind == NodeKind::HashLiteral && (epp.flags & epp_parameters_given) == 0)
    check_unread_keys(given->as<HashLiteral>(), epp);
  if (given != nullptr && given->kind != NodeKind::HashLiteral) return;
  std::vector<std::string_view> names;
  for (const Parameter& p : epp.parameters) names.push_back(p.name.str());
  std::vector<std::string> seen;
  if (given != nullptr)
    for (const KeyedEntry& e : given->as<HashLiteral>().entries) {
      const auto key = literal_text(e.key);
      if (!key) return;
      seen.emplace_back(*key);
      if ((epp.flags & epp_parameters_given) == 0) continue;
      const auto p = std::find_if(epp.parameters.begin(), epp.parameters.end(), [&](const Parameter& q) { return q.name.str() == *key; });
      if (p == epp.parameters.end()) {
        report(CheckCode::template_parameter, *e.key, fmt::format("The template declares no parameter '{}'", *key),
               did_you_mean(*key, names));
        continue;
      }
      std::string why;
      const Type* type = program_.type_of(*p, *parsed->source);
      const auto told = [&] {
        report(CheckCode::template_parameter, *e.value, fmt::format("Parameter '{}' of the template {}", *key, why));
      };
      if (type == nullptr) continue;
      if (rejects(type, e.value, why))
        told();
      else
        for (const Node* choice : choices_of(e.value)) // each of them is given at times
          if (static_value(choice).kinds != kinds::undef && rejects(type, choice, why)) {
            told();
            break;
          }
    }
  for (const Parameter& p : epp.parameters)
    if (p.default_value == nullptr && std::find(seen.begin(), seen.end(), p.name.str()) == seen.end())
      report(CheckCode::template_parameter, at, fmt::format("The template needs the parameter '{}'", p.name.str()));
}

/// What a call gives to a template without parameters, and the template does not read.
void Walker::check_unread_keys(const HashLiteral& given, const Epp& epp) {
  std::set<std::string_view> read;
  bool anything = false; // another template in it, which sees the same
  auto collect = [&](auto&& self, const Node* n) -> void {
    if (n->kind == NodeKind::Variable) read.insert(n->as<Variable>().base.str());
    if (n->kind == NodeKind::Call && n->as<Call>().functor->kind == NodeKind::Name)
      anything = anything || reads_variables(n->as<Call>().functor->as<Name>().name.str());
    for_each_child(*n, [&](const Node* child) { self(self, child); });
  };
  if (epp.body != nullptr) collect(collect, epp.body);
  if (anything) return;
  std::vector<std::string_view> others; // variables that the call does not give: of those near to a key check_epp_variables() tells
  std::ranges::copy_if(read, std::back_inserter(others), [&](std::string_view name) {
    return std::ranges::none_of(given.entries, [&](const KeyedEntry& e) { return literal_text(e.key) == name; });
  });
  for (const KeyedEntry& e : given.entries)
    if (const auto key = literal_text(e.key); key && !read.contains(*key) && did_you_mean(*key, others).empty())
      report(CheckCode::template_parameter, *e.key, fmt::format("The template reads no variable '{}'", *key),
             did_you_mean(*key, {read.begin(), read.end()}), Severity::Warning);
}

/// The names in texts of ERB.
void Walker::check_inline_template(const Node& at, Arguments arguments) {
  for (const Node* argument : arguments) {
    const auto text = argument->kind == NodeKind::Variable ? std::nullopt : literal_text(argument);
    if (!text) continue;
    const std::string code = code_of(*text);
    const RubyTokens ruby = ruby_tokens(code);
    RubyNames names(true);
    names.read(ruby.tokens);
    if (!ruby.error.empty()) continue;
    check_inline_variables(at, code);
    if (names.open()) continue;
    for (const RubyNames::Unknown& u : names.unknown(ruby.tokens))
      report(CheckCode::no_such_function, at, unknown_in_template(u),
             suggested_in_template(u, body_ != nullptr && body_->layout != nullptr && body_->layout->find(intern(u.name)) >= 0));
  }
}

/// The variables that a text given to inline_epp reads. It sees those of the code around the call and the ones that the call gives it.
void Walker::check_inline_epp(Arguments arguments) {
  if (arguments.empty() || body_ == nullptr) return;
  const auto text = literal_text(arguments[0]);
  if (!text || arguments[0]->kind == NodeKind::Variable) return;
  std::unordered_set<std::string> given;
  if (arguments.size() > 1) {
    if (arguments[1]->kind != NodeKind::HashLiteral) return;
    for (const KeyedEntry& e : arguments[1]->as<HashLiteral>().entries) {
      const auto key = literal_text(e.key);
      if (!key) return;
      given.emplace(*key);
    }
  }
  std::shared_ptr<const ParsedFile> parsed;
  try {
    parsed = parse_inline(program_.environment(), std::string(*text), true, program_.environment().regexes());
  } catch (const CompileError&) { return; }
  if (parsed == nullptr || parsed->body == nullptr || parsed->body->kind != NodeKind::Epp) return;
  walk_inline_text(*arguments[0], parsed);
  std::vector<const Variable*> read;
  auto collect = [&](auto&& self, const Node* n) -> void {
    if (n->kind == NodeKind::Variable && n->as<Variable>().form() == Variable::Form::Simple) read.push_back(&n->as<Variable>());
    if (n->kind == NodeKind::Lambda) {
      for (const Parameter& p : n->as<Lambda>().parameters) given.insert(std::string(p.name.str()));
      for (Symbol s : n->as<Lambda>().layout->names) given.insert(std::string(s.str()));
    }
    for_each_child(*n, [&](const Node* child) { self(self, child); });
  };
  const Epp& epp = parsed->body->as<Epp>();
  for (Symbol s : epp.layout->names) given.insert(std::string(s.str()));
  collect(collect, parsed->body);
  for (const Variable* variable : read) {
    if (!given.insert(std::string(variable->base.str())).second) continue; // known, or told already
    auto* here = program_.arena().make<Variable>(*variable);
    here->offset = arguments[0]->offset;
    here->length = arguments[0]->length;
    check_variable(*here);
  }
}

/// Walks a text of EPP for all but its variables, whose places are in its own text.
void Walker::walk_inline_text(const Node& at, std::shared_ptr<const ParsedFile> parsed) {
  if (inline_text_) return;
  inline_text_ = InlineText{source_, &at};
  const SourceFile* const source = std::exchange(source_, parsed->source.get());
  Body* const body = std::exchange(body_, nullptr);
  const int conditional = std::exchange(conditional_, conditional_ + 1);
  walk_template(parsed->body->as<Epp>());
  conditional_ = conditional;
  body_ = body;
  source_ = source;
  inline_text_.reset();
  program_.keep(std::move(parsed));
}

/// Whether the fileserver.conf of the repository has a section of this name.
bool Walker::is_mount(std::string_view name) {
  const auto& options = program_.environment().options();
  const auto conf = program_.environment().read_file(options.path + "/fileserver.conf");
  return conf && conf->find(fmt::format("[{}]", name)) != std::string::npos;
}

/// Checks the value of a `source`, or one that may become that. Puppet takes the first source that exists.
void Walker::check_source(const Node* value, Severity severity) {
  const ListedElements sources = listed_elements(value);
  constexpr std::string_view prefix = "puppet:///modules/", any_mount = "puppet:///";
  const Node* blamed = nullptr;
  for (const Node* source : sources) {
    const auto text = literal_text(source);
    if (!text || !text->starts_with(any_mount) || text->starts_with(prefix)) continue;
    const std::string_view path = std::string_view(*text).substr(any_mount.size()), mount = path.substr(0, path.find('/'));
    if (program_.environment().find_module(mount) != nullptr && mount != "files" && mount != "plugins" && !is_mount(mount))
      report(CheckCode::no_such_file, *source, fmt::format("'{}' is a module, not a mount of the file server", mount),
             fmt::format("Write puppet:///modules/{}.", path), Severity::Warning);
  }
  // Of several sources one is enough.
  if (const auto text = value->kind == NodeKind::ListLiteral ? std::nullopt : literal_text(value);
      text && text->starts_with(prefix) && program_.whole() && program_.complete(nullptr)) {
    const std::string_view module = text->substr(prefix.size(), text->find('/', prefix.size()) - prefix.size());
    if (!module.empty() && program_.environment().find_module(module) == nullptr) {
      std::vector<std::string_view> names;
      for (const Module& m : program_.environment().modules()) names.push_back(m.name);
      return report(CheckCode::no_such_file, *value, fmt::format("There is no module '{}', whose file is meant", module),
                    did_you_mean(module, names), Severity::Warning);
    }
  }
  for (const Node* source : sources) {
    const auto text = literal_text(source);
    if (!text || !text->starts_with(prefix) || !file_missing(ModuleFileKind::Files, std::string_view(*text).substr(prefix.size()))) return;
    if (blamed == nullptr) blamed = source;
  }
  if (blamed == nullptr) return;
  const auto text = literal_text(blamed);
  report(CheckCode::no_such_file, *blamed, fmt::format("There is no file '{}'", *text), "", severity);
}

} // namespace pupc::compiler
