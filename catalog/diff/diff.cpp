#include "catalog/diff/diff.h"
#include "catalog/base/stack.h"
#include "catalog/diff/document_members.h"
#include "catalog/diff/ignore_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace pupc::catalog {
namespace {

/// Equality of JSON values. 1 and 1.0 differ, and the order of keys in a hash does not matter.
bool same(const Value& a, const Value& b) {
  check_native_stack();
  if (a.is_string() && b.is_string()) return a.str() == b.str();
  if (a.kind != b.kind) return false;
  if (a.is_list()) {
    auto x = a.items(), y = b.items();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  }
  if (a.is_hash()) {
    if (a.hash->entries().size() != b.hash->entries().size()) return false;
    return std::all_of(a.hash->entries().begin(), a.hash->entries().end(), [&](const HashEntry& e) {
      const Value* other = b.hash->find(e.key.str());
      return other != nullptr && same(e.value, *other);
    });
  }
  if (a.is_int()) return a.i == b.i;
  if (a.is(Kind::Float)) return a.d == b.d;
  if (a.is(Kind::Bool)) return a.truthy() == b.truthy();
  return true;
}

std::string place_of(const Value& resource, const std::string& root) {
  std::string_view file = text_of(member(resource, "file"));
  if (!root.empty() && file.starts_with(root) && file.substr(root.size()).starts_with('/')) file.remove_prefix(root.size() + 1);
  const Value* line = member(resource, "line");
  if (line == nullptr || !line->is_int()) return std::string(file);
  return fmt::format("{}:{}", file, line->i);
}

bool is_sensitive(const Value* resource, std::string_view parameter) {
  if (resource == nullptr) return false;
  auto items = items_of(member(*resource, "sensitive_parameters"));
  return std::any_of(items.begin(), items.end(), [&](const Value& v) { return v.is_string() && v.str() == parameter; });
}

bool is_true(const Value* v) { return v != nullptr && v->is(Kind::Bool) && v->truthy(); }

std::span<const HashEntry> parameters_of(const Value* resource) {
  const Value* p = resource != nullptr ? member(*resource, "parameters") : nullptr;
  return p != nullptr && p->is_hash() ? p->hash->entries() : std::span<const HashEntry>();
}

const Value* parameter(const Value* resource, std::string_view name) {
  const Value* p = resource != nullptr ? member(*resource, "parameters") : nullptr;
  return p != nullptr ? member(*p, name) : nullptr;
}

void compare_parameters(const Value* before, const Value* after, ResourceDiff& out) {
  for (const HashEntry& e : parameters_of(before)) {
    std::string_view name = e.key.str();
    const Value* now = parameter(after, name);
    const bool was = is_sensitive(before, name), is = is_sensitive(after, name);
    if (now == nullptr || !same(e.value, *now) || was != is) out.parameters.push_back({name, &e.value, now, was || is});
  }
  for (const HashEntry& e : parameters_of(after))
    if (parameter(before, e.key.str()) == nullptr)
      out.parameters.push_back({e.key.str(), nullptr, &e.value, is_sensitive(after, e.key.str())});
}

/// The strings of `list` that are not in `other`, in order.
std::vector<std::string_view> missing_in(std::span<const Value> list, std::span<const Value> other) {
  std::unordered_set<std::string_view> present;
  for (const Value& v : other)
    if (v.is_string()) present.insert(v.str());
  std::vector<std::string_view> out;
  for (const Value& v : list)
    if (v.is_string() && !present.contains(v.str())) out.push_back(v.str());
  return out;
}

/// The catalog's edges between resources that `wanted` accepts.
template <class Wanted>
std::vector<std::string> edges_of(const Value& catalog, const Wanted& wanted, std::unordered_set<std::string>& set) {
  std::vector<std::string> out;
  for (const Value& e : items_of(member(catalog, "edges"))) {
    const std::string_view source = text_of(member(e, "source")), target = text_of(member(e, "target"));
    if (!wanted(source) || !wanted(target)) continue;
    std::string text = fmt::format("{} contains {}", source, target);
    if (set.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

} // namespace

std::optional<CatalogDiff> diff_catalogs(const Value& before_document, const Value& after_document, const DiffOptions& options,
                                         std::string& problem) {
  const Value *before = catalog_of(before_document), *after = catalog_of(after_document);
  if (before == nullptr || after == nullptr) {
    problem = fmt::format("the {} document is no catalog: it has no list of resources", before == nullptr ? "old" : "new");
    return std::nullopt;
  }
  CatalogDiff diff;
  auto olds = items_of(member(*before, "resources")), news = items_of(member(*after, "resources"));
  std::unordered_map<std::string, const Value*> in_after;
  for (const Value& r : news) in_after.emplace(reference_of(r), &r);
  std::unordered_set<std::string> in_before, in_both, left_out;
  auto ignored = [&](const Value& r, const std::string& reference) {
    const bool covered = options.ignore != nullptr && options.ignore->covers(text_of(member(r, "type")), text_of(member(r, "title")));
    if (covered) left_out.insert(reference);
    return covered;
  };
  auto tags_count = [&](const Value& r) {
    return options.tags &&
           !(options.ignore != nullptr && options.ignore->covers(text_of(member(r, "type")), text_of(member(r, "title")), "tag"));
  };
  auto drop_ignored = [&](const Value& r, ResourceDiff& d) {
    if (options.ignore == nullptr) return;
    const std::string_view type = text_of(member(r, "type")), title = text_of(member(r, "title"));
    std::erase_if(d.parameters, [&](const ParameterDiff& p) { return options.ignore->covers(type, title, p.name); });
  };
  auto one_sided = [&](const Value* old_one, const Value* new_one, std::string reference) {
    ResourceDiff d;
    d.reference = std::move(reference);
    d.in_before = old_one != nullptr;
    d.in_after = new_one != nullptr;
    if (old_one != nullptr) d.before_place = place_of(*old_one, options.root);
    if (new_one != nullptr) d.after_place = place_of(*new_one, options.root);
    compare_parameters(old_one, new_one, d);
    drop_ignored(old_one != nullptr ? *old_one : *new_one, d);
    diff.resources.push_back(std::move(d));
  };
  for (const Value& r : olds) {
    std::string reference = reference_of(r);
    auto other = in_after.find(reference);
    in_before.insert(reference);
    if (other != in_after.end()) in_both.insert(reference);
    if (ignored(r, reference)) continue;
    if (other == in_after.end()) {
      one_sided(&r, nullptr, std::move(reference));
      continue;
    }
    const Value& now = *other->second;
    ResourceDiff d;
    compare_parameters(&r, &now, d);
    drop_ignored(r, d);
    if (tags_count(r)) {
      auto old_tags = items_of(member(r, "tags")), new_tags = items_of(member(now, "tags"));
      d.tags_removed = missing_in(old_tags, new_tags);
      d.tags_added = missing_in(new_tags, old_tags);
    }
    d.exported_changed = is_true(member(r, "exported")) != is_true(member(now, "exported"));
    d.before_place = place_of(r, options.root);
    d.after_place = place_of(now, options.root);
    d.place_changed = options.places && d.before_place != d.after_place;
    if (d.parameters.empty() && d.tags_removed.empty() && d.tags_added.empty() && !d.exported_changed && !d.place_changed) continue;
    d.reference = std::move(reference);
    diff.resources.push_back(std::move(d));
  }
  for (const Value& r : news) {
    std::string reference = reference_of(r);
    if (!in_before.contains(reference) && !ignored(r, reference)) one_sided(nullptr, &r, std::move(reference));
  }
  if (options.edges != DiffEdges::None) {
    auto wanted = [&](std::string_view end) {
      const std::string reference(end);
      return !left_out.contains(reference) && (options.edges == DiffEdges::All || in_both.contains(reference));
    };
    std::unordered_set<std::string> old_set, new_set;
    auto old_edges = edges_of(*before, wanted, old_set), new_edges = edges_of(*after, wanted, new_set);
    for (auto& e : old_edges)
      if (!new_set.contains(e)) diff.edges_removed.push_back(std::move(e));
    for (auto& e : new_edges)
      if (!old_set.contains(e)) diff.edges_added.push_back(std::move(e));
  }
  auto old_classes = items_of(member(*before, "classes")), new_classes = items_of(member(*after, "classes"));
  diff.classes_removed = missing_in(old_classes, new_classes);
  diff.classes_added = missing_in(new_classes, old_classes);
  std::string_view a = text_of(member(*before, "environment")), b = text_of(member(*after, "environment"));
  if (a != b) {
    diff.environment_before = a;
    diff.environment_after = b;
  }
  return diff;
}

} // namespace pupc::catalog
