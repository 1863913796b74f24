#include "tools/pupc/compile/batch_request.h"

#include "catalog/base/paths.h"

#include <fmt/format.h>
#include <span>

namespace pupc::cli {
namespace {

std::string text_of(std::string_view field, const Value& v) {
  if (!v.is_string()) throw BadRequest{fmt::format("the request's {} is not a string", field)};
  return std::string(v.str());
}

bool truth_of(std::string_view field, const Value& v) {
  if (!v.is_bool()) throw BadRequest{fmt::format("the request's {} is neither true nor false", field)};
  return v.b;
}

Value object_of(std::string_view field, const Value& v) {
  if (!v.is_hash()) throw BadRequest{fmt::format("the request's {} are not a JSON object", field)};
  return v;
}

std::vector<std::string> directories_of(std::string_view field, const Value& v) {
  std::vector<std::string> out;
  if (v.is_string()) {
    for (const std::string& part : split_path(v.str())) out.push_back(absolute_path(part));
  } else if (v.is_list()) {
    for (const Value& part : v.items()) out.push_back(absolute_path(text_of(field, part)));
  } else {
    throw BadRequest{fmt::format("the request's {} is neither a string nor an array of strings", field)};
  }
  return out;
}

void take_settings(const Value& settings, CompileOptions& options) {
  for (const HashEntry& e : settings.hash->entries()) {
    const std::string name(e.key.str());
    std::string text;
    if (e.value.is_bool())
      text = e.value.b ? "true" : "false";
    else if (e.value.is_int())
      text = std::to_string(e.value.i);
    else
      text = text_of("settings", e.value);
    if (find_setting(name) == nullptr) throw BadRequest{fmt::format("the request's settings have '{}', which is no setting", name)};
    options.configuration.set(name, text);
  }
  options.setting_values = std::make_shared<const SettingValues>(options.configuration);
}

struct Field {
  std::string_view name;
  void (*take)(const Value& v, BatchRequest& r);
};

constexpr Field fields[] = {
    {"id", [](const Value&, BatchRequest&) {}},
    {"code", [](const Value& v, BatchRequest& r) { r.options.environment.code = text_of("code", v); }},
    {"manifest",
     [](const Value& v, BatchRequest& r) {
       r.options.environment.manifest = absolute_path(text_of("manifest", v));
       r.options.environment.code.reset();
     }},
    {"node", [](const Value& v, BatchRequest& r) { r.node = text_of("node", v); }},
    {"facts",
     [](const Value& v, BatchRequest& r) {
       r.facts = object_of("facts", v);
       r.facts_given = true;
     }},
    {"trusted", [](const Value& v, BatchRequest& r) { r.trusted = object_of("trusted", v); }},
    {"server_facts",
     [](const Value& v, BatchRequest& r) {
       r.as_server = v.is_bool() ? v.b : true;
       if (!v.is_bool()) r.server_facts = object_of("server_facts", v);
     }},
    {"parameters", [](const Value& v, BatchRequest& r) { r.parameters = object_of("parameters", v); }},
    {"classes",
     [](const Value& v, BatchRequest& r) {
       if (!v.is_list() && !v.is_hash()) throw BadRequest{"the request's classes are neither an array nor an object"};
       r.classes = v;
     }},
    {"environment",
     [](const Value& v, BatchRequest& r) {
       r.options.environment.name = text_of("environment", v);
       r.options.environment_named = true;
     }},
    {"environmentpath", [](const Value& v, BatchRequest& r) { r.options.environmentpath = text_of("environmentpath", v); }},
    {"modulepath", [](const Value& v, BatchRequest& r) { r.options.environment.modulepath = directories_of("modulepath", v); }},
    {"hiera_config",
     [](const Value& v, BatchRequest& r) {
       r.options.environment.hiera_config = v.is_undef() ? std::string() : absolute_path(text_of("hiera_config", v));
     }},
    {"strict",
     [](const Value& v, BatchRequest& r) {
       try {
         set_strict(r.options, text_of("strict", v));
       } catch (const UsageError&) { throw BadRequest{fmt::format("the request's strict is off, warning or error, not '{}'", v.str())}; }
     }},
    {"strict_variables", [](const Value& v, BatchRequest& r) { r.options.settings.strict_variables = truth_of("strict_variables", v); }},
    {"settings", [](const Value& v, BatchRequest& r) { take_settings(object_of("settings", v), r.options); }},
    {"legacy_facts", [](const Value& v, BatchRequest& r) { r.options.legacy_facts = truth_of("legacy_facts", v); }},
    {"exported", [](const Value& v, BatchRequest& r) { r.exported = truth_of("exported", v); }},
    {"invalidate", [](const Value& v, BatchRequest& r) { r.invalidate = truth_of("invalidate", v); }},
};

} // namespace

void read_batch_request(const Value& request, const CompileOptions& common, BatchRequest& out) {
  out.options = common;
  out.node = common.node;
  if (const Value* id = request.hash->find("id")) out.id = *id;
  for (const HashEntry& e : request.hash->entries()) {
    const Field* found = nullptr;
    for (const Field& f : fields)
      if (f.name == e.key.str()) found = &f;
    if (found == nullptr) throw BadRequest{fmt::format("'{}' is no field of a request", e.key.str())};
    // A null field counts as missing, except for hiera_config, where null has a meaning of its own.
    if (!e.value.is_undef() || found->name == "hiera_config") found->take(e.value, out);
  }
}

} // namespace pupc::cli
