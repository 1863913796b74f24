#pragma once
// Source texts and positions in them. A position is a byte offset; only messages compute its line and column.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

struct LineColumn {
  uint32_t line = 0;   // 1-based; 0 = unknown
  uint32_t column = 0; // 1-based, counted in code points as Puppet does; 0 = unknown
};

/// One source text with its name. It is immutable, and everything parsed from it shares it.
class SourceFile {
public:
  /// `path` as messages show it; empty for code without a file (`-e`).
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }

  /// Line and column of a byte offset (offsets past the end give the end).
  LineColumn position(uint32_t offset) const;
  uint32_t line(uint32_t offset) const;
  /// Text of a 1-based line without its line end; empty when there is no such line.
  std::string_view line_text(uint32_t line) const;

private:
  const std::vector<uint32_t>& line_starts() const;

  std::string path_;
  std::string text_;
  // Found at the first question for a line: most texts that are checked have nothing to tell.
  mutable std::once_flag lines_known_;
  mutable std::vector<uint32_t> line_starts_;
};

/// A place in a source file. `file` may be null (unknown place).
struct Loc {
  const SourceFile* file = nullptr;
  uint32_t offset = 0;
  uint32_t length = 0;

  explicit operator bool() const { return file != nullptr; }
  LineColumn position() const { return file ? file->position(offset) : LineColumn{}; }
};

} // namespace pupc::catalog
