// Resources of one body that wait for each other: no order of them is right, and Puppet fails when it applies the catalog.
#include "compiler/analysis/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"

#include <fmt/format.h>
#include <map>

namespace pupc {
namespace {

std::string plain_reference(Symbol type, std::string_view title) {
  std::string out(type.str());
  return out.append(" ").append(plain_title(type, title));
}

/// "file /x" as it is written in code: File['/x'].
std::string written_reference(std::string_view reference) {
  const size_t blank = reference.find(' ');
  return fmt::format("{}['{}']", capitalize_segments(reference.substr(0, blank)), reference.substr(blank + 1));
}

} // namespace

/// The resources that a reference, or a list of such, names as literals.
std::vector<std::string> Walker::named_resources(const Node* n) {
  std::vector<std::string> out;
  n = unparenthesised(n);
  if (n->kind == NodeKind::ListLiteral) {
    for (const Node* element : n->as<ListLiteral>().elements)
      for (std::string& reference : named_resources(element)) out.push_back(std::move(reference));
  } else if (n->kind == NodeKind::Access && n->as<Access>().left->kind == NodeKind::Reference) {
    const Symbol type = lower_symbol(n->as<Access>().left->as<Reference>().name);
    for (const Node* key : n->as<Access>().keys)
      if (auto title = literal_text(key); title && key->kind != NodeKind::Variable) out.push_back(plain_reference(type, *title));
  }
  return out;
}

void Walker::note_waits(const ResourceExpr& r, const ResourceBody& body, Symbol type) {
  if (r.form() != ResourceForm::Regular || body_ == nullptr || conditional_ > 0 || body_->may_leave) return;
  std::optional<std::string> own;
  for (const AttributeOp& op : body.operations) {
    if (op.kind == AttributeOpKind::Splat) continue;
    const bool later = op.name == sym::require || op.name == sym::subscribe;
    if (!later && op.name != sym::before && op.name != sym::notify) continue;
    if (!own) {
      const auto title = body.title->kind == NodeKind::Variable ? std::nullopt : literal_text(body.title);
      if (!title) return;
      own = plain_reference(type, *title);
    }
    for (std::string& other : named_resources(op.value))
      waits_.push_back({later ? other : *own, later ? *own : other, source_, op.value->offset, op.value->length, body_->number});
  }
}

void Walker::note_waits(const Binary& relationship) {
  if (body_ == nullptr || conditional_ > 0 || body_->may_leave) return;
  const Node *left = relationship.left, *right = relationship.right;
  while (left->kind == NodeKind::Relationship) left = left->as<Binary>().right;
  while (right->kind == NodeKind::Relationship) right = right->as<Binary>().left;
  const bool turned = relationship.op() == BinaryOp::After || relationship.op() == BinaryOp::SubscribeTo;
  for (const std::string& first : named_resources(turned ? right : left))
    for (const std::string& then : named_resources(turned ? left : right))
      waits_.push_back({first, then, source_, relationship.offset, relationship.length, body_->number});
}

/// Reports each relationship that closes a circle of those noted before it in the same body.
void Walker::check_cycles() {
  std::map<std::pair<const SourceFile*, uint32_t>, std::vector<const Wait*>> by_body;
  for (const Wait& w : waits_) by_body[{w.source, w.body}].push_back(&w);
  for (const auto& [place, waits] : by_body) {
    std::map<std::string_view, std::vector<std::string_view>> after; // what waits for a resource
    for (const Wait* w : waits) {
      // Whether the way from what waits leads to what it waits for.
      std::map<std::string_view, std::string_view> reached_from{{w->then, {}}};
      std::vector<std::string_view> open{w->then};
      for (size_t i = 0; i < open.size() && open.size() < 2000 && !reached_from.contains(w->first); ++i)
        for (std::string_view next : after[open[i]])
          if (reached_from.try_emplace(next, open[i]).second) open.push_back(next);
      if (!reached_from.contains(w->first)) {
        after[w->first].push_back(w->then);
        continue;
      }
      std::string way;
      for (std::string_view at = w->first; !at.empty(); at = reached_from[at])
        way = written_reference(at) + (way.empty() ? "" : " -> ") + way;
      if (w->first != w->then) way = written_reference(w->first) + " -> " + way;
      findings_.add(CheckCode::relationship_cycle, *w->source, w->offset, w->length,
                    w->first == w->then ? fmt::format("{} waits for itself", way) : fmt::format("These wait for each other: {}", way));
    }
  }
}

} // namespace pupc
