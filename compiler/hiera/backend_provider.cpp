// Hierarchy entries whose data come from a backend of Hiera 3, which is written in Ruby.
#include "catalog/formats/data_file.h"
#include "catalog/value/map_leaves.h"
#include "compiler/hiera/layer.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Value symbol(Arena& arena, std::string_view name) { return Value::string(arena.copy(BackendRequest::symbol_mark + std::string(name))); }

/// Marks symbols as BackendRequest requires.
Value marked(Arena& arena, const Value& v) {
  return map_leaves(arena, v, [&](const Value& leaf) { return is_symbol(leaf) ? symbol(arena, leaf.str()) : leaf; });
}

/// The name that Hiera 3 has for a merge strategy.
Value resolution_of(Arena& arena, const MergeStrategy& merge) {
  using Form = MergeStrategy::Form;
  if (merge.form == Form::First) return Value::undef();
  if (merge.form == Form::Unique) return symbol(arena, "array");
  HashBuilder out(arena);
  out.set(symbol(arena, "behavior"), symbol(arena, merge.form == Form::Hash ? "native" : merge.reversed ? "deep" : "deeper"));
  if (merge.form == Form::Deep && merge.given.is_hash())
    for (const auto& e : merge.given.hash->entries())
      if (!(e.key.is_string() && e.key.str() == "strategy"))
        out.set(symbol(arena, e.key.is_string() ? e.key.str() : std::string_view()), e.value);
  return out.finish();
}

} // namespace

void DataProvider::configure_backends(Invocation& invocation) {
  backend_config_ = Value::undef();
  Arena& arena = invocation.host.arena();
  auto add = [](std::vector<Value>& to, Value v) {
    if (std::none_of(to.begin(), to.end(), [&](const Value& known) { return eql(known, v); })) to.push_back(v);
  };
  if (config_->version == 3) {
    backend_config_ = marked(arena, config_->loaded);
    auto written_in_ruby = [](const Entry& e) { return e.backend == Backend::Hiera3; };
    if (!backend_config_.is_hash() || std::count_if(entries_.begin(), entries_.end(), written_in_ruby) < 2) return;
    // Puppet merges the configuration of several backends. This makes these two settings lists without duplicates.
    const Value lists[] = {symbol(arena, "hierarchy"), symbol(arena, "backends")};
    HashBuilder merged(arena);
    for (const auto& e : backend_config_.hash->entries()) {
      if (!eql(e.key, lists[0]) && !eql(e.key, lists[1])) {
        merged.set(e.key, e.value);
        continue;
      }
      std::vector<Value> all;
      for (const Value& v : e.value.is_list() ? e.value.items() : std::span<const Value>(&e.value, 1)) add(all, v);
      merged.set(e.key, make_list(arena, all));
    }
    backend_config_ = merged.finish();
    return;
  }
  // Puppet makes one configuration of Hiera 3 from all entries: it collects these two settings. For other settings the last entry wins.
  std::vector<Value> hierarchy, backends;
  HashBuilder settings(arena);
  for (const Entry& entry : entries_) {
    if (entry.backend != Backend::Hiera3) continue;
    const std::string_view name = entry.config->function;
    for (const Location& location : entry.locations) {
      std::string source = location.original;
      if (std::string extension = fmt::format(".{}", name); source.ends_with(extension)) source.resize(source.size() - extension.size());
      add(hierarchy, Value::string(arena.copy(source)));
    }
    add(backends, Value::string(name));
    HashBuilder own(arena);
    own.set(symbol(arena, "datadir"), Value::string(arena.copy(entry.datadir)));
    if (entry.options)
      for (const auto& e : entry.options->entries()) own.set(symbol(arena, e.key.str()), e.value);
    settings.set(symbol(arena, name), own.finish());
  }
  if (backends.empty()) return;
  settings.set(symbol(arena, "hierarchy"), make_list(arena, hierarchy));
  settings.set(symbol(arena, "backends"), make_list(arena, backends));
  settings.set(symbol(arena, "logger"), Value::string("puppet"));
  backend_config_ = settings.finish();
}

std::optional<Value> DataProvider::search_backend(Entry& entry, const Location* location, const LookupKey& key, Invocation& invocation,
                                                  const MergeStrategy& merge) {
  Arena& arena = invocation.host.arena();
  BackendRequest request;
  request.backend = entry.config->function;
  request.key = key.text;
  request.config = backend_config_;
  const Value& override = invocation.extra_paths;
  request.order_override = override.is_list() ? override : override.is_undef() ? make_list(arena, {}) : make_list(arena, {&override, 1});
  request.resolution = resolution_of(arena, merge);
  request.version_3 = config_->version == 3;
  struct Current {
    const Invocation*& current;
    const Invocation* previous;
    ~Current() { current = previous; }
  } current{functions_.current, functions_.current};
  functions_.current = &invocation;
  std::optional<Value> found = invocation.host.call_backend(request);
  Explainer* explainer = invocation.explainer;
  if (!found) return std::nullopt;
  if (!is_rich_data(*found) || holds_runtime_object(*found))
    throw_puppet_error(fmt::format("Value for key '{}', returned from hiera version 3 backend '{}',{} has wrong type, "
                                   "expects Puppet::LookupValue, got {}",
                                   key.text, request.backend,
                                   location ? fmt::format(" when using location '{}',", location->path) : std::string(),
                                   type_with_symbols(invocation.host.types(), *found)));
  if (explainer) explainer->found(key.text, *found);
  return undig(arena, key.segments, *found);
}

std::optional<Value> LookupHost::call_backend(const BackendRequest& request) {
  Diagnostic d;
  d.code = ErrorCode::not_implemented;
  d.message = fmt::format("The Hiera 3 backend '{}' needs Ruby, which is not available", request.backend);
  throw CompileError(std::move(d));
}

} // namespace pupc::compiler
