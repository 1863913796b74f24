#pragma once
// The catalog endpoint: facts in, catalog out.
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pupc::server {

/// Answers /puppet/v3/catalog/NAME. Throws ApiError.
http::Response answer_catalog(Call& call);
/// Answers /puppet/v4/catalog: a catalog for a service that names the node and may give its facts and trusted data. Throws ApiError.
http::Response answer_catalog_for_service(Call& call);

/// The facts of a request's document (`{"name": …, "values": …}`), checked against the node's name. Throws ApiError.
Value read_facts_document(Arena& arena, const std::string& text, const std::string& node);
/// Keeps facts for the requests that bring none, and for others to read.
void store_facts(const Core& core, const std::string& node, std::string_view document);
/// The kept facts; undef when there are none.
Value stored_facts(const Core& core, Arena& arena, const std::string& node);

/// The parameter `environment` of a request. Throws ApiError when it is missing, is no name, or (with `must_exist`) has no directory.
std::string requested_environment(const Call& call, bool must_exist);

/// The first type that the request accepts among `offered` (the first of these for `*/*` or without Accept). Throws ApiError 406.
std::string accepted_type(const http::Request& request, std::initializer_list<std::string_view> offered);

/// What a catalog is compiled of.
struct NodeRequest {
  std::string name;
  Value facts, trusted;                   // in the node's arena
  std::string environment;                // asked for; becomes the classifier's, if it names one
  bool prefers_asked_environment = false; // the classifier's is ignored
};

/// The node with facts, classification, trusted data and server facts. Throws ApiError and CompileError.
std::shared_ptr<const Environment> open_node(Core& core, NodeData& node, NodeRequest& request, LogSink& log);

/// Does `work`, which returns the environment that it has used, again and again until that environment's code has not changed meanwhile:
/// what came of the last time is of one state of the code. Waits for git to end what it does. After some seconds of changes the last time
/// counts, and the log says so. What `work` throws comes through if it is the last time.
void of_one_state(Core& core, const std::string& node, const std::string& environment,
                  const std::function<void(std::shared_ptr<const Environment>& used)>& work);

/// `$trusted` of who asks, with what trusted_external_command says.
Value trusted_of(const Call& call, Arena& arena);

/// A catalog's document. `code_id`: the commit that was checked out before the code was read, if any.
struct CatalogRequest {
  std::optional<std::string> code_id;
  std::string checksum_types; // not empty: a static catalog is asked for
  std::string transaction_uuid, job_id;
  bool stored = true; // by PuppetDB, where it is used
};
/// Compiles the node and writes the catalog to `out`. Returns whether it is static. Throws ApiError and CompileError.
bool compile_document(Core& core, const std::shared_ptr<const Environment>& environment, NodeData& node, const CatalogRequest& request,
                      LogSink& log, std::string& out);

} // namespace pupc::server
