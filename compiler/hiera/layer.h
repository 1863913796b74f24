#pragma once
// The data of one layer: its configuration, resolved for the compile, and the files that the configuration names.
#include "compiler/hiera/config.h"
#include "compiler/hiera/function_context.h"
#include "compiler/hiera/invocation.h"
#include "compiler/hiera/merge.h"

namespace pupc::catalog {
struct DataFile;
} // namespace pupc::catalog
namespace pupc::compiler {

class DataProvider {
public:
  /// `module` is empty for the global and the environment layer.
  DataProvider(const Environment& environment, std::string config_path, HieraLayer layer, std::string_view module,
               Interpolator interpolator, DataFunctions& functions)
      : environment_(environment), functions_(functions), config_path_(std::move(config_path)), layer_(layer), module_(module),
        interpolator_(interpolator) {}

  /// Returns the configuration. The first call reads and checks it.
  const HieraConfig& config(LookupHost& host);
  /// The value of a key's root in this layer, merged over the layer's levels; nothing when not found.
  std::optional<Value> lookup(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge);
  /// The same in a module's default_hierarchy.
  std::optional<Value> lookup_default(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge);

private:
  struct Location {
    std::string original;
    std::string path; // or URI
    bool exists = false;
    bool is_uri = false;
    const Hash* data = nullptr; // read at first use
    const DataFile* file = nullptr;
    std::unique_ptr<FunctionContext> context; // made at first use
  };
  /// The source of an entry's data.
  enum class Backend : uint8_t { Data, Eyaml, Function, Hiera3 };
  struct Entry {
    const HierarchyEntry* config;
    Backend backend = Backend::Data;
    const Hash* options = nullptr;            // interpolated; null = none
    std::string datadir;                      // interpolated
    std::unique_ptr<FunctionContext> context; // for an entry without locations
    bool has_locations = false;
    std::vector<Location> locations;
  };

  /// Interpolates the configuration with the variables of this lookup, and notes which variables it reads.
  void resolve(Invocation& invocation);
  /// Whether those variables still have the values that they had then.
  bool still_resolved(Invocation& invocation);
  std::vector<Entry> resolve_entries(const std::vector<HierarchyEntry>& entries, Invocation& invocation);
  std::optional<Value> search(std::vector<Entry>& entries, const LookupKey& key, Invocation& invocation, const MergeStrategy& merge);
  std::optional<Value> search_entry(Entry& entry, const LookupKey& key, Invocation& invocation, const MergeStrategy& merge);
  std::optional<Value> search_extra_paths(Entry& entry, const LookupKey& key, Invocation& invocation, const MergeStrategy& merge);
  std::optional<Value> search_location(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation,
                                       const MergeStrategy& merge);
  void read_data(const Entry& entry, Location& location, Invocation& invocation);
  /// Runs `body`, which makes the value of a key. An error from it gets the key's place in the data file.
  template <class Body> auto with_place(const Location* location, const Value* value, std::string_view key, Body body) {
    try {
      return body();
    } catch (CompileError& error) {
      note_place(error, location, value, key);
      throw;
    }
  }
  static void note_place(CompileError& error, const Location* location, const Value* value, std::string_view key);
  Backend backend_of(const HierarchyEntry& config);
  /// Warns about keys in a module's data that lack the module's name.
  void note_foreign_keys(const Hash& data, const std::string& what, LookupHost& host) const;

  // backend_provider.cpp: entries with a backend of Hiera 3
  void configure_backends(Invocation& invocation);
  std::optional<Value> search_backend(Entry& entry, const Location* location, const LookupKey& key, Invocation& invocation,
                                      const MergeStrategy& merge);

  // function_provider.cpp: entries with a function in Puppet or Ruby, and eyaml
  std::optional<Value> search_function(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation);
  std::optional<Value> search_eyaml(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation);
  std::optional<Value> call_function(Entry& entry, Location* location, FunctionContext& context, const Value* key, Invocation& invocation);
  FunctionContext& context_of(Entry& entry, Location* location);
  void read_eyaml(const Entry& entry, Location& location, Invocation& invocation);

  /// Such as "Environment Data Provider (hiera configuration version 5)".
  std::string title() const;

  const Environment& environment_;
  DataFunctions& functions_;
  std::string config_path_;
  HieraLayer layer_;
  std::string_view module_;
  Interpolator interpolator_;
  std::shared_ptr<const HieraConfig> config_;
  bool resolved_ = false;
  std::vector<Entry> entries_, default_entries_;
  std::vector<ReadVariable> reads_;
  Value backend_config_; // Hiera::Config for the backends of Hiera 3
};

/// The inferred type of a value with symbols, as Puppet prints it.
std::string type_with_symbols(TypeContext& types, const Value& v);

/// Puts `value` into the lists and hashes that the segments of a key name. A function can find a value by the whole key, but its callers
/// expect the value of the root (function_provider.cpp).
Value undig(Arena& arena, std::span<const Value> segments, Value value);

/// Searches `count` places with `search(i)` and merges the results by the strategy's rules. It stops at the first result, or merges all
/// from the last to the first.
template <class Search> std::optional<Value> merge_lookup(const MergeStrategy& merge, Invocation& invocation, size_t count, Search search) {
  if (merge.form == MergeStrategy::Form::First) {
    for (size_t i = 0; i < count; ++i)
      if (auto v = search(i)) return v;
    return std::nullopt;
  }
  if (count == 0) return std::nullopt;
  TypeContext& types = invocation.host.types();
  if (count == 1) {
    auto v = search(0);
    if (v) *v = merge.single(types.arena, *v);
    return v;
  }
  ExplainNode node(invocation.explainer, Explainer::Node::Merge, merge.name());
  if (invocation.explainer) invocation.explainer->merge_options(merge.given);
  std::optional<Value> result;
  for (size_t i = 0; i < count; ++i)
    if (auto v = search(i)) result = result ? merge.merge(types, *result, *v) : merge.convert(types.arena, *v);
  if (result && invocation.explainer) invocation.explainer->result(*result);
  return result;
}

} // namespace pupc::compiler
