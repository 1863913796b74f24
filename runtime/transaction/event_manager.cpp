// Passes events to the resources that wait for them, and refreshes these when they are evaluated.
#include "runtime/transaction/transaction.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {

void Transaction::queue_events(uint32_t node, const std::vector<RunEvent>& events) {
  // As Puppet, pass events on grouped by name.
  std::vector<std::string> names;
  for (const RunEvent& e : events)
    if (std::find(names.begin(), names.end(), e.name) == names.end()) names.push_back(e.name);
  const bool real = (*graph_)[node].kind == RelationshipGraph::NodeKind::Resource;
  for (const std::string& name : names) {
    for (const RelationshipGraph::Edge& edge : (*graph_)[node].out) {
      if (!edge.refresh) continue;
      const auto& target = (*graph_)[edge.to];
      if (target.kind == RelationshipGraph::NodeKind::Resource) {
        TypeHandler* handler = catalog_[target.resource].handler;
        if (handler == nullptr || !handler->refreshable(*catalog_[target.resource].resource)) continue;
      }
      if (target.kind != RelationshipGraph::NodeKind::End && target.kind != RelationshipGraph::NodeKind::Sentinel)
        node_log(LogLevel::Info, node, fmt::format("Scheduling refresh of {}", catalog_[target.resource].resource->reference()));
      for (const RunEvent& e : events)
        if (e.name == name) state(edge.to).queue.emplace_back(node, e);
    }
    if (real && catalog_[(*graph_)[node].resource].handler->self_refresh(*catalog_[(*graph_)[node].resource].resource))
      for (const RunEvent& e : events)
        if (e.name == name) {
          state(node).queue.emplace_back(node, e);
          break;
        }
  }
  if (std::any_of(events.begin(), events.end(), [](const RunEvent& e) { return e.invalidates_refresh; })) {
    node_log(LogLevel::Info, node, fmt::format("Unscheduling refresh on {}", catalog_[(*graph_)[node].resource].resource->reference()));
    state(node).queue.clear();
  }
}

void Transaction::process_events(uint32_t node) {
  if (state(node).queue.empty()) return;
  auto queue = std::move(state(node).queue);
  state(node).queue.clear();
  const bool real = (*graph_)[node].kind == RelationshipGraph::NodeKind::Resource;
  const std::string count = fmt::format("from {} {}", queue.size(), queue.size() == 1 ? "event" : "events");
  RunEvent next;
  next.time = system.now();
  if (noop(node) || std::all_of(queue.begin(), queue.end(), [](const auto& e) { return e.second.status == EventStatus::Noop; })) {
    node_log(LogLevel::Notice, node, fmt::format("Would have triggered 'refresh' {}", count));
    next.name = "noop_restart";
    next.status = EventStatus::Noop;
    queue_events(node, {next});
    return;
  }
  if (real) {
    ManagedResource& r = *catalog_[(*graph_)[node].resource].resource;
    // The resource's own changes may have changed the result of its guards: evaluate them again.
    if (status_of(node).changed() && guarded(node)) {
      state(node).skipped = status_of(node).skipped = false;
      return;
    }
    try {
      ++changes_begun;
      catalog_[(*graph_)[node].resource].handler->refresh(r, *this);
    } catch (const std::exception& e) {
      std::string message = fmt::format("Failed to call refresh: {}", e.what());
      node_log(LogLevel::Err, node, message);
      node_log(LogLevel::Err, node, e.what());
      ResourceStatus& status = status_of(node);
      status.failed_to_restart = true;
      RunEvent failure;
      failure.name = "resource_error";
      failure.status = EventStatus::Failure;
      failure.message = secrets_.hide(message);
      failure.time = system.now();
      status.add(std::move(failure));
      state(node).failed = state(node).failed_to_restart = true;
      return;
    }
    RunEvent done;
    done.name = "refresh";
    done.message = fmt::format("Triggered 'refresh' {}", count);
    done.time = system.now();
    node_log(LogLevel::Notice, node, done.message);
    status_of(node).add(std::move(done));
    status_of(node).restarted = true;
  }
  next.name = "restarted";
  queue_events(node, {next});
}

} // namespace pupc::runtime
