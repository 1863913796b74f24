// Checks of classes, defined types, functions, nodes, type aliases and their parameters: names, places, the last statement of a body.
#include "catalog/base/text.h"
#include "compiler/ast/construct_names.h"
#include "compiler/check/tree_checker.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_set>

namespace pupc::compiler {
namespace {

constexpr std::array<bool, 256> make_word_table() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return table;
}
constexpr auto word_table = make_word_table(); // every name that is read or set is looked at
bool is_word(char c) { return word_table[static_cast<unsigned char>(c)]; }

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_words(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return is_word(c); }); // the lambda is inlined, a pointer to is_word is not
}

/// Whether this is the name of a data type, which no class, defined type or function may have.
bool is_reserved_type_name(std::string_view name) {
  static constexpr std::string_view names[] = {"type",      "any",        "unit",        "scalar",  "boolean",   "numeric",  "integer",
                                               "float",     "collection", "array",       "hash",    "tuple",     "struct",   "variant",
                                               "optional",  "enum",       "regexp",      "pattern", "runtime",   "init",     "object",
                                               "sensitive", "semver",     "semverrange", "string",  "timestamp", "timespan", "typeset"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_replacement(const Node& node) {
  if (node.kind != NodeKind::ListLiteral) return false;
  const auto& elements = node.as<ListLiteral>().elements;
  return elements.size == 2 && elements[0]->kind == NodeKind::RegexLiteral && elements[1]->kind == NodeKind::Literal &&
         elements[1]->as<Literal>().value.is_string() && (elements[1]->flags & literal_overflow) == 0;
}

} // namespace

bool is_parameter_name(std::string_view s) { return !s.empty() && (is_lower(s[0]) || s[0] == '_') && all_words(s); }

bool is_numeric_variable_name(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), is_digit) && (s[0] != '0' || s.size() == 1);
}

bool is_variable_name(std::string_view s) {
  if (is_parameter_name(s)) return true; // nearly all are
  if (s.starts_with("::")) s.remove_prefix(2);
  for (size_t colons; (colons = s.find("::")) != std::string_view::npos; s.remove_prefix(colons + 2))
    if (colons == 0 || !is_lower(s[0]) || !all_words(s.substr(0, colons))) return false;
  return is_parameter_name(s);
}

bool is_definition_name(std::string_view s, bool upper) {
  for (;;) {
    const size_t colons = std::min(s.find("::"), s.size());
    if (colons == 0 || !(upper ? is_upper(s[0]) : is_lower(s[0])) || !all_words(s.substr(0, colons))) return false;
    if (colons == s.size()) return true;
    s.remove_prefix(colons + 2);
  }
}

/// Reports a definition that may not be inside the first `depth` containers of the path.
void Checker::check_top(const Node& definition, size_t depth) {
  while (depth > 0) {
    const Container around = path_[--depth];
    if (around == Container::Class || around == Container::Program || around == Container::Apply) return;
    if (around == Container::Block) {
      const bool absolute = definition.kind == NodeKind::FunctionDef || definition.kind == NodeKind::TypeAlias ||
                            definition.kind == NodeKind::TypeDefinition;
      if (!absolute || path_[depth - 1] == Container::Program) continue; // a block of a class or of the top level: look further out
      error(ErrorCode::not_top_level, definition, a_an_upper(label(definition)) + " may only appear at toplevel");
    } else {
      error(ErrorCode::not_top_level, definition, "Classes, definitions, and nodes may only appear at toplevel or inside other classes");
    }
    return;
  }
}

void Checker::check_future_word(std::string_view name, const Node& at) {
  if (name != "plan") return;
  error(ErrorCode::reserved_word, at, fmt::format("Use of future reserved word: '{}'", name));
  findings_.back().severity = Severity::Deprecation;
}

void Checker::check_name_and_place(const Definition& d) {
  check_top(d, path_.size());
  std::string_view name = d.name.str();
  if (!is_definition_name(name, false)) {
    std::string better = ascii_lower(name);
    std::replace(better.begin(), better.end(), '-', '_');
    while (better.starts_with("::")) better.erase(0, 2);
    error(ErrorCode::illegal_name, d,
          fmt::format("Unacceptable name. The name '{}' is unacceptable as the name of {}", name, a_an(label(d))),
          is_definition_name(better, false) ? fmt::format("Did you mean '{}'?", better) : "Names are lower-case words joined by ::.");
  }
  if (options_.place != CheckOptions::Place::Free &&
      (options_.place == CheckOptions::Place::Misplaced || !ascii_lower(name).starts_with(options_.name_space))) {
    std::string suggestion = options_.place == CheckOptions::Place::Module
                                 ? fmt::format("Definitions in this file are found only when their names start with '{}'.",
                                               options_.name_space)
                                 : std::string("A module's definitions stand in its manifests, functions and types folders.");
    error(ErrorCode::illegal_location, d,
          fmt::format("Unacceptable location. The name '{}' is unacceptable in file '{}'", name, file_.source->path()),
          std::move(suggestion));
  }
  if (is_reserved_type_name(name))
    error(ErrorCode::illegal_name, d,
          fmt::format("The name: '{}' is already defined by Puppet and can not be used as the name of {}.", name, a_an(label(d))));
  check_future_word(name, d);
}

void Checker::check_top_constructs() {
  if (options_.place == CheckOptions::Place::Free || file_.body->kind != NodeKind::Block) return;
  const Node* body = collapsed(&file_.body->as<Block>());
  if (body == nullptr) return;
  auto check_one = [&](const Node& n) {
    switch (n.kind) {
    case NodeKind::ClassDef:
    case NodeKind::DefineDef:
    case NodeKind::FunctionDef:
    case NodeKind::TypeAlias:
    case NodeKind::TypeMapping:
    case NodeKind::TypeDefinition: return;
    default:
      error(ErrorCode::illegal_location, n, fmt::format("This {} is unacceptable as a top level construct in this location", label(n)),
            "A module's files hold definitions only.");
    }
  };
  if (body->kind == NodeKind::Block)
    for (const Node* n : body->as<Block>().statements) check_one(*n);
  else
    check_one(*body);
}

void Checker::check_unique(const Seq<Parameter>& parameters) {
  std::vector<uint32_t> names;
  names.reserve(parameters.size);
  for (const Parameter& p : parameters) names.push_back(p.name.id);
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) == names.end()) return;
  std::unordered_set<Symbol> seen;
  for (const Parameter& p : parameters)
    if (!seen.insert(p.name).second)
      error_at(ErrorCode::duplicate_parameter, p.offset, p.length,
               fmt::format("The parameter '{}' is declared more than once in the parameter list", p.name.str()));
}

void Checker::check_no_capture(const Seq<Parameter>& parameters, const Node& container) {
  for (const Parameter& p : parameters)
    if (p.captures_rest)
      error_at(ErrorCode::captures_rest, p.offset, p.length,
               fmt::format("Parameter ${} has 'captures rest' - not supported in {}", p.name.str(), a_an(label(container))));
}

void Checker::check_capture_last(const Seq<Parameter>& parameters) {
  for (uint32_t i = 0; i + 1 < parameters.size; ++i)
    if (parameters[i].captures_rest)
      error_at(ErrorCode::captures_rest, parameters[i].offset, parameters[i].length,
               fmt::format("Parameter ${} is not last, and has 'captures rest'", parameters[i].name.str()));
}

void Checker::check_ends_productive(const Block* body, const Node& container) {
  if (body == nullptr || body->statements.empty()) return;
  const Node& last = *body->statements[body->statements.size - 1];
  if (!has_no_effect(&last) || is_untitled_resource(last)) return; // an untitled resource has its own error
  error(ErrorCode::no_effect, last,
        fmt::format("This {} has no effect. {} can not end with a value-producing expression without other effect", label(last),
                    a_an_upper(label(container))));
}

void Checker::check_class_or_define(const Definition& d) {
  check_name_and_place(d);
  check_no_capture(d.parameters, d);
  check_unique(d.parameters);
  for (const Parameter& p : d.parameters)
    if (p.name == sym::name || p.name == sym::title)
      error_at(ErrorCode::reserved_parameter, p.offset, p.length,
               fmt::format("The parameter ${} redefines a built in parameter in the {}", p.name.str(), label(d)));
  check_ends_productive(d.body, d);
  if (d.kind == NodeKind::ClassDef) check_literal_types(d.parameters);
}

/// Reports types of a class's parameters that only evaluation tells: other tools read the types without it.
void Checker::check_literal_types(const Seq<Parameter>& parameters) {
  for (const Parameter& p : parameters) {
    Value known;
    if (p.type == nullptr || p.type->kind == NodeKind::Reference || (literal_value(*p.type, known) && !known.is_undef())) continue;
    error_at(ErrorCode::illegal_expression, p.offset, p.length,
             fmt::format("The parameter '${}' must be a literal type, not a Puppet::Pops::Model::{}", p.name.str(), model_class(*p.type)))
        .severity = Severity::Deprecation;
  }
}

void Checker::check_function(const FunctionDef& f) {
  check_name_and_place(f);
  if (f.return_type != nullptr) check_type_reference(*f.return_type, f);
  check_unique(f.parameters);
}

void Checker::check_type_reference(const Node& type, const Node& container) {
  const Node& named = type.kind == NodeKind::Access ? *type.as<Access>().left : type;
  if (named.kind == NodeKind::Reference)
    check_future_word(named.as<Reference>().name.str(), type);
  else
    error(ErrorCode::illegal_expression, type,
          fmt::format("Illegal expression. {} is unacceptable as a type reference in {}", a_an_upper(label(type)), a_an(label(container))));
}

void Checker::check_type_alias(const TypeAlias& alias) {
  check_top(alias, path_.size());
  if (!is_definition_name(alias.name.str(), true))
    error(ErrorCode::illegal_name, alias,
          fmt::format("Unacceptable name. The name '{}' is unacceptable as the name of {}", alias.name.str(), a_an(label(alias))));
  check_type_reference(*alias.type, alias);
}

void Checker::check_type_mapping(const TypeMapping& mapping) {
  check_top(mapping, path_.size());
  const Access* left = mapping.left->kind == NodeKind::Access ? &mapping.left->as<Access>() : nullptr;
  if (left == nullptr || left->left->kind != NodeKind::Reference || left->left->as<Reference>().cased.str() != "Runtime") {
    error(ErrorCode::unsupported_expression, mapping, "Expressions of type a Type Mapping are not supported in this version of Puppet");
    return;
  }
  const bool pattern = left->keys.size == 2 && is_replacement(*left->keys[1]);
  const bool replaces = is_replacement(*mapping.right);
  const Node& right = mapping.right->kind == NodeKind::Access ? *mapping.right->as<Access>().left : *mapping.right;
  if (pattern ? replaces : !replaces && right.kind == NodeKind::Reference) return;
  error(ErrorCode::illegal_expression, mapping,
        fmt::format("Illegal type mapping. Expected a {} on the left side, got A Type Mapping", pattern ? "Tuple[Regexp,String]" : "Type"));
}

void Checker::check_host_name(const Node& match, const NodeDef& node) {
  switch (match.kind) {
  case NodeKind::RegexLiteral: return;
  case NodeKind::Literal:
  case NodeKind::Name: {
    if (match.kind == NodeKind::Literal && !match.as<Literal>().value.is_string()) return;
    std::string_view name = match.kind == NodeKind::Name ? match.as<Name>().name.str() : match.as<Literal>().value.str();
    if (std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; })) return;
    error(ErrorCode::illegal_host_name, match,
          fmt::format("The hostname '{}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)", name));
    return;
  }
  case NodeKind::Interpolation:
    for (const Node* part : match.as<Interpolation>().parts) {
      if (part->kind == NodeKind::Literal && (part->flags & literal_segment) != 0) continue;
      error(ErrorCode::illegal_host_name, *part, "An interpolated expression is not allowed in a hostname of a node");
      return;
    }
    return;
  default:
    error(ErrorCode::illegal_expression, match,
          fmt::format("Illegal expression. {} is unacceptable as hostname in {}", a_an_upper(label(match)), a_an(label(node))));
  }
}

void Checker::check_node(const NodeDef& node) {
  for (const Node* match : node.matches) check_host_name(*match, node);
  check_top(node, path_.size());
  check_ends_productive(node.body, node);
  if (node.parent != nullptr)
    error(ErrorCode::node_inheritance, *node.parent,
          "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation");
}

void Checker::check_parameter_name(const Parameter& p) {
  std::string_view name = p.name.str();
  std::string_view digits = name.starts_with("0x") ? name.substr(2) : name;
  if (!digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit))
    error_at(ErrorCode::illegal_name, p.offset, p.length,
             fmt::format("The numeric parameter name '${}' cannot be used (clashes with numeric match result variables)", name));
  if (!is_parameter_name(name))
    error_at(ErrorCode::illegal_name, p.offset, p.length,
             fmt::format("Illegal parameter name. The given name '{}' does not conform to the naming rule /^[a-z_]\\w*$/", name));
}

void Checker::check_parameter(const Parameter& p) {
  if (!p.plain_name) check_parameter_name(p);
  check_no_assignment(p.default_value);
}

} // namespace pupc::compiler
