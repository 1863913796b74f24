// replace catalog: resources and edges as Puppet's terminus makes them of a compiled catalog.
#include "catalog/graph/document_parts.h"
#include "catalog/graph/title_parts.h"
#include "catalog/json/json_writer.h"
#include "tools/puppetdb/command_texts.h"
#include "tools/puppetdb/plain_value.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace pupc::puppetdb {
namespace {

using catalog::Catalog;
using catalog::DocumentParam;
using catalog::JsonWriter;
using catalog::no_resource;
using catalog::Param;
using catalog::Resource;
using catalog::ResourceId;
using catalog::Value;

/// A relationship parameter: what an edge by it is called, and whether it goes from the resource to the other.
struct Relation {
  std::string_view parameter, name;
  bool forward;
};
constexpr Relation relations[] = {
    {"before", "before", true}, {"require", "required-by", false}, {"notify", "notifies", true}, {"subscribe", "subscription-of", false}};
// Lists whose order says nothing: PuppetDB must not take another order for a change.
constexpr std::string_view unordered[] = {"alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"};

/// The elements of a list, lists in it flattened; or the one value.
void flatten(const Value& v, std::vector<Value>& out) {
  if (!v.is_list()) return out.push_back(v);
  for (const Value& item : v.items()) flatten(item, out);
}

class CatalogWriter {
public:
  CatalogWriter(std::string& out, Catalog& catalog) : w_(out), catalog_(catalog) {}

  void write(const Producer& producer, std::string_view transaction_uuid, std::string_view job_id) {
    w_.begin_object();
    w_.member("certname", catalog_.name);
    w_.member("version", catalog_.version_text.empty() ? std::to_string(catalog_.version) : catalog_.version_text);
    text_or_null("code_id", catalog_.code_id ? std::string_view(*catalog_.code_id) : std::string_view());
    text_or_null("job_id", job_id);
    text_or_null("catalog_uuid", catalog_.uuid.empty() ? transaction_uuid : std::string_view(catalog_.uuid));
    text_or_null("transaction_uuid", transaction_uuid);
    w_.member("environment", producer.environment);
    w_.member("producer_timestamp", producer.time);
    w_.member("producer", producer.name);
    w_.key("resources");
    w_.begin_array();
    for (ResourceId id = 0; id < catalog_.size(); ++id)
      if (shown(id)) write_resource(id);
    w_.end_array();
    w_.key("edges");
    w_.begin_array();
    for (const auto& edge : catalog_.edges_by_target())
      if (shown(edge.from) && shown(edge.to)) write_edge(edge.from, edge.to, "contains");
    for (ResourceId id = 0; id < catalog_.size(); ++id)
      if (!catalog_[id].has(Resource::is_virtual)) write_relations(id);
    w_.end_array();
    w_.end_object();
  }

private:
  bool shown(ResourceId id) const { return !catalog_[id].has(Resource::is_virtual) || catalog_[id].has(Resource::exported); }

  void text_or_null(std::string_view name, std::string_view text) {
    w_.key(name);
    if (text.empty())
      w_.null();
    else
      w_.string(text);
  }

  /// Other names of a resource: those of the parameter alias, and the value of its namevar where it is not the title.
  std::vector<std::string> aliases(ResourceId id) const {
    std::vector<std::string> out;
    const Resource& r = catalog_[id];
    const catalog::ResourceTypeInfo* info = catalog_.type_info(r.type);
    if (info != nullptr && info->key_attributes().size() > 1) return out;
    const auto add = [&](const Value& value, bool once) {
      std::vector<Value> all;
      flatten(value, all);
      for (const Value& one : all) {
        std::string text = plain_text(one);
        // In Puppet the title of Stage[main] is a symbol, which no text equals.
        const bool known = (text == r.title && !r.has(Resource::symbol_title)) || std::ranges::find(out, text) != out.end();
        if (!one.is_undef() && !(once && known)) out.push_back(std::move(text));
      }
    };
    if (const Param* alias = find(r, "alias")) add(alias->value, false);
    if (info != nullptr && !info->isomorphic()) return out;
    const auto namevar = catalog::namevar_of(catalog_, r.type);
    const Param* named = r.find(namevar);
    if (named == nullptr) named = find(r, "name");
    if (named != nullptr) {
      add(named->value, true);
    } else {
      std::vector<catalog::TitlePart> parts;
      if (catalog::parse_title(catalog_, r.type, r.title, parts))
        for (const auto& part : parts)
          if (part.name == namevar) add(Value::string(part.value), true);
    }
    return out;
  }

  static const Param* find(const Resource& r, std::string_view name) {
    for (const Param& p : r.parameters())
      if (p.name.str() == name) return &p;
    return nullptr;
  }

  void write_resource(ResourceId id) {
    const Resource& r = catalog_[id];
    w_.begin_object();
    w_.member("type", catalog_.type_name(r.type));
    w_.member("title", plain_text(Value::string(r.title)));
    w_.key("tags");
    w_.begin_array();
    for (const auto tag : r.tag_ids()) w_.string(catalog_.tag_text(tag));
    w_.end_array();
    if (r.file != 0) w_.member("file", catalog_.file_name(r.file));
    if (r.line != 0) {
      w_.key("line");
      w_.integer(r.line);
    }
    w_.member("kind", catalog::name_of(r.kind));
    w_.key("exported");
    w_.boolean(r.has(Resource::exported));
    w_.key("parameters");
    w_.begin_object();
    const std::vector<std::string> names = aliases(id);
    document_parameters(catalog_, id, params_);
    for (const DocumentParam& p : params_) {
      const Param* set = r.find(p.name);
      if (set != nullptr && (set->flags & Param::sensitive) != 0) continue;
      if (p.name.str() == "alias" && !names.empty()) continue;
      w_.key(p.name.str());
      if (p.value.is_list() && std::ranges::find(unordered, p.name.str()) != std::end(unordered))
        write_sorted(p.value);
      else
        write_plain(w_, p.value);
    }
    if (!names.empty()) {
      std::vector<std::string> sorted = names;
      std::ranges::sort(sorted);
      w_.key("alias");
      w_.begin_array();
      for (const std::string& name : sorted) w_.string(name);
      w_.end_array();
    }
    w_.end_object();
    w_.end_object();
  }

  void write_sorted(const Value& list) {
    std::vector<Value> all(list.items().begin(), list.items().end());
    std::ranges::stable_sort(all, [](const Value& a, const Value& b) { return ruby_text(a) < ruby_text(b); });
    w_.begin_array();
    for (const Value& one : all) write_plain(w_, one);
    w_.end_array();
  }

  void write_end(std::string_view key, ResourceId id) {
    w_.key(key);
    w_.begin_object();
    w_.member("type", catalog_.type_name(catalog_[id].type));
    w_.member("title", plain_text(Value::string(catalog_[id].title)));
    w_.end_object();
  }

  void write_edge(ResourceId from, ResourceId to, std::string_view relationship) {
    if (!written_.emplace(from, to, relationship).second) return;
    w_.begin_object();
    write_end("source", from);
    write_end("target", to);
    w_.member("relationship", relationship);
    w_.end_object();
  }

  void write_relations(ResourceId id) {
    for (const Relation& relation : relations) {
      const Param* set = find(catalog_[id], relation.parameter);
      if (set == nullptr) continue;
      std::vector<Value> others;
      flatten(set->value, others);
      for (const Value& other : others) {
        if (other.is_undef()) continue;
        const ResourceId to = resource_of(plain_text(other));
        const auto wrong = [&](std::string_view why) {
          return WireError(fmt::format("Invalid relationship: {} {{ {} => {} }}, because {} {}", catalog_.reference(id), relation.parameter,
                                       plain_text(other), plain_text(other), why));
        };
        if (to == no_resource || !shown(to)) throw wrong("doesn't seem to be in the catalog");
        if (catalog_[to].has(Resource::is_virtual)) throw wrong("is exported but not collected");
        write_edge(relation.forward ? id : to, relation.forward ? to : id, relation.name);
      }
    }
  }

  /// The resource of "Type[title]", by title or another name.
  ResourceId resource_of(std::string_view reference) const {
    const size_t open = reference.find('[');
    if (open == std::string_view::npos || !reference.ends_with(']')) return no_resource;
    std::string key(reference.substr(0, open));
    std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto type = catalog_.find_type(key);
    if (type == Catalog::no_type) return no_resource;
    return catalog::find_resource(catalog_, type, reference.substr(open + 1, reference.size() - open - 2));
  }

  JsonWriter w_;
  Catalog& catalog_;
  std::vector<DocumentParam> params_;
  std::set<std::tuple<ResourceId, ResourceId, std::string_view>> written_;
};

} // namespace

Command replace_catalog(Catalog& catalog, const Producer& producer, std::string_view transaction_uuid, std::string_view job_id) {
  Command out{CommandKind::ReplaceCatalog, catalog.name, producer.time, {}};
  out.payload.reserve(1024 + catalog.size() * 400);
  CatalogWriter(out.payload, catalog).write(producer, transaction_uuid, job_id);
  return out;
}

} // namespace pupc::puppetdb
