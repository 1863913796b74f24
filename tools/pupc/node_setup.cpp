#include "tools/pupc/node_setup.h"

#include "catalog/base/version.h"
#include "compiler/load/facts_file.h"
#include "compiler/load/load_error.h"
#include "runtime/facts/legacy.h"
#include "tools/pupc/enc.h"

#include <filesystem>
#include <unistd.h>

namespace pupc {
namespace {

/// What a server adds to each node: its version, its name and the environment. `given` (undef or a Hash) goes before.
Value server_facts(Arena& arena, const Value& given, const std::string& environment) {
  HashBuilder out(arena);
  out.set("serverversion", Value::string(puppet_version));
  if (given.is_hash())
    for (const auto& e : given.hash->entries()) out.set(e.key, e.value);
  out.set("environment", Value::string(arena.copy(environment)));
  return out.finish();
}

} // namespace

std::shared_ptr<const Environment> Environments::open(const std::string& name, LogSink* log) {
  std::lock_guard lock(mutex_);
  const std::string& wanted = name.empty() ? options_.environment.name : name;
  auto& environment = opened_[wanted];
  if (!environment) {
    CompileOptions own = options_;
    own.environment.name = wanted;
    environment = open_environment(own, log);
  }
  return environment;
}

Value FactsFiles::read(const std::string& path, std::string* node_name) {
  File* file;
  {
    std::lock_guard lock(mutex_);
    file = &files_[path];
  }
  std::call_once(file->once, [&] { file->facts = read_facts_file(file->arena, path, &file->name); });
  if (node_name) *node_name = file->name;
  return file->facts;
}

std::string configured_name(const CompileOptions& options, const Value& facts, const std::string& stored) {
  if (options.node_name_fact.empty()) return stored.empty() ? options.certname : stored;
  const Value* fact = facts.is_hash() ? facts.hash->find(options.node_name_fact) : nullptr;
  if (!fact || !fact->is_string())
    throw_load_error(fmt::format("There is no fact '{}', which node_name_fact says to be the node's name", options.node_name_fact));
  return std::string(fact->str());
}

Value given_facts(const CompileOptions& options, FactsFiles& files, std::string& name) {
  Value facts;
  std::string stored;
  const std::string& path = options.facts_file;
  std::error_code ignored;
  if (!path.empty() && std::filesystem::is_directory(path, ignored)) {
    if (name.empty()) name = options.certname;
    if (name.empty()) throw_load_error(fmt::format("'{}' is a directory of facts: name the node (--node)", path));
    if (name.find('/') != std::string::npos)
      throw_load_error(fmt::format("the node's name '{}' cannot be the name of a file in '{}'", name, path));
    for (const char* extension : {".json", ".yaml", ".yml"})
      if (std::string file = path + "/" + name + extension; std::filesystem::exists(file, ignored)) return files.read(file, nullptr);
    throw_load_error(fmt::format("Could not find facts of node '{0}': there is no {0}.json, {0}.yaml or {0}.yml in '{1}'", name, path));
  }
  if (!path.empty()) facts = files.read(path, &stored);
  if (name.empty()) name = configured_name(options, facts, stored);
  return facts;
}

std::shared_ptr<const Environment> set_up_node(const CompileOptions& options, Environments& environments, NodeData& data,
                                               const std::string& name, Value facts, LogSink* log) {
  Arena& arena = *data.arena;
  data.input.name = name;
  std::string named;
  std::shared_ptr<const Environment> environment;
  if (!options.classifier.empty()) named = classify_node(options.classifier, data);
  try {
    environment = environments.open(named, log);
  } catch (CompileError& e) {
    if (!named.empty()) e.diagnostic.message = fmt::format("Failed when searching for node {}: {}", name, e.diagnostic.message);
    throw;
  }
  set_node_facts(options, data, name, facts, *environment);
  Value given;
  if (!options.server_facts_file.empty()) given = read_facts_file(arena, options.server_facts_file);
  set_server_facts(data, given, *environment);
  return environment;
}

void set_node_facts(const CompileOptions& options, NodeData& data, const std::string& name, Value facts, const Environment& environment) {
  Arena& arena = *data.arena;
  if (options.legacy_facts && facts.is_hash()) facts = with_legacy_facts(facts, arena);
  set_node_data(data, name, facts, environment.options().name);
  if (!options.trusted_file.empty()) data.input.trusted = read_facts_file(arena, options.trusted_file);
  data.input.settings = options.setting_values;
}

void set_server_facts(NodeData& data, const Value& given, const Environment& environment) {
  data.input.server_facts = server_facts(*data.arena, given, environment.options().name);
}

std::string local_host_name() {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return host;
}

} // namespace pupc
