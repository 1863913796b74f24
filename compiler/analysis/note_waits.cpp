// The relationships that the code makes, for Waits.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"

#include <fmt/format.h>

namespace pupc::compiler {

/// The resource of a title that stands in the code. One that is made of variables is the same wherever it stands in the same words in one
/// body, as variables do not change.
std::optional<NamedResource> Walker::titled_resource(Symbol type, const Node& title) {
  if (title.kind != NodeKind::Variable)
    if (const auto text = literal_text(&title)) return numbers_.of(type, plain_title(type, *text));
  const std::string_view words = source_->text().substr(title.offset, title.length);
  if ((title.kind != NodeKind::Variable && title.kind != NodeKind::Interpolation) || words.find('(') != std::string_view::npos)
    return std::nullopt;
  return numbers_.of(type, program_.arena().copy(fmt::format("{}{}{}{}", made_title, body_->number, made_title, words)));
}

/// Adds the resources that a reference, or a list of such, names.
void Walker::add_named_resources(const Node* n, std::vector<NamedResource>& out) {
  n = unparenthesised(n);
  if (n->kind == NodeKind::ListLiteral) {
    for (const Node* element : n->as<ListLiteral>().elements) add_named_resources(element, out);
  } else if (n->kind == NodeKind::Access && n->as<Access>().left->kind == NodeKind::Reference) {
    const Symbol type = lower_symbol(n->as<Access>().left->as<Reference>().name);
    for (const Node* key : n->as<Access>().keys)
      if (const auto named = titled_resource(type, *key)) out.push_back(*named);
  }
}

std::vector<NamedResource> Walker::named_resources(const Node* n) {
  std::vector<NamedResource> out;
  add_named_resources(n, out);
  return out;
}

void Walker::note_waits(const ResourceExpr& r, const ResourceBody& body, Symbol type) {
  if (r.form() != ResourceForm::Regular || body_ == nullptr || body_->dead) return;
  std::optional<NamedResource> own;
  for (const AttributeOp& op : body.operations) {
    if (op.kind == AttributeOpKind::Splat) continue;
    const bool later = op.name == sym::require || op.name == sym::subscribe;
    if (!later && op.name != sym::before && op.name != sym::notify) continue;
    if (!own) {
      own = titled_resource(type, *body.title);
      if (!own) return;
    }
    for (NamedResource other : named_resources(op.value))
      waits_.add(Wait{later ? other : *own, later ? *own : other, source_, op.value->offset, op.value->length, body_->number, unit_,
                      branch_, always()});
  }
}

void Walker::note_waits(const Binary& relationship) {
  if (body_ == nullptr || body_->dead) return;
  const Node *left = relationship.left, *right = relationship.right;
  while (left->kind == NodeKind::Relationship) left = left->as<Binary>().right;
  while (right->kind == NodeKind::Relationship) right = right->as<Binary>().left;
  const bool turned = relationship.op() == BinaryOp::After || relationship.op() == BinaryOp::SubscribeTo;
  const auto firsts = named_resources(turned ? right : left);
  if (firsts.empty()) return;
  const auto thens = named_resources(turned ? left : right);
  for (NamedResource first : firsts)
    for (NamedResource then : thens)
      waits_.add(Wait{first, then, source_, relationship.offset, relationship.length, body_->number, unit_, branch_, always()});
}

/// `contain x`, `require x` (the function): what the class at hand has in it, or waits for.
void Walker::note_contained(std::string_view function, Symbol name) {
  if (!program_.whole() || body_ == nullptr || body_->kind != Body::Kind::Class || conditional_ > 0 || body_->may_leave) return;
  const NamedResource own = numbers_.of(sym::class_, lower_name(body_->definition->name)),
                      other = numbers_.of(sym::class_, lower_name(name));
  if (function == "contain") waits_.add(Contained{own, other, unit_});
  // `require` makes the class wait for the other one.
  if (function == "require") waits_.add(Wait{other, own, source_, 0, 0, body_->number, unit_, 0, true});
}

} // namespace pupc::compiler
