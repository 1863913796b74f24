// Titles that stay the same where a resource is declared again and again, and defined types that wait for the class they are declared in.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"
#include "compiler/ast/children.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether the title reads nothing that the block at hand gets or sets, and calls nothing.
bool same_for_each(const Node* n, int depth = 0) {
  if (depth > 20 || n->kind == NodeKind::Call || n->kind == NodeKind::MethodCall) return false;
  if (n->kind == NodeKind::Variable) {
    const auto& v = n->as<Variable>();
    return v.form() == Variable::Form::Simple && v.slot != Variable::no_slot && v.up > 0;
  }
  bool same = true;
  for_each_child(*n, [&](const Node* child) { same = same && same_for_each(child, depth + 1); });
  return same;
}

} // namespace

/// `$x.each |$y| { file { '/one': } }`, and the same in a defined type, which is declared more than once.
void Walker::check_repeated_title(const ResourceExpr& r, const ResourceBody& body, Symbol type) {
  if (r.form() != ResourceForm::Regular || body_ == nullptr || body_->branches > 0 || body_->dead || body_->may_leave || undefined_ > 0)
    return;
  if (body_->kind == Body::Kind::Define && type != sym::class_) {
    for (const Node* element : listed_elements(body.title))
      if (element->kind == NodeKind::Literal || element->kind == NodeKind::Name)
        if (const auto title = literal_text(element); title && !title->empty())
          fixed_titles_.push_back({lower_symbol(body_->definition->name), type, source_, element->offset, element->length, *title});
    return;
  }
  if (body_->kind != Body::Kind::Lambda || body_->iterated == nullptr || !same_for_each(body.title)) return;
  const StaticValue given = static_value(body_->iterated);
  const bool known = given.known && (given.value.is_list() || given.value.is_hash());
  const size_t count = !known ? 0 : given.value.is_list() ? given.value.items().size() : given.value.hash->size;
  if (known && count < 2) return;
  report(CheckCode::duplicate_resource, *body.title, "The title is the same for each element, so a second one is declared again",
         "Make it of what the block gets.", known ? std::nullopt : std::optional(Severity::Warning));
}

/// The class whose body is walked, also in blocks and branches of it.
Symbol Walker::class_around() const {
  const Body* outermost = body_;
  while (outermost != nullptr && outermost->outer != nullptr) outermost = outermost->outer;
  return outermost != nullptr && outermost->kind == Body::Kind::Class ? lower_symbol(outermost->definition->name) : Symbol{};
}

/// A resource of a class that waits for all of the class, itself included; or one of a defined type that waits for a class.
void Walker::check_waits_for_class(const AttributeOp& op) {
  const bool later = op.name == sym::require || op.name == sym::subscribe;
  const Symbol around = class_around();
  const bool of_define = later && body_ != nullptr && body_->kind == Body::Kind::Define && always();
  if (!around && !of_define) return;
  for (const NamedResource named : named_resources(op.value)) {
    if (numbers_.type(named) != sym::class_) continue;
    const Symbol wanted = intern(numbers_.title(named));
    if (of_define) define_waits_.push_back({lower_symbol(body_->definition->name), wanted, source_, op.value->offset, op.value->length});
    if (around == wanted && !always()) // the others are found with all relationships
      report(CheckCode::relationship_cycle, *op.value,
             fmt::format("Class['{}'] contains this resource, so the two wait for each other", wanted.str()));
  }
}

/// What waits for the class that declares it.
void Walker::report_defines_in_classes() {
  for (const DefineWait& w : define_waits_)
    if (define_places_.contains({w.define.id, w.name.id}))
      findings_.add(
          CheckCode::relationship_cycle, *w.source, w.offset, w.length,
          fmt::format("Class['{}'] declares resources of the type '{}', which wait for the class here", w.name.str(), w.define.str()));
}

/// Whether the data gives several titles at once: two elements of a list, two keys of a hash.
bool Walker::gives_several(const ComputedResource& made) const {
  for (const auto& row : made.titles) {
    if (row.size() != 1 || row[0].define || (!row[0].lookup && !row[0].owner)) continue;
    const std::string parameter(row[0].parameter.str());
    for (const Value& v : data_->values(row[0].lookup ? parameter : fmt::format("{}::{}", lower_name(row[0].owner), parameter)))
      if ((v.is_hash() && row[0].keys && v.hash->size > 1) || (v.is_list() && !row[0].keys && v.items().size() > 1)) return true;
  }
  return false;
}

/// Resources of a defined type that have a title of their own each time: where one body declares the defined type twice, or data does.
void Walker::report_fixed_titles() {
  if (fixed_titles_.empty()) return;
  std::unordered_set<Symbol> wanted, several;
  for (const FixedTitle& f : fixed_titles_) wanted.insert(f.define);
  std::map<std::tuple<uint32_t, const void*, uint32_t>, uint32_t> seen; // the first title of a defined type in a branch of a body
  for (const DeclaredResource& d : declared_) {
    if (!wanted.contains(d.type) || !d.literal || d.alias || d.branch == no_branch || d.guarded || d.body == nullptr) continue;
    const auto [first, fresh] = seen.try_emplace({d.type.id, d.body, d.branch}, d.number);
    if (!fresh && first->second != d.number) several.insert(d.type);
  }
  for (const ComputedResource& made : made_)
    if (wanted.contains(made.resource.type) && !several.contains(made.resource.type) && gives_several(made))
      several.insert(made.resource.type);
  for (const FixedTitle& f : fixed_titles_)
    if (several.contains(f.define))
      findings_.add(CheckCode::duplicate_resource, *f.source, f.offset, f.length,
                    fmt::format("'{}' is declared several times, and each time it declares {}['{}']", f.define.str(),
                                capitalize_segments(f.type.str()), f.title),
                    "Make the title of $title.", Severity::Warning);
}

} // namespace pupc::compiler
