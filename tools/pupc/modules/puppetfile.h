#pragma once
// The language of a Puppetfile, as r10k and librarian-puppet read it, without Ruby. Code that is more than calls with plain values is an
// error with its place.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

enum class ModuleSource : uint8_t {
  Forge,     // a release of a Forge
  Git,       // a commit of a git repository
  Local,     // comes from elsewhere; stays as it is
  Directory, // a directory of this repository, which librarian copies
};

/// A module that a Puppetfile or a metadata.json asks for.
struct ModuleRequest {
  std::string name;   // without author: the name of its directory
  std::string author; // "" when the file names none
  ModuleSource source = ModuleSource::Forge;
  std::string version; // of the Forge: an exact version, a range, "latest", or "" for any
  std::string url;     // of git
  // The revision of git: one of them at most. A branch may be the control repository's own.
  std::string ref, tag, branch, commit;
  bool control_branch = false;
  std::string default_branch, default_branch_override; // where the revision does not exist
  std::string path;                                    // the directory in the repository that is the module; "" = its top
  std::string install_path;                            // the directory that contains the module; "" = the usual one
  bool exclude_spec = false;                           // leave the module's tests out
  uint32_t line = 0;

  /// The name with its author: "puppetlabs-stdlib".
  std::string full_name() const { return author.empty() ? name : author + "-" + name; }
};

struct Puppetfile {
  std::vector<ModuleRequest> modules;
  std::string forge;                 // "" when it names none
  std::string directory;             // moduledir; "" when it names none
  std::vector<std::string> excluded; // librarian's exclusions: dependencies that are not fetched
  bool metadata = false;             // also the dependencies of the metadata.json beside it (librarian)
};

/// Reads a Puppetfile. Throws CompileError with the place and what was expected. Each name in the result can be the name of a module's
/// directory, and each path stays below the directory that it is relative to.
Puppetfile parse_puppetfile(std::string_view text, const std::string& file);

/// Reads the dependencies in a metadata.json. Throws CompileError.
std::vector<ModuleRequest> metadata_dependencies(std::string_view text, const std::string& file);

/// Splits "author-name", "author/name" or "name". False when a part cannot be a name.
bool split_module_name(std::string_view full, std::string& author, std::string& name);

/// Whether a relative path stays below its directory: it is not empty, has no "..", does not begin with / and has no control characters.
bool stays_below(std::string_view path);

} // namespace pupc::cli
