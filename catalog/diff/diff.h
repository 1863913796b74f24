#pragma once
// What differs between two catalogs, by their documents: in substance, not in order, head (version, uuid) or place in files.
#include "catalog/value/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class IgnoreRules;

enum class DiffEdges : uint8_t {
  None,
  OfKept, // between resources that both catalogs have: the others follow from what was added or removed
  All,
};

struct DiffOptions {
  bool tags = true;
  DiffEdges edges = DiffEdges::OfKept;
  bool places = false;                 // file and line of resources
  const IgnoreRules* ignore = nullptr; // what does not count; null: all counts
  std::string root;                    // places below this directory are told without it
};

struct ParameterDiff {
  std::string_view name;
  const Value* before = nullptr; // null: not there
  const Value* after = nullptr;
  bool sensitive = false; // in one of the catalogs: the values are nobody's business
};

/// A resource that is in one catalog only (all its parameters are listed then) or differs.
struct ResourceDiff {
  std::string reference; // "File[/etc/motd]"
  bool in_before = true, in_after = true;
  std::string before_place, after_place; // "file:line", empty when unknown
  std::vector<ParameterDiff> parameters; // in the order of the catalogs
  std::vector<std::string_view> tags_removed, tags_added;
  bool exported_changed = false; // is now what it was not
  bool place_changed = false;    // only when places are compared
};

struct CatalogDiff {
  std::vector<ResourceDiff> resources;                 // in the old catalog's order, then what is new
  std::vector<std::string> edges_removed, edges_added; // "Class[A] contains File[b]"
  std::vector<std::string_view> classes_removed, classes_added;
  std::string_view environment_before, environment_after; // both empty when equal

  bool empty() const {
    return resources.empty() && edges_removed.empty() && edges_added.empty() && classes_removed.empty() && classes_added.empty() &&
           environment_before == environment_after;
  }
};

/// Compares two documents as parsed JSON (bare, or in a `data` member as Puppet's wire format has it). Both outlive the result.
/// Nothing, with the reason in `problem`, when one is no catalog.
std::optional<CatalogDiff> diff_catalogs(const Value& before, const Value& after, const DiffOptions& options, std::string& problem);

/// The difference as lines that start with -, +, ~ or a blank, for people. Texts of several lines are compared line by line.
std::string diff_text(const CatalogDiff& diff);

/// One resource's part of that text.
std::string resource_diff_text(const ResourceDiff& resource);

/// The difference as one JSON object: `equal`, `resources` (each with `reference`, `change`: added, removed or changed, `parameters` with
/// `before` and `after`, `tags`), `edges`, `classes`. Sensitive values are left out.
std::string diff_json(const CatalogDiff& diff);

class JsonWriter;
/// The members of that object but `equal`, for an object that has others besides.
void write_diff_members(JsonWriter& json, const CatalogDiff& diff);
/// One resource's object in it; `places`: with `before_place` and `after_place`.
void write_resource_diff(JsonWriter& json, const ResourceDiff& resource, bool places = true);

} // namespace pupc
