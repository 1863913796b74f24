#pragma once
// The filebucket: old file contents, stored under their digest.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Copies a file into a bucket's directory, in Puppet's layout. Returns the digest. Throws SystemError.
std::string keep_in_bucket(RunContext& run, const std::string& path, const std::string& directory);

/// Keeps a content that the caller has read already; the bucket notes `path` as its origin.
std::string keep_content_in_bucket(RunContext& run, const std::string& path, const std::string& content, const std::string& directory);

} // namespace pupc::runtime
