// Resources of one body that wait for each other: no order of them is right, and Puppet fails when it applies the catalog.
#include "compiler/analysis/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"

#include <fmt/format.h>
#include <map>

namespace pupc::compiler {

/// The resource as it is written in code: File['/x'].
std::string Walker::written_reference(NamedResource r) const {
  return fmt::format("{}['{}']", capitalize_segments(numbers_.type(r).str()), numbers_.title(r));
}

/// Adds the resources that a reference, or a list of such, names as literals.
void Walker::add_named_resources(const Node* n, std::vector<NamedResource>& out) {
  n = unparenthesised(n);
  if (n->kind == NodeKind::ListLiteral) {
    for (const Node* element : n->as<ListLiteral>().elements) add_named_resources(element, out);
  } else if (n->kind == NodeKind::Access && n->as<Access>().left->kind == NodeKind::Reference) {
    const Symbol type = lower_symbol(n->as<Access>().left->as<Reference>().name);
    for (const Node* key : n->as<Access>().keys)
      if (auto title = literal_text(key); title && key->kind != NodeKind::Variable)
        out.push_back(numbers_.of(type, plain_title(type, *title)));
  }
}

std::vector<NamedResource> Walker::named_resources(const Node* n) {
  std::vector<NamedResource> out;
  add_named_resources(n, out);
  return out;
}

void Walker::note_waits(const ResourceExpr& r, const ResourceBody& body, Symbol type) {
  if (r.form() != ResourceForm::Regular || body_ == nullptr || conditional_ > 0 || body_->may_leave) return;
  std::optional<NamedResource> own;
  for (const AttributeOp& op : body.operations) {
    if (op.kind == AttributeOpKind::Splat) continue;
    const bool later = op.name == sym::require || op.name == sym::subscribe;
    if (!later && op.name != sym::before && op.name != sym::notify) continue;
    if (!own) {
      const auto title = body.title->kind == NodeKind::Variable ? std::nullopt : literal_text(body.title);
      if (!title) return;
      own = numbers_.of(type, plain_title(type, *title));
    }
    for (NamedResource other : named_resources(op.value))
      waits_.push_back({later ? other : *own, later ? *own : other, source_, op.value->offset, op.value->length, body_->number});
  }
}

void Walker::note_waits(const Binary& relationship) {
  if (body_ == nullptr || conditional_ > 0 || body_->may_leave) return;
  const Node *left = relationship.left, *right = relationship.right;
  while (left->kind == NodeKind::Relationship) left = left->as<Binary>().right;
  while (right->kind == NodeKind::Relationship) right = right->as<Binary>().left;
  const bool turned = relationship.op() == BinaryOp::After || relationship.op() == BinaryOp::SubscribeTo;
  const auto firsts = named_resources(turned ? right : left);
  if (firsts.empty()) return;
  const auto thens = named_resources(turned ? left : right);
  for (NamedResource first : firsts)
    for (NamedResource then : thens) waits_.push_back({first, then, source_, relationship.offset, relationship.length, body_->number});
}

/// Reports each relationship that closes a circle of those noted before it in the same body.
void Walker::check_cycles() {
  std::ranges::stable_sort(waits_, {}, &Wait::body);
  std::vector<NamedResource> firsts;
  for (auto begin = waits_.begin(), end = begin; begin != waits_.end(); begin = end) {
    end = std::find_if(begin, waits_.end(), [&](const Wait& w) { return w.body != begin->body; });
    // In most bodies nothing that waits is waited for.
    firsts.clear();
    for (auto w = begin; w != end; ++w) firsts.push_back(w->first);
    std::sort(firsts.begin(), firsts.end());
    if (std::any_of(begin, end, [&](const Wait& w) { return std::binary_search(firsts.begin(), firsts.end(), w.then); }))
      check_cycles({begin, end});
  }
}

void Walker::check_cycles(std::span<const Wait> of_body) {
  std::map<NamedResource, std::vector<NamedResource>> after; // what waits for a resource
  for (const Wait& w : of_body) {
    // Whether the way from what waits leads to what it waits for.
    std::map<NamedResource, std::optional<NamedResource>> reached_from{{w.then, {}}};
    std::vector<NamedResource> open{w.then};
    for (size_t i = 0; i < open.size() && open.size() < 2000 && !reached_from.contains(w.first); ++i) {
      const NamedResource at = open[i];
      for (NamedResource next : after[at])
        if (reached_from.try_emplace(next, at).second) open.push_back(next);
    }
    if (!reached_from.contains(w.first)) {
      after[w.first].push_back(w.then);
      continue;
    }
    std::string way;
    for (std::optional<NamedResource> at = w.first; at; at = reached_from[*at])
      way = written_reference(*at) + (way.empty() ? "" : " -> ") + way;
    if (w.first != w.then) way = written_reference(w.first) + " -> " + way;
    findings_.add(CheckCode::relationship_cycle, *w.source, w.offset, w.length,
                  w.first == w.then ? fmt::format("{} waits for itself", way) : fmt::format("These wait for each other: {}", way));
  }
}

} // namespace pupc::compiler
