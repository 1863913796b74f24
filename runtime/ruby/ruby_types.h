#pragma once
// Runs resource types and providers that modules implement in Ruby. The transaction keeps order, noop, guards, events and reports; Ruby
// retrieves the present state, lists the differences and makes the changes. One process serves a run. It starts when the first resource
// needs it, and again after a crash, which so fails only one resource.
#include "catalog/base/log.h"
#include "catalog/ruby/ruby_worker.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/provider.h"
#include "runtime/ruby/ruby_answers.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct RubyTypesOptions {
  std::string program = "ruby";
  bool allowed = true;                        // false: resources that need Ruby fail with an error
  std::chrono::milliseconds timeout{3600000}; // for one step of one resource, including its commands
  LogLevel log_level = LogLevel::Notice;
  std::vector<std::pair<std::string, Value>> settings;        // Puppet settings whose values the run determines: "environment", "noop"
  SettingReader setting;                                      // all others
  std::function<Value()> facts;                               // returns all facts as a hash
  std::function<Value()> machine_facts;                       // the facts of the machine and external ones as they are now
  std::function<std::vector<std::string>()> fact_directories; // where facts in Ruby are, for those that code asks for in the run
  std::unique_ptr<RubyWorker> facts_worker;                   // the process that has resolved them; may be null
  /// Why a text is no data type of the Puppet language; empty when it is one.
  std::function<std::string(std::string_view type)> type_problem;
  /// Puppet's message, beginning with `subject`, when a value does not match a data type; empty when it does.
  std::function<std::string(std::string_view type, const Value& value, std::string_view subject)> type_mismatch;
};

class ProviderRubySession;

class RubyTypes final : public ForeignTypes {
public:
  /// `libraries` are the lib/ directories of the modules, in the modules' order.
  RubyTypes(RubyTypesOptions options, std::vector<std::string> libraries);
  ~RubyTypes() override;

  std::unique_ptr<TypeHandler> handler(std::string_view type) override;
  bool has_provider(std::string_view type, std::string_view provider) override;
  bool is_default(std::string_view type, RunContext& run) override;
  void leave_environment(std::string_view type, RunContext& run) override;

  Value list(std::string_view type, std::string_view title, const std::vector<std::string>& more, RunContext& run) override;
  Value show(const ManagedResource& resource, const std::vector<std::string>& more, RunContext& run) override;

private:
  std::shared_ptr<ProviderRubySession> session_;
  std::map<std::string, bool, std::less<>> defaults_; // by type: the answers of is_default
};

} // namespace pupc::runtime
