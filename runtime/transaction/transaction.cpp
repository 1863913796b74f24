#include "runtime/transaction/transaction.h"

#include "catalog/base/interruption.h"
#include "catalog/graph/tags.h"
#include "runtime/provider/deferred.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/property_handler.h"
#include "runtime/transaction/graph_files.h"
#include "runtime/transaction/provider_name.h"
#include "runtime/transaction/schedule.h"

#include <algorithm>
#include <csignal>
#include <fmt/ranges.h>

namespace pupc::runtime {
namespace {

constexpr uint32_t no_status = 0xFFFFFFFF;

bool matches(const std::vector<std::string>& wanted, const std::vector<std::string>& have) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& w) { return std::find(have.begin(), have.end(), w) != have.end(); });
}

std::vector<std::string> containment_path(const std::string& path, const std::string& reference) {
  // Titles may contain slashes, but only inside brackets or in the last part.
  std::vector<std::string> out;
  std::string head = path.size() > reference.size() ? path.substr(0, path.size() - reference.size()) : "";
  size_t start = 1;
  int depth = 0;
  for (size_t i = 1; i < head.size(); ++i) {
    if (head[i] == '[') ++depth;
    if (head[i] == ']') --depth;
    if (head[i] == '/' && depth <= 0) {
      out.push_back(head.substr(start, i - start));
      start = i + 1;
    }
  }
  out.push_back(reference);
  return out;
}

} // namespace

Transaction::Transaction(RunCatalog& catalog, System& machine, Arena& values, RunOptions options, RunReport& report, LogSink& console)
    : TransactionOptions{std::move(options)}, RunContext(machine, values, options_.settings), catalog_(catalog), report_(report),
      console_(console) {
  node_attributes_ = catalog.node_attributes;
}

// -- log

void Transaction::emit(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource, std::string_view tag,
                       bool placed) {
  if (level < options_.log_level) return;
  std::string safe;
  if (!secrets_.empty()) message = safe = secrets_.hide(message);
  ReportLog entry;
  entry.level = level;
  entry.source = source.empty() ? "Puppet" : source;
  entry.message = message;
  entry.time = system.now();
  entry.tags.emplace_back(name_of(level));
  if (resource != nullptr) {
    entry.tags.insert(entry.tags.end(), resource->tags.begin(), resource->tags.end());
    if (!tag.empty() && std::find(entry.tags.begin(), entry.tags.end(), tag) == entry.tags.end()) entry.tags.emplace_back(tag);
    if (placed) {
      entry.file = resource->file;
      entry.line = resource->line;
    }
  }
  report_.logs.push_back(std::move(entry));
  console_.log({level, std::move(source), std::string(message)});
}

void Transaction::log(LogLevel level, const ManagedResource& resource, std::string_view message, std::string_view property) {
  emit(level, property.empty() ? resource.path : fmt::format("{}/{}", resource.path, property), message, &resource, property);
}
void Transaction::log(LogLevel level, std::string_view message) { emit(level, "", message, nullptr); }

void Transaction::log_from(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource) {
  const bool placed = source.starts_with('/'); // only resources and their attributes have a place in a manifest
  std::string property;                        // what it logs about an attribute has that one's name as a tag
  if (placed && resource != nullptr)
    for (const std::string& path : {resource->path + "/", "/" + resource->reference() + "/"})
      if (source.starts_with(path)) property = source.substr(path.size());
  emit(level, source == "Puppet" ? "" : std::move(source), message, placed ? resource : nullptr, property);
}

void Transaction::node_log(LogLevel level, uint32_t node, std::string_view message) {
  // In Puppet containers are nodes of the graph without a place.
  emit(level, graph_->label(node), message, catalog_[(*graph_)[node].resource].resource.get(), {},
       (*graph_)[node].kind == RelationshipGraph::NodeKind::Resource);
}

ManagedResource* Transaction::find(std::string_view type, std::string_view title) {
  uint32_t i = catalog_.find(type, title);
  return i == RunCatalog::none ? nullptr : catalog_[i].resource.get();
}

void Transaction::set_attribute(ManagedResource& resource, std::string_view name, Value value, bool sensitive) {
  resource.set(name, value, sensitive);
  const uint32_t index = catalog_.index_of(resource);
  if (index != RunCatalog::none && catalog_[index].handler != nullptr) prepare_resource(*catalog_[index].handler, resource, *this);
}

std::vector<ManagedResource*> Transaction::resources_of(std::string_view type) {
  std::vector<ManagedResource*> out;
  for (uint32_t i = 0; i < catalog_.size(); ++i)
    if (catalog_[i].resource->type == type) out.push_back(catalog_[i].resource.get());
  return out;
}

std::vector<ManagedResource*> Transaction::all_resources() {
  std::vector<ManagedResource*> out;
  for (uint32_t i = 0; i < catalog_.size(); ++i) out.push_back(catalog_[i].resource.get());
  return out;
}

Value Transaction::fact(std::string_view dotted) { return options_.fact ? options_.fact(dotted) : Value::undef(); }

// -- before the run

TypeHandler& Transaction::handler_of(const ManagedResource& resource) {
  // A module may bring its own provider for a native type.
  const bool foreign = has_foreign_provider(resource, *this);
  const std::string name = foreign ? resource.type + "/foreign" : resource.type;
  auto it = handlers_.find(name);
  if (it == handlers_.end()) {
    if (resource.type == "package") leave_package_environment();
    if (settings.foreign_types != nullptr && !foreign) settings.foreign_types->leave_environment(resource.type, *this);
    auto made = foreign ? settings.foreign_types->handler(resource.type) : make_type_handler(resource.type, settings);
    it = handlers_.emplace(name, made != nullptr ? std::move(made) : make_missing_type_handler()).first;
  }
  return *it->second;
}

void Transaction::refuse(const std::string& reason) {
  if (options_.not_begun) options_.not_begun();
  log(LogLevel::Err, "Failed to apply catalog: " + reason);
}

bool Transaction::prepare_all() {
  bool good = true;
  // Puppet takes them for defines without a word; but a module may just be missing here.
  for (const std::string& type : catalog_.empty_unknown)
    log(LogLevel::Warning,
        fmt::format("Nothing of {} is applied: the catalog does not tell its kind, no module has such a type, and its resources "
                    "contain nothing",
                    type));
  for (uint32_t i = 0; i < catalog_.size(); ++i)
    if (!catalog_[i].is_container) catalog_[i].handler = &handler_of(*catalog_[i].resource);
  for (uint32_t i = 0; i < catalog_.size(); ++i) {
    RunCatalog::Entry& e = catalog_[i];
    if (e.handler == nullptr) continue;
    ManagedResource& r = *e.resource;
    secrets_.take(r);
    try {
      prepare_resource(*e.handler, r, *this);
      std::string key = e.handler->key(r);
      catalog_.add_name(i, key);
    } catch (const UnplacedError& error) {
      log(LogLevel::Err, error.what());
      good = false;
      break;
    } catch (const std::exception& error) {
      log(LogLevel::Err, error.what() + place_suffix(r));
      good = false;
      break; // Puppet converts the resources one by one and stops at the first error
    }
    secrets_.clear();
    if (std::string schedule = r.text("schedule"); !schedule.empty() && !known_schedule(*this, schedule)) {
      refuse(fmt::format("Could not find schedule {}", schedule));
      return false;
    }
  }
  return good;
}

bool Transaction::run() {
  set_under_way("what comes before the first resource");
  if (!prepare_all()) return false;
  generate_all();
  secrets_.clear();
  // Until something is evaluated the report counts nothing.
  const size_t builtin_resources = std::exchange(report_.builtin_resources, 0);
  if (!checks_pass()) return false;
  std::vector<std::string> unresolved;
  graph_ = std::make_unique<RelationshipGraph>(catalog_, *this, unresolved);
  if (!unresolved.empty()) {
    log(LogLevel::Err, unresolved.front());
    return false;
  }
  RelationshipGraph& graph = *graph_;
  if (!options_.graph_directory.empty()) write_graphs();
  states_.resize(graph.size());
  if (options_.begin && !options_.begin()) return false;
  if (options_.announce) log(LogLevel::Info, fmt::format("Applying configuration version '{}'", catalog_.version));
  if (const auto cycles = graph.cycles(); !cycles.empty()) {
    report_cycles(cycles);
    return false;
  }
  report_.builtin_resources = builtin_resources;
  for (const std::string_view reference : builtin_references) // the catalog's own stands in its place
    if (report_.builtin_resources > 0 && catalog_.find_reference(reference) != RunCatalog::none) --report_.builtin_resources;
  if (!options_.tags.empty() || !options_.skip_tags.empty())
    for (std::string_view builtin : {"puppet", "hourly", "daily", "weekly", "monthly", "never", "bucket"}) {
      const std::vector<std::string> tags = builtin == "bucket" ? std::vector<std::string>{"filebucket", "puppet"}
                                                                : std::vector<std::string>{"schedule", std::string(builtin)};
      if (report_.builtin_resources > 0 && (matches(options_.skip_tags, tags) || (!options_.tags.empty() && !matches(options_.tags, tags))))
        ++report_.builtin_skipped;
    }
  graph.start();
  std::vector<uint32_t> waiting;
  bool progress = false;
  auto stopped = [&] { return options_.stop != nullptr && options_.stop->load() != 0; };
  while (!stopped()) {
    uint32_t node = graph.next();
    if (node == RelationshipGraph::none) break;
    const uint32_t resource = graph[node].resource;
    TypeHandler* handler = graph[node].kind == RelationshipGraph::NodeKind::Resource ? catalog_[resource].handler : nullptr;
    std::string reason = handler == nullptr ? "" : handler->unsuitable(*catalog_[resource].resource, *this);
    if (!reason.empty()) {
      waiting.push_back(node);
    } else {
      progress = true;
      if (handler != nullptr) {
        if (options_.progress) tell_progress(*catalog_[resource].resource);
        secrets_.take(*catalog_[resource].resource);
        prefetch(resource);
        if (!has_deferred(*catalog_[resource].resource)) eval_generate(node); // else after resolve_deferred
      }
      if (options_.trace)
        node_log(LogLevel::Info, node,
                 fmt::format("Starting to evaluate the resource ({} of {})", ++traced_, graph.size() + std::size(builtin_references)));
      const int64_t begun = system.monotonic();
      if (handler != nullptr) set_under_way(catalog_[resource].resource->reference());
      evaluate(node);
      secrets_.clear();
      if (options_.trace)
        node_log(LogLevel::Info, node, fmt::format("Evaluated in {:.2f} seconds", static_cast<double>(system.monotonic() - begun) / 1e9));
      graph.finish(node);
    }
    if (graph.empty() && !waiting.empty()) {
      if (progress) {
        for (uint32_t w : waiting) graph.put_back(w);
      } else {
        give_up_on(waiting);
      }
      progress = false;
      waiting.clear();
    }
  }
  set_under_way("the run");
  if (stopped()) {
    for (uint32_t node = graph.next(); node != RelationshipGraph::none; node = graph.next()) {
      if (graph[node].kind == RelationshipGraph::NodeKind::Resource) status_of(node).skipped = true;
      graph.finish(node);
    }
  }
  if (options_.trace && !stopped()) trace_builtin();
  for (const std::string& text : missing_providers_) log(LogLevel::Err, text);
  for (const auto& [name, handler] : handlers_) try {
      handler->finish(*this);
    } catch (const std::exception& e) { log(LogLevel::Err, e.what()); }
  report_.completed = !stopped();
  if (options_.state != nullptr && report_.builtin_resources > 0)
    for (const std::string_view builtin : builtin_references) options_.state->of(std::string(builtin)).checked = system.now();
  return true;
}

/// Graphs that cannot be written cost the run nothing but a line.
void Transaction::write_graphs() {
  for (const auto& [name, text] :
       {std::pair("resources", resources_dot(catalog_)), std::pair("relationships", relationships_dot(catalog_, *graph_)),
        std::pair("expanded_relationships", expanded_relationships_dot(catalog_, *graph_))})
    write_graph(name, text);
}

std::string Transaction::write_graph(std::string_view name, const std::string& text) {
  std::string path = fmt::format("{}/{}.dot", options_.graph_directory, name);
  try {
    system.write_file(path, text, 0640, std::nullopt, std::nullopt, false);
  } catch (const SystemError& e) { log(LogLevel::Err, fmt::format("Could not write {}: {}", path, e.what())); }
  return path;
}

void Transaction::report_cycles(const std::vector<RelationshipGraph::Cycle>& cycles) {
  const RelationshipGraph& graph = *graph_;
  std::string text = cycles.size() == 1 ? "Found 1 dependency cycle:\n" : fmt::format("Found {} dependency cycles:\n", cycles.size());
  for (const auto& cycle : cycles) // two characters, as Puppet prints them
    for (const auto& way : graph.ways_round(cycle, 1)) text += fmt::format("({})\\n", fmt::join(way, " => "));
  text += options_.graph_directory.empty() ? "Try the '--graph' option and opening the resulting '.dot' file in OmniGraffle or GraphViz"
                                           : fmt::format("Cycle graph written to {}.", write_graph("cycles", cycles_dot(graph, cycles)));
  log(LogLevel::Err, text);
  std::set<uint32_t> told;
  for (const auto& cycle : cycles)
    for (const uint32_t node : cycle) {
      const uint32_t resource = graph[node].resource;
      if (catalog_[resource].is_container || !told.insert(resource).second) continue;
      RunEvent e;
      e.name = "resource_error";
      e.status = EventStatus::Failure;
      e.message = "resource is part of a dependency cycle";
      e.time = system.now();
      status_of(graph.node_of(resource)).add(std::move(e));
    }
  refuse("One or more resource dependency cycles detected in graph");
}

/// What Puppet adds to every catalog has its turns at the end.
void Transaction::trace_builtin() {
  for (const std::string_view reference : builtin_references) {
    const std::string source = fmt::format("/{}", reference);
    emit(LogLevel::Info, source,
         fmt::format("Starting to evaluate the resource ({} of {})", ++traced_, graph_->size() + std::size(builtin_references)), nullptr);
    emit(LogLevel::Info, source, "Evaluated in 0.00 seconds", nullptr);
  }
}

bool Transaction::checks_pass() {
  bool good = true;
  for (uint32_t i = 0; i < catalog_.size(); ++i) {
    RunCatalog::Entry& e = catalog_[i];
    if (e.handler == nullptr || has_deferred(*e.resource)) continue;
    try {
      e.handler->check_before_run(*e.resource, *this);
    } catch (const std::exception& error) {
      log(LogLevel::Err, *e.resource, error.what(), "");
      good = false;
    }
  }
  if (!good) refuse("Some pre-run checks failed");
  return good;
}

/// Fails these resources: no remaining resource can make a provider suitable for them.
void Transaction::give_up_on(const std::vector<uint32_t>& waiting) {
  for (const uint32_t node : waiting) {
    const uint32_t index = (*graph_)[node].resource;
    ManagedResource& r = *catalog_[index].resource;
    if (!missing_tags(r)) {
      const std::string why = catalog_[index].handler->unsuitable(r, *this);
      if (!catalog_[index].handler->providerless(r))
        log(LogLevel::Err, r, why, "");
      else if (std::find(missing_providers_.begin(), missing_providers_.end(), why) == missing_providers_.end())
        missing_providers_.push_back(why);
      status_of(node).failed = true;
      state(node).failed = true;
    }
    graph_->finish(node);
  }
}

void Transaction::tell_progress(const ManagedResource& resource) {
  for (; counted_ < catalog_.size(); ++counted_) resources_ += catalog_[counted_].is_container ? 0 : 1;
  options_.progress(++turns_, resources_, resource);
}

// -- evaluation of a resource

Transaction::NodeState& Transaction::state(uint32_t node) {
  if (states_.size() <= node) states_.resize(graph_->size());
  return states_[node];
}

ResourceStatus& Transaction::status_of(uint32_t node) {
  NodeState& s = state(node);
  if (s.status != no_status) return report_.statuses[s.status];
  const ManagedResource& r = *catalog_[(*graph_)[node].resource].resource;
  ResourceStatus out;
  out.reference = r.reference();
  out.type = r.printed_type;
  out.title = r.title;
  // The report names a resource as the log does: an sshkey by its name and type, whatever its title is.
  if (const size_t own = r.path.rfind("/" + r.printed_type + "["); own != std::string::npos && !r.path.ends_with(out.reference)) {
    out.reference = r.path.substr(own + 1);
    out.title = out.reference.substr(r.printed_type.size() + 1, out.reference.size() - r.printed_type.size() - 2);
  }
  out.file = r.file;
  out.line = r.line;
  out.containment = containment_path(r.path, out.reference);
  out.tags = r.tags;
  out.provider = provider_shown((*graph_)[node].resource);
  out.time = system.now();
  s.status = static_cast<uint32_t>(report_.statuses.size());
  report_.statuses.push_back(std::move(out));
  return report_.statuses.back();
}

bool Transaction::noop(uint32_t node) const {
  if ((*graph_)[node].kind == RelationshipGraph::NodeKind::Resource) return catalog_[(*graph_)[node].resource].resource->noop;
  return options_.settings.noop;
}

/// The name of a resource's provider for the report.
std::string Transaction::provider_shown(uint32_t resource) {
  const RunCatalog::Entry& e = catalog_[resource];
  const std::string own = e.handler == nullptr ? "" : e.handler->provider(*e.resource);
  return own.empty() ? provider_name(*e.resource, *this) : own;
}

std::string Transaction::prefetch_group(uint32_t resource) const {
  const RunCatalog::Entry& e = catalog_[resource];
  return e.resource->type + "/" + (e.handler == nullptr ? "" : e.handler->provider(*e.resource));
}

void Transaction::prefetch(uint32_t resource) {
  const std::string& type = catalog_[resource].resource->type;
  const std::string group = prefetch_group(resource);
  if (!prefetched_.insert(group).second) return;
  // Keep the catalog's order: records without a name take the first matching resource. But when the handler names a provider, put the
  // resource under evaluation first.
  const bool turn_first = !catalog_[resource].handler->provider(*catalog_[resource].resource).empty();
  std::vector<ManagedResource*> all;
  if (turn_first) all.push_back(catalog_[resource].resource.get());
  for (uint32_t i = 0; i < catalog_.size(); ++i)
    if (!(turn_first && i == resource) && catalog_[i].handler == catalog_[resource].handler && prefetch_group(i) == group)
      all.push_back(catalog_[i].resource.get());
  try {
    catalog_[resource].handler->prefetch(all, *this);
  } catch (const std::exception& e) {
    log(LogLevel::Err, fmt::format("Could not prefetch {} provider '{}': {}", type, provider_shown(resource), e.what()));
    prefetch_failed_.insert(group);
  }
}

void Transaction::propagate_failure(uint32_t node) {
  NodeState& s = state(node);
  const uint32_t index = (*graph_)[node].resource;
  // A failed prefetch fails all resources of the provider, also those that are skipped for another reason.
  if ((*graph_)[node].kind == RelationshipGraph::NodeKind::Resource && prefetch_failed_.contains(prefetch_group(index))) {
    RunEvent e;
    e.name = "resource_error";
    e.status = EventStatus::Failure;
    e.message = fmt::format("Prefetch failed for {} provider '{}'", catalog_[index].resource->type, provider_shown(index));
    e.time = system.now();
    status_of(node).add(std::move(e));
    s.failed = status_of(node).failed = true;
  }
  s.failed_dependencies.clear();
  for (uint32_t from : (*graph_)[node].in) {
    const NodeState& f = state(from);
    s.failed_dependencies.insert(f.failed_dependencies.begin(), f.failed_dependencies.end());
    if (f.failed || f.failed_to_restart) s.failed_dependencies.insert(from);
  }
}

bool Transaction::missing_tags(const ManagedResource& resource) const {
  return !options_.tags.empty() && !matches(options_.tags, resource.tags);
}

bool Transaction::scheduled(ManagedResource& resource) {
  std::string schedule = resource.text("schedule");
  if (schedule.empty() || options_.settings.ignore_schedules) return true;
  const RunState::Entry* e = options_.state == nullptr ? nullptr : options_.state->find(resource.reference());
  return schedule_matches(*this, schedule, e == nullptr ? 0 : e->checked, resource.reference());
}

bool Transaction::skip(uint32_t node) {
  ManagedResource& r = *catalog_[(*graph_)[node].resource].resource;
  const bool real = (*graph_)[node].kind == RelationshipGraph::NodeKind::Resource;
  if (!options_.skip_tags.empty() && matches(options_.skip_tags, r.tags)) {
    node_log(LogLevel::Debug, node, fmt::format("Skipping with skip tags {}", fmt::join(options_.skip_tags, ", ")));
    return true;
  }
  if (missing_tags(r)) {
    node_log(LogLevel::Debug, node, fmt::format("Not tagged with {}", fmt::join(options_.tags, ", ")));
    return true;
  }
  if (real && !scheduled(r)) {
    node_log(LogLevel::Debug, node, "Not scheduled");
    return true;
  }
  if (!state(node).failed_dependencies.empty()) {
    if (real) {
      for (uint32_t dep : std::vector<uint32_t>(state(node).failed_dependencies.begin(), state(node).failed_dependencies.end())) {
        if (!reported_dependencies_.insert(dep).second) continue;
        node_log(LogLevel::Notice, node,
                 fmt::format("Dependency {} has failures: {}", catalog_[(*graph_)[dep].resource].resource->reference(),
                             state(dep).failed ? "true" : "false"));
      }
      node_log(LogLevel::Warning, node, "Skipping because of failed dependencies");
    }
    return true;
  }
  if (real && prefetch_failed_.contains(prefetch_group((*graph_)[node].resource))) {
    node_log(LogLevel::Warning, node, "Skipping because provider prefetch failed");
    return true;
  }
  return false;
}

void Transaction::copy_skipped(uint32_t node) {
  if (options_.store != nullptr) options_.store->copy_skipped(catalog_[(*graph_)[node].resource].resource->reference());
}

void Transaction::fail(uint32_t node, const std::string& message, const std::string& cause) {
  ManagedResource& r = *catalog_[(*graph_)[node].resource].resource;
  log(LogLevel::Err, r, ResourceError(fmt::format("Could not evaluate: {}", message), cause).logged(), "");
  RunEvent e;
  e.name = "resource_error";
  e.status = EventStatus::Failure;
  e.message = secrets_.hide(message);
  e.time = system.now();
  status_of(node).add(std::move(e));
  state(node).failed = true;
}

/// True when a guard stops the resource. Marks the resource as skipped, or as failed when the guard is broken.
bool Transaction::guarded(uint32_t node) {
  const uint32_t index = (*graph_)[node].resource;
  auto resolve = [this](const Value& v) {
    bool changed = false, sensitive = false;
    return resolve_value(v, changed, sensitive);
  };
  auto has_guard = [](const ManagedResource& r) {
    const ManagedAttribute *only_if = r.find("only_if"), *not_if = r.find("not_if");
    return (only_if != nullptr && !only_if->own) || (not_if != nullptr && !not_if->own);
  };
  std::vector<uint32_t> containers;
  // Collect all containers, nearest first: a class is in its stage and in every class that contains it.
  std::vector<uint32_t> up{index};
  for (size_t at = 0; at < up.size(); ++at) {
    auto visit = [&](uint32_t container) {
      if (container == RunCatalog::none || std::find(up.begin(), up.end(), container) != up.end()) return;
      up.push_back(container);
      if (has_guard(*catalog_[container].resource)) containers.push_back(container);
    };
    visit(catalog_[up[at]].container);
    for (uint32_t other : catalog_[up[at]].other_containers) visit(other);
  }
  auto act = [&](const GuardResult& result, bool tell) {
    if (result.outcome == GuardResult::Proceed) return false;
    if (result.outcome == GuardResult::Broken) {
      fail(node, result.reason);
      return true;
    }
    if (tell) node_log(LogLevel::Notice, node, fmt::format("Skipping because of {}", result.reason));
    state(node).skipped = true;
    status_of(node).skipped = true;
    status_of(node).skip_reason = result.reason;
    return true;
  };
  // The guards of outer containers decide first.
  for (auto it = containers.rbegin(); it != containers.rend(); ++it) {
    auto found = container_guards_.find(*it);
    if (found == container_guards_.end()) {
      ManagedResource& container = *catalog_[*it].resource;
      found = container_guards_.emplace(*it, evaluate_guards(container, false, resolve, *this)).first;
      if (found->second.outcome == GuardResult::Skip)
        emit(LogLevel::Notice, container.reference(), fmt::format("Skipping all resources in it because of {}", found->second.reason),
             &container);
    }
    if (act(found->second, false)) return true;
  }
  ManagedResource& r = *catalog_[index].resource;
  return has_guard(r) && act(evaluate_guards(r, true, resolve, *this), true);
}

void Transaction::evaluate(uint32_t node) {
  const bool real = (*graph_)[node].kind == RelationshipGraph::NodeKind::Resource;
  propagate_failure(node);
  bool skipped = skip(node);
  const bool by_guard = !skipped && real && guarded(node);
  if (by_guard) {
    state(node).queue.clear();
    copy_skipped(node);
    return;
  }
  if (skipped) {
    state(node).skipped = true;
    if (real) {
      status_of(node).skipped = true;
      copy_skipped(node);
      node_log(LogLevel::Debug, node, "Resource is being skipped, unscheduling all events");
    }
    if (!state(node).queue.empty()) {
      node_log(LogLevel::Info, node,
               fmt::format("Unscheduling all events on {}",
                           real ? catalog_[(*graph_)[node].resource].resource->reference() : graph_->label(node)));
      state(node).queue.clear();
    }
    return;
  }
  if (real)
    apply(node);
  else if (options_.state != nullptr)
    options_.state->of(graph_->label(node)).checked = system.now(); // as in Puppet, where containers are resources
  process_events(node);
}

void Transaction::apply(uint32_t node) {
  const uint32_t index = (*graph_)[node].resource;
  ManagedResource& r = *catalog_[index].resource;
  status_of(node); // creates the status
  const int64_t start = system.monotonic();
  try {
    if (resolve_deferred(r)) {
      secrets_.take(r);
      TypeHandler& handler = *catalog_[index].handler;
      const std::string known = handler.provider(r);
      prepare_resource(handler, r, *this);
      if (handler.provider(r) != known) { // only now it is known whose it is
        ManagedResource* one[] = {&r};
        handler.prefetch(one, *this);
      }
      eval_generate(node);
    }
    // Move the status out of the report while the resource is evaluated: the report's list may grow and relocate its elements.
    ResourceStatus status = std::move(report_.statuses[state(node).status]);
    try {
      perform(node, status);
    } catch (...) {
      report_.statuses[state(node).status] = std::move(status);
      throw;
    }
    report_.statuses[state(node).status] = std::move(status);
  } catch (const ResourceError& e) { fail(node, e.what(), e.cause); } catch (const std::exception& e) {
    fail(node, e.what());
  }
  ResourceStatus& status = status_of(node);
  status.evaluation_time = static_cast<double>(system.monotonic() - start) / 1e9;
  state(node).failed = status.failed;
  if (!status.failed) queue_events(node, status.events);
}

} // namespace pupc::runtime
