#pragma once
// Ruby regular expressions (Oniguruma, Ruby syntax, UTF-8). The environment caches each compiled pattern.
#include "catalog/base/namespaces.h"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::catalog {

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
  /// A pattern of the source (without slashes). Throws RegexError with Oniguruma's text when it is invalid. A source that is plainly
  /// valid is compiled only for the first search: of the patterns in manifests most are never searched for.
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
  void compile() const;
  void* compiled() const;
  bool may_match(std::string_view text) const;

  std::string source_;
  bool ignore_case_;
  bool extended_;
  bool multi_line_;
  mutable std::once_flag once_;
  mutable std::atomic<void*> compiled_ = nullptr;          // set when all of the following is
  mutable std::vector<std::string> required_;              // texts of each match: what lacks one is not searched by Oniguruma
  mutable std::vector<std::pair<std::string, int>> names_; // empty also until the pattern is compiled: a plain one names no groups
};

struct RegexError {
  std::string message;
};

/// Owns compiled patterns; thread-safe. An environment's cache keeps the patterns of its files as long as it lives. A compile makes
/// patterns, too, from what a node's facts and data say, so each has a cache of its own upon the environment's: its patterns go with its
/// catalog. Those used last stay in the shared cache for the compiles that follow, up to a limit.
class RegexCache {
public:
  /// How many patterns the shared cache keeps for those who may need them again, and about how many bytes they may take.
  static constexpr size_t most_recent = 2000;
  static constexpr size_t most_recent_bytes = 16'000'000;

  RegexCache() = default;
  /// A cache upon `shared`, which must outlive it. A pattern that one of them has is not compiled again.
  explicit RegexCache(RegexCache& shared) : shared_(&shared) {}
  RegexCache(const RegexCache&) = delete;
  RegexCache& operator=(const RegexCache&) = delete;

  /// The pattern, which lives as long as this cache. Throws RegexError when it is invalid.
  const Regex* get(std::string_view source, bool ignore_case = false, bool extended = false, bool multi_line = false);
  /// The same for a pattern that is needed only while the caller holds it: this cache keeps it only among the most recent ones.
  std::shared_ptr<const Regex> recent(std::string_view source, bool ignore_case = false, bool extended = false, bool multi_line = false);

  /// How many patterns are kept: those that live as long as the cache, and the most recent ones.
  size_t size() const;
  size_t recent_size() const;

private:
  struct Recent {
    std::string key;
    std::shared_ptr<const Regex> regex;
    size_t bytes;
  };
  std::shared_ptr<const Regex> make_recent(const std::string& key);
  void drop_oldest();

  RegexCache* shared_ = nullptr;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Regex>> patterns_;
  std::list<Recent> recent_; // the last used one first
  std::unordered_map<std::string_view, std::list<Recent>::iterator> recent_by_key_;
  size_t recent_bytes_ = 0;
};

} // namespace pupc::catalog
