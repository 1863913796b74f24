#pragma once
// What the server tells of files: of one, or of a tree. For the file server and for static catalogs.
#include "catalog/json/json_writer.h"
#include "tools/server/mounts.h"
#include "tools/server/request_text.h"
#include "tools/server/visible_names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace pupc::server {

/// How files are shown: parameters of a request, or attributes of a resource.
struct FileView {
  bool follow = false; // links
  std::string checksum = "sha256";
  bool own_permissions = true; // not those of the source
  bool recurse = false;
  int64_t depth = -1; // how many levels; -1: all
  int64_t most = 0;   // files; 0: no limit
  std::vector<std::string> ignore;

  FileView() = default;
  /// Throws ApiError for values that are not known.
  explicit FileView(const Parameters& parameters);
};

/// What a static catalog adds to the metadata of a file.
struct StaticPlace {
  std::string content_uri; // empty: nothing
  std::string source;      // empty: not told
};

/// A file of a tree: its path relative to the root, and what it was when the tree was listed.
struct ListedFile {
  std::string name;
  struct stat info;
};

/// Writes the metadata of one file, `relative` ("" for the file itself, "." for the root of a tree) to `base`; false when it is gone, or of
/// no kind that is served.
bool write_file_metadata(JsonWriter& w, const MountedPath& mounted, const FileView& view, const std::string& base,
                         const std::string& relative, const StaticPlace& place = {});
/// The same for a file of a tree, which is not looked at once more.
bool write_file_metadata(JsonWriter& w, const MountedPath& mounted, const FileView& view, const std::string& base, const ListedFile& file,
                         const StaticPlace& place = {});

/// The files below a directory, as the view wants them; sorted. Throws ApiError when they are too many.
std::vector<ListedFile> files_below(const MountedPath& mounted, const std::string& root, const FileView& view);

/// The id that git gives to the content of a served file; nothing when it cannot be read.
std::optional<std::string> git_id_of(const MountedPath& mounted, const std::string& path);

} // namespace pupc::server
