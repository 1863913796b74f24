#include "tools/agent/certificates.h"

#include "catalog/base/arena.h"
#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/value.h"
#include "tools/agent/agent_options.h"
#include "tools/agent/identity.h"
#include "tools/agent/run_files.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli::agent {
namespace {

std::string reason(const RequestError& e) { return e.status == 0 ? std::string(e.what()) : std::string(http::reason_of(e.status)); }

std::string attribute_text(const Value& v) {
  if (v.is_string()) return std::string(v.str());
  if (v.is_int()) return std::to_string(v.i);
  if (v.kind == Kind::Bool) return v.b ? "true" : "false";
  throw IdentityError("a value of csr_attributes.yaml is no text");
}

/// Makes a directory and what is above it.
void make_directories(System& system, const std::string& path, uint32_t mode) {
  if (path.empty() || path == "/" || system.stat(path)) return;
  make_directories(system, std::filesystem::path(path).parent_path().string(), 0755);
  system.make_directory(path, mode);
}

} // namespace

std::optional<std::string> Certificates::kept(const char* setting) const { return read_whole_file(settings_.value(setting)); }

void Certificates::keep(const char* setting, const std::string& text, uint32_t mode) {
  const std::string file = settings_.value(setting);
  make_directories(system_, settings_.value("ssldir"), 0771);
  make_directories(system_, std::filesystem::path(file).parent_path().string(), mode == 0640 ? 0750 : 0755);
  // Who owns Puppet's directory owns what is in it: the user of a server on the same machine reads it.
  const auto directory = system_.stat(settings_.value("ssldir"));
  const bool give = directory && system_.effective_uid() == 0 && directory->uid != 0;
  system_.write_file(file, text, mode, give ? std::optional(directory->uid) : std::nullopt,
                     give ? std::optional(directory->gid) : std::nullopt);
}

http::ClientResponse Certificates::ask_authority(Session::Ask ask, bool verified, bool with_lists, bool with_certificate) {
  http::TlsFiles files = tls_files(settings_);
  if (!with_certificate) files.certificate.clear();
  files.verify = verified;
  if (!with_lists || !revocation()) files.revocation = http::Revocation::None;
  ask.accept = "text/plain";
  Session session(settings_, files, [this](const std::string& m) { say_(LogLevel::Warning, m); });
  return session.ask(ca_address(settings_), ask);
}

/// Whether a file is older than the interval of a setting.
bool Certificates::old(const char* setting, const char* interval) const {
  const auto most = seconds_of(settings_, interval);
  const auto status = system_.stat(settings_.value(setting));
  if (!status) return true;
  return most && system_.now() / 1'000'000'000 > status->modified / 1'000'000'000 + *most;
}

/// True when the CA has another certificate now: then its revocation lists are asked for, too.
bool Certificates::refresh_authority() {
  const std::string file = settings_.value("localcacert");
  say_(LogLevel::Info, "Refreshing CA certificate");
  Session::Ask ask;
  ask.path = "/puppet-ca/v1/certificate/ca";
  if (const auto status = system_.stat(file)) ask.if_modified_since = http::http_date(status->modified / 1'000'000'000);
  try {
    const std::string text = ask_authority(std::move(ask), true, false, false).body;
    check_certificates(text);
    keep("localcacert", text, 0644);
    say_(LogLevel::Info, fmt::format("Refreshed CA certificate: {}", digest_of(text)));
    return true;
  } catch (const RequestError& e) {
    if (e.status == 304)
      say_(LogLevel::Info, "CA certificate is unmodified, using existing CA certificate");
    else
      say_(e.status == 0 ? LogLevel::Warning : LogLevel::Info,
           fmt::format("Failed to refresh CA certificate, using existing CA certificate: {}", reason(e)));
  }
  return false;
}

void Certificates::refresh_lists() {
  const std::string file = settings_.value("hostcrl");
  const auto status = system_.stat(file);
  if (status) say_(LogLevel::Info, "Refreshing CRL");
  Session::Ask ask;
  ask.path = "/puppet-ca/v1/certificate_revocation_list/ca";
  if (status) ask.if_modified_since = http::http_date(status->modified / 1'000'000'000);
  try {
    const std::string text = ask_authority(std::move(ask), true, false, false).body;
    check_revocation_lists(text);
    keep("hostcrl", text, 0644);
    say_(LogLevel::Info, fmt::format("Refreshed CRL: {}", digest_of(text)));
  } catch (const RequestError& e) {
    if (!status && e.status == 404) throw IdentityError("CRL is missing from the server");
    if (!status) throw IdentityError(fmt::format("Could not download CRLs: {}", reason(e)));
    if (e.status == 304)
      say_(LogLevel::Info, "CRL is unmodified, using existing CRL");
    else
      say_(e.status == 0 ? LogLevel::Warning : LogLevel::Info, fmt::format("Failed to refresh CRL, using existing CRL: {}", reason(e)));
  }
}

void Certificates::ensure_authority() {
  bool changed = false;
  if (kept("localcacert")) {
    if (old("localcacert", "ca_refresh_interval")) changed = refresh_authority();
  } else {
    Session::Ask ask;
    ask.path = "/puppet-ca/v1/certificate/ca";
    std::string text;
    try {
      text = ask_authority(std::move(ask), false, false, false).body;
    } catch (const RequestError& e) {
      if (e.status == 404) throw IdentityError("CA certificate is missing from the server");
      throw IdentityError(fmt::format("Could not download CA certificate: {}", reason(e)));
    }
    if (std::string wanted = settings_.value("ca_fingerprint"); !wanted.empty()) {
      std::erase(wanted, ':');
      std::string is = digest_of(text), plain = is;
      std::erase(plain, ':');
      std::ranges::transform(wanted, wanted.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      if (plain != wanted)
        throw IdentityError(
            fmt::format("CA bundle with digest (SHA256) {} did not match expected digest {}", is, settings_.value("ca_fingerprint")));
      say_(LogLevel::Info, fmt::format("Verified CA bundle with digest (SHA256) {}", is));
    }
    check_certificates(text);
    keep("localcacert", text, 0644);
  }
  if (!revocation()) {
    say_(LogLevel::Info, "Certificate revocation is disabled, skipping CRL download");
    return;
  }
  if (changed || !kept("hostcrl") || old("hostcrl", "crl_refresh_interval")) refresh_lists();
}

/// The private key; makes one when there is none.
std::string Certificates::key() {
  if (auto text = kept("hostprivkey")) return *text;
  std::string text;
  if (settings_.value("key_type") == "ec") {
    say_(LogLevel::Info, fmt::format("Creating a new EC SSL key for {} using curve {}", certname(), settings_.value("named_curve")));
    text = new_ec_key(settings_.value("named_curve"));
  } else {
    say_(LogLevel::Info, fmt::format("Creating a new RSA SSL key for {}", certname()));
    text = new_rsa_key(static_cast<int>(settings_.integer_of("keylength")));
  }
  keep("hostprivkey", text, 0640);
  keep("hostpubkey", public_key_of(text), 0644);
  return text;
}

std::string Certificates::request_of(const std::string& key) {
  RequestOptions options;
  options.name = certname();
  if (const std::string names = settings_.value("dns_alt_names"); !names.empty()) {
    const auto add = [&](const std::string& name) {
      options.alternative_names.push_back(name.starts_with("IP:") || name.starts_with("DNS:") ? name : "DNS:" + name);
    };
    for (const std::string& name : split_commas(names)) add(name);
    add(options.name);
    std::vector<std::string>& all = options.alternative_names;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  const std::string file = settings_.value("csr_attributes");
  say_(LogLevel::Info, fmt::format("csr_attributes file loading from {}", file)); // whether there is one or not
  if (const auto text = read_whole_file(file)) {
    Arena arena;
    Value document;
    if (const auto problem = read_yaml(*text, arena, document, {.file = file}))
      throw IdentityError(fmt::format("invalid CSR attributes, {}: {}", file, problem->message));
    const auto take = [&](const char* name, std::vector<std::pair<std::string, std::string>>& into) {
      const Value* found = document.is_hash() ? document.hash->find(name) : nullptr;
      if (found == nullptr || !found->is_hash()) return;
      for (const HashEntry& e : found->hash->entries()) into.emplace_back(attribute_text(e.key), attribute_text(e.value));
    };
    take("custom_attributes", options.attributes);
    take("extension_requests", options.extensions);
  }
  say_(LogLevel::Info, fmt::format("Creating a new SSL certificate request for {}", options.name));
  std::string out = new_request(key, options);
  say_(LogLevel::Info, fmt::format("Certificate Request fingerprint (SHA256): {}", fingerprint_of(out, "SHA256")));
  return out;
}

void Certificates::put_request(const std::string& request) {
  Session::Ask ask;
  ask.method = "PUT";
  ask.path = "/puppet-ca/v1/certificate_request/" + encoded(certname());
  ask.content_type = "text/plain";
  ask.body = request;
  ask_authority(std::move(ask), true, true, false);
  keep("hostcsr", request, 0644);
}

void Certificates::check_pair(const std::string& key, const std::string& certificate) {
  verified_chain(certname(), key, certificate, kept("localcacert").value_or(""), kept("hostcrl").value_or(""), revocation(),
                 settings_.value("certificate_revocation") != "leaf", [this](const std::string& text) { say_(LogLevel::Warning, text); });
}

bool Certificates::download() {
  const std::string own = key();
  Session::Ask ask;
  ask.path = "/puppet-ca/v1/certificate/" + encoded(certname());
  std::string text;
  try {
    text = ask_authority(std::move(ask), true, true, false).body;
  } catch (const RequestError& e) {
    if (e.status == 404) return false;
    throw IdentityError(fmt::format("Failed to retrieve certificate for {}: {}", certname(), reason(e)));
  }
  check_pair(own, text);
  keep("hostcert", text, 0644);
  if (system_.lstat(settings_.value("hostcsr"))) system_.remove_file(settings_.value("hostcsr"));
  return true;
}

/// Asks for a newer certificate when the present one ends soon.
void Certificates::renew() {
  const auto before = seconds_of(settings_, "hostcert_renewal_interval");
  const auto certificate = kept("hostcert");
  if (!before || *before == 0 || !certificate || system_.now() / 1'000'000'000 < end_of_certificate(*certificate) - *before) return;
  Session::Ask ask;
  ask.method = "POST";
  ask.path = "/puppet-ca/v1/certificate_renewal";
  ask.content_type = "text/plain";
  try {
    const std::string text = ask_authority(std::move(ask), true, true, true).body;
    check_pair(key(), text);
    keep("hostcert", text, 0644);
    say_(LogLevel::Info, fmt::format("Renewed client certificate: {}", digest_of(text)));
  } catch (const RequestError& e) {
    if (e.status == 404)
      say_(LogLevel::Info, "Certificate autorenewal has not been enabled on the server.");
    else
      say_(LogLevel::Warning, fmt::format("Failed to automatically renew certificate: {} {}", e.status, reason(e)));
  } catch (const std::exception& e) { say_(LogLevel::Warning, fmt::format("Unable to automatically renew certificate: {}", e.what())); }
}

bool Certificates::ensure(int64_t wait, const std::function<bool()>& stopped) {
  const auto most = seconds_of(settings_, "maxwaitforcert");
  const int64_t began = system_.monotonic();
  for (;;) {
    try {
      ensure_authority();
      const bool had_key = kept("hostprivkey").has_value();
      const std::string own = key();
      if (const auto certificate = had_key ? kept("hostcert") : std::nullopt) {
        check_pair(own, *certificate);
        renew();
        return true;
      }
      try {
        put_request(request_of(own));
      } catch (const RequestError& e) {
        // 400: the server has a request or a certificate of this name.
        if (e.status != 400) throw IdentityError(fmt::format("Failed to submit the CSR, HTTP response was {}", e.status));
      }
      if (download()) {
        say_(LogLevel::Info, fmt::format("Downloaded certificate for {} from {}", certname(), url()));
        return true;
      }
      say_(LogLevel::Info, fmt::format("Certificate for {} has not been signed yet", certname()));
      std::fflush(stdout);
      fmt::print("Couldn't fetch certificate from CA server; you might still need to sign this agent's certificate ({}).\n", certname());
      std::fflush(stdout);
    } catch (const IdentityError& e) {
      if (settings_.truth("onetime") && wait < 1) throw;
      say_(LogLevel::Err, e.what());
    }
    if (wait < 1) {
      fmt::print("Exiting now because the waitforcert setting is set to 0.\n");
      std::fflush(stdout);
      return false;
    }
    if (most && static_cast<double>(system_.monotonic() - began) / 1e9 > static_cast<double>(*most)) {
      fmt::print(
          "Couldn't fetch certificate from CA server; you might still need to sign this agent's certificate ({}). Exiting now because "
          "the maxwaitforcert timeout has been exceeded.\n",
          certname());
      std::fflush(stdout);
      return false;
    }
    say_(LogLevel::Info, fmt::format("Will try again in {} seconds.", wait));
    rest_for(wait);
    if (stopped()) return false;
  }
}

void Certificates::submit_request() {
  ensure_authority();
  try {
    put_request(request_of(key()));
  } catch (const RequestError& e) {
    if (e.status == 400)
      throw IdentityError(
          fmt::format("Could not submit certificate request for '{}' to {} due to a conflict on the server", certname(), url()));
    throw IdentityError(fmt::format("Failed to submit certificate request: {}", reason(e)));
  }
  say_(LogLevel::Notice, fmt::format("Submitted certificate request for '{}' to {}", certname(), url()));
}

void Certificates::generate_request() {
  const std::string text = request_of(key());
  keep("hostcsr", text, 0644);
  say_(LogLevel::Notice, fmt::format("Generated certificate request in '{}'", settings_.value("hostcsr")));
}

void Certificates::verify() {
  const auto own = kept("hostprivkey"), certificate = kept("hostcert"), authority = kept("localcacert");
  if (!authority) throw IdentityError(fmt::format("The CA certificates are missing from '{}'", settings_.value("localcacert")));
  if (revocation() && !kept("hostcrl")) throw IdentityError(fmt::format("The CRL is missing from '{}'", settings_.value("hostcrl")));
  if (!own) throw IdentityError(fmt::format("The private key is missing from '{}'", settings_.value("hostprivkey")));
  if (!certificate) throw IdentityError(fmt::format("The client certificate is missing from '{}'", settings_.value("hostcert")));
  const auto chain = verified_chain(certname(), *own, *certificate, *authority, kept("hostcrl").value_or(""), revocation(),
                                    settings_.value("certificate_revocation") != "leaf",
                                    [this](const std::string& text) { say_(LogLevel::Warning, text); });
  for (size_t i = 0; i < chain.size(); ++i)
    say_(LogLevel::Notice, fmt::format("Verified {} certificate '{}' fingerprint (SHA256) {}", i + 1 == chain.size() ? "client" : "CA",
                                       subject_of(chain[i]), fingerprint_of(chain[i], "SHA256")));
}

void Certificates::clean(bool authority) {
  if (certname() == settings_.value("ca_server")) {
    // The CA's own certificate: it must have been taken from the CA before.
    ensure_authority();
    Session::Ask ask;
    ask.path = "/puppet-ca/v1/certificate/" + encoded(certname());
    bool there = true;
    try {
      ask_authority(std::move(ask), true, true, false);
    } catch (const RequestError& e) {
      if (e.status != 404)
        throw IdentityError(fmt::format("Failed to connect to the CA to determine if certificate {} has been cleaned", certname()));
      there = false;
    }
    if (there)
      throw IdentityError(
          fmt::format("The certificate {0} must be cleaned from the CA first. To fix this,\nrun the following commands on the "
                      "CA:\n  puppetserver ca clean --certname {0}\n  puppet ssl clean\n",
                      certname()));
  }
  std::vector<std::pair<const char*, const char*>> all{{"private key", "hostprivkey"},
                                                       {"public key", "hostpubkey"},
                                                       {"certificate request", "hostcsr"},
                                                       {"certificate", "hostcert"},
                                                       {"private key password file", "passfile"}};
  if (authority) all.insert(all.end(), {{"local CA certificate", "localcacert"}, {"local CRL", "hostcrl"}});
  for (const auto& [label, setting] : all)
    if (const std::string file = settings_.value(setting); system_.lstat(file)) {
      system_.remove_file(file);
      say_(LogLevel::Notice, fmt::format("Removed {} {}", label, file));
    }
}

std::string Certificates::shown() {
  const auto certificate = kept("hostcert");
  if (!certificate) throw IdentityError(fmt::format("The client certificate is missing from '{}'", settings_.value("hostcert")));
  return text_of_certificate(*certificate);
}

std::optional<std::string> Certificates::fingerprint(std::string_view digest) {
  for (const char* setting : {"hostcert", "hostcsr"})
    if (const auto text = kept(setting)) return fmt::format("({}) {}", digest, fingerprint_of(*text, digest));
  return std::nullopt;
}

} // namespace pupc::cli::agent
