#include "tools/pupc/puppet/puppet_missing.h"

namespace pupc::cli {
namespace {

struct MissingAction {
  std::string_view subcommand, action; // no action: the subcommand as a whole
  std::string_view instead;
};

constexpr std::string_view no_authority = "pupc signs no certificates; `puppet ssl` has those of this machine",
                           interface_only = "Puppet has it only for programs in Ruby";

// Those of Puppet 8, and older ones that people still type.
constexpr MissingAction missing[] = {
    {"ca", "", no_authority},
    {"cert", "", no_authority},
    {"certificate", "", no_authority},
    {"certificate_request", "", no_authority},
    {"certificate_revocation_list", "", no_authority},
    {"key", "", no_authority},
    {"device", "", "network devices are not managed"},
    {"doc", "", "use `pupc doc`, or `puppet strings generate --format json` in a module"},
    {"facter", "", "use `pupc facts`"},
    {"file", "", "use `pupc resource file PATH`"},
    {"filebucket", "", "the bucket is a directory of files: `pupc config print clientbucketdir`"},
    {"hiera", "", "use `pupc lookup KEY --explain`"},
    {"inspect", "", "use `pupc apply --noop`; the metaparameter audit tells changes"},
    {"instrumentation_data", "", "use `pupc apply --summarize --evaltrace`"},
    {"kick", "", "run `puppet agent --test` on the node"},
    {"man", "", "use `pupc help COMMAND`, or `man pupc`"},
    {"master", "", "use `pupc server`"},
    {"plugin", "", "`puppet agent` gets what the server has; all else uses modules where they are"},
    {"queue", "", "exported resources are kept in a file: `pupc compile --store FILE`"},
    {"report", "", "reports are files in the state directory: `pupc config print reportdir`"},
    {"resource_type", "", "use `pupc doc types`, or `pupc resource --types`"},
    {"script", "", "plans are not run; use `pupc apply`"},
    {"secret_agent", "", "use `puppet agent`"},
    {"status", "", "ask the server for /status/v1/simple"},

    {"catalog", "apply", "use `pupc apply --catalog FILE`"},
    {"catalog", "download", "use `puppet catalog compile`; `puppet agent` gets the server's"},
    {"catalog", "info", "catalogs are compiled here, by `puppet catalog compile`"},
    {"catalog", "save", interface_only},
    {"catalog", "search", interface_only},
    {"catalog", "select", "use `pupc compile | jq '.resources[] | select(.type == \"File\")'`"},
    {"config", "section", interface_only},
    {"facts", "diff", "pupc has one way to find facts"},
    {"facts", "info", "facts are those of this machine"},
    {"facts", "save", interface_only},
    {"facts", "upload", "`puppet agent` sends them; `pupc facts > FILE` writes what --facts reads"},
    {"module", "build", "use the pdk"},
    {"module", "changes", "in a checkout git tells them; `pupc modules install --force` restores a module"},
    {"module", "generate", "use the pdk"},
    {"module", "install", "name it in a Puppetfile and use `pupc modules install`, or r10k"},
    {"module", "search", "search on the Forge's page; `pupc modules check --newer` tells newer versions"},
    {"module", "uninstall", "take it from the Puppetfile and use `pupc modules install`"},
    {"module", "upgrade", "raise its version in the Puppetfile and use `pupc modules install`"},
    {"node", "find", "use `pupc compile --node NAME`; the catalog has its classes, and `pupc lookup` its data"},
    {"node", "info", "a node is what its facts and a classifier (--enc) say"},
    {"node", "search", "nodes are the files of facts that `pupc compile --all-nodes` takes"},
};

} // namespace

std::string_view replacement_of(std::string_view subcommand, std::string_view action) {
  for (const MissingAction& m : missing)
    if (m.subcommand == subcommand && m.action == action) return m.instead;
  return {};
}

std::vector<std::string_view> missing_subcommands() {
  std::vector<std::string_view> out;
  for (const MissingAction& m : missing)
    if (m.action.empty()) out.push_back(m.subcommand);
  return out;
}

std::vector<std::string_view> missing_actions(std::string_view subcommand) {
  std::vector<std::string_view> out;
  for (const MissingAction& m : missing)
    if (m.subcommand == subcommand && !m.action.empty()) out.push_back(m.action);
  return out;
}

} // namespace pupc::cli
