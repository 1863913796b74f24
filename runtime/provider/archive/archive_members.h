#pragma once
// Lists the files an archive would create, before anything is extracted.
#include "runtime/provider/provider.h"

#include <string>
#include <vector>

namespace pupc::runtime {

struct ArchiveMember {
  std::string name;
  std::string link; // where a link leads
  bool hard = false;
  uint64_t size = 0; // when extracted
};

/// Parses the output of `tar --list --verbose --quoting-style=escape`.
std::vector<ArchiveMember> read_tar_list(std::string_view text);

/// The name of the first member that would land outside the directory of extraction: its name is absolute or contains "..", it is a
/// hard link to a file outside, or it is below a link of the archive that leads outside. Empty when there is none.
std::string member_outside(const std::vector<ArchiveMember>& members);

/// What an archive is to be checked against.
struct ArchiveTarget {
  std::string shown;      // what errors call the archive
  std::string directory;  // where it is extracted
  bool limit_size = true; // refuse what is larger than the free space there: with the usual command only
};

/// Throws ResourceError when the archive at `path` has a member outside its target, lists more members than can be checked, or takes more
/// space than there is (a bomb would fill the disk). A file that neither tar nor unzip can list counts as an archive without members.
void check_archive_members(const std::string& path, const ArchiveTarget& target, RunContext& run);

} // namespace pupc::runtime
