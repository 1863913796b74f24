#pragma once
// The files of TLS while the server runs for years: certificates and revocation lists are renewed beside it, or end when nobody looks.
#include "tools/http/tls.h"
#include "tools/server/logs.h"
#include "tools/server/visible_names.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace pupc::server {

class ServedCertificates {
public:
  /// Reads the files. Throws TlsError.
  ServedCertificates(const http::TlsFiles& files, ServerLog& log);

  /// What connections use.
  std::shared_ptr<const http::TlsContext> context() const;
  /// Reads other files, or the same again. Throws TlsError; what was read before stays in use then.
  void read(const http::TlsFiles& files);
  /// Whether the files have become others since they were read or this was told, and not changed since the last call: who renews them
  /// writes one after the other. Asked every few seconds.
  bool renewed();
  /// Tells in the log what ends soon or has ended; once a day.
  void tell_ends();
  /// When they end, for Prometheus.
  std::string metrics() const;

private:
  ServerLog& log_;
  mutable std::mutex mutex_; // of the context
  std::shared_ptr<const http::TlsContext> context_;
  http::TlsFiles files_;
  std::string read_, seen_; // how the files were
  std::chrono::steady_clock::time_point next_telling_{};
};

/// What the log says of a certificate or list, `now`; "" while its end is far: more than 30 days, or than a fifth of its time.
std::string ending_text(const http::TlsValidity& validity, std::time_t now);

} // namespace pupc::server
