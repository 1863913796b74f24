#pragma once
// Which classes an environment has, with their parameters: for consoles that let people classify nodes.
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

namespace pupc::server {

/// GET /puppet/v3/environment_classes?environment=NAME. Throws ApiError.
http::Response answer_environment_classes(Call& call);

} // namespace pupc::server
