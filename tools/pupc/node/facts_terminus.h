#pragma once
// Facts from where Puppet's settings say that facts come from.
#include "tools/pupc/settings/compile_settings.h"

#include <functional>
#include <string>
#include <string_view>

namespace pupc::cli {

/// What is known of a node. It lives in the arena of find_facts.
struct TerminusFacts {
  Value facts;   // a Hash; undef when the terminus knows no such node
  Value trusted; // the trusted data that came as a fact, as PuppetDB keeps them; undef when there are none, or they are incomplete
};

/// The terminus of facts: what routes.yaml says in the part of `application`, else the setting facts_terminus, else `usual`. Throws
/// CompileError for a broken routes.yaml.
std::string facts_terminus(const CompileOptions& options, std::string_view application, std::string_view usual);

/// The facts of the node `name` by the terminus yaml, json, facter, memory or puppetdb. The first two are files below the directories of
/// the run mode. `of_machine` collects this machine's facts. A cache that routes.yaml names is not read: it never has newer facts. Throws
/// CompileError with Puppet's text for another terminus, and where PuppetDB does not answer.
TerminusFacts find_facts(const CompileOptions& options, const std::string& terminus, const std::string& name, Arena& into,
                         const std::function<Value()>& of_machine);

} // namespace pupc::cli
