#include "compiler/check/heredoc_syntax.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr std::string_view known[] = {"json", "base64", "pp", "epp"};

std::string base64_error(std::string_view text) {
  // Puppet's pattern for white space also contains a ?, so it removes question marks too.
  std::string cleaned;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' || text[i] == '\n' || text[i] == '?' || text[i] == ' ' || text[i] == '\t') continue;
    cleaned += text[i];
  }
  size_t padding = 0;
  while (padding < 2 && padding < cleaned.size() && cleaned[cleaned.size() - 1 - padding] == '=') ++padding;
  const std::string_view letters = std::string_view(cleaned).substr(0, cleaned.size() - padding);
  auto value = [](char c) {
    static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return alphabet.find(c);
  };
  bool valid = cleaned.size() % 4 == 0 &&
               std::all_of(letters.begin(), letters.end(), [&](char c) { return value(c) != std::string_view::npos; });
  // Strict decoding requires that the unused bits are zero.
  if (valid && padding != 0) valid = !letters.empty() && (value(letters.back()) & (padding == 1 ? 3u : 15u)) == 0;
  if (valid) return {};
  return cleaned.size() * 8 % 6 != 0
             ? "Base64 syntax checker: Cannot parse invalid Base64 string - padding is not correct"
             : "Base64 syntax checker: Cannot parse invalid Base64 string - contains letters outside strict base 64 range (or whitespace)";
}

/// At most `limit` characters (not bytes) of a text, with line ends written as \n.
std::string capped(std::string_view s, size_t limit) {
  std::string out;
  size_t count = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if ((s[i] & 0xC0) != 0x80 && count++ == limit) break;
    if (s[i] == '\r' && i + 1 < s.size() && s[i + 1] == '\n') continue;
    if (s[i] == '\n')
      out += "\\n";
    else
      out += s[i];
  }
  return out;
}

} // namespace

std::string heredoc_text_error(std::string_view syntax, std::string_view text, const EmbeddedCodeCheck& embedded_code) {
  std::string_view found = syntax;
  while (std::find(std::begin(known), std::end(known), found) == std::end(known)) {
    const size_t plus = found.find('+');
    if (plus == std::string_view::npos) return {};
    found.remove_prefix(plus + 1);
  }
  std::string error;
  if (found == "json") {
    error = json_error(text);
    if (!error.empty()) error = fmt::format("JSON syntax checker: Cannot parse invalid JSON string. \"{}\"", capped(error, 100));
  } else if (found == "base64") {
    error = base64_error(text);
  } else {
    const bool epp = found == "epp";
    const std::string_view name = epp ? "EPP" : "PP";
    if (found != syntax) return fmt::format("{} syntax checker: the syntax identifier must be a String, e.g. pp", name);
    if (embedded_code) error = embedded_code(text, epp);
    if (!error.empty()) error = fmt::format("{} syntax checker: \"{}\"", name, capped(error, 500));
  }
  if (error.empty()) return {};
  return fmt::format("Invalid produced text having syntax: '{}'. {}", syntax, error);
}

} // namespace pupc::compiler
