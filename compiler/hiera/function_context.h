#pragma once
// The context that a hierarchy entry's function receives, and the values that the context keeps between calls.
#include "compiler/hiera/invocation.h"
#include "compiler/types/lookup_context.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc::compiler {

class Environment;

/// What all data functions of one compile share.
struct DataFunctions {
  const Invocation* current = nullptr;    // the lookup that runs a function now; lookups that the function makes belong to it
  std::map<std::string, Value> file_data; // for context.cached_file_data, by path
  uint64_t contexts = 0;                  // how many contexts were made so far
};

/// What is kept for a function at one location, until the configuration is resolved again.
struct FunctionContext {
  struct Hashed {
    size_t operator()(const Value& v) const { return static_cast<size_t>(hash_of(v)); }
  };
  struct Same {
    bool operator()(const Value& a, const Value& b) const { return eql(a, b); }
  };
  std::unordered_map<Value, size_t, Hashed, Same> cache_index;
  std::vector<std::pair<Value, Value>> cache;       // the function's own cache, in order
  uint64_t number = 0;                              // number among the contexts of one compile, from 1
  const Hash* attributes = nullptr;                 // of the object that the function receives
  const Hash* data_hash = nullptr;                  // the result of a data_hash function
  std::map<std::string, Value, std::less<>> values; // the results of a lookup_key or data_dig function, by key

  const Value* cached(const Value& key) const;
  void keep(const Value& key, const Value& value);
};

/// The object that a function receives as its last parameter. It is valid during one call.
class LookupContext final : public NativeObject {
public:
  LookupContext(const Environment& environment, std::string_view module, FunctionContext& kept, DataFunctions& functions,
                const Interpolator& interpolator, Invocation& invocation, std::string_view called);
  Value call(std::string_view function, std::span<const Value> args, const ObjectBlock* block) const override;
  uint64_t kept_place() const override { return kept_.number; }
  bool keeps() const override { return !kept_.cache.empty(); }
  bool take_direct_call(std::string_view name) const override { return name == function_ && std::exchange(direct_, false); }
  void miss(bool missed) const override { missed_ = missed; }
  bool missed() const override { return missed_; }
  /// Ends the call. Code that still holds the object cannot use it any more.
  void end() { invocation_ = nullptr; }

private:
  Value file_data(std::string_view path, const ObjectBlock* block) const;

  const Environment& environment_;
  FunctionContext& kept_;
  DataFunctions& functions_;
  const Interpolator& interpolator_;
  Invocation* invocation_;
  std::string_view function_;
  mutable bool direct_ = true;
  mutable bool missed_ = false;
};

} // namespace pupc::compiler
