#pragma once
// Small questions about the syntax tree and its values that several checks ask.
#include "compiler/ast/ast.h"

#include "catalog/base/text.h"
#include "catalog/value/value.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// The expression within parentheses, if there are any.
inline const Node* unparenthesised(const Node* n) {
  while (n != nullptr && n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  return n;
}

/// The elements of an array that stands in the code, else the expression itself.
inline std::vector<const Node*> listed_elements(const Node* n) {
  if (n->kind != NodeKind::ListLiteral) return {n};
  return {n->as<ListLiteral>().elements.begin(), n->as<ListLiteral>().elements.end()};
}

/// What sets the attribute in the body, or null. A hash given with `* =>` may set it, too.
inline const AttributeOp* attribute_of(const ResourceBody& body, std::string_view name) {
  for (const AttributeOp& op : body.operations)
    if (op.kind != AttributeOpKind::Splat && op.name.str() == name) return &op;
  return nullptr;
}

/// Whether a hash given with `* =>` may set any attribute.
inline bool has_splat(const Seq<AttributeOp>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const AttributeOp& op) { return op.kind == AttributeOpKind::Splat; });
}

/// A scalar as the text that the rules of resource types compare; nullopt for other values.
inline std::optional<std::string> scalar_text(const Value& v) {
  if (v.is_string()) return std::string(v.str());
  if (v.is_bool()) return std::string(v.b ? "true" : "false");
  if (v.is_int()) return std::to_string(v.i);
  if (v.is_float()) return fmt::format("{}", v.d);
  return std::nullopt;
}

/// The title by which resources are compared: that of a file ends with no slash, that of a class is in lower case and without leading ::.
inline std::string plain_title(std::string_view type, std::string title) {
  if (type == "file")
    while (title.size() > 1 && title.ends_with('/')) title.pop_back();
  if (type == "class") title = ascii_lower(without_leading_colons(title));
  return title;
}

/// Whether `text` is one of the words of "a|b|c".
inline bool one_of(std::string_view words, std::string_view text) {
  for (size_t begin = 0; begin <= words.size();) {
    const size_t end = std::min(words.find('|', begin), words.size());
    if (words.substr(begin, end - begin) == text) return true;
    begin = end + 1;
  }
  return false;
}

} // namespace pupc
