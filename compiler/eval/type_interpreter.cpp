#include "compiler/eval/type_interpreter.h"

#include "catalog/base/stack.h"
#include "compiler/ast/children.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_type.h"
#include "compiler/types/type_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool range_parameter(const Value& v) { return v.is_int() || v.is(Kind::Default) || (v.is_string() && v.str() == "default"); }

bool integer_type(const Value& v) {
  const Type* t = as_type(v);
  return t != nullptr && t->kind == TypeKind::Integer;
}

/// The class of a value as Ruby's messages name it.
std::string_view class_name(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "NilClass";
  case Kind::Default: return "Symbol";
  case Kind::Bool: return v.b ? "TrueClass" : "FalseClass";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  default: return "Object";
  }
}

struct Arity {
  std::string_view name; // lower case
  size_t least, most;
  std::string_view label, required;
};
constexpr size_t any_number = ~size_t{0};
/// The types whose number of parameters Puppet checks first.
constexpr Arity arities[] = {
    {"array", 1, 3, "Array", "1 to 3"},
    {"hash", 2, 4, "Hash", "2 to 4"},
    {"collection", 1, 2, "Collection", "1 to 2"},
    {"class", 1, 1, "Class", "1"},
    {"regexp", 1, 1, "Regexp", "1"},
    {"uri", 1, 1, "URI", "1"},
    {"struct", 1, 1, "Struct", "1"},
    {"boolean", 1, 1, "Boolean", "1"},
    {"integer", 1, 2, "Integer", "1 or 2"},
    {"float", 1, 2, "Float", "1 or 2"},
    {"string", 1, 2, "String", "1 to 2"},
    {"sensitive", 0, 1, "Sensitive", "0 to 1"},
    {"optional", 1, 1, "Optional", "1"},
    {"notundef", 0, 1, "NotUndef", "0 to 1"},
    {"type", 1, 1, "Type", "1"},
    {"runtime", 2, 2, "Runtime", "2"},
    {"timespan", 0, 2, "Timespan", "0 to 2"},
    {"timestamp", 0, 2, "Timestamp", "0 to 2"},
    {"iterable", 1, 1, "Iterable", "1"},
    {"iterator", 1, 1, "Iterator", "1"},
    {"object", 1, 1, "Object", "1"},
    {"typeset", 1, 1, "Object", "1"},
    {"resource", 1, 2, "Resource", "1 or 2"},
    {"pattern", 1, any_number, "Pattern", "1 or more"},
    {"variant", 1, any_number, "Variant", "1 or more"},
};

[[noreturn]] void wrong_number(std::string_view type, std::string_view required, size_t given) {
  fail_type(fmt::format("Invalid number of type parameters specified: {} requires {}, {} provided", type, required, given));
}

constexpr std::string_view without_parameters[] = {"any",     "data",        "catalogentry", "scalar",     "undef",    "numeric",
                                                   "default", "semverrange", "binary",       "scalardata", "richdata", "typereference"};

} // namespace

std::string_view TypeInterpreter::text_of(const Node& node) const {
  // Puppet gives the outermost expression the place of the whole definition, and its excerpt of it lacks the last character.
  if (alias_ != nullptr && &node == alias_->type)
    return source_.substr(alias_->offset, alias_->length - std::min<uint32_t>(alias_->length, 1));
  uint32_t begin = node.offset, end = node.offset + node.length;
  auto widen = [&](auto&& self, const Node& n) -> void {
    for_each_child(n, [&](const Node* child) {
      begin = std::min(begin, child->offset);
      end = std::max(end, child->offset + child->length);
      self(self, *child);
    });
  };
  widen(widen, node);
  if (node.kind == NodeKind::Parenthesized) end = node.as<Unary>().operand->offset + node.as<Unary>().operand->length;
  return source_.substr(begin, end - begin);
}

void TypeInterpreter::invalid(const Node& node) const {
  fail_type(fmt::format("The expression <{}> is not a valid type specification.", text_of(node)));
}

const Type* TypeInterpreter::type(const Node& expression) {
  const Type* t = as_type(expression.kind == NodeKind::Access ? access(expression.as<Access>()) : value(expression));
  if (t == nullptr) invalid(expression);
  return t;
}

Value TypeInterpreter::value(const Node& node) {
  check_native_stack();
  switch (node.kind) {
  case NodeKind::Literal:
  case NodeKind::RegexLiteral: return node.as<Literal>().value;
  case NodeKind::Name: return Value::string(node.as<Name>().name.str());
  case NodeKind::Minus: {
    Value v = value(*node.as<Unary>().operand);
    if (v.is_int()) return Value::integer(-v.i);
    if (v.is_float()) return Value::floating(-v.d);
    invalid(node);
  }
  case NodeKind::ListLiteral: {
    ListBuilder out(ctx_.arena);
    for (const Node* element : node.as<ListLiteral>().elements) out.add(value(*element));
    return out.finish();
  }
  case NodeKind::HashLiteral: {
    HashBuilder out(ctx_.arena);
    for (const KeyedEntry& e : node.as<HashLiteral>().entries) {
      Value key = value(*e.key);
      out.set(key, value(*e.value));
    }
    return out.finish();
  }
  case NodeKind::Reference: {
    const auto& reference = node.as<Reference>();
    std::string_view name = reference.cased.str(), lower = reference.name.str();
    if (name.starts_with("::")) name.remove_prefix(2);
    if (lower.starts_with("::")) lower.remove_prefix(2);
    if (const Type* t = builtin_type(name)) return Value::type(t);
    if (ctx_.resource_type_exists(lower)) return Value::type(resource_type(ctx_.arena, lower));
    if (const Type* t = ctx_.load_type(name)) return Value::type(t);
    return Value::type(ctx_.arena.make<TypeReferenceType>(reference.cased.str()));
  }
  case NodeKind::Access:
    if (known_ != nullptr)
      if (const Type* t = known_->find(node.as<Access>())) return Value::type(t);
    return access(node.as<Access>());
  default: invalid(node);
  }
}

Value TypeInterpreter::make(const Type* base, std::span<const Value> parameters) const {
  try {
    return parameterize(ctx_, base, parameters);
  } catch (TypeArgumentError& error) { fail_type(std::move(error.diagnostic.message)); }
}

Value TypeInterpreter::access(const Access& node) {
  std::vector<Value> parameters;
  for (const Node* key : node.keys) parameters.push_back(value(*key));
  if (node.left->kind != NodeKind::Reference) invalid(node);
  const auto& reference = node.left->as<Reference>();
  std::string_view name = reference.name.str();
  if (name.starts_with("::")) name.remove_prefix(2);
  size_t count = parameters.size();
  for (const Arity& a : arities)
    if (a.name == name && (count < a.least || count > a.most)) wrong_number(a.label, a.required, count);
  if (std::find(std::begin(without_parameters), std::end(without_parameters), name) != std::end(without_parameters))
    fail_type(fmt::format("Not a parameterized type <{}>", text_of(*node.left)));

  auto is_type = [&](size_t i) { return as_type(parameters[i]) != nullptr; };
  auto need_type = [&](size_t i) {
    if (!is_type(i)) invalid(node);
  };
  auto need_range = [&](size_t i) {
    if (!range_parameter(parameters[i])) invalid(node);
  };
  auto size_of = [&](size_t from, size_t to) {
    Value bounds[] = {parameters[from], parameters[to]};
    return type_cast<RangeType>(as_type(make(types::integer(), bounds))).range;
  };

  if (name == "array") {
    if (count == 2 && !is_type(0)) {
      need_range(0);
      need_range(1);
      return Value::type(types::array(ctx_.arena, types::default_type(), size_of(0, 1), true));
    }
    need_type(0);
    if (count == 2 && !integer_type(parameters[1])) need_range(1);
    if (count == 3) {
      need_range(1);
      need_range(2);
    }
  } else if (name == "hash") {
    if (count == 2 && !(is_type(0) && is_type(1))) {
      need_range(0);
      need_range(1);
      return Value::type(types::hash(ctx_.arena, types::default_type(), types::default_type(), size_of(0, 1), true));
    }
    if (count == 3 && !integer_type(parameters[2])) need_range(2);
    if (count == 4) {
      need_range(2);
      need_range(3);
    }
    need_type(0);
    need_type(1);
  } else if (name == "collection") {
    if (count == 2 || !integer_type(parameters[0]))
      for (size_t i = 0; i < count; ++i) need_range(i);
  } else if (name == "string") {
    if (count == 2 || !integer_type(parameters[0]))
      for (size_t i = 0; i < count; ++i) need_range(i);
  } else if (name == "integer" || name == "float") {
    for (const Value& v : parameters)
      if (!v.is_int() && !v.is(Kind::Default) && !(name == "float" && v.is_float())) {
        if (count == 1) return Value::undef(); // nothing: the caller that needs a type raises the error
        invalid(node);
      }
  } else if (name == "enum") {
    if (count > 0 && parameters.back().is_bool()) --count;
    if (count == 0) wrong_number("Enum", "1 or more", 0);
    for (size_t i = 0; i < count; ++i)
      if (!parameters[i].is_string()) fail_type("Enum parameters must be identifiers or strings");
  } else if (name == "pattern") {
    for (const Value& v : parameters) {
      const Type* t = as_type(v);
      if (!v.is_string() && !v.is(Kind::Regex) && (t == nullptr || (t->kind != TypeKind::Regexp && t->kind != TypeKind::Pattern)))
        fail_type(fmt::format("Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '{}",
                              t != nullptr ? fmt::format("Puppet::Pops::Types::P{}Type", type_base_name(t)) : std::string(class_name(v))));
    }
  } else if (name == "variant") {
    for (size_t i = 0; i < count; ++i) need_type(i);
  } else if (name == "boolean") {
    if (!parameters[0].is_bool()) fail_type("Boolean parameter must be true or false");
  } else if (name == "struct") {
    if (!parameters[0].is_hash()) invalid(node);
  } else if (name == "init" || name == "iterable" || name == "iterator" || name == "type" || name == "sensitive") {
    if (count > 0) need_type(0);
  } else if (name == "optional" || name == "notundef") {
    if (count == 1 && !parameters[0].is_string()) need_type(0);
  } else if (name == "callable") {
    if (count > 1 && parameters[0].is_list() && count != 2) wrong_number("callable", "2 when first parameter is an array", count);
  } else if (name == "regexp") {
    if (parameters[0].is_undef()) return Value::type(types::regexp());
  } else if (name == "uri") {
    if (!parameters[0].is_string() && !parameters[0].is_hash() && !parameters[0].is(Kind::Uri)) return Value::type(types::uri());
  } else if (name == "timestamp" || name == "timespan") {
    for (const Value& v : parameters)
      if (v.is_list())
        fail_type(fmt::format("Unable to create a Puppet::Pops::Time::{} from a Array", name == "timestamp" ? "Timestamp" : "Timespan"));
  } else if (name == "tuple") {
    size_t ranges = 0;
    if (count >= 2 && range_parameter(parameters[count - 2])) {
      need_range(count - 1);
      ranges = 2;
    } else if (range_parameter(parameters[count - 1])) {
      ranges = 1;
    }
    if (ranges == count) return Value::type(types::tuple());
    // A string is the name of a Ruby class.
    for (size_t i = 0; i + ranges < count; ++i) {
      if (parameters[i].is_undef()) parameters[i] = Value::type(types::undef());
      if (parameters[i].is_string()) parameters[i] = Value::type(ctx_.arena.make<RuntimeType>("ruby", parameters[i].str()));
      need_type(i);
    }
  }
  return named(node, reference, parameters);
}

Value TypeInterpreter::named(const Access& node, const Reference& reference, const std::vector<Value>& parameters) {
  std::string_view cased = reference.cased.str();
  if (cased.starts_with("::")) cased.remove_prefix(2);
  Value left = value(reference);
  const Type* base = as_type(left);
  switch (base->kind) {
  case TypeKind::TypeReference:
    if (builtin_type(cased) != nullptr) break;
    return Value::type(ctx_.arena.make<TypeReferenceType>(ctx_.arena.copy(text_of(node))));
  case TypeKind::TypeAlias: fail_type(fmt::format("Not a parameterized type <{}>", text_of(reference)));
  case TypeKind::Resource:
    if (reference.name.str() == "resource") break;
    if (parameters.size() != 1) wrong_number(cased, "1", parameters.size());
    break;
  default: break;
  }
  return make(base, parameters);
}

} // namespace pupc::compiler
