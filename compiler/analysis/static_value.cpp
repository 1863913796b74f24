// Derives what is known of an expression's value without evaluating it, and whether a type certainly rejects it.
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/core_types.h"
#include "compiler/types/mismatch.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

StaticValue of_kinds(KindSet kinds) {
  StaticValue out;
  out.kinds = kinds;
  return out;
}

/// A function whose results always have one kind.
struct Result {
  std::string_view name;
  KindSet kinds;
};
constexpr Result results[] = {
    {"all", kinds::boolean},
    {"any", kinds::boolean},
    {"camelcase", kinds::string | kinds::list | kinds::other},
    {"ceiling", kinds::integer},
    {"contain", kinds::list},
    {"defined", kinds::boolean},
    {"empty", kinds::boolean},
    {"epp", kinds::string | kinds::sensitive},
    {"file", kinds::string},
    {"filter", kinds::list | kinds::hash},
    {"find_file", kinds::string | kinds::undef},
    {"flatten", kinds::list},
    {"floor", kinds::integer},
    {"fqdn_rand", kinds::integer},
    {"generate", kinds::string},
    {"include", kinds::list},
    {"inline_epp", kinds::string | kinds::sensitive},
    {"inline_template", kinds::string},
    {"join", kinds::string},
    {"keys", kinds::list},
    {"length", kinds::integer},
    {"map", kinds::list},
    {"match", kinds::list | kinds::undef},
    {"md5", kinds::string},
    {"regsubst", kinds::string | kinds::list},
    {"round", kinds::integer},
    {"sha1", kinds::string},
    {"sha256", kinds::string},
    {"shellquote", kinds::string},
    {"size", kinds::integer},
    {"split", kinds::list},
    {"sprintf", kinds::string},
    {"strftime", kinds::string},
    {"tagged", kinds::boolean},
    {"template", kinds::string},
    {"values", kinds::list},
    {"versioncmp", kinds::integer},
};

/// What Integer(…), Array.new(…) and the like give.
KindSet kinds_of_new(std::string_view type) {
  static constexpr Result made[] = {{"array", kinds::list},    {"boolean", kinds::boolean}, {"float", kinds::floating},
                                    {"hash", kinds::hash},     {"integer", kinds::integer}, {"numeric", kinds::number},
                                    {"regexp", kinds::regexp}, {"string", kinds::string},   {"sensitive", kinds::sensitive},
                                    {"struct", kinds::hash},   {"tuple", kinds::list}};
  const auto* const known = std::ranges::find(made, type, &Result::name);
  return known == std::end(made) ? kinds::any : known->kinds;
}

bool truth(const StaticValue& v) { return v.known && v.value.truthy(); }

/// The kinds as words for a message.
std::string kinds_text(KindSet set) {
  static constexpr std::pair<KindSet, std::string_view> names[] = {
      {kinds::undef, "Undef"},    {kinds::default_, "Default"}, {kinds::boolean, "Boolean"},    {kinds::integer, "Integer"},
      {kinds::floating, "Float"}, {kinds::string, "String"},    {kinds::regexp, "Regexp"},      {kinds::list, "Array"},
      {kinds::hash, "Hash"},      {kinds::type, "Type"},        {kinds::sensitive, "Sensitive"}};
  std::string out;
  for (const auto& [bit, name] : names)
    if ((set & bit) != 0) out += (out.empty() ? "" : " or ") + std::string(name);
  return out.empty() ? "another value" : out;
}

} // namespace

std::string fact_path(const Node* n) {
  std::string path;
  for (int depth = 0; n->kind == NodeKind::Access && depth < 5; ++depth, n = n->as<Access>().left) {
    const auto& keys = n->as<Access>().keys;
    if (keys.size != 1 || keys[0]->kind != NodeKind::Literal || !keys[0]->as<Literal>().value.is_string()) return {};
    path.insert(0, depth == 0 ? "" : ".");
    path.insert(0, keys[0]->as<Literal>().value.str());
  }
  const bool facts = n->kind == NodeKind::Variable && n->as<Variable>().base == sym::facts &&
                     n->as<Variable>().form() != Variable::Form::Qualified;
  return facts ? path : std::string();
}

KindSet fact_kinds(const Node* n) {
  struct Fact {
    std::string_view path;
    KindSet kinds;
  };
  static constexpr Fact known[] = {{"os.release.full", kinds::string},
                                   {"os.release.major", kinds::string},
                                   {"os.release.minor", kinds::string},
                                   {"os.family", kinds::string},
                                   {"os.name", kinds::string},
                                   {"os.architecture", kinds::string},
                                   {"os.distro.codename", kinds::string},
                                   {"puppetversion", kinds::string},
                                   {"facterversion", kinds::string},
                                   {"kernel", kinds::string},
                                   {"kernelrelease", kinds::string},
                                   {"kernelversion", kinds::string},
                                   {"kernelmajversion", kinds::string},
                                   {"virtual", kinds::string},
                                   {"is_virtual", kinds::boolean},
                                   {"networking.hostname", kinds::string},
                                   {"networking.fqdn", kinds::string},
                                   {"networking.domain", kinds::string},
                                   {"networking.ip", kinds::string},
                                   {"networking.mac", kinds::string},
                                   {"networking.netmask", kinds::string},
                                   {"networking.network", kinds::string},
                                   {"networking.primary", kinds::string},
                                   {"networking.mtu", kinds::integer},
                                   {"os.hardware", kinds::string},
                                   {"os.distro.id", kinds::string},
                                   {"os.distro.description", kinds::string},
                                   {"os.distro.release.full", kinds::string},
                                   {"os.distro.release.major", kinds::string},
                                   {"os.selinux.enabled", kinds::boolean},
                                   {"fips_enabled", kinds::boolean},
                                   {"timezone", kinds::string},
                                   {"identity.user", kinds::string},
                                   {"identity.uid", kinds::integer},
                                   {"identity.privileged", kinds::boolean},
                                   {"system_uptime.hours", kinds::integer},
                                   {"system_uptime.uptime", kinds::string},
                                   {"memory.system.total", kinds::string},
                                   {"memory.system.used_bytes", kinds::integer},
                                   {"memory.swap.total_bytes", kinds::integer},
                                   {"memory.swap.total", kinds::string},
                                   {"processors.count", kinds::integer},
                                   {"processors.physicalcount", kinds::integer},
                                   {"memory.system.total_bytes", kinds::integer},
                                   {"memory.system.available_bytes", kinds::integer},
                                   {"system_uptime.days", kinds::integer},
                                   {"system_uptime.seconds", kinds::integer}};
  if (n->kind != NodeKind::Access) return kinds::any;
  const std::string path = fact_path(n);
  const auto* const fact = path.empty() ? std::end(known) : std::ranges::find(known, path, &Fact::path);
  if (fact != std::end(known)) return fact->kinds;
  return !path.empty() && !fact_keys(path).empty() ? kinds::hash : kinds::any;
}

/// $module_name where the walk is: that of the module whose class, defined type or function reads it. A template reads that of its caller.
StaticValue Walker::static_module_name() {
  const Body* outermost = body_;
  while (outermost != nullptr && outermost->outer != nullptr) outermost = outermost->outer;
  if (module_ == nullptr || outermost == nullptr || outermost->definition == nullptr) return {};
  return known_value(Value::string(module_->name));
}

/// A text whose parts are all known.
StaticValue Walker::static_text(const Interpolation& text, int depth) {
  std::string out;
  for (const Node* part : text.parts) {
    const StaticValue v = static_value(part, depth);
    if (!v.known || !v.value.is_string()) return of_kinds(kinds::string);
    out += v.value.str();
  }
  return known_value(Value::string(program_.arena().copy(out)));
}

StaticValue Walker::static_variable(const Variable& v, int depth) {
  if (v.form() == Variable::Form::Numeric) return of_kinds(kinds::string | kinds::undef); // a group of the last match
  if (v.form() != Variable::Form::Simple || body_ == nullptr) return {};
  if (v.base == sym::module_name) return static_module_name();
  if (v.slot == Variable::no_slot) return {};
  Body* body = body_;
  for (uint16_t up = v.up; up > 0 && body != nullptr; --up) body = body->outer;
  if (body == nullptr || v.slot >= body->slots.size()) return {};
  Body::Slot& slot = body->slots[v.slot];
  if (const Parameter* p = body->parameter_of(v); p != nullptr) { // it has no assignments
    if (slot.kinds == 0) slot.kinds = static_cast<uint16_t>(p->captures_rest ? kinds::any : accepted_kinds(program_.type_of(*p, *source_)));
    if (v.slot >= body->given.size() || body->given[v.slot] == nullptr || is_narrowed(v)) return of_kinds(slot.kinds);
    const KindSet given = accepted_kinds(body->given[v.slot]) & slot.kinds;
    return of_kinds(given != 0 ? given : slot.kinds);
  }
  // A branch leaves the variable unset: the expression may then read the variable of an outer scope.
  if (slot.set != Set::definite) return {};
  const auto assignments = assignments_of(*body, v.slot);
  if (assignments.empty()) return {};
  StaticValue joined;
  bool first = true;
  for (const auto& [_, b] : assignments) {
    if (b->left->kind != NodeKind::Variable) return {};
    if (depth > 8) return {};
    Body* inner = body_;
    body_ = body;
    StaticValue one = static_value(b->right, depth + 1);
    body_ = inner;
    if (first) {
      joined = one;
    } else {
      joined.known = false;
      joined.kinds |= one.kinds;
    }
    first = false;
    if (joined.kinds == kinds::any && assignments.size() > 1) return {}; // others add nothing
  }
  return joined;
}

KindSet kinds_of_results(std::string_view function) {
  const auto* const known = std::ranges::find(results, function, &Result::name);
  return known == std::end(results) ? 0 : known->kinds | kinds::sensitive;
}

/// The value of an expression that is neither a literal nor a name.
StaticValue Walker::static_expression(const Node& expression, int depth) {
  // Limit the steps: nested lists of variables can take exponential time.
  constexpr uint32_t most_steps = 20000;
  if (depth == 0) steps_ = 0;
  if (depth > 12 || ++steps_ > most_steps) return {};
  const Node* const n = &expression;
  const auto known = [](const Value& v) { return known_value(v); };
  switch (n->kind) {
  case NodeKind::Parenthesized: return static_value(n->as<Unary>().operand, depth + 1);
  case NodeKind::Interpolation: return static_text(n->as<Interpolation>(), depth + 1);
  case NodeKind::Minus: {
    StaticValue v = static_value(n->as<Unary>().operand, depth + 1);
    if (v.known && v.value.is_int()) return known(Value::integer(-v.value.i));
    if (v.known && v.value.is_float()) return known(Value::floating(-v.value.d));
    return of_kinds(kinds::number);
  }
  case NodeKind::Heredoc: {
    StaticValue v = static_value(n->as<Heredoc>().text, depth + 1);
    return v.known ? v : of_kinds(kinds::string);
  }
  case NodeKind::ListLiteral: {
    ListBuilder out(program_.arena());
    for (const Node* element : n->as<ListLiteral>().elements) {
      if (element->kind == NodeKind::Unfold) return of_kinds(kinds::list);
      StaticValue v = static_value(element, depth + 1);
      if (!v.known) return of_kinds(kinds::list);
      out.add(v.value);
    }
    return known(out.finish());
  }
  case NodeKind::HashLiteral: {
    HashBuilder out(program_.arena());
    for (const KeyedEntry& e : n->as<HashLiteral>().entries) {
      StaticValue key = static_value(e.key, depth + 1), value = static_value(e.value, depth + 1);
      if (!key.known || !value.known) return of_kinds(kinds::hash);
      out.set(key.value, value.value);
    }
    return known(out.finish());
  }
  case NodeKind::Variable: return static_variable(n->as<Variable>(), depth + 1);
  case NodeKind::Comparison: {
    return of_kinds(kinds::boolean);
  }
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or: return of_kinds(kinds::boolean);
  case NodeKind::Not: {
    StaticValue v = static_value(n->as<Unary>().operand, depth + 1);
    return v.known ? known(Value::boolean(!truth(v))) : of_kinds(kinds::boolean);
  }
  case NodeKind::Arithmetic:
    switch (n->as<Binary>().op()) {
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Modulo:
    case BinaryOp::ShiftRight: return of_kinds(kinds::number | kinds::other);
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::ShiftLeft: return of_kinds(kinds::number | kinds::list | kinds::hash | kinds::other);
    default: return {};
    }
  case NodeKind::Selector: {
    KindSet all = 0;
    for (const SelectorEntry& entry : n->as<Selector>().entries) all |= static_value(entry.value, depth + 1).kinds;
    return of_kinds(all == 0 ? kinds::any : all);
  }
  case NodeKind::Reference:
  case NodeKind::Access:
    if (n->kind == NodeKind::Access && n->as<Access>().left->kind != NodeKind::Reference) return static_element(n->as<Access>(), depth);
    return of_kinds(kinds::type | kinds::list);
  case NodeKind::Call:
  case NodeKind::MethodCall: {
    const Node* functor = n->kind == NodeKind::Call ? n->as<Call>().functor : n->as<MethodCall>().name;
    if (n->kind == NodeKind::MethodCall && functor->kind == NodeKind::Name && functor->as<Name>().name == sym::new_)
      functor = n->as<MethodCall>().receiver;
    const Node* made = functor->kind == NodeKind::Access ? functor->as<Access>().left : functor;
    if (made->kind == NodeKind::Reference) return of_kinds(kinds_of_new(made->as<Reference>().name.str()));
    if (functor->kind != NodeKind::Name) return {};
    const Symbol symbol = functor->as<Name>().name;
    if (StaticValue v = static_call(*n, symbol, depth + 1); v.known) return v;
    const KindSet kinds = callee(symbol).results;
    return kinds != 0 ? of_kinds(kinds) : StaticValue{};
  }
  default: return {};
  }
}

/// What an index gives: an element that stands in the code, or a value of the kinds that the element's type has.
StaticValue Walker::static_element(const Access& a, int depth) {
  if (const KindSet kinds = fact_kinds(&a); kinds != kinds::any) return of_kinds(kinds);
  if (a.keys.size != 1) return {};
  const StaticValue left = static_value(a.left, depth + 1);
  if (left.known && left.value.is_hash())
    if (const StaticValue key = static_value(a.keys[0], depth + 1); key.known && key.value.is_string()) {
      const Value* found = left.value.hash->find(key.value.str());
      return found != nullptr ? known_value(*found) : known_value(Value());
    }
  if (depth > 3 || (left.kinds & (kinds::list | kinds::hash)) == 0) return {};
  const Type* type = declared_type(&a);
  return type != nullptr ? of_kinds(accepted_kinds(type)) : StaticValue{};
}

KindSet Walker::accepted_kinds(const Type* type, int depth) {
  if (type == nullptr || depth > 12) return kinds::any;
  switch (type->kind) {
  case TypeKind::Undef: return kinds::undef;
  case TypeKind::Default: return kinds::default_;
  case TypeKind::NotUndef: {
    const Type* inner = type_cast<WrapperType>(type).inner;
    return (inner ? accepted_kinds(inner, depth + 1) : kinds::any) & ~kinds::undef;
  }
  case TypeKind::Scalar: return kinds::boolean | kinds::number | kinds::string | kinds::regexp | kinds::other;
  case TypeKind::ScalarData: return kinds::boolean | kinds::number | kinds::string;
  case TypeKind::Data: return kinds::boolean | kinds::number | kinds::string | kinds::undef | kinds::list | kinds::hash;
  case TypeKind::Numeric: return kinds::number;
  case TypeKind::Integer: return kinds::integer;
  case TypeKind::Float: return kinds::floating;
  case TypeKind::Boolean: return kinds::boolean;
  case TypeKind::String:
  case TypeKind::Enum:
  case TypeKind::Pattern: return kinds::string;
  case TypeKind::Regexp: return kinds::regexp;
  case TypeKind::Collection: return kinds::list | kinds::hash | kinds::other;
  case TypeKind::Array:
  case TypeKind::Tuple: return kinds::list;
  case TypeKind::Hash:
  case TypeKind::Struct: return kinds::hash;
  case TypeKind::Variant: {
    KindSet all = 0;
    for (const Type* t : type_cast<VariantType>(type).types) all |= accepted_kinds(t, depth + 1);
    return all == 0 ? kinds::any : all;
  }
  case TypeKind::Optional: {
    const Type* inner = type_cast<WrapperType>(type).inner;
    return kinds::undef | (inner ? accepted_kinds(inner, depth + 1) : kinds::any);
  }
  case TypeKind::Type:
  case TypeKind::Resource:
  case TypeKind::Class:
  case TypeKind::CatalogEntry: return kinds::type;
  case TypeKind::Sensitive: return kinds::sensitive;
  case TypeKind::Iterable: return kinds::string | kinds::integer | kinds::list | kinds::hash | kinds::type | kinds::other;
  case TypeKind::Iterator:
  case TypeKind::Callable:
  case TypeKind::Binary:
  case TypeKind::Timestamp:
  case TypeKind::Timespan:
  case TypeKind::SemVer:
  case TypeKind::SemVerRange: return kinds::other;
  case TypeKind::TypeAlias: return accepted_kinds(type_cast<TypeAliasType>(type).resolved, depth + 1);
  default: return kinds::any;
  }
}

/// Whether an element of a list that stands in the code is refused by the type at its place.
bool Walker::rejects_part(std::span<const Type* const> types, const ListLiteral& list, std::string& why, int depth) {
  size_t at = 0;
  for (const Node* element : list.elements) {
    if (element->kind == NodeKind::Unfold || types.empty()) return false;
    if (!rejects(types[std::min(at++, types.size() - 1)], element, why, depth)) continue;
    why = "has an element that " + why;
    return true;
  }
  return false;
}

bool Walker::rejects(const Type* type, const Node* n, std::string& why, int depth) {
  if (type == nullptr || n == nullptr || depth > 12) return false;
  while (n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  const Type* const named = type; // as the source names it
  while (type->kind == TypeKind::TypeAlias) {
    type = type_cast<TypeAliasType>(type).resolved;
    if (type == nullptr || ++depth > 12) return false;
  }
  const StaticValue v = static_value(n);
  if (v.known) {
    if (is_instance(program_.types(), type, v.value)) return false;
    try {
      why = describe_briefly(program_.types(), named, v.value);
    } catch (const CompileError&) { why = fmt::format("expects a value of {}", brief_text(named)); }
    return true;
  }
  const KindSet accepted = accepted_kinds(type);
  if ((accepted & v.kinds) == 0) {
    why = fmt::format("expects {}, got {}", brief_text(named), kinds_text(v.kinds));
    return true;
  }
  if (n->kind == NodeKind::Variable && depth == 0)
    for (const Value& element : elements_given(n->as<Variable>())) {
      if (is_instance(program_.types(), type, element)) continue;
      why = describe_briefly(program_.types(), named, element);
      return true;
    }
  if (depth == 0 &&
      (n->kind == NodeKind::Variable || n->kind == NodeKind::Access || n->kind == NodeKind::Call || n->kind == NodeKind::MethodCall))
    if (const Type* given = declared_type(n); given != nullptr && exclude(type, given)) {
      why = fmt::format("expects {}, got {}", brief_text(named), brief_text(given));
      return true;
    }
  // The kind fits, so compare the known parts with the parts of the type.
  switch (type->kind) {
  case TypeKind::Optional: return rejects(type_cast<WrapperType>(type).inner, n, why, depth + 1);
  case TypeKind::Variant: {
    for (const Type* t : type_cast<VariantType>(type).types)
      if (!rejects(t, n, why, depth + 1)) return false;
    why = fmt::format("expects {}", brief_text(named));
    return true;
  }
  case TypeKind::Array:
    if (n->kind != NodeKind::ListLiteral) return false;
    for (const Node* element : n->as<ListLiteral>().elements)
      if (element->kind != NodeKind::Unfold && rejects(type_cast<ArrayType>(type).element, element, why, depth + 1)) {
        why = "has an element that " + why;
        return true;
      }
    return false;
  case TypeKind::Tuple:
    return n->kind == NodeKind::ListLiteral && rejects_part(type_cast<TupleType>(type).types, n->as<ListLiteral>(), why, depth + 1);
  case TypeKind::Hash:
    if (n->kind != NodeKind::HashLiteral) return false;
    for (const KeyedEntry& e : n->as<HashLiteral>().entries) {
      if (rejects(type_cast<HashType>(type).key, e.key, why, depth + 1)) {
        why = "has a key that " + why;
        return true;
      }
      if (rejects(type_cast<HashType>(type).value, e.value, why, depth + 1)) {
        why = "has a value that " + why;
        return true;
      }
    }
    return false;
  case TypeKind::Struct: {
    if (n->kind != NodeKind::HashLiteral) return false;
    const auto& structure = type_cast<StructType>(type);
    bool all_known = true;
    std::vector<std::string_view> given;
    for (const KeyedEntry& e : n->as<HashLiteral>().entries) {
      const StaticValue key = static_value(e.key);
      if (!key.known || !key.value.is_string()) {
        all_known = false;
        continue;
      }
      given.push_back(key.value.str());
      const StructElement* element = structure.find(key.value.str());
      if (element == nullptr) {
        why = fmt::format("has the key '{}', which is none of the type's", key.value.str());
        return true;
      }
      if (rejects(element->value, e.value, why, depth + 1)) {
        why = fmt::format("has the key '{}', whose value {}", key.value.str(), why);
        return true;
      }
    }
    if (all_known)
      for (const StructElement& element : structure.elements)
        if (!element.optional && std::find(given.begin(), given.end(), element.name) == given.end()) {
          why = fmt::format("lacks the key '{}'", element.name);
          return true;
        }
    return false;
  }
  default: return false;
  }
}

std::optional<std::string_view> Walker::literal_text(const Node* n) {
  switch (n->kind) {
  case NodeKind::Literal: {
    const Value& v = n->as<Literal>().value;
    return v.is_string() && (n->flags & literal_overflow) == 0 ? std::optional(v.str()) : std::nullopt;
  }
  case NodeKind::Name: return n->as<Name>().name.str();
  case NodeKind::ListLiteral:
  case NodeKind::HashLiteral:
  case NodeKind::Reference:
  case NodeKind::Access: return std::nullopt;
  default: break;
  }
  const StaticValue v = static_value(n);
  if (!v.known || !v.value.is_string()) return std::nullopt;
  return v.value.str();
}

std::optional<Symbol> Walker::literal_name(const Node* n) {
  if (n->kind == NodeKind::Name) return n->as<Name>().name;
  const auto text = literal_text(n);
  return text ? std::optional(intern(*text)) : std::nullopt;
}

std::optional<std::string> Walker::text_pattern(const Node* n) {
  if (auto text = literal_text(n)) return std::string(*text);
  if (n->kind == NodeKind::Variable && body_ != nullptr && n->as<Variable>().form() == Variable::Form::Simple &&
      n->as<Variable>().up == 0 && n->as<Variable>().slot != Variable::no_slot && n->as<Variable>().slot < body_->slots.size())
    if (const auto assignments = assignments_of(*body_, n->as<Variable>().slot);
        assignments.size() == 1 && assignments[0].assignment->left->kind == NodeKind::Variable)
      n = assignments[0].assignment->right;
  if (n->kind != NodeKind::Interpolation) return std::nullopt;
  std::string out;
  out.reserve(n->length);
  for (const Node* part : n->as<Interpolation>().parts) {
    auto text = literal_text(part);
    if (text)
      out += *text;
    else if (!out.ends_with('\1'))
      out += '\1';
  }
  return out;
}

} // namespace pupc::compiler
