#pragma once
// Ruby regular expressions (Oniguruma, Ruby syntax, UTF-8). The environment caches each compiled pattern.
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc {

/// The byte ranges of a match. Group 0 is the whole match. begin < 0 = the group did not match.
struct MatchResult {
  struct Range {
    int begin = -1;
    int end = -1;
  };
  std::vector<Range> groups;
  bool matched = false;
};

class Regex {
public:
  /// Compiles `source` (without slashes). Throws RegexError with Oniguruma's text when it is invalid.
  explicit Regex(std::string source, bool ignore_case = false, bool extended = false, bool multi_line = false);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  std::string_view source() const { return source_; }
  bool ignore_case() const { return ignore_case_; }
  bool extended() const { return extended_; }
  bool multi_line() const { return multi_line_; }
  /// Leftmost match at or after byte `start`. Thread-safe.
  MatchResult search(std::string_view text, size_t start = 0) const;
  bool matches(std::string_view text) const;
  /// Names of named groups with their group numbers, in order of definition.
  const std::vector<std::pair<std::string, int>>& names() const { return names_; }

private:
  std::string source_;
  bool ignore_case_;
  bool extended_;
  bool multi_line_;
  void* compiled_;
  std::vector<std::pair<std::string, int>> names_;
};

struct RegexError {
  std::string message;
};

/// Owns compiled patterns; thread-safe. Returned pointers live as long as the cache.
class RegexCache {
public:
  /// Throws RegexError when the pattern is invalid.
  const Regex* get(std::string_view source, bool ignore_case = false, bool extended = false, bool multi_line = false);

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Regex>> patterns_;
};

} // namespace pupc
