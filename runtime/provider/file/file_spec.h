#pragma once
// What a file resource asks for, read from its attributes once, and where its content comes from.
#include "runtime/provider/provider.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// One place that a `source` names: a path of this machine.
struct FileSource {
  std::string uri;  // as messages show it: "file:///srv/x", "puppet:///modules/m/x"
  std::string path;
  FileStatus status;
};

struct FileSpec {
  enum class Recurse : uint8_t { No, Local, Remote };

  std::string path;
  std::string ensure;  // "", "absent", "present", "file", "directory", "link"
  std::optional<std::string> content, target, owner, group, mode, checksum_value;
  std::vector<std::string> sources, ignore;
  std::string checksum = "sha256", backup, validate_cmd, validate_replacement = "%", source_permissions = "ignore";
  Recurse recurse = Recurse::No;
  int recurse_limit = -1; // none
  bool replace = true, force = false, purge = false, follow = false, show_diff = true, all_sources = false;
  bool sensitive = false; // content or source must not be shown

  // found at the resource's turn
  std::optional<FileSource> source;
  std::string content_sum; // "{sha256}…" that the file should have; empty: not managed

  bool recursive() const { return recurse != Recurse::No; }
  /// Whether the file's content is managed when it is of this type (empty: missing).
  bool should_be_file(const std::optional<FileStatus>& status) const;
};

/// Reads and checks the attributes; sets `ensure` of the resource where others imply it. Throws ResourceError in the reference's words.
std::shared_ptr<FileSpec> read_file_spec(ManagedResource& resource, RunContext& run);

/// "{sha256}5891…" of a content, by the name of the algorithm (md5, sha1, sha224, sha256, sha384, sha512, md5lite, sha256lite).
std::string checksum_of(std::string_view algorithm, std::string_view content);
/// The same of a file; mtime and ctime are times. Throws SystemError.
std::string checksum_of_file(System& system, std::string_view algorithm, const std::string& path);

/// The first of the sources that exists. Throws ResourceError in the reference's words when there is none or the kind of URL is not supported.
FileSource find_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run);

/// Paths below a directory, relative to it, sorted, as the reference's file sets list them. Throws SystemError.
std::vector<std::string> list_tree(System& system, const std::string& root, const FileSpec& spec);

/// "directory", "file", "link", …
std::string_view file_type_name(FileType type);

/// Keeps a copy of a file, as its `backup` says, before it is replaced or removed.
void back_up(ManagedResource& resource, const FileSpec& spec, RunContext& run);

} // namespace pupc
