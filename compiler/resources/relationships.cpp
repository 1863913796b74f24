// Relationships: `a -> b ~> c`. Operands become references at once. The parameters `before` and `notify` are set when all resources exist.
#include "catalog/base/stack.h"
#include "catalog/graph/tags.h"
#include "compiler/eval/labels.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/types/core_types.h"
#include "compiler/types/runtime_object.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

struct OperandHash {
  size_t operator()(const CatalogCompiler::RelationOperand& o) const {
    return std::hash<std::string_view>{}(o.ref.title) * 31 + std::hash<std::string_view>{}(o.ref.type) +
           reinterpret_cast<uintptr_t>(o.collector);
  }
};

/// What a collector's value is and shows. It lives in the catalog's arena, as the value may be asked for its text behind the compile.
struct CollectorHost final : RuntimeObjectHost {
  explicit CollectorHost(std::string_view t) : shown(t) {}
  bool same(const RuntimeObject& a, const RuntimeObject& b) const override { return a.host == b.host; }
  std::string text(const RuntimeObject&) const override { return std::string(shown); }
  std::string_view shown;
};

/// Keeps the first of equal operands: they are sets.
void make_unique(std::vector<CatalogCompiler::RelationOperand>& operands) {
  if (operands.size() < 2) return;
  std::unordered_set<CatalogCompiler::RelationOperand, OperandHash> seen;
  std::erase_if(operands, [&](const auto& o) { return !seen.insert(o).second; });
}

} // namespace

Value CatalogCompiler::operand_list(Arena& arena, const std::vector<RelationOperand>& operands) {
  ListBuilder out(arena, operands.size());
  for (const auto& o : operands) out.add(o.value);
  return out.finish();
}

Value CatalogCompiler::collector_value(uint32_t index) {
  static constexpr std::string_view catalog_classes[] = {"Puppet::Pops::Evaluator::Collectors::CatalogCollector",
                                                         "Puppet::Pops::Evaluator::Collectors::AbstractCollector", "Object", "Kernel",
                                                         "BasicObject"};
  static constexpr std::string_view exported_classes[] = {"Puppet::Pops::Evaluator::Collectors::ExportedCollector",
                                                          "Puppet::Pops::Evaluator::Collectors::AbstractCollector", "Object", "Kernel",
                                                          "BasicObject"};
  auto* object = arena_.make<RuntimeObject>();
  object->number = index;
  object->in_ruby = false;
  object->ruby_hash = index;
  const CollectorState& c = collectors_[index];
  const bool exported = c.form == CollectorState::Form::Exported;
  if (exported)
    object->classes = exported_classes;
  else
    object->classes = catalog_classes;
  object->host = arena_.make<CollectorHost>(
      arena_.copy(fmt::format("{}-Collector[{}]", exported ? "Exported" : "Catalog", catalog_.type_name(c.type))));
  return Value::opaque_of(Kind::Object, object);
}

CollectorState* CatalogCompiler::collector_of(const Value& v) {
  const RuntimeObject* object = as_runtime_object(v);
  return object != nullptr && dynamic_cast<const CollectorHost*>(object->host) != nullptr ? &collectors_[object->number] : nullptr;
}

void CatalogCompiler::relation_operands(const Value& v, const Binary& node, std::vector<RelationOperand>& out) {
  check_native_stack();
  if (v.is_list()) {
    for (const Value& item : v.items()) relation_operands(item, node, out);
    return;
  }
  RelationOperand operand;
  operand.value = v;
  if (CollectorState* collector = collector_of(v)) {
    operand.kind = RelationOperand::Kind::Collector;
    operand.collector = collector;
  } else if (v.is(Kind::Ref)) {
    operand.ref = *v.ref;
  } else {
    const Type* type = as_type(v);
    if (v.is_string()) type = parse_type(evaluator_.types(), v.str());
    if (type == nullptr)
      evaluator_.fail(
          ErrorCode::catalog_error, node,
          fmt::format("Illegal relationship operand, can not form a relationship with {}. A Catalog type is required.", a_an(label(v))));
    if (type->kind == TypeKind::Type) // Type[Notify['a']] stands for its type, as in Puppet
      if (const Type* inner = type_cast<WrapperType>(type).inner;
          inner != nullptr && (inner->kind == TypeKind::Resource || inner->kind == TypeKind::Class))
        type = inner;
    if (type->kind != TypeKind::Resource && type->kind != TypeKind::Class)
      evaluator_.fail(
          ErrorCode::catalog_error, node,
          fmt::format("Illegal relationship operand, can not form a relationship with something of type {}. A Catalog type is required.",
                      type->to_string()));
    operand.ref = *reference_of(type).ref;
    operand.value = Value::type(type);
  }
  out.push_back(operand);
}

Value CatalogCompiler::evaluate_relationship(const Binary& node, Frame& frame) {
  PUPC_ASSERT(!related_, "code runs before the finish phase");
  Value left = evaluator_.evaluate(*node.left, frame);
  Value right = evaluator_.evaluate(*node.right, frame);
  std::vector<RelationOperand> a, b;
  relation_operands(left, node, a);
  relation_operands(right, node, b);
  make_unique(a);
  make_unique(b);
  bool reverse = node.op() == BinaryOp::After || node.op() == BinaryOp::SubscribeTo;
  bool notify = node.op() == BinaryOp::Notify || node.op() == BinaryOp::SubscribeTo;
  const auto& from = reverse ? b : a;
  const auto& to = reverse ? a : b;
  for (const auto& f : from)
    for (const auto& t : to) relations_.push_back({f, t, notify});
  if (observer_ != nullptr) {
    const Loc loc = evaluator_.loc_of(node);
    relation_places_.resize(relations_.size(), {loc.file, loc.file != nullptr ? loc.file->line(loc.offset) : 0, loc.offset});
  }
  // After an empty right side the left side goes on in the chain. A collector may turn out to be empty only later.
  if (b.empty()) return operand_list(arena_, a);
  if (b.size() == 1 && b[0].collector != nullptr) b[0].collector->empty_alternative = a;
  return operand_list(arena_, b);
}

void CatalogCompiler::expand(const RelationOperand& operand, bool left, std::vector<RelationEnd>& out) {
  if (operand.kind == RelationOperand::Kind::Reference) {
    out.push_back({operand.ref});
    return;
  }
  const CollectorState* c = operand.collector;
  for (size_t hops = 0; c->collected.empty() && left; ++hops) {
    const auto& alternative = c->empty_alternative;
    if (alternative.size() == 1 && alternative[0].collector != nullptr && hops < collectors_.size()) {
      c = alternative[0].collector;
      continue;
    }
    for (const auto& other : alternative)
      if (other.collector == nullptr) out.push_back({other.ref, true});
    return;
  }
  for (ResourceId id : c->collected) out.push_back({{catalog_.type_name(catalog_[id].type), catalog_[id].title}});
}

void CatalogCompiler::evaluate_relationships() {
  PUPC_ASSERT(!related_, "relationships are applied once");
  related_ = true;
  std::vector<RelationEnd> from, to;
  for (size_t i = 0; i < relations_.size(); ++i) {
    const Relation& r = relations_[i];
    from.clear();
    to.clear();
    expand(r.from, true, from);
    expand(r.to, false, to);
    for (const auto& f : from)
      for (const auto& t : to) relate(f, t, r.notify, observer_ != nullptr ? relation_places_[i] : OriginPlace());
  }
}

ResourceId CatalogCompiler::find_by_text(const ResourceRef& ref) {
  if (ref.title.empty())
    fail_unplaced(fmt::format("No title provided and \"{}[]\" is not a valid resource reference", ref.type), ErrorCode::catalog_error);
  return find_reference(ref.type, ref.title);
}

void CatalogCompiler::relate(const RelationEnd& from, const RelationEnd& to, bool notify, const OriginPlace& place) {
  auto shown = [](const RelationEnd& end) {
    if (!end.as_type) return to_string(end.ref);
    return end.ref.type == "Class" ? fmt::format("Class[{}]", downcase_name(end.ref.title))
                                   : fmt::format("{}['{}']", end.ref.type, end.ref.title);
  };
  ResourceId source = find_by_text(from.ref);
  if (source == no_resource)
    fail_unplaced(fmt::format("Could not find resource '{}' for relationship on '{}'", shown(from), shown(to)), ErrorCode::catalog_error);
  if (find_by_text(to.ref) == no_resource)
    fail_unplaced(fmt::format("Could not find resource '{}' for relationship from '{}'", shown(to), shown(from)), ErrorCode::catalog_error);
  Symbol name = notify ? sym::notify : sym::before;
  Param* p = catalog_[source].find(name);
  if (p == nullptr || !(p->flags & own_list_flag)) {
    Param fresh;
    fresh.name = name;
    fresh.origin = origin_of(state(source).source, nullptr);
    fresh.flags = own_list_flag;
    std::span<const Value> present;
    if (p != nullptr && p->value.is_list())
      present = p->value.items();
    else if (p != nullptr && !p->value.is_undef())
      present = {&p->value, 1};
    fresh.value = own_copy(present);
    p = &catalog_.set_param(source, fresh);
  }
  const Value target = Value::string(arena_.copy(to_string(to.ref)));
  append_to_own(*p, target);
  if (observer_ == nullptr) return;
  Param added;
  added.name = name;
  added.value = target;
  added.flags = Param::append;
  set_param_source(added, ParamSource::Relationship);
  tell_param(source, added, place, no_resource);
}

void CatalogCompiler::append_to_own(Param& p, const Value& item) {
  PUPC_ASSERT(p.value.is_list() && (p.flags & own_list_flag) != 0, "only an OwnList is appended to");
  OwnList* list = static_cast<const OwnList*>(p.value.list)->own;
  PUPC_ASSERT(list == p.value.list && list->data == list->storage && list->size <= list->capacity, "the list is its owner's");
  if (list->size == list->capacity) {
    list->capacity = std::max<uint32_t>(4, list->capacity * 2);
    Value* grown = arena_.make_array<Value>(list->capacity);
    std::copy_n(list->data, list->size, grown);
    list->data = list->storage = grown;
  }
  list->storage[list->size++] = item;
}

} // namespace pupc::compiler
