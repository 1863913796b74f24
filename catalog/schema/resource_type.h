#pragma once
// What is known of a resource type that is no define: its attributes, which of them name a resource, and how a title is split
// into them. One class for the types of Puppet (native_types.h), pupc's own, and those of modules
// (compiler/ruby_source/type_scan.h).
//   Immutable once made; shared by threads.
#include "catalog/base/symbol.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class Regex;

enum class AttributeKind : uint8_t {
  Property,  // something of the managed thing that can be read and changed
  Parameter, // how to manage it
};

/// Where the knowledge of a type comes from.
enum class TypeOrigin : uint8_t {
  Core,       // Puppet itself
  CoreModule, // a module that comes with puppet-agent
  Extension,  // pupc's own; a class or define of the same name goes before it
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

/// A type as data. Views into something that outlives the making of a ResourceTypeInfo; native types: tables in the program.
struct TypeSchema {
  std::string_view name{}; // lower case
  TypeOrigin origin = TypeOrigin::Core;
  std::span<const AttributeSchema> attributes{};
  std::span<const TitlePatternSchema> title_patterns{}; // none given: the title is the only namevar's value
  bool isomorphic = true;
  bool own_title_patterns = false;   // the type gives its patterns itself, even if that is an empty list
  std::string_view dynamic{};        // not empty: the attributes are not all known, and why
  std::string_view dynamic_titles{}; // not empty: the title patterns are not known, and why
  std::string_view file{};           // where a module's type is defined
};

/// An attribute that a resource's title gives. `value` is a view into the title.
struct TitlePart {
  Symbol name;
  std::string_view value;
  bool absent = false; // a group that took no part in the match: Puppet gives nil, which its document prints as null
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

  /// Takes over a copy of everything. Title patterns that are no valid regular expression make the titles dynamic.
  explicit ResourceTypeInfo(const TypeSchema& schema);
  ~ResourceTypeInfo();
  ResourceTypeInfo(const ResourceTypeInfo&) = delete;
  ResourceTypeInfo& operator=(const ResourceTypeInfo&) = delete;

  /// Lower-case name.
  std::string_view name() const { return name_; }
  TypeOrigin origin() const { return origin_; }
  /// File that defines a module's type; empty for others.
  std::string_view file() const { return file_; }
  /// Whether two resources that name the same thing are an error (Puppet's `isomorphic?`); exec and tidy are not.
  bool isomorphic() const { return isomorphic_; }

  /// Not empty when the attributes cannot all be known without running the type's Ruby code, with the reason. Such a type accepts any.
  std::string_view dynamic() const { return dynamic_; }
  /// Not empty when the title patterns cannot be known, with the reason. The title is then the value of the first namevar.
  std::string_view dynamic_titles() const { return dynamic_titles_; }

  /// Properties, then parameters, in the order of their definition.
  std::span<const Attribute> attributes() const { return attributes_; }
  /// The type's own attribute of that name, or null.
  const Attribute* find(Symbol name) const;
  /// Whether a resource may have the attribute: the type's own, a metaparameter (pupc's guards too), and `name` for all types that
  /// are defined in Ruby; anything for a dynamic type. Puppet's error otherwise: "no parameter named 'x'".
  bool valid_attribute(Symbol name) const;

  /// Attributes that name a resource, in the order of definition (Puppet's key_attributes).
  std::span<const Symbol> namevars() const { return namevars_; }
  /// The same in the order of a uniqueness key: by name.
  std::span<const Symbol> key_attributes() const { return sorted_namevars_; }
  /// The namevar when there is exactly one, else `name`.
  Symbol namevar() const { return namevars_.size() == 1 ? namevars_.front() : sym::name; }

  /// Attributes that a title gives, in the order of the first pattern that matches (an attribute named twice keeps its first
  /// place and takes the last value). False when the title gives none; `title_problem` has the error then.
  bool split_title(std::string_view title, std::vector<TitlePart>& out) const;
  /// Whether split_title gives just the whole title, as the value of the first namevar. Cheap.
  bool title_is_namevar() const { return rule_ == TitleRule::Whole; }
  /// Puppet's message for a title that cannot be split.
  std::string title_problem(std::string_view title) const;
  const std::vector<TitlePattern>& title_patterns() const { return patterns_; }

private:
  enum class TitleRule : uint8_t {
    Whole,       // to the first namevar
    TrimSlashes, // file's pattern, without a regular expression for the usual titles
    Patterns,
    Unspecified, // several namevars and no patterns: an error in Puppet
  };

  std::string name_;
  std::string file_;
  std::string dynamic_;
  std::string dynamic_titles_;
  TypeOrigin origin_;
  bool isomorphic_;
  TitleRule rule_;
  std::vector<Attribute> attributes_;
  std::vector<uint32_t> index_; // open addressing by symbol: attribute number + 1, 0 = empty; power of two
  std::vector<Symbol> namevars_;
  std::vector<Symbol> sorted_namevars_;
  std::vector<TitlePattern> patterns_;
};

} // namespace pupc
