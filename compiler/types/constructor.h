#pragma once
// What `new` accepts for each type: the signatures that Puppet declares. compiler/conversion makes the values.
#include "compiler/types/core_types.h"

#include <string_view>
#include <vector>

namespace pupc::compiler {

/// The function that belongs to a signature: see constructors.def.
enum class ConstructorCode : uint8_t {
#define CONSTRUCTOR(name) name,
#define REFUSAL(name) name,
#include "compiler/types/constructors.def"
#undef CONSTRUCTOR
#undef REFUSAL
};

struct Constructor {
  const Type* callable = nullptr;
  std::vector<std::string_view> names;
  ConstructorCode code;
  bool refuses = false; // the code gives the reason why it takes no such arguments
};

struct ConstructorSet {
  std::string_view function; // as messages name it: "new_float"
  std::vector<Constructor> list;
};

/// The constructors of a type, or null when it has none. The caller strips aliases, Optional and NotUndef first.
/// The set of a built-in type is made once per process.
const ConstructorSet* find_constructors(const Type* type);

} // namespace pupc::compiler
