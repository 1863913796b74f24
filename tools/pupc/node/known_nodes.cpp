#include "tools/pupc/node/known_nodes.h"

#include "catalog/base/paths.h"
#include "catalog/json/json_reader.h"
#include "catalog/store/store.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/node/configured_exports.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

constexpr std::string_view puppetdb_place = "puppetdb:", store_place = "store:";
constexpr size_t most_at_once = 500; // nodes of one query

const Value* text_in(const Value& row, std::string_view key) {
  const Value* found = row.is_hash() ? row.hash->find(key) : nullptr;
  return found != nullptr && found->is_string() ? found : nullptr;
}

/// The first character of a file that is no blank.
char first_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return 0;
  const auto text = read_whole_file(path);
  const size_t at = text ? text->find_first_not_of(" \t\r\n") : std::string::npos;
  return at == std::string::npos ? 0 : (*text)[at];
}

/// The facts without those that PuppetDB adds. An answer to a query for factsets has a list of names and values.
Value own_facts(const Value& facts, Arena& into) {
  HashBuilder out(into);
  const Value* listed = facts.hash->find("data");
  if (listed != nullptr && listed->is_list() && (facts.hash->entries().size() == 1 || facts.hash->find("href") != nullptr)) {
    for (const Value& fact : listed->items()) {
      const Value *name = text_in(fact, "name"), *value = fact.is_hash() ? fact.hash->find("value") : nullptr;
      if (name != nullptr && value != nullptr && name->str() != "trusted") out.set(*name, *value);
    }
    return out.finish();
  }
  for (const HashEntry& e : facts.hash->entries())
    if (!e.key.is_string() || e.key.str() != "trusted") out.set(e.key, e.value);
  return out.finish();
}

/// Adds the nodes of PuppetDB's answer. Names of nodes whose rows have no facts go to `without`.
void take_rows(const Value& rows, const std::string& place, Arena& into, std::vector<KnownNode>& out, std::vector<std::string>* without) {
  if (!rows.is_list()) throw_load_error("The answer is no list of nodes", place);
  for (const Value& row : rows.items()) {
    const Value* name = text_in(row, "certname");
    if (name == nullptr) throw_load_error("The answer has a row without certname: a query for nodes or inventory has one", place);
    const Value* facts = row.hash->find("facts");
    if (facts != nullptr && facts->is_hash()) {
      const Value* trusted = row.hash->find("trusted");
      if (trusted == nullptr || !trusted->is_hash()) trusted = facts->hash->find("trusted");
      out.push_back(
          {std::string(name->str()), own_facts(*facts, into), trusted != nullptr && trusted->is_hash() ? *trusted : Value::undef()});
    } else if (without != nullptr) {
      without->emplace_back(name->str());
    } else {
      throw_load_error(fmt::format("The answer has no facts of {}: ask for inventory[certname, facts, trusted] {{ }}", name->str()), place);
    }
  }
}

/// ["from", "inventory", ["extract", ["certname", "facts", "trusted"], ["in", "certname", ["array", NAMES]]]]
Value inventory_query(std::span<const std::string> names, Arena& arena) {
  const auto list = [&](std::initializer_list<Value> items) { return make_list(arena, std::vector<Value>(items)); };
  const auto text = [](std::string_view t) { return Value::string(t); };
  ListBuilder all(arena);
  for (const std::string& name : names) all.add(text(arena.copy(name)));
  const Value among = list({text("in"), text("certname"), list({text("array"), all.finish()})});
  const Value columns = list({text("certname"), text("facts"), text("trusted")});
  return list({text("from"), text("inventory"), list({text("extract"), columns, among})});
}

std::vector<KnownNode> from_puppetdb(const CompileOptions& options, const std::string& place, Arena& into, std::string_view only) {
  const auto source = puppetdb_source(options);
  const std::string query = place.substr(puppetdb_place.size());
  std::vector<std::string> names;
  std::vector<KnownNode> out;
  if (query.empty() && !only.empty()) {
    names.emplace_back(only);
  } else {
    Value asked = Value::string(query.empty() ? std::string_view("inventory[certname, facts, trusted] { }") : std::string_view(query));
    JsonError error;
    Value list;
    if (query.starts_with('[') && parse_json(into.copy(query), into, list, error) && list.is_list()) asked = list;
    take_rows(source->query(asked, into), place, into, out, &names);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!only.empty()) std::erase_if(names, [&](const std::string& name) { return name != only; });
  }
  for (size_t at = 0; at < names.size(); at += most_at_once) {
    const auto some = std::span<const std::string>(names).subspan(at, std::min(most_at_once, names.size() - at));
    take_rows(source->query(inventory_query(some, into), into), place, into, out, nullptr);
  }
  return out;
}

std::vector<KnownNode> from_store(const std::string& file, Arena& into, std::string_view only) {
  if (!std::filesystem::exists(file)) throw_load_error("There is no such store", file);
  const auto store = catalog::open_sqlite_store(file);
  std::vector<KnownNode> out;
  for (const std::string& name : store->nodes()) {
    if (!only.empty() && name != only) continue;
    const catalog::StoredNode node = store->node(name);
    KnownNode known{name, {}, {}};
    JsonError error;
    if (!parse_json(into.copy(node.facts), into, known.facts, error) || !known.facts.is_hash())
      throw_load_error(fmt::format("The facts of {} are broken: {}", name, error.message), file);
    out.push_back(std::move(known));
  }
  return out;
}

} // namespace

bool keeps_nodes(const std::string& place) {
  return place.starts_with(puppetdb_place) || place.starts_with(store_place) || (place.ends_with(".json") && first_of(place) == '[');
}

std::vector<KnownNode> known_nodes(const CompileOptions& options, const std::string& place, Arena& into, std::string_view only) {
  std::vector<KnownNode> out;
  if (place.starts_with(puppetdb_place)) {
    out = from_puppetdb(options, place, into, only);
  } else if (place.starts_with(store_place)) {
    out = from_store(place.substr(store_place.size()), into, only);
  } else {
    const auto text = read_whole_file(place);
    if (!text) throw_load_error(fmt::format("Could not read it: {}", file_problem(errno)), place);
    Value rows;
    JsonError error;
    if (!parse_json(into.copy(*text), into, rows, error)) throw_load_error(error.message, place, error.line, error.column);
    take_rows(rows, place, into, out, nullptr);
  }
  if (!only.empty()) std::erase_if(out, [&](const KnownNode& node) { return node.name != only; });
  std::ranges::stable_sort(out, {}, &KnownNode::name);
  const auto twice = std::ranges::adjacent_find(out, {}, &KnownNode::name);
  if (twice != out.end()) throw_load_error(fmt::format("The node {} is there twice", twice->name), place);
  return out;
}

} // namespace pupc::cli
