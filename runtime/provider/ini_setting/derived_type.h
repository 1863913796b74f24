#pragma once
// Module types such as nova_config whose Ruby provider only gives ini_setting another file, separator and naming. pupc reads these from
// the module's source and applies the type without Ruby.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// What the Ruby files of such a type and its provider define.
struct DerivedIniType {
  std::string path; // the file, unless an attribute names another
  std::string separator = "=";
  bool path_attribute = false; // `path` names another file
  bool section_in_name = true; // the title is "section/setting"; else a setting before the first section
  bool many_values = false;    // a setting may have several lines, one for each value
  bool capitalize = false;     // write true and false as True and False
  bool downcase = false;
  bool absent_value = false; // absent_text as value means `ensure => absent`
  bool quotes = false;       // `quote => true` puts values into double quotes
  std::string absent_text = "<SERVICE DEFAULT>";
  std::vector<std::pair<std::string, std::string>> requires_; // type, title
};

/// Reads a type from the modules' libraries; nothing when it is no such type or its code does more than pupc understands.
std::optional<DerivedIniType> read_derived_ini_type(std::string_view type, const RunSettings& settings);
/// Reads a type from the source texts of its provider and its type; nothing in the same cases.
std::optional<DerivedIniType> read_derived_ini_type(std::string_view provider_text, std::string_view type_text);

/// The handler of such a type; `name` is the type's, in lower case.
std::unique_ptr<TypeHandler> make_derived_ini_handler(DerivedIniType type, std::string name);

} // namespace pupc::runtime
