// Checks on what the walk collected: references to resources that nothing declares, resources declared twice.
#include "catalog/base/stack_memory.h"
#include "catalog/base/text.h"
#include "catalog/base/text_hash.h"
#include "catalog/graph/tags.h"
#include "compiler/analysis/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/schema/resource_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace pupc {
namespace {

/// Whether a pattern (\1 for anything) matches a text.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, hole = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '\1') {
      hole = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (hole != std::string_view::npos) { // backtrack: let the last hole match one character more
      p = hole + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '\1') ++p;
  return p == pattern.size();
}

/// A resource in a body; with null, in any.
struct InBody {
  const void* body;
  std::string_view type, title;
  bool operator==(const InBody&) const = default;
};
struct HashOfPlace {
  size_t operator()(const InBody& p) const {
    return hash_of_text(p.title) ^ (hash_of_text(p.type) * 31) ^ std::hash<const void*>{}(p.body);
  }
};

/// The first part of the memory for the tables of a check over all resources. They die together, so nothing in them is freed by itself.
constexpr size_t table_memory = 64 * 1024;

} // namespace

void Walker::note_declared(std::string_view type, const Node* title, const ResourceExpr& r) {
  if (title->kind == NodeKind::ListLiteral) {
    for (const Node* element : title->as<ListLiteral>().elements) note_declared(type, element, r);
    return;
  }
  DeclaredResource d;
  d.type = lower_name(type);
  d.offset = title->offset;
  d.length = title->length;
  d.source = source_;
  d.module = module_;
  d.definition = body_ ? body_->definition : nullptr;
  d.top = body_ == nullptr || body_->kind == Body::Kind::Top;
  d.body = d.definition != nullptr || body_ == nullptr ? static_cast<const void*>(d.definition) : body_->layout;
  d.conditional = conditional_ > 0 || (body_ != nullptr && body_->dead);
  d.is_virtual = r.form() != ResourceForm::Regular;
  if (auto text = literal_text(title)) {
    d.title = plain_title(d.type, std::move(*text));
    d.literal = true;
  } else if (auto pattern = text_pattern(title); pattern && *pattern != "\1") {
    d.title = std::move(*pattern);
  } else {
    dynamic_types_.emplace(d.type);
    if (module_ != nullptr) dynamic_types_.insert(fmt::format("{}/{}", module_->name, d.type));
    return;
  }
  declared_.push_back(std::move(d));
}

void Walker::note_alias(std::string_view type, const Node* value) {
  if (auto text = literal_text(value)) {
    DeclaredResource d;
    d.type = lower_name(type);
    d.title = plain_title(d.type, std::move(*text));
    d.conditional = true;
    d.module = module_;
    d.literal = true;
    d.alias = true;
    declared_.push_back(std::move(d));
  } else {
    dynamic_types_.insert(std::string(type));
    if (module_ != nullptr) dynamic_types_.insert(fmt::format("{}/{}", module_->name, type));
  }
}

void Walker::note_reference(const Access& a) {
  if (a.left->kind != NodeKind::Reference) return;
  const std::string_view type = lower_name(a.left->as<Reference>().name);
  if (type == "class") {
    for (const Node* key : a.keys)
      if (auto name = literal_text(key); name && key->kind != NodeKind::Variable) check_class_name(*key, *name);
    return;
  }
  if (!in_relationship_) return;
  auto note = [&](const Node* key) {
    auto title = literal_text(key);
    if (!title || key->kind == NodeKind::Variable) return;
    references_.push_back({type, plain_title(type, std::move(*title)), key->offset, key->length, source_, module_, true});
  };
  for (const Node* key : a.keys) {
    if (key->kind == NodeKind::ListLiteral)
      for (const Node* element : key->as<ListLiteral>().elements) note(element);
    else
      note(key);
  }
}

void Walker::check_references() {
  struct OfType {
    using allocator_type = std::pmr::polymorphic_allocator<>; // the map hands its memory on
    explicit OfType(allocator_type memory) : titles(memory), patterns(memory), literal(memory) {}
    std::pmr::unordered_set<std::string_view> titles;
    std::pmr::unordered_set<std::string_view> patterns;
    std::pmr::vector<const DeclaredResource*> literal;
  };
  std::pmr::monotonic_buffer_resource memory(table_memory);
  std::pmr::unordered_map<std::string_view, OfType> by_type(&memory);
  for (const DeclaredResource& d : declared_) {
    OfType& of = by_type[d.type];
    (d.literal ? of.titles : of.patterns).insert(d.title);
    if (d.literal) of.literal.push_back(&d);
  }
  for (const ResourceReference& r : references_) {
    const OfType& candidates = by_type[r.type];
    if (candidates.titles.contains(r.title)) continue;
    if (std::any_of(candidates.patterns.begin(), candidates.patterns.end(), [&](std::string_view p) { return matches(p, r.title); }))
      continue;
    if (program_.find_resource_type(r.type) == nullptr && program_.find_define(r.type) == nullptr) continue;
    std::vector<std::string_view> near;
    for (const DeclaredResource* d : candidates.literal)
      if (d->module == r.module) near.push_back(d->title);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    // Puppet has some of these by itself; note_named_resource() leaves them out.
    const bool builtin = (r.type == "stage" && r.title == "main") || r.type == "filebucket" || r.type == "node";
    if (builtin) continue;
    const bool certain = program_.whole() && program_.complete(nullptr) && !dynamic_types_.contains(std::string(r.type)) &&
                         !declarations_unknown_;
    std::string suggestion = r.title.size() < 4 ? "" : did_you_mean(r.title, near);
    if (!certain && (suggestion.empty() || (r.module != nullptr && dynamic_types_.contains(fmt::format("{}/{}", r.module->name, r.type)))))
      continue;
    findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                  fmt::format("Nothing declares {}['{}']", capitalize_segments(r.type), r.title), std::move(suggestion),
                  certain ? std::nullopt : std::optional(Severity::Warning));
  }
}

/// Reports a name that two files of one module, or of the main manifests, define.
void Walker::check_definitions() {
  struct First {
    const Node* node;
    const SourceFile* source;
    const Module* module;
  };
  std::unordered_map<std::string, First> seen;
  for (const AnalysedFile& file : program_.files()) {
    if (!file.parsed || file.epp) continue;
    const Module* module = program_.module_of(file.path);
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

void Walker::note_include(const Node& at, std::string_view name) {
  const Definition* in = body_ != nullptr ? body_->definition : nullptr;
  includes_.push_back({intern(lower_name(name)),
                       {},
                       source_,
                       at.offset,
                       at.length,
                       body_ ? body_->number : 0,
                       conditional_ > 0 || (body_ != nullptr && body_->dead),
                       false,
                       in != nullptr && in->kind == NodeKind::ClassDef ? in->name : Symbol{}});
}

/// `class { 'name': }` is an error when the same body has included the class above, or declared it.
void Walker::check_declared_again(const Node& title, std::string_view name) {
  if (body_ == nullptr || conditional_ > 0 || body_->dead) return;
  const Symbol wanted = intern(lower_name(name));
  for (auto use = includes_.rbegin(); use != includes_.rend() && use->source == source_; ++use) {
    if (use->name != wanted || use->body != body_->number || use->conditional) continue;
    report(CheckCode::duplicate_resource, title,
           fmt::format("Class['{}'] is in the catalog already: line {} declares or includes it", wanted.str(), source_->line(use->offset)),
           "A class with parameters must be declared before anything includes it.");
    return;
  }
}

/// Reports class variables that the code reads above the only place that includes the class.
void Walker::check_inclusion_order() {
  std::unordered_map<Symbol, std::vector<const ClassUse*>> by_class;
  for (const ClassUse& i : includes_) by_class[i.name].push_back(&i);
  for (const ClassUse& read : class_variables_) {
    if (read.conditional || read.own) continue;
    const auto at = by_class.find(read.name);
    if (at == by_class.end()) continue;
    bool later = false, other = false;
    for (const ClassUse* i : at->second) {
      const bool same = i->body == read.body && i->source == read.source;
      other = other || !same || i->offset < read.offset;
      later = later || (same && i->offset > read.offset && !i->conditional);
    }
    if (later && !other)
      findings_.add(CheckCode::read_before_included, *read.source, read.offset, read.length,
                    fmt::format("'{}' is read above the include of '{}'", read.variable.str(), read.name.str()));
  }
}

void Walker::check_duplicates() {
  std::pmr::monotonic_buffer_resource memory(table_memory);
  std::pmr::unordered_map<InBody, const DeclaredResource*, HashOfPlace> seen(&memory);
  seen.reserve(declared_.size());
  for (const DeclaredResource& d : declared_) {
    if (!d.literal || d.conditional || d.alias || d.type == "class" || d.body == nullptr) continue;
    auto [at, fresh] = seen.try_emplace({d.body, d.type, d.title}, &d);
    if (fresh) continue;
    const LineColumn first = at->second->source->position(at->second->offset);
    findings_.add(CheckCode::duplicate_resource, *d.source, d.offset, d.length,
                  fmt::format("{}['{}'] is declared twice (the first time on line {})", capitalize_segments(d.type), d.title, first.line));
  }
}

/// Reports a class and a class that it always includes, or two such included classes, when both declare the same resource: they cannot
/// both be in a catalog.
void Walker::check_duplicates_of_includes() {
  std::pmr::monotonic_buffer_resource memory(table_memory);
  std::pmr::map<std::string_view, std::pmr::set<std::string_view>> included(&memory);
  for (const ClassUse& use : includes_)
    if (use.in && !use.conditional) included[use.in.str()].insert(use.name.str());
  // Only resources that several classes declare matter; they are few.
  struct Declarers {
    const Definition* first;
    bool several;
  };
  std::pmr::unordered_map<InBody, Declarers, HashOfPlace> declarers(&memory);
  auto always = [](const DeclaredResource& d) {
    return d.literal && !d.conditional && !d.alias && d.type != "class" && d.definition != nullptr &&
           d.definition->kind == NodeKind::ClassDef;
  };
  for (const DeclaredResource& d : declared_) {
    if (!always(d)) continue;
    auto [at, fresh] = declarers.try_emplace({nullptr, d.type, d.title}, Declarers{d.definition, false});
    if (!fresh && at->second.first != d.definition) at->second.several = true;
  }
  std::unordered_map<std::string_view, std::vector<const DeclaredResource*>> declared;
  for (const DeclaredResource& d : declared_)
    if (always(d) && declarers.at({nullptr, d.type, d.title}).several) declared[d.definition->name.str()].push_back(&d);
  if (declared.empty()) return;
  std::set<std::pair<const DeclaredResource*, const DeclaredResource*>> told;
  for (const auto& [start, unused] : included) {
    std::vector<std::string_view> open{start};
    StackMemory<2048> of_class;
    std::pmr::unordered_set<std::string_view> closure(&of_class.resource);
    closure.insert(start);
    std::set<std::string_view> declaring;
    while (!open.empty() && closure.size() < 2000) {
      const std::string_view name = open.back();
      open.pop_back();
      if (declared.contains(name)) declaring.insert(name);
      if (auto at = included.find(name); at != included.end())
        for (std::string_view next : at->second)
          if (closure.insert(next).second) open.push_back(next);
    }
    if (declaring.size() < 2) continue;
    std::map<std::pair<std::string_view, std::string_view>, const DeclaredResource*> seen;
    for (std::string_view name : declaring) {
      for (const DeclaredResource* d : declared.at(name)) {
        auto [first, fresh] = seen.try_emplace({d->type, d->title}, d);
        const DeclaredResource* other = first->second;
        if (fresh || other->definition == d->definition || !told.insert(std::minmax(other, d)).second) continue;
        findings_.add(CheckCode::duplicate_resource, *d->source, d->offset, d->length,
                      fmt::format("{}['{}'] is declared by '{}', too, and '{}' includes both", capitalize_segments(d->type), d->title,
                                  other->definition->name.str(), start));
      }
    }
  }
}

} // namespace pupc
