#pragma once
// Patterns of .gitignore files.
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Patterns of one .gitignore, for paths relative to its directory. Later patterns override earlier ones; `!` includes a file again.
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

/// Whether a glob in git's syntax (`*` and `?` within a path segment, `**` across segments, [sets]) matches a whole path.
bool glob_matches(std::string_view glob, std::string_view path);

} // namespace pupc::compiler
