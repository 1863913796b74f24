#pragma once
// Types of modules whose Ruby provider is nothing but ini_setting's with a file, a separator and names of its own ("nova_config"): read
// from the module's source, so that they are applied without Ruby.
#include "runtime/provider/provider.h"

namespace pupc {

/// What such a type's two Ruby files say.
struct DerivedIniType {
  std::string path; // the file, when no attribute names another
  std::string separator = "=";
  bool path_attribute = false; // `path` names another file
  bool section_in_name = true; // "section/setting"; else the name is the setting, before any section
  bool many_values = false;    // a setting may stand on several lines, one for each value
  bool capitalize = false;     // true and false are written True and False
  bool downcase = false;
  bool absent_value = false; // a value that means `ensure => absent`
  bool quotes = false;       // with `quote => true` values are put into double quotes
  std::string absent_text = "<SERVICE DEFAULT>";
  std::vector<std::pair<std::string, std::string>> requires_; // type, title
};

/// Reads the type from the libraries of the modules; nothing when it is none of these or does more than can be read.
std::optional<DerivedIniType> read_derived_ini_type(std::string_view type, const RunSettings& settings);
/// The same from the text of the provider and of the type.
std::optional<DerivedIniType> read_derived_ini_type(std::string_view provider_text, std::string_view type_text);

std::unique_ptr<TypeHandler> make_derived_ini_handler(DerivedIniType type, std::string name);

} // namespace pupc
