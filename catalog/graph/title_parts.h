#pragma once
// What a resource's title says about its attributes, by its type's title patterns, and the key that makes it unique.
#include "catalog/graph/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct TitlePart {
  Symbol name;
  std::string_view value;
};

/// Attributes that the title gives, in the order of the pattern that matches. Classes, nodes and defines: `name`. False when no
/// pattern matches (the reference then fails: `No set of title patterns matched the title "…".`).
bool parse_title(const Catalog& catalog, TypeId type, std::string_view title, std::vector<TitlePart>& out);

/// The one attribute that names resources of the type; `name` when it has several, or is a class, node or define.
Symbol namevar_of(const Catalog& catalog, TypeId type);

/// The alias under which the reference keeps a resource besides its title: the values of its key attributes in the order of
/// their names. `display` is the key as error messages print it (`["/x"]`). Empty key: the type is not isomorphic, or the key is
/// the title itself. Title as a `ReferenceIndex` key for one attribute, else the values joined in a form no title has.
struct UniquenessKey {
  std::string key;
  std::string display;
  bool none() const { return key.empty(); }
};
/// `params` may be empty: the key of a bare reference. Throws nothing; a title that matches no pattern gives no key.
UniquenessKey uniqueness_key(const Catalog& catalog, TypeId type, std::string_view title, std::span<const Param> params);

/// Finds a resource by title, alias or, as the reference does, by the key that its title stands for (File['/x/'] is File['/x']).
ResourceId find_resource(const Catalog& catalog, TypeId type, std::string_view title);

} // namespace pupc
