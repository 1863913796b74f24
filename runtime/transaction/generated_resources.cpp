// Resources that other resources generate: before the run (purging) or when they are evaluated (files below a directory).
#include "runtime/transaction/transaction.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc {

void Transaction::generate_all() {
  for (uint32_t i = 0; i < catalog_.size(); ++i) {
    if (catalog_[i].handler == nullptr) continue;
    std::vector<ManagedResource> made;
    try {
      secrets_.take(*catalog_[i].resource);
      made = catalog_[i].handler->generate(*catalog_[i].resource, *this);
    } catch (const std::exception& e) {
      report_.generation_failed = true;
      log(LogLevel::Err, *catalog_[i].resource, fmt::format("Failed to generate additional resources using 'generate': {}", e.what()), "");
      continue;
    }
    // Of two resources with the same title the last one counts: Puppet adds resources that follow their generator in reverse order.
    std::unordered_map<std::string, size_t> last;
    if (!catalog_[i].handler->depth_first())
      for (size_t m = 0; m < made.size(); ++m) last[made[m].reference()] = m;
    // Each one comes directly after its generator, or directly before it for a depth_first type.
    for (size_t m = 0; m < made.size(); ++m) {
      ManagedResource& r = made[m];
      if (auto later = last.find(r.reference()); later != last.end() && later->second != m) continue;
      if (catalog_.find(r.type, r.title) != RunCatalog::none) continue;
      TypeHandler& handler = handler_of(r);
      const bool before = catalog_[i].handler->depth_first();
      ListBuilder relation(arena);
      for (const std::string& t : r.texts(before ? "before" : "require")) relation.add(string_value(arena, t));
      relation.add(string_value(arena, catalog_[i].resource->reference()));
      r.set(before ? "before" : "require", relation.finish());
      uint32_t index = catalog_.add(std::move(r), i);
      catalog_[index].priority = catalog_.priority_of(i);
      if (before) { // after all that comes before the generator
        --catalog_[index].priority.back();
        catalog_[index].priority.push_back(0xFFFFFFFF);
      }
      catalog_[index].priority.push_back(index);
      catalog_[index].handler = &handler;
      uint32_t container = catalog_[index].container;
      if (container != RunCatalog::none) catalog_[container].contents.push_back(index);
      try {
        catalog_[index].handler->prepare(*catalog_[index].resource, *this);
      } catch (const std::exception& e) {
        report_.generation_failed = true;
        log(LogLevel::Err, *catalog_[i].resource, fmt::format("Failed to generate additional resources using 'generate': {}", e.what()),
            "");
      }
    }
  }
}

void Transaction::eval_generate(uint32_t node) {
  const uint32_t parent = (*graph_)[node].resource;
  std::vector<ManagedResource> made;
  try {
    made = catalog_[parent].handler->eval_generate(*catalog_[parent].resource, *this);
  } catch (const std::exception& e) {
    report_.generation_failed = true;
    log(LogLevel::Err, *catalog_[parent].resource,
        fmt::format("Failed to generate additional resources using 'eval_generate': {}", e.what()), "");
    return;
  }
  if (made.empty()) return;
  std::vector<uint32_t> indexes;
  std::vector<std::string> titles;
  for (ManagedResource& r : made) {
    titles.push_back(r.title);
    uint32_t have = catalog_.find(r.type, r.title);
    if (have == RunCatalog::none) {
      have = catalog_.add(std::move(r), parent);
      catalog_[have].handler = &handler_of(*catalog_[have].resource);
      catalog_[have].handler->prepare(*catalog_[have].resource, *this);
      // Messages show a generated file at the place of its generator.
      ManagedResource& child = *catalog_[have].resource;
      child.path = catalog_[parent].resource->path.substr(0, catalog_[parent].resource->path.size() -
                                                                 catalog_[parent].resource->reference().size()) +
                   child.reference();
    }
    indexes.push_back(have);
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

} // namespace pupc
