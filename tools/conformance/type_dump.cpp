// What pupc knows of resource types, as JSON lines in the form of oracle/known_types.rb, for resource_types.py to compare.
//   type_dump [--modulepath A:B] [--environment-path DIR] [--titles FILE.json] [--ruby dynamic|all] TYPE…
// --ruby: types that the scan cannot tell, or all types of modules, are read by running them in Ruby.
#include "catalog/base/paths.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/regex.h"
#include "compiler/load/environment.h"
#include "compiler/load/type_runner.h"
#include "compiler/ruby/worker/ruby_pool.h"

#include "catalog/schema/resource_type.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace pupc::compiler;

namespace {

void write_titles(JsonWriter& json, const ResourceTypeInfo& type, std::span<const Value> titles) {
  json.key("titles");
  json.begin_object();
  for (const Value& title : titles) {
    json.key(title.str());
    std::vector<TitlePart> parts;
    if (!type.split_title(title.str(), parts)) {
      json.begin_object();
      json.member("error", type.title_problem(title.str()));
      json.end_object();
      continue;
    }
    json.begin_array();
    for (const auto& part : parts) {
      json.begin_array();
      json.string(part.name.str());
      if (part.absent)
        json.null();
      else
        json.string(part.value);
      json.end_array();
    }
    json.end_array();
  }
  json.end_object();
}

/// What the table of native types says of allowed values.
void write_allowed(JsonWriter& json, const ResourceTypeInfo& type) {
  if (type.origin() != TypeOrigin::Core && type.origin() != TypeOrigin::CoreModule) return;
  json.key("allowed");
  json.begin_object();
  for (const NativeAttribute& a : native_attributes(type.name())) json.member(a.name, a.allowed);
  json.end_object();
}

void write_type(JsonWriter& json, std::string_view name, const ResourceTypeInfo* type, std::span<const Value> titles) {
  json.begin_object();
  json.member("name", name);
  if (!type) {
    json.member("error", "no such type");
    json.end_object();
    return;
  }
  json.member("file", type->file());
  json.member("dynamic", type->dynamic());
  json.member("dynamic_titles", type->dynamic_titles());
  json.key("attributes");
  json.begin_array();
  for (const auto& a : type->attributes()) {
    json.begin_array();
    json.string(a.name.str());
    json.string(a.kind == AttributeKind::Property ? "property" : "param");
    json.end_array();
  }
  json.end_array();
  json.key("namevars");
  json.begin_array();
  for (Symbol s : type->namevars()) json.string(s.str());
  json.end_array();
  json.key("isomorphic");
  json.boolean(type->isomorphic());
  write_allowed(json, *type);
  write_titles(json, *type, titles);
  json.end_object();
}

} // namespace

int main(int argc, char** argv) {
  EnvironmentOptions options;
  std::vector<std::string> names;
  std::string ruby;
  Arena arena;
  Value titles = make_list(arena, {});
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    bool more = i + 1 < argc;
    if (arg == "--modulepath" && more) {
      options.modulepath = split_path(argv[++i]);
    } else if (arg == "--environment-path" && more) {
      options.path = argv[++i];
    } else if (arg == "--ruby" && more) {
      ruby = argv[++i];
    } else if (arg == "--titles" && more) {
      auto text = read_whole_file(argv[++i]);
      JsonError error;
      if (!text || !parse_json(arena.copy(*text), arena, titles, error) || !titles.is_list()) {
        std::fprintf(stderr, "%s: no list of titles\n", argv[i]);
        return 2;
      }
    } else {
      names.push_back(arg);
    }
  }
  std::string out;
  JsonWriter json(out, false);
  json.begin_object();
  json.key("metaparams");
  json.begin_array();
  for (Symbol s : metaparameters()) json.string(s.str());
  json.end_array();
  json.end_object();
  std::printf("%s\n", out.c_str());
  auto environment = open_environment(options);
  RubyPool pool{RubyOptions{}};
  if (!ruby.empty()) run_types_in_ruby(pool, *environment);
  for (const auto& name : names) {
    std::string line;
    JsonWriter type_json(line, false);
    try {
      const ResourceTypeInfo* type = environment->find_resource_type(name);
      std::unique_ptr<const ResourceTypeInfo> run;
      if (ruby == "all" && type && !type->file().empty()) {
        ScannedType ran;
        ran.name = name;
        ran.file = type->file();
        ran.dynamic = "all types are run";
        const auto runner = type_runner_slot(*environment).get();
        bool found = runner->run(ran) != TypeRunner::Outcome::Absent;
        // Who provides a type is told by the files of all modules, however the type is read.
        if (found && !ran.resource_api && type->find(sym::provider)) ran.add_provider();
        run = ran.info(ran.title_code ? runner->title_code(ran) : nullptr);
        type = found ? run.get() : nullptr;
      }
      write_type(type_json, name, type, titles.items());
    } catch (const CompileError& e) {
      line.clear();
      JsonWriter error_json(line, false);
      error_json.begin_object();
      error_json.member("name", name);
      error_json.member("error", e.diagnostic.message);
      error_json.end_object();
    }
    std::printf("%s\n", line.c_str());
  }
  return 0;
}
