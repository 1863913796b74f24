#pragma once
// The store of old contents, by the digest of their content.
#include "runtime/provider/provider.h"

namespace pupc {

/// Keeps a copy of a file in a bucket's directory, in Puppet's layout. Returns the digest. Throws SystemError.
std::string keep_in_bucket(RunContext& run, const std::string& path, const std::string& directory);

/// The same of a content that was read already; `path` is what the bucket notes of it.
std::string keep_content_in_bucket(RunContext& run, const std::string& path, const std::string& content, const std::string& directory);

} // namespace pupc
