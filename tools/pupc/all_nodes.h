#pragma once
// pupc compile --all-nodes: every node of a directory of facts files, in parallel, over one environment.
#include "tools/pupc/compile_settings.h"
#include "tools/pupc/render.h"

#include <functional>
#include <string>

namespace pupc {

struct AllNodesOptions {
  std::string facts_directory; // *.json, *.yaml, *.yml: one node each; or one such file
  std::string output;          // directory for NODE.json, made when missing
  bool pretty = false;
  ColorMode color = ColorMode::Auto;
  std::function<bool(const std::string& node)> wanted = {}; // empty: all nodes
  /// Gets each node that fails with its error, from one thread at a time. Neither logs nor a summary are printed then.
  std::function<void(const std::string& node, const std::string& error)> failed = {};
};

/// Compiles the catalogs of all nodes that have a facts file, named as the file says or after the file. Code and data of the environment
/// are read once. Logs come node by node in the order of the files, each line with the node's name; at last a summary. On a terminal
/// the state is shown meanwhile. A node that fails leaves no catalog (an older one is removed) and does not disturb the others.
///
/// With a store of exported resources there are two rounds, so that the result depends on no order and one run is enough for a new estate:
/// in the first all nodes collect from the store as it was at the start, and what they export is stored; those that collected anything
/// are compiled once more in the second and see what was stored after the first.
///
/// Returns the exit code: 1 when anything failed. Throws UsageError when a directory is missing.
int compile_all_nodes(const CompileOptions& options, const AllNodesOptions& all);

/// Writes to a temporary file beside the target and renames it, so that nobody ever sees half a catalog.
bool write_file(const std::string& path, const std::string& text);

} // namespace pupc
