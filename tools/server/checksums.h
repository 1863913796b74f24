#pragma once
// Checksums of served files, kept until a file changes.
#include "tools/server/visible_names.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sys/stat.h>

namespace pupc::server {

/// Whether files have a checksum of that type: "md5", "sha256", "md5lite", "none", … (not of times).
bool known_checksum(std::string_view type);

/// The type under which a file has the id that git gives to its content; no request may name it.
inline constexpr std::string_view git_checksum = "git blob";

class Checksums {
public:
  /// The checksum of an open file in hexadecimal, whose state is `info`; nothing when it cannot be read. "" for the type none.
  std::optional<std::string> of(int descriptor, const std::string& path, const struct stat& info, std::string_view type);

  /// The same without opening the file, when it was asked before and has not changed since.
  std::optional<std::string> known(const std::string& path, const struct stat& info, std::string_view type);

private:
  struct Known {
    dev_t device;
    ino_t inode;
    off_t size;
    timespec modified, changed;
    std::string sum;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_; // by type and path
};

} // namespace pupc::server
