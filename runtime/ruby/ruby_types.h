#pragma once
// Resource types and providers that modules write in Ruby, for the run. The order, noop, guards, events and reports are the transaction's;
// Ruby is asked what there is, what differs, and told to change it. One process serves a run; it is started when the first resource needs
// it, and again after it was lost. What it costs then is one failed resource.
#include "catalog/base/log.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/provider.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pupc {

struct RubyTypesOptions {
  std::string program = "ruby";
  bool allowed = true;                        // false: resources that need Ruby fail with an error that says so
  std::chrono::milliseconds timeout{3600000}; // for one step of one resource, its commands included
  LogLevel log_level = LogLevel::Notice;
  std::vector<std::pair<std::string, Value>> settings; // of Puppet's, for code that asks: "environment", "noop", "vardir"
  std::function<Value()> facts;                        // all of them, as a hash
  /// What is wrong with the text of a type of the language; empty when nothing is.
  std::function<std::string(std::string_view type)> type_problem;
  /// Why a value is none of a type, in Puppet's words that begin with `subject`; empty when it is one.
  std::function<std::string(std::string_view type, const Value& value, std::string_view subject)> type_mismatch;
};

class RubySession;

class RubyTypes final : public ForeignTypes {
public:
  /// `libraries`: the lib/ directories of the modules, in their order.
  RubyTypes(RubyTypesOptions options, std::vector<std::string> libraries);
  ~RubyTypes() override;

  std::unique_ptr<TypeHandler> handler(std::string_view type) override;
  bool has_provider(std::string_view type, std::string_view provider) override;

  Value list(std::string_view type, std::string_view title, const std::vector<std::string>& more, RunContext& run) override;
  Value show(const ManagedResource& resource, const std::vector<std::string>& more, RunContext& run) override;

  /// Attributes, features and providers of a type as a hash, for tools that compare; undef when there is no such type. Throws
  /// ResourceError.
  Value describe(std::string_view type, RunContext& run);

private:
  std::shared_ptr<RubySession> session_;
};

} // namespace pupc
