#pragma once
// Checks of files that hold no Puppet code: Hiera data, hiera.yaml, metadata.json, environment.conf, Puppetfile, tasks. And what the data
// says of keys, for the checks of code.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

/// The keys that the code passes to lookup() and the hiera functions.
struct LookupKeys {
  std::set<std::string> keys;
  bool dynamic = false; // the code computes some keys at run time
  /// A lookup that fails where no data has the key.
  struct Needed {
    std::string key;
    const SourceFile* source;
    uint32_t offset, length;
  };
  std::vector<Needed> needed;
  /// A parameter whose default is a lookup of a key, in its plain form: what the data has must fit the parameter.
  struct Typed {
    std::string key;
    const Type* type;
    std::string parameter; // its name; empty: the lookup itself asks for the type
    const SourceFile* source;
    uint32_t offset, length; // of the lookup
    bool merged = false;     // it merges the values of all levels
  };
  std::vector<Typed> typed;
  /// Attributes that the code gives to such resources beside the data.
  struct Beside {
    std::vector<Symbol> names;
    bool win = false;    // in place of those of the data
    bool others = false; // further ones, which cannot be told
  };
  /// A key whose value is a hash of resources of a type, with their attributes.
  struct Resources {
    std::string key;
    const DefinitionEntry* define;  // or
    const ResourceTypeInfo* native; // one of the two
    std::string type;
    Beside beside;
  };
  std::vector<Resources> resources;
};

/// Where and why a value does not fit a type.
struct Mismatch {
  std::vector<std::string> path; // the keys and numbers that lead to the part that does not fit
  std::string why;               // empty: it fits
};

/// The data and metadata files of a repository.
class DataFiles {
public:
  /// `program`: what the data is for (null: nothing is compared with it). Both outlive this.
  DataFiles(CheckedCodebase* program, Findings& findings) : program_(program), findings_(findings) {}

  /// Reads all data and metadata files among `files`, which outlive this, and checks each by itself. Never throws.
  void read(const std::vector<RepositoryFile>& files);
  /// Compares the keys with the classes and with what the code looks up.
  void check(const LookupKeys& lookups);

  /// The keys of the data that every node has, as its path has nothing of the node.
  std::set<std::string, std::less<>> always_set() const;
  /// Whether all data that a lookup of the key may find has been read.
  bool complete_for(std::string_view key) const;
  /// The values that files have for the key, in no order of levels.
  std::vector<Value> values(std::string_view key) const;
  /// The texts of a list that a lookup of the key gives every node, or the keys of a hash: whatever other levels have.
  std::set<std::string> certain_texts(std::string_view key, bool keys) const;
  /// What one file has for a key.
  struct Source {
    const void* file; // which one
    std::string_view shown;
    bool always; // every node reads the file
    const Value* value;
    bool of_site = true; // it is none of a module
  };
  /// What the files have for a key, in no order of levels.
  const std::vector<Source>& sources(std::string_view key) const;
  /// Whether these are all, like complete_for(), with the data of modules that are not checked.
  bool known_for(std::string_view key) const;
  /// Calls `f(key, source)` for each key of each file.
  template <class F> void for_each_key(F f) const {
    for (const auto& d : data_)
      for (const HashEntry& e : d->root.hash->entries())
        if (e.key.is_string()) f(e.key.str(), Source{d.get(), d->file->shown, for_all_.contains(d->file->path), &e.value});
  }
  /// What lookup_options make of a value.
  enum class Conversion : uint8_t { None, Secret, Other };
  Conversion conversion(std::string_view key) const;
  /// Whether lookups merge the values of several levels.
  bool merges(std::string_view key) const;
  /// Whether the text stands in a file.
  bool mentions(std::string_view text) const;
  /// Whether a lookup of the key gives a value that a file has: neither merged, converted nor made when it is looked up.
  bool plain(std::string_view key, const Value& value) const;
  /// Whether a text of the data or a path of its levels has the variable: "a::b" for %{a::b}.
  bool reads_variable(std::string_view name) const { return variables_.contains(name); }

private:
  void read(const std::vector<RepositoryFile>& files, bool configs);
  struct Data {
    const RepositoryFile* file;
    std::string text;
    Arena arena;
    Value root;
    DataEntryNotes notes;
  };
  /// What lookup_options say of a key, or of those that a pattern matches.
  struct KeyOptions {
    std::string key;
    std::shared_ptr<const Regex> pattern; // null: a key
    bool converts = false;                // the value becomes another
    bool secret = false;                  // namely a Sensitive of it
    std::string merge;                    // the strategy; empty: none
    std::string knockout;
    bool fits(std::string_view asked) const { return pattern != nullptr ? pattern->matches(asked) : key == asked; }
  };
  using Told = std::function<void(std::string_view word, std::string message, std::string suggestion, std::optional<Severity> severity)>;

  // data_files.cpp
  void read_data(const RepositoryFile& file, std::string text);
  void note_variables(std::string_view text);
  void check_encrypted(const RepositoryFile& file, std::string_view text);
  void check_lookup_options(const RepositoryFile& file, std::string_view text, const Hash& options);
  void check_conversion(std::string_view key, const Value& to, const Told& told);
  void note_options(std::string_view key, const Value& options);
  // hiera_config.cpp
  void check_config(const RepositoryFile& file, std::string_view text, const Value& root);
  void check_as_compiled(const RepositoryFile& file, std::string_view text, const Value& root, const Told& told);
  void check_level(const RepositoryFile& file, std::string_view text, const Hash& level, std::string_view title, const Value* defaults,
                   const Told& told);
  void check_function(const RepositoryFile& file, const Value& name, std::string_view whose, const Told& told);
  void note_foreign(const RepositoryFile& file, const Hash& level, const Value* defaults, const std::string& directory);
  void check_eyaml(const Hash& level, std::string_view title, const Value* defaults, const Told& told);
  void note_places(const RepositoryFile& file, const Hash& level, const Value* defaults, bool of_hierarchy, const Told& told);
  void check_data_there(std::string_view path, const std::string& base, const Told& told) const;
  void check_glob_there(std::string_view glob, const std::string& base, const Told& told) const;
  void check_places(const Value& place, const Told& told);
  void check_named_facts(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view text);
  void check_facts(const RepositoryFile& file, std::string_view text, const Value& place);
  void check_root(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view name);
  void check_fact(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view name);
  Known backend(const RepositoryFile& file, std::string_view name);
  // data_keys.cpp
  /// A walk over the texts of a file: each is looked at once.
  struct Texts {
    uint32_t steps = 0; // of the present key
    std::set<const char*> seen;
    bool is_first(std::string_view text);
  };
  void collect_lookups(const Data& d, std::string_view own, const Value& v, uint32_t line, Texts& texts, int depth = 0);
  void check_recursion() const;
  void check_interpolations(const Data& d, const Value& v, uint32_t line, Texts& texts, std::vector<std::string>& path);
  bool asked_for(const std::string& key) const;
  bool has_key(std::string_view key) const;
  std::string near_key(std::string_view key) const;
  const KeyOptions* options_of(std::string_view key) const;
  void check_meant_key(const Data& d, const std::function<uint32_t()>& place, std::string_view text);
  std::optional<Mismatch> misfit_of_secret(const Type& type, const std::string& key, const Value& value) const;
  void check_merged_values();
  void check_keys(const Data& d);
  void check_key_written(const Data& d, const std::string& key, uint32_t line);
  void check_binding(const Data& d, const std::string& key, const std::string& class_name, const std::string& parameter, const Value& value,
                     uint32_t line);
  void check_value(const Data& d, const Type& type, const std::string& key, const Value& value, uint32_t line, std::string_view whose);
  std::optional<Mismatch> misfit(const Type& type, const std::string& key, const Value& value, bool merges = false) const;
  void check_typed_lookups();
  void check_resources();
  void check_attributes(const Data& d, const LookupKeys::Resources& r, const std::string& title, const Hash& attributes, uint32_t line);
  void check_required(const Data& d, const LookupKeys::Resources& r, std::span<const Value> levels, const std::string& title,
                      const Hash& attributes, uint32_t line);
  void check_needed();
  void check_options_of_keys();

  CheckedCodebase* program_;
  Findings& findings_;
  const LookupKeys* lookups_ = nullptr;
  std::vector<std::unique_ptr<Data>> data_;
  /// A module whose files are only used.
  struct OtherModule {
    struct File {
      std::string shown, text;
      Arena arena;
      Value root;
    };
    std::deque<File> files;
    bool known = false; // it has data, and all of it was read
  };
  const OtherModule* other_module(std::string_view key) const;
  mutable std::unordered_map<const Module*, OtherModule> other_modules_;
  mutable std::unordered_map<std::string_view, std::vector<Source>> sources_; // by key, once they are asked for
  std::vector<KeyOptions> options_;
  /// Where options stand whose key must fit something.
  struct OptionsPlace {
    std::string key;
    const RepositoryFile* file;
    uint32_t line;
  };
  std::vector<OptionsPlace> options_places_;
  std::string_view key_;          // whose value is checked
  std::set<std::string> for_all_; // paths of data that every node has
  const std::vector<RepositoryFile>* files_ = nullptr;
  std::set<std::string, std::less<>> interpolated_;
  std::set<std::string, std::less<>> variables_; // of classes, without leading ::
  struct Interpolated {
    std::string key;
    const Data* data;
    uint32_t line;
    std::string own; // the key whose value looks it up
  };
  std::vector<Interpolated> interpolated_places_;
  std::set<std::string, std::less<>> keys_; // of all files
  std::set<std::string> configs_;           // paths of hiera.yaml
  std::set<std::string> foreign_;           // paths of files that functions of modules read
  std::set<std::string> other_configs_;     // those with levels of which not all is read
  bool unreadable_ = false;                 // some file of data is broken
};

/// Checks one metadata.json, environment.conf, Puppetfile or task metadata file, by its kind. Adds to `findings`.
void check_metadata_file(const RepositoryFile& file, const std::string& text, CheckedCodebase* program, Findings& findings);

/// The line (from 1) where `word` first stands in a text, quoted or bare; 0 when the text does not contain it.
uint32_t line_of(std::string_view text, std::string_view word, uint32_t first = 1);
/// The line, at or below `first`, where a level of a hiera.yaml has this name; `first` when that is not found.
uint32_t line_of_level(std::string_view text, std::string_view name, uint32_t first);
/// Whether a string anywhere in the value gets its text when it is looked up (an interpolation, an encrypted block).
bool is_made(const Value& value);

/// Where and why a value is no instance of a type.
/// Compares a value, part by part, with a type. `in_part`: what is missing may come from elsewhere. Texts that are made when they are
/// looked up are some text; those that begin with `knockout` are not compared.
Mismatch mismatch(CheckedCodebase& program, const Type& type, const Value& value, bool in_part, std::string_view knockout = {});

} // namespace pupc::compiler
