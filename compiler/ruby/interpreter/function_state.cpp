// What a function's object keeps from one call to the next, where Ruby takes over in the middle: it begins with what the calls before the
// running one have left.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/stack.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

RubyValue copy_of(RubyHeap& heap, const RubyValue& v) {
  if (v.is_string()) return heap.string(v.s->text);
  if (v.is_array()) return heap.array(v.a->items);
  const RubyValue copy = heap.hash();
  *copy.h = *v.h;
  return copy;
}

} // namespace

/// Before a variable of the function's object is assigned: keeps it as it was before the running call.
void Interpreter::note_assignment(std::string_view name) {
  if (own_program_.self != Self::Template && !own_program_.keeps_state && !own_program_.set_first.contains(name))
    change_kept(1, fmt::format("@{}, which a file that is required sets", name));
  if (!undoes) return;
  if (std::ranges::any_of(before_.variables, [&](const auto& one) { return one.first == name; })) return;
  const auto known = instance_variables_.find(name);
  before_.variables.emplace_back(name, known == instance_variables_.end() ? std::nullopt : std::optional(known->second));
}

void Interpreter::before_change(const RubyValue& v) {
  if (!(v.is_string() || v.is_array() || v.is_hash()) || !before_.noted.insert(v.pointer).second) return;
  before_.objects.emplace_back(v, copy_of(heap, v));
}

/// What there is now, the constants, is common to all calls.
void Interpreter::end_loading() {
  loading_ = false;
  heap.mark_kept();
  objects_.for_each([](RubyObject& o) { o.kept = true; });
}

void Interpreter::change_kept(uint32_t line, std::string reason) {
  if (own_program_.self == Self::Template || loading_ || program_->library) return;
  changed_kept_ = true;
  not_rendered(line, std::move(reason));
}

/// Before a variable of an object, class or module is assigned.
void Interpreter::check_lasting(const RubyValue& self, uint32_t line) {
  if (self.is(RubyKind::Module)) change_kept(line, "a variable of a class or module that a call sets");
  if (self.is(RubyKind::Object) && self.object->kept) change_kept(line, "an object of all calls that a call changes");
}

/// Puts back what the running call has changed.
void Interpreter::undo_call() {
  for (const auto& [object, copy] : before_.objects) {
    if (object.is_string()) object.s->text = copy.s->text;
    if (object.is_array()) object.a->items = copy.a->items;
    if (object.is_hash()) *object.h = *copy.h;
  }
  for (const auto& [name, value] : before_.variables) {
    if (value)
      instance_variables_[name] = *value;
    else if (const auto known = instance_variables_.find(name); known != instance_variables_.end())
      instance_variables_.erase(known);
  }
  before_ = {};
}

/// Whether Ruby can get a value as it is. `seen`: what it has of it already, for two names of one object would become two objects.
bool Interpreter::can_leave(const RubyValue& v, std::set<const void*>& seen) {
  check_native_stack();
  if (known_singleton(v) != nullptr) return false;
  switch (v.kind) {
  case RubyKind::Nil:
  case RubyKind::True:
  case RubyKind::False:
  case RubyKind::Integer:
  case RubyKind::Float:
  case RubyKind::Regexp: return true;
  case RubyKind::Symbol: return v.text() != "undef";
  case RubyKind::String: return v.s->frozen || !program_->changes_texts || seen.insert(v.s).second;
  case RubyKind::Array:
    return seen.insert(v.a).second && std::ranges::all_of(v.a->items, [&](const RubyValue& item) { return can_leave(item, seen); });
  case RubyKind::Hash:
    return seen.insert(v.h).second && v.h->fallback.is_nil() && v.h->fallback_proc == nullptr &&
           std::ranges::all_of(v.h->entries(), [&](const auto& e) { return can_leave(e.first, seen) && can_leave(e.second, seen); });
  default: return false;
  }
}

bool Interpreter::state_before_call(std::vector<std::pair<std::string, Value>>& out, std::string& what) {
  undo_call();
  std::set<const void*> seen;
  const auto leave = [&](const std::string& name, const RubyValue& value) {
    if (!can_leave(value, seen)) {
      what = name;
      return false;
    }
    out.emplace_back(name, to_puppet(value, 1));
    return true;
  };
  for (const auto& [name, value] : instance_variables_)
    if (!leave(fmt::format("@{}", name), value)) return false;
  return true;
}

} // namespace pupc::compiler::ruby
