// Resources that other resources generate: before the run (purging, what concat makes) or when they are evaluated (files below a
// directory).
#include "runtime/provider/handlers.h"
#include "runtime/transaction/transaction.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {

namespace {

constexpr std::string_view relationships[] = {"before", "notify", "require", "subscribe"};

} // namespace

void Transaction::generate_all() {
  const uint32_t declared = static_cast<uint32_t>(catalog_.size()); // what is generated has its turn with its generator
  for (uint32_t i = 0; i < declared; ++i) generate(i);
}

void Transaction::generate(uint32_t parent) {
  if (catalog_[parent].handler == nullptr) return;
  ManagedResource& generator = *catalog_[parent].resource;
  std::vector<Generated> made;
  try {
    secrets_.take(generator);
    made = ready_to_add(catalog_[parent].handler->generate(generator, *this), parent);
  } catch (const std::exception& e) {
    report_.generation_failed = true;
    log(LogLevel::Err, generator, fmt::format("Failed to generate additional resources using 'generate': {}", e.what()), "");
    return;
  }
  // As in Puppet the last one is added first, directly after its generator: of two with one title the last one counts.
  const bool before = catalog_[parent].handler->depth_first();
  if (!before) std::reverse(made.begin(), made.end());
  for (Generated& g : made) {
    if (g.index == RunCatalog::none) g.index = catalog_.find(g.resource->type, g.resource->title);
    if (g.index == RunCatalog::none) {
      g.index = catalog_.add(std::move(g.resource), parent);
      RunCatalog::Entry& e = catalog_[g.index];
      e.handler = g.handler;
      catalog_.add_name(g.index, g.handler->key(*e.resource));
      e.priority = catalog_.priority_of(parent);
      if (before) { // after all that comes before the generator
        --e.priority.back();
        e.priority.push_back(0xFFFFFFFF);
        e.priority.push_back(g.index);
      } else { // before what the generator added sooner; smaller numbers are for what it adds in its turn
        e.priority.push_back(0xFFFFFFFE - g.index);
      }
      if (e.container != RunCatalog::none) catalog_[e.container].contents.push_back(g.index);
    }
    order_generated(before ? g.index : parent, before ? parent : g.index);
    if (g.index != parent) generate(g.index);
  }
}

/// Fills in what a generated resource has from its generator and checks it, before the catalog has it: if one is wrong, none is added.
std::vector<Transaction::Generated> Transaction::ready_to_add(std::vector<ManagedResource> made, uint32_t parent) {
  std::vector<Generated> out;
  for (ManagedResource& r : made) {
    Generated& g = out.emplace_back();
    g.index = catalog_.find(r.type, r.title);
    if (g.index != RunCatalog::none) continue;
    g.resource = std::make_unique<ManagedResource>(std::move(r));
    catalog_.take_after(*g.resource, parent);
    g.handler = &handler_of(*g.resource);
    prepare_resource(*g.handler, *g.resource, *this);
  }
  return out;
}

/// Puts `first` before `then` unless one of them has a relationship with the other already.
void Transaction::order_generated(uint32_t first, uint32_t then) {
  auto names = [&](uint32_t from, uint32_t to) {
    return std::any_of(std::begin(relationships), std::end(relationships), [&](std::string_view relationship) {
      const auto texts = catalog_[from].resource->texts(relationship);
      return std::any_of(texts.begin(), texts.end(), [&](const std::string& t) { return catalog_.find_reference(t) == to; });
    });
  };
  if (first == then || names(first, then) || names(then, first)) return;
  ManagedResource& r = *catalog_[first].resource;
  ListBuilder all(arena);
  for (const std::string& t : r.texts("before")) all.add(string_value(arena, t));
  all.add(string_value(arena, catalog_[then].resource->reference()));
  r.set("before", all.finish());
}

void Transaction::eval_generate(uint32_t node) {
  const uint32_t parent = (*graph_)[node].resource;
  std::vector<Generated> made;
  try {
    made = ready_to_add(catalog_[parent].handler->eval_generate(*catalog_[parent].resource, *this), parent);
  } catch (const std::exception& e) {
    report_.generation_failed = true;
    log(LogLevel::Err, *catalog_[parent].resource,
        fmt::format("Failed to generate additional resources using 'eval_generate': {}", e.what()), "");
    return;
  }
  if (made.empty()) return;
  std::vector<uint32_t> indexes;
  std::vector<std::string> titles;
  for (Generated& g : made) {
    if (g.index == RunCatalog::none) g.index = catalog_.find(g.resource->type, g.resource->title);
    if (g.index == RunCatalog::none) {
      g.index = catalog_.add(std::move(g.resource), parent);
      catalog_[g.index].handler = g.handler;
      catalog_.add_name(g.index, g.handler->key(*catalog_[g.index].resource));
    }
    indexes.push_back(g.index);
    titles.push_back(catalog_[g.index].resource->title);
  }
  std::vector<int> below(indexes.size(), -1);
  std::unordered_map<std::string, int> by_title;
  for (size_t i = 0; i < titles.size(); ++i) by_title[titles[i]] = static_cast<int>(i);
  for (size_t i = 0; i < titles.size(); ++i) {
    std::string at = titles[i];
    while (true) {
      size_t slash = at.rfind('/');
      if (slash == std::string::npos || slash == 0) break;
      at.resize(slash);
      if (auto it = by_title.find(at); it != by_title.end()) {
        below[i] = it->second;
        break;
      }
    }
  }
  graph_->add_generated(parent, indexes, below);
}

} // namespace pupc::runtime
