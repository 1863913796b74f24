// The relationships that the code makes, for Waits.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/base/wildcards.h"
#include "catalog/graph/tags.h"

#include <fmt/format.h>
#include <functional>

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
  } else if (n->kind == NodeKind::Literal && n->as<Literal>().value.is_string()) {
    if (std::string_view type, title; split_reference(n->as<Literal>().value.str(), type, title))
      out.push_back(numbers_.of(lower_symbol(type), plain_title(lower_symbol(type), title)));
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
  std::optional<std::vector<NamedResource>> own; // one for each title
  for (const AttributeOp& op : body.operations) {
    if (op.kind == AttributeOpKind::Splat) continue;
    const bool later = op.name == sym::require || op.name == sym::subscribe;
    if (!later && op.name != sym::before && op.name != sym::notify) continue;
    check_waits_for_class(op);
    const std::vector<NamedResource> others = named_resources(op.value);
    if (!own) {
      own.emplace();
      for (const Node* title : listed_elements(body.title))
        if (const auto one = titled_resource(type, *title)) own->push_back(*one);
      if (own->empty()) return;
      const auto outer = class_at_hand();
      for (NamedResource one : *own)
        if (outer && numbers_.title(one).starts_with(made_title)) waits_.add(Contained{*outer, one, unit_});
    }
    for (NamedResource one : *own)
      for (NamedResource other : others)
        waits_.add(Wait{later ? other : one, later ? one : other, source_, op.value->offset, op.value->length, body_->number, unit_,
                        branch_, always()});
  }
}

void Walker::note_waits(const Binary& relationship) {
  if (body_ == nullptr || body_->dead) return;
  const Node *left = relationship.left, *right = relationship.right;
  while (left->kind == NodeKind::Relationship) left = left->as<Binary>().right;
  while (right->kind == NodeKind::Relationship) right = right->as<Binary>().left;
  const bool turned = relationship.op() == BinaryOp::After || relationship.op() == BinaryOp::SubscribeTo;
  const auto firsts = named_resources(turned ? right : left), thens = named_resources(turned ? left : right);
  for (NamedResource first : firsts)
    for (NamedResource then : thens)
      waits_.add(Wait{first, then, source_, relationship.offset, relationship.length, body_->number, unit_, branch_, always()});
}

/// The class whose body is walked, where all of it is evaluated.
std::optional<NamedResource> Walker::class_at_hand() {
  if (body_ == nullptr || body_->kind != Body::Kind::Class || !always()) return std::nullopt;
  return numbers_.of(sym::class_, lower_name(body_->definition->name));
}

/// `contain x`, `require x` (the function): what the class at hand has in it, or waits for.
void Walker::note_contained(std::string_view function, Symbol name, const Node& at) {
  if (function == "require" && body_ != nullptr && body_->kind == Body::Kind::Define && always())
    define_waits_.push_back({lower_symbol(body_->definition->name), intern(lower_name(name)), source_, at.offset, at.length});
  if (function == "contain" && body_ != nullptr && body_->kind == Body::Kind::Class)
    contained_in_[numbers_.of(sym::class_, lower_name(name))].push_back(numbers_.of(sym::class_, lower_name(body_->definition->name)));
  const auto own = class_at_hand();
  if (!own) return;
  const NamedResource other = numbers_.of(sym::class_, lower_name(name));
  if (function == "contain") waits_.add(Contained{*own, other, unit_});
  // `require` makes the class wait for the other one.
  if (function == "require") waits_.add(Wait{other, *own, source_, 0, 0, body_->number, unit_, 0, true});
}

void Walker::note_refresh_only(const ResourceBody& body) {
  const AttributeOp* op = attribute_of(body, intern("refreshonly"));
  if (op == nullptr || notified_here_ || !program_.whole() || attribute_of(body, sym::subscribe) != nullptr) return;
  if (body_ == nullptr || body_->kind != Body::Kind::Class) return;
  const auto title = literal_text(body.title);
  const StaticValue value = static_value(op->value);
  if (!title || !value.known || scalar_text(value.value) != "true") return;
  const NamedResource owner = numbers_.of(sym::class_, lower_name(body_->definition->name));
  refresh_only_.push_back({numbers_.of(sym::exec, *title), owner, source_, body.title->offset, body.title->length, module_});
}

/// Code names a resource. Where that may end, in variables and hashes, no walk can tell, so it is notified perhaps.
void Walker::note_mention(Symbol type, std::string_view title) {
  if (type == sym::exec && !only_waits_)
    named_execs_.insert(numbers_.of(type, plain_title(type, title)));
  else if (type == sym::class_ && !only_waits_)
    notified_.insert(numbers_.of(type, plain_title(type, title)));
}

/// A reference may be a text, too.
void Walker::note_text_reference(std::string_view text) {
  if (std::string_view type, title; split_reference(text, type, title)) note_mention(lower_symbol(type), title);
}

/// Such a text that is made of parts.
void Walker::note_made_reference(const Interpolation& text) {
  const Node* first = text.parts[0];
  if (first->kind != NodeKind::Literal || !first->as<Literal>().value.is_string()) return;
  const std::string_view begin = first->as<Literal>().value.str();
  const std::string_view type = begin.substr(0, begin.find('['));
  if (type.size() == begin.size()) return;
  if (lower_name(type) == "exec") execs_by_variables_.insert(module_);
  if (lower_name(type) == "class" && !only_waits_) notifies_any_class_ = true;
}

/// Whether something notifies the class, or one that contains it.
bool Walker::may_be_notified(NamedResource class_, int depth) const {
  if (notified_.contains(class_) || depth > 20) return true;
  const std::string_view name = numbers_.title(class_);
  if (data_->mentions(fmt::format("lass[{}]", name)) || data_->mentions(fmt::format("lass[{}]", capitalize_segments(name)))) return true;
  const auto outer = contained_in_.find(class_);
  return outer != contained_in_.end() &&
         std::ranges::any_of(outer->second, [&](NamedResource one) { return may_be_notified(one, depth + 1); });
}

/// Reports execs that wait for a notification which nothing gives: neither to them nor to their class.
void Walker::report_never_run() {
  if (refresh_only_.empty() || collected_types_.contains(sym::exec) || defaulted(sym::exec, sym::subscribe)) return;
  std::vector<std::string_view> patterns, titles;
  for (const ResourceReference& r : references_)
    if (r.type == sym::exec) (r.pattern ? patterns : titles).push_back(r.title);
  for (const ClassGiven& given : class_given_)
    if (given.anything || std::ranges::find(given.parameters, sym::subscribe) != given.parameters.end())
      notified_.insert(numbers_.of(sym::class_, given.name.str()));
  for (const RefreshOnly& r : refresh_only_) {
    const auto named = [&](std::string_view pattern) {
      return fits_wildcards(pattern, numbers_.title(r.exec), '\1', std::equal_to<char>());
    };
    // Of a reference with a slip in it another check tells.
    const auto meant = [&](std::string_view title) { return one_slip_apart(title, numbers_.title(r.exec)); };
    if (std::ranges::any_of(titles, meant)) continue;
    if (notifies_any_class_ || may_be_notified(r.owner) || notified_.contains(r.exec) || named_execs_.contains(r.exec) ||
        data_->mentions(fmt::format("xec[{}]", numbers_.title(r.exec))) || execs_by_variables_.contains(r.module) ||
        std::ranges::any_of(patterns, named))
      continue;
    findings_.add(CheckCode::never_run, *r.source, r.offset, r.length,
                  fmt::format("Nothing notifies Exec['{}'], so it never runs", numbers_.title(r.exec)), "Give subscribe.");
  }
}

} // namespace pupc::compiler
