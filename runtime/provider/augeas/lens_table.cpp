#include "runtime/provider/augeas/lens_table.h"

#include "catalog/base/split_text.h"
#include "catalog/value/digest.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr const char* version_node = "/augeas/version";
constexpr std::string_view table_header = "lenses of Augeas 1 ";

std::string table_file(const RunContext& run) { return run.settings.state_directory + "/augeas_lenses"; }

/// A text that differs when a lens file was added, removed or changed. Empty when a directory cannot be read.
std::string lens_files(RunContext& run, const std::string& places) {
  std::vector<std::string> directories = catalog::split_text(places, ':');
  for (std::string& one : catalog::split_text(run.system.environment("AUGEAS_LENS_LIB").value_or(""), ':'))
    directories.push_back(std::move(one));
  directories.emplace_back("/usr/share/augeas/lenses");
  directories.emplace_back("/usr/share/augeas/lenses/dist");
  std::string text;
  try {
    for (const std::string& directory : directories) {
      text += directory + "\n";
      if (directory.empty() || !run.system.stat(directory)) continue;
      for (const std::string& name : run.system.list_directory(directory)) {
        if (!name.ends_with(".aug")) continue;
        const auto status = run.system.stat(fmt::format("{}/{}", directory, name));
        if (status) text += fmt::format("{} {} {} {}\n", name, status->size, status->modified, status->inode);
      }
    }
  } catch (const SystemError&) { return {}; }
  return hex_digest(DigestAlgorithm::Sha256, text);
}

/// All values below /augeas/load. Empty when a module could not be loaded: the messages about it are made by loading it.
std::vector<std::pair<std::string, std::string>> values_of(AugeasTree& tree) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!tree.match("/augeas//error").empty()) return out;
  out.emplace_back(version_node, tree.get(version_node).value_or(""));
  for (const std::string& node : tree.match("/augeas/load/*/*")) {
    out.emplace_back(node, tree.get(node).value_or(""));
    if (out.back().second.find('\n') != std::string::npos || node.find('\t') != std::string::npos) return {};
  }
  return out;
}

/// Leaves only the lenses of files below a path. False when no lens has files there alone, and all stay.
bool keep_lenses_below(AugeasTree& tree, const std::string& below) {
  if (below.empty()) return false;
  const std::string others = fmt::format("/augeas/load/*['{}' !~ glob(incl) + regexp('/.*')]", below);
  if (tree.match(others).size() >= tree.match("/augeas/load/*").size()) return false;
  tree.remove(others);
  return true;
}

} // namespace

std::optional<LensTables::Table> LensTables::read(RunContext& run, const std::string& lenses) {
  if (run.settings.state_directory.empty()) return std::nullopt;
  try {
    if (!run.system.stat(table_file(run)) || !run.system.safe_from_others(table_file(run))) return std::nullopt;
    const std::vector<std::string> lines = text_lines(run.system.read_file(table_file(run)));
    if (lines.size() < 2 || lines[0] != std::string(table_header) + lenses) return std::nullopt;
    Table out{lenses, {}};
    for (size_t i = 1; i < lines.size(); ++i) {
      const size_t tab = lines[i].find('\t');
      if (tab == std::string::npos) return std::nullopt;
      out.values.emplace_back(lines[i].substr(0, tab), lines[i].substr(tab + 1));
    }
    return out;
  } catch (const SystemError&) { return std::nullopt; }
}

void LensTables::keep(RunContext& run, const Table& table) {
  if (run.settings.state_directory.empty()) return;
  std::string text = fmt::format("{}{}\n", table_header, table.lenses);
  for (const auto& [node, value] : table.values) text += fmt::format("{}\t{}\n", node, value);
  try {
    run.system.write_file(table_file(run), text, 0600, std::nullopt, std::nullopt, false);
  } catch (const SystemError&) {
    // The next run loads all modules again.
  }
}

/// A tree whose modules are loaded as far as files below `below` need them; null when that is not known.
std::unique_ptr<AugeasTree> LensTables::open_known(RunContext& run, const std::string& lenses, const std::string& root,
                                                   const std::string& places, const std::string& below) {
  auto known = std::ranges::find(tables_, lenses, &Table::lenses);
  if (known == tables_.end())
    if (auto kept = read(run, lenses)) known = tables_.insert(tables_.end(), std::move(*kept));
  if (known == tables_.end()) return nullptr;
  auto tree = std::make_unique<AugeasTree>(root, places, AugeasTree::no_load | AugeasTree::no_autoload);
  if (tree->get(version_node) != known->values.front().second) {
    tables_.erase(known);
    return nullptr;
  }
  for (const auto& [node, value] : std::span(known->values).subspan(1)) tree->set(node, value);
  if (!keep_lenses_below(*tree, below)) return nullptr; // all modules are needed
  for (const std::string& node : tree->match("/augeas/load/*/lens"))
    // "@Hosts" is the lens that the module Hosts has for its files. It is found when the module is loaded, and does not load it.
    if (const std::string lens = tree->get(node).value_or(""); lens.starts_with('@')) tree->load_module(lens.substr(1));
  return tree;
}

LensTables::Opened LensTables::open(RunContext& run, const std::string& root, const std::string& places, const std::string& below,
                                    unsigned checks) {
  const std::string lenses = below.empty() || checks != 0 ? "" : lens_files(run, places);
  if (!lenses.empty())
    if (auto tree = open_known(run, lenses, root, places, below)) return {std::move(tree), true};
  Opened out{std::make_unique<AugeasTree>(root, places, checks | AugeasTree::no_load), false};
  if (!lenses.empty() && std::ranges::find(tables_, lenses, &Table::lenses) == tables_.end())
    if (auto values = values_of(*out.tree); values.size() > 1) {
      tables_.push_back({lenses, std::move(values)});
      keep(run, tables_.back());
    }
  out.restricted = keep_lenses_below(*out.tree, below);
  return out;
}

} // namespace pupc::runtime
