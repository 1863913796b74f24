#include "runtime/provider/concat/merged_fragments.h"

#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

bool nothing(const Value& v) { return v.is_undef() || (v.is_hash() && v.hash->size == 0) || (v.is_list() && v.list->size == 0); }

Value merge(const Value& a, const Value& b, bool force, Arena& arena) {
  if (nothing(b)) return a;
  if (nothing(a)) return b;
  if (a.is_list() && b.is_list()) {
    ListBuilder out(arena);
    for (const Value& list : {a, b})
      for (const Value& v : list.items())
        if (std::none_of(out.items().begin(), out.items().end(), [&](const Value& have) { return eql(have, v); })) out.add(v);
    return out.finish();
  }
  if (!a.is_hash() || !b.is_hash()) throw ResourceError("undefined method `merge' for a fragment that is no hash");
  HashBuilder out(arena, *a.hash);
  for (const HashEntry& e : b.hash->entries()) {
    const Value* have = out.find(e.key);
    if (have == nullptr) {
      out.set(e.key, e.value);
    } else if ((have->is_hash() && e.value.is_hash()) || (have->is_list() && e.value.is_list())) {
      out.set(e.key, merge(*have, e.value, force, arena));
    } else if (!eql(*have, e.value) && !force) {
      throw ResourceError(fmt::format("Duplicate key '{}' found with values '{}' and {}'. Use 'force' attribute to merge keys.",
                                      value_text(e.key), value_text(*have), value_text(e.value)));
    }
  }
  return out.finish();
}

void write(JsonWriter& json, const Value& v) {
  if (v.is_hash()) {
    json.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      json.key(value_text(e.key));
      write(json, e.value);
    }
    json.end_object();
  } else if (v.is_list()) {
    json.begin_array();
    for (const Value& one : v.items()) write(json, one);
    json.end_array();
  } else if (v.is_undef()) {
    json.null();
  } else if (v.is_bool()) {
    json.boolean(v.truthy());
  } else if (v.is_int()) {
    json.integer(v.i);
  } else if (v.is(Kind::Float)) {
    json.floating(v.d);
  } else {
    json.string(value_text(v));
  }
}

} // namespace

bool fragment_format(std::string_view format) {
  static constexpr std::string_view all[] = {"plain", "yaml", "json", "json-array", "json-pretty", "json-array-pretty"};
  return std::find(std::begin(all), std::end(all), format) != std::end(all);
}

std::string merged_fragments(std::string_view format, const std::vector<std::string>& fragments, bool force, RunContext& run) {
  std::string out;
  if (format == "plain") {
    for (const std::string& f : fragments) out += f;
    return out;
  }
  std::vector<Value> documents;
  for (const std::string& f : fragments) {
    if (format == "yaml") {
      if (!run.settings.read_yaml) throw ResourceError("YAML cannot be read here");
      documents.push_back(run.settings.read_yaml(run.arena.copy(f), run.arena));
      continue;
    }
    Value v;
    JsonError problem;
    if (!parse_json(run.arena.copy(f), run.arena, v, problem)) throw ResourceError(problem.message);
    documents.push_back(v);
  }
  Value all;
  if (format.starts_with("json-array")) {
    all = make_list(run.arena, documents);
  } else {
    all = HashBuilder(run.arena).finish();
    for (const Value& d : documents) all = merge(all, d, force, run.arena);
  }
  if (format == "yaml") return run.settings.write_yaml(all);
  JsonWriter json(out, format.ends_with("-pretty"));
  write(json, all);
  return out;
}

} // namespace pupc::runtime
