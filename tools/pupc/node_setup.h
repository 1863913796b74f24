#pragma once
// What is known of a node before its compile: name, facts, trusted data, what a classifier says, and the environment that follows from that.
#include "tools/pupc/compile_settings.h"

#include <map>
#include <mutex>
#include <string>

namespace pupc {

/// The environments of one process, each opened at its first use. Safe to share between threads.
class Environments {
public:
  explicit Environments(const CompileOptions& options) : options_(options) {}
  /// The environment of that name, or the one that the options name for "". Throws CompileError, for each caller anew.
  std::shared_ptr<const Environment> open(const std::string& name, LogSink* log);

private:
  const CompileOptions& options_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Environment>> opened_;
};

/// Facts that --facts names: a file's, or those of the file in a directory that is called as the node (NAME.json, NAME.yaml, NAME.yml). Undef when the
/// option is not given. `name` gets the name that the file has stored, unless it has one. Throws CompileError.
Value given_facts(const CompileOptions& options, Arena& arena, std::string& name);

/// Fills `data` for the node `name` with `facts` (a Hash or undef, living in data.arena): asks the classifier when there is one (its environment wins over
/// the options', as on a server), adds legacy facts, trusted data and server facts as the options want them. Returns the node's environment.
/// Throws CompileError; failures of the classification in the words of the reference's compiler ("Failed when searching for node …").
std::shared_ptr<const Environment> set_up_node(const CompileOptions& options, Environments& environments, NodeData& data, const std::string& name, Value facts,
                                               LogSink* log);

/// The name of this machine, for nodes that nobody names.
std::string local_host_name();

} // namespace pupc
