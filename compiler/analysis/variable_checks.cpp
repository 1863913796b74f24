// Checks variables: never set, set twice, read before they are set, unused; variables of other classes; legacy facts.
//   Puppet looks a simple name up in the body, outward through lambdas, then in the inherited class, the node, the top scope and the facts.
#include "compiler/analysis/walker.h"

#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_metaparameter_variable(Symbol s) {
  static constexpr Symbol names[] = {sym::alias,
                                     sym::audit,
                                     sym::before,
                                     sym::consume,
                                     sym::export_,
                                     sym::loglevel,
                                     sym::noop,
                                     sym::notify,
                                     sym::require,
                                     sym::schedule,
                                     sym::stage,
                                     sym::subscribe,
                                     sym::tag,
                                     sym::title,
                                     sym::name,
                                     sym::module_name,
                                     sym::caller_module_name};
  return std::find(std::begin(names), std::end(names), s) != std::end(names);
}

std::string_view display(Symbol name) { return name.str(); }

/// A key that stands in the code: ['os'], [os]. Nothing for one that is computed.
std::optional<std::string_view> written_key(const Node& key) {
  if (key.kind == NodeKind::Name) return key.as<Name>().name.str();
  if (key.kind != NodeKind::Literal || !key.as<Literal>().value.is_string()) return std::nullopt;
  return key.as<Literal>().value.str();
}

} // namespace

/// Whether the scopes around the body have the variable: an inherited class, nodes, the top scope, facts. `sure` becomes false when
/// something unknown may set it.
bool Walker::found_outside(const Variable& v, const Body& body, bool& sure) {
  sure = true;
  const Body* outermost = &body;
  while (outermost->outer != nullptr) outermost = outermost->outer;
  const Definition* d = outermost->definition;
  for (int depth = 0; d != nullptr && d->kind == NodeKind::ClassDef && d->as<ClassDef>().parent && depth < 32; ++depth) {
    const DefinitionEntry* parent = program_.find_class(d->as<ClassDef>().parent);
    if (parent == nullptr) {
      sure = false;
      return false;
    }
    d = parent->definition;
    if (slot_in(d->layout, v.base) >= 0) return true;
  }
  if (v.base == sym::module_name || v.base == sym::caller_module_name) return true;
  const auto& custom = program_.custom_facts();
  const bool found = top_names_.ask(v.base, [&] {
    const std::string name(v.base.str());
    return program_.top_variables().contains(v.base.id) || program_.in_broken(name) || is_known_fact(name) ||
           (program_.top_scope() && program_.top_scope()->contains(name)) || custom.contains(name);
  });
  // "*" stands for custom facts whose names are computed at run time: they may have any name.
  if (!found && custom.contains("*")) sure = false;
  return found;
}

void Walker::check_variable(const Variable& v) {
  if (inline_text_) return;
  switch (v.form()) {
  case Variable::Form::Numeric: return;
  case Variable::Form::Qualified: return check_qualified(v);
  case Variable::Form::Top: return check_top_variable(v);
  case Variable::Form::Simple: break;
  }
  if (body_ == nullptr) return;
  bool local = false;
  for (Body* b = body_; b != nullptr; b = b->outer) {
    const int slot = b->slot_of(v);
    if (slot < 0 || static_cast<size_t>(slot) >= b->slots.size()) continue;
    Body::Slot& state = b->slots[static_cast<size_t>(slot)];
    state.read = true;
    local = true;
    if (state.set == Set::maybe && b == body_) check_sometimes_unset(v, *b, state);
    if (state.set != Set::unset || b->dead) return;
  }
  Body* outermost = body_;
  while (outermost->outer != nullptr) outermost = outermost->outer;
  bool sure = true;
  if (found_outside(v, *body_, sure)) {
    // A template without parameters gets what its calls give it.
    const bool given = outermost->kind == Body::Kind::Template && outermost->opaque;
    if (!given) check_legacy_fact(v);
    return;
  }
  if (outermost->kind == Body::Kind::Template && outermost->opaque) { // what it sees depends on its calls
    if (!local && file_->epp) epp_reads_.push_back({v.base, source_, v.offset, v.length, module_});
    return;
  }
  if (outermost->kind == Body::Kind::Top && file_->module == nullptr && !program_.whole()) return;
  if (local) {
    const bool parameter = std::any_of(body_->parameters.begin(), body_->parameters.end(),
                                       [&](const Parameter& p) { return p.name == v.base; });
    report(CheckCode::read_before_set, v, fmt::format("The variable '{}' is read here and set only later", display(v.base)),
           parameter ? "A parameter's default sees only the parameters before it." : "");
    return;
  }
  std::vector<std::string_view> names;
  for (Body* b = body_; b != nullptr; b = b->outer)
    if (b->layout != nullptr)
      for (Symbol s : b->layout->names)
        if (!is_metaparameter_variable(s)) names.push_back(s.str());
  std::string suggestion = did_you_mean(v.base.str(), names);
  // An external classifier or a fact of the machine may set the variable, unless it is said what does. A name close to another is probably
  // a typing error.
  std::optional<Severity> severity;
  const bool certain = sure && (!suggestion.empty() || program_.top_scope().has_value());
  if (!certain) severity = sure || !suggestion.empty() || program_.whole() ? Severity::Warning : Severity::Hint;
  report(CheckCode::unset_variable, v, fmt::format("Nothing sets the variable '{}'", display(v.base)), std::move(suggestion), severity);
}

/// A variable that only some branches above set, where the body reads it always. It is told once.
void Walker::check_sometimes_unset(const Variable& v, const Body& body, Body::Slot& state) {
  if (body.branches > 0 || body.dead || body.may_leave || is_metaparameter_variable(v.base)) return;
  if (body.kind != Body::Kind::Class && body.kind != Body::Kind::Define && body.kind != Body::Kind::Function) return;
  bool sure = true;
  if (found_outside(v, body, sure)) return;
  state.set = Set::definite;
  // Branches that list what may be, without an else, seem to be all that may be.
  report(CheckCode::sometimes_unset, v, fmt::format("Not every branch above sets the variable '{}'", display(v.base)),
         "Set it in each, if only to undef.", state.lacking ? std::nullopt : std::optional(Severity::Hint));
}

/// Variables that a class sets in all branches but one, which sets the others.
void Walker::note_sometimes_set(const Body& body) {
  if (body.may_leave || body.dead || body.layout == nullptr) return;
  for (size_t slot = body.parameters.size(); slot < body.slots.size(); ++slot) {
    if (body.slots[slot].set == Set::maybe && body.slots[slot].forgotten_at != 0)
      sometimes_set_.try_emplace({lower_symbol(body.definition->name).id, body.layout->names[slot].id},
                                 ForgottenVariable{source_, body.slots[slot].forgotten_at});
  }
}

/// $::name: what the main manifests, facts, a classifier or Puppet itself set.
void Walker::check_top_variable(const Variable& v) {
  static constexpr std::string_view of_puppet[] = {
      "facts",      "trusted",       "server_facts", "settings",           "environment",
      "servername", "serverip",      "serverip6",    "serverversion",      "clientcert",
      "clientnoop", "clientversion", "module_name",  "caller_module_name", "agent_specified_environment"};
  bool sure = true;
  static const Body nowhere{};
  if (found_outside(v, nowhere, sure)) return check_legacy_fact(v);
  const std::string_view near = program_.near_custom_fact(v.base.str());
  if (!program_.whole() && near.empty()) return;
  if (std::find(std::begin(of_puppet), std::end(of_puppet), v.base.str()) != std::end(of_puppet)) return;
  report(CheckCode::unset_variable, v, fmt::format("Nothing sets the variable '::{}'", display(v.base)),
         near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near),
         sure && program_.top_scope() ? std::nullopt : std::optional(Severity::Warning));
}

void Walker::check_qualified(const Variable& v) {
  if (!v.scope || v.scope == sym::settings || settings_.ask(v.name, [&] { return v.name.str().starts_with("::settings"); })) return;
  const std::string_view scope = v.scope.str();
  bool broken = false;
  const DefinitionEntry* entry = program_.find_class(v.scope, &broken);
  if (broken) return;
  if (entry == nullptr) {
    if (program_.defines(NodeKind::ClassDef, v.scope)) return;
    if (program_.find_define(v.scope) != nullptr || note_missing_module(v, scope)) return;
    if (program_.may_exist(scope) != Known::No) return;
    report(CheckCode::unset_class_variable, v, fmt::format("There is no class '{}' for the variable '{}'", scope, v.name.str()),
           program_.suggestion(NodeKind::ClassDef, scope));
    return;
  }
  class_variables_.push_back({entry->definition->name, v.name, source_, v.offset, v.length, body_ ? body_->number : 0, conditional_ > 0,
                              body_ == nullptr || body_->definition == entry->definition || body_->kind == Body::Kind::Template,
                              body_ != nullptr && body_->kind == Body::Kind::Class ? body_->definition->name : Symbol{}, 0, module_, unit_,
                              in_default_});
  if (is_metaparameter_variable(v.base)) return;
  const Definition* d = entry->definition;
  for (int depth = 0; depth < 32; ++depth) {
    if (slot_in(d->layout, v.base) >= 0) return;
    if (d->kind != NodeKind::ClassDef || !d->as<ClassDef>().parent) break;
    const DefinitionEntry* parent = program_.find_class(d->as<ClassDef>().parent);
    if (parent == nullptr) return;
    d = parent->definition;
  }
  std::vector<std::string_view> names;
  d = entry->definition;
  for (int depth = 0; depth < 32; ++depth) {
    if (d->layout != nullptr)
      for (Symbol s : d->layout->names)
        if (!is_metaparameter_variable(s)) names.push_back(s.str());
    if (d->kind != NodeKind::ClassDef || !d->as<ClassDef>().parent) break;
    d = program_.find_class(d->as<ClassDef>().parent)->definition;
  }
  report(CheckCode::unset_class_variable, v, fmt::format("The class '{}' sets no variable '{}'", scope, v.base.str()),
         did_you_mean(v.base.str(), names));
}

/// [$a, $b] = …: as many variables as there are values.
void Walker::check_spread(const Binary& b) {
  const auto wanted = static_cast<int64_t>(b.left->as<ListLiteral>().elements.size);
  const Node* right = unparenthesised(b.right);
  int64_t given = -1;
  if (const StaticValue v = static_value(right); v.known && v.value.is_list()) {
    given = static_cast<int64_t>(v.value.items().size());
  } else if (right->kind == NodeKind::ListLiteral) {
    const auto& elements = right->as<ListLiteral>().elements;
    if (std::ranges::none_of(elements, [](const Node* n) { return n->kind == NodeKind::Unfold; })) given = elements.size;
  } else if (const Type* type = bare_type(declared_type(right)); type != nullptr && type->kind == TypeKind::Tuple) {
    const Range& size = type_cast<TupleType>(type).size;
    if (!size.contains(wanted)) given = size.from;
  }
  if (given < 0 || given == wanted) return;
  report(CheckCode::operand_type, b, fmt::format("There are {} variables for {} values", wanted, given));
}

/// Whether the expression is a call of Deferred, or a variable that holds one.
bool Walker::is_deferred(const Node* n) {
  n = unparenthesised(n);
  if (n->kind == NodeKind::Variable && body_ != nullptr) {
    const auto& v = n->as<Variable>();
    if (v.form() != Variable::Form::Simple || v.up != 0 || v.slot == Variable::no_slot || v.slot >= body_->slots.size()) return false;
    const auto assignments = assignments_of(*body_, v.slot);
    if (assignments.size() != 1 || assignments[0].assignment->left->kind != NodeKind::Variable) return false;
    n = unparenthesised(assignments[0].assignment->right);
  }
  const Node* made = n->kind == NodeKind::Call ? n->as<Call>().functor : nullptr;
  return made != nullptr && made->kind == NodeKind::Reference && made->as<Reference>().name.str() == "deferred";
}

void Walker::assign(const Node& target, const Binary& b) {
  if (target.kind == NodeKind::ListLiteral) {
    for (const Node* element : target.as<ListLiteral>().elements) assign(*element, b);
    return;
  }
  if (target.kind != NodeKind::Variable || body_ == nullptr || body_->layout == nullptr) return;
  const auto& v = target.as<Variable>();
  const int slot = body_->slot_of(v);
  if (v.form() != Variable::Form::Simple || slot < 0) return;
  if (body_->slots[static_cast<size_t>(slot)].set == Set::definite && !body_->dead) {
    const bool parameter = std::any_of(body_->parameters.begin(), body_->parameters.end(),
                                       [&](const Parameter& p) { return p.name == v.base; });
    report(CheckCode::reassigned_variable, target,
           parameter ? fmt::format("'{}' is a parameter: it cannot be set again", display(v.base))
                     : fmt::format("The variable '{}' is set a second time", display(v.base)),
           "Variables never change; use another name.");
  }
  body_->set(static_cast<size_t>(slot), Set::definite);
}

/// `$x = $names.each |$n| { "a${n}" }`: what the block gives is lost.
void Walker::check_assigned_each(const Node& value) {
  const Node* n = unparenthesised(&value);
  const Node* name = n->kind == NodeKind::Call         ? n->as<Call>().functor
                     : n->kind == NodeKind::MethodCall ? n->as<MethodCall>().name
                                                       : nullptr;
  if (name == nullptr || name->kind != NodeKind::Name || name->as<Name>().name.str() != "each") return;
  const Lambda* lambda = n->kind == NodeKind::Call ? n->as<Call>().lambda : n->as<MethodCall>().lambda;
  if (lambda == nullptr || lambda->body == nullptr || lambda->body->statements.size == 0) return;
  const NodeKind last = lambda->body->statements[lambda->body->statements.size - 1]->kind;
  if (last == NodeKind::Interpolation || last == NodeKind::Literal || last == NodeKind::Variable || last == NodeKind::HashLiteral ||
      last == NodeKind::ListLiteral)
    report(CheckCode::unreachable_code, *name, "'each' gives back what it was given: what the block makes is lost", "Write map.");
}

void Walker::check_assignment(const Binary& b) {
  check_used(b.right);
  walk(b.right);
  if (b.left->kind == NodeKind::Variable && is_reserved_variable(b.left->as<Variable>().base))
    report(CheckCode::reassigned_variable, *b.left, fmt::format("The variable '{}' is Puppet's own", b.left->as<Variable>().base.str()));
  if (b.left->kind != NodeKind::Variable && b.left->kind != NodeKind::ListLiteral) walk(b.left);
  check_template_text(b.right);
  check_assigned_each(*b.right);
  if (b.left->kind == NodeKind::ListLiteral) check_spread(b);
  assign(*b.left, b);
}

/// Reports variables that a body sets and nothing reads. Any code can read a class's variables, and templates read variables by name.
void Walker::check_unused(Body& body) {
  if (body.layout == nullptr || body.opaque || body.kind == Body::Kind::Top || body.kind == Body::Kind::Node) return;
  if (body.kind == Body::Kind::Class) return note_unused_class_variables(body);
  if (body.kind == Body::Kind::Template) return;
  for (size_t slot = 0; slot < body.slots.size(); ++slot) {
    if (body.slots[slot].read) continue;
    const auto assignments = assignments_of(body, slot);
    if (assignments.empty()) continue;
    const std::string_view name = body.layout->names[slot].str();
    if (name.starts_with('_')) continue;
    const Node* target = assignments.front().assignment->left;
    if (target->kind != NodeKind::Variable) continue; // one of several variables that a list assignment sets
    report(CheckCode::unused_variable, *target, fmt::format("Nothing reads the variable '{}'", name),
           "A name with a leading _ says that this is meant.");
  }
  if (body.kind != Body::Kind::Define && body.kind != Body::Kind::Function) return;
  for (const Parameter& p : body.parameters) {
    const int slot = body.layout->find(p.name);
    if (slot < 0 || body.slots[static_cast<size_t>(slot)].read || p.name.str().starts_with('_')) continue;
    report_at(CheckCode::unused_parameter, p.offset, p.length, fmt::format("Nothing reads the parameter '{}'", p.name.str()));
  }
}

/// `$facts['osfamily']`: the flat facts of old are not in the hash either, unless a module brings one of that name.
void Walker::check_fact_key(const Access& access) {
  const Variable& facts = access.left->as<Variable>();
  if (facts.form() == Variable::Form::Qualified || access.keys.size == 0) return;
  const Node* key = access.keys[0];
  const auto written = written_key(*key);
  if (!written) return;
  const std::string_view name = *written;
  if (!modern_fact(name).empty() && !program_.custom_facts().contains(std::string(name))) return report_legacy_fact(*key, name);
  check_fact_dots(*key, name);
  check_fact_path({{std::string(name)}}, *key);
}

/// `$facts['os']['famly']`: each of its accesses is checked with the keys before it.
void Walker::check_fact_keys(const Access& access) {
  std::vector<std::string> path;
  const Node* n = &access;
  for (int depth = 0; n->kind == NodeKind::Access && depth < 8; ++depth, n = n->as<Access>().left) {
    const auto& keys = n->as<Access>().keys;
    const auto key = keys.size == 1 ? written_key(*keys[0]) : std::nullopt;
    if (!key) return;
    path.insert(path.begin(), std::string(*key));
  }
  if (n->kind != NodeKind::Variable || path.size() < 1) return;
  const auto& v = n->as<Variable>();
  if (const std::string_view hash = v.base.str();
      (hash == "trusted" || hash == "server_facts") && v.form() != Variable::Form::Qualified && path.size() == 1) {
    const auto known = hash == "trusted" ? trusted_keys() : server_fact_keys();
    if (std::find(known.begin(), known.end(), path[0]) == known.end())
      report(CheckCode::unknown_fact_key, *access.keys[0], fmt::format("'{}' has no key '{}'", hash, path[0]),
             did_you_mean(path[0], {known.begin(), known.end()}));
    return;
  }
  if (v.base.str() != "facts") {
    // $os['famly']: a fact of top scope, unless the body has a variable of that name
    if (v.form() == Variable::Form::Qualified || (v.form() == Variable::Form::Simple && v.slot != Variable::no_slot)) return;
    for (Body* b = body_; b != nullptr; b = b->outer)
      if (slot_in(b->layout, v.base) >= 0) return;
    path.insert(path.begin(), std::string(v.base.str()));
  }
  if (path.size() > 1) check_fact_path(path, *access.keys[0]);
}

void Walker::check_fact_path(std::span<const std::string> path, const Node& at) {
  const std::string& key = path.back();
  const auto& custom = program_.custom_facts();
  if (custom.contains(path[0])) return;
  if (path.size() == 1) {
    // Any name may be a fact of the site: only what is nearly the name of one of a module's or of Facter's is told.
    if (const std::string_view near = program_.near_custom_fact(key); !near.empty())
      return report(CheckCode::unknown_fact_key, at, fmt::format("There is no fact '{}'", key), fmt::format("Did you mean '{}'?", near));
    if (is_known_fact(key)) return;
    if (custom.contains("*") || key.size() < 4) return;
    const auto names = fact_names();
    const std::string similar = did_you_mean(key, {names.begin(), names.end()});
    const bool slip = std::ranges::any_of(names, [&](std::string_view name) {
      return one_slip_apart(key, name) || (key.size() > 4 && (name == key + "s" || key == std::string(name) + "s"));
    });
    if (!similar.empty())
      report(CheckCode::unknown_fact_key, at, fmt::format("There is no fact '{}'", key), similar,
             slip ? Severity::Warning : Severity::Hint);
    return;
  }
  std::string parent = path[0];
  for (size_t i = 1; i + 1 < path.size(); ++i) parent += "." + path[i];
  const auto keys = fact_keys(parent);
  if (keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end()) return;
  const std::string similar = did_you_mean(key, {keys.begin(), keys.end()});
  report(CheckCode::unknown_fact_key, at, fmt::format("The fact '{}' has no key '{}'", parent, key), similar,
         similar.empty() ? std::optional(Severity::Hint) : std::nullopt);
}

/// $facts.get('os.famly'), $facts.dig('os', 'famly'), fact('os.famly').
void Walker::check_fact_call(std::string_view function, Arguments arguments) {
  const bool of_facts = function != "fact";
  if (arguments.size() < (of_facts ? 2U : 1U)) return;
  if (of_facts && (arguments[0]->kind != NodeKind::Variable || arguments[0]->as<Variable>().base.str() != "facts")) return;
  std::vector<std::string> path;
  const size_t first = of_facts ? 1 : 0, last = function == "dig" ? arguments.size() : first + 1;
  for (size_t i = first; i < last; ++i) {
    const Node* n = arguments[i];
    if (n->kind != NodeKind::Literal || !n->as<Literal>().value.is_string()) return;
    std::string_view text = n->as<Literal>().value.str();
    if (text.find_first_of("'\"") != std::string_view::npos) return;
    while (!text.empty()) {
      const size_t dot = function == "dig" ? text.size() : std::min(text.find('.'), text.size());
      path.emplace_back(text.substr(0, dot));
      text.remove_prefix(std::min(dot + 1, text.size()));
      check_fact_path(path, *n);
    }
  }
}

void Walker::check_legacy_fact(const Variable& v) {
  if (!legacy_facts_.ask(v.base, [&] {
        return !modern_fact(v.base.str()).empty() && !program_.in_broken(v.base.str()) && !program_.top_variables().contains(v.base.id);
      }))
    return;
  report_legacy_fact(v, v.base.str());
}

void Walker::report_legacy_fact(const Node& at, std::string_view name) {
  told_of_legacy_fact(name, module_, [&](std::string message, std::string suggestion, std::optional<Severity> severity) {
    report(CheckCode::legacy_fact, at, std::move(message), std::move(suggestion), severity);
  });
}

void Walker::told_of_legacy_fact(std::string_view name, const Module* module,
                                 const std::function<void(std::string, std::string, std::optional<Severity>)>& told) {
  const std::string_view modern = modern_fact(name);
  // A module may be meant for older versions of Puppet alone, where legacy facts are fine: give it just a hint.
  const std::optional<Severity> severity = module != nullptr && !program_.is_for_puppet_8(*module) ? std::optional(Severity::Hint)
                                                                                                   : std::nullopt;
  if (severity && !findings_.hints()) return findings_.dropped();
  std::string path;
  for (size_t begin = 0; begin < modern.size();) {
    const size_t end = std::min(modern.find('.', begin), modern.size());
    path += fmt::format("['{}']", modern.substr(begin, end - begin));
    begin = end + 1;
  }
  told(fmt::format("The legacy fact '{}' is not there in Puppet 8", name), fmt::format("Use $facts{}.", path), severity);
}

} // namespace pupc::compiler
