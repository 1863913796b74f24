#pragma once
// The manual of the native resource types: what each type and attribute is for.
#include <string_view>

namespace pupc::catalog {

struct TypeDoc {
  std::string_view type, summary, example;
};

struct AttributeDoc {
  std::string_view type, attribute, values, fallback, text; // fallback: what holds without the attribute
};

/// The manual of a native type or of one of its attributes; null when there is none.
const TypeDoc* find_type_doc(std::string_view type);
const AttributeDoc* find_attribute_doc(std::string_view type, std::string_view attribute);

/// What a metaparameter or guard is for; "" for other names.
std::string_view metaparameter_doc(std::string_view name);

} // namespace pupc::catalog
