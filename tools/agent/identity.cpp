#include "tools/agent/identity.h"

#include "tools/agent/oid_names.h"
#include "tools/http/tls.h"

#include <ctime>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace pupc::cli::agent {

std::string oid_of(std::string_view name) {
  static constexpr std::string_view registered[] = {
      "pp_uuid",           "pp_instance_id",   "pp_image_name",  "pp_preshared_key", "pp_cost_center", "pp_product", "pp_project",
      "pp_application",    "pp_service",       "pp_employee",    "pp_created_by",    "pp_environment", "pp_role",    "pp_software_version",
      "pp_department",     "pp_cluster",       "pp_provisioner", "pp_region",        "pp_datacenter",  "pp_zone",    "pp_network",
      "pp_securitypolicy", "pp_cloudplatform", "pp_apptier",     "pp_hostname",      "pp_owner"};
  static constexpr std::pair<std::string_view, int> authorization[] = {
      {"pp_authorization", 1}, {"pp_auth_auto_renew", 2}, {"pp_auth_role", 13}, {"pp_cli_auth", 39}};
  int number = 0;
  for (const std::string_view one : registered)
    if (++number; one == name) return fmt::format("1.3.6.1.4.1.34380.1.1.{}", number);
  for (const auto& [one, last] : authorization)
    if (one == name) return fmt::format("1.3.6.1.4.1.34380.1.3.{}", last);
  return std::string(name);
}

namespace {

template <auto Free> struct Freeing {
  template <class T> void operator()(T* what) const { Free(what); }
};
using Bio = std::unique_ptr<BIO, Freeing<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;
using List = std::unique_ptr<X509_CRL, Freeing<X509_CRL_free>>;
using Request = std::unique_ptr<X509_REQ, Freeing<X509_REQ_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using Store = std::unique_ptr<X509_STORE, Freeing<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Freeing<X509_STORE_CTX_free>>;

[[noreturn]] void fail(const std::string& what) { throw IdentityError(fmt::format("{}: {}", what, http::last_tls_problem())); }

Bio reading(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }
Bio writing() { return Bio(BIO_new(BIO_s_mem())); }
std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}
int no_passphrase(char*, int, int, void*) { return 0; }

Key key_of(const std::string& pem) {
  Key key(PEM_read_bio_PrivateKey(reading(pem).get(), nullptr, no_passphrase, nullptr));
  if (!key) fail("Could not read the private key");
  return key;
}

std::string pem_of(EVP_PKEY* key) {
  const Bio bio = writing();
  // The traditional form, which Puppet writes.
  if (PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) fail("Could not write a key");
  return text_of(bio.get());
}

Certificate first_certificate(const std::string& pem) {
  Certificate out(PEM_read_bio_X509(reading(pem).get(), nullptr, no_passphrase, nullptr));
  if (!out) fail("Failed to parse certificate");
  return out;
}

std::vector<Certificate> certificates_of(const std::string& pem) {
  std::vector<Certificate> out;
  const Bio bio = reading(pem);
  while (Certificate one{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) out.push_back(std::move(one));
  const unsigned long error = ERR_peek_last_error();
  if (out.empty() || (error != 0 && ERR_GET_REASON(error) != PEM_R_NO_START_LINE)) fail("Failed to parse CA certificates as PEM");
  ERR_clear_error();
  return out;
}

std::vector<List> lists_of(const std::string& pem) {
  std::vector<List> out;
  const Bio bio = reading(pem);
  while (List one{PEM_read_bio_X509_CRL(bio.get(), nullptr, no_passphrase, nullptr)}) out.push_back(std::move(one));
  const unsigned long error = ERR_peek_last_error();
  if (out.empty() || (error != 0 && ERR_GET_REASON(error) != PEM_R_NO_START_LINE)) fail("Failed to parse CRLs as PEM");
  ERR_clear_error();
  return out;
}

std::string with_colons(const unsigned char* bytes, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) out += fmt::format("{}{:02X}", i == 0 ? "" : ":", bytes[i]);
  return out;
}

std::string digest_by(const std::string& data, const EVP_MD* how) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), bytes, &size, how, nullptr) != 1) fail("Could not make a digest");
  return with_colons(bytes, size);
}

/// An extension whose value is a text, as Puppet requests it.
X509_EXTENSION* text_extension(const std::string& name, const std::string& value) {
  const std::string oid = oid_of(name);
  ASN1_OBJECT* object = OBJ_txt2obj(oid.c_str(), 0);
  if (object == nullptr) fail(fmt::format("Cannot create CSR with extension request {}", name));
  ASN1_UTF8STRING* text = ASN1_UTF8STRING_new();
  ASN1_STRING_set(text, value.data(), static_cast<int>(value.size()));
  unsigned char* der = nullptr;
  const int size = i2d_ASN1_UTF8STRING(text, &der);
  ASN1_OCTET_STRING* octets = ASN1_OCTET_STRING_new();
  ASN1_OCTET_STRING_set(octets, der, size);
  X509_EXTENSION* out = X509_EXTENSION_create_by_OBJ(nullptr, object, 0, octets);
  OPENSSL_free(der);
  ASN1_UTF8STRING_free(text);
  ASN1_OCTET_STRING_free(octets);
  ASN1_OBJECT_free(object);
  if (out == nullptr) fail(fmt::format("Cannot create CSR with extension request {}", name));
  return out;
}

void add_extensions(X509_REQ* request, const RequestOptions& options) {
  STACK_OF(X509_EXTENSION)* all = sk_X509_EXTENSION_new_null();
  const auto free_all = [&] { sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free); };
  try {
    for (const auto& [name, value] : options.extensions) {
      if (name == "subjectAltName" || name == "2.5.29.17")
        throw IdentityError(fmt::format("Cannot specify CSR extension request {}: conflicts with internally used extension request", name));
      sk_X509_EXTENSION_push(all, text_extension(name, value));
    }
    if (!options.alternative_names.empty()) {
      std::string names;
      for (const std::string& one : options.alternative_names) names += (names.empty() ? "" : ", ") + one;
      X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
      if (extension == nullptr) fail("Cannot create CSR with these dns_alt_names");
      sk_X509_EXTENSION_push(all, extension);
    }
    if (sk_X509_EXTENSION_num(all) > 0 && X509_REQ_add_extensions(request, all) != 1) fail("Cannot create CSR with extension requests");
  } catch (...) {
    free_all();
    throw;
  }
  free_all();
}

void add_attributes(X509_REQ* request, const RequestOptions& options) {
  for (const auto& [name, value] : options.attributes) {
    for (const char* own : {"extReq", "1.2.840.113549.1.9.14", "msExtReq", "1.3.6.1.4.1.311.2.1.14"})
      if (name == own)
        throw IdentityError(fmt::format("Cannot specify CSR attribute {}: conflicts with internally used CSR attribute", name));
    if (X509_REQ_add1_attr_by_txt(request, oid_of(name).c_str(), V_ASN1_PRINTABLESTRING,
                                  reinterpret_cast<const unsigned char*>(value.data()), static_cast<int>(value.size())) != 1)
      fail(fmt::format("Cannot create CSR with attribute {}", name));
  }
}

} // namespace

std::string new_rsa_key(int bits) {
  const Key key(EVP_RSA_gen(static_cast<unsigned>(bits)));
  if (!key) fail("Could not make an RSA key");
  return pem_of(key.get());
}

std::string new_ec_key(const std::string& curve) {
  const Key key(EVP_EC_gen(curve.c_str()));
  if (!key) fail(fmt::format("Could not make a key of the curve {}", curve));
  return pem_of(key.get());
}

std::string public_key_of(const std::string& key_pem) {
  const Bio bio = writing();
  if (PEM_write_bio_PUBKEY(bio.get(), key_of(key_pem).get()) != 1) fail("Could not write a public key");
  return text_of(bio.get());
}

std::string new_request(const std::string& key_pem, const RequestOptions& options) {
  const Key key = key_of(key_pem);
  const Request request(X509_REQ_new());
  X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  X509_REQ_set_version(request.get(), 0);
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(options.name.data()),
                                 static_cast<int>(options.name.size()), -1, 0) != 1 ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1)
    fail(fmt::format("Could not make a request for '{}'", options.name));
  add_attributes(request.get(), options);
  add_extensions(request.get(), options);
  if (X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0) fail("Could not sign the request");
  const Bio bio = writing();
  PEM_write_bio_X509_REQ(bio.get(), request.get());
  return text_of(bio.get());
}

std::string fingerprint_of(const std::string& pem, std::string_view digest) {
  const EVP_MD* how = EVP_get_digestbyname(std::string(digest).c_str());
  if (how == nullptr) throw IdentityError(fmt::format("Unsupported digest algorithm '{}'", digest));
  unsigned char* der = nullptr;
  int size = 0;
  if (pem.find("CERTIFICATE REQUEST") != std::string::npos) {
    const Request request(PEM_read_bio_X509_REQ(reading(pem).get(), nullptr, no_passphrase, nullptr));
    if (!request) fail("Failed to parse the request");
    size = i2d_X509_REQ(request.get(), &der);
  } else {
    size = i2d_X509(first_certificate(pem).get(), &der);
  }
  std::string data(reinterpret_cast<char*>(der), static_cast<size_t>(std::max(size, 0)));
  OPENSSL_free(der);
  return digest_by(data, how);
}

std::string digest_of(const std::string& text) { return digest_by(text, EVP_sha256()); }

std::string text_of_certificate(const std::string& pem) {
  const Bio bio = writing();
  X509_print(bio.get(), first_certificate(pem).get());
  return text_of(bio.get());
}

int64_t end_of_certificate(const std::string& pem) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(first_certificate(pem).get()), &parts) != 1) fail("The certificate's end is no time");
  return ::timegm(&parts);
}

static std::string text_of_name(const X509_NAME* name) {
  const Bio bio = writing();
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return text_of(bio.get());
}

std::string subject_of(const std::string& pem) { return text_of_name(X509_get_subject_name(first_certificate(pem).get())); }

void check_certificates(const std::string& pem) { certificates_of(pem); }
void check_revocation_lists(const std::string& pem) { lists_of(pem); }

std::vector<std::string> verified_chain(const std::string& name, const std::string& key_pem, const std::string& certificate_pem,
                                        const std::string& ca_pem, const std::string& crl_pem, bool check_revocation, bool whole_chain,
                                        const std::function<void(const std::string&)>& warn) {
  const Certificate certificate = first_certificate(certificate_pem);
  if (X509_check_private_key(certificate.get(), key_of(key_pem).get()) != 1) {
    ERR_clear_error();
    throw IdentityError(fmt::format("The certificate for 'CN={}' does not match its private key", name));
  }
  const Store store(X509_STORE_new());
  for (const Certificate& one : certificates_of(ca_pem)) X509_STORE_add_cert(store.get(), one.get());
  if (check_revocation) {
    for (const List& one : lists_of(crl_pem)) X509_STORE_add_crl(store.get(), one.get());
    X509_STORE_set_flags(store.get(), whole_chain ? X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL : X509_V_FLAG_CRL_CHECK);
  }
  const StoreContext context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr);
  if (X509_verify_cert(context.get()) != 1) {
    const int problem = X509_STORE_CTX_get_error(context.get());
    ERR_clear_error();
    X509* one = X509_STORE_CTX_get_current_cert(context.get());
    switch (problem) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
      warn(fmt::format("The issuer '{}' of certificate '{}' cannot be found locally", text_of_name(X509_get_issuer_name(one)),
                       text_of_name(X509_get_subject_name(one))));
      break;
    case X509_V_ERR_CERT_REVOKED: throw IdentityError(fmt::format("Certificate 'CN={}' is revoked", name));
    case X509_V_ERR_CERT_HAS_EXPIRED:
      throw IdentityError(fmt::format("The certificate 'CN={}' has expired, verify time is synchronized", name));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      throw IdentityError(fmt::format("The certificate 'CN={}' is not yet valid, verify time is synchronized", name));
    default: throw IdentityError(fmt::format("{} for CN={}", X509_verify_cert_error_string(problem), name));
    }
  }
  std::vector<std::string> out;
  STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(context.get());
  for (int i = sk_X509_num(chain) - 1; i >= 0; --i) {
    const Bio bio = writing();
    PEM_write_bio_X509(bio.get(), sk_X509_value(chain, i));
    out.push_back(text_of(bio.get()));
  }
  return out;
}

} // namespace pupc::cli::agent
