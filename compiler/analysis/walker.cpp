#include "compiler/analysis/walker.h"
#include "compiler/analysis/trial/trial.h"

#include "compiler/analysis/ruby/ruby_code_checks.h"
#include "compiler/types/mismatch.h"

#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/base/stack_memory.h"
#include "catalog/schema/metaparameters.h"
#include "compiler/analysis/analysis.h"
#include "compiler/ast/children.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// False for expressions whose value certainly has no attributes.
bool may_be_object(const Node& node) {
  switch (node.kind) {
  case NodeKind::Literal:
  case NodeKind::RegexLiteral:
  case NodeKind::Name:
  case NodeKind::Interpolation:
  case NodeKind::Heredoc:
  case NodeKind::ListLiteral:
  case NodeKind::HashLiteral:
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Not:
  case NodeKind::Minus: return false;
  case NodeKind::Parenthesized: return may_be_object(*node.as<Unary>().operand);
  default: return true;
  }
}

/// Whether a condition asks what is declared.
bool calls_defined(const Node& n, int depth = 0) {
  if (depth > 20) return false;
  const Node* name = n.kind == NodeKind::Call ? n.as<Call>().functor : n.kind == NodeKind::MethodCall ? n.as<MethodCall>().name : nullptr;
  if (name != nullptr && name->kind == NodeKind::Name && name->as<Name>().name.str().starts_with("defined")) return true;
  bool found = false;
  for_each_child(n, [&](const Node* child) { found = found || calls_defined(*child, depth + 1); });
  return found;
}

/// Whether the function calls its block with each element.
bool iterates(std::string_view function) {
  return function == "each" || function == "map" || function == "filter" || function == "reverse_each";
}

} // namespace

/// Variables that Puppet sets: those of each class, define and node, and the metaparameters that somebody gives.
Walker::Set Walker::set_by_puppet(Symbol name) {
  static constexpr auto table = [] {
    std::array<Set, sym::well_known_count> out{};
    for (Symbol s : {sym::title, sym::name, sym::module_name, sym::caller_module_name}) out[s.id] = Set::definite;
    for (Symbol s : {sym::alias, sym::audit, sym::before, sym::consume, sym::export_, sym::loglevel, sym::noop, sym::notify, sym::require,
                     sym::schedule, sym::stage, sym::subscribe, sym::tag})
      out[s.id] = Set::maybe;
    return out;
  }();
  return name.id < table.size() ? table[name.id] : Set::unset;
}

void Walker::report(CheckCode code, const Node& at, std::string message, std::string suggestion, std::optional<Severity> severity) {
  report_at(code, at.offset, at.length, std::move(message), std::move(suggestion), severity);
}

void Walker::report_at(CheckCode code, uint32_t offset, uint32_t length, std::string message, std::string suggestion,
                       std::optional<Severity> severity) {
  if (inline_text_)
    return findings_.add(code, *inline_text_->source, inline_text_->at->offset, inline_text_->at->length, std::move(message),
                         std::move(suggestion), severity);
  findings_.add(code, *source_, offset, length, std::move(message), std::move(suggestion), severity);
}

void Walker::walk_file(const AnalysedFile& file) {
  if (!file.parsed || file.parsed->body == nullptr) return;
  if (file.plan) return check_plan_file(file);
  file_ = &file;
  source_ = file.parsed->source.get();
  module_ = file.module;
  conditional_ = 0;
  branch_ = 0;
  if (module_ == nullptr && shadowed(file.path)) return;
  if (file.parsed->body->kind == NodeKind::Epp) return walk_template(file.parsed->body->as<Epp>());
  if (file.asked) asked_files_.insert(source_);
  check_definition_place(file);
  unit_ = file_unit();
  Body top;
  top.layout = file.parsed->layout;
  enter(top, file.parsed->body);
}

/// Whether the file belongs to a module that another module of the same name hides, earlier on the modulepath: Puppet never loads it.
bool Walker::shadowed(std::string_view path) const {
  const auto& directories = program_.environment().options().modulepath;
  return std::any_of(directories.begin(), directories.end(),
                     [&](const std::string& d) { return is_below(path, d) && path.find('/', d.size() + 1) != std::string_view::npos; });
}

/// Walks the contents of a body whose parameters have been walked.
void Walker::enter(Body& body, const Node* contents) {
  body.number = ++bodies_;
  Body* outer = body_;
  body_ = &body;
  make_slots(body);
  body.entered = true;
  walk(contents);
  if (body.kind == Body::Kind::Class) note_sometimes_set(body);
  if (!inline_text_) check_unused(body);
  body_ = outer;
}

void Walker::make_slots(Body& body) {
  if (body.slots.empty() && body.layout != nullptr) body.slots.resize(body.layout->names.size);
}

/// The assignments to a variable of a body whose contents are being walked, by its slot. None for a parameter, which cannot be set again.
std::span<const Walker::SlotAssignment> Walker::assignments_of(Body& body, size_t slot) {
  if (!body.entered || body.layout == nullptr || body.layout->assignments.empty() || slot < body.parameters.size()) return {};
  if (body.assignments.empty()) index_assignments(body);
  return {body.assignments.data() + body.slots[slot].first, body.slots[slot].assigned};
}

void Walker::index_assignments(Body& body) {
  auto note = [&](auto&& self, const Node& target, const Binary* assignment) -> void {
    if (target.kind == NodeKind::Variable) {
      if (const int slot = body.slot_of(target.as<Variable>()); slot >= 0)
        body.assignments.push_back({static_cast<uint32_t>(slot), assignment});
    } else if (target.kind == NodeKind::ListLiteral) {
      for (const Node* element : target.as<ListLiteral>().elements) self(self, *element, assignment);
    }
  };
  body.assignments.reserve(body.layout->assignments.size);
  for (const Binary* assignment : body.layout->assignments) note(note, *assignment->left, assignment);
  const auto by_slot = [](const SlotAssignment& a, const SlotAssignment& b) { return a.slot < b.slot; };
  if (!std::is_sorted(body.assignments.begin(), body.assignments.end(), by_slot))
    std::stable_sort(body.assignments.begin(), body.assignments.end(), by_slot);
  for (uint32_t i = 0; i < body.assignments.size(); ++i) {
    Body::Slot& slot = body.slots[body.assignments[i].slot];
    if (slot.assigned++ == 0) slot.first = i;
  }
}

void Walker::walk_parameters(Body& body) {
  for (const Parameter& p : body.parameters) walk_type(p.type); // evaluated outside the body
  Body* outer = body_;
  body_ = &body;
  make_slots(body);
  if (body.kind == Body::Kind::Class || body.kind == Body::Kind::Define || body.kind == Body::Kind::Node) {
    const bool metaparameters = body.kind != Body::Kind::Node; // set only if given
    for (size_t slot = 0; slot < body.slots.size(); ++slot)
      if (const Set set = set_by_puppet(body.layout->names[slot]); set == Set::definite || (set == Set::maybe && metaparameters))
        body.slots[slot].set = set;
  }
  size_t number = 0;
  for (const Parameter& p : body.parameters) {
    const size_t place = number++;
    in_default_ = body.kind == Body::Kind::Class;
    walk(p.default_value);
    in_default_ = false;
    if (p.default_value != nullptr) check_template_text(p.default_value);
    if (p.default_value != nullptr && p.type != nullptr) {
      std::string why;
      const Type* type = program_.type_of(p, *source_);
      if (type != nullptr) note_typed_lookup(p, *type);
      if (type != nullptr && rejects(type, p.default_value, why) && body.kind == Body::Kind::Class && body.definition != nullptr &&
          !(p.default_value->kind == NodeKind::Literal && p.default_value->as<Literal>().value.is_undef()))
        wrong_defaults_.push_back({fmt::format("{}::{}", lower_name(body.definition->name), p.name.str()), source_, p.default_value->offset,
                                   p.default_value->length, fmt::format("The default of parameter '{}' {}", p.name.str(), why)});
      else if (type != nullptr && rejects(type, p.default_value, why))
        // A default of undef means "the caller must give it": fine as long as every caller does, so only a hint.
        report(CheckCode::default_type, *p.default_value, fmt::format("The default of parameter '{}' {}", p.name.str(), why), {},
               p.default_value->kind == NodeKind::Literal && p.default_value->as<Literal>().value.is_undef() ? std::optional(Severity::Hint)
                                                                                                             : std::nullopt);
      else if (type != nullptr && p.default_value->kind == NodeKind::Variable && body.definition != nullptr)
        for (const ClassValue& given : class_values(p.default_value->as<Variable>()))
          if (!given.value.is_undef() && !is_instance(program_.types(), type, given.value))
            findings_.add(CheckCode::default_type, *given.source, given.offset, given.length,
                          fmt::format("The parameter '{}' of '{}', whose default this is, {}", p.name.str(), body.definition->name.str(),
                                      describe_briefly(program_.types(), type, given.value)),
                          {}, Severity::Warning);
    }
    // A layout begins with the parameters.
    if (body.layout == nullptr) continue;
    const bool here = place < body.slots.size() && body.layout->names[place] == p.name;
    if (const int slot = here ? static_cast<int>(place) : body.layout->find(p.name); slot >= 0)
      body.slots[static_cast<size_t>(slot)].set = Set::definite; // no branch is around it
  }
  body_ = outer;
}

void Walker::walk_definition(const Definition& d) {
  Body body;
  body.layout = d.layout;
  body.definition = &d;
  body.kind = d.kind == NodeKind::ClassDef ? Body::Kind::Class : d.kind == NodeKind::DefineDef ? Body::Kind::Define : Body::Kind::Function;
  body.parameters = {d.parameters.data, d.parameters.size};
  const int conditional = std::exchange(conditional_, 0);
  const uint32_t outer_branch = std::exchange(branch_, 0);
  const Catalogs::Unit outer_unit = unit_;
  begin_unit(d);
  if (d.kind == NodeKind::ClassDef && d.as<ClassDef>().parent) {
    const Symbol parent = d.as<ClassDef>().parent;
    if (parent.str() != "default") {
      check_class_name(d, parent);
      check_inheritance(d.as<ClassDef>());
      note_include(d, parent);
      inherited_.insert(lower_symbol(parent));
    }
  }
  check_documentation(d);
  if (d.kind != NodeKind::FunctionDef) check_parameter_names(d);
  walk_parameters(body);
  if (d.kind == NodeKind::FunctionDef) walk(d.as<FunctionDef>().return_type);
  enter(body, d.body);
  if (d.kind == NodeKind::FunctionDef) {
    Body* const outer = std::exchange(body_, &body); // what it gives may be a variable of its own
    check_results(d.as<FunctionDef>());
    body_ = outer;
  }
  conditional_ = conditional;
  branch_ = outer_branch;
  unit_ = outer_unit;
}

void Walker::walk_node_definition(const NodeDef& d) {
  Body body;
  body.layout = d.layout;
  body.kind = Body::Kind::Node;
  node_offset_ = d.offset;
  check_node_groups(d);
  const Catalogs::Unit outer_unit = std::exchange(unit_, node_unit(d));
  walk_parameters(body);
  enter(body, d.body);
  unit_ = outer_unit;
}

void Walker::walk_template(const Epp& e) {
  Body body;
  body.layout = e.layout;
  body.kind = Body::Kind::Template;
  body.opaque = (e.flags & epp_parameters_given) == 0;
  body.parameters = {e.parameters.data, e.parameters.size};
  walk_parameters(body);
  enter(body, e.body);
}

void Walker::walk_lambda(const Lambda& l) {
  Body body;
  body.layout = l.layout;
  body.kind = Body::Kind::Lambda;
  body.iterated = std::exchange(iterated_, nullptr);
  body.given = std::exchange(block_gets_, {});
  body.elements = std::exchange(block_elements_, {});
  body.around = branch_;
  body.outer = body_;
  body.definition = body_ ? body_->definition : nullptr;
  body.parameters = {l.parameters.data, l.parameters.size};
  walk_parameters(body);
  walk(l.return_type);
  ++conditional_; // the lambda may run never, once or many times
  const uint32_t outer = std::exchange(branch_, new_branch());
  enter(body, l.body);
  branch_ = outer;
  --conditional_;
  if (body_ != nullptr && body.opaque) body_->opaque = true;
}

/// The one branch that lacks the variable of these states, if most of what it sets is set by all. All have an order by slots.
std::optional<uint32_t> Walker::sets_as_others(std::span<const BranchState> states, std::span<const BranchState> of_variable,
                                               uint32_t branches) {
  std::set<uint32_t> others;
  for (const BranchState& s : of_variable) others.insert(s.branch);
  uint32_t lacking = 0;
  while (others.contains(lacking)) ++lacking;
  size_t here = 0, shared = 0;
  for (size_t i = 0; i < states.size();) {
    const uint32_t slot = states[i].slot;
    std::set<uint32_t> set;
    for (; i < states.size() && states[i].slot == slot; ++i) set.insert(states[i].branch);
    here += set.contains(lacking) ? 1 : 0;
    shared += set.size() == branches ? 1 : 0;
  }
  return here > 1 && 2 * shared >= here ? std::optional(lacking) : std::nullopt;
}

/// Walks branches of which exactly one runs (at most one unless `exhaustive`), and joins the variables that they set. A branch sets few
/// of a body's variables: what it changed is undone behind it, and only that is compared with the other branches.
void Walker::alternatives(std::span<const Node* const> choices, bool exhaustive, bool listed) {
  if (body_ == nullptr) return;
  Body& body = *body_;
  const bool dead_before = body.dead;
  const size_t first_state = branch_states_.size(), first_change = body.changes.size();
  uint32_t alive = 0;                   // branches that go on behind the choice
  std::array<const Node*, 16> living{}; // the first of them
  bool all_dead = exhaustive;
  ++conditional_;
  ++body.branches;
  for (const Node* choice : choices) {
    body.dead = dead_before;
    const uint32_t outer = std::exchange(branch_, new_branch());
    walk(choice);
    branch_ = outer;
    if (!body.dead || dead_before) {
      for (size_t i = first_change; i < body.changes.size(); ++i)
        branch_states_.push_back({body.changes[i].slot, alive, body.slots[body.changes[i].slot].set});
      if (alive < living.size()) living[alive] = choice;
      ++alive;
      all_dead = false;
    }
    for (; body.changes.size() > first_change; body.changes.pop_back())
      body.slots[body.changes.back().slot].set = body.changes.back().before;
  }
  --body.branches;
  --conditional_;
  if (!exhaustive) ++alive; // none of them runs
  const std::span<BranchState> states(branch_states_.begin() + static_cast<ptrdiff_t>(first_state), branch_states_.end());
  std::ranges::sort(states, {}, [](const BranchState& s) { return std::pair(s.slot, s.branch); });
  for (size_t i = 0; i < states.size();) {
    const uint32_t slot = states[i].slot;
    Set joined = states[i].set;
    uint32_t branches = 0;
    const size_t first = i;
    for (uint32_t branch = UINT32_MAX; i < states.size() && states[i].slot == slot; branch = states[i++].branch) {
      branches += branch != states[i].branch ? 1 : 0;
      if (states[i].set != joined) joined = Set::maybe;
    }
    const Set before = body.slots[slot].set;
    if (branches < alive && before != joined) joined = Set::maybe; // others leave it as it was
    body.slots[slot].lacking = joined == Set::maybe && before == Set::unset && branches < alive && !listed;
    if (body.slots[slot].lacking && exhaustive && branches > 1 && branches + 1 == alive && alive <= living.size())
      if (const auto lacking = sets_as_others(states, states.subspan(first, i - first), alive); lacking && living[*lacking] != nullptr)
        body.slots[slot].forgotten_at = living[*lacking]->offset;
    body.set(slot, joined);
  }
  branch_states_.resize(first_state);
  body.dead = dead_before || (all_dead && !choices.empty());
}

/// Walks the type of a parameter. What a type is does not depend on its place, so one that is right is right wherever its text stands.
void Walker::walk_type(const Node* type) {
  CheckedCodebase::TypeText* const known = type != nullptr && !in_relationship_ ? program_.type_text(*type, *source_) : nullptr;
  if (known == nullptr) return walk(type);
  if (known->right) return;
  const size_t findings = findings_.count();
  const uint32_t unsure = unsure_types_;
  walk(type);
  known->right = findings == findings_.count() && unsure == unsure_types_ && reads_nothing(*type);
}

/// Whether the text of a type has neither variables nor calls.
bool Walker::reads_nothing(const Node& type) const {
  const std::string_view text = source_->text().substr(type.offset, type.length);
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '$' || c == '('; });
}

void Walker::walk_all(const Seq<Node*>& nodes) {
  for (const Node* n : nodes) walk(n);
}

void Walker::walk_operations(const Seq<AttributeOp>& operations) {
  for (const AttributeOp& op : operations) {
    const bool outer = std::exchange(in_relationship_, is_relationship(op.name));
    const bool waits = std::exchange(only_waits_, in_relationship_ && op.name != sym::notify);
    check_used(op.value);
    if (is_plain_name(op.name)) check_plain_name(op.value);
    walk(op.value);
    in_relationship_ = outer;
    only_waits_ = waits;
  }
}

// Not in walk(), whose every call would take the memory from the stack.
void Walker::walk_case(const Case& c) {
  check_case(c);
  walk(c.test);
  StackMemory<256> memory;
  std::pmr::vector<const Node*> choices(&memory.resource), values(&memory.resource);
  bool has_default = false, idle_default = false;
  for (const CaseOption& option : c.options) {
    walk_all(option.values);
    for (const Node* value : option.values)
      if (value->kind == NodeKind::Literal && value->as<Literal>().value.is(Kind::Default)) {
        has_default = true;
        idle_default = option.body == nullptr || (option.body->kind == NodeKind::Block && option.body->as<Block>().statements.size == 0);
      }
    values.insert(values.end(), option.values.begin(), option.values.end());
    if (option.values.size == 1) check_match_groups(*option.values[0], option.body);
    choices.push_back(option.body);
  }
  const Narrowed before = narrow(c.test, values);
  alternatives(choices, has_default, has_default ? idle_default && choices.size() > 2 : choices.size() > 1);
  widen(before);
}

void Walker::check_method_call(const MethodCall& c) {
  if (c.name->kind != NodeKind::Name) return;
  StackMemory<128> memory;
  std::pmr::vector<const Node*> arguments(&memory.resource);
  arguments.reserve(c.arguments.size + 1);
  arguments.push_back(c.receiver);
  arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
  // `$object.name` reads an attribute, which looks like a call of a function.
  const bool maybe_attribute = c.arguments.empty() && c.lambda == nullptr && may_be_object(*c.receiver);
  check_call(*c.name, c.name->as<Name>().name, arguments, c.lambda, maybe_attribute);
}

/// `a -> b`, `a ~> b`: the last of what stands left, and the first of what stands right.
void Walker::walk_relationship(const Binary& b) {
  note_waits(b);
  const bool outer = std::exchange(in_relationship_, true), notified = notified_here_, waits = only_waits_;
  notified_here_ = b.op() == BinaryOp::SubscribeTo || notified;
  only_waits_ = !notified_here_;
  walk(b.left);
  // A relationship in parentheses may begin or end with what is notified.
  notified_here_ = b.op() == BinaryOp::Notify || notified || unparenthesised(b.right)->kind == NodeKind::Relationship;
  only_waits_ = !notified_here_;
  walk(b.right);
  in_relationship_ = outer;
  only_waits_ = waits;
  notified_here_ = notified;
}

void Walker::walk_selector(const Selector& s) {
  check_selector(s);
  walk(s.left);
  StackMemory<256> memory;
  std::pmr::vector<const Node*> choices(&memory.resource), matches(&memory.resource);
  for (const SelectorEntry& entry : s.entries) {
    walk(entry.match);
    matches.push_back(entry.match);
    choices.push_back(entry.value);
    check_match_groups(*entry.match, entry.value);
  }
  const Narrowed before = narrow(s.left, matches);
  alternatives(choices, true);
  widen(before);
}

void Walker::walk_node(const Node& node) {
  const Node* n = &node;
  if (native_stack_low()) return;
  switch (n->kind) {
  case NodeKind::Assignment: return check_assignment(n->as<Binary>());
  case NodeKind::Access: {
    const auto& a = n->as<Access>();
    note_reference(a);
    if (a.left->kind == NodeKind::Access || a.left->kind == NodeKind::Variable) check_fact_keys(a);
    told_once([&] { check_index(a); }, [&] { check_constant(a); });
    check_key(a);
    if (a.left->kind == NodeKind::Variable && a.left->as<Variable>().base == sym::facts) check_fact_key(a);
    if (a.left->kind == NodeKind::Reference)
      for (const Node* key : a.keys) check_plain_name(key);
    walk(a.left);
    return walk_all(a.keys);
  }
  case NodeKind::Call: {
    const auto& c = n->as<Call>();
    if (c.functor->kind != NodeKind::Name) walk(c.functor);
    static const Symbol realize = intern("realize");
    const bool realizes = c.functor->kind == NodeKind::Name && c.functor->as<Name>().name == realize;
    const bool outer = std::exchange(in_relationship_, in_relationship_ || realizes); // what it names must be declared
    for (const Node* argument : c.arguments) check_used(argument);
    walk_all(c.arguments);
    in_relationship_ = outer;
    if (realizes) note_realized({c.arguments.data, c.arguments.size});
    if (c.functor->kind == NodeKind::Reference && c.functor->as<Reference>().name.str() == "deferred")
      check_deferred({c.arguments.data, c.arguments.size});
    if ((c.functor->kind == NodeKind::Reference || c.functor->kind == NodeKind::Access) && c.lambda == nullptr)
      check_conversion(*n, *c.functor, {c.arguments.data, c.arguments.size});
    if (c.functor->kind == NodeKind::Name) {
      check_call(*n, c.functor->as<Name>().name, {c.arguments.data, c.arguments.size}, c.lambda, false);
      note_call(*n, c.functor->as<Name>().name);
      if (c.lambda != nullptr && c.arguments.size == 1 && iterates(c.functor->as<Name>().name.str())) iterated_ = c.arguments[0];
      if (c.lambda != nullptr) check_given_to_block(c.functor->as<Name>().name, {c.arguments.data, c.arguments.size}, *c.lambda);
    }
    if (c.lambda != nullptr) walk_lambda(*c.lambda);
    return;
  }
  case NodeKind::MethodCall: {
    const auto& c = n->as<MethodCall>();
    walk(c.receiver);
    if (c.name->kind != NodeKind::Name) walk(c.name);
    walk_all(c.arguments);
    check_method_call(c);
    if (c.name->kind == NodeKind::Name) {
      note_call(*n, c.name->as<Name>().name);
      if (c.lambda != nullptr && c.arguments.empty() && iterates(c.name->as<Name>().name.str())) iterated_ = c.receiver;
      if (c.lambda != nullptr) {
        std::vector<const Node*> given{c.receiver};
        given.insert(given.end(), c.arguments.begin(), c.arguments.end());
        check_given_to_block(c.name->as<Name>().name, given, *c.lambda);
      }
    }
    if (c.lambda != nullptr) walk_lambda(*c.lambda);
    return;
  }
  case NodeKind::Relationship: {
    return walk_relationship(n->as<Binary>());
  }
  case NodeKind::Arithmetic:
    told_once([&] { check_arithmetic(n->as<Binary>()); }, [&] { check_constant(n->as<Binary>()); });
    walk(n->as<Binary>().left);
    return walk(n->as<Binary>().right);
  case NodeKind::Comparison:
    check_comparison(n->as<Binary>());
    told_once([&] { check_operands(n->as<Binary>()); },
              [&] {
                if (const BinaryOp op = n->as<Binary>().op(); op != BinaryOp::Equal && op != BinaryOp::NotEqual)
                  check_constant(n->as<Binary>());
              });
    walk(n->as<Binary>().left);
    return walk(n->as<Binary>().right);
  case NodeKind::Match:
  case NodeKind::In:
    check_membership(n->as<Binary>());
    told_once([&] { check_operands(n->as<Binary>()); }, [&] { check_constant(n->as<Binary>()); });
    walk(n->as<Binary>().left);
    return walk(n->as<Binary>().right);
  case NodeKind::And:
  case NodeKind::Or: {
    check_operand_of_logic(n->as<Binary>().left);
    check_operand_of_logic(n->as<Binary>().right);
    check_repeated_operand(n->as<Binary>());
    const Node* const outer = std::exchange(logic_, logic_ == nullptr ? n : logic_);
    walk(n->as<Binary>().left);
    const Node* right = n->as<Binary>().right;
    alternatives({&right, 1}, false);
    logic_ = outer;
    return;
  }
  case NodeKind::If: {
    const auto& i = n->as<If>();
    check_condition(*i.test);
    check_repeated_condition(i);
    check_match_groups(*i.test, i.then_block);
    walk(i.test);
    const Node* choices[] = {i.then_block, i.else_part};
    const Narrowed before = narrow(i.test);
    const bool asks = calls_defined(*i.test);
    undefined_ += asks ? 1 : 0;
    if ((i.flags & if_unless) == 0) next_condition_ = unparenthesised(i.test);
    alternatives({choices, i.else_part != nullptr ? 2u : 1u}, i.else_part != nullptr, i.else_part == nullptr && (i.flags & if_elsif) != 0);
    undefined_ -= asks ? 1 : 0;
    widen(before);
    return;
  }
  case NodeKind::Case: return walk_case(n->as<Case>());
  case NodeKind::Selector: return walk_selector(n->as<Selector>());
  case NodeKind::Block: {
    bool told = false;
    for (const Node* statement : n->as<Block>().statements) {
      if (body_ != nullptr && body_->dead && !told && statement->kind != NodeKind::Nop) {
        report(CheckCode::unreachable_code, *statement, "This is never evaluated: what stands before it always leaves the body");
        told = true;
      }
      walk(statement);
    }
    return;
  }
  case NodeKind::TypeAlias: check_alias(n->as<TypeAlias>()); return walk(n->as<TypeAlias>().type);
  case NodeKind::Interpolation:
    check_interpolation(n->as<Interpolation>());
    note_made_reference(n->as<Interpolation>());
    for (const Node* part : n->as<Interpolation>().parts) {
      if (part->kind != NodeKind::Literal && static_value(part).kinds == kinds::sensitive)
        report(CheckCode::redacted_secret, *part, "The text of a Sensitive is \"Sensitive [value redacted]\"",
               "Make the text of its unwrap, and Sensitive again.");
      if (is_deferred(part))
        report(CheckCode::uninterpolated_text, *part, "The text of a Deferred is its description, and not what it gives on the agent", {},
               Severity::Warning);
      check_used(part);
      walk(part);
    }
    return;
  case NodeKind::Minus: check_constant(n->as<Unary>()); return walk(n->as<Unary>().operand);
  case NodeKind::RenderExpr: check_used(n->as<Unary>().operand); return walk(n->as<Unary>().operand);
  case NodeKind::Lambda: return walk_lambda(n->as<Lambda>());
  case NodeKind::ResourceExpr: {
    const auto& r = n->as<ResourceExpr>();
    if (r.type_name->kind != NodeKind::Name) walk(r.type_name);
    for (const ResourceBody& body : r.bodies) {
      if (r.type_name->kind != NodeKind::Name || r.type_name->as<Name>().name != sym::exec) check_plain_name(body.title);
      walk(body.title);
      walk_operations(body.operations);
    }
    return check_resource(r);
  }
  case NodeKind::ResourceDefaults:
    walk(n->as<ResourceDefaults>().type_ref);
    walk_operations(n->as<ResourceDefaults>().operations);
    return check_defaults(n->as<ResourceDefaults>());
  case NodeKind::ResourceOverride:
    walk(n->as<ResourceOverride>().resources);
    walk_operations(n->as<ResourceOverride>().operations);
    return check_override(n->as<ResourceOverride>());
  case NodeKind::Collector: {
    const auto& c = n->as<Collector>();
    note_collector(c);
    walk(c.type_expr);
    if (c.type_expr->kind == NodeKind::Reference && lower_symbol(c.type_expr->as<Reference>().name).str() == "class")
      report(CheckCode::no_such_type, *c.type_expr, "Classes cannot be collected", "A class is declared once, with include or class.");
    if (c.type_expr->kind == NodeKind::Reference && (c.query != nullptr || !c.operations.empty())) {
      const Symbol type_name = lower_symbol(c.type_expr->as<Reference>().name);
      const std::string_view type = type_name.str();
      const DefinitionEntry* define = nullptr;
      const ResourceTypeInfo* native = nullptr;
      find_type(type_name, define, native);
      if (type != "class" && (define != nullptr || native != nullptr)) {
        if (c.query != nullptr) check_query(c.query, define, native, type);
        check_operations(c.operations, define, native, define != nullptr ? "defined type" : "resource type", type);
        if (native != nullptr) check_values(c.operations, *native, type_name);
        if (define != nullptr) note_given(type_name, c.operations);
      }
    }
    if (c.type_expr->kind == NodeKind::Reference) note_defaulted(lower_symbol(c.type_expr->as<Reference>().name), c.operations);
    // The names in a query are attributes, not variables; values are expressions.
    walk(c.query);
    return walk_operations(c.operations);
  }
  case NodeKind::ClassDef:
  case NodeKind::DefineDef:
  case NodeKind::FunctionDef: return walk_definition(*static_cast<const Definition*>(n));
  case NodeKind::NodeDef: return walk_node_definition(n->as<NodeDef>());
  default: for_each_child(*n, [&](const Node* child) { walk(child); });
  }
}

/// Defaults of classes that are not of their types: where data always sets the parameter nothing takes the default.
void Walker::report_wrong_defaults(const std::set<std::string, std::less<>>& always_set) {
  for (WrongDefault& d : wrong_defaults_)
    findings_.add(CheckCode::default_type, *d.source, d.offset, d.length, std::move(d.message),
                  always_set.contains(d.key) ? "Data sets the parameter, so nothing takes it now." : "",
                  always_set.contains(d.key) ? std::optional(Severity::Warning) : std::nullopt);
}

void Walker::finish(DataFiles& data) {
  data_ = &data;
  resolve_titles();
  check_chosen_keys();
  catalogs_.finish();
  report_missing();
  finish_data_resources();
  check_missing_values();
  report_missing_modules();
  report_relative_commands();
  report_never_run();
  report_unrealized();
  report_defines_in_classes();
  report_fixed_titles();
  check_passed_values();
  check_epp_variables();
  check_references();
  check_duplicates();
  waits_.check_bodies(outer_branches_, findings_);
  waits_.check_classes(declared_, catalogs_, findings_);
  check_duplicates_of_includes();
  check_declared_behind_includes();
  check_definitions();
  check_inclusion_order();
  if (texts_matter_) report_unused_class_variables(); // they are hints
}

void Walker::run_trial() {
  std::unordered_map<const SourceFile*, const AnalysedFile*> files;
  for (const AnalysedFile& file : program_.files())
    if (file.parsed) files.emplace(file.parsed->source.get(), &file);
  Trial::Walked walked;
  walked.find_type = [&](Symbol name, const DefinitionEntry*& define, const ResourceTypeInfo*& native) {
    return find_type(name, define, native);
  };
  walked.may_declare = [&](const Node& call, Symbol name) { return opens_catalog(call, name); };
  walked.created_by = [&](Symbol name) { return created_by(name); };
  walked.check_values = [&](const Seq<AttributeOp>& operations, const ResourceTypeInfo& type, Symbol name, const SourceFile& source) {
    const auto file = files.find(&source);
    if (file == files.end()) return;
    file_ = file->second;
    source_ = &source;
    module_ = file_->module;
    body_ = nullptr;
    check_values(operations, type, name);
  };
  walked.asked = [&](const SourceFile* source) { return asked_files_.contains(source); };
  walked.defaulted = [&](Symbol type, Symbol attribute) { return defaulted(type, attribute); };
  Trial(program_, findings_, *data_, std::move(walked)).run();
}

Analysis analyse(std::shared_ptr<CheckedCodebase> program, const std::vector<RepositoryFile>& files, bool hints,
                 std::shared_ptr<RubyFiles> ruby_files) {
  struct Learnt {
    Learnt(std::shared_ptr<CheckedCodebase> p, std::shared_ptr<RubyFiles> kept, bool with_hints)
        : program(std::move(p)), ruby_files(std::move(kept)), findings(with_hints) {}
    std::shared_ptr<CheckedCodebase> program;
    std::shared_ptr<RubyFiles> ruby_files;
    Findings findings;
    RubyFunctionChecks ruby{*program, findings, *ruby_files};
    Walker walker{*program, findings, ruby};
  };
  if (!ruby_files) ruby_files = std::make_shared<RubyFiles>();
  auto learnt = std::make_shared<Learnt>(std::move(program), std::move(ruby_files), hints);
  Walker& walker = learnt->walker;
  DataFiles data(learnt->program.get(), learnt->findings);
  data.read(files);
  for (const AnalysedFile& file : learnt->program->files()) walker.walk_file(file);
  walker.check_template_calls(files);
  walker.finish(data);
  walker.check_template_variables(files);
  learnt->ruby.check(files);
  data.check(walker.lookups());
  walker.report_wrong_defaults(data.always_set());
  walker.run_trial();
  std::set<std::string> unreadable = learnt->ruby.unreadable();
  check_ruby_code(files, *learnt->ruby_files, *learnt->program, learnt->findings, unreadable);
  return {learnt->findings.take(), learnt, std::move(unreadable)};
}

} // namespace pupc::compiler
