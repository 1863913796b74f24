// What the units of catalogs (codebase/possible_catalogs.h) include, use and declare, as the walk meets it.
#include "catalog/base/paths.h"
#include "catalog/schema/public_types.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Catalogs::Kind unit_kind(const Definition& d) {
  return d.kind == NodeKind::ClassDef    ? Catalogs::Kind::Class
         : d.kind == NodeKind::DefineDef ? Catalogs::Kind::Define
                                         : Catalogs::Kind::Function;
}

/// Whether a function of Ruby that nobody reads the result of may declare resources or include classes.
bool may_declare(std::string_view name) {
  if (name.starts_with("stdlib::")) name.remove_prefix(8);
  if (name == "ensure_packages" || name == "ensure_resource" || name == "ensure_resources") return false; // note_created() says what
  for (std::string_view harmless :
       {"fail", "notice", "warning", "info", "debug", "err", "alert", "emerg", "crit", "assert", "validate", "deprecat"})
    if (name.find(harmless) != std::string_view::npos) return false;
  return true;
}

} // namespace

/// The walk enters a definition.
void Walker::begin_unit(const Definition& d) {
  unit_ = catalogs_.unit(unit_kind(d), lower_symbol(d.name));
  catalogs_.seen(unit_);
}

/// The unit of a node definition; one that Puppet does not read leads to nothing.
Catalogs::Unit Walker::node_unit(const NodeDef& d) {
  std::string shown;
  for (const Node* match : d.matches)
    shown += (shown.empty() ? "" : ", ") + std::string(source_->text().substr(match->offset, match->length));
  return unit_ == Catalogs::top ? catalogs_.add_node("node " + shown) : unit_;
}

/// The unit of the code outside of definitions: that of other files than the main manifests is in no catalog.
Catalogs::Unit Walker::file_unit() {
  const std::string& manifest = program_.environment().options().manifest;
  const bool main = module_ == nullptr && !manifest.empty() && (file_->path == manifest || is_below(file_->path, manifest));
  return main ? Catalogs::top : catalogs_.unit(Catalogs::Kind::Top, intern(file_->path));
}

/// A resource of a type: a defined type brings along what it declares itself.
void Walker::note_use(Symbol type, const DefinitionEntry* define, Known known) {
  if (!program_.whole()) return;
  if (define != nullptr)
    catalogs_.add(unit_, catalogs_.unit(Catalogs::Kind::Define, lower_symbol(type)), always());
  else if (known == Known::Unsure && module_of_public_type(type.str()).empty()) // a resource of a native type brings no others
    catalogs_.open(unit_);
}

void Walker::note_call(const Node& call, Symbol name) {
  if (!program_.whole()) return;
  const Callee& c = callee(name);
  if (c.own != nullptr) {
    catalogs_.add(unit_, catalogs_.unit(Catalogs::Kind::Function, lower_symbol(c.own->definition->name)), always());
    return;
  }
  if (c.name.str() == "hiera_include" || opens_catalog(call, name)) catalogs_.open(unit_);
  for (const Symbol type : created_by(name)) note_any_of(type);
}

/// The types of which a function in Ruby declares resources.
std::vector<Symbol> Walker::created_by(Symbol function) {
  const Callee& c = callee(function);
  std::vector<Symbol> types;
  if (c.own == nullptr && c.builtin == nullptr && c.elsewhere)
    for (const std::string& type : ruby_.creates(c.name.str())) types.push_back(lower_symbol(type));
  return types;
}

/// Resources of the type may be declared here, with any titles and attributes.
void Walker::note_any_of(Symbol type) {
  note_dynamic_title(type);
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  const Known known = find_type(type, define, native);
  if (program_.whole() && define != nullptr) {
    catalogs_.add(unit_, catalogs_.unit(Catalogs::Kind::Define, type), false);
    given_.give_anything(type);
    given_.give(type, sym::title, std::nullopt);
  } else {
    note_use(type, define, known);
  }
}

/// A function in Ruby, or one that is not here, may do anything; one whose result is read mostly only computes it.
bool Walker::opens_catalog(const Node& call, Symbol name) {
  const Callee& c = callee(name);
  return c.own == nullptr && (c.builtin == nullptr || c.broken) && (call.flags & call_value_required) == 0 && may_declare(c.name.str()) &&
         (!c.elsewhere || ruby_.may_declare(c.name.str()));
}

/// Foo <<| |>> brings resources of other nodes, with any titles.
void Walker::note_collector(const Collector& c) {
  if (c.type_expr->kind == NodeKind::Reference)
    (c.exported() ? exported_types_ : collected_types_).insert(lower_symbol(c.type_expr->as<Reference>().name));
  if (c.exported() && c.type_expr->kind == NodeKind::Reference) note_any_of(lower_symbol(c.type_expr->as<Reference>().name));
}

/// A class whose name is made at run time is included.
void Walker::note_included_texts(const Node* n) {
  includes_computed_.insert(module_);
  if (!program_.whole()) return;
  if (auto made = made_texts(n))
    included_texts_.push_back({unit_, std::move(*made), source_, n->offset, n->length, file_->asked});
  else
    catalogs_.open(unit_);
}

/// create_resources('type', $resources), ensure_packages($names) and the like.
void Walker::note_created(std::string_view function, Arguments arguments) {
  if (arguments.empty()) return;
  if (function.ends_with("packages")) return note_declared(sym::package, arguments[0], true);
  const auto text = literal_text(arguments[0]);
  std::string_view plain = text ? without_leading_colons(*text) : std::string_view();
  while (plain.starts_with("@")) plain.remove_prefix(1);
  if (!text || plain.empty()) {
    note_dynamic_title({}); // of any type
    return catalogs_.open(unit_);
  }
  const Symbol type = lower_symbol(plain);
  if (type == sym::class_) return catalogs_.open(unit_);
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  const Known known = find_type(type, define, native);
  if (program_.whole()) {
    if (define != nullptr)
      catalogs_.add(unit_, catalogs_.unit(Catalogs::Kind::Define, type), false);
    else if (known == Known::Unsure && module_of_public_type(plain).empty())
      catalogs_.open(unit_);
    if (define != nullptr) given_.give_anything(type);
  }
  const Node* titles = arguments.size() > 1 ? unparenthesised(arguments[1]) : nullptr;
  if (titles == nullptr) return;
  if (function.ends_with("resource")) return note_declared(type, titles, true); // a title, or an array of such
  const auto made = program_.whole() ? made_texts(titles, true) : std::nullopt;
  if (program_.whole() && define != nullptr) given_.give(type, sym::title, made);
  if (function == "create_resources") {
    LookupKeys::Beside beside;
    if (arguments.size() > 2) note_beside(*arguments[2], beside);
    note_data_resources(*titles, made, define, native, plain, beside);
  }
  if (!made) return note_dynamic_title(type);
  made_.push_back({declaration(type, *titles), *made});
}

/// Parameters of classes that have no default, and that neither data nor any declaration gives a value.
void Walker::check_missing_values() {
  if (!program_.whole()) return;
  // A class that some code declares with its parameters is mostly declared there before others include it.
  std::set<uint32_t> declared;
  for (const ClassGiven& given : class_given_)
    if (given.anything || !given.parameters.empty()) declared.insert(given.name.id);
  std::set<std::pair<uint32_t, uint32_t>> told;
  for (const ClassGiven& given : class_given_) {
    if (given.anything || (given.parameters.empty() && declared.contains(given.name.id))) continue;
    const DefinitionEntry* entry = program_.find_class(given.name);
    if (entry == nullptr || entry->definition->kind != NodeKind::ClassDef) continue;
    for (const Parameter& p : entry->definition->parameters) {
      if (p.default_value != nullptr || std::ranges::find(given.parameters, p.name) != given.parameters.end()) continue;
      const std::string key = fmt::format("{}::{}", given.name.str(), p.name.str());
      if (!data_->values(key).empty() || (!data_->complete_for(key) && given.parameters.empty()) ||
          !told.emplace(given.name.id, p.name.id).second)
        continue;
      const std::string message = fmt::format(
          "Nothing gives the parameter '{}' of the class '{}' a value: it has no default, and no data has '{}'", p.name.str(),
          given.name.str(), key);
      const SourceFile* own = entry->file->source.get();
      // Data that is not here may have it: of a class that gets its other parameters from the code it hardly does.
      if (!data_->complete_for(key)) {
        const Module* module = program_.module_of(own->path());
        const bool own_data = module != nullptr &&
                              (!module->data_provider.empty() || program_.environment().path_exists(module->path + "/hiera.yaml"));
        if (given.asked && !own_data)
          findings_.add(CheckCode::missing_value, *given.source, given.offset, given.length, message, {}, Severity::Hint);
        continue;
      }
      if (asked_files_.contains(own))
        findings_.add(CheckCode::missing_value, *own, p.offset, p.length, message,
                      fmt::format("{}:{} includes the class.", given.source->path(), given.source->line(given.offset)));
      else if (given.asked)
        findings_.add(CheckCode::missing_value, *given.source, given.offset, given.length, message);
    }
  }
}

} // namespace pupc::compiler
