#pragma once
// Data types that modules write in Ruby: lib/puppet/datatypes/*.rb, read without running them where that tells all.
#include <optional>
#include <string>

namespace pupc {

struct RubyDataType {
  std::string name;         // as the file spells it
  std::string interface;    // what stands between the braces of Object[{…}]
  bool implemented = false; // has an `implementation` or `implementation_class`: its functions are in Ruby
};

/// The type of a file that is one `Puppet::DataTypes.create_type('Name') do … end` with a literal `interface`. Nothing when the file
/// does anything else: then only running it tells.
std::optional<RubyDataType> read_data_type(const std::string& path, std::string text);

} // namespace pupc
