#pragma once
// Certificates, keys and revocation lists for both sides of a connection, read from Puppet's files (PEM).
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct ssl_ctx_st;
struct x509_st;

namespace pupc::http {

/// A file that TLS needs cannot be used; the message names it.
struct TlsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether certificates of the other side are looked up in the revocation lists: of all its issuers, only the first, or not at all.
enum class Revocation { Chain, Leaf, None };

struct TlsFiles {
  std::string certificate; // of this side, its issuers may follow; empty: none is shown (clients only)
  std::string key;         // of that certificate, without a passphrase
  std::string ca;          // the certificates that the other side's must come from; empty: the system's (clients only)
  std::string crl;         // one or more revocation lists; must be there unless revocation is None
  Revocation revocation = Revocation::Chain;
  std::string ciphers; // OpenSSL's list for TLS 1.2; empty: OpenSSL's own
  bool verify = true;  // clients: false takes any server; only for fetching the CA's certificate, whose fingerprint is checked otherwise
};

enum class TlsSide { Client, Server };

/// How long a file of a context holds: of several certificates or lists in it, the one that ends first.
struct TlsValidity {
  enum class Of { Certificate, Ca, Crl } of;
  std::string file;
  std::time_t begins, ends;
};

/// The files read and checked, ready for connections. Contexts never change: files that changed make a new one, and connections that are
/// open go on with theirs.
class TlsContext {
public:
  /// Throws TlsError. A server asks for a client's certificate, but takes connections without one; a wrong one ends the handshake.
  TlsContext(const TlsFiles& files, TlsSide side);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ssl_ctx_st* native() const { return context_; }
  /// Lists without an end are not among them.
  const std::vector<TlsValidity>& validities() const { return validities_; }

private:
  ssl_ctx_st* context_;
  std::vector<TlsValidity> validities_;
};

/// A certificate that the other side has shown and that was verified.
struct PeerCertificate {
  struct Extension {
    std::string oid; // "1.3.6.1.4.1.34380.1.1.1"
    std::string der; // the value as it is in the certificate
  };
  std::string common_name;
  std::string subject;   // as in RFC 2253: "CN=web1,O=Example"
  std::string serial;    // hexadecimal, capitals
  std::string not_after; // "2031-11-23T19:00:00Z"
  std::vector<Extension> extensions;
  std::vector<std::string> dns_names;
  std::string pem;
};

/// What is in a certificate. Throws TlsError for one whose common name is missing, given twice or holds a NUL.
PeerCertificate describe_certificate(x509_st* certificate);
/// The same for the first certificate of a PEM text.
PeerCertificate read_certificate(std::string_view pem);
/// The public key of the first certificate of a PEM text, in DER. Throws TlsError.
std::string public_key_of(std::string_view pem);

/// The last error of OpenSSL's queue in words, with the queue emptied; "unknown error" when there is none.
std::string last_tls_problem();

} // namespace pupc::http
