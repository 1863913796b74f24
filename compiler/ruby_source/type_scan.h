#pragma once
// Resource types of modules, read without running their Ruby code: lib/puppet/type/*.rb (Puppet::Type.newtype and
// Puppet::ResourceApi.register_type) and what `puppet generate types` writes to an environment's .resource_types.
// What cannot be known without Ruby makes a type dynamic: it then accepts any attribute. A type is never guessed.
#include "catalog/schema/resource_type.h"
#include "compiler/ruby_source/ruby_static.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// A type as found, owning its text.
struct ScannedType {
  struct Attribute {
    std::string name;
    AttributeKind kind = AttributeKind::Parameter;
    bool namevar = false;
  };
  struct Pattern {
    std::string regex;
    uint8_t options = 0; // TitlePatternSchema::Option
    std::vector<std::string> attributes;
  };
  std::string name; // lower case
  TypeOrigin origin = TypeOrigin::Module;
  std::string file;
  std::vector<Attribute> attributes;
  std::optional<std::vector<Pattern>> title_patterns;
  bool isomorphic = true;
  bool resource_api = false;
  std::string dynamic;        // why the attributes are not all known
  std::string dynamic_titles; // why the title patterns are not known

  /// Adds the parameter `provider` unless the type has it: Puppet does so when a provider is found.
  void add_provider();
  std::unique_ptr<const ResourceTypeInfo> info() const;
};

struct TypeScan {
  std::vector<ScannedType> types;
  /// Not empty when the file may define types that were not seen, with the reason.
  std::string doubt;

  /// The type of that name; one that may be there but was not seen is dynamic; nothing when there is none.
  std::optional<ScannedType> find(std::string_view name) const;
};

/// Reads a file of lib/puppet/type with the files it requires. Never throws: what cannot be followed is said in `doubt` or makes a
/// type dynamic. `finder` may be empty.
TypeScan scan_type_file(const std::string& path, std::string text, const RubyFinder& finder);

/// Reads a file of .resource_types: one `Puppet::Resource::ResourceType3.new(…)`. Nothing and `error` when it is not of that form.
std::optional<ScannedType> read_generated_type(const std::string& path, std::string_view text, std::string& error);

} // namespace pupc
