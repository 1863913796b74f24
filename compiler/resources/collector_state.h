#pragma once
// Collectors that wait during a compile. Private to the catalog compiler.
#include "compiler/resources/catalog_compiler.h"

#include <unordered_set>

namespace pupc::compiler {

/// One condition of a collector's query. Its values are evaluated once.
struct QueryNode {
  enum class Op : uint8_t { And, Or, Equal, NotEqual, Tag } op = Op::Equal;
  const QueryNode* left = nullptr;
  const QueryNode* right = nullptr;
  Symbol attribute;
  Value value;
  std::span<const TagId> tags; // any one of them matches
};

struct CollectorState {
  enum class Form : uint8_t { Virtual, Exported, Fixed } form = Form::Virtual;
  TypeId type = Catalog::no_type;
  const QueryNode* query = nullptr; // null: all
  bool uses_tags = false;
  /// The key of the query, if it has one: a matching resource must have one of these tags or, when there are none, this lower-case title.
  /// The collector then looks only at resources that have the key.
  std::span<const TagId> key_tags;
  std::string key_title;
  bool keyed() const { return !key_tags.empty() || !key_title.empty(); }
  bool watching = false;              // registered in its type's CollectorIndex
  std::vector<ResourceId> candidates; // resources that have the key and are to be looked at next
  Scope* scope = nullptr;
  CodeUnit* source = nullptr;
  bool has_overrides = false;
  std::vector<Param> overrides;
  const SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t offset = 0;
  size_t seen = 0;                   // how many entries of the type's change log this collector has read
  uint32_t tag_epoch = 0;            // the value of CatalogCompiler's counter when this collector last looked
  std::vector<ResourceId> collected; // in order of collection
  std::unordered_set<ResourceId> known;
  bool asked = false;                  // an exported collector has already asked for the resources of other nodes
  std::vector<ResourceRef> unresolved; // of realize(): references still to be found
  std::vector<CatalogCompiler::RelationOperand> empty_alternative; // what takes its place in a relationship when it finds nothing
};

/// The resources of one type by tag (own, or inherited from a container) and by title, and the collectors that wait for either. The type's
/// change log keeps it up to date. So many collectors with a key cost no more than what they find.
struct CollectorIndex {
  size_t drained = 0;     // entries of the log already in this index
  uint32_t tag_epoch = 0; // the value of the counter at that time
  bool with_tags = false;
  std::unordered_map<TagId, std::vector<ResourceId>> by_tag;
  std::unordered_map<std::string, std::vector<ResourceId>> by_title; // by lower-case title
  std::unordered_map<TagId, std::vector<CollectorState*>> tag_watchers;
  std::unordered_map<std::string, std::vector<CollectorState*>> title_watchers;
};

} // namespace pupc::compiler
