#include "catalog/base/excerpt.h"

namespace pupc::catalog {

Loc whole_line(const SourceFile* file, uint32_t line) {
  if (file == nullptr) return {};
  const std::string_view text = file->line_text(line);
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  const size_t last = text.find_last_not_of(" \t");
  return {file, static_cast<uint32_t>(static_cast<size_t>(text.data() - file->text().data()) + first),
          static_cast<uint32_t>(last - first + 1)};
}

void set_cause(Diagnostic& d, Loc cause) {
  if (!d.trace.empty() && d.trace.front().what.empty()) d.trace.erase(d.trace.begin());
  if (cause) d.trace.insert(d.trace.begin(), {std::string(), cause});
}

Loc cause_of(const Diagnostic& d) { return !d.trace.empty() && d.trace.front().what.empty() ? d.trace.front().loc : Loc{}; }

} // namespace pupc::catalog
