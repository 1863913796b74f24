#include "compiler/parse/frame_builder.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

constexpr uint64_t metaparameters = [] {
  uint64_t bits = 0;
  for (Symbol s : {sym::alias, sym::audit, sym::before, sym::consume, sym::export_, sym::loglevel, sym::noop, sym::notify, sym::require,
                   sym::schedule, sym::stage, sym::subscribe, sym::tag})
    bits |= uint64_t(1) << s.id;
  return bits;
}();
static_assert(sym::well_known_count <= 64, "a bit for each name that may be a metaparameter's");

bool is_metaparameter_name(Symbol s) { return s.id < 64 && (metaparameters >> s.id & 1) != 0; }

void mark_assigned(Node* target) {
  if (target->kind == NodeKind::Variable)
    target->flags |= variable_assigned;
  else if (target->kind == NodeKind::ListLiteral)
    for (Node* element : static_cast<ListLiteral*>(target)->elements) mark_assigned(element);
}

} // namespace

void FrameBuilder::assignment(Binary* assignment) {
  mark_assigned(assignment->left);
  notes_.push_back(assignment);
}

/// Moves the notes of a type before those of the body: what the defaults of earlier parameters hold.
void FrameBuilder::move_type_out() {
  const auto begin = notes_.begin();
  std::rotate(begin + static_cast<ptrdiff_t>(place_.own), begin + static_cast<ptrdiff_t>(place_.parameter), notes_.end());
  place_.own += notes_.size() - place_.parameter;
  place_.parameter = notes_.size();
}

/// The slot of a name, or the free one that it would get.
FrameBuilder::Slot& FrameBuilder::slot_of(Symbol name) {
  // Names that come into being together have ids in a row: spread, they are not in each other's way.
  for (size_t i = name.id * 0x9E3779B1u >> 16;; ++i) {
    Slot& slot = slots_[i & slot_mask_];
    if (slot.body != body_ || slot.name == name) return slot;
  }
}

void FrameBuilder::add(Symbol name) {
  Slot& slot = slot_of(name);
  if (slot.body == body_) return;
  slot = {name, body_, name_count_};
  names_[name_count_++] = name;
  if (name_count_ > slot_mask_ / 2) [[unlikely]]
    grow();
}

void FrameBuilder::grow() {
  slots_.assign(4 * slots_.size(), {});
  slot_mask_ = slots_.size() - 1;
  names_.resize(slots_.size() / 2);
  for (uint32_t i = 0; i < name_count_; ++i) slot_of(names_[i]) = {names_[i], body_, i};
}

FrameLayout* FrameBuilder::finish(BodyKind kind, const Seq<Parameter>& parameters, const BodyPlace& around, Arena& arena) {
  ++body_;
  name_count_ = 0;
  assignments_.clear();
  for (const Parameter& p : parameters) add(p.name);
  if (kind == BodyKind::Node || kind == BodyKind::Resource) {
    for (Symbol s : {sym::title, sym::name, sym::module_name, sym::caller_module_name}) add(s);
  }

  // Names first, because a variable may be set after its use.
  Node** const begin = notes_.data() + place_.own;
  Node** const end = notes_.data() + notes_.size();
  for (Node** n = begin; n != end; ++n) {
    if ((*n)->kind != NodeKind::Variable) {
      assignments_.push_back(static_cast<const Binary*>(*n));
      continue;
    }
    const Symbol name = (*n)->as<Variable>().base;
    if (((*n)->flags & variable_assigned) != 0 || (kind == BodyKind::Resource && is_metaparameter_name(name))) add(name);
  }
  Node** rest = begin;
  for (Node** n = begin; n != end; ++n) {
    if ((*n)->kind != NodeKind::Variable) continue;
    auto* v = static_cast<Variable*>(*n);
    if (const Slot& slot = slot_of(v->base); slot.body == body_) {
      // A slot number that needs more than 16 bits is dropped: evaluation looks the variable up by name.
      v->slot = slot.number < Variable::no_slot ? static_cast<uint16_t>(slot.number) : Variable::no_slot;
    } else if (kind == BodyKind::Lambda) {
      ++v->up;
      *rest++ = v;
    } else {
      v->up = 0;
    }
  }
  notes_.resize(kind == BodyKind::Lambda ? static_cast<size_t>(rest - notes_.data()) : place_.first);
  place_ = around;

  auto* layout = arena.make<FrameLayout>();
  const auto names = arena.copy_span<Symbol>(std::span<const Symbol>(names_.data(), name_count_));
  layout->names = {names.data(), static_cast<uint32_t>(names.size())};
  if (!assignments_.empty()) {
    const auto assignments = arena.copy_span<const Binary*>(std::span<const Binary* const>(assignments_));
    layout->assignments = {assignments.data(), static_cast<uint32_t>(assignments.size())};
  }
  return layout;
}

} // namespace pupc::compiler
