// Uses OpenSSL's low-level functions, although they are deprecated: the EVP interface loads configuration and providers, which takes
// several milliseconds.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "catalog/value/digest.h"

#include <openssl/md5.h>
#include <openssl/sha.h>

namespace pupc {
namespace {

std::string hex(const uint8_t* bytes, size_t n) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(n * 2);
  for (size_t i = 0; i < n; ++i) {
    out += digits[bytes[i] >> 4];
    out += digits[bytes[i] & 15];
  }
  return out;
}

template <class Context, size_t Size, auto Init, auto Update, auto Final> std::string run(std::string_view data) {
  Context context;
  uint8_t out[Size];
  Init(&context);
  Update(&context, data.data(), data.size());
  Final(out, &context);
  return hex(out, Size);
}

} // namespace

std::array<uint8_t, 16> md5_digest(std::string_view data) {
  std::array<uint8_t, 16> out{};
  MD5_CTX context;
  MD5_Init(&context);
  MD5_Update(&context, data.data(), data.size());
  MD5_Final(out.data(), &context);
  return out;
}

std::string hex_digest(DigestAlgorithm algorithm, std::string_view data) {
  switch (algorithm) {
  case DigestAlgorithm::Md5: return run<MD5_CTX, 16, MD5_Init, MD5_Update, MD5_Final>(data);
  case DigestAlgorithm::Sha1: return run<SHA_CTX, 20, SHA1_Init, SHA1_Update, SHA1_Final>(data);
  case DigestAlgorithm::Sha224: return run<SHA256_CTX, 28, SHA224_Init, SHA224_Update, SHA224_Final>(data);
  case DigestAlgorithm::Sha256: return run<SHA256_CTX, 32, SHA256_Init, SHA256_Update, SHA256_Final>(data);
  case DigestAlgorithm::Sha384: return run<SHA512_CTX, 48, SHA384_Init, SHA384_Update, SHA384_Final>(data);
  case DigestAlgorithm::Sha512: return run<SHA512_CTX, 64, SHA512_Init, SHA512_Update, SHA512_Final>(data);
  }
  return {};
}

} // namespace pupc
