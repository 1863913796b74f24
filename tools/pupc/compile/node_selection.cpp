#include "tools/pupc/compile/node_selection.h"

#include "catalog/base/arena.h"
#include "catalog/diff/pattern.h"
#include "compiler/load/facts_file.h"
#include "tools/pupc/compile/all_nodes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace pupc::cli {

std::string fact_text(const Value& facts, std::string_view path) {
  const Value* at = &facts;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    at = at->is_hash() ? at->hash->find(path.substr(0, dot)) : nullptr;
    if (at == nullptr) return {};
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (at->is_string()) return std::string(at->str());
  if (at->is_int()) return fmt::to_string(at->i);
  if (at->is_bool()) return at->b ? "true" : "false";
  return {};
}

std::optional<Sample> parse_sample(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  Sample out{std::string(text.substr(0, colon)), 0};
  const std::string_view number = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.count);
  if (error != std::errc() || end != number.data() + number.size() || out.count == 0) return std::nullopt;
  return out;
}

bool fits_one(const std::vector<std::string>& patterns, const std::string& node) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& p) { return fits_pattern(p, node); });
}

std::set<std::string> sampled_nodes(const std::string& facts, const std::vector<KnownNode>* known, const Sample& sample,
                                    const std::vector<std::string>& patterns) {
  std::map<std::string, std::string> value_of; // by node
  std::set<std::string> out;
  if (known != nullptr) {
    for (const KnownNode& node : *known)
      if (fits_one(patterns, node.name)) value_of.emplace(node.name, fact_text(node.facts, sample.fact));
  } else
    for (const std::string& file : facts_files(facts)) {
      std::string name = std::filesystem::path(file).stem().string(), stored;
      try {
        Arena arena;
        const Value read = read_facts_file(arena, file, &stored);
        if (!stored.empty()) name = stored;
        if (fits_one(patterns, name)) value_of.emplace(name, fact_text(read, sample.fact));
      } catch (const CompileError&) { out.insert(name); }
    }
  std::map<std::string, size_t> taken;
  for (const auto& [node, value] : value_of)
    if (taken[value]++ < sample.count) out.insert(node);
  return out;
}

} // namespace pupc::cli
