#pragma once
// What agents send to be kept, and what is told of nodes and environments.
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

namespace pupc::server {

/// PUT /puppet/v3/report/NAME: gives the report to the processors. Throws ApiError.
http::Response answer_report(Call& call);
/// PUT /puppet/v3/facts/NAME
http::Response answer_facts(Call& call);
/// HEAD, GET and PUT /puppet/v3/file_bucket_file/sha256/SUM[/PATH]
http::Response answer_file_bucket(Call& call);
/// GET /puppet/v3/node/NAME
http::Response answer_node(Call& call);
/// GET /puppet/v3/environments
http::Response answer_environments(Call& call);

} // namespace pupc::server
