#pragma once
// Hides user and password of git addresses from the command lines of git and of the programs that git starts.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct GitAddress {
  std::string full;           // as the manifest gives it, and as the repository's configuration keeps it
  std::string shown;          // without the secret, for git's arguments; equals `full` when nothing is secret
  std::string host;           // "https://example.com:8443", for git's credentials
  std::string user, password; // as git asks for them: percent-decoded

  bool hides() const { return shown != full; }
};

/// Parses an address. Hides a password in an http or ftp address, and also the user name when the whole address is secret. Other
/// addresses have no place for a password: they stay as they are, and `hides()` is false.
GitAddress git_address(std::string_view text, bool secret);

/// Environment settings that make git replace each shown address by the full one, and answer its own questions for user and password
/// (GIT_CONFIG_COUNT and so on, git 2.31; gitcredentials(7)). Only the same user can read a process's environment, but everyone can read
/// its arguments.
std::vector<std::pair<std::string, std::string>> git_environment(const std::vector<GitAddress>& addresses);

/// Replaces the address `from` by `to` in one remote's section of a git configuration. Returns the text unchanged when that remote does
/// not have the address.
std::string with_address(std::string_view config, std::string_view remote, std::string_view from, std::string_view to);

} // namespace pupc::runtime
