#include "tools/pupc/apply/resource_query.h"

#include "catalog/graph/tags.h"
#include "catalog/json/json_writer.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "runtime/transaction/resource_listing.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace pupc::cli {

std::string query_catalog(const ResourceQuery& query, std::string_view environment) {
  if (const ResourceTypeInfo* type = find_native_type(query.type))
    for (const auto& [name, value] : query.settings)
      if (type->find(find_symbol(name)) == nullptr && !is_metaparameter(find_symbol(name)))
        throw ResourceError(fmt::format("no parameter named '{}'", name));
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.member("environment", environment);
  w.key("resources");
  w.begin_array();
  w.begin_object();
  w.member("type", capitalize_segments(query.type));
  w.member("title", query.title);
  w.member("kind", "compilable_type");
  w.key("parameters");
  w.begin_object();
  for (const auto& [name, value] : query.settings) w.member(name, value);
  w.end_object();
  w.end_object();
  w.end_array();
  for (const char* empty : {"edges", "classes"}) {
    w.key(empty);
    w.begin_array();
    w.end_array();
  }
  w.end_object();
  return out;
}

std::string query_answer(const ResourceQuery& query, RunContext& run) {
  std::vector<ListedResource> all;
  if (query.title.empty()) {
    all = list_resources(run, query.type, query.more);
  } else if (query.settings.empty()) {
    all = {find_resource(run, query.type, query.title, query.more)};
  } else {
    ManagedResource* changed = run.find(query.type, query.title);
    if (changed == nullptr) throw ResourceError(fmt::format("{} was not managed", query.title));
    all = {managed_resource(run, *changed, query.more)};
  }
  std::string out;
  if (query.yaml) {
    HashBuilder resources(run.arena), top(run.arena);
    for (const ListedResource& resource : all) {
      HashBuilder attributes(run.arena);
      for (const auto& [name, value] : resource.attributes) attributes.set(string_value(run.arena, name), value);
      resources.set(string_value(run.arena, resource.title), attributes.finish());
    }
    top.set(string_value(run.arena, query.type), all.empty() ? Value::undef() : resources.finish());
    return run.settings.write_yaml(top.finish());
  }
  for (const ListedResource& resource : all) out += as_manifest(resource) + "\n";
  return out.empty() ? "\n" : out; // like Ruby's puts
}

std::vector<std::string> known_type_names(const std::vector<std::string>& libraries) {
  std::set<std::string> names;
  for (const std::string_view name : native_type_names())
    if (const ResourceTypeInfo* type = find_native_type(name); type->origin() != TypeOrigin::Extension) names.emplace(name);
  std::error_code error;
  for (const std::string& library : libraries)
    for (const auto& entry : std::filesystem::directory_iterator(library + "/puppet/type", error))
      if (entry.path().extension() == ".rb") names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

} // namespace pupc::cli
