#pragma once
// A catalog: resources in order of creation, containment edges, classes and tags. Everything lives in one arena that the
// catalog owns; whoever compiled it adds what else must stay alive (the environment whose texts are referred to).
// Built by compiler/eval, written by catalog/json, applied by runtime/.
#include "catalog/base/arena.h"
#include "catalog/graph/resource.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc {

class ResourceTypeInfo;

struct ContainmentEdge {
  ResourceId from;
  ResourceId to;
};

/// Title or alias -> resource. Open addressing; keys are views into the catalog's arena.
class ReferenceIndex {
public:
  ResourceId find(TypeId type, std::string_view key) const;
  /// False (and no change) when the key is taken.
  bool insert(TypeId type, std::string_view key, ResourceId id);

private:
  struct Slot {
    std::string_view key;
    TypeId type = 0;
    ResourceId id = no_resource;
  };
  static size_t hash(TypeId type, std::string_view key);
  void grow();
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

class Catalog {
public:
  Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  Arena& arena() { return arena_; }
  /// Keeps something the values point into (environment, parsed files) alive as long as the catalog.
  void keep_alive(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  // -- the document's head
  std::string name; // of the node
  std::string environment;
  int64_t version = 0;      // seconds since the epoch, unless
  std::string version_text; // config_version gave a text
  std::optional<std::string> code_id;
  std::string uuid;
  /// Names of evaluated classes (and of the node definition) in order; adds their tags to the catalog's.
  void add_class(std::string_view class_name);
  const std::vector<std::string_view>& classes() const { return classes_; }
  /// The catalog's own tags.
  const std::vector<TagId>& tags() const { return tags_; }
  /// Adds a resource's tags to the catalog's own.
  void merge_tags_from(ResourceId id);
  /// Adds one tag of the catalog itself; false when it is there.
  bool add_own_tag(TagId tag);
  bool tagged(TagId tag) const;

  // -- types
  static constexpr TypeId no_type = 0xFFFFFFFF;
  static constexpr TypeId class_type = 0, node_type = 1, stage_type = 2;
  /// Type of a lower-case name, made when it is new. `info` is its schema (null for classes, nodes and defines).
  TypeId type_id(std::string_view lower_name, const ResourceTypeInfo* info = nullptr);
  TypeId find_type(std::string_view lower_name) const;
  std::string_view type_name(TypeId type) const { return types_[type].printed; } // "Apache::Vhost"
  std::string_view type_key(TypeId type) const { return types_[type].key; }      // "apache::vhost"
  const ResourceTypeInfo* type_info(TypeId type) const { return types_[type].info; }
  size_t type_count() const { return types_.size(); }

  // -- resources
  size_t size() const { return resources_.size(); }
  Resource& operator[](ResourceId id) { return resources_[id]; }
  const Resource& operator[](ResourceId id) const { return resources_[id]; }
  /// Appends a resource under its title; no_resource when the title is taken. The title is copied.
  ResourceId add(TypeId type, std::string_view title, ResourceKind kind);
  /// By title or alias.
  ResourceId find(TypeId type, std::string_view title) const { return index_.find(type, title); }
  /// A second name. False when the name belongs to another resource (it is `find`'s then).
  bool add_alias(ResourceId id, std::string_view key);
  /// "Type[title]"
  std::string reference(ResourceId id) const;

  // -- parameters
  /// Sets a parameter: in its place when present, else at the end.
  Param& set_param(ResourceId id, const Param& param);
  void reserve_params(ResourceId id, uint32_t count);

  // -- tags
  /// Id of a tag's text (already lower case), made when it is new.
  TagId tag_id(std::string_view text);
  /// Id of a tag's text when any resource has it, else nothing.
  std::optional<TagId> find_tag(std::string_view text) const;
  std::string_view tag_text(TagId tag) const { return tag_texts_[tag]; }
  /// Adds one tag, without splitting. True when it was new.
  bool add_tag(ResourceId id, TagId tag);
  /// Adds a tag in any case and, if it has `::`, its segments. False when it is no valid tag.
  bool tag(ResourceId id, std::string_view text);
  bool has_tag(ResourceId id, TagId tag) const;
  void merge_tags(ResourceId into, ResourceId from);

  // -- files
  uint32_t file_index(std::string_view path);
  std::string_view file_name(uint32_t index) const { return files_[index]; }

  // -- containment
  void add_edge(ResourceId from, ResourceId to);
  /// Whether a class is contained by that resource (only classes can have more than one container).
  bool contains_class(ResourceId from, ResourceId class_id) const;
  const std::vector<ContainmentEdge>& edges() const { return edges_; } // in order of addition
  /// Edges in the document's order: by target in order of creation, within one target in order of addition.
  std::vector<ContainmentEdge> edges_by_target() const;
  /// Contained resources of each resource in order of addition, as compressed rows: targets[starts[id]..starts[id+1]).
  void children(std::vector<uint32_t>& starts, std::vector<ResourceId>& targets) const;

private:
  struct Type {
    std::string_view key;
    std::string_view printed;
    const ResourceTypeInfo* info;
  };
  bool add_tag_to(Resource& r, TagId tag);

  Arena arena_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::vector<Resource> resources_;
  ReferenceIndex index_;
  std::vector<Type> types_;
  std::unordered_map<std::string_view, TypeId> type_ids_;
  std::vector<std::string_view> tag_texts_;
  std::unordered_map<std::string_view, TagId> tag_ids_;
  std::vector<std::string_view> files_;
  std::unordered_map<std::string_view, uint32_t> file_ids_;
  std::vector<ContainmentEdge> edges_;
  std::unordered_set<uint64_t> class_edges_;
  std::vector<std::string_view> classes_;
  std::vector<TagId> tags_;
  std::vector<bool> tagged_;        // by TagId
  std::vector<uint32_t> tag_marks_; // per tag: generation of the last merge that saw it, so that merging is linear
  uint32_t tag_generation_ = 0;
};

} // namespace pupc
