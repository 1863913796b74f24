#pragma once
// Message digests.
#include "catalog/base/namespaces.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pupc::catalog {

std::array<uint8_t, 16> md5_digest(std::string_view data);

enum class DigestAlgorithm : uint8_t { Md5, Sha1, Sha224, Sha256, Sha384, Sha512 };
/// The digest in lower-case hexadecimal.
std::string hex_digest(DigestAlgorithm algorithm, std::string_view data);
/// The digest as it is.
std::string byte_digest(DigestAlgorithm algorithm, std::string_view data);

/// A digest of data that comes in parts.
class Digest {
public:
  explicit Digest(DigestAlgorithm algorithm);
  Digest(Digest&&) noexcept;
  ~Digest();
  void add(std::string_view part);
  /// The digest of all parts, in lower-case hexadecimal or as it is. Call one of them once, last.
  std::string hex();
  std::string bytes();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pupc::catalog
