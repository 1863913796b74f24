#pragma once
// Compares the documents of two catalogs. Ignores the order, the head (version, uuid) and places in files, unless asked for.
#include "catalog/value/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

class IgnoreRules;

enum class DiffEdges : uint8_t {
  None,
  OfKept, // edges between resources that both catalogs have: all others follow from added and removed resources
  All,
};

struct DiffOptions {
  bool tags = true;
  DiffEdges edges = DiffEdges::OfKept;
  bool places = false;                 // also compare file and line of resources
  const IgnoreRules* ignore = nullptr; // what to leave out; null: nothing
  std::string root;                    // prefix to remove from the paths of places
};

struct ParameterDiff {
  std::string_view name;
  const Value* before = nullptr; // null: absent
  const Value* after = nullptr;
  bool sensitive = false; // in at least one of the catalogs: do not show the values
};

/// A resource that differs, or that only one catalog has. In the second case all its parameters are listed.
struct ResourceDiff {
  std::string reference; // "File[/etc/motd]"
  bool in_before = true, in_after = true;
  std::string before_place, after_place; // "file:line", empty when unknown
  std::vector<ParameterDiff> parameters; // in the order of the catalogs
  std::vector<std::string_view> tags_removed, tags_added;
  bool exported_changed = false; // became exported, or is no longer exported
  bool place_changed = false;    // only when places are compared
};

struct CatalogDiff {
  std::vector<ResourceDiff> resources;                 // in the old catalog's order, then new resources
  std::vector<std::string> edges_removed, edges_added; // "Class[A] contains File[b]"
  std::vector<std::string_view> classes_removed, classes_added;
  std::string_view environment_before, environment_after; // both empty when equal

  bool empty() const {
    return resources.empty() && edges_removed.empty() && edges_added.empty() && classes_removed.empty() && classes_added.empty() &&
           environment_before == environment_after;
  }
};

/// Compares two documents as parsed JSON (bare, or in a `data` member as in Puppet's wire format). Both must outlive the result.
/// Returns nothing, with the reason in `problem`, when one is not a catalog.
std::optional<CatalogDiff> diff_catalogs(const Value& before, const Value& after, const DiffOptions& options, std::string& problem);

/// The difference for a user to read, as lines that start with -, +, ~ or a blank. Compares texts of several lines line by line.
std::string diff_text(const CatalogDiff& diff);

/// The part of that text for one resource.
std::string resource_diff_text(const ResourceDiff& resource);

/// The difference as one JSON object: `equal`, `resources` (each with `reference`, `change`: added, removed or changed, `parameters` with
/// `before` and `after`, `tags`), `edges`, `classes`. Sensitive values are left out.
std::string diff_json(const CatalogDiff& diff);

class JsonWriter;
/// Writes the members of that object except `equal`, for an object that also has other members.
void write_diff_members(JsonWriter& json, const CatalogDiff& diff);
/// Writes the object of one resource. `places`: includes `before_place` and `after_place`.
void write_resource_diff(JsonWriter& json, const ResourceDiff& resource, bool places = true);

} // namespace pupc::catalog
