#pragma once
// pupc compile --all-nodes: every node of a directory of facts files, in parallel, over one environment.
#include "compiler/load/dependencies.h"
#include "tools/pupc/node/known_nodes.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/compile_settings.h"

#include <functional>
#include <string>
#include <vector>

namespace pupc::cli {

using compiler::Dependencies;

struct AllNodesOptions {
  std::string facts_directory;                   // with *.json, *.yaml, *.yml, one file for each node; or one such file
  const std::vector<KnownNode>* known = nullptr; // the nodes, when `facts_directory` keeps some (known_nodes.h) and they are known already
  std::string output;                            // directory for NODE.json, made when missing
  bool pretty = false;
  bool store_catalogs = false; // keep whole catalogs in the store
  bool by_node = false;        // tell warnings and errors with each node, too
  ColorMode color = ColorMode::Auto;
  /// Whether the node with these facts is wanted; called by several threads. Empty: all nodes.
  std::function<bool(const std::string& node, const Value& facts)> wanted = {};
  /// Called after each compile that made a catalog, by several threads, with what it looked at; paths below `root` are relative to it. When
  /// it returns false the catalog is not written.
  std::function<bool(const std::string& node, Dependencies&& looked_at)> looked_at = {};
  std::string root = {};
  /// Changes the text of a catalog before it is written; called by several threads.
  std::function<void(std::string& text)> rewrite = {};
  /// Called after each node, by one thread at a time, with how many are done. Only with `failed`.
  std::function<void(size_t done, size_t of)> progress = {};
  /// Called for each node that fails, by one thread at a time. If set, the compile prints neither logs nor a summary.
  std::function<void(const std::string& node, const std::string& error)> failed = {};
};

/// Compiles the catalogs of all nodes that have a facts file. A node has the name that its file contains, else the file's name. The compile
/// reads code and data of the environment once. It prints the logs node by node in the order of the files, with the node's name on each
/// line, then (unless `by_node`) each warning and error once with the number of its nodes, and a summary. A terminal also shows the
/// progress. A node that fails leaves no catalog (an older one is removed) and does not disturb the others.
///
/// With a store of exported resources there are two rounds. The result then does not depend on the order of nodes, and one run suffices for
/// a new set of nodes. In the first round all nodes collect from the store as it was at the start, and the store takes their exports. In
/// the second round those compile again that collected something of a type whose exports the first round changed, or that asked otherwise,
/// with the store as it is after the first round.
///
/// Returns the exit code: 1 when anything failed. Throws UsageError when a directory is missing.
int compile_all_nodes(const CompileOptions& options, const AllNodesOptions& all);

/// The facts files of a directory, sorted, or the one file that `path` names. Throws UsageError when the directory cannot be read.
std::vector<std::string> facts_files(const std::string& path);

/// Writes to a temporary file beside the target and renames it, so that nobody ever sees half a catalog. Returns why that failed, and
/// nothing when it did not.
[[nodiscard]] std::string write_failure(const std::string& path, const std::string& text);

} // namespace pupc::cli
