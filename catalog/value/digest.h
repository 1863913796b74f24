#pragma once
// Message digests.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pupc {

std::array<uint8_t, 16> md5_digest(std::string_view data);

enum class DigestAlgorithm : uint8_t { Md5, Sha1, Sha224, Sha256, Sha384, Sha512 };
/// The digest in lower-case hexadecimal.
std::string hex_digest(DigestAlgorithm algorithm, std::string_view data);

} // namespace pupc
