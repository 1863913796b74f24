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
  Scope* scope = nullptr;
  DefinedType* source = nullptr;
  bool has_overrides = false;
  std::vector<Param> overrides;
  const SourceFile* file = nullptr;
  uint32_t line = 0;
  size_t seen = 0;        // entries of the type's change log already looked at
  uint32_t tag_epoch = 0; // of the last look
  std::vector<ResourceId> collected; // in order of collection
  std::unordered_set<ResourceId> known;
  std::vector<ResourceRef> unresolved; // of realize()
  std::vector<CatalogCompiler::RelationOperand> empty_alternative; // what stands in its place in a relationship when it finds nothing
};

} // namespace pupc
