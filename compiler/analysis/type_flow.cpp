// The types that expressions have by declarations: of parameters, of what a block gets from the function that calls it, of elements of
// typed collections; and whether two types have no value in common.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"
#include "compiler/types/mismatch.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool apart(const Range& a, const Range& b) {
  return (!a.to_open && !b.from_open && a.to < b.from) || (!b.to_open && !a.from_open && b.to < a.from);
}

const Type* of_values(Arena& arena, const StructType& type) {
  std::vector<const Type*> values;
  for (const StructElement& e : type.elements) values.push_back(e.value);
  return values.empty() ? nullptr : types::variant(arena, values);
}

/// What a block gets for each element: a collection's elements, or the keys and values of a hash.
struct Elements {
  const Type* key = nullptr; // of a hash, or the index of an element
  const Type* value = nullptr;
  bool hash = false;
};

Elements elements_of(Arena& arena, const Type* type) {
  type = bare_type(type);
  if (type == nullptr) return {};
  switch (type->kind) {
  case TypeKind::Array: return {types::integer(), type_cast<ArrayType>(type).element, false};
  case TypeKind::Tuple: {
    const auto& parts = type_cast<TupleType>(type).types;
    return {types::integer(), parts.empty() ? nullptr : types::variant(arena, parts), false};
  }
  case TypeKind::Hash: return {type_cast<HashType>(type).key, type_cast<HashType>(type).value, true};
  case TypeKind::Struct: return {types::string(), of_values(arena, type_cast<StructType>(type)), true};
  case TypeKind::Integer: return {types::integer(), types::integer(), false};
  case TypeKind::String: return {types::integer(), types::string(), false};
  default: return {};
  }
}

/// The functions that call their block for each element of their first argument, with it and perhaps its key or index.
bool gives_elements(std::string_view function) {
  return one_of("each|map|filter|any|all|index|partition|group_by|reverse_each|step", function);
}

} // namespace

/// Whether no value is of both types, but for empty collections.
bool Walker::exclude(const Type* wanted, const Type* given, int depth) {
  wanted = without_aliases(wanted);
  given = without_aliases(given);
  if (wanted == nullptr || given == nullptr || wanted == given || depth > 8) return false;
  const auto each = [&](const Type* variant, auto excluded) {
    const auto& parts = type_cast<VariantType>(variant).types;
    return !parts.empty() && std::ranges::all_of(parts, excluded);
  };
  const auto takes_undef = [&](const Type* type) { return (accepted_kinds(type) & kinds::undef) != 0; };
  if (given->kind == TypeKind::Variant) return each(given, [&](const Type* part) { return exclude(wanted, part, depth + 1); });
  if (wanted->kind == TypeKind::Variant) return each(wanted, [&](const Type* part) { return exclude(part, given, depth + 1); });
  if (given->kind == TypeKind::Optional) return !takes_undef(wanted) && exclude(wanted, type_cast<WrapperType>(given).inner, depth + 1);
  if (wanted->kind == TypeKind::Optional) return !takes_undef(given) && exclude(type_cast<WrapperType>(wanted).inner, given, depth + 1);
  if (given->kind == TypeKind::NotUndef) return exclude(wanted, type_cast<WrapperType>(given).inner, depth + 1);
  if (wanted->kind == TypeKind::NotUndef) return exclude(type_cast<WrapperType>(wanted).inner, given, depth + 1);
  if ((accepted_kinds(wanted) & accepted_kinds(given)) == 0) return true;
  // A type of a few texts.
  const auto no_text_is = [&](const Type* texts, const Type* other) {
    if (texts->kind == TypeKind::String && type_cast<StringType>(texts).has_value)
      return !is_instance(program_.types(), other, Value::string(type_cast<StringType>(texts).value));
    if (texts->kind != TypeKind::Enum || type_cast<EnumType>(texts).values.empty()) return false;
    const auto& type = type_cast<EnumType>(texts);
    if (type.case_insensitive) return false;
    return std::ranges::none_of(type.values, [&](std::string_view v) { return is_instance(program_.types(), other, Value::string(v)); });
  };
  if (no_text_is(given, wanted) || no_text_is(wanted, given)) return true;
  if (wanted->kind == TypeKind::Struct || given->kind == TypeKind::Struct) return exclude_keys(wanted, given, depth);
  if (wanted->kind != given->kind) return false;
  switch (wanted->kind) {
  case TypeKind::Integer: return apart(type_cast<RangeType>(wanted).range, type_cast<RangeType>(given).range);
  case TypeKind::String: return apart(type_cast<StringType>(wanted).size, type_cast<StringType>(given).size);
  case TypeKind::Array: return exclude(type_cast<ArrayType>(wanted).element, type_cast<ArrayType>(given).element, depth + 1);
  case TypeKind::Hash:
    return exclude(type_cast<HashType>(wanted).key, type_cast<HashType>(given).key, depth + 1) ||
           exclude(type_cast<HashType>(wanted).value, type_cast<HashType>(given).value, depth + 1);
  case TypeKind::Sensitive: return exclude(type_cast<WrapperType>(wanted).inner, type_cast<WrapperType>(given).inner, depth + 1);
  default: return false;
  }
}

/// The same of hashes, one of which has keys that its type lists.
bool Walker::exclude_keys(const Type* wanted, const Type* given, int depth) {
  const bool both = wanted->kind == TypeKind::Struct && given->kind == TypeKind::Struct;
  const auto& listed = type_cast<StructType>(wanted->kind == TypeKind::Struct ? wanted : given);
  const Type* other = wanted->kind == TypeKind::Struct ? given : wanted;
  if (!both && other->kind != TypeKind::Hash) return false;
  const auto excluded = [&](const StructElement& e, const Type* type) { return exclude(e.value, type, depth + 1); };
  if (!both) {
    const auto& hash = type_cast<HashType>(other);
    return std::ranges::any_of(listed.elements, [&](const StructElement& e) {
      return !e.optional && (excluded(e, hash.value) || (hash.key != nullptr && (accepted_kinds(hash.key) & kinds::string) == 0));
    });
  }
  const auto lacks = [&](const StructType& a, const StructType& b) { // a needs a key that b cannot have, or not so
    return std::ranges::any_of(a.elements, [&](const StructElement& e) {
      const StructElement* same = b.find(e.name);
      return !e.optional && (same == nullptr || excluded(e, same->value));
    });
  };
  return lacks(listed, type_cast<StructType>(other)) || lacks(type_cast<StructType>(other), listed);
}

/// Notes the variables whose types or values a condition asks for: what is known of them does not hold where it does. Gives what was noted
/// before.
Walker::Narrowed Walker::narrow(const Node* test) {
  const Narrowed before = narrowed();
  const auto note = [&](const Node* n, std::vector<Symbol>& names) {
    n = unparenthesised(n);
    while (n->kind == NodeKind::Access) n = unparenthesised(n->as<Access>().left);
    if (n->kind == NodeKind::Variable) names.push_back(n->as<Variable>().base);
  };
  auto visit = [&](auto&& self, const Node* n, int depth) -> void {
    n = unparenthesised(n);
    if (n == nullptr || depth > 20) return;
    switch (n->kind) {
    case NodeKind::And:
    case NodeKind::Or: self(self, n->as<Binary>().left, depth + 1); return self(self, n->as<Binary>().right, depth + 1);
    case NodeKind::Not: return self(self, n->as<Unary>().operand, depth + 1);
    case NodeKind::Match: {
      const Node* right = unparenthesised(n->as<Binary>().right);
      const bool type = right->kind == NodeKind::Reference || right->kind == NodeKind::Access || right->kind == NodeKind::Variable;
      return note(n->as<Binary>().left, type ? narrowed_ : compared_);
    }
    case NodeKind::In:
    case NodeKind::Comparison: note(n->as<Binary>().left, compared_); return note(n->as<Binary>().right, compared_);
    case NodeKind::MethodCall: return note(n->as<MethodCall>().receiver, narrowed_);
    case NodeKind::Call:
      for (const Node* argument : n->as<Call>().arguments) note(argument, narrowed_);
      return;
    default: return;
    }
  };
  visit(visit, test, 0);
  return before;
}

/// The same of a case or selector that has types among its choices.
Walker::Narrowed Walker::narrow(const Node* tested, std::span<const Node* const> choices) {
  const Narrowed before = narrowed();
  const bool types = std::ranges::any_of(choices,
                                         [](const Node* n) { return n->kind == NodeKind::Reference || n->kind == NodeKind::Access; });
  for (tested = unparenthesised(tested); tested->kind == NodeKind::Access;) tested = unparenthesised(tested->as<Access>().left);
  if (tested->kind == NodeKind::Variable) (types ? narrowed_ : compared_).push_back(tested->as<Variable>().base);
  return before;
}

/// The values that a class gives to one of its variables, as far as they stand there: each in some branch.
std::vector<Walker::ClassValue> Walker::class_values(const Variable& v) {
  std::vector<ClassValue> out;
  if (v.form() != Variable::Form::Qualified || !v.scope) return out;
  const DefinitionEntry* entry = program_.find_class(v.scope);
  if (entry == nullptr || entry->definition->layout == nullptr) return out;
  Body* const body = std::exchange(body_, nullptr);
  const SourceFile* const source = std::exchange(source_, entry->file->source.get());
  const Module* const module = std::exchange(module_, program_.module_of(source_->path()));
  const auto add = [&](const Node* n) {
    if (const StaticValue known = static_value(unparenthesised(n)); known.known)
      out.push_back({known.value, source_, n->offset, n->length});
  };
  for (const Binary* assignment : entry->definition->layout->assignments) {
    if (assignment->left->kind != NodeKind::Variable || assignment->left->as<Variable>().base != v.base) continue;
    const Node* value = unparenthesised(assignment->right);
    if (value->kind == NodeKind::Selector)
      for (const SelectorEntry& e : value->as<Selector>().entries) add(e.value);
    else
      add(value);
  }
  body_ = body;
  source_ = source;
  module_ = module;
  return out;
}

/// The values that a block's parameter gets from a list or hash that stands in the code: each in turn.
std::vector<Value> Walker::elements_given(const Variable& v) {
  std::vector<Value> out;
  if (v.form() != Variable::Form::Simple || v.slot == Variable::no_slot || body_ == nullptr || is_narrowed(v)) return out;
  if (is_compared(v)) return out; // not for each of them
  const Body* body = body_;
  for (uint16_t up = v.up; body != nullptr; --up, body = body->outer) {
    if (body->may_leave) return out;
    if (up == 0) break;
  }
  if (body == nullptr || body->parameter_of(v) == nullptr || v.slot > 1) return out;
  const size_t count = body->parameters.size();
  if (body->elements.is_list() && size_t{v.slot} + 1 == count)
    out.assign(body->elements.items().begin(), body->elements.items().end());
  else if (body->elements.is_hash() && count == 2)
    for (const HashEntry& e : body->elements.hash->entries()) out.push_back(v.slot == 0 ? e.key : e.value);
  return out;
}

/// [$a, $b] = …: the type of what one of them gets, where the type of the whole tells it.
const Type* Walker::type_of_part(const Node& targets, Symbol name, const Type* whole) {
  whole = bare_type(whole);
  if (targets.kind != NodeKind::ListLiteral || whole == nullptr) return nullptr;
  size_t at = 0;
  for (const Node* target : targets.as<ListLiteral>().elements) {
    if (target->kind == NodeKind::Variable && target->as<Variable>().base == name) {
      if (whole->kind == TypeKind::Array) return type_cast<ArrayType>(whole).element;
      if (whole->kind == TypeKind::Tuple && at < type_cast<TupleType>(whole).types.size()) return type_cast<TupleType>(whole).types[at];
      return nullptr;
    }
    ++at;
  }
  return nullptr;
}

/// The type of a variable: the one declared for a parameter, or that of the one value that is assigned.
const Type* Walker::variable_type(const Variable& v, int depth) {
  if (v.form() == Variable::Form::Qualified && v.scope) { // a parameter of a class
    const DefinitionEntry* entry = program_.find_class(v.scope);
    if (entry == nullptr) return nullptr;
    const auto own = std::ranges::find(entry->definition->parameters, v.base, &Parameter::name);
    return own != entry->definition->parameters.end() ? program_.type_of(*own, *entry->file->source) : nullptr;
  }
  if (v.form() != Variable::Form::Simple || v.slot == Variable::no_slot || body_ == nullptr || is_narrowed(v)) return nullptr;
  Body* body = body_;
  for (uint16_t up = v.up; up > 0 && body != nullptr; --up) body = body->outer;
  if (body == nullptr || v.slot >= body->slots.size()) return nullptr;
  if (const Parameter* p = body->parameter_of(v); p != nullptr) {
    if (p->captures_rest) return nullptr;
    const Type* own = program_.type_of(*p, *source_);
    return own == nullptr && v.slot < body->given.size() ? body->given[v.slot] : own;
  }
  const auto assignments = assignments_of(*body, v.slot);
  if (assignments.size() != 1 || body->slots[v.slot].set != Set::definite) return nullptr;
  const Binary& assignment = *assignments[0].assignment;
  Body* const here = std::exchange(body_, body);
  const Type* type = declared_type(assignment.right, depth + 1);
  body_ = here;
  return assignment.left->kind == NodeKind::Variable ? type : type_of_part(*assignment.left, v.base, type);
}

/// The type that every value of the expression has, or null.
const Type* Walker::declared_type(const Node* n, int depth) {
  n = unparenthesised(n);
  if (n == nullptr || depth > 6) return nullptr;
  switch (n->kind) {
  case NodeKind::Variable: return variable_type(n->as<Variable>(), depth);
  case NodeKind::Access: {
    const auto& a = n->as<Access>();
    if (a.keys.size != 1 || a.left->kind == NodeKind::Reference) return nullptr;
    const Type* type = bare_type(declared_type(a.left, depth + 1));
    if (type == nullptr) return nullptr;
    const Type* part = nullptr; // of what may be missing
    if (type->kind == TypeKind::Struct) {
      const auto key = literal_text(a.keys[0]);
      const StructElement* e = key ? type_cast<StructType>(type).find(*key) : nullptr;
      if (e == nullptr || !e->optional) return e != nullptr ? e->value : nullptr;
      part = e->value;
    } else if (type->kind == TypeKind::Hash) {
      part = type_cast<HashType>(type).value;
    } else if (type->kind == TypeKind::Array) {
      part = type_cast<ArrayType>(type).element;
    }
    return part != nullptr ? types::wrapper(program_.arena(), TypeKind::Optional, part) : nullptr;
  }
  case NodeKind::Call: {
    const auto& c = n->as<Call>();
    return c.functor->kind == NodeKind::Name ? result_type(c.functor->as<Name>().name, {c.arguments.data, c.arguments.size}, depth)
                                             : nullptr;
  }
  case NodeKind::MethodCall: {
    const auto& c = n->as<MethodCall>();
    if (c.name->kind != NodeKind::Name) return nullptr;
    std::vector<const Node*> arguments{c.receiver};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    return result_type(c.name->as<Name>().name, arguments, depth);
  }
  case NodeKind::HashLiteral: {
    std::vector<const Type*> keys, values;
    for (const KeyedEntry& e : n->as<HashLiteral>().entries) {
      keys.push_back(part_type(e.key, depth + 1));
      values.push_back(part_type(e.value, depth + 1));
    }
    return keys.empty() ? nullptr
                        : types::hash(program_.arena(), types::variant(program_.arena(), keys), types::variant(program_.arena(), values));
  }
  default: return nullptr;
  }
}

/// The type of a part of a collection that stands in the code: of its value, by declarations or of its kind; Any where nothing tells it.
const Type* Walker::part_type(const Node* n, int depth) {
  const StaticValue v = static_value(n);
  if (v.known) return infer(program_.types(), v.value);
  if (const Type* type = declared_type(n, depth)) return type;
  return v.kinds == kinds::hash     ? types::hash()
         : v.kinds == kinds::list   ? types::array()
         : v.kinds == kinds::string ? types::string()
                                    : types::any();
}

/// What a call gives: the declared type of a function in Puppet, what a lookup asks for, parts of the collection that is given.
const Type* Walker::result_type(Symbol name, Arguments arguments, int depth) {
  const Callee& c = callee(name);
  if (c.own != nullptr) {
    const Node* type = c.own->definition->kind == NodeKind::FunctionDef ? c.own->definition->as<FunctionDef>().return_type : nullptr;
    return type != nullptr ? program_.type_of(*type, *c.own->file->source) : nullptr;
  }
  const std::string_view function = c.name.str();
  if (function == "pick" && (c.builtin != nullptr || c.elsewhere)) return type_of_first(arguments, depth); // of stdlib
  if (c.builtin == nullptr || arguments.empty()) return nullptr;
  const auto is_type = [&](const Node* n) {
    return n->kind == NodeKind::Reference || (n->kind == NodeKind::Access && n->as<Access>().left->kind == NodeKind::Reference);
  };
  if (function == "lookup") return arguments.size() > 1 && is_type(arguments[1]) ? program_.type_of(*arguments[1], *source_) : nullptr;
  if (function == "assert_type") return is_type(arguments[0]) ? program_.type_of(*arguments[0], *source_) : nullptr;
  if (function == "versioncmp" || function == "compare") return types::integer(program_.arena(), Range::of(-1, 1));
  if (function == "size" || function == "length") return types::integer(program_.arena(), Range::at_least(0));
  const auto list = [&](const Type* element) { return element != nullptr ? types::array(program_.arena(), element) : nullptr; };
  if (function == "split" && static_value(arguments[0]).kinds == kinds::string) return list(types::string());
  if (!one_of("keys|values|filter|sort|unique", function)) return nullptr;
  const Elements elements = elements_of(program_.arena(), iterated_type(arguments[0], depth + 1));
  if (function == "keys") return elements.hash ? list(elements.key) : nullptr;
  if (function == "values") return elements.hash ? list(elements.value) : nullptr;
  if (!elements.hash) return list(elements.value);
  return function == "filter" && elements.key != nullptr && elements.value != nullptr
             ? types::hash(program_.arena(), elements.key, elements.value)
             : nullptr;
}

/// The type of the first of the values that is neither undef nor an empty text; null where one of them may be anything.
const Type* Walker::type_of_first(Arguments arguments, int depth) {
  std::vector<const Type*> types;
  for (const Node* argument : arguments) {
    if (argument->kind == NodeKind::Unfold) return nullptr;
    const Type* type = bare_type(part_type(argument, depth + 1));
    if (type == nullptr || type->kind == TypeKind::Any) return nullptr;
    if (type->kind != TypeKind::Undef) types.push_back(type);
  }
  return types.empty() ? nullptr : types::variant(program_.arena(), types);
}

/// The type of what is iterated, which often stands in the code.
const Type* Walker::iterated_type(const Node* n, int depth) {
  n = unparenthesised(n);
  if (const StaticValue v = static_value(n); v.known) return v.value.is_undef() ? nullptr : infer(program_.types(), v.value);
  return declared_type(n, depth);
}

/// What the function gives to its block's parameters, and whether these take it.
void Walker::check_given_to_block(Symbol name, Arguments arguments, const Lambda& lambda) {
  block_gets_ = {};
  block_elements_ = {};
  if (arguments.empty() || lambda.parameters.size == 0) return;
  const std::string_view function = name.str();
  const size_t count = lambda.parameters.size;
  if (function == "with") {
    for (size_t i = 0; i < std::min({block_gets_.size(), count, arguments.size()}); ++i) block_gets_[i] = iterated_type(arguments[i]);
  } else if (function == "then") {
    block_gets_[0] = bare_type(iterated_type(arguments[0]));
  } else if (function == "reduce" || gives_elements(function)) {
    if (const StaticValue v = static_value(arguments[0]); v.known && one_of("each|map|filter", function)) block_elements_ = v.value;
    const Elements elements = elements_of(program_.arena(), iterated_type(arguments[0]));
    const Type* pair = nullptr;
    if (elements.hash && elements.key != nullptr && elements.value != nullptr)
      pair = types::tuple(program_.arena(), std::vector<const Type*>{elements.key, elements.value});
    const Type* one = elements.hash ? pair : elements.value;
    if (function == "reduce") {
      if (count == 2) block_gets_[1] = one;
    } else if (count == 1) {
      block_gets_[0] = one;
    } else {
      block_gets_ = {elements.key, elements.value};
    }
  }
  for (size_t i = 0; i < std::min(block_gets_.size(), count); ++i) {
    const Parameter& p = lambda.parameters[i];
    if (p.captures_rest) {
      block_gets_[i] = nullptr;
      return;
    }
    const Type* type = block_gets_[i] != nullptr ? program_.type_of(p, *source_) : nullptr;
    if (type != nullptr && exclude(type, block_gets_[i]))
      report_at(CheckCode::argument_type, p.offset, p.length,
                fmt::format("'{}' gives this parameter {}, and it takes {}", function, brief_text(block_gets_[i]), brief_text(type)));
  }
}

} // namespace pupc::compiler
