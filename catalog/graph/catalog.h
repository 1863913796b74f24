#pragma once
// A catalog: resources in order of creation, containment edges, classes and tags. Everything lives in one arena that the
// catalog owns. The compiler also hands it the owners of other data that values point to, such as the environment (keep_alive).
// compiler/eval builds catalogs, catalog/json writes them, and runtime/ applies them.
#include "catalog/base/arena.h"
#include "catalog/graph/resource.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::catalog {

class ResourceTypeInfo;

struct ContainmentEdge {
  ResourceId from;
  ResourceId to;
};

/// Maps titles and aliases to resources. A hash table with open addressing; the keys are views into the catalog's arena.
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
  /// Keeps an object that values point into (environment, parsed files) alive as long as the catalog.
  void keep_alive(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  // -- the document's head
  std::string name; // of the node
  std::string environment;
  int64_t version = 0;      // seconds since the epoch
  std::string version_text; // the text from config_version; if not empty it replaces `version`
  std::optional<std::string> code_id;
  std::string uuid;
  /// Appends the name of an evaluated class (or of the node definition) and adds its tags to those of the catalog.
  void add_class(std::string_view class_name);
  const std::vector<std::string_view>& classes() const { return classes_; }
  /// The catalog's own tags.
  const std::vector<TagId>& tags() const { return tags_; }
  /// Adds a resource's tags to the catalog's own.
  void merge_tags_from(ResourceId id);
  /// Adds one tag to the catalog itself. False when it has the tag already.
  bool add_own_tag(TagId tag);
  /// Adds a name and its segments to the catalog's own tags.
  void tag(std::string_view name);
  bool tagged(TagId tag) const;

  // -- types
  static constexpr TypeId no_type = 0xFFFFFFFF;
  static constexpr TypeId class_type = 0, node_type = 1, stage_type = 2;
  /// The id of a type by its lower-case name, which is added if it is new. `info` is its schema (null for classes, nodes and defines).
  TypeId type_id(std::string_view lower_name, const ResourceTypeInfo* info = nullptr);
  TypeId find_type(std::string_view lower_name) const;
  std::string_view type_name(TypeId type) const { return types_[type].printed; } // "Apache::Vhost"
  std::string_view type_key(TypeId type) const { return types_[type].key; }      // "apache::vhost"
  const ResourceTypeInfo* type_info(TypeId type) const { return types_[type].info; }
  size_t type_count() const { return types_.size(); }

  // -- resources
  size_t size() const { return resources_.size(); }
  Resource& operator[](ResourceId id) {
    PUPC_ASSERT(id < resources_.size(), "the id is that of a resource of this catalog");
    return resources_[id];
  }
  const Resource& operator[](ResourceId id) const {
    PUPC_ASSERT(id < resources_.size(), "the id is that of a resource of this catalog");
    return resources_[id];
  }
  /// Appends a resource. Returns no_resource when the title is taken. Copies the title.
  ResourceId add(TypeId type, std::string_view title, ResourceKind kind);
  /// The resource with this title or alias, or no_resource.
  ResourceId find(TypeId type, std::string_view title) const { return index_.find(type, title); }
  /// Adds an alias. False when the name belongs to another resource: find() still returns that one.
  bool add_alias(ResourceId id, std::string_view key);
  /// "Type[title]"
  std::string reference(ResourceId id) const;
  void append_reference(std::string& out, ResourceId id) const;

  // -- parameters
  /// Sets a parameter. A new one goes to the end; an existing one keeps its position.
  Param& set_param(ResourceId id, const Param& param);
  void reserve_params(ResourceId id, uint32_t count);

  // -- tags
  /// The id of a tag by its lower-case text, which is added if it is new.
  TagId tag_id(std::string_view text);
  /// The id of a tag if any resource has it, otherwise nothing.
  std::optional<TagId> find_tag(std::string_view text) const;
  std::string_view tag_text(TagId tag) const { return tag_texts_[tag]; }
  /// Adds one tag without splitting it. True when it was new.
  bool add_tag(ResourceId id, TagId tag);
  /// Adds a tag (converted to lower case) and, if it contains `::`, its segments. False when it is not a valid tag.
  bool tag(ResourceId id, std::string_view text);
  void merge_tags(ResourceId into, ResourceId from);

  // -- files
  uint32_t file_index(std::string_view path);
  std::string_view file_name(uint32_t index) const { return files_[index]; }

  // -- containment
  void add_edge(ResourceId from, ResourceId to);
  /// Whether the resource contains the class. Only classes can have more than one container.
  bool contains_class(ResourceId from, ResourceId class_id) const;
  const std::vector<ContainmentEdge>& edges() const { return edges_; } // in order of addition
  /// Edges in the order of the document: by target in order of creation, and for one target in order of addition.
  std::vector<ContainmentEdge> edges_by_target() const;
  /// The resources that each resource contains, in order of addition. Resource `id` contains targets[starts[id]..starts[id+1]).
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
  std::vector<uint32_t> tag_marks_; // per tag: the number of the last merge that saw it, which makes merging linear
  uint32_t tag_generation_ = 0;
};

} // namespace pupc::catalog
