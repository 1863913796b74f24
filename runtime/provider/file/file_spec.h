#pragma once
// What a file resource asks for (its attributes are read once) and where its content comes from.
#include "catalog/value/digest.h"
#include "runtime/provider/file_label.h"
#include "runtime/provider/provider.h"
#include "runtime/provider/remote_files.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc::runtime {

/// One element of `source`: a path on this machine or a URL.
struct FileSource {
  std::string uri;  // for messages: "file:///srv/x", "puppet:///modules/m/x"
  std::string path; // empty for a URL
  FileStatus status;
  std::string sum;                 // of a URL, from its headers: "{sha256}…", "{mtime}…"
  int64_t time = 0;                // of a URL whose sum is a time: seconds since the epoch
  std::optional<std::string> body; // of a URL, after it was fetched
  bool of_server = false;          // of the run's Puppet server, whose metadata are as complete as those of files here
  std::string target;              // of a server's link
  std::string fetched;             // the file with a server's content that is too large for the memory
  std::shared_ptr<void> keeps;     // and its directory, as long as it is needed

  bool remote() const { return path.empty(); }
};

struct FileSpec : HandlerData {
  enum class Recurse : uint8_t { No, Local, Remote };

  std::string path;
  std::string title;  // of the resource
  std::string ensure; // "", "absent", "present", "file", "directory", "link"
  std::optional<std::string> content, target, owner, group, mode, checksum_value;
  std::vector<std::string> sources, ignore;
  std::string checksum = "sha256", backup, validate_cmd, validate_replacement = "%", source_permissions = "ignore", staging_location;
  Recurse recurse = Recurse::No;
  int recurse_limit = -1; // none
  int max_files = 0;      // 0: a warning at many, -1: never
  FileLabel label;        // SELinux: the given parts, the others from the machine's policy
  bool has_label = false; // whether a part of it is wanted and the path can have labels
  bool replace = true, force = false, purge = false, follow = false, show_diff = true, all_sources = false;
  bool sensitive = false;   // content or source must not be shown
  bool from_bucket = false; // `content` is a checksum: the filebucket has the content itself

  // set when the resource is evaluated
  std::optional<FileSource> source;
  std::string content_sum; // the wanted sum "{sha256}…"; empty: content is not managed
  std::string shown_sum;   // replaces it in messages: the content's own sum when checksum_value gives another

  const std::string& wanted_sum() const { return shown_sum.empty() ? content_sum : shown_sum; }
  bool recursive() const { return recurse != Recurse::No; }
  /// Whether the content of a file with this status is managed; no status means that the file is missing.
  bool should_be_file(const std::optional<FileStatus>& status) const;
};

/// Reads and checks the attributes. Sets the resource's `ensure` when other attributes imply it. Throws ResourceError with Puppet's
/// message.
std::shared_ptr<FileSpec> read_file_spec(ManagedResource& resource, RunContext& run);

/// A checksum of content that comes in parts. Algorithms: md5, sha1, sha224, sha256, sha384, sha512, md5lite, sha256lite.
class Checksum {
public:
  explicit Checksum(std::string_view algorithm);
  void add(std::string_view part);
  /// The sum of all parts, like "{sha256}5891…". Call it once, last.
  std::string text();

private:
  std::string algorithm_;
  size_t rest_;                    // how many bytes still count
  std::unique_ptr<Digest> digest_; // null: no algorithm that looks at the content
};
/// The checksum of a content.
std::string checksum_of(std::string_view algorithm, std::string_view content);
/// The checksum of a file. The algorithms mtime and ctime give a time. Throws SystemError.
std::string checksum_of_file(System& system, std::string_view algorithm, const std::string& path);

/// Whether a source is of the run's Puppet server.
bool is_of_server(const std::string& source, RunContext& run);
/// How files of a server are looked at for this resource.
RemoteView view_of(const FileSpec& spec);

/// The first source that exists; nothing when none does. Throws ResourceError when a URL's scheme is not supported or it cannot be asked.
std::optional<FileSource> look_for_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run);
/// The first source that exists. Throws ResourceError with Puppet's message when none exists or a URL's scheme is not supported.
FileSource find_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run);

/// New content of a file: a text, or another file that is too large to be one.
struct NewContent {
  std::string text;
  std::string file; // not empty: the path of the file that has the content

  /// Hands over the content part by part. Throws SystemError.
  void produce(System& system, const System::Take& take) const;
  std::string checksum(System& system, std::string_view algorithm) const;
};

/// What the file shall contain: from `content`, the source, or the filebucket. Throws ResourceError or SystemError.
NewContent new_content(FileSpec& spec, RunContext& run);

/// Throws ResourceError when a directory has more files than max_files allows. Without max_files, warns about more than 1000 files.
void check_file_count(const FileSpec& spec, const std::string& path, size_t count, RunContext& run);

/// Takes the path of a file in a tree and its status, none for a link to nothing that is followed.
using TreeMember = std::function<void(const std::string&, const std::optional<FileStatus>&)>;
/// The sorted paths below a directory, relative to it, as Puppet's Fileset lists them. Throws SystemError.
std::vector<std::string> list_tree(System& system, const std::string& root, const FileSpec& spec, const TreeMember& member = nullptr);

/// The resources for the files below a recursive one: those that are there, and those of its sources or target. Not those that another file
/// resource manages. A `target` becomes a directory of links. Throws ResourceError or SystemError.
std::vector<ManagedResource> files_below(const ManagedResource& resource, FileSpec& spec, RunContext& run);

/// The path that a file resource manages, without slashes at its end.
std::string path_of_file(const ManagedResource& resource);
/// The directory that a path is in.
std::string directory_of(const std::string& path);

/// "directory", "file", "link", …
std::string_view file_type_name(FileType type);

/// Copies a file as its `backup` says. Call it before the file is replaced or removed.
void back_up(ManagedResource& resource, const FileSpec& spec, RunContext& run);

/// The content that the file's bucket, here or on the server, holds when `content` is a checksum. Throws ResourceError with Puppet's
/// message when there is no bucket, or when the bucket does not have the content.
NewContent content_in_bucket(const FileSpec& spec, RunContext& run);

} // namespace pupc::runtime
