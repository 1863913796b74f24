#include "runtime/provider/module_library.h"

#include "catalog/base/paths.h"

#include <fmt/format.h>

namespace pupc::runtime {

std::optional<std::string> library_text(const RunSettings& settings, std::string_view path) {
  if (!settings.library_directories) return std::nullopt;
  for (const std::string& directory : settings.library_directories())
    if (auto text = catalog::read_whole_file(fmt::format("{}/{}", directory, path))) return text;
  return std::nullopt;
}

} // namespace pupc::runtime
