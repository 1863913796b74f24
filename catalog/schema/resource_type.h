#pragma once
// Describes a resource type that is not a define: its attributes, which of them name a resource, and how to split a title
// into them. One class for the types of Puppet (native_types.h), pupc's own, and those of modules
// (compiler/ruby/types/type_scan.h).
//   Objects are immutable, so threads share them.
#include "catalog/base/symbol.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

class Regex;

enum class AttributeKind : uint8_t {
  Property,  // a state of the managed thing that Puppet can read and change
  Parameter, // how to manage the thing
};

/// Where the description of a type comes from.
enum class TypeOrigin : uint8_t {
  Core,       // Puppet itself
  CoreModule, // a module that comes with puppet-agent
  Extension,  // pupc's own; a class or define of the same name takes precedence
  Module,     // read from a module's lib/puppet/type
  Generated,  // read from an environment's .resource_types
};

struct AttributeSchema {
  std::string_view name;
  AttributeKind kind;
  bool namevar = false;
};

/// One title pattern: the groups of `regex` give the attributes in order.
struct TitlePatternSchema {
  enum Option : uint8_t { ignore_case = 1, extended = 2, multi_line = 4 }; // as Ruby's Regexp#options
  std::string_view regex;
  uint8_t options = 0;
  std::span<const std::string_view> attributes;
};

/// A type as plain data, from which a ResourceTypeInfo is made. The views must stay valid only until then; for native types they point
/// to tables in the program.
struct TypeSchema {
  std::string_view name{}; // lower case
  TypeOrigin origin = TypeOrigin::Core;
  std::span<const AttributeSchema> attributes{};
  std::span<const TitlePatternSchema> title_patterns{}; // if empty, the title is the value of the only namevar
  bool isomorphic = true;
  bool own_title_patterns = false;   // the type declares its own patterns, perhaps an empty list
  std::string_view dynamic{};        // why not all attributes are known; empty = they are
  std::string_view dynamic_titles{}; // why the title patterns are not known; empty = they are
  std::string_view file{};           // where a module's type is defined
};

/// An attribute that a resource's title gives. `value` is a view into the title, or lives as long as the type.
struct TitlePart {
  Symbol name;
  std::string_view value;
  bool absent = false; // the group did not match: Puppet sets nil, which the document shows as null
  Value made{};        // what the type's code made of the part, where that is no text

  Value as_value() const { return absent ? Value::undef() : made.is_undef() ? Value::string(value) : made; }
};

/// Splits the titles of a type whose patterns have procedures that change the parts.
class TitleCode {
public:
  virtual ~TitleCode() = default;
  /// Adds the attributes of a title. False when there is an error (no pattern matches, the code fails): `problem` is its text. The values
  /// live as long as this object. Thread-safe.
  virtual bool split(std::string_view title, std::vector<TitlePart>& out, std::string& problem) const = 0;
};

struct TitlePattern {
  std::unique_ptr<const Regex> regex;
  std::vector<Symbol> attributes;
};

class ResourceTypeInfo {
public:
  struct Attribute {
    Symbol name;
    AttributeKind kind;
    bool namevar;
  };

  /// Copies everything from `schema`. Title patterns that are not valid regular expressions make the titles dynamic. `code` splits titles
  /// in place of patterns. `has_provider` tells whether the type has the parameter `provider` besides; it is asked once, when somebody
  /// asks for that, because the answer stands in other files, and few resources name their provider.
  explicit ResourceTypeInfo(const TypeSchema& schema, std::unique_ptr<const TitleCode> code = nullptr,
                            std::function<bool()> has_provider = {});
  ~ResourceTypeInfo();
  ResourceTypeInfo(const ResourceTypeInfo&) = delete;
  ResourceTypeInfo& operator=(const ResourceTypeInfo&) = delete;

  /// Lower-case name.
  std::string_view name() const { return name_; }
  TypeOrigin origin() const { return origin_; }
  /// File that defines a module's type; empty for others.
  std::string_view file() const { return file_; }
  /// Whether two resources may not name the same thing (Puppet's `isomorphic?`). False for exec and tidy.
  bool isomorphic() const { return isomorphic_; }

  /// The reason why not all attributes are known without running the type's Ruby code. Empty if they are. With a reason the type accepts
  /// any attribute.
  std::string_view dynamic() const { return dynamic_; }
  /// The reason why the title patterns are not known; empty if they are. With a reason the title is the value of the first namevar.
  std::string_view dynamic_titles() const { return dynamic_titles_; }

  /// Properties, then parameters, in the order of their definition.
  std::span<const Attribute> attributes() const { return std::span(attributes_).first(attributes_.size() - (lacks_provider() ? 1 : 0)); }
  /// The type's own attribute of that name, or null.
  const Attribute* find(Symbol name) const;
  /// Whether a resource may have the attribute: one of the type, a metaparameter (also pupc's guards), or `name` for types
  /// that are defined in Ruby. A dynamic type accepts any. Puppet's error otherwise: "no parameter named 'x'".
  bool valid_attribute(Symbol name) const;

  /// The attributes that name a resource, in order of definition (Puppet's key_attributes).
  std::span<const Symbol> namevars() const { return namevars_; }
  /// The same attributes in the order of a uniqueness key: by name.
  std::span<const Symbol> key_attributes() const { return sorted_namevars_; }
  /// The namevar if there is exactly one, otherwise `name`.
  Symbol namevar() const { return namevars_.size() == 1 ? namevars_.front() : sym::name; }

  /// Adds the attributes that a title gives, in the order of the first matching pattern. An attribute that occurs twice keeps its first
  /// position and its last value. False when no pattern matches: `title_problem` then has the error.
  bool split_title(std::string_view title, std::vector<TitlePart>& out) const;
  /// Whether split_title always returns the whole title as the value of the first namevar. Cheap to ask.
  bool title_is_namevar() const { return rule_ == TitleRule::Whole; }
  /// Puppet's message for a title that cannot be split.
  std::string title_problem(std::string_view title) const;
  const std::vector<TitlePattern>& title_patterns() const { return patterns_; }

private:
  enum class TitleRule : uint8_t {
    Whole,       // the title is the value of the first namevar
    TrimSlashes, // the pattern of file, which needs no regular expression for usual titles
    Patterns,
    Code,
    Unspecified, // several namevars and no patterns: an error in Puppet
  };

  bool lacks_provider() const;

  std::string name_;
  std::string file_;
  std::string dynamic_;
  std::string dynamic_titles_;
  TypeOrigin origin_;
  bool isomorphic_;
  TitleRule rule_;
  std::vector<Attribute> attributes_; // the last is `provider` when `has_provider_` is to tell whether there is one
  std::vector<uint32_t> index_;       // open addressing by symbol: attribute number + 1, 0 = empty; power of two
  std::vector<Symbol> namevars_;
  std::vector<Symbol> sorted_namevars_;
  std::vector<TitlePattern> patterns_;
  std::unique_ptr<const TitleCode> code_;
  std::function<bool()> has_provider_;
  mutable std::once_flag provider_once_;
  mutable bool lacks_provider_ = false;
};

} // namespace pupc::catalog
