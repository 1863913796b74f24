#include "tools/http/tls.h"

#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace pupc::http {
namespace {

template <auto Free> struct Freeing {
  template <class T> void operator()(T* what) const { Free(what); }
};
using Bio = std::unique_ptr<BIO, Freeing<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;
using Crl = std::unique_ptr<X509_CRL, Freeing<X509_CRL_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;

[[noreturn]] void cannot_use(const char* what, const std::string& file) {
  throw TlsError(fmt::format("Could not use the {} '{}': {}", what, file, last_tls_problem()));
}

/// Keys with a passphrase are refused; OpenSSL would ask the terminal for it.
int no_passphrase(char*, int, int, void*) { return 0; }

Bio open_file(const char* what, const std::string& file) {
  Bio bio(BIO_new_file(file.c_str(), "re"));
  if (!bio) cannot_use(what, file);
  return bio;
}

/// Whether reading ended because nothing more is there.
bool at_end() {
  const unsigned long error = ERR_peek_last_error();
  if (error != 0 && !(ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE)) return false;
  ERR_clear_error();
  return true;
}

void take_certificate(SSL_CTX* context, const TlsFiles& files) {
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) cannot_use("certificate", files.certificate);
  Bio bio = open_file("private key", files.key);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key) cannot_use("private key", files.key);
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) cannot_use("private key", files.key);
  if (SSL_CTX_check_private_key(context) != 1)
    throw TlsError(fmt::format("The private key '{}' is not that of the certificate '{}'", files.key, files.certificate));
}

void take_authorities(SSL_CTX* context, const TlsFiles& files, TlsSide side) {
  if (files.ca.empty()) {
    if (side == TlsSide::Server) throw TlsError("A server needs the certificate of its CA");
    if (SSL_CTX_set_default_verify_paths(context) != 1) throw TlsError("Could not use the system's certificates: " + last_tls_problem());
    return;
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  Bio bio = open_file("CA's certificate", files.ca);
  int count = 0;
  while (const Certificate one{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) {
    if (X509_STORE_add_cert(store, one.get()) != 1) cannot_use("CA's certificate", files.ca);
    // Clients are told whose certificates are taken.
    if (side == TlsSide::Server) SSL_CTX_add_client_CA(context, one.get());
    ++count;
  }
  if (!at_end()) cannot_use("CA's certificate", files.ca);
  if (count == 0) throw TlsError(fmt::format("There is no certificate in the CA's file '{}'", files.ca));
}

void take_revocations(SSL_CTX* context, const TlsFiles& files) {
  if (files.revocation == Revocation::None) return;
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  Bio bio = open_file("revocation list", files.crl);
  int count = 0;
  while (const Crl one{PEM_read_bio_X509_CRL(bio.get(), nullptr, no_passphrase, nullptr)}) {
    if (X509_STORE_add_crl(store, one.get()) != 1) cannot_use("revocation list", files.crl);
    ++count;
  }
  if (!at_end()) cannot_use("revocation list", files.crl);
  if (count == 0) throw TlsError(fmt::format("There is no revocation list in '{}'", files.crl));
  X509_STORE_set_flags(store,
                       files.revocation == Revocation::Chain ? X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL : X509_V_FLAG_CRL_CHECK);
}

std::string text_of(ASN1_STRING* string) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, string);
  if (size < 0) return {};
  std::string text(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return text;
}

std::string common_name_of(X509* certificate) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) throw TlsError("a certificate has no common name");
  if (X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) throw TlsError("a certificate has two common names");
  std::string name = text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (name.empty() || name.find('\0') != std::string::npos) throw TlsError("a certificate's common name is empty or holds a NUL");
  return name;
}

std::string bio_text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

void note_validity(std::vector<TlsValidity>& out, TlsValidity::Of of, const std::string& file, const ASN1_TIME* begins,
                   const ASN1_TIME* ends) {
  std::tm from{}, to{};
  if (begins == nullptr || ends == nullptr || ASN1_TIME_to_tm(begins, &from) != 1 || ASN1_TIME_to_tm(ends, &to) != 1) return;
  const TlsValidity one{of, file, ::timegm(&from), ::timegm(&to)};
  for (TlsValidity& known : out)
    if (known.of == of) {
      if (one.ends < known.ends) known = one;
      return;
    }
  out.push_back(one);
}

/// What a context was made of.
std::vector<TlsValidity> validities_of(SSL_CTX* context, const TlsFiles& files) {
  using Of = TlsValidity::Of;
  std::vector<TlsValidity> out;
  if (const X509* own = SSL_CTX_get0_certificate(context))
    note_validity(out, Of::Certificate, files.certificate, X509_get0_notBefore(own), X509_get0_notAfter(own));
  const STACK_OF(X509_OBJECT)* taken = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context));
  for (int i = 0; i < sk_X509_OBJECT_num(taken); ++i) {
    const X509_OBJECT* object = sk_X509_OBJECT_value(taken, i);
    if (const X509* ca = X509_OBJECT_get0_X509(object))
      note_validity(out, Of::Ca, files.ca, X509_get0_notBefore(ca), X509_get0_notAfter(ca));
    else if (const X509_CRL* crl = X509_OBJECT_get0_X509_CRL(const_cast<X509_OBJECT*>(object)))
      note_validity(out, Of::Crl, files.crl, X509_CRL_get0_lastUpdate(crl), X509_CRL_get0_nextUpdate(crl));
  }
  return out;
}

std::string end_of(X509* certificate) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                     parts.tm_min, parts.tm_sec);
}

std::vector<std::string> dns_names_of(X509* certificate) {
  std::vector<std::string> out;
  auto* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  if (names == nullptr) return out;
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i)
    if (const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i); name->type == GEN_DNS) out.push_back(text_of(name->d.dNSName));
  GENERAL_NAMES_free(names);
  return out;
}

Certificate certificate_in(std::string_view pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
  if (!certificate) throw TlsError("the text is not a certificate: " + last_tls_problem());
  return certificate;
}

} // namespace

std::string last_tls_problem() {
  const unsigned long error = ERR_peek_last_error();
  std::string text = "unknown error";
  if (error != 0) {
    if (const char* reason = ERR_reason_error_string(error))
      text = reason;
    else if (ERR_SYSTEM_ERROR(error))
      text = std::strerror(ERR_GET_REASON(error));
  }
  // A missing file leaves two errors, of which the first names the reason.
  const unsigned long first = ERR_peek_error();
  if (first != 0 && ERR_SYSTEM_ERROR(first)) text = std::strerror(ERR_GET_REASON(first));
  ERR_clear_error();
  return text;
}

TlsContext::TlsContext(const TlsFiles& files, TlsSide side)
    : context_(SSL_CTX_new(side == TlsSide::Server ? TLS_server_method() : TLS_client_method())) {
  if (context_ == nullptr) throw TlsError("Could not begin TLS: " + last_tls_problem());
  try {
    SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
    SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // No resumption: a resumed session would not look at the revocation lists again. No renegotiation: it lets a client ask for work.
    SSL_CTX_set_options(context_, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context_, 0);
    if (!files.ciphers.empty() && SSL_CTX_set_cipher_list(context_, files.ciphers.c_str()) != 1)
      throw TlsError(fmt::format("There is no usable cipher in '{}'", files.ciphers));
    if (!files.certificate.empty())
      take_certificate(context_, files);
    else if (side == TlsSide::Server)
      throw TlsError("A server needs a certificate");
    if (files.verify || side == TlsSide::Server) {
      take_authorities(context_, files, side);
      take_revocations(context_, files);
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
      SSL_CTX_set_verify_depth(context_, 10);
    } else {
      SSL_CTX_set_verify(context_, SSL_VERIFY_NONE, nullptr);
    }
    validities_ = validities_of(context_, files);
  } catch (...) {
    SSL_CTX_free(context_);
    throw;
  }
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

PeerCertificate describe_certificate(x509_st* certificate) {
  PeerCertificate out;
  out.common_name = common_name_of(certificate);
  const Bio subject(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(subject.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  out.subject = bio_text(subject.get());
  if (BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr)) {
    if (char* digits = BN_bn2hex(number)) {
      out.serial = digits;
      OPENSSL_free(digits);
    }
    BN_free(number);
  }
  out.not_after = end_of(certificate);
  for (int i = 0; i < X509_get_ext_count(certificate); ++i) {
    X509_EXTENSION* extension = X509_get_ext(certificate, i);
    char oid[256];
    if (OBJ_obj2txt(oid, sizeof oid, X509_EXTENSION_get_object(extension), 1) <= 0) continue;
    const ASN1_OCTET_STRING* value = X509_EXTENSION_get_data(extension);
    out.extensions.push_back(
        {oid, std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)), static_cast<size_t>(ASN1_STRING_length(value)))});
  }
  out.dns_names = dns_names_of(certificate);
  const Bio pem(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(pem.get(), certificate);
  out.pem = bio_text(pem.get());
  return out;
}

PeerCertificate read_certificate(std::string_view pem) { return describe_certificate(certificate_in(pem).get()); }

std::string public_key_of(std::string_view pem) {
  const Certificate certificate = certificate_in(pem);
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &der);
  if (size <= 0) throw TlsError("the certificate's key cannot be read: " + last_tls_problem());
  std::string out(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

} // namespace pupc::http
