#include "catalog/schema/type_docs.h"

#include "catalog/schema/native_types.h"

#include <algorithm>
#include <iterator>

namespace pupc::catalog {
namespace {

constexpr TypeDoc type_docs[] = {
#define TYPE_DOC(type, summary, example) {#type, summary, example},
#define ATTRIBUTE_DOC(type, attribute, values, fallback, text)
#include "catalog/schema/type_docs.def"
#undef TYPE_DOC
#undef ATTRIBUTE_DOC
};

constexpr AttributeDoc attribute_docs[] = {
#define TYPE_DOC(type, summary, example)
#define ATTRIBUTE_DOC(type, attribute, values, fallback, text) {#type, #attribute, values, fallback, text},
#include "catalog/schema/type_docs.def"
#undef TYPE_DOC
#undef ATTRIBUTE_DOC
};

constexpr AttributeDoc zfs_property = {"zfs", "", "as zfs(8) has them", "", "The property of this name."};

struct NamedDoc {
  std::string_view name, text;
};
constexpr NamedDoc metaparameter_docs[] = {
    {"noop", "Say what would change, and change nothing."},
    {"schedule", "Manage it only at the times of this schedule."},
    {"audit", "Tell changes that others made: names of properties, or all."},
    {"loglevel", "The level of what it logs (notice)."},
    {"alias", "Another title, for references."},
    {"tag", "More tags, for --tags and collectors."},
    {"require", "Come after these resources."},
    {"subscribe", "Come after these resources, and refresh when they change."},
    {"before", "Come before these resources."},
    {"notify", "Come before these resources, and refresh them on a change."},
    {"stage", "The stage of a class."},
    {"only_if", "A guard: manage it only when this holds."},
    {"not_if", "A guard: do not manage it when this holds."},
    {"guard_interpreter", "The script type whose interpreter runs the guards' commands."},
};

} // namespace

const TypeDoc* find_type_doc(std::string_view type) {
  const auto find = [](std::string_view name) {
    const TypeDoc* found = std::find_if(std::begin(type_docs), std::end(type_docs), [&](const TypeDoc& d) { return d.type == name; });
    return found == std::end(type_docs) ? nullptr : found;
  };
  const TypeDoc* own = find(type);
  return own == nullptr && is_script_type(type) ? find("script") : own;
}

const AttributeDoc* find_attribute_doc(std::string_view type, std::string_view attribute) {
  if (is_script_type(type)) type = "script";
  const AttributeDoc* found = std::find_if(std::begin(attribute_docs), std::end(attribute_docs),
                                           [&](const AttributeDoc& d) { return d.type == type && d.attribute == attribute; });
  if (found != std::end(attribute_docs)) return found;
  return type == "zfs" ? &zfs_property : nullptr;
}

std::string_view metaparameter_doc(std::string_view name) {
  for (const NamedDoc& d : metaparameter_docs)
    if (d.name == name) return d.text;
  return {};
}

} // namespace pupc::catalog
