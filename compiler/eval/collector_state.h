#pragma once
// Collectors waiting in a compile. Inside of the catalog compiler; not for other rooms.
#include "compiler/eval/catalog_compiler.h"

#include <unordered_set>

namespace pupc {

/// A query, with its values evaluated once.
struct QueryNode {
  enum class Op : uint8_t { And, Or, Equal, NotEqual, Tag } op = Op::Equal;
  const QueryNode* left = nullptr;
  const QueryNode* right = nullptr;
  Symbol attribute;
  Value value;
  std::span<const TagId> tags; // one of them is enough
};

struct CollectorState {
  enum class Form : uint8_t { Virtual, Exported, Fixed } form = Form::Virtual;
  TypeId type = Catalog::no_type;
  const QueryNode* query = nullptr; // null: all
  bool uses_tags = false;
  /// What a resource must have for the query to match, where that can be told: one of these tags, or (when there is none) this
  /// title in lower case. Then only resources that have it are looked at.
  std::span<const TagId> key_tags;
  std::string key_title;
  bool keyed() const { return !key_tags.empty() || !key_title.empty(); }
  bool watching = false;              // registered in its type's CollectorIndex
  std::vector<ResourceId> candidates; // of a keyed query, to look at next
  Scope* scope = nullptr;
  DefinedType* source = nullptr;
  bool has_overrides = false;
  std::vector<Param> overrides;
  const SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t offset = 0;
  size_t seen = 0;                   // entries of the type's change log already looked at
  uint32_t tag_epoch = 0;            // of the last look
  std::vector<ResourceId> collected; // in order of collection
  std::unordered_set<ResourceId> known;
  bool asked = false;                                              // of exported ones: what other nodes exported is in
  std::vector<ResourceRef> unresolved;                             // of realize()
  std::vector<CatalogCompiler::RelationOperand> empty_alternative; // what stands in its place in a relationship when it finds nothing
};

/// Resources of one type by tag (own or inherited from what contains them) and title, and the collectors that wait for either.
/// Kept up to date from the type's log of changes, so that many collectors with a key cost no more than what they find.
struct CollectorIndex {
  size_t drained = 0;     // entries of the log already sorted in
  uint32_t tag_epoch = 0; // when that was
  bool with_tags = false;
  std::unordered_map<TagId, std::vector<ResourceId>> by_tag;
  std::unordered_map<std::string, std::vector<ResourceId>> by_title; // lower case
  std::unordered_map<TagId, std::vector<CollectorState*>> tag_watchers;
  std::unordered_map<std::string, std::vector<CollectorState*>> title_watchers;
};

} // namespace pupc
