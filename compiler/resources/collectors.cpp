// Collectors: `Type <| query |> { … }`, `Type <<| query |>>`, realize(). Each looks at a resource when it is new or has changed. Every type
// has a log of changes, and every collector knows how far it has read it.
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "compiler/ast/construct_names.h"
#include "compiler/eval/labels.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/resources/compiler_failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

const Node& without_parentheses(const Node& node) {
  const Node* n = &node;
  while (n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  return *n;
}

} // namespace

const QueryNode* CatalogCompiler::make_query(const Node& expression, Frame& frame, CollectorState& c) {
  const Node& node = without_parentheses(expression);
  auto* out = arena_.make<QueryNode>();
  if (node.kind == NodeKind::And || node.kind == NodeKind::Or) {
    const auto& b = node.as<Binary>();
    out->op = node.kind == NodeKind::And ? QueryNode::Op::And : QueryNode::Op::Or;
    out->left = make_query(*b.left, frame, c);
    out->right = make_query(*b.right, frame, c);
    return out;
  }
  if (node.kind != NodeKind::Comparison)
    fail_unplaced(fmt::format("Cannot transform object of class Puppet::Pops::Model::{}", model_class(node)));
  const auto& b = node.as<Binary>();
  const Node& left = without_parentheses(*b.left);
  if (left.kind == NodeKind::Name) {
    out->attribute = left.as<Name>().name;
  } else {
    Value v = query_operand(left, frame);
    out->attribute = intern(v.is_string() ? v.str() : std::string_view());
  }
  out->value = query_operand(without_parentheses(*b.right), frame);
  if (b.op() == BinaryOp::NotEqual) {
    out->op = QueryNode::Op::NotEqual;
    return out;
  }
  if (out->attribute != sym::tag) return out;
  out->op = QueryNode::Op::Tag;
  c.uses_tags = true;
  std::vector<TagId> tags;
  auto add = [&](const Value& v) {
    if (v.is_number()) fail_unplaced("Cannot transform a number to a tag");
    tags.push_back(catalog_.tag_id(downcase_name(evaluator_.to_string(v))));
  };
  if (out->value.is_list())
    for (const Value& v : out->value.items()) add(v);
  else
    add(out->value);
  out->tags = arena_.copy_span<TagId>(tags);
  return out;
}

Value CatalogCompiler::query_operand(const Node& node, Frame& frame) {
  switch (node.kind) {
  case NodeKind::Access: return catalog_value(evaluator_.evaluate(node, frame), false);
  case NodeKind::Literal:
    if (node.as<Literal>().value.is(Kind::Default)) break;
    return node.as<Literal>().value;
  case NodeKind::Variable:
  case NodeKind::Interpolation:
  case NodeKind::Name: return evaluator_.evaluate(node, frame);
  default: break;
  }
  fail_unplaced(fmt::format("Cannot transform object of class Puppet::Pops::Model::{}", model_class(node)));
}

Value CatalogCompiler::evaluate_collector(const Collector& node, Frame& frame) {
  Loc loc = evaluator_.loc_of(node);
  if (node.exported() && exports_ == nullptr)
    evaluator_.warn(loc, "You cannot collect exported resources without storeconfigs being set; the collection will be ignored");
  if (node.type_expr->kind != NodeKind::Reference) fail_unplaced("LHS is not a type");
  std::string_view name = node.type_expr->as<Reference>().name.str();
  if (name == "class") fail_unplaced("Classes cannot be collected", ErrorCode::catalog_error);
  ResolvedType type = resolve_type(name);
  if (type.kind == ResolvedType::Kind::None) fail_unplaced(fmt::format("Resource type {} doesn't exist", name), ErrorCode::catalog_error);
  CollectorState c;
  c.form = node.exported() ? CollectorState::Form::Exported : CollectorState::Form::Virtual;
  c.type = type.id;
  c.scope = &declaring_scope(frame);
  c.source = source_of(*c.scope);
  c.file = loc.file;
  c.line = loc.file ? loc.file->line(loc.offset) : 0;
  c.offset = loc.offset;
  if (!node.operations.empty()) {
    c.has_overrides = true;
    evaluate_attributes(node.operations, frame, c.overrides, nullptr);
    for (Param& p : c.overrides) set_param_source(p, ParamSource::CollectorOverride);
  }
  if (node.query != nullptr && node.query->kind != NodeKind::Nop) {
    c.query = make_query(*node.query, frame, c);
    find_key(*c.query, c);
  }
  collectors_.push_back(std::move(c));
  return collector_value(static_cast<uint32_t>(collectors_.size() - 1));
}

void CatalogCompiler::realize(std::span<const ResourceRef> references, Frame& caller, Loc loc) {
  CollectorState c;
  c.form = CollectorState::Form::Fixed;
  c.scope = &declaring_scope(caller);
  c.unresolved.assign(references.begin(), references.end());
  c.file = loc.file;
  c.line = loc.file ? loc.file->line(loc.offset) : 0;
  c.offset = loc.offset;
  collectors_.push_back(std::move(c));
}

// ---------------------------------------------------------------------------------------------------------------------
// the log

void CatalogCompiler::note_change(ResourceId id) {
  TypeId type = catalog_[id].type;
  if (type >= changes_.size()) {
    changes_.resize(std::max<size_t>(type + 1, catalog_.type_count()));
    changes_read_.resize(changes_.size());
  }
  auto& log = changes_[type];
  if (log.empty() || log.back() != id || changes_read_[type] == log.size()) log.push_back(id);
}

void CatalogCompiler::note_container_tags(ResourceId id) {
  note_change(id);
  // The tags of a resource without a body matter to no other resource.
  if (state(id).type != nullptr) ++tag_epoch_;
}

// ---------------------------------------------------------------------------------------------------------------------
// queries with a key

void CatalogCompiler::find_key(const QueryNode& query, CollectorState& c) {
  switch (query.op) {
  case QueryNode::Op::Tag: c.key_tags = query.tags; return;
  case QueryNode::Op::Equal:
    if (query.attribute == sym::title && query.value.is_string()) c.key_title = downcase_name(query.value.str());
    return;
  case QueryNode::Op::And:
    find_key(*query.left, c);
    if (!c.keyed()) find_key(*query.right, c);
    return;
  case QueryNode::Op::Or:
  case QueryNode::Op::NotEqual: return;
  }
}

CollectorIndex& CatalogCompiler::drain_changes(TypeId type) {
  auto& slot = collector_indexes_[type];
  if (!slot) slot = std::make_unique<CollectorIndex>();
  CollectorIndex& index = *slot;
  if (type >= changes_.size()) return index;
  if (index.with_tags && index.tag_epoch != tag_epoch_) {
    // A container got new tags: its contents inherit them, so sort in everything again.
    index.drained = 0;
    index.by_tag.clear();
    index.by_title.clear();
  }
  index.tag_epoch = tag_epoch_;
  auto put = [](std::vector<ResourceId>& list, ResourceId id) {
    if (list.empty() || list.back() != id) list.push_back(id);
  };
  const auto& log = changes_[type];
  changes_read_[type] = log.size();
  for (; index.drained < log.size(); ++index.drained) {
    ResourceId id = log[index.drained];
    if (state(id).has(ResourceState::outside)) continue;
    std::string title = downcase_name(catalog_[id].title);
    if (auto it = index.title_watchers.find(title); it != index.title_watchers.end())
      for (CollectorState* c : it->second) put(c->candidates, id);
    put(index.by_title[std::move(title)], id);
    if (!index.with_tags) continue;
    for (ResourceId at = id;;) {
      for (TagId t : catalog_[at].tag_ids()) {
        put(index.by_tag[t], id);
        if (auto it = index.tag_watchers.find(t); it != index.tag_watchers.end())
          for (CollectorState* c : it->second) put(c->candidates, id);
      }
      const Scope* scope = state(at).scope;
      if (scope == nullptr || scope->resource == no_resource || scope->resource == at) break;
      at = scope->resource;
    }
  }
  return index;
}

void CatalogCompiler::watch(CollectorState& c) {
  if (!c.key_tags.empty()) {
    auto& slot = collector_indexes_[c.type];
    if (!slot) slot = std::make_unique<CollectorIndex>();
    if (!slot->with_tags) {
      slot->with_tags = true;
      slot->drained = 0;
      slot->by_title.clear();
    }
  }
  CollectorIndex& index = drain_changes(c.type);
  if (c.watching) return;
  c.watching = true;
  if (c.key_tags.empty()) {
    index.title_watchers[c.key_title].push_back(&c);
    if (auto it = index.by_title.find(c.key_title); it != index.by_title.end()) c.candidates = it->second;
    return;
  }
  for (TagId t : c.key_tags) {
    index.tag_watchers[t].push_back(&c);
    if (auto it = index.by_tag.find(t); it != index.by_tag.end())
      c.candidates.insert(c.candidates.end(), it->second.begin(), it->second.end());
  }
}

void CatalogCompiler::realize_resource(ResourceId id) {
  Resource& r = catalog_[id];
  if (!r.has(Resource::is_virtual)) return;
  r.set(Resource::is_virtual, false);
  if (state(id).type != nullptr && !state(id).has(ResourceState::evaluated)) realized_.push_back(id);
}

// ---------------------------------------------------------------------------------------------------------------------
// matching

bool CatalogCompiler::tagged_with_scope(ResourceId id, std::span<const TagId> tags) const {
  for (;;) {
    auto own = catalog_[id].tag_ids();
    for (TagId t : tags)
      if (std::find(own.begin(), own.end(), t) != own.end()) return true;
    const Scope* scope = states_[id].scope;
    if (scope == nullptr || scope->resource == no_resource || scope->resource == id) return false;
    id = scope->resource;
  }
}

Value CatalogCompiler::query_value(ResourceId id, Symbol attribute) const {
  if (attribute == sym::title) return Value::string(catalog_[id].title);
  const Param* p = catalog_[id].find(attribute);
  return p ? p->value : Value::undef();
}

bool CatalogCompiler::matches(const QueryNode& q, ResourceId id) {
  switch (q.op) {
  case QueryNode::Op::And: return matches(*q.left, id) && matches(*q.right, id);
  case QueryNode::Op::Or: return matches(*q.left, id) || matches(*q.right, id);
  case QueryNode::Op::Tag: return tagged_with_scope(id, q.tags);
  case QueryNode::Op::Equal: {
    Value v = query_value(id, q.attribute);
    return v.is_list() ? evaluator_.includes(v, q.value) : evaluator_.equals(v, q.value);
  }
  case QueryNode::Op::NotEqual: return !evaluator_.equals(query_value(id, q.attribute), q.value);
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// what other nodes exported

const ExportQuery* CatalogCompiler::export_query(const QueryNode& query) {
  auto* out = arena_.make<ExportQuery>();
  switch (query.op) {
  case QueryNode::Op::And:
  case QueryNode::Op::Or:
    out->op = query.op == QueryNode::Op::And ? ExportQuery::Op::And : ExportQuery::Op::Or;
    out->left = export_query(*query.left);
    out->right = export_query(*query.right);
    return out;
  case QueryNode::Op::NotEqual: out->negated = true; break;
  case QueryNode::Op::Equal:
  case QueryNode::Op::Tag: break;
  }
  out->attribute = query.attribute.str();
  out->value = query.value;
  if (query.attribute == sym::title) {
    out->op = ExportQuery::Op::Title;
  } else if (query.attribute == sym::tag) {
    out->op = ExportQuery::Op::Tag;
    std::vector<Value> tags;
    auto add = [&](const Value& v) { tags.push_back(Value::string(arena_.copy(downcase_name(evaluator_.to_string(v))))); };
    if (query.value.is_list())
      for (const Value& v : query.value.items()) add(v);
    else
      add(query.value);
    out->value = make_list(arena_, tags);
  }
  return out;
}

/// Adds resources that other nodes exported to the catalog, as if the collector's scope had declared them, but without a place in a file.
void CatalogCompiler::collect_exported(CollectorState& c, std::vector<ResourceId>& found) {
  if (c.asked) return; // the answer would be the same
  c.asked = true;
  ResolvedType type = resolve_type(catalog_.type_key(c.type));
  const std::string type_name(catalog_.type_name(c.type));
  for (const ExportedResource& item :
       exports_->find(type_name, c.query != nullptr ? export_query(*c.query) : nullptr, node_name_, arena_)) {
    if (ResourceId present = find_resource(catalog_, c.type, item.title); present != no_resource) {
      // Another collector found it before, or some code declared it.
      auto from = collected_from_.find(present);
      if (from != collected_from_.end() && from->second == item.node && catalog_[present].title == item.title) continue;
      fail_unplaced(fmt::format("A duplicate resource was found while collecting exported resources, with the type and title {}[{}]",
                                type_name, item.title),
                    ErrorCode::catalog_error);
    }
    std::vector<Param> params;
    for (const auto& e : item.parameters.hash->entries()) {
      Param& p = params.emplace_back();
      p.name = intern(e.key.str());
      p.origin = origin_of(c.source, nullptr);
      set_param_source(p, ParamSource::Exported);
      p.value = e.value;
    }
    NewResource wanted{.type = c.type, .title = item.title, .kind = ResourceKind::CompilableType, .params = params};
    wanted.scope = c.scope;
    wanted.source = c.source;
    wanted.how = DeclaredBy::Collector;
    wanted.place = {c.file, c.offset, 0};
    wanted.detail = item.node;
    if (type.kind == ResolvedType::Kind::Define) {
      wanted.kind = ResourceKind::CodeUnit;
      wanted.defined = type.define;
    }
    ResourceId id = no_resource;
    try {
      id = create(wanted);
    } catch (CompileError& error) {
      // What remains, as a name that another resource has, is no error of Puppet's own kinds, and nobody expects it here.
      throw CompilerFailure(std::move(error.diagnostic));
    }
    collected_from_[id] = item.node;
    if (wanted.defined != nullptr) pending_.push_back(id);
    found.push_back(id);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// evaluating

bool CatalogCompiler::evaluate_collectors() {
  bool any = false;
  // Collectors that this pass adds have their turn in the next pass.
  for (size_t i = 0, n = collectors_.size(); i < n; ++i) any |= evaluate_collector_state(collectors_[i]);
  return any;
}

bool CatalogCompiler::evaluate_collector_state(CollectorState& c) {
  std::vector<ResourceId> found;
  switch (c.form) {
  case CollectorState::Form::Fixed:
    std::erase_if(c.unresolved, [&](const ResourceRef& ref) {
      if (ref.type.empty())
        fail_by_compiler(fmt::format("No title provided and {} is not a valid resource reference", ruby_inspect(Value::string(ref.title))));
      ResourceId id = find_reference(ref.type, ref.title);
      if (id == no_resource) return false;
      found.push_back(id);
      return true;
    });
    break;
  case CollectorState::Form::Exported:
    if (exports_ == nullptr) return false;
    [[fallthrough]];
  case CollectorState::Form::Virtual: {
    auto look_at = [&](ResourceId id) {
      if (state(id).has(ResourceState::outside) || c.known.contains(id)) return;
      if (c.form == CollectorState::Form::Exported && !catalog_[id].has(Resource::exported)) return;
      if (c.query == nullptr || matches(*c.query, id)) found.push_back(id);
    };
    if (c.keyed()) {
      watch(c);
      for (ResourceId id : c.candidates) look_at(id);
      c.candidates.clear();
    } else {
      if (c.uses_tags && c.tag_epoch != tag_epoch_) c.seen = 0;
      c.tag_epoch = tag_epoch_;
      if (c.type < changes_.size()) {
        const auto& log = changes_[c.type];
        changes_read_[c.type] = log.size();
        for (; c.seen < log.size(); ++c.seen) look_at(log[c.seen]);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (c.form == CollectorState::Form::Exported) collect_exported(c, found);
    break;
  }
  }
  for (ResourceId id : found) {
    if (observer_ != nullptr && catalog_[id].has(Resource::is_virtual)) observer_->realized(id, {c.file, c.line, c.offset});
    realize_resource(id);
  }
  if (c.has_overrides && !found.empty()) {
    c.source->overrides = true;
    // In Puppet the override is a resource made in the collector's scope: the defaults in force there apply to it.
    std::vector<Param> params = c.overrides;
    std::vector<Param> defaults;
    collect_defaults(c.scope, c.type, defaults);
    for (const Param& d : defaults)
      if (std::none_of(params.begin(), params.end(), [&](const Param& p) { return p.name == d.name; })) params.push_back(d);
    for (ResourceId id : found) add_override({c.type, catalog_[id].title, params, c.source, c.file, c.line});
  }
  bool fresh = false;
  for (ResourceId id : found)
    if (c.known.insert(id).second) {
      c.collected.push_back(id);
      fresh = true;
    }
  return fresh;
}

} // namespace pupc::compiler
