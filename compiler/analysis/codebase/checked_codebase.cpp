#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/codebase/tree_queries.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/semver.h"
#include "catalog/value/semver_range.h"
#include "compiler/ast/children.h"
#include "compiler/eval/type_interpreter.h"
#include "compiler/load/environment_extras.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/pcore_aliases.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace pupc::compiler {
namespace {

/// Appends the files with an extension below a directory to `out`: their paths relative to it, without the extension. Skips links and
/// hidden entries.
void names_below(const std::string& directory, std::string_view extension, const std::string& prefix, std::vector<std::string>& out,
                 int depth = 0) {
  DIR* d = depth > 32 ? nullptr : ::opendir(directory.c_str());
  if (!d) return;
  std::vector<std::string> folders;
  while (const dirent* e = ::readdir(d)) {
    std::string_view name = e->d_name;
    if (name.starts_with('.')) continue;
    if (e->d_type == DT_DIR)
      folders.emplace_back(name);
    else if (name.ends_with(extension))
      out.push_back(prefix + std::string(name.substr(0, name.size() - extension.size())));
  }
  ::closedir(d);
  for (const std::string& folder : folders) names_below(directory + "/" + folder, extension, prefix + folder + "::", out, depth + 1);
}

} // namespace

std::vector<std::string> names_of_files(const std::string& directory, std::string_view extension) {
  std::vector<std::string> out;
  names_below(directory, extension, "", out);
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

/// Collects the fact names that a Ruby text defines with `Facter.add(:name)` and the like, and what the computed ones begin with.
void facts_in(std::string_view text, std::unordered_set<std::string>& out, std::set<std::string>& computed) {
  for (size_t at = 0; (at = text.find("Facter.add", at)) != std::string_view::npos;) {
    at += 10;
    bool written = false; // not a variable
    for (; at < text.size() && (text[at] == '(' || text[at] == ' ' || text[at] == ':' || text[at] == '\'' || text[at] == '"'); ++at)
      written = written || (text[at] != '(' && text[at] != ' ');
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end > at) out.insert(std::string(text.substr(at, end - at)));
    // Ruby computes this name at run time: "*" stands for any name.
    if (end == at || (end < text.size() && text[end] == '#')) out.insert("*");
    if (!written || end == at || (end < text.size() && text[end] == '#'))
      computed.emplace(written ? text.substr(at, end - at) : std::string_view());
  }
}

/// Whether one name is the other with a slip, or with other underscores.
bool near_fact_name(std::string_view name, std::string_view fact) {
  const auto letters = [](std::string_view text) {
    std::string out;
    std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c != '_'; });
    return out;
  };
  return one_slip_apart_in_word(name, fact) || (fact.size() != name.size() && letters(fact) == letters(name));
}

/// Whether a type contains an unresolved name.
bool has_unknown(const Type* type) {
  if (type->kind == TypeKind::TypeReference) return true;
  if (type->kind == TypeKind::TypeAlias) return false; // the alias's own definition is checked elsewhere
  bool found = false;
  for_each_contained(type, [&](const Type* t) { found = found || has_unknown(t); });
  return found;
}

} // namespace

ConstantCalls& CheckedCodebase::constant_calls() {
  if (!constant_calls_) constant_calls_ = std::make_unique<ConstantCalls>(arena_, *environment_, functions_registry_);
  return *constant_calls_;
}

const Type* CodebaseTypes::load_type(std::string_view name) {
  if (const Type* t = lookup_type(name)) return t;
  if (const Type* t = pcore_alias(name)) return t;
  std::string key = ascii_lower(without_leading_colons(name));
  auto [at, fresh] = loaded_.try_emplace(key, nullptr);
  if (!fresh) return at->second;
  bool broken = false;
  const TypeAliasEntry* entry = program_.find_alias(intern(key), &broken);
  if (entry == nullptr) {
    // Treat types from Ruby, from broken files or from missing modules as accepting any parameters.
    std::string cased = key;
    cased[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(cased[0])));
    bool maybe = broken || (program_.may_exist(key) != Known::No && near_data_type(cased).empty());
    maybe = maybe || !program_.environment().data_type_file(key).empty();
    const Type* t = maybe ? types::any() : nullptr;
    loaded_[key] = t;
    return t;
  }
  // Register the alias before reading its definition: the definition may refer to the alias itself.
  auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType)))
      TypeAliasType(arena.copy(without_leading_colons(entry->alias->name.str())));
  loaded_[key] = alias;
  try {
    alias->resolved = TypeInterpreter(*this, *entry->alias, entry->file->source->text()).type(*entry->alias->type);
    if (alias->resolved->kind == TypeKind::Object || alias->resolved->kind == TypeKind::TypeSet) alias->resolved = types::any();
  } catch (const CompileError&) { alias->resolved = types::any(); }
  return alias;
}

std::string unknown_type(const Type* type) {
  if (type->kind == TypeKind::TypeReference) {
    const std::string_view text = type_cast<TypeReferenceType>(type).text;
    return std::string(text.substr(0, text.find('[')));
  }
  std::string found;
  if (type->kind != TypeKind::TypeAlias)
    for_each_contained(type, [&](const Type* t) {
      if (found.empty()) found = unknown_type(t);
    });
  return found;
}

std::string near_data_type(std::string_view name) {
  static const std::vector<std::string_view> known = {
      "Any",      "Array",   "Boolean", "Callable", "Collection", "Data",   "Enum",   "Float", "Hash", "Integer", "Numeric",
      "Optional", "Pattern", "Regexp",  "Scalar",   "Sensitive",  "String", "Struct", "Tuple", "Type", "Undef",   "Variant"};
  if (name.empty() || name.find(':') != std::string_view::npos) return {};
  if (name == "Bool") return "Did you mean 'Boolean'?";
  if (name == "Int") return "Did you mean 'Integer'?";
  if (name == "List") return "Did you mean 'Array'?";
  return did_you_mean(name, known);
}

bool slip_makes(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  size_t same = 0;
  while (same < b.size() && a[same] == b[same]) ++same;
  if (same == a.size()) return false;
  const auto meaning = [](char c) { return (c >= '0' && c <= '9') || c == '_'; };
  if (same == b.size()) return a.back() != 's' && !meaning(a.back());
  if (a.size() > b.size()) return !meaning(a[same]) && a.substr(same + 1) == b.substr(same);
  if (meaning(a[same]) || meaning(b[same])) return false;
  if (a.substr(same + 1) == b.substr(same + 1)) return true;
  return same + 1 < b.size() && a[same] == b[same + 1] && a[same + 1] == b[same] && a.substr(same + 2) == b.substr(same + 2);
}

bool one_slip_apart_in_word(std::string_view a, std::string_view b) {
  if (!one_slip_apart(a, b)) return false;
  if (a.size() < b.size()) std::swap(a, b);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  size_t same = 0;
  while (same < b.size() && a[same] == b[same]) ++same;
  size_t begin = same, end = same;
  while (begin > 0 && letter(a[begin - 1])) --begin;
  while (end < a.size() && letter(a[end])) ++end;
  const bool plural = a.size() > b.size() && a[same] == 's' && end == same + 1;
  return end - begin >= (plural ? 8 : 5);
}

bool same_words(std::string_view a, std::string_view b) {
  const auto sign = [](char c) { return c == ':' || c == '_' || c == '-' || c == ' '; };
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (sign(a[i]) && sign(b[k])) {
      while (i < a.size() && sign(a[i])) ++i;
      while (k < b.size() && sign(b[k])) ++k;
    } else if (a[i++] != b[k++]) {
      return false;
    }
  }
  return i == a.size() && k == b.size();
}

bool CodebaseTypes::resource_type_exists(std::string_view name) {
  const Symbol symbol = intern(name);
  return program_.find_resource_type(symbol) != nullptr || program_.find_define(symbol) != nullptr;
}

CheckedCodebase::CheckedCodebase(std::shared_ptr<const Environment> environment, const FunctionRegistry& functions,
                                 std::vector<AnalysedFile> files, bool whole, Unknown unknown)
    : environment_(std::move(environment)), functions_registry_(functions), files_(std::move(files)), whole_(whole),
      unknown_(std::move(unknown)), types_(arena_, environment_->regexes(), *this) {
  std::vector<std::pair<uint32_t, bool>> names; // with whether it is a function
  names.reserve(files_.size());
  std::string_view folder; // of the file before: what is in it is in one module
  const Module* module = nullptr;
  for (AnalysedFile& file : files_) {
    const std::string_view own_folder = file.path.substr(0, file.path.rfind('/') + 1);
    if (folder.empty() || own_folder != folder) module = module_of(file.path);
    folder = own_folder;
    file.module = module;
    if (!file.parsed || file.plan) continue;
    for (const Node* node : file.parsed->definitions) {
      auto* table = node->kind == NodeKind::ClassDef      ? &classes_
                    : node->kind == NodeKind::DefineDef   ? &defines_
                    : node->kind == NodeKind::FunctionDef ? &functions_
                                                          : nullptr;
      if (table == nullptr) continue;
      const auto* d = static_cast<const Definition*>(node);
      table->push_back(d->name);
      names.emplace_back(lower_symbol(d->name).id, table == &functions_);
    }
  }
  std::sort(names.begin(), names.end());
  repeats_names_ = std::adjacent_find(names.begin(), names.end()) != names.end();
  for (std::vector<Symbol>* own : {&classes_, &defines_, &functions_}) {
    std::ranges::sort(*own, {}, &Symbol::id);
    own->erase(std::unique(own->begin(), own->end()), own->end());
  }
}

bool CheckedCodebase::defines(NodeKind kind, Symbol name) const { return std::ranges::binary_search(own(kind), name.id, {}, &Symbol::id); }

template <class Entry, class F> const Entry* CheckedCodebase::remembered(Answers<Entry>& answers, Symbol name, bool* broken, F find) {
  auto at = answers.find(name);
  if (at == answers.end()) {
    Found<Entry> found;
    try {
      found.entry = find(name.str());
    } catch (const CompileError&) { found.broken = true; }
    at = answers.emplace(name, found).first;
  }
  if (broken != nullptr && at->second.broken) *broken = true;
  return at->second.entry;
}

const DefinitionEntry* CheckedCodebase::find_class(Symbol name, bool* broken) {
  return remembered(found_classes_, name, broken, [&](std::string_view text) { return environment_->find_class(text, nullptr); });
}
const DefinitionEntry* CheckedCodebase::find_define(Symbol name, bool* broken) {
  return remembered(found_defines_, name, broken, [&](std::string_view text) { return environment_->find_define(text, nullptr); });
}
const DefinitionEntry* CheckedCodebase::find_function(Symbol name, bool* broken) {
  return remembered(found_functions_, name, broken, [&](std::string_view text) { return environment_->find_function(text, nullptr); });
}
const TypeAliasEntry* CheckedCodebase::find_alias(Symbol name, bool* broken) {
  return remembered(found_aliases_, name, broken, [&](std::string_view text) { return environment_->find_type_alias(text, nullptr); });
}
const ResourceTypeInfo* CheckedCodebase::find_resource_type(Symbol name) {
  return remembered(found_types_, name, nullptr, [&](std::string_view text) { return environment_->find_resource_type(text); });
}

bool CheckedCodebase::complete_module(const Module& module, std::set<std::string>& seen) {
  if (!module.has_metadata) return whole_;
  for (const std::string& name : module.dependencies) {
    if (!seen.insert(name).second) continue;
    const Module* dependency = environment_->find_module(name);
    if (dependency == nullptr || !complete_module(*dependency, seen)) return false;
  }
  return true;
}

bool CheckedCodebase::complete(const Module* user) {
  if (whole_) return unknown_.missing.empty();
  if (user == nullptr) return false;
  auto [at, fresh] = complete_.try_emplace(user->name, false);
  if (fresh) {
    std::set<std::string> seen{user->name};
    at->second = complete_module(*user, seen);
  }
  return at->second;
}

void Unknown::add_broken(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    if (!part(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && (part(text[end]) || (text.substr(end).starts_with("::") && end + 2 < text.size() && part(text[end + 2]))))
      end += text[end] == ':' ? 2 : 1;
    broken.insert(ascii_lower(text.substr(at, end - at)));
    at = end;
  }
}

bool CheckedCodebase::in_broken(std::string_view name) const {
  return !unknown_.broken.empty() && unknown_.broken.contains(ascii_lower(without_leading_colons(name)));
}

Known CheckedCodebase::may_exist(std::string_view name) {
  name = without_leading_colons(name);
  if (in_broken(name)) return Known::Unsure;
  const std::string module = ascii_lower(name.substr(0, name.find("::")));
  if (environment_->find_module(module) != nullptr && !lists_missing(module)) return Known::No;
  return whole_ && !lists_missing(module) && !made_in_ruby(module) ? Known::No : Known::Unsure;
}

/// It is asked about names that are nowhere, so mostly never. Such a function has the name in its text: 'packages::' + name.
bool CheckedCodebase::made_in_ruby(std::string_view module) {
  if (!ruby_made_) {
    ruby_made_.emplace();
    namespace fs = std::filesystem;
    std::error_code ignored;
    for (const Module& m : environment_->modules())
      for (const char* folder : {"/lib/puppet/parser/functions", "/lib/puppet/functions"})
        for (fs::recursive_directory_iterator at(m.path + folder, ignored), end; at != end; at.increment(ignored)) {
          if (at->path().extension() != ".rb") continue;
          const auto text = read_whole_file(at->path().string());
          if (text && text->find("known_resource_types") != std::string::npos) ruby_made_->add_broken(*text);
        }
  }
  return ruby_made_->broken.contains(std::string(module));
}

Known CheckedCodebase::may_exist(std::string_view name, const Module* user) {
  name = without_leading_colons(name);
  if (name.find("::") != std::string_view::npos) return may_exist(name);
  return !in_broken(name) && complete(user) ? Known::No : Known::Unsure;
}

bool CheckedCodebase::defines_below(std::string_view module) {
  if (!own_spaces_) {
    own_spaces_.emplace();
    for (const std::vector<Symbol>* names : {&classes_, &defines_, &functions_})
      for (Symbol name : *names) {
        const std::string_view text = without_leading_colons(name.str());
        own_spaces_->insert(ascii_lower(text.substr(0, text.find("::"))));
      }
  }
  return own_spaces_->contains(std::string(module));
}

KnownNames CheckedCodebase::names_below_module(NodeKind kind, std::string_view name) {
  KnownNames out;
  const std::string module_name(without_leading_colons(name).substr(0, without_leading_colons(name).find("::")));
  const Module* module = environment_->find_module(module_name);
  if (module != nullptr && kind != NodeKind::FunctionDef) {
    auto [at, fresh] = module_names_.try_emplace(module_name);
    if (fresh) names_below(module->path + "/manifests", ".pp", module_name + "::", at->second);
    for (const std::string& n : at->second) {
      if (!may_be_similar(name, n)) continue;
      const bool right = (kind == NodeKind::ClassDef ? find_class(intern(n)) : find_define(intern(n))) != nullptr;
      if (right) out.add(n);
    }
  }
  if (kind == NodeKind::DefineDef && without_leading_colons(name).find("::") == std::string_view::npos)
    for (std::string_view n : native_type_names()) out.add(n);
  return out;
}

std::string CheckedCodebase::suggestion(NodeKind kind, std::string_view name) {
  auto [at, fresh] = suggestions_.try_emplace({kind, std::string(name)});
  constexpr size_t most = 500; // limit the time spent: nobody reads more suggestions
  if (!fresh || suggestions_.size() > most) return at->second;
  auto [own_names, first] = own_names_.try_emplace(kind);
  if (first)
    for (Symbol own_name : own(kind)) own_names->second.add(own_name.str());
  const KnownNames others = names_below_module(kind, name);
  return at->second = did_you_mean(name, {&own_names->second, &others});
}

const Type* CheckedCodebase::type_of(const Parameter& parameter, const SourceFile& source) {
  return parameter.type == nullptr ? nullptr : type_of(*parameter.type, source);
}

const Type* CheckedCodebase::type_of(const Node& expression, const SourceFile& source) {
  TypeText* known = type_text(expression, source);
  if (known != nullptr && known->type) return *known->type;
  struct Parts final : KnownTypes {
    Parts(CheckedCodebase& p, const SourceFile& s) : program(p), source(s) {}
    const Type* find(const Access& part) override {
      return program.type_text(part, source) != nullptr ? program.type_of(part, source) : nullptr;
    }
    CheckedCodebase& program;
    const SourceFile& source;
  } parts(*this, source);
  const Type* type = nullptr;
  try {
    type = TypeInterpreter(types_, source.text(), &parts).type(expression);
    if (has_unknown(type)) type = nullptr;
  } catch (const CompileError&) {} // another check reports it
  if (known != nullptr) known->type = type;
  return type;
}

CheckedCodebase::TypeText* CheckedCodebase::type_text(const Node& expression, const SourceFile& source) {
  if (expression.kind == NodeKind::Reference) return &named_types_[expression.as<Reference>().cased];
  if (expression.kind != NodeKind::Access || // the node covers all of its text
      expression.length == 0 || size_t{expression.offset} + expression.length > source.text().size())
    return nullptr;
  const std::string_view text = source.text().substr(expression.offset, expression.length);
  const uint64_t hash = hash_of_text(text);
  uint32_t number = type_text_numbers_.find(hash, [&](uint32_t known) { return type_texts_[known].first == text; });
  if (number == IndexTable::none) {
    number = static_cast<uint32_t>(type_texts_.size());
    type_text_numbers_.add(hash);
    type_texts_.emplace_back(text, TypeText());
  }
  return &type_texts_[number].second;
}

bool CheckedCodebase::is_for_puppet_8(const Module& module) {
  const auto [at, fresh] = for_puppet_8_.try_emplace(&module, true);
  if (!fresh || !module.has_metadata) return at->second;
  const auto read = read_module_metadata(module.path);
  const Value* requirements = read && read->root.is_hash() ? read->root.hash->find("requirements") : nullptr;
  at->second = false;
  if (requirements == nullptr || !requirements->is_list()) return false;
  for (const Value& r : requirements->items()) {
    const Value *name = r.is_hash() ? r.hash->find("name") : nullptr, *range = r.is_hash() ? r.hash->find("version_requirement") : nullptr;
    if (name == nullptr || !name->is_string() || name->str() != "puppet" || range == nullptr || !range->is_string()) continue;
    const SemVerRange* versions = version_range(trimmed(range->str()));
    if (versions != nullptr) at->second = takes_puppet_8(*versions);
  }
  return at->second;
}

bool CheckedCodebase::takes_puppet_8(const SemVerRange& range) {
  return includes(range, SemVer{8, 0, 0, {}, {}}) || includes(range, SemVer{8, 10, 0, {}, {}});
}

const SemVerRange* CheckedCodebase::version_range(std::string_view text) {
  if (const auto known = version_ranges_.find(text); known != version_ranges_.end()) return known->second;
  return version_ranges_.emplace(arena_.copy(text), parse_semver_range(arena_, text)).first->second;
}

/// The facts of a file. One that defines none of its own name, and one that is nearly called so, was meant to define that.
void CheckedCodebase::note_facts(std::string_view text, std::string_view file, const std::string& path, std::set<std::string>& computed) {
  std::unordered_set<std::string> own;
  std::set<std::string> own_computed;
  facts_in(text, own, own_computed);
  const std::string_view name = file.substr(file.rfind(':') == std::string_view::npos ? 0 : file.rfind(':') + 1);
  if (own.size() == 1 && own_computed.empty() && name.size() > 4 && near_fact_name(name, *own.begin()))
    misnamed_facts_.emplace(name, *own.begin());
  for (const std::string& fact : own) fact_files_[fact].push_back(path);
  custom_facts_->merge(own);
  computed.merge(own_computed);
}

const std::unordered_set<std::string>& CheckedCodebase::custom_facts() {
  if (custom_facts_) return *custom_facts_;
  custom_facts_.emplace();
  std::set<std::string> of_nodes; // stdlib has old code for external facts, which nodes have with or without it
  for (const Module& module : environment_->modules()) {
    // What is not there needs no look: the environment knows what discovery has listed.
    std::vector<std::string> names;
    if (const std::string folder = module.path + "/lib/facter"; environment_->path_exists(folder)) names_below(folder, ".rb", "", names);
    for (const std::string& name : names)
      if (const std::string path = fmt::format("{}/lib/facter/{}.rb", module.path, with_replaced(name, "::", "/"));
          auto text = read_whole_file(path))
        note_facts(*text, name, path, module.name == "stdlib" ? of_nodes : computed_facts_);
    if (const std::string folder = module.path + "/facts.d"; environment_->path_exists(folder) && is_directory(folder)) {
      custom_facts_->insert("*");
      for (const std::string& name : names_of_files(folder, ""))
        if (auto text = read_whole_file(folder + "/" + name)) external_facts_ += *text + "\n";
    }
  }
  return *custom_facts_;
}

std::span<const std::string> CheckedCodebase::files_of_fact(std::string_view name) {
  custom_facts();
  const auto files = fact_files_.find(name);
  if (files == fact_files_.end() || external_facts_.find(name) != std::string::npos ||
      (top_scope() && top_scope()->contains(std::string(name))))
    return {};
  return files->second;
}

std::string_view CheckedCodebase::near_custom_fact(std::string_view name) {
  const auto& facts = custom_facts();
  if (name.size() < 5 || facts.contains(std::string(name)) || in_broken(name) || external_facts_.find(name) != std::string::npos) return {};
  if (top_scope() && top_scope()->contains(std::string(name))) return {};
  if (const auto misnamed = misnamed_facts_.find(name); misnamed != misnamed_facts_.end()) return misnamed->second;
  if (is_known_fact(name)) return {};
  for (const std::string& start : computed_facts_)
    if (name.starts_with(start)) return {};
  for (const std::string& fact : facts)
    if (near_fact_name(name, fact)) return fact;
  return {};
}

const std::unordered_set<uint32_t>& CheckedCodebase::top_variables() {
  if (top_variables_) return *top_variables_;
  top_variables_.emplace();
  auto add = [&](const FrameLayout* layout) {
    if (layout != nullptr)
      for (Symbol s : layout->names) top_variables_->insert(s.id);
  };
  try {
    for (const auto& file : environment_->main_manifests(nullptr)) add(file->layout);
    for (const NodeEntry& node : environment_->nodes()) add(node.node->layout);
  } catch (const CompileError&) {}
  for (const AnalysedFile& file : files_) { // manifests outside of modules count too
    if (!file.parsed || file.epp || file.plan || file.module != nullptr) continue;
    add(file.parsed->layout);
    for (const Node* node : file.parsed->definitions)
      if (node->kind == NodeKind::NodeDef) add(node->as<NodeDef>().layout);
  }
  return *top_variables_;
}

} // namespace pupc::compiler
