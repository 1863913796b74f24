#pragma once
// Prepares a node before its compile: its name, facts, trusted data and classification, and the environment that follows from them.
#include "tools/pupc/settings/compile_settings.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace pupc::cli {

/// The environments of one process, each opened at its first use. Safe to share between threads.
class Environments {
public:
  /// How long an open environment stays valid.
  enum class For : uint8_t {
    OneRun,   // files as they were at the first use; warnings about an environment appear once
    Requests, // each request sees the current files, and gets all warnings about the environment
  };
  explicit Environments(const CompileOptions& options, For whom = For::OneRun) : options_(options), for_(whom) {}

  /// The environment of that name; for "" the one that the options name. Throws CompileError at every call for a broken one.
  std::shared_ptr<const Environment> open(const std::string& name, LogSink* log);
  /// The environment for these options. Requests that differ only in their code share modules and data. Throws CompileError.
  std::shared_ptr<const Environment> open(const CompileOptions& options, LogSink* log);
  /// Where the nodes collect what others exported, by the settings; null: nowhere. Lives as long as this object. Throws CompileError.
  ExportSource* exports();
  /// Drops all open environments, so that later calls open them again.
  void forget();

private:
  struct Opened {
    std::shared_ptr<const Environment> environment;
    std::vector<LogEntry> said; // log lines from opening it
    uint64_t uses = 0, last_use = 0;
  };
  void drop_changed(const std::string& key);

  const CompileOptions& options_;
  const For for_;
  std::mutex mutex_;
  std::map<std::string, Opened> opened_;
  uint64_t clock_ = 0; // counts uses
  std::once_flag exports_once_;
  std::unique_ptr<ExportSource> exports_;
};

/// A cache of facts files: reads each file once until it changes. The values live as long as this object. Safe to share between threads.
class FactsFiles {
public:
  /// Like read_facts_file.
  Value read(const std::string& path, std::string* node_name);
  /// The last facts of a node that a place keeps (known_nodes.h), and its trusted data. Throws CompileError, also when it has none.
  Value known(const CompileOptions& options, const std::string& place, const std::string& node, Value* trusted);

private:
  struct File {
    std::once_flag once;
    Arena arena;
    Value facts, trusted;
    std::string name;
  };
  std::mutex mutex_;
  std::map<std::string, File> files_; // by path and state of the file
};

/// The node's name by configuration: the value of the fact that node_name_fact names, else `stored`, else the certname, else "". Throws
/// CompileError when the named fact does not exist.
std::string configured_name(const CompileOptions& options, const Value& facts, const std::string& stored);

/// The facts from --facts, which names a file, or a directory with a file named after the node (NAME.json, NAME.yaml, NAME.yml). Undef
/// without the option. If `name` is empty, it becomes the node's name by configured_name, where the file may contain the stored name.
/// Or it names a place that keeps facts of nodes (known_nodes.h), and `trusted` (may be null) becomes what that knows of the node's trusted
/// data. Throws CompileError.
Value given_facts(const CompileOptions& options, FactsFiles& files, std::string& name, Value* trusted = nullptr);

/// Fills `data` for the node `name` with `facts` (a Hash or undef, living in data.arena). It asks the classifier if there is one, whose
/// environment overrides that of the options, as on a server. A classifier that chooses by trusted data gets those of --trusted, else
/// `known_trusted`, which somebody keeps of the node (undef: nobody does), else local ones; so does the node. It adds legacy facts, trusted
/// data and server facts as the options say. Returns the node's environment. Throws CompileError; for a failed classification with the
/// message of Puppet's compiler ("Failed when searching for node …").
std::shared_ptr<const Environment> set_up_node(const CompileOptions& options, Environments& environments, NodeData& data,
                                               const std::string& name, Value facts, LogSink* log, const Value& known_trusted = {});

/// The part of set_up_node that sets facts, trusted data and settings.
void set_node_facts(const CompileOptions& options, NodeData& data, const std::string& name, Value facts, const Environment& environment);

/// Replaces the trusted data by those that Puppet has without a connection: of the certificate that the fact or parameter clientcert names,
/// which may differ from the node's name. With --trusted they stay; with `own_facts`, this machine's, where nothing names a certificate.
void trust_parameters(const CompileOptions& options, NodeData& data, bool own_facts);

/// Sets the trusted data to those that somebody keeps of the node (undef: nobody does), unless --trusted names others.
void trust_known(const CompileOptions& options, NodeData& data, const Value& trusted);

/// Sets the server facts as a server does, together with those of `given` (a Hash or undef).
void set_server_facts(NodeData& data, const Value& given, const Environment& environment);

/// Sets the server facts of a machine that compiles its own catalog: the environment alone.
void set_own_server_facts(NodeData& data, const Environment& environment);

/// The name of this machine, for a node without another name.
std::string local_host_name();

} // namespace pupc::cli
