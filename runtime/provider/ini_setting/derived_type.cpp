#include "runtime/provider/ini_setting/derived_type.h"

#include "catalog/base/text.h"
#include "catalog/value/regex.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pupc::runtime {
namespace {

/// The lines of code, without comments, blank lines and blanks at either end.
std::vector<std::string> code_lines(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& line : text_lines(text)) {
    const std::string_view code = trimmed(line);
    if (!code.empty() && !code.starts_with('#')) out.emplace_back(code);
  }
  return out;
}

/// The text of a string literal or of "return 'x'"; nothing for any other code.
std::optional<std::string> literal(std::string_view code) {
  if (code.starts_with("return ")) code = trimmed(code.substr(7));
  if (code.size() < 2 || (code[0] != '\'' && code[0] != '"') || code.back() != code[0]) return std::nullopt;
  const std::string_view inner = code.substr(1, code.size() - 2);
  if (inner.find_first_of("\\#'\"") != std::string_view::npos) return std::nullopt;
  return std::string(inner);
}

struct Method {
  std::string name;
  std::vector<std::string> body;
  std::string text() const { return join_text(body, "\n"); }
};

/// The methods of a provider. To find a method's `end`, counts the words that open blocks.
std::vector<Method> methods_of(const std::vector<std::string>& lines) {
  static const Regex opens("\\A(if|unless|case|while|begin|def)\\b|\\bdo( \\|[^|]*\\|)?\\z");
  std::vector<Method> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("def ")) continue;
    Method m;
    m.name = trimmed(
        std::string_view(lines[i]).substr(4, lines[i].find('(') == std::string::npos ? std::string::npos : lines[i].find('(') - 4));
    int depth = 1;
    for (++i; i < lines.size(); ++i) {
      if (lines[i] == "end" && --depth == 0) break;
      if (opens.matches(lines[i])) ++depth;
      m.body.push_back(lines[i]);
    }
    out.push_back(std::move(m));
  }
  return out;
}

/// Records what one method of the provider defines; false when pupc does not understand its code.
bool understand(const Method& m, DerivedIniType& type) {
  const std::string text = m.text();
  const auto value = m.body.size() == 1 ? literal(text) : std::nullopt;
  const bool by_name = text.find("resource[:name].split('/', 2)") != std::string::npos;
  if (m.name == "self.file_path") {
    if (value) type.path = *value;
    return value.has_value();
  }
  if (m.name == "file_path") {
    type.path_attribute = text.find("resource[:path]") != std::string::npos;
    return true;
  }
  if (m.name == "section") {
    if (value) type.section_in_name = false;
    return by_name || value == "";
  }
  if (m.name == "setting") return by_name || text == "resource[:name]";
  if (m.name == "separator") {
    if (value) type.separator = *value;
    return value || text.find("resource[:key_val_separator] || '='") != std::string::npos;
  }
  if (m.name == "ensure_absent_val") return text == "resource[:ensure_absent_val]";
  if (m.name == "exists?") {
    type.quotes = text.find("elsif resource[:quote]") != std::string::npos;
    return type.quotes;
  }
  return false;
}

void read_type(std::string_view text, DerivedIniType& type) {
  const std::string code = join_text(code_lines(text), "\n");
  auto has = [&](std::string_view part) { return code.find(part) != std::string::npos; };
  type.capitalize = has("value.capitalize!");
  type.downcase = has("value.downcase!");
  type.absent_value = has("newparam(:ensure_absent_val)");
  static const Regex absent("newparam\\(:ensure_absent_val\\).*?defaultto\\(?\\s*['\"]([^'\"]*)['\"]", false, false, true);
  if (const MatchResult m = absent.search(code); m.matched)
    type.absent_text = code.substr(static_cast<size_t>(m.groups[1].begin), static_cast<size_t>(m.groups[1].end - m.groups[1].begin));
  static const Regex separator("newparam\\(:key_val_separator\\)[^\\n]*\\n(?:desc [^\\n]*\\n)?defaultto\\(?\\s*['\"]([^'\"]*)['\"]");
  if (const MatchResult m = separator.search(code); m.matched)
    type.separator = code.substr(static_cast<size_t>(m.groups[1].begin), static_cast<size_t>(m.groups[1].end - m.groups[1].begin));
  static const Regex relation("autorequire\\(:(\\w+)\\) do\\n\\[?['\"]([^'\"#]*)['\"]\\]?\\nend");
  for (size_t at = 0; at < code.size();) {
    const MatchResult m = relation.search(code, at);
    if (!m.matched) break;
    auto group = [&](size_t n) {
      return code.substr(static_cast<size_t>(m.groups[n].begin), static_cast<size_t>(m.groups[n].end - m.groups[n].begin));
    };
    type.requires_.emplace_back(group(1), group(2));
    at = static_cast<size_t>(m.groups[0].end);
  }
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// "PuppetX::KeystoneConfig::IniSetting" -> "puppet_x/keystone_config/ini_setting.rb"
std::string path_of_constant(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == ':') {
      if (!out.ends_with('/')) out += '/';
    } else if (std::isupper(static_cast<unsigned char>(c))) {
      if (!out.empty() && !out.ends_with('/')) out += '_';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + ".rb";
}

} // namespace

std::optional<DerivedIniType> read_derived_ini_type(std::string_view provider_text, std::string_view type_text) {
  const std::vector<std::string> lines = code_lines(provider_text);
  const std::string code = join_text(lines, "\n");
  static const Regex parent(
      "(?::parent\\s*=>|parent:)\\s*Puppet::Type\\.type\\(:(ini_setting|openstack_config)\\)\\.provider\\(:(ruby|ini_setting)\\)");
  const MatchResult m = parent.search(code);
  if (!m.matched) return std::nullopt;
  const bool openstack = code.substr(static_cast<size_t>(m.groups[1].begin), 3) == "ope";
  const bool ruby = code.substr(static_cast<size_t>(m.groups[2].begin), 4) == "ruby";
  if (!openstack && !ruby) return std::nullopt;
  DerivedIniType type;
  type.many_values = openstack && ruby;
  if (!openstack) type.section_in_name = false; // unless the provider defines `section`
  read_type(type_text, type);
  bool section = openstack, setting = openstack;
  for (const Method& method : methods_of(lines)) {
    if (method.name == "section") section = type.section_in_name = true;
    if (method.name == "setting") setting = true;
    if (!understand(method, type)) return std::nullopt;
  }
  // A plain child of ini_setting that lacks these methods takes section and setting from attributes, as ini_setting does: not our case.
  if (!section || !setting || type.path.empty()) return std::nullopt;
  if (!openstack && !type.quotes) type.absent_value = false;
  return type;
}

std::optional<DerivedIniType> read_derived_ini_type(std::string_view type, const RunSettings& settings) {
  if (!settings.library_directories) return std::nullopt;
  // Read module sources directly, not through System: they belong to the catalog, not to the managed machine.
  std::error_code failed;
  for (const std::string& directory : settings.library_directories()) {
    const std::filesystem::path providers = directory + "/puppet/provider/" + std::string(type);
    if (!std::filesystem::is_directory(providers, failed)) continue;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(providers, failed))
      if (entry.path().extension() == ".rb") files.push_back(entry.path());
    // With several providers their text alone does not tell which one Puppet would choose.
    if (files.size() != 1) return std::nullopt;
    std::string type_text = file_text(directory + "/puppet/type/" + std::string(type) + ".rb");
    static const Regex extension("^\\s*extend (PuppetX::[\\w:]+)");
    if (const MatchResult m = extension.search(type_text); m.matched)
      type_text += file_text(directory + "/" +
                             path_of_constant(type_text.substr(static_cast<size_t>(m.groups[1].begin),
                                                               static_cast<size_t>(m.groups[1].end - m.groups[1].begin))));
    return read_derived_ini_type(file_text(files[0]), type_text);
  }
  return std::nullopt;
}

} // namespace pupc::runtime
