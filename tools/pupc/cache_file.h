#pragma once
// Files in the user's cache directory. What is damaged, or another user's, counts as not there.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// A cache does not read as it should.
struct BadCache {};

/// Makes the text of a cache.
class CacheWriter {
public:
  void number(uint64_t n) { text_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void string(std::string_view s) {
    number(s.size());
    text_ += s;
  }
  void strings(const std::vector<std::string>& list) {
    number(list.size());
    for (const std::string& s : list) string(s);
  }
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

/// Reads it; throws BadCache.
class CacheReader {
public:
  explicit CacheReader(std::string_view text) : text_(text) {}
  uint64_t number();
  /// Reads the number of items that follow. Each takes at least eight bytes, which limits a valid number.
  size_t count();
  /// The next string, as part of the cache's text.
  std::string_view view();
  std::string string() { return std::string(view()); }
  std::vector<std::string> strings();

private:
  std::string_view text_;
};

struct CacheKind {
  std::string_view name; // begins the files' names
  int version;           // of the form
  size_t most_files;     // beyond that the oldest are removed
};

/// The text that write_cache was given for this key.
std::optional<std::string> read_cache(const std::string& directory, const CacheKind& kind, const std::string& key);
/// Keeps the text: only this user can read it. Does nothing where the directory cannot be used, or others can write to it.
void write_cache(const std::string& directory, const CacheKind& kind, const std::string& key, std::string_view text);

/// The user's cache directory: $XDG_CACHE_HOME/pupc or ~/.cache/pupc; empty when the user has no home directory of their own.
std::string default_cache_directory();

} // namespace pupc::cli
