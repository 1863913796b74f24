// Names of classes, resource types, data types and functions that nothing defines; definitions in files where autoloading misses them.
#include "catalog/base/text.h"
#include "catalog/schema/public_types.h"
#include "compiler/analysis/codebase/foreign_functions.h"
#include "compiler/analysis/codebase/removed_functions.h"
#include "compiler/analysis/walker.h"

#include "catalog/schema/native_types.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/pcore_aliases.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace pupc::compiler {
namespace {

bool is_class_name(std::string_view name) {
  if (name.empty()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  });
}

/// stands_below() for names that stand there as in the path.
bool stands_plainly_below(std::string_view name, std::string_view module, std::string_view path) {
  if (!name.starts_with(module)) return false;
  name.remove_prefix(module.size());
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!name.starts_with("::") || !name.substr(2).starts_with(part)) return false;
    name.remove_prefix(2 + part.size());
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return name.empty() || name.starts_with("::");
}

/// Whether autoloading looks for the name in the file `path` of a module: its own name or one below it. The path is without folder and
/// extension; empty is that of the module itself.
bool stands_below(std::string_view name, std::string_view module, std::string_view path) {
  if (stands_plainly_below(name, module, path)) return true;
  auto take = [&](char c) {
    const bool same = !name.empty() && (name.front() == c || (name.front() >= 'A' && name.front() <= 'Z' && name.front() + 32 == c));
    if (same) name.remove_prefix(1);
    return same;
  };
  auto take_colons = [&] {
    const bool colons = name.starts_with("::");
    if (colons) name.remove_prefix(2);
    return colons;
  };
  for (char c : module)
    if (!take(c)) return false;
  if (!path.empty() && !take_colons()) return false;
  for (char c : path)
    if (!(c == '/' ? take_colons() : take(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c))) return false;
  return name.empty() || name.starts_with("::");
}

} // namespace

void Walker::check_class_name(const Node& at, Symbol written) {
  if (known_classes_.has(written)) return;
  const std::string_view name = without_leading_colons(written.str());
  if (!is_class_name(name)) return;
  bool broken = false;
  const Symbol symbol = name.size() == written.str().size() ? written : intern(name);
  if (program_.find_class(symbol, &broken) != nullptr || broken) return known_classes_.set(written);
  if (program_.defines(NodeKind::ClassDef, lower_symbol(name))) return; // in a misplaced file: check_definition_place reports it
  if (program_.find_define(symbol) != nullptr) {
    report(CheckCode::no_such_class, at, fmt::format("'{}' is a defined type, not a class", name),
           "Declare it as a resource with a title.");
    return;
  }
  const bool qualified = name.find("::") != std::string_view::npos;
  if ((qualified || program_.lists_missing(ascii_lower(name))) && note_missing_module(at, name)) return;
  std::string suggestion = program_.suggestion(NodeKind::ClassDef, ascii_lower(name));
  if (!qualified && suggestion.empty() && !program_.missing().empty())
    suggestion = did_you_mean(ascii_lower(name), {program_.missing().begin(), program_.missing().end()});
  if (suggestion.empty() && note_missing_module(at, name)) return;
  if (program_.may_exist(name) != Known::No) return;
  report(CheckCode::no_such_class, at, fmt::format("There is no class '{}'", name), std::move(suggestion));
}

/// Checks the arguments of include and similar functions: names, lists of names, Class references.
void Walker::check_class_names(const Node* n) {
  const StaticValue v = static_value(n);
  if ((v.known && (v.value.is_undef() || (v.value.is_string() && v.value.str().empty()))) || v.kinds == kinds::integer)
    return report(CheckCode::argument_type, *n, "This names no class");
  switch (n->kind) {
  case NodeKind::Name:
  case NodeKind::Literal:
    if (const auto name = literal_name(n)) {
      check_class_name(*n, *name);
      note_include(*n, *name);
    }
    return;
  case NodeKind::ListLiteral:
    for (const Node* element : n->as<ListLiteral>().elements) check_class_names(element);
    return;
  case NodeKind::Parenthesized: return check_class_names(n->as<Unary>().operand);
  case NodeKind::Access: // the check of references covers Class['x']
    if (n->as<Access>().left->kind != NodeKind::Reference) return note_included_texts(n);
    for (const Node* key : n->as<Access>().keys)
      if (const auto name = key->kind == NodeKind::Variable ? std::nullopt : literal_name(key)) note_include(*key, *name);
    return;
  default: return note_included_texts(n);
  }
}

/// The definition of the body that is walked uses itself, and nothing that was walked may have ended it before.
void Walker::check_recursion(const Node& at, NodeKind kind, std::string_view name, std::string_view does) {
  if (body_ == nullptr || body_->definition == nullptr || body_->definition->kind != kind || conditional_ > 0 || body_->may_leave) return;
  if (ascii_lower(body_->definition->name.str()) != ascii_lower(name)) return;
  report(CheckCode::endless_recursion, at, fmt::format("'{}' always {} itself", name, does));
}

/// A class that is its own ancestor.
void Walker::check_inheritance(const ClassDef& d) {
  constexpr size_t most = 50;
  const Symbol own = lower_symbol(d.name);
  Symbol parent = lower_symbol(d.parent);
  std::array<Symbol, most> way;
  for (size_t depth = 0; depth < most; ++depth) {
    if (parent == own) {
      std::string names;
      for (Symbol ancestor : std::span(way).first(depth))
        names += fmt::format("{}'{}'", names.empty() ? ", by way of " : ", ", ancestor.str());
      report(CheckCode::endless_recursion, d, fmt::format("'{}' inherits itself{}", own.str(), names));
      return;
    }
    way[depth] = parent;
    const DefinitionEntry* entry = program_.find_class(parent);
    if (entry == nullptr || entry->definition->kind != NodeKind::ClassDef) return;
    const Symbol next = entry->definition->as<ClassDef>().parent;
    if (!next) return;
    parent = lower_symbol(next);
  }
}

/// A type alias that stands for itself.
void Walker::check_alias(const TypeAlias& alias) {
  const std::string own = ascii_lower(alias.name.str());
  std::set<std::string> seen;
  for (const Node* type = alias.type; type != nullptr && type->kind == NodeKind::Reference;) {
    const Symbol symbol = type->as<Reference>().name;
    const std::string name(symbol.str());
    if (name == own) return report(CheckCode::endless_recursion, *alias.type, fmt::format("'{}' stands for itself", alias.name.str()));
    const TypeAliasEntry* entry = seen.insert(name).second ? program_.find_alias(symbol) : nullptr;
    type = entry != nullptr ? entry->alias->type : nullptr;
  }
}

Known Walker::find_type(Symbol name, const DefinitionEntry*& define, const ResourceTypeInfo*& native) {
  define = nullptr;
  native = nullptr;
  if (const auto known = found_types_.find(name); known != found_types_.end()) {
    define = known->second.define;
    native = known->second.native;
    return Known::Yes;
  }
  const Known known = search_type(lower_symbol(name), define, native);
  if (known == Known::Yes) found_types_.emplace(name, FoundType{define, native});
  return known;
}

Known Walker::search_type(Symbol key, const DefinitionEntry*& define, const ResourceTypeInfo*& native) {
  const ResourceTypeInfo* info = program_.find_resource_type(key);
  if (info != nullptr && info->origin() != TypeOrigin::Extension) {
    native = info;
    return Known::Yes;
  }
  bool broken = false;
  define = program_.find_define(key, &broken);
  if (define != nullptr) return Known::Yes;
  if (broken) return Known::Unsure;
  if (info != nullptr && program_.find_class(key) == nullptr) {
    native = info;
    return Known::Yes;
  }
  if (program_.defines(NodeKind::DefineDef, key)) return Known::Unsure;
  return program_.may_exist(key.str(), module_);
}

/// A name that is that of a known resource type with an s, as advice: no module has both.
std::string Walker::singular_type(std::string_view name) {
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  const std::string_view one = name.substr(0, name.size() - (name.ends_with('s') ? 1 : 0));
  if (one.size() == name.size() || one.size() < 4 || find_type(intern(one), define, native) != Known::Yes) return {};
  return fmt::format("Did you mean '{}'?", one);
}

Known Walker::check_resource_type(const Node& at, Symbol symbol, const DefinitionEntry*& define, const ResourceTypeInfo*& native) {
  const Known known = find_type(symbol, define, native);
  if (known == Known::Yes) return known;
  const std::string_view name = without_leading_colons(symbol.str());
  const bool qualified = name.find("::") != std::string_view::npos;
  if ((qualified || program_.lists_missing(ascii_lower(name))) && note_missing_module(at, name)) return Known::Unsure;
  if (known == Known::Unsure) {
    if (qualified || program_.in_broken(name) || program_.defines(NodeKind::DefineDef, lower_symbol(symbol))) return known;
    if (const std::string_view from = module_of_public_type(ascii_lower(name)); !from.empty()) {
      const std::string module(from.substr(from.find('-') + 1));
      if (program_.whole() && file_->asked && program_.environment().find_module(module) == nullptr && !program_.missing().contains(module))
        report(CheckCode::no_such_type, at,
               fmt::format("The resource type '{}' is of the module {}, which is not here", ascii_lower(name), from),
               "The Puppetfile does not list it.", Severity::Warning);
      return known;
    }
    // A module that is not here may have the type; what is nearly the name of a known one is told all the same.
    std::string near = near_name(lower_name(symbol), native_type_names());
    if (near.empty()) near = near_module_type(lower_name(symbol));
    if (near.empty()) near = singular_type(lower_name(symbol));
    if (!near.empty())
      report(CheckCode::no_such_type, at, fmt::format("No module that is here has a resource type or defined type '{}'", ascii_lower(name)),
             near, Severity::Warning);
    return known;
  }
  std::string suggestion = program_.suggestion(NodeKind::DefineDef, lower_name(symbol));
  if (program_.find_class(lower_symbol(symbol)) != nullptr)
    suggestion = fmt::format("'{0}' is a class: use include or class {{ '{0}': }}.", name);
  // A module may use types of modules that it does not list as dependencies, if they happen to be installed.
  const bool own = qualified && program_.environment().find_module(std::string(name.substr(0, name.find("::")))) != nullptr;
  report(CheckCode::no_such_type, at, fmt::format("There is no resource type or defined type '{}'", ascii_lower(name)), suggestion,
         program_.whole() || own || !suggestion.empty() ? std::nullopt : std::optional(Severity::Hint));
  return known;
}

void Walker::check_type_name(const Reference& r) {
  std::string_view name = without_leading_colons(r.cased.str());
  if (known_types_.has(r.cased)) return;
  const auto known_type = [&] { known_types_.set(r.cased); };
  if (builtin_type(name) != nullptr || lookup_type(name) != nullptr || pcore_alias(name) != nullptr) return known_type();
  const std::string_view plain = without_leading_colons(r.name.str());
  if (name == "Main") {
    ++unsure_types_;
    return;
  }
  bool broken = false;
  const Symbol symbol = plain.size() == r.name.str().size() ? r.name : intern(plain);
  if (program_.find_alias(symbol, &broken) != nullptr || broken) return known_type();
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  const Known known = find_type(symbol, define, native);
  if (known == Known::Yes) return known_type();
  ++unsure_types_;
  if (plain.find("::") != std::string_view::npos && program_.find_class(symbol) == nullptr && note_missing_module(r, plain)) return;
  if (known != Known::Unsure && program_.types().load_type(name) != nullptr) return; // perhaps Ruby code defines it
  std::vector<std::string_view> names;
  static constexpr std::string_view common[] = {"Any",      "Array",  "Boolean",   "Callable", "Class",   "Data",     "Default", "Deferred",
                                                "Enum",     "Float",  "Hash",      "Integer",  "Numeric", "Optional", "Pattern", "Regexp",
                                                "Resource", "Scalar", "Sensitive", "String",   "Struct",  "Tuple",    "Type",    "Undef",
                                                "Variant",  "File",   "Package",   "Service",  "Exec",    "User",     "Group",   "Cron"};
  names.assign(std::begin(common), std::end(common));
  if (known == Known::Unsure) {
    if (program_.in_broken(name) || program_.lists_missing(plain)) return;
    std::string near = near_name(name, names);
    // A type whose name is that of one of the language with an s would be a module's own name, and no list of modules has it.
    for (std::string_view k : names)
      if (near.empty() && name.size() == k.size() + 1 && name.back() == 's' && name.starts_with(k))
        near = fmt::format("Did you mean '{}'?", k);
    if (near.empty()) near = singular_type(plain);
    if (!near.empty())
      report(CheckCode::no_such_data_type, r, fmt::format("No module that is here has a data type, alias or resource type '{}'", name),
             near, Severity::Warning);
    return;
  }
  report(CheckCode::no_such_data_type, r, fmt::format("There is no data type, alias or resource type '{}'", name),
         did_you_mean(name, names));
}

Known Walker::check_function_name(const Node& at, std::string_view name, bool maybe_attribute) {
  name = without_leading_colons(name);
  for (const RemovedFunction& r : removed_functions)
    if (r.name == name && !program_.old_stdlib()) {
      // Where modules are missing an old version of the standard modules may bring it.
      const bool certain = program_.complete(module_);
      report(CheckCode::removed_function, at, fmt::format("The function '{}' was removed", name), fmt::format("Use {} instead.", r.instead),
             certain ? std::nullopt : std::optional(program_.whole() ? Severity::Warning : Severity::Hint));
      return certain ? Known::No : Known::Unsure;
    }
  const bool qualified = name.find("::") != std::string_view::npos;
  if (qualified && note_missing_module(at, name)) return Known::Unsure;
  const Known known = program_.may_exist(name, module_);
  if (program_.defines(NodeKind::FunctionDef, intern(name)) || program_.in_broken(name)) return Known::Unsure;
  // Without a whole environment the function's module may still be installed where this one is used, even if it is no dependency.
  if (const FunctionEntry* entry = program_.functions().find(name); entry != nullptr && !entry->module.empty()) {
    note_missing_module(at, entry->module, true);
    return Known::Unsure;
  }
  if (known != Known::No && qualified) return known;
  std::vector<std::string_view> names;
  for (const FunctionEntry* f : program_.functions().entries())
    if (f->name != name && // the module that is here may have another version
        (f->module.empty() || program_.environment().find_module(f->module) != nullptr || program_.lists_missing(f->module)))
      names.push_back(f->name);
  for (Symbol own_name : program_.own(NodeKind::FunctionDef)) names.push_back(own_name.str());
  std::sort(names.begin(), names.end());
  if (known != Known::No) { // a function of a module that is not here
    std::string near = maybe_attribute ? std::string() : near_name(name, names);
    if (near.empty()) near = maybe_attribute ? advice_for_foreign_function(name) : near_function(name);
    if (!near.empty())
      report(CheckCode::no_such_function, at, fmt::format("No module that is here has a function '{}'", name), near, Severity::Warning);
    return known;
  }
  std::string suggestion = near_function(name);
  if (suggestion.empty()) suggestion = did_you_mean(name, names);
  // Puppet Enterprise has functions of its own. Without a whole environment, a module may call functions of modules that it does not list
  // as dependencies.
  const bool unsure = name.starts_with("pe_") || ((!program_.whole() || maybe_attribute) && suggestion.empty());
  report(CheckCode::no_such_function, at, fmt::format("There is no function '{}'", name), std::move(suggestion),
         unsure ? std::optional(Severity::Hint) : std::nullopt);
  return known;
}

/// A type in Ruby of a module that is here, that an unknown name is one slip or one s away from, as advice.
std::string Walker::near_module_type(std::string_view name) {
  if (!module_types_) {
    module_types_.emplace();
    for (const Module& module : program_.environment().modules())
      if (const std::string folder = module.path + "/lib/puppet/type"; program_.environment().path_exists(folder))
        for (std::string& type : names_of_files(folder, ".rb")) module_types_->push_back(std::move(type));
  }
  const std::vector<std::string_view> known(module_types_->begin(), module_types_->end());
  if (std::string near = near_name(name, known); !near.empty()) return near;
  for (std::string_view type : known)
    if (type.size() > 5 && (type == fmt::format("{}s", name) || name == fmt::format("{}s", type)))
      return fmt::format("Did you mean '{}'?", type);
  return {};
}

/// Reports definitions in a file of a module where autoloading would not find them by name. This matters for modules whose folder has
/// another name: for all others the static checks have already reported it.
void Walker::check_definition_place(const AnalysedFile& file) {
  if (module_ == nullptr) return;
  const std::string_view relative = file.path.substr(std::min(file.path.size(), module_->path.size() + 1));
  const size_t slash = relative.find('/');
  if (slash == std::string_view::npos) return;
  const std::string_view folder = relative.substr(0, slash);
  if (folder != "manifests" && folder != "functions" && folder != "types") return;
  std::string_view rest = relative.substr(slash + 1);
  rest.remove_suffix(std::min<size_t>(rest.size(), 3));
  if (folder == "manifests" && rest == "init") rest = {};
  for (const Node* node : file.parsed->definitions) {
    std::string_view name;
    if (node->kind == NodeKind::ClassDef || node->kind == NodeKind::DefineDef || node->kind == NodeKind::FunctionDef)
      name = static_cast<const Definition*>(node)->name.str();
    else if (node->kind == NodeKind::TypeAlias)
      name = node->as<TypeAlias>().name.str();
    else
      continue;
    if (stands_below(without_leading_colons(name), module_->name, rest)) continue;
    std::string expected = module_->name;
    if (!rest.empty()) expected += "::" + ascii_lower(rest);
    for (size_t i; (i = expected.find('/')) != std::string::npos;) expected.replace(i, 1, "::");
    report(CheckCode::misplaced_definition, *node,
           fmt::format("'{}' cannot be loaded from this file, which stands for '{}'", name, expected));
  }
}

} // namespace pupc::compiler
