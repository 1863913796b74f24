#include "catalog/base/source.h"

#include <algorithm>
#include <cstring>

namespace pupc::catalog {

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

const std::vector<uint32_t>& SourceFile::line_starts() const {
  std::call_once(lines_known_, [this] {
    line_starts_.reserve(text_.size() / 24 + 8); // enough for most files: an average line of code is longer than 24 bytes
    line_starts_.push_back(0);
    const char *begin = text_.data(), *end = begin + text_.size();
    for (const char* at = begin; (at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)))) != nullptr;)
      line_starts_.push_back(static_cast<uint32_t>(++at - begin));
  });
  return line_starts_;
}

uint32_t SourceFile::line(uint32_t offset) const {
  const auto& starts = line_starts();
  return static_cast<uint32_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
}

LineColumn SourceFile::position(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  uint32_t l = line(offset);
  uint32_t column = 1;
  for (uint32_t i = line_starts_[l - 1]; i < offset; ++i)
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  return {l, column};
}

std::string_view SourceFile::line_text(uint32_t line) const {
  const auto& starts = line_starts();
  if (line == 0 || line > starts.size()) return {};
  size_t begin = starts[line - 1];
  size_t end = line < starts.size() ? starts[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

} // namespace pupc::catalog
