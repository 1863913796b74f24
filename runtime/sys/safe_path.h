#pragma once
// Paths that other users may change while this process works on them.
//
// A change is made in a directory that is held open, so nobody can put another one in its place. Links on the way to it are followed by
// one rule: a link is trusted when this user or root owns it, or when only they can change the directory it is in; the link of any other
// user is followed only to what that user owns. So a user can send root about in their own files, and nowhere else.
#include "runtime/sys/descriptor.h"
#include "runtime/sys/system.h"

#include <string>
#include <string_view>
#include <sys/stat.h>

namespace pupc {

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

/// Opens the directory that a path is in. `call` is Ruby's name of the call, for the error. Throws SystemError, UntrustedLink.
Place open_place(const std::string& path, std::string_view call = {});

/// The path that links at the end of `path` lead to; `path` when it is no link. It need not exist. Throws SystemError, UntrustedLink.
std::string followed_path(const std::string& path, std::string_view call = {});

/// Opens (O_PATH) what is at a path, links at its end followed or not, and tells what it is. Throws SystemError, UntrustedLink; EPERM for a
/// file that another user may have brought in by a hard link.
Descriptor open_entry(const std::string& path, bool follow, struct stat& status, std::string_view call = {});

/// Opens a file for reading; links anywhere in its path are trusted by the same rule. Throws SystemError, UntrustedLink.
Descriptor open_for_reading(const std::string& path, int flags, std::string_view call = {});

/// Whether a file belongs to root or this user, who alone can change it or put another in its place.
bool is_trusted_file(const std::string& path);

/// Whether nobody but root and this user can put another directory in the place of one made here: here and in every directory above, they
/// alone can change entries, or each user only their own (sticky).
bool is_trusted_place(const Descriptor& directory);

} // namespace pupc
