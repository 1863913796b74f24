#pragma once
// The contents of a catalog: resources with their parameters and tags, all plain data in the catalog's arena.
#include "catalog/base/symbol.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pupc::catalog {

/// Index of a resource in its catalog, in order of creation. This is also the order of the document.
using ResourceId = uint32_t;
inline constexpr ResourceId no_resource = 0xFFFFFFFF;

/// Index of a resource type in its catalog's table.
using TypeId = uint32_t;
/// Index of a tag's text in its catalog's table.
using TagId = uint32_t;

/// How a resource was made: `kind` in the document.
enum class ResourceKind : uint8_t {
  Unknown,        // Class by include, main, settings, Node
  CompilableType, // native
  CodeUnit,
  Class, // declared like a resource
};
std::string_view name_of(ResourceKind kind);

/// One attribute. Only the code that builds the catalog uses `origin` (what set the value) and `position` (where); 0 = unknown.
struct Param {
  enum Flag : uint8_t {
    append = 1,    // written with +>
    sensitive = 2, // the value was wrapped in Sensitive
    guard = 4,     // a guard, of what may have a parameter of that name itself: all but native types
  };
  Symbol name;
  uint32_t origin = 0;
  uint32_t position = 0;
  uint8_t flags = 0;
  Value value;
};
static_assert(sizeof(Param) == 32 && std::is_trivially_copyable_v<Param>);

struct Resource {
  enum Flag : uint8_t {
    is_virtual = 1,
    exported = 2,
    symbol_title = 4,  // Stage[main], Class[main]: in Puppet the title is a symbol, so the string `name` never equals it
    exported_last = 8, // made by a function that does not set `exported`: the document has `exported` after `kind`
  };
  std::string_view title;
  Param* params = nullptr;
  TagId* tags = nullptr;
  TypeId type = 0;
  uint32_t file = 0; // index into Catalog::file_name; 0 = none
  uint32_t line = 0; // 0 = none
  uint32_t param_count = 0;
  uint32_t param_capacity = 0;
  uint32_t tag_count = 0;
  uint32_t tag_capacity = 0;
  ResourceKind kind = ResourceKind::Unknown;
  uint8_t flags = 0;

  std::span<const Param> parameters() const { return {params, param_count}; }
  std::span<Param> parameters() { return {params, param_count}; }
  std::span<const TagId> tag_ids() const { return {tags, tag_count}; }
  bool has(Flag f) const { return (flags & f) != 0; }
  void set(Flag f, bool on) { flags = static_cast<uint8_t>(on ? flags | f : flags & ~f); }

  const Param* find(Symbol name) const {
    for (uint32_t i = 0; i < param_count; ++i)
      if (params[i].name == name) return &params[i];
    return nullptr;
  }
  Param* find(Symbol name) { return const_cast<Param*>(static_cast<const Resource&>(*this).find(name)); }
};

} // namespace pupc::catalog
