#pragma once
// This machine's certificate: made, asked for, refreshed. Follows the states of Puppet's agent: CA, revocation lists, key, request,
// certificate.
#include "compiler/load/settings.h"
#include "runtime/sys/system.h"
#include "tools/agent/server_session.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pupc::cli::agent {

class Certificates {
public:
  using Say = std::function<void(LogLevel, const std::string&)>;
  Certificates(const PuppetSettings& settings, System& system, Say say) : settings_(settings), system_(system), say_(std::move(say)) {}

  /// Makes all that is missing, asks for what is old, and waits as long as the settings say until the CA has signed. `wait`: seconds
  /// between two questions, 0: do not wait. False when there is no certificate. `stopped`: whether to give up. Throws std::exception for
  /// what cannot be repaired by waiting.
  bool ensure(int64_t wait, const std::function<bool()>& stopped);
  /// Only the CA's certificates and revocation lists.
  void ensure_authority();

  /// The steps of `pupc ssl`. They throw std::exception with Puppet's message.
  void submit_request();
  /// False when it is not signed yet.
  bool download();
  void generate_request();
  void verify();
  void clean(bool authority);
  std::string shown();
  /// The fingerprint of the certificate, else of the request; nothing when there is neither.
  std::optional<std::string> fingerprint(std::string_view digest);

private:
  std::string certname() const { return settings_.value("certname"); }
  std::string url() const { return ca_address(settings_).url() + "/puppet-ca/v1"; }
  std::optional<std::string> kept(const char* setting) const;
  void keep(const char* setting, const std::string& text, uint32_t mode);
  bool revocation() const { return settings_.value("certificate_revocation") != "false"; }
  /// Asks the CA. `verified`: by the certificates of the CA that are kept.
  http::ClientResponse ask_authority(Session::Ask ask, bool verified, bool with_lists, bool with_certificate);
  bool old(const char* setting, const char* interval) const;
  bool refresh_authority();
  void refresh_lists();
  std::string key();
  std::string request_of(const std::string& key);
  void put_request(const std::string& request);
  void renew();
  void check_pair(const std::string& key, const std::string& certificate);

  const PuppetSettings& settings_;
  System& system_;
  Say say_;
};

} // namespace pupc::cli::agent
