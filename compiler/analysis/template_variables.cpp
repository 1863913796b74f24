// Compares the variables that ERB templates read with those set where the code renders the template. A template sees the variables of the
// body that calls template(), of the classes that body inherits, of the node and the top scope, and facts. Any other variable is silently
// nil.
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"
#include "compiler/analysis/ruby/ruby_known_names.h"
#include "compiler/analysis/ruby/ruby_names.h"
#include "compiler/analysis/ruby/template_text.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::compiler {
/// Records that the body being walked renders a template, and the variables that the template sees there.
void Walker::note_template_use(const std::string& path) { add_visible(template_uses_[path]); }

/// Adds what a template sees that the body being walked renders.
void Walker::add_visible(TemplateUse& use) {
  auto take = [&](const FrameLayout* layout) {
    if (layout != nullptr)
      for (Symbol s : layout->names) use.names.push_back(s.id);
  };
  const Body* outermost = body_;
  for (const Body* b = body_; b != nullptr; b = b->outer) {
    take(b->layout);
    outermost = b;
  }
  if (outermost == nullptr || outermost->definition == nullptr || outermost->kind == Body::Kind::Function) {
    use.anything = true; // called from the top scope, a node or another template: the visible variables are unknown
    return;
  }
  const Definition* d = outermost->definition;
  for (int depth = 0; d->kind == NodeKind::ClassDef && d->as<ClassDef>().parent && depth < 32; ++depth) {
    const DefinitionEntry* parent = program_.find_class(d->as<ClassDef>().parent);
    if (parent == nullptr) {
      use.anything = true;
      return;
    }
    d = parent->definition;
    take(d->layout);
  }
}

/// What templates ask of their scope by name: functions that nobody has, variables that classes do not set.
void Walker::check_template_calls(const std::vector<RepositoryFile>& files) {
  for (const RepositoryFile& file : files) {
    if (file.kind != FileKind::Erb) continue;
    const auto text = program_.environment().read_file(file.path);
    if (!text || text->size() > (1u << 20)) continue;
    const TemplateDoubts doubts = doubts_of(*text);
    const bool facts = text->find("==") != std::string::npos &&
                       (text->find("family") != std::string::npos || text->find("'os'") != std::string::npos);
    if (!doubts.branch && !doubts.method && !doubts.scope && !doubts.name && !doubts.constant && !facts) continue;
    const std::string code = code_of(*text);
    const RubyTokens ruby = ruby_tokens(code);
    if (!ruby.error.empty()) continue;
    const auto& tokens = ruby.tokens;
    if (doubts.branch) check_template_branches(file, tokens);
    check_ruby_fact_values(file, tokens, findings_);
    if (doubts.name) check_template_names(file, tokens);
    if (doubts.constant) check_ruby_constants(file, tokens, CheckCode::no_such_function, findings_);
    const auto at = [&](size_t i) -> const RubyToken& {
      static const RubyToken none;
      return i < tokens.size() ? tokens[i] : none;
    };
    const auto text_at = [&](size_t i) {
      const RubyToken& t = at(i);
      return t.kind == RubyTokenKind::String && (!t.interpolated || t.body.find('#') == std::string_view::npos) ? t.body
                                                                                                                : std::string_view();
    };
    for (size_t i = 0; i < tokens.size(); ++i) {
      const RubyToken& t = tokens[i];
      if (t.kind != RubyTokenKind::Identifier) continue;
      if (doubts.method && i > 0 && (is_op(tokens[i - 1], ".") || is_op(tokens[i - 1], "&."))) check_template_method(file, tokens, i);
      if (t.text.starts_with("function_") && t.text.size() > 9) {
        const bool of_scope = i >= 2 && (is_op(tokens[i - 1], ".") || is_op(tokens[i - 1], "&."));
        check_template_function(file, t.line, t.text.substr(9), of_scope);
        if (t.text == "function_template" && is_op(at(i + 1), "(") && is_op(at(i + 2), "[")) check_rendered(file, t.line, text_at(i + 3));
      } else if (t.text == "scope" && (i == 0 || !is_op(tokens[i - 1], "."))) {
        const bool index = is_op(at(i + 1), "[");
        const bool call = is_op(at(i + 1), ".") && at(i + 2).kind == RubyTokenKind::Identifier;
        const size_t argument = index ? i + 2 : is_op(at(i + 3), "(") ? i + 4 : i + 3;
        const std::string_view name = index || call ? text_at(argument) : std::string_view();
        if (name.empty()) continue;
        const std::string_view method = call ? at(i + 2).text : std::string_view();
        if (method == "call_function") {
          check_template_function(file, t.line, name, true);
          if ((name == "template" || name == "epp") && is_op(at(argument + 1), ",")) {
            const size_t first = is_op(at(argument + 2), "[") ? argument + 3 : argument + 2;
            check_rendered(file, t.line, text_at(first));
          }
        } else if (const std::string_view near = near_scope_method(method); !near.empty())
          findings_.add(CheckCode::no_such_function, file.shown, t.line, 0, fmt::format("A scope has no method '{}'", method),
                        fmt::format("Did you mean '{}'?", near));
        else if (index || method == "lookupvar" || method == "[]")
          check_template_scope(file, t.line, name);
      }
    }
  }
}

/// A statement that begins with a word which is nearly one of Ruby's: Ruby takes it for a call of a method.
void Walker::check_template_branches(const RepositoryFile& file, std::span<const RubyToken> tokens) {
  const auto begins = [&](size_t i) { return i == 0 || tokens[i - 1].kind == RubyTokenKind::Newline; };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].text;
    const bool set = i + 1 < tokens.size() && (is_op(tokens[i + 1], "=") || is_op(tokens[i + 1], "."));
    if (tokens[i].kind != RubyTokenKind::Identifier || !begins(i) || set) continue;
    const std::string_view branch = near_branch(word);
    if (branch.empty()) continue;
    bool own = false; // a variable or method of the template
    for (size_t k = 0; k < tokens.size() && !own; ++k)
      own = tokens[k].text == word && (!begins(k) || (k + 1 < tokens.size() && is_op(tokens[k + 1], "=")));
    if (own) continue;
    findings_.add(CheckCode::no_such_function, file.shown, tokens[i].line, 0, fmt::format("A template has no method '{}'", word),
                  fmt::format("Did you mean '{}'?", branch));
  }
}

/// Words that are neither a variable of the template nor a method that templates have.
void Walker::check_template_names(const RepositoryFile& file, std::span<const RubyToken> tokens) {
  RubyNames names(true);
  names.read(tokens);
  const auto unknown = names.unknown(tokens);
  const bool rendered = template_uses_.contains(file.path); // else what renders it may have more
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RubyToken& t = tokens[i];
    if (t.kind != RubyTokenKind::Variable || t.text.size() < 3 || t.text[0] != '$' || t.text[1] < 'a' || t.text[1] > 'z' ||
        one_of("$stdout|$stderr|$stdin", t.text) || (i + 1 < tokens.size() && sets_name(tokens[i + 1])))
      continue;
    findings_.add(CheckCode::template_variable, file.shown, t.line, 0, fmt::format("'{}' is a global variable of Ruby, and nil", t.text),
                  fmt::format("Write @{}.", t.text.substr(1)));
  }
  for (const RubyNames::Unknown& u : unknown) {
    if (!near_branch(u.name).empty() || (u.meant.empty() && (names.open() || (!rendered && unknown.size() > 2)))) continue;
    const bool sets = set_in_module(program_.module_of(file.path), u.name);
    findings_.add(CheckCode::no_such_function, file.shown, u.line, 0, unknown_in_template(u), suggested_in_template(u, sets),
                  u.meant.empty() && !rendered ? std::optional(Severity::Warning) : std::nullopt);
  }
}

/// A template that another one renders by its name.
void Walker::check_rendered(const RepositoryFile& file, uint32_t line, std::string_view name) {
  if (name.empty() || !file_missing(ModuleFileKind::Templates, name, true)) return;
  const size_t slash = name.find('/');
  findings_.add(CheckCode::no_such_file, file.shown, line, 0,
                fmt::format("The module '{}' has no template '{}'", name.substr(0, slash), name.substr(slash + 1)));
}

/// A method that no value has, and that is nearly one that texts, numbers, arrays or hashes have.
void Walker::check_template_method(const RepositoryFile& file, std::span<const RubyToken> tokens, size_t i) {
  const std::string_view name = tokens[i].text, meant = near_ruby_method(name);
  if (meant.empty()) return;
  for (size_t k = 1; k < tokens.size(); ++k) // a method that the template defines
    if (tokens[k].text == name && is_keyword(tokens[k - 1], "def")) return;
  findings_.add(CheckCode::no_such_function, file.shown, tokens[i].line, 0, fmt::format("No value has a method '{}'", name),
                fmt::format("Did you mean '{}'?", meant));
}

/// A function that a template calls; `of_scope`: by way of its scope, without which it is a method that templates do not have.
void Walker::check_template_function(const RepositoryFile& file, uint32_t line, std::string_view name, bool of_scope) {
  const auto told = [&](std::string message, std::string suggestion) {
    findings_.add(CheckCode::no_such_function, file.shown, line, 0, std::move(message), std::move(suggestion));
  };
  const Callee& c = callee(intern(name));
  const bool known = c.own != nullptr || c.broken || c.builtin != nullptr || c.elsewhere;
  if (c.elsewhere && c.own == nullptr && !c.broken && is_statement(name) && written_by_template(file, name))
    return told(fmt::format("The function '{}' is a statement: it has no value", name), "Give it type: :rvalue.");
  if (!of_scope)
    return told(fmt::format("A template has no method 'function_{}'", name), fmt::format("Write scope.call_function('{}', [...]).", name));
  if (known || program_.may_exist(name, program_.module_of(file.path)) != Known::No) return;
  std::vector<std::string_view> names;
  for (const FunctionEntry* f : program_.functions().entries())
    if (f->module.empty() || program_.environment().find_module(f->module) != nullptr) names.push_back(f->name);
  for (Symbol own_name : program_.own(NodeKind::FunctionDef)) names.push_back(own_name.str());
  told(fmt::format("There is no function '{}'", name), did_you_mean(name, names));
}

/// Whether the template writes what the function gives: <%= scope.function_x([…]) %>.
bool Walker::written_by_template(const RepositoryFile& file, std::string_view function) {
  const auto text = program_.environment().read_file(file.path);
  for (size_t at = 0; text && (at = text->find("<%=", at)) != std::string::npos;) {
    const std::string_view code = trimmed(std::string_view(*text).substr(at += 3));
    if (code.starts_with(fmt::format("scope.function_{}(", function))) return true;
    for (std::string_view quote : {"'", "\"", ":"})
      if (code.starts_with(fmt::format("scope.call_function({}{}", quote, function))) return true;
  }
  return false;
}

/// scope['a::b'].
void Walker::check_template_scope(const RepositoryFile& file, uint32_t line, std::string_view name) {
  name = without_leading_colons(name);
  const Module* module = program_.module_of(file.path);
  const size_t cut = name.rfind("::");
  if (cut == std::string_view::npos) {
    if (const Symbol s = find_symbol(name); modern_fact(name).empty() || program_.custom_facts().contains(std::string(name)) ||
                                            (s && program_.top_variables().contains(s.id)) || set_in_module(module, name))
      return;
    return told_of_legacy_fact(name, module, [&](std::string message, std::string suggestion, std::optional<Severity> severity) {
      findings_.add(CheckCode::legacy_fact, file.shown, line, 0, std::move(message), std::move(suggestion), severity);
    });
  }
  if (cut == 0) return;
  read_in_templates_.emplace(name);
  const std::string_view scope = name.substr(0, cut), variable = name.substr(cut + 2);
  if (scope == "settings") return;
  bool broken = false;
  const DefinitionEntry* entry = program_.find_class(intern(scope), &broken);
  if (broken) return;
  const auto told = [&](std::string message, std::string suggestion) {
    findings_.add(CheckCode::unset_class_variable, file.shown, line, 0, std::move(message), std::move(suggestion));
  };
  if (entry == nullptr) {
    if (program_.environment().find_module(scope.substr(0, scope.find("::"))) != nullptr && program_.may_exist(scope) == Known::No &&
        program_.find_define(intern(scope)) == nullptr)
      told(fmt::format("There is no class '{}' for the variable '{}'", scope, name), program_.suggestion(NodeKind::ClassDef, scope));
    return;
  }
  static constexpr std::string_view given[] = {"title", "name", "module_name", "caller_module_name"};
  const Symbol wanted = find_symbol(variable);
  if (std::find(std::begin(given), std::end(given), variable) != std::end(given)) return;
  std::vector<std::string_view> names;
  const Definition* d = entry->definition;
  for (int depth = 0; depth < 32; ++depth) {
    if (wanted && slot_in(d->layout, wanted) >= 0) return;
    if (d->layout != nullptr)
      for (Symbol s : d->layout->names) names.push_back(s.str());
    if (d->kind != NodeKind::ClassDef || !d->as<ClassDef>().parent) break;
    const DefinitionEntry* parent = program_.find_class(d->as<ClassDef>().parent);
    if (parent == nullptr) return;
    d = parent->definition;
  }
  told(fmt::format("The class '{}' sets no variable '{}'", scope, variable), did_you_mean(variable, names));
}

/// The variables that the module's classes, defined types and functions set anywhere.
const std::unordered_set<uint32_t>& Walker::variables_of_module(const Module* module) {
  const auto [at, fresh] = module_variables_.try_emplace(module);
  std::unordered_set<uint32_t>& names = at->second;
  if (!fresh) return names;
  const auto add = [&](const FrameLayout* layout) {
    if (layout != nullptr)
      for (Symbol s : layout->names) names.insert(s.id);
  };
  const auto take = [&](auto&& self, const Node* n) -> void {
    if (n->kind == NodeKind::Lambda) add(n->as<Lambda>().layout);
    for_each_child(*n, [&](const Node* child) { self(self, child); });
  };
  for (const AnalysedFile& file : program_.files()) {
    if (file.module != module || !file.parsed || file.epp) continue;
    for (const Node* node : file.parsed->definitions) {
      if (node->kind != NodeKind::ClassDef && node->kind != NodeKind::DefineDef && node->kind != NodeKind::FunctionDef) continue;
      const auto* d = static_cast<const Definition*>(node);
      add(d->layout);
      take(take, d);
    }
  }
  return names;
}

bool Walker::set_in_module(const Module* module, std::string_view variable) {
  const Symbol name = find_symbol(variable);
  return module != nullptr && name && variables_of_module(module).contains(name.id);
}

void Walker::check_template_variables(const std::vector<RepositoryFile>& files) {
  for (const RepositoryFile& file : files)
    if (file.kind == FileKind::Erb) check_template_variables(file);
}

namespace {

/// Whether the code has a block's parameter or a variable of its own with this name: the @ before it is a slip.
bool is_local(std::string_view code, std::string_view name) {
  const RubyTokens ruby = ruby_tokens(code);
  const auto& tokens = ruby.tokens;
  for (size_t i = 1; i + 1 < tokens.size(); ++i)
    if (tokens[i].kind == RubyTokenKind::Identifier && tokens[i].text == name && (is_op(tokens[i - 1], '|') || is_op(tokens[i - 1], ',')) &&
        (is_op(tokens[i + 1], '|') || is_op(tokens[i + 1], ',')))
      return true;
  return false;
}

} // namespace

/// Whether any template sees a variable of the name: a fact, what the top scope or nodes set, what each scope has.
bool Walker::seen_by_all_templates(std::string_view name) {
  static constexpr std::string_view given[] = {"title", "name", "module_name", "caller_module_name"};
  const Symbol symbol = find_symbol(name);
  return (symbol && program_.top_variables().contains(symbol.id)) || (is_known_fact(name) && modern_fact(name).empty()) ||
         program_.custom_facts().contains(std::string(name)) || name.starts_with('_') || program_.in_broken(name) ||
         std::find(std::begin(given), std::end(given), name) != std::end(given);
}

/// The variables that a text of ERB reads, which this code renders: what it sees is known.
void Walker::check_inline_variables(const Node& at, const std::string& code) {
  TemplateUse use;
  add_visible(use);
  if (use.anything) return;
  std::vector<TemplateRead> reads;
  std::set<std::string, std::less<>> assigned, told;
  reads_of(code, 1, reads, assigned);
  std::vector<std::string_view> names;
  for (uint32_t id : use.names) names.push_back(Symbol{id}.str());
  std::ranges::sort(names);
  for (const TemplateRead& read : reads) {
    const bool seen = std::ranges::binary_search(names, std::string_view(read.name)) || assigned.contains(read.name);
    if (seen || seen_by_all_templates(read.name) || !modern_fact(read.name).empty() || !told.insert(read.name).second) continue;
    const std::string suggestion = read.name.size() < 3 ? std::string() : did_you_mean(read.name, names);
    // Something outside, such as an ENC, may set any other.
    if (suggestion.empty() && !set_in_module(module_, read.name)) continue;
    report(CheckCode::template_variable, at,
           fmt::format("Nothing sets the variable '{}' where the template is rendered: it is nil", read.name), suggestion);
  }
}

/// Where all places that render the template are known, what it reads must be set there. Of others only what is nearly a variable of its
/// module is told, and that no code of the module sets.
void Walker::check_template_variables(const RepositoryFile& file) {
  const auto& custom = program_.custom_facts();
  const Module* module = program_.module_of(file.path);
  const auto use = template_uses_.find(file.path);
  const bool visible = use != template_uses_.end() && !use->second.anything; // what it sees is known
  if (!visible && module == nullptr) return;
  const bool elsewhere = dynamic_templates_.contains("") || (module != nullptr && dynamic_templates_.contains(module->name));
  const bool sure = visible && !elsewhere && !custom.contains("*");
  static const std::vector<uint32_t> none;
  if (visible) {
    auto& names = use->second.names;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  const std::vector<uint32_t>& seen = visible ? use->second.names : none;
  const auto text = program_.environment().read_file(file.path);
  if (!text || text->size() > (1u << 20)) return;
  auto known = [&](std::string_view name) {
    const Symbol symbol = find_symbol(name);
    return (symbol && std::binary_search(seen.begin(), seen.end(), symbol.id)) || seen_by_all_templates(name);
  };
  if (!names_another(*text, [&](std::string_view name) { return known(name) || (!visible && set_in_module(module, name)); })) return;
  const std::string code = code_of(*text);
  std::vector<TemplateRead> reads;
  std::set<std::string, std::less<>> assigned;
  reads_of(code, 1, reads, assigned);
  std::erase_if(reads, [&](const TemplateRead& read) { return assigned.contains(read.name) || known(read.name); });
  std::set<std::string, std::less<>> legacy;
  std::erase_if(reads, [&](const TemplateRead& read) {
    if (modern_fact(read.name).empty()) return false;
    if (!(!visible && set_in_module(module, read.name)) && legacy.insert(read.name).second)
      told_of_legacy_fact(read.name, module, [&](std::string message, std::string suggestion, std::optional<Severity> severity) {
        findings_.add(CheckCode::legacy_fact, file.shown, read.line, 0, std::move(message), std::move(suggestion), severity);
      });
    return true;
  });
  if (!visible) {
    std::erase_if(reads, [&](const TemplateRead& read) { return set_in_module(module, read.name); });
    // Where several are unknown, something else renders the template.
    if (std::ranges::any_of(reads, [&](const TemplateRead& read) { return read.name.size() < 4 || read.name != reads.front().name; }))
      return;
  }
  std::set<std::string> told;
  for (const TemplateRead& read : reads) {
    if (!told.insert(read.name).second) continue;
    std::vector<std::string_view> names;
    if (visible) {
      for (uint32_t id : seen) names.push_back(Symbol{id}.str());
      std::sort(names.begin(), names.end());
      if (read.name == "fact") names.emplace_back("facts");
    } else {
      for (uint32_t id : variables_of_module(module))
        if (const std::string_view name = Symbol{id}.str(); one_slip_apart(read.name, name) || read.name == std::string(name) + "s")
          names.push_back(name);
      std::sort(names.begin(), names.end());
    }
    std::string suggestion = did_you_mean(read.name, names);
    if (!visible && suggestion.empty()) continue;
    // The template may test for nil on purpose: report more than a hint only for a likely typing error, and for a name that no code has.
    // What asks whether there is one is no slip; nor is a name that the template has as a text.
    const bool unasked = sure && set_in_module(module, read.name) && code.find(fmt::format("'{}'", read.name)) == std::string::npos &&
                         code.find(fmt::format("\"{}\"", read.name)) == std::string::npos &&
                         code.find(":" + read.name) == std::string::npos &&
                         std::ranges::all_of(reads, [&](const TemplateRead& r) { return r.name != read.name || r.plain; });
    const bool slip = unasked || (!suggestion.empty() && (sure || !set_in_module(module, read.name))) ||
                      (visible && !elsewhere && (is_local(code, read.name) || (sure && !find_symbol(read.name))));
    findings_.add(CheckCode::template_variable, file.shown, read.line, 0,
                  visible ? fmt::format("Nothing sets the variable '{}' where the template is rendered: it is nil", read.name)
                          : fmt::format("Nothing in the module sets the variable '{}'", read.name),
                  std::move(suggestion), slip ? std::nullopt : std::optional(Severity::Hint));
  }
}

} // namespace pupc::compiler
