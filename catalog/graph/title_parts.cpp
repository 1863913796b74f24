#include "catalog/graph/title_parts.h"

namespace pupc {

// TODO(schema): title patterns and key attributes of native types.
bool parse_title(const Catalog&, TypeId, std::string_view title, std::vector<TitlePart>& out) {
  out.push_back({sym::name, title});
  return true;
}

Symbol namevar_of(const Catalog&, TypeId) { return sym::name; }

UniquenessKey uniqueness_key(const Catalog&, TypeId, std::string_view, std::span<const Param>) { return {}; }

ResourceId find_resource(const Catalog& catalog, TypeId type, std::string_view title) {
  ResourceId found = catalog.find(type, title);
  if (found != no_resource) return found;
  UniquenessKey key = uniqueness_key(catalog, type, title, {});
  return key.none() ? no_resource : catalog.find(type, key.key);
}

} // namespace pupc
