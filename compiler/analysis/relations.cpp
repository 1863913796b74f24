// Checks on what the walk collected: resources, classes and definitions that are there twice, variables read before a class is included.
#include "catalog/base/text.h"
#include "catalog/graph/tags.h"
#include "compiler/analysis/codebase/class_graph.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/schema/resource_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace pupc::compiler {
namespace {

/// The last part of a variable's name.
Symbol base_of(Symbol variable) {
  const std::string_view name = variable.str();
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? variable : intern(name.substr(colons + 2));
}

} // namespace

/// Reports a name that two files of one module, or of the main manifests, define.
void Walker::check_definitions() {
  struct First {
    const Node* node;
    const SourceFile* source;
    const Module* module;
  };
  if (!program_.repeats_names()) return;
  std::unordered_map<std::string, First> seen;
  for (const AnalysedFile& file : program_.files()) {
    if (!file.parsed || file.epp || file.plan) continue;
    const Module* module = file.module;
    if (module == nullptr && (shadowed(file.path) || program_.environment().options().manifest.empty() ||
                              !file.path.starts_with(program_.environment().options().manifest)))
      continue;
    if (module != nullptr && !file.path.starts_with(module->path + "/manifests/")) continue;
    const SourceFile* source = file.parsed->source.get();
    for (const Node* node : file.parsed->definitions) {
      if (node->kind != NodeKind::ClassDef && node->kind != NodeKind::DefineDef && node->kind != NodeKind::FunctionDef) continue;
      const std::string_view name = static_cast<const Definition*>(node)->name.str();
      auto [at, fresh] = seen.try_emplace(
          fmt::format("{}{}", node->kind == NodeKind::FunctionDef ? "f " : "", ascii_lower(without_leading_colons(name))),
          First{node, source, module});
      if (fresh || at->second.source == source || at->second.module != module) continue;
      findings_.add(CheckCode::duplicate_definition, *source, node->offset, node->length,
                    fmt::format("'{}' is defined in {}, too (line {})", name, at->second.source->path(),
                                at->second.source->line(at->second.node->offset)));
    }
  }
}

/// `given`: what a declaration of the class gives to its parameters.
void Walker::note_include(const Node& at, Symbol name, const Seq<AttributeOp>* given) {
  const Definition* in = body_ != nullptr ? body_->definition : nullptr;
  const Symbol symbol = lower_symbol(name);
  uint32_t& last = last_includes_.at(symbol);
  includes_.push_back({symbol,
                       {},
                       source_,
                       at.offset,
                       at.length,
                       body_ ? body_->number : 0,
                       conditional_ > 0 || (body_ != nullptr && body_->dead),
                       false,
                       in != nullptr && in->kind == NodeKind::ClassDef ? in->name : Symbol{},
                       last});
  last = static_cast<uint32_t>(includes_.size());
  if (in == nullptr && body_ != nullptr && body_->kind == Body::Kind::Node)
    includes_.back().node = intern(fmt::format("{}:{}", source_->path(), source_->line(node_offset_)));
  catalogs_.add(unit_, catalogs_.unit(Catalogs::Kind::Class, symbol), always());
  if (!program_.whole()) return;
  ClassGiven use{symbol, {}, false, source_, at.offset, at.length, file_->asked};
  if (given != nullptr)
    for (const AttributeOp& op : *given) {
      use.anything = use.anything || op.kind == AttributeOpKind::Splat;
      use.parameters.push_back(op.name);
    }
  class_given_.push_back(std::move(use));
}

/// `class { 'name': }` is an error when the same body has included the class above, or declared it.
void Walker::check_declared_again(const Node& title, std::string_view name) {
  if (body_ == nullptr || conditional_ > 0 || body_->dead) return;
  const Symbol wanted = lower_symbol(name);
  for (auto use = includes_.rbegin(); use != includes_.rend() && use->source == source_; ++use) {
    if (use->name != wanted || use->body != body_->number || use->conditional) continue;
    report(CheckCode::duplicate_resource, title,
           fmt::format("Class['{}'] is in the catalog already: line {} declares or includes it", wanted.str(), source_->line(use->offset)),
           "A class with parameters must be declared before anything includes it.");
    return;
  }
  if (program_.whole()) declared_classes_.push_back(static_cast<uint32_t>(includes_.size())); // note_include() comes next
}

/// `class { 'name': }` is an error, too, when a class that the same body has included above always brings the class. Where that one
/// leads back to the class of the body it may be the first, and ends later.
void Walker::check_declared_behind_includes() {
  if (declared_classes_.empty()) return;
  ClassGraph brought, declared_by; // two declarations are told by check_duplicates_of_includes()
  for (uint32_t i = 0; i < includes_.size(); ++i) {
    if (!includes_[i].in || includes_[i].conditional) continue;
    brought.add(lower_symbol(includes_[i].in), includes_[i].name);
    if (std::ranges::binary_search(declared_classes_, i)) declared_by.add(lower_symbol(includes_[i].in), includes_[i].name);
  }
  brought.sort();
  declared_by.sort();
  for (const uint32_t index : declared_classes_) {
    const ClassUse& declared = includes_[index];
    std::vector<Symbol> open;
    std::unordered_map<Symbol, const ClassUse*> by; // the include above that brings the class
    for (size_t i = index; i-- > 0 && includes_[i].source == declared.source;)
      if (const ClassUse& use = includes_[i]; use.body == declared.body && !use.conditional && by.emplace(use.name, &use).second)
        open.push_back(use.name);
    while (!open.empty() && by.size() < 2000) {
      const Symbol at = open.back();
      open.pop_back();
      for (const auto& [from, to] : brought.of(at)) {
        if (to == declared.name && declared_by.leads(at, to)) continue;
        if (by.emplace(to, by.at(at)).second) open.push_back(to);
      }
    }
    const auto found = by.find(declared.name);
    if (found == by.end() || (declared.in && by.contains(lower_symbol(declared.in)))) continue;
    findings_.add(CheckCode::duplicate_resource, *declared.source, declared.offset, declared.length,
                  fmt::format("Class['{}'] is in the catalog already: line {} includes '{}', which brings it", declared.name.str(),
                              declared.source->line(found->second->offset), found->second->name.str()),
                  "A class with parameters must be declared before anything includes it.");
  }
}

/// A variable of a class of the same module that nothing includes. One that has parameters may be declared by who uses the module.
void Walker::check_class_of_variable(const ClassUse& read) {
  if (last_includes_.get(read.name) != 0 || read.module == nullptr || includes_computed_.contains(read.module)) return;
  const DefinitionEntry* entry = program_.find_class(read.name);
  if (entry == nullptr || program_.module_of(entry->file->source->path()) != read.module) return;
  if (program_.whole()) {
    // What nothing brings along, or only what may bring the class, too, is assigned from outside.
    const Catalogs::Unit wanted = catalogs_.unit(Catalogs::Kind::Class, read.name);
    for (const Catalogs::Unit root : catalogs_.roots_of(read.unit))
      if (root == read.unit || catalogs_.may_bring(root, wanted)) return;
  } else if (!entry->definition->parameters.empty()) {
    return;
  }
  for (uint32_t at = read.in ? last_includes_.get(read.in) : 0; at != 0; at = includes_[at - 1].other)
    if (includes_[at - 1].in == read.name) return;
  findings_.add(CheckCode::read_before_included, *read.source, read.offset, read.length,
                fmt::format("'{}' is read, and nothing includes '{}'", read.variable.str(), read.name.str()),
                fmt::format("Write include {} above.", read.name.str()));
}

/// Whether a class, or one that it inherits, is the wanted one or includes it.
bool Walker::leads_to(Symbol name, Symbol wanted) const {
  for (int depth = 0; name && depth < 20; ++depth) {
    if (name == wanted) return true;
    for (uint32_t at = last_includes_.get(wanted); at != 0; at = includes_[at - 1].other)
      if (includes_[at - 1].in && lower_symbol(includes_[at - 1].in) == name) return true;
    const DefinitionEntry* entry = program_.find_class(name);
    name = entry != nullptr && entry->definition->kind == NodeKind::ClassDef && entry->definition->as<ClassDef>().parent
               ? lower_symbol(entry->definition->as<ClassDef>().parent)
               : Symbol{};
  }
  return false;
}

/// A parameter's default that reads a class which neither the class inherits nor those who include it bring.
void Walker::check_default_of_class(const ClassUse& read) {
  if (!read.in_default || !read.in || read.own) return;
  const Symbol reader = lower_symbol(read.in), wanted = lower_symbol(read.name);
  const DefinitionEntry* entry = program_.find_class(wanted);
  // One with parameters is declared by who uses the module, before the others.
  if (entry == nullptr || !entry->definition->parameters.empty()) return;
  if (program_.module_of(entry->file->source->path()) != read.module || leads_to(reader, wanted)) return;
  for (uint32_t at = last_includes_.get(reader); at != 0; at = includes_[at - 1].other)
    if (!includes_[at - 1].in || leads_to(lower_symbol(includes_[at - 1].in), wanted)) return;
  if (includes_computed_.contains(read.module)) return;
  findings_.add(CheckCode::read_before_included, *read.source, read.offset, read.length,
                fmt::format("'{}' is read in a default, and nothing evaluates '{}' before", read.variable.str(), wanted.str()),
                fmt::format("Write inherits {}.", wanted.str()), Severity::Warning);
}

/// Reports class variables that the code reads above the only place that includes the class, or that nothing includes.
void Walker::check_inclusion_order() {
  for (const ClassUse& read : class_variables_) {
    if (read.conditional || read.own) continue;
    if (const auto lacking = sometimes_set_.find({lower_symbol(read.name).id, base_of(read.variable).id});
        lacking != sometimes_set_.end() && !std::exchange(lacking->second.told, true))
      findings_.add(CheckCode::sometimes_unset, *lacking->second.source, lacking->second.offset, 1,
                    fmt::format("This branch does not set the variable '{}', as the others do ({}:{} reads it)",
                                base_of(read.variable).str(), read.source->path(), read.source->line(read.offset)));
    told_once([&] { check_class_of_variable(read); }, [&] { check_default_of_class(read); });
    bool later = false, other = false;
    for (uint32_t at = last_includes_.get(read.name); at != 0 && !other;) {
      const ClassUse& i = includes_[at - 1];
      const bool same = i.body == read.body && i.source == read.source;
      other = !same || i.offset < read.offset;
      later = later || (same && i.offset > read.offset && !i.conditional);
      at = i.other;
    }
    if (later && !other)
      findings_.add(CheckCode::read_before_included, *read.source, read.offset, read.length,
                    fmt::format("'{}' is read above the include of '{}'", read.variable.str(), read.name.str()));
  }
}

void Walker::check_duplicates() {
  const auto certain = [](const DeclaredResource& d) {
    return d.literal && d.branch != no_branch && (!d.alias || d.unique) && d.type != sym::class_ && d.body != nullptr;
  };
  // Most resources are declared once.
  std::vector<uint8_t> times(numbers_.size()); // 2: several
  for (const DeclaredResource& d : declared_)
    if (certain(d)) times[d.number] = times[d.number] == 0 ? 1 : 2;
  std::vector<const DeclaredResource*> repeated;
  for (const DeclaredResource& d : declared_)
    if (certain(d) && times[d.number] == 2) repeated.push_back(&d);
  const auto same = [](const DeclaredResource* d) { return std::tuple(d->number, d->body, d->branch); };
  std::ranges::stable_sort(repeated, {}, same);
  std::vector<std::pair<const DeclaredResource*, const DeclaredResource*>> twice; // the second, and the first of the body
  for (size_t i = 0, first = 0; i < repeated.size(); ++i) {
    if (same(repeated[i]) != same(repeated[first])) first = i;
    if (first != i) twice.emplace_back(repeated[i], repeated[first]);
  }
  check_duplicates_of_branches(repeated);
  // Titles that are made of the same parts in one body are one title.
  std::map<std::tuple<uint32_t, const void*, uint32_t, std::string_view>, const DeclaredResource*> made;
  for (const DeclaredResource& d : declared_) {
    if (d.literal || d.branch == no_branch || d.alias || d.body == nullptr || d.source == nullptr) continue;
    const std::string_view text = d.source->text().substr(d.offset, d.length);
    if (text.empty() || text.front() != '"' || text.find('(') != std::string_view::npos) continue;
    const auto [first, fresh] = made.try_emplace({d.type.id, d.body, d.branch, text}, &d);
    if (!fresh) twice.emplace_back(&d, first->second);
  }
  std::sort(twice.begin(), twice.end()); // the order of the walk
  for (const auto& [d, first] : twice)
    findings_.add(CheckCode::duplicate_resource, *d->source, d->offset, d->length,
                  fmt::format("{}[{}] is declared twice (the first time on line {})", capitalize_segments(d->type.str()),
                              d->literal ? fmt::format("'{}'", d->title) : std::string(d->source->text().substr(d->offset, d->length)),
                              first->source->position(first->offset).line));
}

/// Two variables that are each the condition of one of the resources, where all other conditions around them are in the same words.
std::optional<std::pair<Symbol, Symbol>> Walker::conditions_of_both(const DeclaredResource& a, const DeclaredResource& b) const {
  const auto around = [&](uint32_t branch) { // from the body inwards
    std::vector<uint32_t> out;
    for (; branch != 0; branch = outer_branches_[branch]) out.insert(out.begin(), branch);
    return out;
  };
  const std::vector<uint32_t> first = around(a.branch), second = around(b.branch);
  size_t at = 0;
  while (at < first.size() && at < second.size() && first[at] == second[at]) ++at;
  if (first.size() != second.size() || at == first.size()) return std::nullopt;
  const auto words = [&](uint32_t branch) {
    const Node* test = branch_conditions_[branch];
    return test != nullptr ? source_text(*a.source, *test) : std::string_view();
  };
  for (size_t i = at + 1; i < first.size(); ++i)
    if (words(first[i]).empty() || words(first[i]) != words(second[i])) return std::nullopt;
  const Node *test = branch_conditions_[first[at]], *other = branch_conditions_[second[at]];
  if (test == nullptr || other == nullptr || test->kind != NodeKind::Variable || other->kind != NodeKind::Variable) return std::nullopt;
  const Symbol one = test->as<Variable>().name, two = other->as<Variable>().name;
  return one != two ? std::optional(std::pair(one, two)) : std::nullopt;
}

/// One of two resources stands in a branch of what always declares the other, or each in a branch with a condition of its own.
void Walker::check_duplicates_of_branches(std::span<const DeclaredResource* const> repeated) {
  const auto inside = [&](uint32_t branch, uint32_t outer) {
    while (branch != outer && branch != 0) branch = outer_branches_[branch];
    return branch == outer;
  };
  for (size_t i = 0; i < repeated.size(); ++i)
    for (size_t k = i + 1; k < repeated.size() && repeated[k]->number == repeated[i]->number && repeated[k]->body == repeated[i]->body;
         ++k) {
      const DeclaredResource *a = repeated[i], *b = repeated[k];
      if (a->branch == b->branch || a->guarded || b->guarded || a->source != b->source) continue;
      if (a->offset > b->offset) std::swap(a, b);
      const bool nested = inside(a->branch, b->branch) || inside(b->branch, a->branch);
      const auto both = nested ? std::nullopt : conditions_of_both(*a, *b);
      if (!nested && !both) continue;
      findings_.add(
          CheckCode::duplicate_resource, *b->source, b->offset, b->length,
          fmt::format("{}['{}'] is declared twice where {} (the first time on line {})", capitalize_segments(b->type.str()), b->title,
                      nested ? "the condition holds" : fmt::format("'{}' and '{}' are true", both->first.str(), both->second.str()),
                      a->source->line(a->offset)),
          {}, nested ? std::nullopt : std::optional(Severity::Warning));
    }
}

/// Reports a class and a class that it always includes, or two such included classes, when both declare the same resource: they cannot
/// both be in a catalog.
void Walker::check_duplicates_of_includes() {
  // Only resources that several classes declare matter; they are few.
  struct Declarers {
    const Definition* first = nullptr;
    bool several = false;
  };
  std::vector<Declarers> declarers(numbers_.size());
  auto always = [](const DeclaredResource& d) {
    return d.literal && !d.conditional && !d.alias && d.definition != nullptr && d.definition->kind == NodeKind::ClassDef;
  };
  bool any = false;
  for (const DeclaredResource& d : declared_) {
    if (!always(d)) continue;
    Declarers& by = declarers[d.number];
    if (by.first == nullptr)
      by.first = d.definition;
    else if (by.first != d.definition)
      any = by.several = true;
  }
  if (!any) return;
  std::unordered_map<Symbol, std::vector<const DeclaredResource*>> declared;
  for (const DeclaredResource& d : declared_)
    if (always(d) && declarers[d.number].several) declared[d.definition->name].push_back(&d);
  const std::vector<Symbol> starts = classes_that_reach_two(declared, [&](Symbol name, auto&& f) {
    for (uint32_t at = last_includes_.get(name); at != 0; at = includes_[at - 1].other)
      if (const ClassUse& use = includes_[at - 1]; (use.in || use.node) && !use.conditional) f(use.in ? use.in : use.node);
  });
  if (starts.empty()) return;
  ClassGraph included;
  for (const ClassUse& use : includes_)
    if ((use.in || use.node) && !use.conditional) included.add(use.in ? use.in : use.node, use.name);
  included.sort();
  std::set<std::pair<const DeclaredResource*, const DeclaredResource*>> told;
  for (Symbol start : starts) {
    std::vector<Symbol> open{start};
    std::unordered_set<Symbol> closure{start};
    std::vector<Symbol> in_closure;
    while (!open.empty() && closure.size() < 2000) {
      const Symbol name = open.back();
      open.pop_back();
      if (declared.contains(name)) in_closure.push_back(name);
      const size_t first = open.size();
      for (const auto& [_, next] : included.of(name))
        if (closure.insert(next).second) open.push_back(next);
      std::sort(open.begin() + static_cast<ptrdiff_t>(first), open.end(), [](Symbol a, Symbol b) { return a.str() < b.str(); });
    }
    std::ranges::sort(in_closure, {}, &Symbol::str);
    if (in_closure.size() < 2) continue;
    std::unordered_map<uint32_t, const DeclaredResource*> seen;
    for (Symbol name : in_closure) {
      for (const DeclaredResource* d : declared.at(name)) {
        auto [first, fresh] = seen.try_emplace(d->number, d);
        const DeclaredResource* other = first->second;
        if (fresh || other->definition == d->definition || !told.insert(std::minmax(other, d)).second) continue;
        findings_.add(CheckCode::duplicate_resource, *d->source, d->offset, d->length,
                      fmt::format("{}['{}'] is declared by '{}', too, and '{}' includes both", capitalize_segments(d->type.str()), d->title,
                                  other->definition->name.str(), start.str()));
      }
    }
  }
}

} // namespace pupc::compiler
