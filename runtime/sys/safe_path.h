#pragma once
// Paths that other users may change while this process works on them.
//
// Every change happens in a directory that is held open, so nobody can put another one in its place. One rule decides which links to
// follow: trust a link that this user or root owns, or whose directory only they can change. Follow the link of any other user only to
// files that this user owns. So a user can redirect root within their own files, and nowhere else.
#include "catalog/base/descriptor.h"
#include "runtime/sys/system.h"

#include <string>
#include <string_view>
#include <sys/stat.h>

namespace pupc::runtime {

/// A link of another user that leads out of that user's files.
class UntrustedLink : public SystemError {
public:
  UntrustedLink(const std::string& path, uint32_t owner, uint32_t target_owner);
};

/// A directory, open (O_PATH), and a name in it. The name is "." for the directory itself.
struct Place {
  Descriptor directory;
  std::string name;
};

/// Opens the directory that contains a path. `call` is Ruby's name of the call, for the error. Throws SystemError, UntrustedLink.
Place open_place(const std::string& path, std::string_view call = {});

/// Follows links at the end of `path`; returns `path` itself when it is no link. The result need not exist. Throws SystemError,
/// UntrustedLink.
std::string followed_path(const std::string& path, std::string_view call = {});

/// Opens a path with O_PATH and sets `status`. `follow` decides about links at its end. Throws SystemError, UntrustedLink; EPERM for a
/// file that another user may have put there as a hard link.
Descriptor open_entry(const std::string& path, bool follow, struct stat& status, std::string_view call = {});

/// Opens a file for reading. The rule above holds for all links in its path. Throws SystemError, UntrustedLink.
Descriptor open_for_reading(const std::string& path, int flags, std::string_view call = {});

/// Whether a file belongs to root or this user and nobody else can change or replace it.
bool is_trusted_file(const std::string& path);

/// Whether nobody but root and this user can replace a new directory in this one: in it and all directories above it, either only they
/// can change entries, or the sticky bit restricts all users to their own entries.
bool is_trusted_place(const Descriptor& directory);

} // namespace pupc::runtime
