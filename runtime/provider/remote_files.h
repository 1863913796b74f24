#pragma once
// The files of a Puppet server, for sources like "puppet:///modules/ntp/ntp.conf".
#include "runtime/sys/system.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// How files of a server are looked at: the attributes of the file resource that asks.
struct RemoteView {
  bool follow = false; // links
  std::string checksum = "sha256";
  std::string source_permissions = "ignore";
  int recurse_limit = -1;          // none
  int max_files = 0;               // 0: Puppet's soft limit, -1: none
  std::vector<std::string> ignore; // names
  std::string title;               // of the resource, by which a catalog may bring the answer
};

/// One file of a server.
struct RemoteFile {
  std::string relative; // to the root of a tree; "" for the root itself and for a single file
  FileStatus status;
  std::string sum;    // "{sha256}…"; "" when there is none
  std::string target; // of a link
};

/// All functions throw ResourceError when the server cannot be asked or answers with what is no metadata. Paths in answers never lead out
/// of the tree that was asked for.
class RemoteFiles {
public:
  virtual ~RemoteFiles() = default;
  /// The file of a URL; nothing when the server has none.
  virtual std::optional<RemoteFile> look(const std::string& url, const RemoteView& view) = 0;
  /// The tree below a URL, its root first; nothing when the server has none.
  virtual std::optional<std::vector<RemoteFile>> tree(const std::string& url, const RemoteView& view) = 0;
  /// Hands over the content of a file part by part.
  virtual void content(const std::string& url, const System::Take& take) = 0;
  /// The environment that is asked, for messages.
  virtual const std::string& environment() const = 0;
  /// Keeps a content in the server's filebucket; `sum` is its sha256 in hexadecimal digits.
  virtual void keep(const std::string& sum, const std::string& path, const std::string& content) = 0;
  /// The content that the server's filebucket has under a sum; nothing when there is none.
  virtual std::optional<std::string> kept(const std::string& sum) = 0;
};

} // namespace pupc::runtime
