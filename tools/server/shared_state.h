#pragma once
// What requests share: settings, rules, environments, Ruby. A reload makes a new one; requests under way keep theirs.
#include "compiler/ruby/worker/ruby_pool.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/server/auth.h"
#include "tools/server/classifier.h"
#include "tools/server/code_versions.h"
#include "tools/server/kept_answers.h"
#include "tools/server/logs.h"
#include "tools/server/mounts.h"
#include "tools/server/server_settings.h"
#include "tools/server/trusted.h"
#include "tools/server/visible_names.h"

#include <map>
#include <memory>
#include <string>

namespace pupc::server {

struct Core {
  /// Throws std::runtime_error: AuthError, MountError, SpoolError and for files that cannot be read. `before`: the core that this one
  /// follows, whose spool it takes over. `same_rules`: and its rules and mounts, as nobody has asked that they be read again.
  Core(Settings s, ServerLog& server_log, const Core* before = nullptr, bool same_rules = false);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Settings settings;
  ServerLog& log;
  std::shared_ptr<const AuthRules> rules;
  OidNames oids;
  FileMounts mounts;
  Environments environments;
  RubyPool ruby;
  Classifier classifier;
  CodeVersions code;
  KeptAnswers kept;
  std::shared_ptr<Submissions> puppetdb;           // null: it gets nothing
  std::map<std::string, std::string> server_facts; // servername, serverip, serverip6

  /// The directory of an environment; "" when there is none, or the name is no name.
  std::string directory_of(const std::string& environment) const;
  bool has_environment(const std::string& name) const { return !directory_of(name).empty(); }
  std::string default_environment() const { return settings.compile.environment.name; }
};

/// One request, as far as it is understood before its work begins.
struct Call {
  std::shared_ptr<Core> core;
  http::Request request;
  Target target;
  Caller caller;
  std::vector<std::string> parts; // of the path
};

/// The form of the body with the query's parameters, of which the form's win. Throws ApiError for a form that is malformed.
Parameters parameters_of(const Call& call);

} // namespace pupc::server
