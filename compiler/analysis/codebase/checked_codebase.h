#pragma once
// The code that is checked: the files asked about, the environment they belong to, and how much of it is known.
//   The caller parses the files asked about; the environment loads what they use from other modules, at first use. Not thread-safe.
#include "catalog/base/index_table.h"
#include "compiler/analysis/codebase/constant_calls.h"
#include "compiler/analysis/codebase/findings.h"
#include "compiler/eval/function.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/environment.h"
#include "compiler/types/type.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

/// Whether a name exists: No is certain, Unsure means that a file or module missing here may define it.
enum class Known : uint8_t { Yes, No, Unsure };

/// A manifest or template to check. `parsed` is null when the file has syntax errors.
struct AnalysedFile {
  std::string_view path; // absolute; the text lives as long as the codebase is asked
  std::shared_ptr<const ParsedFile> parsed;
  bool epp = false;
  bool asked = true;              // its findings are wanted; else it is only read
  const Module* module = nullptr; // CheckedCodebase sets it
  bool plan = false;              // it holds a plan, which only checks of plans look at
};

/// What is not known of the code, and why.
struct Unknown {
  std::set<std::string> missing; // modules that the Puppetfile lists and the environment lacks
  bool old_stdlib = false;       // the stdlib that is missing is older than 9
  /// The words of manifests that could not be read, in lower case: what such a file may define, declare or set. Names keep their ::.
  std::unordered_set<std::string> broken;
  /// All variables of top scope that come from outside, besides facts; empty when that is not known.
  std::optional<std::set<std::string>> top_scope;
  /// Adds the words of a manifest that could not be read.
  void add_broken(std::string_view text);
};

class CheckedCodebase;

/// Finds type aliases and resource types of the environment by name, to read the declared types of parameters.
class CodebaseTypes : public TypeContext {
public:
  CodebaseTypes(Arena& a, RegexCache& r, CheckedCodebase& program) : TypeContext(a, r), program_(program) {}
  const Type* load_type(std::string_view name) override;
  bool resource_type_exists(std::string_view name) override;

private:
  CheckedCodebase& program_;
  std::unordered_map<std::string, const Type*> loaded_;
};

/// The files with an extension below a directory, as names with :: for / and without the extension, sorted. Links and hidden entries do
/// not count.
std::vector<std::string> names_of_files(const std::string& directory, std::string_view extension);

/// The first name in a type that stands for nothing; empty when there is none.
std::string unknown_type(const Type* type);

/// The data type of the language that a name in no module is probably meant to be, as advice; empty when there is none.
std::string near_data_type(std::string_view name);
/// Whether one letter more, less or other makes `a` of `b`, or two neighbours that change their places. A last s or a digit makes another
/// name, not a slip.
bool slip_makes(std::string_view a, std::string_view b); // of texts of nearly one size
inline bool one_slip_apart(std::string_view a, std::string_view b) {
  return a.size() <= b.size() + 1 && b.size() <= a.size() + 1 && slip_makes(a, b);
}
/// The same of titles and keys, which are made of words: the slip is in a long one.
bool one_slip_apart_in_word(std::string_view a, std::string_view b);
/// Whether two names have the same words, and other signs between them: a::b_c and a::b::c.
bool same_words(std::string_view a, std::string_view b);

class CheckedCodebase {
public:
  /// `whole`: the files are a whole environment (or the modulepath was given), so what is not found does not exist.
  /// `unknown`: what is missing all the same.
  CheckedCodebase(std::shared_ptr<const Environment> environment, const FunctionRegistry& functions, std::vector<AnalysedFile> files,
                  bool whole, Unknown unknown);

  const Environment& environment() const { return *environment_; }
  const FunctionRegistry& functions() const { return functions_registry_; }
  const std::vector<AnalysedFile>& files() const { return files_; }
  CodebaseTypes& types() { return types_; }
  /// Keeps a text that was checked beside the files: what is remembered by the texts of expressions refers to it.
  void keep(std::shared_ptr<const ParsedFile> text) { texts_.push_back(std::move(text)); }
  Arena& arena() { return arena_; }
  ConstantCalls& constant_calls();

  /// The definition of a name; null when there is none or its file is broken (then `broken` becomes true).
  const DefinitionEntry* find_class(Symbol name, bool* broken = nullptr);
  const DefinitionEntry* find_define(Symbol name, bool* broken = nullptr);
  const DefinitionEntry* find_function(Symbol name, bool* broken = nullptr);
  const TypeAliasEntry* find_alias(Symbol name, bool* broken = nullptr);
  const ResourceTypeInfo* find_resource_type(Symbol name);
  const Module* module_of(std::string_view path) { return environment_->module_of(path); }

  /// Whether a class, or anything else with a qualified name, that no known file defines may still be defined elsewhere. No when its module
  /// is here, and in a whole environment that lists no such module.
  Known may_exist(std::string_view name);
  /// The same for a name of a type or function that `user` needs. One that is not qualified may be of any module: No when everything is
  /// here that the module depends on.
  Known may_exist(std::string_view name, const Module* user);
  /// Whether a manifest that could not be read has the name, so that it may define, declare or set it.
  bool in_broken(std::string_view name) const;
  /// In a whole environment: whether it has every module that its Puppetfile lists. Otherwise: whether all dependencies of `user` are here
  /// (no for code outside of modules).
  bool complete(const Module* user);
  bool whole() const { return whole_; }
  /// Whether the Puppetfile lists the module, which is not here.
  bool lists_missing(std::string_view module) const { return unknown_.missing.contains(std::string(module)); }
  /// Whether a function in Ruby may make classes or defined types of that module while compiling, as require_package() of some sites does.
  bool made_in_ruby(std::string_view module);
  /// Whether the stdlib that is used is one that has functions which later ones lack.
  bool old_stdlib() const { return unknown_.old_stdlib; }
  const std::optional<std::set<std::string>>& top_scope() const { return unknown_.top_scope; }
  const std::set<std::string>& missing() const { return unknown_.missing; }
  /// Whether a class, defined type or function in the files asked about has a name below this one: "a" for "a::b".
  bool defines_below(std::string_view module);

  /// did_you_mean() with the names of definitions of a kind: those in all files of the module that `name` belongs to, and in the files
  /// asked about.
  std::string suggestion(NodeKind kind, std::string_view name);
  /// The names of definitions of a kind in the files asked about, each once.
  const std::vector<Symbol>& own(NodeKind kind) const {
    return kind == NodeKind::ClassDef ? classes_ : kind == NodeKind::DefineDef ? defines_ : functions_;
  }
  /// Whether own(kind) has the name.
  bool defines(NodeKind kind, Symbol name) const;
  /// Whether two classes, defined types or functions in the files asked about have one name.
  bool repeats_names() const { return repeats_names_; }

  /// A parameter's declared type; null when it has none or the type cannot be read.
  const Type* type_of(const Parameter& parameter, const SourceFile& source);
  /// The type that an expression in a declaration of the file stands for; null when it cannot be read.
  const Type* type_of(const Node& expression, const SourceFile& source);
  /// What has been found out about an expression that stands for a type, by its text: a few texts stand before most parameters.
  struct TypeText {
    std::optional<const Type*> type;
    bool evaluates = false; // nothing fails where it is evaluated
    bool right = false;     // its names are all there, and no check of the walk has anything to say of it
  };
  /// Null when the expression's text is not known. Valid as long as the program.
  TypeText* type_text(const Node& expression, const SourceFile& source);

  /// Whether a range has some Puppet 8: it may begin with a later one.
  static bool takes_puppet_8(const SemVerRange& range);
  /// Whether the metadata of a module takes Puppet 8, or there is none.
  bool is_for_puppet_8(const Module& module);
  /// The range of versions that a text stands for, or null: each text is read once.
  const SemVerRange* version_range(std::string_view text);

  /// Names of facts that the modules' own Ruby and fact files define.
  const std::unordered_set<std::string>& custom_facts();
  /// The files in Ruby that define the fact; none where external ones or computed names may define it, too.
  std::span<const std::string> files_of_fact(std::string_view name);
  /// The texts that the code of these files gives, in lower case, once they were read; see never_value_of_custom_fact().
  using FactTexts = std::optional<std::set<std::string, std::less<>>>;
  std::map<std::string, FactTexts, std::less<>>& fact_texts() { return fact_texts_; }
  /// The fact of a module that one slip makes of the name of none; empty where there is no such fact, or where one of that name may be
  /// made.
  std::string_view near_custom_fact(std::string_view name);
  /// Names that the top scope and nodes assign in the main manifests.
  const std::unordered_set<uint32_t>& top_variables();

private:
  /// What the environment answered for the names asked so far.
  template <class Entry> struct Found {
    const Entry* entry = nullptr;
    bool broken = false;
  };
  template <class Entry> using Answers = std::unordered_map<Symbol, Found<Entry>>;
  template <class Entry, class F> const Entry* remembered(Answers<Entry>& answers, Symbol name, bool* broken, F find);

  KnownNames names_below_module(NodeKind kind, std::string_view name);
  bool complete_module(const Module& module, std::set<std::string>& seen);
  std::shared_ptr<const Environment> environment_;
  const FunctionRegistry& functions_registry_;
  std::vector<AnalysedFile> files_;
  std::vector<std::shared_ptr<const ParsedFile>> texts_;
  bool whole_;
  Unknown unknown_;
  std::optional<Unknown> ruby_made_; // words of functions in Ruby that make classes
  Answers<DefinitionEntry> found_classes_, found_defines_, found_functions_;
  Answers<TypeAliasEntry> found_aliases_;
  Answers<ResourceTypeInfo> found_types_;
  std::map<std::pair<NodeKind, std::string>, std::string> suggestions_;
  std::map<NodeKind, KnownNames> own_names_; // for suggestions
  Arena arena_;
  CodebaseTypes types_;
  std::unique_ptr<ConstantCalls> constant_calls_;    // made at the first such call
  std::unordered_map<Symbol, TypeText> named_types_; // of names alone
  IndexTable type_text_numbers_;                     // of others, by parts of the files' texts
  std::deque<std::pair<std::string_view, TypeText>> type_texts_;
  std::unordered_map<std::string_view, const SemVerRange*, TransparentHash> version_ranges_;
  std::vector<Symbol> classes_, defines_, functions_; // in order of their ids
  bool repeats_names_ = false;
  std::optional<std::unordered_set<std::string>> own_spaces_; // the first parts of the names of definitions
  std::unordered_map<std::string, bool> complete_;
  std::unordered_map<const Module*, bool> for_puppet_8_;
  std::unordered_map<std::string, std::vector<std::string>> module_names_;
  std::optional<std::unordered_set<std::string>> custom_facts_;
  void note_facts(std::string_view text, std::string_view file, const std::string& path, std::set<std::string>& computed);
  std::map<std::string, std::vector<std::string>, std::less<>> fact_files_;
  std::map<std::string, FactTexts, std::less<>> fact_texts_;
  std::map<std::string, std::string, std::less<>> misnamed_facts_; // by the name of their file
  std::set<std::string> computed_facts_;                           // what the names begin with that Ruby computes
  std::string external_facts_;                                     // the files in the modules' facts.d
  std::optional<std::unordered_set<uint32_t>> top_variables_;
};

} // namespace pupc::compiler
