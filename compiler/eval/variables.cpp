// Variables: slots, the chain of scopes behind them, qualified names, assignment.
#include "catalog/base/stack.h"
#include "catalog/base/text.h"
#include "catalog/graph/catalog.h"
#include "catalog/value/frozen.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/labels.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether one frame has a value for a name. No: no such name, or unset.
enum class Found : uint8_t { No, Yes, Unevaluated };

Found find_in_frame(const Frame& frame, Symbol name, Value& out) {
  if (frame.layout == nullptr) return Found::No;
  int slot = frame.layout->find(name);
  if (slot < 0) return Found::No;
  const Value& v = frame.slot(slot);
  if (is_unset(v)) return Found::No;
  if (is_unevaluated(v)) return Found::Unevaluated;
  out = v;
  return Found::Yes;
}

/// $0, $12: a decimal number without leading zeros.
bool is_numeric_name(std::string_view name) {
  if (name.empty() || (name.size() > 1 && name[0] == '0')) return false;
  for (char c : name)
    if (c < '0' || c > '9') return false;
  return true;
}

Value match_variable(const MatchData& match, std::string_view name) {
  if (match.groups == nullptr || name.size() > 6) return Value::undef();
  uint32_t n = 0;
  for (char c : name) n = n * 10 + static_cast<uint32_t>(c - '0');
  return n < match.groups->size ? match.groups->data[n] : Value::undef();
}

/// Thrown when a default expression reads a parameter that has no value yet; evaluate_default turns it into the error.
struct UnevaluatedParameter {
  Symbol name;
};

/// Splits "a::b::c" into "a::b" and "c".
std::pair<std::string_view, std::string_view> split_qualified(std::string_view name) {
  size_t at = name.rfind("::");
  return {name.substr(0, at), name.substr(at + 2)};
}

} // namespace

bool EvaluatorImpl::find_simple(Evaluator& e, Symbol name, Frame& frame, Value& out) {
  const Frame* last = &frame;
  for (const Frame* f = &frame; f != nullptr; f = f->up) {
    Found found = find_in_frame(*f, name, out);
    if (found == Found::Yes) return true;
    if (found == Found::Unevaluated) throw UnevaluatedParameter{name};
    last = f;
  }
  const Scope* scope = last->scope;
  // A frame that is not its scope's own frame (of a template in a class, for example) still sees the scope's variables.
  bool own_frame_seen = scope == nullptr || scope->frame == last;
  for (; scope != nullptr; scope = scope->inherited ? scope->inherited : scope->enclosing) {
    if (!own_frame_seen && scope->frame != nullptr) {
      Found found = find_in_frame(*scope->frame, name, out);
      if (found == Found::Yes) return true;
      if (found == Found::Unevaluated) throw UnevaluatedParameter{name};
    }
    own_frame_seen = false;
  }
  auto global = e.state_->globals.find(name.str());
  if (global == e.state_->globals.end()) return false;
  out = global->second;
  return true;
}

void Evaluator::visible_variables(Frame& frame, const std::function<void(std::string_view, const Value&)>& visit) {
  std::vector<const Frame*> frames; // innermost first, as find_simple searches
  const Frame* last = &frame;
  for (const Frame* f = &frame; f != nullptr; f = f->up) {
    frames.push_back(f);
    last = f;
  }
  const Scope* scope = last->scope;
  if (scope != nullptr && scope->frame == last) scope = scope->inherited ? scope->inherited : scope->enclosing;
  for (; scope != nullptr; scope = scope->inherited ? scope->inherited : scope->enclosing)
    if (scope->frame != nullptr) frames.push_back(scope->frame);
  for (const auto& [name, value] : state_->globals)
    if (name.find(':') == std::string_view::npos) visit(name, value);
  for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
    const FrameLayout* layout = (*f)->layout;
    for (uint32_t i = 0; layout != nullptr && i < layout->names.size; ++i) {
      const Value& value = (*f)->slots[i];
      if (!is_unset(value) && !is_unevaluated(value)) visit(layout->names[i].str(), value);
    }
  }
}

bool EvaluatorImpl::find_qualified(Evaluator& e, std::string_view scope_name, std::string_view name, Value& out) {
  auto& globals = e.state_->globals;
  if (scope_name.empty()) {
    auto it = globals.find(name);
    if (it == globals.end()) return false;
    out = it->second;
    return true;
  }
  const Scope* scope = e.catalog_ ? e.catalog_->class_scope(scope_name) : nullptr;
  if (scope != nullptr) {
    Symbol symbol = find_symbol(name);
    if (symbol)
      for (const Scope* s = scope; s != nullptr; s = s->inherited)
        if (s->frame != nullptr && find_in_frame(*s->frame, symbol, out) == Found::Yes) return true;
  }
  auto it = globals.find(fmt::format("{}::{}", scope_name, name));
  if (it != globals.end()) {
    out = it->second;
    return true;
  }
  return scope_name == "settings" && e.catalog_ != nullptr && e.catalog_->find_setting(name, out);
}

Value EvaluatorImpl::variable(Evaluator& e, const Variable& node, Frame& frame) {
  Value out;
  switch (node.form()) {
  case Variable::Form::Numeric: return match_variable(e.match_, node.base.str());
  case Variable::Form::Simple:
    if (find_simple(e, node.base, frame, out)) return out;
    // Always set; undef where no module is involved.
    if (node.base == sym::module_name || node.base == sym::caller_module_name) return Value::undef();
    break;
  case Variable::Form::Top:
  case Variable::Form::Qualified:
    if (find_qualified(e, node.scope.str(), node.base.str(), out)) return out;
    break;
  }
  std::string message = fmt::format("Unknown variable: '{}'.", node.name.str());
  if (e.settings_.strict_variables || e.settings_.strict == Strict::Error) {
    Diagnostic d;
    d.code = ErrorCode::unknown_variable;
    d.loc = e.loc_of(node);
    d.message = "Evaluation Error: " + message;
    d.suggestion = suggest_variable(e, node, frame);
    throw CompileError(std::move(d));
  }
  if (e.settings_.strict == Strict::Warning) e.warn(e.loc_of(node), std::move(message));
  return Value::undef();
}

std::string EvaluatorImpl::suggest_variable(Evaluator& e, const Variable& node, Frame& frame) {
  std::vector<std::string_view> known;
  if (node.form() == Variable::Form::Qualified) {
    if (e.catalog_ != nullptr && e.catalog_->class_scope(node.scope.str()) == nullptr)
      return fmt::format("The class {} has not been evaluated at this point.", node.scope.str());
  } else {
    for (const Frame* f = &frame; f != nullptr; f = f->up)
      if (f->layout != nullptr)
        for (uint32_t i = 0; i < f->layout->names.size; ++i)
          if (!is_unset(f->slot(i))) known.push_back(f->layout->names[i].str());
    for (const auto& [name, value] : e.state_->globals)
      if (name.find(':') == std::string_view::npos) known.push_back(name);
  }
  auto similar = similar_names(node.base.str(), known, 1);
  return similar.empty() ? std::string() : fmt::format("Did you mean ${}?", similar[0]);
}

bool Evaluator::lookup_variable(std::string_view name, Frame& frame, Value& out) {
  bool absolute = name.starts_with("::");
  std::string_view plain = without_leading_colons(name);
  if (plain.find("::") != std::string_view::npos) {
    auto [scope, base] = split_qualified(plain);
    return EvaluatorImpl::find_qualified(*this, scope, base, out);
  }
  if (absolute) return EvaluatorImpl::find_qualified(*this, "", plain, out);
  if (is_numeric_name(plain)) {
    out = match_variable(match_, plain);
    return !out.is_undef();
  }
  Symbol symbol = find_symbol(plain);
  if (symbol && EvaluatorImpl::find_simple(*this, symbol, frame, out)) return true;
  if (!symbol) { // no source text contains the name: only facts and the like can have it
    auto it = state_->globals.find(plain);
    if (it != state_->globals.end()) {
      out = it->second;
      return true;
    }
  }
  if (plain == "module_name" || plain == "caller_module_name") {
    out = Value::undef();
    return true;
  }
  return false;
}

void Evaluator::set_global(std::string_view name, Value value) { state_->globals[arena_.copy(without_leading_colons(name))] = value; }

// ---------------------------------------------------------------------------------------------------------------------
// assignment

bool is_reserved_variable(Symbol name) { return name == sym::facts || name == sym::trusted || name == sym::server_facts; }

void check_reserved_parameter(Symbol name) {
  if (is_reserved_variable(name)) [[unlikely]]
    fail_unplaced(fmt::format("Attempt to assign to a reserved variable name: '{}'", name.str()));
}

void EvaluatorImpl::set_variable(Evaluator& e, const Variable& target, const Value& value, const Node& at, Frame& frame) {
  std::string_view name = target.name.str();
  if (target.form() == Variable::Form::Numeric)
    e.fail(ErrorCode::evaluation_error, target,
           fmt::format("Illegal attempt to assign to the numeric match result variable '${}'. Numeric variables are not assignable", name));
  if (target.form() != Variable::Form::Simple)
    e.fail(ErrorCode::evaluation_error, target,
           fmt::format("Illegal attempt to assign to '{}'. Cannot assign to variables in other namespaces", name));
  Frame* f = &frame;
  for (uint16_t up = target.up; up != 0; --up) f = f->up;
  int slot = target.slot != Variable::no_slot ? target.slot : slot_in(f->layout, target.base);
  if (slot < 0) throw_error(ErrorCode::internal_error, e.loc_of(target), fmt::format("${} has no slot", name));
  bool top = f->up == nullptr && f->scope != nullptr && f->scope->kind == ScopeKind::Top;
  bool reserved = target.base == sym::facts || target.base == sym::trusted;
  if (target.base == sym::server_facts || (reserved && top))
    e.fail(ErrorCode::evaluation_error, at, fmt::format("Attempt to assign to a reserved variable name: '${}'", name));
  if (reserved)
    e.fail(ErrorCode::evaluation_error, at,
           fmt::format("Error while evaluating {}, Attempt to assign to a reserved variable name: '{}'", a_an(label(at)), name));
  if (!is_unset(f->slot(slot)) || (top && e.state_->globals.contains(name))) {
    bool built_in = target.base == sym::title || target.base == sym::name;
    e.fail(ErrorCode::evaluation_error, at,
           fmt::format("Cannot reassign {}variable '${}'", built_in ? "built in (or already assigned) " : "", name));
  }
  f->slot(slot) = value;
  // All main manifests share the top scope, though each has a frame of its own.
  if (top) e.state_->globals.emplace(target.base.str(), value);
}

void Evaluator::assign(std::string_view name, Value value, Frame& frame) {
  if (is_numeric_name(name)) fail_unplaced(fmt::format("Cannot assign to a numeric match result variable '${}'", name));
  Symbol symbol = intern(name);
  check_reserved_parameter(symbol);
  bool top = frame.up == nullptr && frame.scope != nullptr && frame.scope->kind == ScopeKind::Top;
  int slot = slot_in(frame.layout, symbol);
  if ((slot >= 0 && !is_unset(frame.slot(slot))) || (top && state_->globals.contains(name)))
    fail_unplaced(fmt::format("Cannot reassign variable '${}'", name));
  if (top) state_->globals.emplace(symbol.str(), value);
  if (slot < 0) { // the body's text has no slot for it: add one
    uint32_t size = frame.layout != nullptr ? frame.layout->names.size : 0;
    auto* layout = arena_.make<FrameLayout>();
    layout->names = {arena_.make_array<Symbol>(size + 1), size + 1};
    auto* slots = arena_.make_array<Value>(size + 1);
    for (uint32_t i = 0; i < size; ++i) {
      layout->names[i] = frame.layout->names[i];
      slots[i] = frame.slot(i);
    }
    layout->names[size] = symbol;
    frame.layout = layout;
    frame.slots = slots;
    slot = static_cast<int>(size);
  }
  frame.slot(slot) = value;
}

namespace {

/// Whether Ruby code can change the value in place.
bool is_changeable(const Value& v) { return v.is_list() || v.is_hash() || (v.is_string() && v.len > 0 && !is_frozen(v)); }

/// Whether both are the same object for Ruby code that changes it.
bool is_same_object(const Value& a, const Value& b) {
  if (a.kind != b.kind || !is_changeable(a)) return false;
  return a.is_list() ? a.list == b.list : a.is_hash() ? a.hash == b.hash : a.s == b.s && a.len == b.len && !is_frozen(b);
}

/// Replaces the text, array or hash `from` by `to` wherever it occurs in `value`, and compares by identity. False when it does not occur.
bool replace_inside(Arena& arena, Value& value, const Value& from, const Value& to) {
  check_native_stack();
  if (is_same_object(value, from)) {
    value = to;
    return true;
  }
  bool found = false;
  if (value.is_list()) {
    ListBuilder out(arena, value.items().size());
    for (Value item : value.items()) {
      found = replace_inside(arena, item, from, to) || found;
      out.add(item);
    }
    if (found) value = out.finish();
  } else if (value.is_hash()) {
    HashBuilder out(arena, value.hash->size);
    for (const HashEntry& entry : value.hash->entries()) {
      Value inner = entry.value;
      found = replace_inside(arena, inner, from, to) || found;
      out.set(entry.key, inner);
    }
    if (found) value = out.finish();
  } else if (value.is(Kind::Sensitive)) {
    Value inner = value.unwrap();
    found = replace_inside(arena, inner, from, to);
    if (found) value = Value::sensitive(arena, inner);
  }
  return found;
}

/// Whether a variable of the scope is a parameter of its class or define. These have a copy of the value that they were given.
bool is_parameter(const Catalog& catalog, const Scope* scope, std::string_view name) {
  if (scope == nullptr || scope->resource == no_resource) return false;
  return std::ranges::any_of(catalog[scope->resource].parameters(), [&](const Param& p) { return p.name.str() == name; });
}

/// Replaces the list or hash in all variables of a body: they have the same copy as its parameters.
void replace_in_slots(Arena& arena, Frame& frame, const Value& was, const Value& changed) {
  for (uint32_t i = 0; frame.layout != nullptr && i < frame.layout->names.size; ++i) replace_inside(arena, frame.slot(i), was, changed);
}

/// A variable that holds a changed list or hash, and its new value.
struct Holder {
  Frame* frame;
  std::string name;
  Value now;
  bool parameter;
};

} // namespace

void EvaluatorImpl::set_changed(Evaluator& e, std::string_view name, const Value& value, const Frame& frame) {
  Symbol symbol = find_symbol(name);
  if (!symbol) return;
  auto change = [&](const Frame& f, const Scope* scope) {
    int slot = slot_in(f.layout, symbol);
    if (slot < 0 || is_unset(f.slot(slot)) || is_unevaluated(f.slot(slot))) return false;
    f.slot(slot) = value;
    if (scope != nullptr && scope->frame == &f && scope->resource != no_resource && e.catalog_ != nullptr) {
      Catalog& catalog = e.catalog_->catalog();
      for (const Param& p : catalog[scope->resource].parameters())
        if (p.name == symbol && !p.value.is(Kind::Sensitive)) {
          Param changed = p;
          changed.value = value;
          catalog.set_param(scope->resource, changed);
          break;
        }
    }
    return true;
  };
  const Frame* last = &frame;
  for (const Frame* f = &frame; f != nullptr; f = f->up) {
    if (change(*f, f->scope)) return;
    last = f;
  }
  bool own_frame_seen = last->scope == nullptr || last->scope->frame == last;
  for (const Scope* scope = last->scope; scope != nullptr; scope = scope->inherited ? scope->inherited : scope->enclosing) {
    if (!own_frame_seen && scope->frame != nullptr && change(*scope->frame, scope)) return;
    own_frame_seen = false;
  }
  // Other scopes read variables of the top scope from the globals, without its frame.
  auto global = e.state_->globals.find(symbol.str());
  if (global == e.state_->globals.end()) return;
  global->second = value;
  if (e.catalog_ != nullptr && e.catalog_->top_scope().frame != nullptr) change(*e.catalog_->top_scope().frame, nullptr);
}

void Evaluator::change_variable(std::string_view name, Value value, Frame& frame) {
  std::string_view base = without_leading_colons(name);
  Frame* owner = &frame;
  if (base.find("::") != std::string_view::npos) {
    auto [class_name, rest] = split_qualified(base);
    const Scope* scope = catalog_ != nullptr ? catalog_->class_scope(class_name) : nullptr;
    if (scope == nullptr || scope->frame == nullptr) return;
    owner = scope->frame;
    base = rest;
  } else if (base.size() < name.size() && catalog_ != nullptr && catalog_->top_scope().frame != nullptr) {
    owner = catalog_->top_scope().frame;
  }
  Value was;
  const bool held = lookup_variable(name, frame, was) && is_changeable(was);
  EvaluatorImpl::set_changed(*this, base, value, *owner);
  if (!held || catalog_ == nullptr) return;
  bool own = is_parameter(catalog_->catalog(), owner->scope, base);
  for (uint32_t i = 0; !own && owner->layout != nullptr && i < owner->layout->names.size; ++i) {
    Value parameter = owner->slot(i);
    own = is_parameter(catalog_->catalog(), owner->scope, owner->layout->names[i].str()) && replace_inside(arena_, parameter, was, value);
  }
  if (!own) return EvaluatorImpl::change_holders(*this, was, value, frame, false);
  replace_in_slots(arena_, *owner, was, value);
}

void Evaluator::change_value(const Value& was, const Value& changed, Frame& frame) {
  if (was.is(Kind::Sensitive) && changed.is(Kind::Sensitive)) return change_value(was.unwrap(), changed.unwrap(), frame);
  if (catalog_ != nullptr) EvaluatorImpl::change_holders(*this, was, changed, frame, true);
}

/// Stores a changed text, list or hash in the variables that hold it and that the frame, the code that led to it or any class sees.
/// `parameters`: it may have been read from a parameter of a class or define. It was if one of the frame's own scope holds it, or nothing
/// else does; then only parameters change. A parameter has a copy of the value that it was given, but one that no variable of the giving
/// code holds is the value itself, and changes with the variables that were read from it.
void EvaluatorImpl::change_holders(Evaluator& e, const Value& was, const Value& changed, Frame& frame, bool parameters) {
  std::vector<Holder> found;
  auto collect = [&](Frame& in) {
    const size_t first = found.size();
    e.visible_variables(in, [&](std::string_view name, const Value& held) {
      std::erase_if(found, [&](const Holder& h) { return h.frame == &in && h.name == name; }); // hidden by this one
      if (Value now = held; replace_inside(e.arena_, now, was, changed))
        found.push_back({&in, std::string(name), now, is_parameter(e.catalog_->catalog(), in.scope, name)});
    });
    return std::any_of(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), [](const Holder& h) { return h.parameter; });
  };
  bool own = collect(frame) && parameters;
  if (!own) {
    for (const TraceFrame& running : e.state_->trace) { // functions and definitions whose calls led here
      Frame* in = running.scope != nullptr ? running.scope->frame : running.frame;
      if (in != nullptr && in != &frame) collect(*in);
    }
    for (std::string_view name : e.catalog_->catalog().classes())
      if (const Scope* scope = e.catalog_->class_scope(name); scope != nullptr && scope->frame != nullptr && scope->frame != &frame)
        collect(*scope->frame);
    own = parameters && std::all_of(found.begin(), found.end(), [](const Holder& h) { return h.parameter; });
  }
  auto copied = [&](const Holder& h) {
    const Scope* giver = e.catalog_->giver_of(*h.frame->scope, h.name);
    return giver != nullptr && std::ranges::any_of(found, [&](const Holder& o) { return !o.parameter && o.frame->scope == giver; });
  };
  for (const Holder& h : found) {
    if (h.parameter != own && (own || copied(h))) continue;
    set_changed(e, h.name, h.now, *h.frame);
    if (h.parameter && h.frame->scope->frame != nullptr) replace_in_slots(e.arena_, *h.frame->scope->frame, was, changed);
  }
}

Value EvaluatorImpl::assignment(Evaluator& e, const Binary& node, Frame& frame) {
  check_assignable(e, *node.left);
  Value value = e.evaluate(*node.right, frame);
  if (node.op() != BinaryOp::Assign)
    e.fail(ErrorCode::evaluation_error, node, fmt::format("The operator '{}' is not supported.", spelling(node.op())));
  assign_to(e, *node.left, value, node, frame);
  return value;
}

void EvaluatorImpl::check_assignable(Evaluator& e, const Node& target) {
  switch (target.kind) {
  case NodeKind::Variable: return;
  case NodeKind::ListLiteral:
    for (const Node* element : target.as<ListLiteral>().elements) check_assignable(e, *element);
    return;
  default:
    e.fail(ErrorCode::evaluation_error, target,
           fmt::format("Illegal attempt to assign to '{}'. Not an assignable reference", a_an(label(target))));
  }
}

void EvaluatorImpl::assign_to(Evaluator& e, const Node& target, const Value& value, const Binary& node, Frame& frame) {
  if (target.kind == NodeKind::Variable) return set_variable(e, target.as<Variable>(), value, node, frame);
  const auto& targets = target.as<ListLiteral>().elements;
  if (value.is_hash()) {
    for (const Node* t : targets) {
      // A nested list as a key stands for the list of its names. No hash has such a key, as in Puppet.
      std::string_view key = t->kind == NodeKind::Variable ? t->as<Variable>().name.str() : std::string_view("[]");
      const Value* v = value.hash->find(key);
      if (v == nullptr)
        e.fail(ErrorCode::evaluation_error, node, fmt::format("No value for required key '{}' in assignment to variables from hash", key));
      assign_to(e, *t, *v, node, frame);
    }
    return;
  }
  const Type* type = as_type(value);
  if (type != nullptr && type->kind == TypeKind::Class) {
    ResourceRef ref;
    bool named = type_to_ref(type, ref);
    std::string name(named ? ref.title : "");
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!named || e.catalog().class_scope(name) == nullptr)
      e.fail(ErrorCode::evaluation_error, *node.right, fmt::format("Resource not found: Class['{}']", name));
    for (const Node* t : targets) {
      std::string_view variable = t->kind == NodeKind::Variable ? t->as<Variable>().name.str() : std::string_view("[]");
      Value v;
      if (!find_qualified(e, name, variable, v))
        e.fail(ErrorCode::evaluation_error, *t,
               fmt::format("No value for required variable '${}::{}' in assignment to variables from class reference", name, variable));
      assign_to(e, *t, v, node, frame);
    }
    return;
  }
  std::span<const Value> values = value.is_list() ? value.items() : std::span<const Value>(&value, 1);
  if (values.size() != targets.size)
    e.fail(ErrorCode::evaluation_error, node,
           fmt::format("Mismatched number of assignable entries and values, expected {}, got {}", targets.size, values.size()));
  for (uint32_t i = 0; i < targets.size; ++i) assign_to(e, *targets[i], values[i], node, frame);
}

Value Evaluator::evaluate_default(const Node& expression, Frame& frame, std::string_view callee, Symbol parameter) {
  MatchGuard guard(*this);
  try {
    return evaluate(expression, frame);
  } catch (const UnevaluatedParameter& read) {
    int of = frame.layout->find(parameter), wanted = frame.layout->find(read.name);
    // The order of parameters matters: an earlier one without a value was never given one.
    if (wanted < of) fail_unplaced(fmt::format("{}: expects a value for parameter ${}", callee, read.name.str()));
    fail_unplaced(fmt::format("{}: default expression for ${} tries to illegally access not yet evaluated ${}", callee, parameter.str(),
                              read.name.str()));
  }
}

} // namespace pupc::compiler
