// Uses OpenSSL's low-level functions, although they are deprecated: the EVP interface loads configuration and providers, which takes
// several milliseconds.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "catalog/value/digest.h"

#include <openssl/md5.h>
#include <openssl/sha.h>
#include <type_traits>

namespace pupc::catalog {
namespace {

std::string hexadecimal(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    out += digits[static_cast<uint8_t>(byte) >> 4];
    out += digits[static_cast<uint8_t>(byte) & 15];
  }
  return out;
}

/// One of OpenSSL's digests: its functions take a context of their own type.
template <class C, size_t Size, auto Init, auto Update, auto Final> struct Algorithm {
  using Context = C;
  static void init(C& context) { Init(&context); }
  static void update(C& context, std::string_view data) { Update(&context, data.data(), data.size()); }
  static std::string final(C& context) {
    std::string out(Size, '\0');
    Final(reinterpret_cast<uint8_t*>(out.data()), &context);
    return out;
  }
};
using Md5 = Algorithm<MD5_CTX, 16, MD5_Init, MD5_Update, MD5_Final>;
using Sha1 = Algorithm<SHA_CTX, 20, SHA1_Init, SHA1_Update, SHA1_Final>;
using Sha224 = Algorithm<SHA256_CTX, 28, SHA224_Init, SHA224_Update, SHA224_Final>;
using Sha256 = Algorithm<SHA256_CTX, 32, SHA256_Init, SHA256_Update, SHA256_Final>;
using Sha384 = Algorithm<SHA512_CTX, 48, SHA384_Init, SHA384_Update, SHA384_Final>;
using Sha512 = Algorithm<SHA512_CTX, 64, SHA512_Init, SHA512_Update, SHA512_Final>;

/// Calls `work` with the algorithm's type.
template <class Work> std::string with_algorithm(DigestAlgorithm algorithm, Work work) {
  switch (algorithm) {
  case DigestAlgorithm::Md5: return work(Md5{});
  case DigestAlgorithm::Sha1: return work(Sha1{});
  case DigestAlgorithm::Sha224: return work(Sha224{});
  case DigestAlgorithm::Sha256: return work(Sha256{});
  case DigestAlgorithm::Sha384: return work(Sha384{});
  case DigestAlgorithm::Sha512: return work(Sha512{});
  }
  return {};
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

std::string byte_digest(DigestAlgorithm algorithm, std::string_view data) {
  return with_algorithm(algorithm, [&]<class A>(A) {
    typename A::Context context;
    A::init(context);
    A::update(context, data);
    return A::final(context);
  });
}

std::string hex_digest(DigestAlgorithm algorithm, std::string_view data) { return hexadecimal(byte_digest(algorithm, data)); }

struct Digest::State {
  DigestAlgorithm algorithm;
  union {
    MD5_CTX md5;
    SHA_CTX sha1;
    SHA256_CTX sha256;
    SHA512_CTX sha512;
  };

  template <class A> auto& context() {
    if constexpr (std::is_same_v<typename A::Context, MD5_CTX>)
      return md5;
    else if constexpr (std::is_same_v<typename A::Context, SHA_CTX>)
      return sha1;
    else if constexpr (std::is_same_v<typename A::Context, SHA256_CTX>)
      return sha256;
    else
      return sha512;
  }
};

Digest::Digest(DigestAlgorithm algorithm) : state_(std::make_unique<State>()) {
  state_->algorithm = algorithm;
  with_algorithm(algorithm, [&]<class A>(A) {
    A::init(state_->context<A>());
    return std::string();
  });
}
Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::string_view part) {
  with_algorithm(state_->algorithm, [&]<class A>(A) {
    A::update(state_->context<A>(), part);
    return std::string();
  });
}

std::string Digest::hex() { return hexadecimal(bytes()); }

std::string Digest::bytes() {
  return with_algorithm(state_->algorithm, [&]<class A>(A) { return A::final(state_->context<A>()); });
}

} // namespace pupc::catalog
