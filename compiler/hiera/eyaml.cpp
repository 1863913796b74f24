#include "compiler/hiera/eyaml.h"

#include "catalog/base/paths.h"
#include "catalog/json/json_writer.h"

#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <stdexcept>
#include <vector>

namespace pupc::compiler {
namespace {

template <auto Free> struct Freed {
  template <class T> void operator()(T* p) const { Free(p); }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Message = std::unique_ptr<PKCS7, Freed<PKCS7_free>>;

[[noreturn]] void fail(std::string message) { throw std::runtime_error(std::move(message)); }

/// Returns OpenSSL's reason for the last failure, and clears it.
std::string reason() {
  unsigned long code = ERR_peek_last_error();
  const char* text = code ? ERR_reason_error_string(code) : nullptr;
  ERR_clear_error();
  return text ? text : "unknown error";
}

struct KeyText {
  std::string text;
  std::string place; // for messages
};

std::string option(const Hash* options, const std::string& name) {
  const Value* v = options ? options->find(name) : nullptr;
  return v && v->is_string() ? std::string(v->str()) : std::string();
}

/// The file with the key, unless a variable has it.
std::string key_file(const Hash* options, const std::string& which) {
  const std::string file = option(options, "pkcs7_" + which + "_key");
  return file.empty() ? "./keys/" + which + "_key.pkcs7.pem" : file;
}

/// Reads the private or the public key from a variable or a file, in hiera-eyaml's order.
KeyText key_text(const Hash* options, const std::string& which) {
  const std::string variable = option(options, "pkcs7_" + which + "_key_env_var"), file = key_file(options, which);
  if (!variable.empty()) {
    const char* text = std::getenv(variable.c_str());
    if (!text) fail(fmt::format("env {} is not set", variable));
    return {text, "env " + variable};
  }
  auto text = read_whole_file(file);
  if (!text && errno == ENOENT) fail(fmt::format("file {} does not exist", file));
  if (!text) fail(fmt::format("file {} cannot be read: {}", file, std::strerror(errno)));
  return {std::move(*text), "file " + file};
}

std::vector<unsigned char> decoded(std::string_view base64) {
  std::vector<unsigned char> out(base64.size() / 4 * 3 + 3);
  std::unique_ptr<EVP_ENCODE_CTX, Freed<EVP_ENCODE_CTX_free>> context(EVP_ENCODE_CTX_new());
  EVP_DecodeInit(context.get());
  int size = 0, rest = 0;
  bool good = EVP_DecodeUpdate(context.get(), out.data(), &size, reinterpret_cast<const unsigned char*>(base64.data()),
                               static_cast<int>(base64.size())) >= 0 &&
              EVP_DecodeFinal(context.get(), out.data() + size, &rest) >= 0;
  if (!good) fail("what is encrypted is not base64");
  out.resize(static_cast<size_t>(size + rest));
  return out;
}

class Decryptor {
public:
  explicit Decryptor(const Hash* options) {
    private_ = key_text(options, "private");
    Bio bio(BIO_new_mem_buf(private_.text.data(), static_cast<int>(private_.text.size())));
    // Without a password callback OpenSSL would ask at the terminal.
    auto no_password = [](char*, int, int, void*) { return -1; };
    key_.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
    if (!key_) fail(fmt::format("{} holds no private key that can be read: {}", private_.place, reason()));
    public_ = key_text(options, "public");
    bio.reset(BIO_new_mem_buf(public_.text.data(), static_cast<int>(public_.text.size())));
    certificate_.reset(PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr));
    if (!certificate_) fail(fmt::format("{} holds no certificate that can be read: {}", public_.place, reason()));
    if (X509_check_private_key(certificate_.get(), key_.get()) != 1)
      fail(fmt::format("the keys of {} and {} do not belong together: {}", private_.place, public_.place, reason()));
  }
  ~Decryptor() { OPENSSL_cleanse(private_.text.data(), private_.text.size()); }
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;

  std::string decrypt(std::string_view base64) const {
    std::vector<unsigned char> der = decoded(base64);
    const unsigned char* at = der.data();
    Message message(d2i_PKCS7(nullptr, &at, static_cast<long>(der.size())));
    if (!message) fail(fmt::format("what is encrypted is no PKCS7 message: {}", reason()));
    Bio out(BIO_new(BIO_s_mem()));
    if (PKCS7_decrypt(message.get(), key_.get(), certificate_.get(), out.get(), 0) != 1)
      fail(fmt::format("{} does not fit: {}", private_.place, reason()));
    char* data = nullptr;
    long size = BIO_get_mem_data(out.get(), &data);
    std::string text(data, static_cast<size_t>(size));
    OPENSSL_cleanse(data, static_cast<size_t>(size));
    if (!valid_utf8(text)) fail("the decrypted text is not UTF-8");
    return text;
  }

private:
  KeyText private_, public_;
  Key key_;
  Certificate certificate_;
};

struct Token {
  size_t begin = 0, end = 0; // begin and end of the whole ENC[…]
  std::string scheme, base64;
};

/// Finds ENC[(\w+,)?([a-zA-Z0-9+/ =\n]+?)] at or after `from`.
bool next_token(std::string_view text, size_t from, Token& token) {
  for (size_t at = from; (at = text.find("ENC[", at)) != std::string_view::npos; at += 4) {
    size_t begin = at + 4, i = begin;
    auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    while (i < text.size() && word(text[i])) ++i;
    bool scheme = i > begin && i < text.size() && text[i] == ',';
    size_t data = scheme ? i + 1 : begin;
    size_t close = text.find(']', data);
    if (close == std::string_view::npos || close == data) continue;
    std::string base64;
    bool good = true;
    for (char c : text.substr(data, close - data)) {
      if (c == ' ' || c == '\n') continue;
      good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/' || c == '=');
      base64 += c;
    }
    if (!good) continue;
    token = {at, close + 1, scheme ? std::string(text.substr(begin, i - begin)) : "PKCS7", std::move(base64)};
    return true;
  }
  return false;
}

} // namespace

bool is_encrypted(std::string_view text) {
  // Like Puppet's pattern /ENC\[.*?\]/, this matches within one line. Folded texts (`>`) are one line. Literal texts (`|`) of several lines
  // are left as they are.
  for (size_t at = 0; (at = text.find("ENC[", at)) != std::string_view::npos; at += 4) {
    size_t end = text.find_first_of("]\n", at);
    if (end != std::string_view::npos && text[end] == ']') return true;
  }
  return false;
}

std::string decrypt_eyaml(std::string_view text, const Hash* options) {
  std::string out;
  std::optional<Decryptor> decryptor;
  size_t at = 0;
  for (Token token; next_token(text, at, token); at = token.end) {
    out += text.substr(at, token.begin - at);
    if (token.scheme != "PKCS7") fail(fmt::format("the encryption '{}' is not known: only PKCS7 is", token.scheme));
    if (!decryptor) decryptor.emplace(options);
    out += decryptor->decrypt(token.base64);
  }
  out += text.substr(at);
  if (out.ends_with("\r\n"))
    out.resize(out.size() - 2);
  else if (out.ends_with('\n') || out.ends_with('\r'))
    out.pop_back();
  return out;
}

std::vector<std::string> key_files(const Hash* options) {
  std::vector<std::string> out;
  for (const char* which : {"private", "public"})
    if (option(options, std::string("pkcs7_") + which + "_key_env_var").empty()) out.push_back(absolute_path(key_file(options, which)));
  return out;
}

} // namespace pupc::compiler
