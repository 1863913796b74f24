#pragma once
// Addresses of git repositories whose user and password must not be seen in the arguments of git and of the programs that git starts.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

struct GitAddress {
  std::string full;           // as given, and as it is kept in the repository's configuration
  std::string shown;          // without the secret: what git is called with; equals `full` when nothing is to be hidden
  std::string host;           // "https://example.com:8443", for git's credentials
  std::string user, password; // as git asks for them: without percent signs

  bool hides() const { return shown != full; }
};

/// Takes an address apart. A password in an http or ftp address is hidden, and its user's name too when the whole address is secret.
/// Other addresses have no place for a password: they stay as they are, and `hides()` is false.
GitAddress git_address(std::string_view text, bool secret);

/// The environment that has git use each hidden address where its shown form is said, and fill in user and password when it is asked for
/// them (GIT_CONFIG_COUNT and so on, git 2.31; gitcredentials(7)). An environment is seen by its own user only, arguments by everyone.
std::vector<std::pair<std::string, std::string>> git_environment(const std::vector<GitAddress>& addresses);

/// A repository's configuration with another address in the section of one remote. Says so when that remote has no such address by
/// returning the text unchanged.
std::string with_address(std::string_view config, std::string_view remote, std::string_view from, std::string_view to);

} // namespace pupc
