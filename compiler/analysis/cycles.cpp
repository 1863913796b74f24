// Resources of one body that wait for each other: no order of them is right, and Puppet fails when it applies the catalog.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace pupc::compiler {
namespace {

constexpr char made_title = '\2'; // begins the title of one that is made of variables

} // namespace

/// The resource as it is written in code: File['/x'].
std::string Walker::written_reference(NamedResource r) const {
  const std::string type = capitalize_segments(numbers_.type(r).str());
  const std::string_view title = numbers_.title(r);
  if (title.starts_with(made_title)) return fmt::format("{}[{}]", type, title.substr(title.find(made_title, 1) + 1));
  return fmt::format("{}['{}']", type, title);
}

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
      waits_.push_back({later ? other : *own, later ? *own : other, source_, op.value->offset, op.value->length, body_->number, unit_,
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
      waits_.push_back({first, then, source_, relationship.offset, relationship.length, body_->number, unit_, branch_, always()});
}

/// Reports each relationship that closes a circle of those noted before it in the same body: of those that a branch makes, and the
/// branches that it is in.
void Walker::check_cycles() {
  std::ranges::stable_sort(waits_, {}, &Wait::body);
  std::vector<NamedResource> firsts;
  for (auto begin = waits_.begin(), end = begin; begin != waits_.end(); begin = end) {
    end = std::find_if(begin, waits_.end(), [&](const Wait& w) { return w.body != begin->body; });
    // In most bodies nothing that waits is waited for.
    firsts.clear();
    for (auto w = begin; w != end; ++w) firsts.push_back(w->first);
    std::sort(firsts.begin(), firsts.end());
    if (std::none_of(begin, end, [&](const Wait& w) { return std::binary_search(firsts.begin(), firsts.end(), w.then); })) continue;
    std::set<uint32_t> branches;
    for (auto w = begin; w != end; ++w) branches.insert(w->branch);
    for (const uint32_t branch : branches) {
      std::set<uint32_t> around{branch};
      for (uint32_t outer = branch; outer != 0;) around.insert(outer = outer_branches_[outer]);
      std::vector<Wait> made;
      std::copy_if(begin, end, std::back_inserter(made), [&](const Wait& w) { return around.contains(w.branch); });
      check_cycles(made);
    }
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
    if (!told_waits_.emplace(w.source, w.offset).second) continue; // with another branch
    findings_.add(CheckCode::relationship_cycle, *w.source, w.offset, w.length,
                  w.first == w.then ? fmt::format("{} waits for itself", way) : fmt::format("These wait for each other: {}", way));
  }
}

/// `contain x`, `require x` (the function): what the class at hand has in it, or waits for.
void Walker::note_contained(std::string_view function, Symbol name) {
  if (!program_.whole() || body_ == nullptr || body_->kind != Body::Kind::Class || conditional_ > 0 || body_->may_leave) return;
  const NamedResource own = numbers_.of(sym::class_, lower_name(body_->definition->name)),
                      other = numbers_.of(sym::class_, lower_name(name));
  if (function == "contain") contained_.push_back({own, other, unit_});
  // `require` makes the class wait for the other one.
  if (function == "require") waits_.push_back({other, own, source_, 0, 0, body_->number, unit_, 0, true});
}

namespace {

/// A step from one moment to another: a resource begins, or it has ended. One without contents begins and ends at once.
struct Step {
  uint32_t to;
  uint32_t wait;       // index of the relationship; none: contents
  Catalogs::Unit unit; // whose code makes the step
};
constexpr uint32_t no_wait = 0xFFFFFFFF;

} // namespace

/// Circles that lead through the contents of classes: every resource of a class comes after what the class waits for. Only what is certain
/// to be in one catalog counts.
void Walker::check_cycles_of_classes() {
  if (!program_.whole() || waits_.empty()) return;
  const auto count = static_cast<uint32_t>(numbers_.size());
  const auto begin_of = [](NamedResource r) { return 2 * r; };
  const auto is_class = [&](NamedResource r) { return numbers_.type(r) == sym::class_; };
  const auto end_of = [&](NamedResource r) { return is_class(r) ? 2 * r + 1 : 2 * r; };
  std::vector<std::vector<Step>> steps(2 * count);
  const auto contains = [&](NamedResource outer, NamedResource inner, Catalogs::Unit unit) {
    steps[begin_of(outer)].push_back({begin_of(inner), no_wait, unit});
    steps[end_of(inner)].push_back({end_of(outer), no_wait, unit});
  };
  // Only classes that some relationship names matter, and what they contain.
  std::vector<bool> matters(count);
  std::erase_if(waits_, [](const Wait& w) { return !w.always; });
  for (const Wait& w : waits_) matters[w.first] = matters[w.then] = true;
  for (const Contained& c : contained_) matters[c.outer] = matters[c.inner] = true;
  for (const DeclaredResource& d : declared_) {
    if (!d.literal || d.alias || d.conditional || d.type == sym::class_ || d.definition == nullptr ||
        d.definition->kind != NodeKind::ClassDef || !matters[d.number])
      continue;
    const uint32_t owner = numbers_.of(sym::class_, lower_name(d.definition->name));
    if (owner < count) contains(owner, d.number, d.unit);
  }
  for (const Contained& c : contained_) contains(c.outer, c.inner, c.unit);
  for (uint32_t i = 0; i < waits_.size(); ++i) {
    const Wait& w = waits_[i];
    steps[end_of(w.first)].push_back({begin_of(w.then), i, w.unit});
  }
  std::set<std::set<uint32_t>> seen; // circles, by their relationships
  uint32_t budget = 200000;
  for (uint32_t i = 0; i < waits_.size() && budget > 0; ++i) {
    const Wait& w = waits_[i];
    if (told_waits_.contains({w.source, w.offset})) continue;
    // The shortest way back from what waits to what it waits for.
    const uint32_t goal = end_of(w.first);
    std::unordered_map<uint32_t, std::pair<uint32_t, const Step*>> from{{begin_of(w.then), {0, nullptr}}};
    std::vector<uint32_t> open{begin_of(w.then)};
    for (size_t next = 0; next < open.size() && !from.contains(goal) && budget > 0; ++next)
      for (const Step& step : steps[open[next]]) {
        --budget;
        if (from.try_emplace(step.to, open[next], &step).second) open.push_back(step.to);
        if (budget == 0) break;
      }
    if (!from.contains(goal)) continue;
    std::vector<Catalogs::Unit> units{w.unit};
    std::set<uint32_t> waits{i};
    std::string way;
    bool contents = false;
    for (uint32_t at = goal;;) {
      const std::string name = written_reference(at / 2);
      if (!way.starts_with(name + " -> ") && way != name) way = name + (way.empty() ? "" : " -> ") + way;
      const auto& [before, step] = from.at(at);
      if (step == nullptr) break;
      units.push_back(step->unit);
      if (step->wait != no_wait) waits.insert(step->wait);
      contents = contents || step->wait == no_wait;
      at = before;
    }
    // Circles within one body are told already, and what can never be in one catalog is none.
    if ((!contents && waits.size() > 0 && std::ranges::all_of(waits, [&](uint32_t n) { return waits_[n].body == w.body; })) ||
        !catalogs_.always_together(units) || !seen.insert(waits).second)
      continue;
    const Wait& shown = w.length > 0 ? w : waits_[*std::ranges::find_if(waits, [&](uint32_t n) { return waits_[n].length > 0 || n == i; })];
    findings_.add(CheckCode::relationship_cycle, *shown.source, shown.offset, shown.length,
                  fmt::format("These wait for each other: {} -> {}", written_reference(w.first), way));
  }
}

} // namespace pupc::compiler
