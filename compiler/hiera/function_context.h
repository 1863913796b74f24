#pragma once
// What a hierarchy entry's function is called with, and what is kept for it between its calls.
#include "compiler/hiera/invocation.h"
#include "compiler/types/lookup_context.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc {

class Environment;

/// What all functions of one compile share.
struct DataFunctions {
  const Invocation* current = nullptr;    // the lookup that runs a function now: lookups that the function makes belong to it
  std::map<std::string, Value> file_data; // of context.cached_file_data, by path
  uint64_t contexts = 0;                  // made so far
};

/// Kept for a function at one location, as long as the configuration stays resolved.
struct FunctionContext {
  struct Hashed {
    size_t operator()(const Value& v) const { return static_cast<size_t>(hash_of(v)); }
  };
  struct Same {
    bool operator()(const Value& a, const Value& b) const { return eql(a, b); }
  };
  std::unordered_map<Value, size_t, Hashed, Same> cache_index;
  std::vector<std::pair<Value, Value>> cache;       // of the function, in order
  uint64_t number = 0;                              // among those of one compile, from 1
  const Hash* data_hash = nullptr;                  // what a data_hash function returned
  std::map<std::string, Value, std::less<>> values; // what a lookup_key or data_dig function returned, by key

  const Value* cached(const Value& key) const;
  void keep(const Value& key, const Value& value);
};

/// The object that a function gets as its last parameter, for the time of one call.
class LookupContext final : public NativeObject {
public:
  LookupContext(const Environment& environment, std::string_view module, FunctionContext& kept, DataFunctions& functions,
                const Interpolator& interpolator, Invocation& invocation);
  Value call(std::string_view function, std::span<const Value> args, const ObjectBlock* block) const override;
  uint64_t kept_place() const override { return kept_.number; }
  /// The lookup is over: what keeps the object cannot use it any more.
  void end() { invocation_ = nullptr; }

private:
  Value file_data(std::string_view path, const ObjectBlock* block) const;

  FunctionContext& kept_;
  DataFunctions& functions_;
  const Interpolator& interpolator_;
  Invocation* invocation_;
};

} // namespace pupc
