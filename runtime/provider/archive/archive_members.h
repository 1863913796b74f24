#pragma once
// What an archive would put where, told before anything of it is extracted.
#include "runtime/provider/provider.h"

#include <string>
#include <vector>

namespace pupc {

struct ArchiveMember {
  std::string name;
  std::string link; // where a link leads
  bool hard = false;
};

/// Lines of `tar --list --verbose --quoting-style=escape` as members.
std::vector<ArchiveMember> read_tar_list(std::string_view text);

/// The first member that would be outside the directory it is extracted to: by its name (absolute, or with ".."), by a hard link to
/// something outside, or because it is below a link of the archive that leads outside. Empty when there is none.
std::string member_outside(const std::vector<ArchiveMember>& members);

/// Throws ResourceError when an archive has a member outside its target. `path` is the archive that is read, `shown` its name in the
/// error. What is no archive that tar or unzip can list has no members.
void check_archive_members(const std::string& path, const std::string& shown, RunContext& run);

} // namespace pupc
