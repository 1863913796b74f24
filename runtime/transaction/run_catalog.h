#pragma once
// A catalog prepared for a run: its resources with their places in the containment tree.
#include "catalog/graph/catalog.h"
#include "runtime/provider/provider.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::runtime {

/// What Puppet adds to every catalog, in its order.
inline constexpr std::string_view builtin_references[] = {"Schedule[puppet]",  "Schedule[hourly]", "Schedule[daily]",   "Schedule[weekly]",
                                                          "Schedule[monthly]", "Schedule[never]",  "Filebucket[puppet]"};

class RunCatalog {
public:
  static constexpr uint32_t none = 0xFFFFFFFF;

  struct Entry {
    std::vector<uint32_t> priority; // place in the order, if the index does not tell it; see priority_of
    std::unique_ptr<ManagedResource> resource;
    uint32_t container = none;              // the first container
    std::vector<uint32_t> other_containers; // more containers of a class that several others contain
    std::vector<uint32_t> contents;         // in order
    bool is_container = false;              // class, define, node, stage
    TypeHandler* handler = nullptr;         // null for containers
  };

  /// Takes the resources that are not virtual. Their values stay in the catalog, which must outlive the run. `settings.noop` is for
  /// resources that neither set it themselves nor inherit it. Of resources whose kind the catalog does not tell, those are managed whose
  /// type has a handler in this run; the others are containers, as in Puppet.
  RunCatalog(Catalog& catalog, const RunSettings& settings);

  size_t size() const { return entries_.size(); }
  Entry& operator[](uint32_t i) { return entries_[i]; }
  const Entry& operator[](uint32_t i) const { return entries_[i]; }
  /// Finds a resource by title, alias or key; returns its index, or `none` when there is no such resource.
  uint32_t find(std::string_view type, std::string_view title) const;
  /// Finds a resource by a reference such as "File[/x]"; the type may be in any case. `none` when there is no such resource or the text
  /// is no reference.
  uint32_t find_reference(std::string_view reference) const;
  /// Adds another name for a resource. When two resources claim a name, the first one keeps it.
  void add_name(uint32_t index, std::string_view title);
  /// Gives a generated resource what it has from its generator `after`: the path, tags, noop and the log level.
  void take_after(ManagedResource& resource, uint32_t after) const;
  /// Adds a generated resource to the container of `after`; returns its index.
  uint32_t add(std::unique_ptr<ManagedResource> resource, uint32_t after);
  uint32_t index_of(const ManagedResource& resource) const;
  /// The place of a resource in the order; these are compared lexicographically. The first one leaves room for what comes before it.
  std::vector<uint32_t> priority_of(uint32_t index) const {
    return entries_[index].priority.empty() ? std::vector<uint32_t>{index + 1} : entries_[index].priority;
  }

  std::string name, environment, version, uuid;
  std::vector<std::string> classes;
  std::vector<std::string> empty_unknown; // types of unknown kind that have no handler and whose resources contain nothing
  Value node_attributes;                  // a Hash; undef when no manifest wrote any

private:
  void set_paths(Catalog& catalog);
  void inherit(bool noop);
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> names_; // "type\0title"
  std::unordered_map<const ManagedResource*, uint32_t> indexes_;
};

} // namespace pupc::runtime
