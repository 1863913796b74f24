#pragma once
// What handlers share: running the system's tools, small text helpers, temporary directories, reading and writing files.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

struct ToolOptions {
  std::string input;
  bool sensitive = false; // neither the command nor its output may be shown
  bool merge_output = true;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;
  std::optional<uint32_t> uid, gid;
  bool callers_locale = false; // in the locale of this process, not in the C locale
  bool named_bare = false;     // an error names the program without its folder
};

/// Gives a command the environment that Puppet gives what it starts by itself: without the variables about the user, and in the C locale
/// unless `callers_locale`.
void set_tool_environment(Command& command, bool callers_locale = false);

/// Runs a tool in the C locale. Searches an argv[0] without a slash in PATH and the system's directories. Throws ResourceError
/// ("Could not find command 'x'") for a missing tool.
CommandResult run_tool(RunContext& run, std::vector<std::string> argv, const ToolOptions& options = {});

/// Runs a tool like run_tool and returns its output. Throws ResourceError ("Execution of 'x y' returned 1: output") when the exit
/// status is not 0.
std::string run_tool_checked(RunContext& run, std::vector<std::string> argv, const ToolOptions& options = {});

/// Full path of a tool in PATH or the system's directories; nothing when it is not installed.
std::optional<std::string> find_tool(RunContext& run, std::string_view name);

std::vector<std::string> text_lines(std::string_view text); // without line ends; a final line end starts no new line
std::string join_text(const std::vector<std::string>& parts, std::string_view separator);
bool all_digits(std::string_view text);
std::optional<int64_t> whole_number(std::string_view text); // "-12", "007"; nothing for other texts or when out of range
std::string percent_decoded(std::string_view text);         // "a%20b" -> "a b"; a percent sign without two hex digits stays

/// Runs `work` with a user's rights in a separate process (System::as_user). A process that is not root runs it as itself. Throws
/// SystemError and ResourceError as `work` does.
std::string act_as(RunContext& run, const User& user, const std::function<std::string(System&)>& work);

/// A directory that no other user can enter. The destructor removes it with its content.
class PrivateDirectory {
public:
  /// Makes the directory in `parent` for `owner` (default: this process's user). Throws SystemError.
  PrivateDirectory(System& system, const std::string& parent, std::optional<uint32_t> owner = std::nullopt)
      : system_(system), path_(system.make_private_directory(parent, owner)) {}
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  const std::string& path() const { return path_; }

private:
  System& system_;
  std::string path_;
};

/// The directory for temporary files: TMPDIR, else /tmp.
std::string temporary_directory(System& system);

/// Removes a file, a link, or a directory with its content. Does nothing when the path does not exist. Throws SystemError.
void remove_tree(System& system, const std::string& path);

/// Path of a module's file: `reference` is the part of `source` after "puppet:///modules/". Nothing when there is no such file. Throws
/// ResourceError when the path would leave the module.
std::optional<std::string> module_file(const std::string& source, std::string_view reference, RunContext& run);

/// Copies a file's content, whatever its size. The owner is `uid` and `gid` as in System::write_file. Throws SystemError.
void copy_file(System& system, const std::string& from, const std::string& to, uint32_t mode, std::optional<uint32_t> uid,
               std::optional<uint32_t> gid);

/// The differences between two texts, as "diff -u" shows them, with `old_name` and `new_name` in the heading. The contents are in a
/// private directory while diff runs. `produce_old` and `produce_new` hand them over. Throws SystemError.
using ProduceText = std::function<void(const System::Take&)>;
/// "PATH<tab>TIME", as diff names a file in its heading.
std::string diff_label(const std::string& path, int64_t modified);
std::string difference(RunContext& run, const std::string& old_name, const ProduceText& produce_old, const std::string& new_name,
                       const ProduceText& produce_new);

/// The content of a file; nothing when it does not exist.
std::optional<std::string> read_if_there(RunContext& run, const std::string& path);

/// Replaces a file's content and keeps its mode and owner; a new file gets `mode`. Throws SystemError.
void write_keeping_status(RunContext& run, const std::string& path, std::string_view content, uint32_t mode = 0644);

/// The reason why a resource waits whose type has one provider alone, which cannot work here: Puppet gives a resource only a provider that
/// can.
std::string no_provider(const ManagedResource& resource, std::string_view provider);

} // namespace pupc::runtime
