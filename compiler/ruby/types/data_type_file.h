#pragma once
// Reads data types that modules write in Ruby (lib/puppet/datatypes/*.rb), without running the file where that is not necessary.
#include <optional>
#include <string>

namespace pupc::compiler {

struct RubyDataType {
  std::string name;         // as the file spells it
  std::string interface;    // the text between the braces of Object[{…}]
  bool implemented = false; // the file has an `implementation` or `implementation_class`: the type's functions are in Ruby
};

/// Reads the type of a file that consists of one `Puppet::DataTypes.create_type('Name') do … end` with a literal `interface`. Returns
/// nothing when the file does anything else: then Ruby must run it.
std::optional<RubyDataType> read_data_type(const std::string& path, std::string text);

} // namespace pupc::compiler
