#pragma once
// Running the system's tools from handlers.
#include "runtime/provider/provider.h"

namespace pupc {

struct ToolOptions {
  std::string input;
  bool sensitive = false; // nothing of the command or its output is shown
  bool merge_output = true;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;
  std::optional<uint32_t> uid, gid;
};

/// Runs a tool in the C locale. argv[0] without a slash is searched in PATH and the system's directories; missing tools throw
/// ResourceError ("Could not find command 'x'").
CommandResult run_tool(RunContext& run, std::vector<std::string> argv, const ToolOptions& options = {});

/// The same; a status other than 0 throws ResourceError with "Execution of 'x y' returned 1: output". Returns the output.
std::string run_tool_checked(RunContext& run, std::vector<std::string> argv, const ToolOptions& options = {});

/// Full path of a tool, in PATH or the system's directories; nothing when it is not there.
std::optional<std::string> find_tool(RunContext& run, std::string_view name);

std::string_view trimmed(std::string_view text);
std::vector<std::string> text_lines(std::string_view text); // without line ends; a last empty line is none
std::vector<std::string> words_of(std::string_view text);
/// The text with one text in place of another; with every place between characters where the other is empty, as Ruby's gsub.
std::string with_replaced(std::string_view text, std::string_view from, std::string_view to);
std::vector<std::string> split_text(std::string_view text, char separator);
std::string join_text(const std::vector<std::string>& parts, std::string_view separator);
bool all_digits(std::string_view text);
std::optional<int64_t> whole_number(std::string_view text); // "-12", "007"; nothing for other texts and for what is out of range
std::string percent_decoded(std::string_view text);         // "a b" of "a%20b"; a percent sign without two hexadecimal digits stays

/// Does something as a user, in a process that has become them (System::as_user). Throws SystemError and ResourceError as `work` does.
std::string act_as(RunContext& run, const User& user, const std::function<std::string(System&)>& work);

/// A directory that nobody else can enter, with whatever is put there; gone with the object.
class PrivateDirectory {
public:
  /// In `parent`, for `owner` (this process's user unless given). Throws SystemError.
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

/// Where temporary files go: TMPDIR, else /tmp.
std::string temporary_directory(System& system);

/// Removes a file, a link, or a directory with all that is in it. Nothing when there is none. Throws SystemError.
void remove_tree(System& system, const std::string& path);

/// Path of a file of a module, by what follows "puppet:///modules/" in `source`; nothing when there is none. Throws ResourceError when the
/// path would leave the module.
std::optional<std::string> module_file(const std::string& source, std::string_view reference, RunContext& run);

/// The content of a file; nothing when it does not exist.
std::optional<std::string> read_if_there(RunContext& run, const std::string& path);

/// Replaces a file's content with its mode and owner kept; a new one gets `mode`.
void write_keeping_status(RunContext& run, const std::string& path, std::string_view content, uint32_t mode = 0644);

} // namespace pupc
