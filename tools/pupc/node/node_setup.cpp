#include "tools/pupc/node/node_setup.h"

#include "catalog/base/version.h"
#include "compiler/load/facts_file.h"
#include "compiler/load/load_error.h"
#include "runtime/facts/legacy_facts.h"
#include "tools/pupc/node/configured_exports.h"
#include "tools/pupc/node/enc.h"
#include "tools/pupc/node/known_nodes.h"
#include "tools/pupc/node/trusted_external.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pupc::cli {
namespace {

/// The server facts: version and environment. Entries of `given` (undef or a Hash) replace the version, but not the environment.
Value server_facts(Arena& arena, const Value& given, const std::string& environment) {
  HashBuilder out(arena);
  out.set("serverversion", Value::string(puppet_version));
  if (given.is_hash())
    for (const auto& e : given.hash->entries()) out.set(e.key, e.value);
  out.set("environment", Value::string(arena.copy(environment)));
  return out.finish();
}

} // namespace

namespace {

// Limits for environments that serve requests: how many are kept, and for how many requests each. An environment keeps what requests made
// at run time (regular expressions, templates, results of name searches), so it must not live forever.
constexpr size_t most_kept = 32;
constexpr uint64_t most_uses = 1000;

/// A key that is equal for two sets of options if their environments differ at most in the code.
std::string key_of(const CompileOptions& options) {
  const EnvironmentOptions& e = options.environment;
  const MessageLimits& limits = e.check.limits;
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{} {} {} {}\n{}\n", options.environmentpath, options.checkout, e.name, e.hiera_config,
                                static_cast<int>(e.check.strict), limits.errors, limits.warnings, limits.deprecations,
                                e.code ? "-" : e.manifest);
  for (const std::string& directory : e.modulepath) key += directory + "\n";
  return key;
}

} // namespace

std::shared_ptr<const Environment> Environments::open(const std::string& name, LogSink* log) {
  if (name.empty() || name == options_.environment.name) return open(options_, log);
  CompileOptions named = options_;
  named.environment.name = name;
  return open(named, log);
}

std::shared_ptr<const Environment> Environments::open(const CompileOptions& options, LogSink* log) {
  const std::string key = key_of(options);
  if (for_ == For::Requests) drop_changed(key);
  std::shared_ptr<const Environment> environment;
  std::vector<LogEntry> said;
  {
    std::lock_guard lock(mutex_);
    Opened& opened = opened_[key];
    const bool first = opened.environment == nullptr;
    if (first) {
      CompileOptions own = options;
      if (own.environment.code) own.environment.code = std::string();
      own.environment.watch = for_ == For::Requests;
      LogCollector collector;
      try {
        opened.environment = open_environment(own, &collector);
      } catch (...) {
        opened_.erase(key);
        if (log != nullptr)
          for (LogEntry& entry : collector.entries) log->log(std::move(entry));
        throw;
      }
      opened.said = std::move(collector.entries);
    }
    ++opened.uses;
    opened.last_use = ++clock_;
    environment = opened.environment;
    if (first || for_ == For::Requests) said = opened.said;
    if (for_ == For::Requests && opened_.size() > most_kept)
      opened_.erase(std::min_element(opened_.begin(), opened_.end(),
                                     [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; }));
  }
  if (log != nullptr)
    for (LogEntry& entry : said) log->log(std::move(entry));
  return options.environment.code ? environment_with_code(environment, *options.environment.code) : environment;
}

void Environments::drop_changed(const std::string& key) {
  std::shared_ptr<const Environment> kept;
  {
    std::lock_guard lock(mutex_);
    auto found = opened_.find(key);
    if (found == opened_.end()) return;
    if (found->second.uses < most_uses) kept = found->second.environment;
  }
  if (kept != nullptr && kept->unchanged()) return; // checks files, so do it without the lock
  std::lock_guard lock(mutex_);
  auto found = opened_.find(key);
  if (found != opened_.end() && (kept == nullptr || found->second.environment == kept)) opened_.erase(found);
}

ExportSource* Environments::exports() {
  std::call_once(exports_once_, [&] { exports_ = configured_exports(options_); });
  return exports_.get();
}

void Environments::forget() {
  std::lock_guard lock(mutex_);
  opened_.clear();
}

Value FactsFiles::read(const std::string& path, std::string* node_name) {
  File* file;
  {
    std::string key = path;
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      key += fmt::format("\n{} {} {}.{}", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    std::lock_guard lock(mutex_);
    file = &files_[key];
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

Value FactsFiles::known(const CompileOptions& options, const std::string& place, const std::string& node, Value* trusted) {
  File* file;
  {
    std::lock_guard lock(mutex_);
    file = &files_[place + "\n" + node];
  }
  std::call_once(file->once, [&] {
    const std::vector<KnownNode> found = known_nodes(options, place, file->arena, node);
    if (found.empty()) throw_load_error(fmt::format("Could not find facts of node '{}' in '{}'", node, place));
    file->facts = found[0].facts;
    file->trusted = found[0].trusted;
  });
  if (trusted != nullptr) *trusted = file->trusted;
  return file->facts;
}

Value given_facts(const CompileOptions& options, FactsFiles& files, std::string& name, Value* trusted) {
  Value facts;
  std::string stored;
  const std::string& path = options.facts_file;
  std::error_code ignored;
  if (!path.empty() && keeps_nodes(path)) {
    if (name.empty()) name = options.certname;
    if (name.empty()) throw_load_error(fmt::format("'{}' has facts of many nodes: name the node (--node)", path));
    return files.known(options, path, name, trusted);
  }
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
                                               const std::string& name, Value facts, LogSink* log, const Value& known_trusted) {
  Arena& arena = *data.arena;
  data.input.name = name;
  std::string named;
  std::shared_ptr<const Environment> environment;
  data.exports = environments.exports();
  if (is_http_classifier(options.classifier)) {
    const Value trusted = !options.trusted_file.empty() ? read_facts_file(arena, options.trusted_file)
                          : known_trusted.is_hash()     ? known_trusted
                                                        : local_trusted_data(arena, name);
    const http::TlsFiles tls = puppetdb_tls(options.configuration, {});
    named = take_classification(options.classifier, options.http_classifier->ask(options.classifier, tls, name, facts, trusted), data);
  } else if (!options.classifier.empty()) {
    named = classify_node(options.classifier, data);
  }
  try {
    environment = environments.open(named, log);
  } catch (CompileError& e) {
    if (!named.empty()) e.diagnostic.message = fmt::format("Failed when searching for node {}: {}", name, e.diagnostic.message);
    throw;
  }
  set_node_facts(options, data, name, facts, *environment);
  if (options.trusted_file.empty()) data.input.trusted = with_trusted_external(options, arena, data.input.trusted, name, {});
  Value given;
  if (!options.server_facts_file.empty()) given = read_facts_file(arena, options.server_facts_file);
  set_server_facts(data, given, *environment);
  trust_known(options, data, known_trusted);
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

void trust_known(const CompileOptions& options, NodeData& data, const Value& trusted) {
  if (options.trusted_file.empty() && trusted.is_hash()) data.input.trusted = trusted;
}

void set_own_server_facts(NodeData& data, const Environment& environment) {
  HashBuilder out(*data.arena);
  out.set("environment", Value::string(data.arena->copy(environment.options().name)));
  data.input.server_facts = out.finish();
}

std::string local_host_name() { return PuppetSettings().value("certname"); }

void trust_parameters(const CompileOptions& options, NodeData& data, bool own_facts) {
  if (!options.trusted_file.empty()) return;
  Value name;
  for (const Value& from : {data.input.facts, data.input.parameters})
    if (from.is_hash())
      if (const Value* found = from.hash->find("clientcert")) name = *found;
  if (name.is_undef() && options.facts_file.empty() && own_facts) return;
  const Value trusted = local_trusted_data(*data.arena, name.is_string() ? std::optional(name.str()) : std::nullopt);
  data.input.trusted = with_trusted_external(options, *data.arena, trusted, name.is_string() ? std::string(name.str()) : std::string(), {});
}

} // namespace pupc::cli
