#pragma once
// Reads the resource types of modules without running their Ruby code: lib/puppet/type/*.rb (Puppet::Type.newtype and
// Puppet::ResourceApi.register_type), and the files that `puppet generate types` writes to an environment's .resource_types.
// The reader never guesses: if it needs Ruby to know a type, it marks the type as dynamic, and the type accepts any attribute.
#include "catalog/schema/resource_type.h"
#include "compiler/ruby/syntax/ruby_static.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// A resource type as its file declares it. It owns its texts.
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
  bool title_code = false;    // the patterns have procedures that change the parts (TitleCode)

  /// Adds the parameter `provider` unless the type has it, as Puppet does when it finds a provider of the type.
  void add_provider();
  bool declares_provider() const;
  /// `has_provider`: see ResourceTypeInfo.
  std::unique_ptr<const ResourceTypeInfo> info(std::unique_ptr<const TitleCode> code = nullptr,
                                               std::function<bool()> has_provider = {}) const;
};

struct TypeScan {
  std::vector<ScannedType> types;
  /// If the file may define more types than `types`, the reason; otherwise empty.
  std::string doubt;

  /// Takes a type out by name. If the scan may have missed it (`doubt`), returns a dynamic type. Nothing when the file does not define it.
  std::optional<ScannedType> find(std::string_view name) &&;
};

/// Reads a file of lib/puppet/type and the files that it requires. Never throws: code that it cannot follow sets `doubt` or makes a type
/// dynamic. `finder` may be empty.
TypeScan scan_type_file(std::shared_ptr<const RubyFile> file, const RubyFinder& finder);

/// Reads a file of .resource_types, which is one `Puppet::Resource::ResourceType3.new(…)`. If it has another form, sets `error` and returns
/// nothing.
std::optional<ScannedType> read_generated_type(const std::string& path, std::string_view text, std::string& error);

} // namespace pupc::compiler
