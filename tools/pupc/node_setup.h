#pragma once
// What is known of a node before its compile: name, facts, trusted data, what a classifier says, and the environment that follows from
// that.
#include "tools/pupc/compile_settings.h"

#include <map>
#include <mutex>
#include <string>

namespace pupc {

/// The environments of one process, each opened at its first use. Safe to share between threads.
class Environments {
public:
  /// For whom they are kept.
  enum class For : uint8_t {
    OneRun,   // as they were at the beginning; what there is to say of one is said once
    Requests, // each request finds the files as they are, and hears what there is to say
  };
  explicit Environments(const CompileOptions& options, For whom = For::OneRun) : options_(options), for_(whom) {}

  /// The environment of that name, or the one that the options name for "". Throws CompileError, for each caller anew.
  std::shared_ptr<const Environment> open(const std::string& name, LogSink* log);
  /// The environment that these options ask for: requests that differ in nothing but their code share modules and data. Throws
  /// CompileError.
  std::shared_ptr<const Environment> open(const CompileOptions& options, LogSink* log);
  /// Those opened so far are used no more.
  void forget();

private:
  struct Opened {
    std::shared_ptr<const Environment> environment;
    std::vector<LogEntry> said; // when it was opened
    uint64_t uses = 0, last_use = 0;
  };
  void drop_changed(const std::string& key);

  const CompileOptions& options_;
  const For for_;
  std::mutex mutex_;
  std::map<std::string, Opened> opened_;
  uint64_t clock_ = 0; // counts uses
};

/// Facts of files, each read once as long as it does not change. The values live as long as this; safe to share between threads.
class FactsFiles {
public:
  /// As read_facts_file.
  Value read(const std::string& path, std::string* node_name);

private:
  struct File {
    std::once_flag once;
    Arena arena;
    Value facts;
    std::string name;
  };
  std::mutex mutex_;
  std::map<std::string, File> files_; // by path and how the file was
};

/// The node's name by the configuration: the fact that node_name_fact names, else `stored`, else the certname; "" when there is none of
/// them. Throws CompileError when there is no such fact.
std::string configured_name(const CompileOptions& options, const Value& facts, const std::string& stored);

/// Facts that --facts names: a file's, or those of the file in a directory that is called as the node (NAME.json, NAME.yaml, NAME.yml).
/// Undef when the option is not given. `name`, unless it has one, gets that of the fact that node_name_fact names, the one the file has
/// stored, or the configuration's certname. Throws CompileError.
Value given_facts(const CompileOptions& options, FactsFiles& files, std::string& name);

/// Fills `data` for the node `name` with `facts` (a Hash or undef, living in data.arena): asks the classifier when there is one (its
/// environment wins over the options', as on a server), adds legacy facts, trusted data and server facts as the options want them. Returns
/// the node's environment. Throws CompileError; failures of the classification in the words of Puppet's compiler ("Failed when
/// searching for node …").
std::shared_ptr<const Environment> set_up_node(const CompileOptions& options, Environments& environments, NodeData& data,
                                               const std::string& name, Value facts, LogSink* log);

/// The part of set_up_node that is about facts, trusted data and settings.
void set_node_facts(const CompileOptions& options, NodeData& data, const std::string& name, Value facts, const Environment& environment);

/// Server facts as a server has them, after those of `given` (a Hash or undef).
void set_server_facts(NodeData& data, const Value& given, const Environment& environment);

/// The name of this machine, for nodes that nobody names.
std::string local_host_name();

} // namespace pupc
