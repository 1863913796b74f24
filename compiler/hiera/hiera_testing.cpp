#include "compiler/hiera/hiera_testing.h"

#include "catalog/formats/data_file.h"
#include "catalog/json/rich_data.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/number_format.h"
#include "compiler/conversion/new_instance.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void write(const std::string& path, const std::string& content) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

std::string decode_base64(const std::string& text) {
  Arena arena;
  Value v;
  read_yaml("!binary " + text, arena, v, {});
  return std::string(v.str());
}

Value to_value(Arena& arena, const ordered_json& j) {
  if (j.is_null()) return Value::undef();
  Value v;
  read_json(j.dump(), arena, v);
  return v;
}

ordered_json to_json(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return nullptr;
  case Kind::Bool: return v.b;
  case Kind::Int: return v.i;
  case Kind::Float: return v.d;
  case Kind::String: {
    if (!is_bytes_text(v)) return std::string(v.str());
    std::string document;
    JsonWriter json(document);
    Arena scratch;
    write_rich_value(json, v, scratch);
    return ordered_json::parse(document);
  }
  case Kind::List: {
    ordered_json out = ordered_json::array();
    for (const Value& i : v.items()) out.push_back(to_json(i));
    return out;
  }
  case Kind::Hash: {
    ordered_json out = ordered_json::object();
    auto entries = v.hash->entries();
    if (!std::all_of(entries.begin(), entries.end(), [](const HashEntry& e) { return e.key.is_string(); })) { // rich data
      ordered_json pairs = ordered_json::array();
      for (const auto& e : entries) {
        pairs.push_back(to_json(e.key));
        pairs.push_back(to_json(e.value));
      }
      out["__ptype"] = "Hash";
      out["__pvalue"] = pairs;
      return out;
    }
    for (const auto& e : v.hash->entries()) out[std::string(e.key.str())] = to_json(e.value);
    return out;
  }
  default: return "?";
  }
}

class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view) override { return false; }
};

class MapHost : public LookupHost {
public:
  MapHost(const Environment& environment, const ordered_json& kase, std::string root)
      : types_(arena_, environment.regexes()), strict_(kase.value("strict", "error")), root_(std::move(root)) {
    ordered_json facts = kase.value("facts", ordered_json::object());
    for (const auto& [name, value] : facts.items()) set(name, to_value(arena_, value));
    set("facts", to_value(arena_, facts));
    set("trusted",
        to_value(arena_,
                 ordered_json{{"authenticated", "local"}, {"certname", "node.example.com"}, {"extensions", ordered_json::object()}}));
    set("environment", Value::string("production"));
    set("clientcert", Value::string("node.example.com"));
    set("settings::strict", Value::string(strict_));
    set("module_name", Value::string(""));
    if (kase.contains("variables"))
      for (const auto& [name, value] : kase["variables"].items()) set(name, to_value(arena_, value));
  }
  void set(const std::string& name, Value v) { variables_[name] = v; }

  Arena& arena() override { return arena_; }
  TypeContext& types() override { return types_; }
  bool variable(std::string_view name, Value& out) override {
    if (name.starts_with("::")) name.remove_prefix(2);
    auto it = variables_.find(std::string(name));
    if (it == variables_.end()) return false;
    out = it->second;
    return true;
  }
  void undefined_variable(std::string_view name, bool in_location) override {
    const bool tolerated = in_location && strict_ == "error";
    std::string message = tolerated ? fmt::format("Interpolation failed with '{}', but compilation continuing; ", name)
                                    : fmt::format("Undefined variable '{}'; ", name);
    size_t cut = name.rfind("::");
    if (cut != std::string_view::npos && cut != 0) message += fmt::format("class {} could not be found", name.substr(0, cut));
    if (strict_ == "error" && !tolerated) {
      Diagnostic d;
      d.code = ErrorCode::unknown_variable;
      d.message = message;
      throw CompileError(d);
    }
    if (strict_ != "off" && warned_.emplace(name, true).second) warn(message + "\n   (file & line not available)");
  }
  Value call_function(std::string_view name, std::span<const Value> args) override {
    if (name == "new" && args[0].is_type()) return new_instance(types_, as_type(args[0]), args.subspan(1));
    throw std::runtime_error("no function " + std::string(name));
  }
  void warn(std::string message) override { warnings.push_back(std::move(message)); }
  void debug(std::string) override {}

  std::vector<std::string> warnings;

private:
  Arena arena_;
  NoTypes types_;
  std::string strict_;
  std::string root_;
  std::map<std::string, Value> variables_;
  std::map<std::string, bool, std::less<>> warned_;
};

/// Puppet's Lookup.lookup around the service: overrides, then each name, default values and types.
Value look_up(LookupService& service, MapHost& host, const ordered_json& lookup) {
  Arena& arena = host.arena();
  TypeContext& types = host.types();
  LookupRequest request;
  if (lookup.contains("merge")) request.merge = to_value(arena, lookup["merge"]);
  Value overrides, defaults;
  if (lookup.contains("override")) overrides = to_value(arena, lookup["override"]);
  if (lookup.contains("default_values_hash")) defaults = to_value(arena, lookup["default_values_hash"]);
  if (overrides.is_hash()) request.override_values = overrides.hash;
  if (defaults.is_hash()) request.default_values = defaults.hash;
  const Type* type = lookup.contains("type") ? parse_type(types, lookup["type"].get<std::string>()) : nullptr;
  auto check = [&](const std::string& subject, Value v) {
    if (type && !is_instance(types, type, v)) {
      Diagnostic d;
      d.code = ErrorCode::type_mismatch;
      d.message = describe_mismatch(types, subject + " has wrong type,", type, v);
      throw CompileError(d);
    }
    return v;
  };
  std::vector<std::string> names;
  if (lookup["key"].is_array())
    names = lookup["key"].get<std::vector<std::string>>();
  else
    names = {lookup["key"].get<std::string>()};
  for (const auto& name : names) {
    if (request.override_values)
      if (const Value* v = request.override_values->find(name))
        return check(fmt::format("Value found for key '{}' in override hash", name), *v);
    request.key = name;
    if (auto v = service.lookup(request, host)) return check("Found value", *v);
  }
  for (const auto& name : names)
    if (request.default_values)
      if (const Value* v = request.default_values->find(name))
        return check(fmt::format("Value found for key '{}' in default values hash", name), *v);
  if (lookup.contains("default")) return check("Default value", to_value(arena, lookup["default"]));
  Diagnostic d;
  d.code = ErrorCode::lookup_error;
  d.preformatted = true;
  if (names.size() == 1) {
    d.message = fmt::format("Function lookup() did not find a value for the name '{}'", names[0]);
  } else {
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "'" : ", '") + n + "'";
    d.message = fmt::format("Function lookup() did not find a value for any of the names [{}]", list);
  }
  throw CompileError(d);
}

std::string replace_all(std::string s, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size()) s.replace(at, from.size(), to);
  return s;
}

} // namespace

HieraCase::HieraCase(const ordered_json& kase) : case_(kase) {
  std::string pattern = (fs::temp_directory_path() / "pupc-hiera-XXXXXX").string();
  root_ = ::mkdtemp(pattern.data());
  std::string environment = root_ + "/production";
  fs::create_directories(environment);
  if (kase.contains("files"))
    for (const auto& [name, content] : kase["files"].items()) write(environment + "/" + name, content);
  if (kase.contains("binary_files"))
    for (const auto& [name, content] : kase["binary_files"].items()) write(environment + "/" + name, decode_base64(content));
  if (kase.contains("global")) write(root_ + "/global/hiera.yaml", kase["global"]);
  if (kase.contains("global_files"))
    for (const auto& [name, content] : kase["global_files"].items()) write(root_ + "/global/" + name, content);
  EnvironmentOptions options = directory_environment(root_, "production", {}, nullptr);
  options.hiera_config = root_ + "/global/hiera.yaml";
  options.code = "";
  std::string strict = kase.value("strict", "error");
  options.check.strict = strict == "off" ? Strict::Off : strict == "warning" ? Strict::Warning : Strict::Error;
  environment_ = open_environment(std::move(options));
}

HieraCase::~HieraCase() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

bool HieraCase::can_run(const ordered_json& lookup) const {
  if (case_.contains("files"))
    for (const auto& [name, content] : case_["files"].items())
      if (name.find("functions/") != std::string::npos || name.find("lib/hiera/") != std::string::npos) return false;
  if (case_.contains("global") && case_["global"].get<std::string>().find("ROOTDIR") != std::string::npos) return false;
  return !lookup.contains("code") && !lookup.contains("program") && !lookup.contains("needs_evaluator") &&
         (!case_.contains("code") || case_.contains("variables"));
}

std::string HieraCase::run(const ordered_json& lookup) {
  auto service = make_lookup_service(*environment_);
  MapHost host(*environment_, case_, root_);
  std::string out;
  try {
    out = to_json(look_up(*service, host, lookup)).dump();
  } catch (const CompileError& error) {
    out = "error: " + (error.diagnostic.preformatted ? std::string() : "Evaluation Error: Error while evaluating a Function Call, ") +
          error.diagnostic.puppet_text();
  }
  for (const auto& w : host.warnings) out += "\nwarning: " + w;
  return replace_all(out, root_, "ROOT");
}

std::string HieraCase::expected(const ordered_json& lookup) const {
  if (lookup.contains("ours")) return lookup["ours"]; // a known difference; `because` gives the reason
  const auto& e = lookup["expected"];
  std::string out;
  if (e.contains("error")) {
    // The evaluator adds the place of the call in the case's code and the node.
    std::string text = e["error"];
    size_t node = text.rfind(" on node ");
    if (node != std::string::npos) text.resize(node);
    size_t place = text.rfind(" (line: ");
    if (place != std::string::npos && text.starts_with("Evaluation Error: ")) text.resize(place);
    out = "error: " + text;
  } else {
    out = e["value"][0].dump();
  }
  if (e.contains("logs"))
    for (const auto& l : e["logs"])
      if (std::string text = l; text.starts_with("warning: ")) out += "\n" + text;
  return out;
}

} // namespace pupc::compiler
