#include "runtime/provider/vcsrepo/git_address.h"

#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

bool takes_password(std::string_view scheme) { return scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "ftps"; }

/// A value in the form in which git writes it to configuration files.
std::string config_value(std::string_view text) {
  if (text.find_first_of("#;\"\\") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

} // namespace

GitAddress git_address(std::string_view text, bool secret) {
  GitAddress a;
  a.full = a.shown = std::string(text);
  const size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || !takes_password(text.substr(0, scheme_end))) return a;
  const size_t begin = scheme_end + 3, end = std::min(text.find_first_of("/?#", begin), text.size());
  const size_t at = text.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < begin) return a;
  const std::string_view login = text.substr(begin, at - begin);
  const size_t colon = login.find(':');
  if (colon == std::string_view::npos && !secret) return a;
  a.user = percent_decoded(login.substr(0, colon));
  if (colon != std::string_view::npos) a.password = percent_decoded(login.substr(colon + 1));
  a.host = std::string(text.substr(0, begin)) + std::string(text.substr(at + 1, end - at - 1));
  a.shown = std::string(text.substr(0, begin));
  if (!secret) a.shown += std::string(login.substr(0, colon)) + "@";
  a.shown += text.substr(at + 1);
  return a;
}

std::vector<std::pair<std::string, std::string>> git_environment(const std::vector<GitAddress>& addresses) {
  std::vector<std::pair<std::string, std::string>> out, settings;
  size_t n = 0;
  for (const GitAddress& a : addresses) {
    if (!a.hides()) continue;
    const std::string user = fmt::format("PUPC_GIT_USER_{}", n), password = fmt::format("PUPC_GIT_PASSWORD_{}", n);
    out.emplace_back(user, a.user);
    out.emplace_back(password, a.password);
    settings.emplace_back("url." + a.shown + ".insteadOf", a.full);
    // Turn the machine's credential helpers off: they must neither answer nor store the password.
    if (n == 0) settings.emplace_back("credential.helper", "");
    settings.emplace_back(
        "credential." + a.host + ".helper",
        fmt::format("!f() {{ test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \"${}\" \"${}\"; }}; f", user, password));
    ++n;
  }
  if (settings.empty()) return out;
  out.emplace_back("GIT_CONFIG_COUNT", std::to_string(settings.size()));
  for (size_t i = 0; i < settings.size(); ++i) {
    out.emplace_back(fmt::format("GIT_CONFIG_KEY_{}", i), settings[i].first);
    out.emplace_back(fmt::format("GIT_CONFIG_VALUE_{}", i), settings[i].second);
  }
  return out;
}

std::string with_address(std::string_view config, std::string_view remote, std::string_view from, std::string_view to) {
  const std::string section = fmt::format("[remote \"{}\"]", remote), old_line = "url = " + config_value(from);
  std::string out;
  bool inside = false, done = false;
  while (!config.empty()) {
    const size_t end = std::min(config.find('\n'), config.size());
    const std::string_view line = config.substr(0, end);
    const size_t text = std::min(line.find_first_not_of(" \t"), line.size());
    if (text < line.size() && line[text] == '[') inside = line.substr(text) == section;
    if (inside && !done && line.substr(text) == old_line) {
      out += std::string(line.substr(0, text)) + "url = " + config_value(to);
      done = true;
    } else {
      out += line;
    }
    if (end < config.size()) out += '\n';
    config.remove_prefix(std::min(end + 1, config.size()));
  }
  return out;
}

} // namespace pupc::runtime
