#include "tools/server/checksums.h"

#include "catalog/value/digest.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::server {
namespace {

struct ChecksumType {
  std::string_view name;
  DigestAlgorithm algorithm;
  bool lite;              // only the first 512 bytes count
  bool with_size = false; // git's: a head with the size comes first
};
constexpr ChecksumType types[] = {{"md5", DigestAlgorithm::Md5, false},          {"md5lite", DigestAlgorithm::Md5, true},
                                  {"sha1", DigestAlgorithm::Sha1, false},        {"sha1lite", DigestAlgorithm::Sha1, true},
                                  {"sha224", DigestAlgorithm::Sha224, false},    {"sha256", DigestAlgorithm::Sha256, false},
                                  {"sha256lite", DigestAlgorithm::Sha256, true}, {"sha384", DigestAlgorithm::Sha384, false},
                                  {"sha512", DigestAlgorithm::Sha512, false},    {git_checksum, DigestAlgorithm::Sha1, false, true}};

const ChecksumType* find_type(std::string_view name) {
  for (const ChecksumType& type : types)
    if (type.name == name) return &type;
  return nullptr;
}

std::optional<std::string> sum_of(int descriptor, const struct stat& info, const ChecksumType& type) {
  Digest digest(type.algorithm);
  if (type.with_size) digest.add(fmt::format("blob {}{}", info.st_size, '\0'));
  std::array<char, 65536> part;
  off_t at = 0;
  for (;;) {
    const size_t want = type.lite ? 512 - static_cast<size_t>(at) : part.size();
    const ssize_t n = want == 0 ? 0 : ::pread(descriptor, part.data(), want, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return digest.hex();
    digest.add({part.data(), static_cast<size_t>(n)});
    at += n;
  }
}

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

std::string key_of(std::string_view type, const std::string& path) {
  std::string key(type);
  (key += ' ') += path;
  return key;
}

constexpr size_t most_known = 100000;

} // namespace

bool known_checksum(std::string_view type) { return type == "none" || (type != git_checksum && find_type(type) != nullptr); }

std::optional<std::string> Checksums::of(int descriptor, const std::string& path, const struct stat& info, std::string_view name) {
  const ChecksumType* type = find_type(name);
  if (type == nullptr) return std::string();
  if (auto sum = known(path, info, name)) return sum;
  auto sum = sum_of(descriptor, info, *type);
  // A file that changed just now may change again without its times showing it.
  if (!sum || std::abs(std::time(nullptr) - info.st_ctim.tv_sec) < 2) return sum;
  std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  known_[key_of(name, path)] = {info.st_dev, info.st_ino, info.st_size, info.st_mtim, info.st_ctim, *sum};
  return sum;
}

std::optional<std::string> Checksums::known(const std::string& path, const struct stat& info, std::string_view name) {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(key_of(name, path));
  if (found == known_.end()) return std::nullopt;
  const Known& k = found->second;
  if (k.device != info.st_dev || k.inode != info.st_ino || k.size != info.st_size || !same(k.modified, info.st_mtim) ||
      !same(k.changed, info.st_ctim))
    return std::nullopt;
  return k.sum;
}

} // namespace pupc::server
