#pragma once
// The file server: metadata and contents of what modules and mounts bring.
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

namespace pupc::server {

/// Answers /puppet/v3/file_metadata/MOUNT/… All three throw ApiError, 404 for what is not there or may not be seen.
http::Response answer_file_metadata(Call& call);
/// Answers /puppet/v3/file_metadatas/MOUNT/…: a whole tree.
http::Response answer_file_metadatas(Call& call);
/// Answers /puppet/v3/file_content/MOUNT/…
http::Response answer_file_content(Call& call);

} // namespace pupc::server
