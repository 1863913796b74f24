#pragma once
// What a resource's title says about its attributes, by its type's title patterns, and the key that makes it unique.
#include "catalog/graph/catalog.h"
#include "catalog/schema/resource_type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Attributes that the title gives, in the order of the pattern that matches (ResourceTypeInfo::split_title). Classes, nodes and
/// defines: `name`. False when no pattern matches (Puppet then fails: `No set of title patterns matched the title "…".`).
bool parse_title(const Catalog& catalog, TypeId type, std::string_view title, std::vector<TitlePart>& out);

/// The one attribute that names resources of the type; `name` when it has several, or is a class, node or define.
Symbol namevar_of(const Catalog& catalog, TypeId type);

/// The alias under which Puppet keeps a resource besides its title: the values of its key attributes in the order of
/// their names. `display` is the key as error messages print it. Empty key: the type is not isomorphic, or the key is
/// the title itself. Title as a `ReferenceIndex` key for one attribute, else the values joined in a form no title has.
struct UniquenessKey {
  std::string key;
  std::string display;      // values as Ruby's inspect shows them: `"/x"`, `nil, "c", nil`
  std::string flat_display; // the same with lists flattened, as the key is kept
  std::string problem;      // Puppet's error when no title pattern matches
  bool none() const { return key.empty(); }
};
/// `params` may be empty: the key of a bare reference. Throws nothing; a title that matches no pattern gives no key.
UniquenessKey uniqueness_key(const Catalog& catalog, TypeId type, std::string_view title, std::span<const Param> params);

/// Whether the attribute is part of the type's uniqueness key.
bool is_key_attribute(const Catalog& catalog, TypeId type, Symbol name);

/// Whether a native type has the parameter or property (metaparameters aside).
bool native_parameter(const Catalog& catalog, TypeId type, Symbol name);

/// Finds a resource by title, alias or, as Puppet does, by the key that its title stands for (File['/x/'] is File['/x']).
ResourceId find_resource(const Catalog& catalog, TypeId type, std::string_view title);

} // namespace pupc
