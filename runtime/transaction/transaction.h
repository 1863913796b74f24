#pragma once
// The run: evaluates the resources in order and changes those that differ, passes events to the resources that subscribe to them, and
// skips the resources that depend on a failed one. Follows Puppet's transaction, event manager and resource harness.
#include "runtime/guard/guard_check.h"
#include "runtime/provider/provider.h"
#include "runtime/report/report.h"
#include "runtime/state/run_state.h"
#include "runtime/state/transaction_store.h"
#include "runtime/transaction/relationship_graph.h"
#include "runtime/transaction/run_catalog.h"
#include "runtime/transaction/secrets.h"

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>

namespace pupc::runtime {

struct RunOptions {
  RunSettings settings;
  std::vector<std::string> tags;      // evaluate only resources with one of these tags
  std::vector<std::string> skip_tags; // skip resources with one of these tags
  LogLevel log_level = LogLevel::Notice;
  /// Resolves one Deferred, whose arguments contain no Deferred any more. Throws std::exception with the reason.
  std::function<Value(const DeferredData&)> resolve;
  std::function<Value(std::string_view)> fact;
  /// Called when all resources can be applied, before the first one; false ends the run without a change. May be empty.
  std::function<bool()> begin;
  /// Called when a run ends before its first resource, before the reason is logged: like Puppet, it keeps its state then too. May be empty.
  std::function<void()> not_begun;
  /// Called before a resource is evaluated: `resource` is number `done` of `of`.
  std::function<void(size_t done, size_t of, const ManagedResource& resource)> progress;
  bool announce = true;                   // log the version of the catalog
  bool trace = false;                     // a line before and after each turn
  std::string graph_directory;            // where the graphs are written; empty: nowhere
  const std::atomic<int>* stop = nullptr; // not 0: the number of the signal that ends the run
  RunState* state = nullptr;              // null: nothing is kept
  TransactionStore* store = nullptr;      // of an agent's run: null: no change is corrective
};

/// A base class, so that the options exist before the RunContext that refers to them.
struct TransactionOptions {
  RunOptions options_;
};

class Transaction final : private TransactionOptions, public RunContext {
public:
  Transaction(RunCatalog& catalog, System& system, Arena& arena, RunOptions options, RunReport& report, LogSink& console);

  /// Applies the catalog. First checks that all resources can be applied; otherwise logs the errors and returns false without a change.
  bool run();

  using RunContext::log;
  void log(LogLevel level, const ManagedResource& resource, std::string_view message, std::string_view property) override;
  void log(LogLevel level, std::string_view message) override;
  void log_from(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource) override;
  ManagedResource* find(std::string_view type, std::string_view title) override;
  void set_attribute(ManagedResource& resource, std::string_view name, Value value, bool sensitive) override;
  std::vector<ManagedResource*> resources_of(std::string_view type) override;
  std::vector<ManagedResource*> all_resources() override;
  Value fact(std::string_view dotted) override;

private:
  struct NodeState {
    bool failed = false, failed_to_restart = false, skipped = false;
    std::set<uint32_t> failed_dependencies;           // ids of nodes
    std::vector<std::pair<uint32_t, RunEvent>> queue; // waiting events with the node that sent them
    uint32_t status = 0xFFFFFFFF;                     // index of its status in the report
  };

  struct Generated {
    uint32_t index = RunCatalog::none; // where the catalog has it
    std::unique_ptr<ManagedResource> resource;
    TypeHandler* handler = nullptr;
  };

  // -- before the first turn (transaction.cpp)
  bool prepare_all();
  bool checks_pass();
  void refuse(const std::string& reason);
  void report_cycles(const std::vector<RelationshipGraph::Cycle>& cycles);
  void write_graphs();
  /// Writes a file of the graph directory and gives its path.
  std::string write_graph(std::string_view name, const std::string& text);
  void give_up_on(const std::vector<uint32_t>& waiting);

  // -- resources that others generate (generated_resources.cpp)
  void generate_all();
  void generate(uint32_t parent);
  std::vector<Generated> ready_to_add(std::vector<ManagedResource> made, uint32_t parent);
  void order_generated(uint32_t first, uint32_t then);
  void eval_generate(uint32_t node);

  // -- the turn of a node (transaction.cpp)
  void evaluate(uint32_t node);
  bool skip(uint32_t node);
  bool guarded(uint32_t node);
  bool missing_tags(const ManagedResource& resource) const;
  bool scheduled(ManagedResource& resource);
  void propagate_failure(uint32_t node);
  std::string prefetch_group(uint32_t resource) const;
  void prefetch(uint32_t resource);
  void apply(uint32_t node);
  void copy_skipped(uint32_t node);
  void fail(uint32_t node, const std::string& message, const std::string& cause = {});

  // -- values that are computed when they are needed (deferred_values.cpp)
  bool resolve_deferred(ManagedResource& resource);
  Value resolve_value(const Value& value, bool& changed, bool& sensitive);

  // -- the changes of a resource (resource_harness.cpp)
  void perform(uint32_t node, ResourceStatus& status);
  static bool is_secret(const ManagedResource& resource, const std::string& property);
  std::vector<std::string> audited(const ManagedResource& resource, const Present& present) const;
  void audit(ManagedResource& resource, const Present& present, const std::set<std::string>& changed, ResourceStatus& status);
  Value kept_form(const ManagedResource& resource, const std::string& property, const Value& value);
  void persist(uint32_t node, const Present& before, const std::vector<PropertyChange>& changes, const ResourceStatus& status);
  RunEvent event_of(ManagedResource& resource, const PropertyChange& change);
  void record(ManagedResource& resource, ResourceStatus& status, RunEvent event, LogLevel level);

  // -- events (event_manager.cpp)
  void queue_events(uint32_t node, const std::vector<RunEvent>& events);
  void process_events(uint32_t node);

  // -- what is known of a node (transaction.cpp)
  TypeHandler& handler_of(const ManagedResource& resource);
  ResourceStatus& status_of(uint32_t node);
  NodeState& state(uint32_t node);
  bool noop(uint32_t node) const;

  // -- logs (transaction.cpp)
  void tell_progress(const ManagedResource& resource);
  void trace_builtin();
  std::string provider_shown(uint32_t resource);
  void node_log(LogLevel level, uint32_t node, std::string_view message);
  void emit(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource, std::string_view tag = {},
            bool placed = true);

  RunCatalog& catalog_;
  RunReport& report_;
  LogSink& console_;
  std::map<std::string, std::unique_ptr<TypeHandler>, std::less<>> handlers_;
  std::set<std::string> prefetched_, prefetch_failed_;
  std::vector<std::string> missing_providers_; // messages about types without a provider, each logged once
  std::unique_ptr<RelationshipGraph> graph_;
  std::vector<NodeState> states_;
  std::unordered_map<uint32_t, GuardResult> container_guards_; // evaluated when their first resource was reached
  Secrets secrets_;                                            // of the resource whose turn it is
  size_t turns_ = 0, resources_ = 0;                           // for `progress`: turns that resources have had, and how many there are
  size_t traced_ = 0;                                          // turns of nodes
  uint32_t counted_ = 0;                               // entries of the catalog that are in resources_; some are made as the run goes
  std::unordered_set<uint32_t> reported_dependencies_; // failed nodes that were named once
};

} // namespace pupc::runtime
