#pragma once
// Patterns of .gitignore files.
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Patterns of one .gitignore, for paths relative to its directory. Later patterns go before earlier ones, `!` takes a file back.
class GitIgnore {
public:
  /// Reads a file's lines.
  explicit GitIgnore(std::string_view text);
  enum class Verdict : uint8_t { Unknown, Ignored, Kept };
  Verdict verdict(std::string_view relative, bool directory) const;

private:
  struct Pattern {
    std::string glob;
    bool negated, directory_only, anchored;
  };
  std::vector<Pattern> patterns_;
};

/// Whether a glob of git's (`*` and `?` within a part, `**` across parts, [sets]) matches a whole path.
bool glob_matches(std::string_view glob, std::string_view path);

} // namespace pupc
