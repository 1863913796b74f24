#include "catalog/store/store.h"

#include "catalog/graph/document_parts.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/json/rich_data.h"
#include "catalog/store/values.h"

namespace pupc::catalog {

std::string json_text(const Value& value, Arena& scratch) {
  std::string text;
  JsonWriter json(text);
  write_rich_value(json, value, scratch);
  return text;
}

StoredNode stored_node(Catalog& catalog, const Value& facts, bool with_document) {
  StoredNode node;
  node.name = catalog.name;
  node.environment = catalog.environment;
  node.facts = json_text(facts, catalog.arena());
  if (with_document) {
    CatalogWriteOptions write;
    write.sensitive_values = false;
    write.exported_too = true; // as in PuppetDB
    write_catalog(catalog, node.catalog, write);
  }
  std::vector<DocumentParam> params;
  for (ResourceId id = 0; id < catalog.size(); ++id) {
    const Resource& r = catalog[id];
    if (!r.has(Resource::exported)) continue;
    StoredResource& out = node.exported.emplace_back();
    out.type = catalog.type_name(r.type);
    out.title = r.title;
    for (TagId t : r.tag_ids()) out.tags.emplace_back(catalog.tag_text(t));
    document_parameters(catalog, id, params);
    for (const DocumentParam& p : params) {
      const Param* set = catalog[id].find(p.name);
      if (set != nullptr && (set->flags & Param::sensitive) != 0) continue;
      out.parameters.emplace_back(p.name.str(), json_text(p.value, catalog.arena()));
    }
  }
  return node;
}

} // namespace pupc::catalog
