#include "catalog/json/catalog_writer.h"

#include "catalog/base/limits.h"
#include "catalog/graph/document_parts.h"
#include "catalog/json/rich_data.h"

namespace pupc::catalog {
namespace {

/// The tags of a catalog as they stand in the document. Each stands there for many resources.
class WrittenTags {
public:
  explicit WrittenTags(const Catalog& catalog) : catalog_(catalog) {}

  void write(JsonWriter& json, std::span<const TagId> tags) {
    json.begin_array();
    for (const TagId tag : tags) json.raw([&](std::string& out) { out += text(tag); });
    json.end_array();
  }

private:
  const std::string& text(TagId tag) {
    if (tag >= texts_.size()) texts_.resize(tag + 1);
    if (texts_[tag].empty()) JsonWriter(texts_[tag]).string(catalog_.tag_text(tag));
    return texts_[tag];
  }

  const Catalog& catalog_;
  std::vector<std::string> texts_;
};

void write_resource(JsonWriter& json, Catalog& catalog, ResourceId id, const CatalogWriteOptions& options, WrittenTags& tags,
                    std::vector<DocumentParam>& params) {
  const Resource& r = catalog[id];
  json.begin_object();
  json.member("type", catalog.type_name(r.type));
  json.member("title", r.title);
  json.key("tags");
  tags.write(json, r.tag_ids());
  if (r.file != 0) json.member("file", catalog.file_name(r.file));
  if (r.line != 0) {
    json.key("line");
    json.integer(r.line);
  }
  if (r.has(Resource::exported_last)) json.member("kind", name_of(r.kind));
  json.key("exported");
  json.boolean(r.has(Resource::exported));
  if (!r.has(Resource::exported_last)) json.member("kind", name_of(r.kind));
  document_parameters(catalog, id, params);
  if (!options.sensitive_values)
    std::erase_if(params, [&](const DocumentParam& p) {
      const Param* set = r.find(p.name);
      return set != nullptr && (set->flags & Param::sensitive) != 0;
    });
  if (!params.empty()) {
    json.key("parameters");
    json.begin_object();
    for (const auto& p : params) {
      json.key(p.name.str());
      write_rich_value(json, p.value, catalog.arena());
    }
    json.end_object();
  }
  const auto names_with = [&](std::string_view key, Param::Flag flag) {
    bool open = false;
    for (const Param& p : r.parameters()) {
      if ((p.flags & flag) == 0) continue;
      if (!open) {
        json.key(key);
        json.begin_array();
        open = true;
      }
      json.string(p.name.str());
    }
    if (open) json.end_array();
  };
  names_with("sensitive_parameters", Param::sensitive);
  names_with("guards", Param::guard);
  json.end_object();
}

} // namespace

void write_catalog(Catalog& catalog, std::string& out, const CatalogWriteOptions& options) {
  const size_t begin = out.size();
  out.reserve(out.size() + 1024 + catalog.size() * 300);
  JsonWriter json(out, options.pretty);
  json.begin_object();
  json.key("tags");
  WrittenTags tags(catalog);
  tags.write(json, document_tags(catalog));
  json.member("name", catalog.name);
  if (options.volatile_head) {
    json.key("version");
    if (catalog.version_text.empty())
      json.integer(catalog.version);
    else
      json.string(catalog.version_text);
    json.key("code_id");
    if (catalog.code_id)
      json.string(*catalog.code_id);
    else
      json.null();
    json.member("catalog_uuid", catalog.uuid);
  }
  json.key("catalog_format");
  json.integer(2);
  json.member("environment", catalog.environment);
  json.key("resources");
  json.begin_array();
  std::vector<DocumentParam> params;
  auto shown = [&](ResourceId id) {
    return options.exported_only ? catalog[id].has(Resource::exported) : !catalog[id].has(Resource::is_virtual);
  };
  for (ResourceId id = 0; id < catalog.size(); ++id)
    if (shown(id) || (options.exported_too && catalog[id].has(Resource::exported))) {
      write_resource(json, catalog, id, options, tags, params);
      check_output(out.size() - begin);
    }
  json.end_array();
  json.key("edges");
  json.begin_array();
  std::string text; // one for all references
  const auto reference = [&](ResourceId id) -> const std::string& {
    text.clear();
    catalog.append_reference(text, id);
    return text;
  };
  for (const auto& edge : catalog.edges_by_target()) {
    if (!shown(edge.from) || !shown(edge.to)) continue;
    json.begin_object();
    json.member("source", reference(edge.from));
    json.member("target", reference(edge.to));
    json.end_object();
  }
  json.end_array();
  json.key("classes");
  json.begin_array();
  for (auto name : catalog.classes()) json.string(name);
  json.end_array();
  if (options.more) options.more(json);
  json.end_object();
}

} // namespace pupc::catalog
