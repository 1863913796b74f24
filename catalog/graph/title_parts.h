#pragma once
// The attributes that a resource's title gives, by the title patterns of its type, and the key that makes the resource unique.
#include "catalog/graph/catalog.h"
#include "catalog/schema/resource_type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Adds the attributes that the title gives, in the order of the matching pattern (ResourceTypeInfo::split_title). For classes, nodes
/// and defines this is `name`. False when no pattern matches (Puppet then fails: `No set of title patterns matched the title "…".`).
bool parse_title(const Catalog& catalog, TypeId type, std::string_view title, std::vector<TitlePart>& out);

/// The attribute that names resources of the type. It is `name` when the type has several, or is a class, node or define.
Symbol namevar_of(const Catalog& catalog, TypeId type);

/// The alias under which Puppet also stores a resource: the values of its key attributes, ordered by attribute name.
/// `key` serves in a ReferenceIndex: the plain value for one attribute, otherwise the values joined in a form that no title has.
/// It is empty when the type is not isomorphic, or when the key is the title itself. `display` is the key in error messages.
struct UniquenessKey {
  std::string key;
  std::string display;      // values as Ruby's inspect shows them: `"/x"`, `nil, "c", nil`
  std::string flat_display; // the same with lists flattened, as in the stored key
  std::string problem;      // Puppet's error when no title pattern matches
  bool none() const { return key.empty(); }
};
/// The uniqueness key of a resource. `params` may be empty, for the key of a bare reference. Does not throw: a title that matches no
/// pattern gives no key.
UniquenessKey uniqueness_key(const Catalog& catalog, TypeId type, std::string_view title, std::span<const Param> params);

/// Whether a native type has the parameter or property (metaparameters aside).
bool native_parameter(const Catalog& catalog, TypeId type, Symbol name);

/// Finds a resource by title, alias or, as Puppet does, by the key that its title stands for (File['/x/'] is File['/x']).
ResourceId find_resource(const Catalog& catalog, TypeId type, std::string_view title);

} // namespace pupc::catalog
