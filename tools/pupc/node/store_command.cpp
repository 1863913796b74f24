// pupc store FILE: lists the nodes in a store of exported resources, and removes nodes that no longer exist.
#include "catalog/base/diagnostic.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/plain_json.h"
#include "catalog/store/store.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/local_facts.h"
#include "tools/pupc/options.h"
#include "tools/puppetdb/spool.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {

namespace {

/// pupc store spool DIR: what waits for PuppetDB.
int list_spool(std::span<const std::string_view> words) {
  bool help = false;
  const auto paths = Options(
                         "Usage: pupc store spool DIR\n\nLists the commands that wait for PuppetDB, oldest first: number, time, command, "
                         "node, bytes. DIR is puppetdb_spool in the server's vardir.",
                         {})
                         .parse(words, help);
  if (help) return exit_success;
  if (paths.size() != 1) throw UsageError{"store spool needs the DIR of one spool"};
  const std::string directory(paths[0]);
  try {
    for (const puppetdb::Spool::Entry& e : puppetdb::Spool::list(directory))
      fmt::print("{}\t{}\t{}\t{}\t{}\n", e.number, e.time, puppetdb::name_of(e.kind), e.certname, e.bytes);
    return exit_success;
  } catch (const puppetdb::SpoolError& e) {
    fmt::print(stderr, "Error: {}\n", e.what());
    return exit_failure;
  }
}

/// pupc store query FILE QUERY: what puppetdb_query() gets from the store.
int answer_query(std::span<const std::string_view> words) {
  bool help = false;
  const auto rest =
      Options("Usage: pupc store query FILE QUERY\n\nAnswers a query in PQL, or a list in JSON, from a store of exported resources, as "
              "puppetdb_query() does.",
              {})
          .parse(words, help);
  if (help) return exit_success;
  if (rest.size() != 2) throw UsageError{"store query needs the FILE of one store and one QUERY"};
  const std::string path(rest[0]);
  if (std::error_code none; !std::filesystem::exists(path, none)) {
    fmt::print(stderr, "Error: {}: there is no such file\n", path);
    return exit_failure;
  }
  try {
    Arena arena;
    Value query = Value::string(rest[1]), list;
    JsonError error;
    if (rest[1].starts_with('[') && parse_json(rest[1], arena, list, error)) query = list;
    const Value rows = open_sqlite_store(path)->query(query, arena);
    std::string out;
    JsonWriter json(out, true);
    write_plain_json(json, rows);
    fmt::print("{}\n", out);
    return exit_success;
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  }
}

} // namespace

int store_command(std::span<const std::string_view> words) {
  if (!words.empty() && words[0] == "spool") return list_spool(words.subspan(1));
  if (!words.empty() && words[0] == "query") return answer_query(words.subspan(1));
  std::vector<std::string> forget;
  bool help = false;
  auto paths = Options(
                   "Usage: pupc store FILE [--forget NODE]…\n       pupc store spool DIR\n       pupc store query FILE QUERY\n\nLists the "
                   "nodes in a store of exported resources (see `pupc compile --store`).\n"
                   "What a forgotten node exported is not collected any more. `spool` lists the commands that wait in DIR for PuppetDB;\n"
                   "`query` answers a query in PQL from the store.",
                   {{"--forget", "NODE", "take a node out of the store", [&](std::string_view v) { forget.emplace_back(v); }}})
                   .parse(words, help);
  if (help) return exit_success;
  if (paths.size() != 1) throw UsageError{"store needs the FILE of one store"};
  const std::string path(paths[0]);
  if (std::error_code none; !std::filesystem::exists(path, none)) {
    fmt::print(stderr, "Error: {}: there is no such file\n", path);
    return exit_failure;
  }
  try {
    auto store = open_sqlite_store(path);
    const auto nodes = store->nodes();
    bool all_known = true;
    for (const auto& node : forget) {
      if (!std::binary_search(nodes.begin(), nodes.end(), node)) {
        fmt::print(stderr, "Error: {}: the store has no node '{}'\n", path, node);
        all_known = false;
        continue;
      }
      store->remove(node);
    }
    if (forget.empty())
      for (const auto& node : nodes) fmt::print("{}\n", node);
    return all_known ? exit_success : exit_failure;
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  }
}

} // namespace pupc::cli
