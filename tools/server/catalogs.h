#pragma once
// The catalog endpoint: facts in, catalog out.
#include "tools/server/core.h"
#include "tools/server/visible_names.h"

namespace pupc::server {

/// Answers /puppet/v3/catalog/NAME. Throws ApiError.
http::Response answer_catalog(Call& call);

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

/// The node with facts, classification, trusted data and server facts; `environment` becomes the classifier's, if it names one.
std::shared_ptr<const Environment> open_node(Call& call, NodeData& node, const std::string& name, const Value& facts,
                                             std::string& environment, LogSink& log);

} // namespace pupc::server
