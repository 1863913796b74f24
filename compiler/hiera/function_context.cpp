#include "compiler/hiera/function_context.h"

#include "catalog/base/paths.h"
#include "catalog/value/frozen.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/load/dependencies.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pupc::compiler {

const Value* FunctionContext::cached(const Value& key) const {
  auto it = cache_index.find(key);
  return it == cache_index.end() ? nullptr : &cache[it->second].second;
}

void FunctionContext::keep(const Value& key, const Value& value) {
  auto [it, fresh] = cache_index.emplace(key, cache.size());
  if (fresh)
    cache.emplace_back(key, value);
  else
    cache[it->second].second = value;
}

LookupContext::LookupContext(const Environment& environment, std::string_view module, FunctionContext& kept, DataFunctions& functions,
                             const Interpolator& interpolator, Invocation& invocation, std::string_view called)
    : environment_(environment), kept_(kept), functions_(functions), interpolator_(interpolator), invocation_(&invocation),
      function_(called) {
  if (kept.number == 0) kept.number = ++functions.contexts;
  Arena& arena = invocation.host.arena();
  type = lookup_context_type();
  if (kept.attributes == nullptr) {
    HashBuilder values(arena);
    values.set("environment_name", Value::string(environment.options().name));
    values.set("module_name", module.empty() ? Value::undef() : frozen_text(Value::string(module)));
    kept.attributes = values.finish_hash();
  }
  attributes = kept.attributes;
}

Value LookupContext::call(std::string_view function, std::span<const Value> args, const ObjectBlock* block) const {
  if (!invocation_) throw_argument_error("the lookup context is used after the lookup that it was made for");
  Arena& arena = invocation_->host.arena();
  if (function == "not_found") throw KeyNotFoundSignal{};
  if (function == "interpolate") return interpolator_.interpolate(args[0], *invocation_, true);
  if (function == "explain") {
    if (invocation_->explainer) invocation_->explainer->text(ruby_to_s(invocation_->host.types(), block->call({})));
    return Value::undef();
  }
  if (function == "cache") {
    kept_.keep(args[0], args[1]);
    return args[1];
  }
  if (function == "cache_all") {
    for (const auto& e : args[0].hash->entries()) kept_.keep(e.key, e.value);
    return Value::undef();
  }
  if (function == "cache_has_key") return Value::boolean(kept_.cached(args[0]) != nullptr);
  if (function == "cached_value") {
    const Value* found = kept_.cached(args[0]);
    return found ? *found : Value::undef();
  }
  if (function == "cached_entries") {
    ListBuilder all(arena);
    std::vector<std::pair<Value, Value>> entries = kept_.cache; // a copy, because the block may add entries
    for (const auto& [key, value] : entries) {
      Value both[] = {key, value};
      Value entry = make_list(arena, both);
      if (!block)
        all.add(entry);
      else if (block->parameters == 2)
        block->call(both);
      else
        block->call({&entry, 1});
    }
    return block ? Value::undef() : all.finish();
  }
  return file_data(args[0].str(), block);
}

Value LookupContext::file_data(std::string_view path, const ObjectBlock* block) const {
  std::string name(path);
  if (auto it = functions_.file_data.find(name); it != functions_.file_data.end()) return it->second;
  if (DependencyRecorder* notes = environment_.recorder()) notes->file(name);
  struct stat info {};
  if (::stat(name.c_str(), &info) != 0) throw_argument_error(fmt::format("{} @ rb_file_s_stat - {}", std::strerror(errno), name));
  auto text = read_whole_file(name);
  if (!text) throw_argument_error(fmt::format("{} @ {} - {}", file_problem(errno), errno == EISDIR ? "io_fread" : "rb_sysopen", name));
  Value content = Value::string(invocation_->host.arena().copy(*text));
  Value result = block ? block->call({&content, 1}) : content;
  functions_.file_data.emplace(std::move(name), result);
  return result;
}

} // namespace pupc::compiler
