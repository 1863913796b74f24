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

namespace pupc::compiler {

/// A name of source text in lower case and without leading colons.
inline Symbol lower_symbol(std::string_view name) {
  name = without_leading_colons(name);
  return has_capital(name) ? intern(ascii_lower(name)) : intern(name);
}
inline Symbol lower_symbol(Symbol name) {
  const std::string_view text = name.str();
  return text.starts_with(':') || has_capital(text) ? lower_symbol(text) : name;
}
inline std::string_view lower_name(std::string_view name) { return lower_symbol(name).str(); }
inline std::string_view lower_name(Symbol name) { return lower_symbol(name).str(); }

/// The expression within parentheses, if there are any.
inline const Node* unparenthesised(const Node* n) {
  while (n != nullptr && n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  return n;
}

/// The text of a name, or of a string that stands whole in the code.
inline std::optional<std::string_view> written_text(const Node& n) {
  if (n.kind == NodeKind::Name) return n.as<Name>().name.str();
  if (n.kind == NodeKind::Literal && n.as<Literal>().value.is_string()) return n.as<Literal>().value.str();
  return std::nullopt;
}

inline bool is_default(const Node& n) { return n.kind == NodeKind::Literal && n.as<Literal>().value.is(Kind::Default); }

/// The elements of an array that stands in the code, else the expression itself.
class ListedElements {
public:
  explicit ListedElements(const Node* n) : one_(n), list_(n->kind == NodeKind::ListLiteral ? &n->as<ListLiteral>().elements : nullptr) {}
  const Node* const* begin() const { return list_ != nullptr ? list_->data : &one_; }
  const Node* const* end() const { return list_ != nullptr ? list_->data + list_->size : &one_ + 1; }

private:
  const Node* one_;
  const Seq<Node*>* list_;
};
inline ListedElements listed_elements(const Node* n) { return ListedElements(n); }

/// What sets the attribute in the body, or null. A hash given with `* =>` may set it, too.
inline const AttributeOp* attribute_of(const ResourceBody& body, Symbol name) {
  for (const AttributeOp& op : body.operations)
    if (op.name == name && op.kind != AttributeOpKind::Splat) return &op;
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
/// A part of the title, or the text of a symbol.
inline std::string_view plain_title(Symbol type, std::string_view title) {
  if (type == sym::file)
    while (title.size() > 1 && title.ends_with('/')) title.remove_suffix(1);
  return type == sym::class_ ? lower_name(title) : title;
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

} // namespace pupc::compiler
