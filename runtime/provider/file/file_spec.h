#pragma once
// What a file resource asks for, read from its attributes once, and where its content comes from.
#include "runtime/provider/file_label.h"
#include "runtime/provider/provider.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// One place that a `source` names: a path of this machine, or a URL.
struct FileSource {
  std::string uri;  // as messages show it: "file:///srv/x", "puppet:///modules/m/x"
  std::string path; // empty for a URL
  FileStatus status;
  std::string sum;                 // of a URL, by its headers: "{sha256}…", "{mtime}…"
  int64_t time = 0;                // of a URL whose sum is a time, seconds since the epoch
  std::optional<std::string> body; // of a URL, once it was fetched

  bool remote() const { return path.empty(); }
};

struct FileSpec {
  enum class Recurse : uint8_t { No, Local, Remote };

  std::string path;
  std::string ensure; // "", "absent", "present", "file", "directory", "link"
  std::optional<std::string> content, target, owner, group, mode, checksum_value;
  std::vector<std::string> sources, ignore;
  std::string checksum = "sha256", backup, validate_cmd, validate_replacement = "%", source_permissions = "ignore", staging_location;
  Recurse recurse = Recurse::No;
  int recurse_limit = -1; // none
  int max_files = 0;      // 0: a warning at many, -1: never
  FileLabel label;        // of SELinux: what is given, the rest as the machine's policy has it
  bool has_label = false; // whether any part of it is wanted and files of this path can have labels
  bool replace = true, force = false, purge = false, follow = false, show_diff = true, all_sources = false;
  bool sensitive = false;   // content or source must not be shown
  bool from_bucket = false; // `content` is the checksum of what is to be fetched from the filebucket

  // found at the resource's turn
  std::optional<FileSource> source;
  std::string content_sum; // "{sha256}…" that the file should have; empty: not managed
  std::string shown_sum;   // what messages say instead: the content's own sum where checksum_value gives another

  const std::string& wanted_sum() const { return shown_sum.empty() ? content_sum : shown_sum; }
  bool recursive() const { return recurse != Recurse::No; }
  /// Whether the file's content is managed when it is of this type (empty: missing).
  bool should_be_file(const std::optional<FileStatus>& status) const;
};

/// Reads and checks the attributes; sets `ensure` of the resource where others imply it. Throws ResourceError in Puppet's words.
std::shared_ptr<FileSpec> read_file_spec(ManagedResource& resource, RunContext& run);

/// "{sha256}5891…" of a content, by the name of the algorithm (md5, sha1, sha224, sha256, sha384, sha512, md5lite, sha256lite).
std::string checksum_of(std::string_view algorithm, std::string_view content);
/// The same of a file; mtime and ctime are times. Throws SystemError.
std::string checksum_of_file(System& system, std::string_view algorithm, const std::string& path);

/// The first of the sources that exists. Throws ResourceError in Puppet's words when there is none or the kind of URL is not
/// supported.
FileSource find_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run);

/// The content of a source. Throws ResourceError or SystemError.
std::string source_content(FileSource& source, RunContext& run);

/// Complains about directories with more files than max_files allows. Throws ResourceError.
void check_file_count(const FileSpec& spec, const std::string& path, size_t count, RunContext& run);

/// Paths below a directory, relative to it, sorted, as Puppet's file sets list them. Throws SystemError.
std::vector<std::string> list_tree(System& system, const std::string& root, const FileSpec& spec);

/// "directory", "file", "link", …
std::string_view file_type_name(FileType type);

/// Keeps a copy of a file, as its `backup` says, before it is replaced or removed.
void back_up(ManagedResource& resource, const FileSpec& spec, RunContext& run);

/// What the file's bucket has for a content that is a checksum. Throws ResourceError in Puppet's words when there is no bucket or
/// nothing in it.
std::string content_from_bucket(const FileSpec& spec, RunContext& run);

} // namespace pupc
