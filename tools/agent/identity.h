#pragma once
// Keys, requests and certificates of this machine, in OpenSSL's terms.
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::cli::agent {

/// A key, request or certificate cannot be made or used.
struct IdentityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A new private key as PEM: RSA of so many bits, or of a named curve ("prime256v1").
std::string new_rsa_key(int bits);
std::string new_ec_key(const std::string& curve);
std::string public_key_of(const std::string& key_pem);

struct RequestOptions {
  std::string name;
  std::vector<std::string> alternative_names;                  // "DNS:a", "IP:1.2.3.4"; sorted; empty: none
  std::vector<std::pair<std::string, std::string>> attributes; // number and value
  std::vector<std::pair<std::string, std::string>> extensions; // number or Puppet's name, and value
};
/// A certificate request as PEM, signed by the key.
std::string new_request(const std::string& key_pem, const RequestOptions& options);

/// The first certificate's (or request's) fingerprint, "AB:CD:…". `digest`: "SHA256", "MD5" and so on.
std::string fingerprint_of(const std::string& pem, std::string_view digest);
/// The fingerprint of a text, as Puppet shows that of downloaded files.
std::string digest_of(const std::string& text);
/// What `openssl x509 -text` prints.
std::string text_of_certificate(const std::string& pem);
/// When a certificate ends, seconds since the epoch.
int64_t end_of_certificate(const std::string& pem);
/// The subject as "/CN=x", as Puppet prints it.
std::string subject_of(const std::string& pem);
/// Throws IdentityError when a text holds no certificates (or lists), or other things besides.
void check_certificates(const std::string& pem);
void check_revocation_lists(const std::string& pem);
/// Verifies that key and certificate belong together and that the CA has issued it. Returns the chain, the root first, as PEM texts. Whose
/// issuer is not among the CA's certificates may still be known to the server: `warn` hears of that, as in Puppet.
std::vector<std::string> verified_chain(const std::string& name, const std::string& key_pem, const std::string& certificate_pem,
                                        const std::string& ca_pem, const std::string& crl_pem, bool check_revocation, bool whole_chain,
                                        const std::function<void(const std::string&)>& warn);

} // namespace pupc::cli::agent
