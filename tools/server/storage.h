#pragma once
// Files that the server writes: facts, reports, the file bucket.
#include "tools/server/visible_names.h"

#include <string>
#include <string_view>

namespace pupc::server {

/// Writes a file whole or not at all, but that a failure of the machine's power may leave an empty one; makes its directories (0750, the
/// file 0640). Throws std::runtime_error with the path and the reason.
void store_file(const std::string& path, std::string_view content);
/// The same for a file that is written again and again: what it was before stays beside it as PATH.tmp, and is written over the next time.
void renew_file(const std::string& path, std::string_view content);

} // namespace pupc::server
