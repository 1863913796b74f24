#pragma once
// Texts taken apart. A list of paths: split_path in paths.h.
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// The words between blanks and line ends; empty ones are left out.
std::vector<std::string> words_of(std::string_view text);
/// The parts between separators, empty ones too.
std::vector<std::string> split_text(std::string_view text, char separator);
/// The same as parts of `text` itself.
std::vector<std::string_view> split_views(std::string_view text, char separator);

} // namespace pupc::catalog
