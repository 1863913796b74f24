#include "compiler/hiera/layer.h"

#include "catalog/formats/data_file.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/hiera/data_functions.h"
#include "compiler/load/dependencies.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The index of the entry that contains `value`.
size_t entry_index(const Hash& hash, const Value* value) {
  const auto* entry = reinterpret_cast<const HashEntry*>(reinterpret_cast<const char*>(value) - offsetof(HashEntry, value));
  return static_cast<size_t>(entry - hash.data);
}

} // namespace

std::string type_with_symbols(TypeContext& types, const Value& v) {
  // A symbol has a type of its own in Ruby's runtime. Infer the type with Default in its place, which is as foreign to all other types.
  struct Replace {
    Arena& arena;
    Value operator()(const Value& from) const {
      if (is_symbol(from)) return Value::default_value();
      if (from.is_list()) {
        ListBuilder out(arena);
        for (const Value& item : from.items()) out.add((*this)(item));
        return out.finish();
      }
      if (from.is_hash()) {
        HashBuilder out(arena);
        for (const auto& e : from.hash->entries()) out.set((*this)(e.key), (*this)(e.value));
        return out.finish();
      }
      return from;
    }
  };
  std::string text = infer(types, Replace{types.arena}(v))->to_string();
  auto replace = [&](std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  };
  replace("Default", "Runtime[ruby, 'Symbol']");
  replace("RichData", "Any"); // Default has this type in common with others, a symbol does not
  return text;
}

const HieraConfig& DataProvider::config(LookupHost& host) {
  if (config_) return *config_;
  auto config = read_hiera_config(environment_, config_path_, layer_, host);
  if (config->version < 5) {
    if (config->version == 4 && layer_ == HieraLayer::Global)
      throw_lookup_error("hiera.yaml version 4 cannot be used in the global layer", true, config->path);
    if (config->version == 3 && layer_ != HieraLayer::Global)
      throw_lookup_error(
          fmt::format("hiera.yaml version 3 cannot be used in {}", layer_ == HieraLayer::Environment ? "an environment" : "a module"), true,
          config->path);
  }
  config_ = std::move(config);
  return *config_;
}

std::string DataProvider::title() const {
  static constexpr std::string_view places[] = {"Global", "Environment", "Module"};
  return fmt::format("{} {}Data Provider (hiera configuration version {})", places[static_cast<size_t>(layer_)],
                     module_.empty() ? std::string() : fmt::format("\"{}\" ", module_), config_->version);
}

std::optional<Value> DataProvider::lookup(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
  return invocation.check(key.text, [&]() -> std::optional<Value> {
    config(invocation.host);
    ExplainNode node(invocation.explainer, Explainer::Node::DataProvider, title(), config_->path);
    if (!resolved_ || !still_resolved(invocation)) resolve(invocation);
    return search(entries_, key, invocation, merge);
  });
}

std::optional<Value> DataProvider::lookup_default(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
  config(invocation.host);
  if (!resolved_ || !still_resolved(invocation)) resolve(invocation);
  return invocation.check(key.text, [&]() -> std::optional<Value> {
    ExplainNode node(invocation.explainer, Explainer::Node::DataProvider, title(), config_->path);
    return search(default_entries_, key, invocation, merge);
  });
}

// -- resolving the configuration

bool DataProvider::still_resolved(Invocation& invocation) {
  for (const auto& read : reads_) {
    Value now;
    if (config_->version == 3 ? !version_3_variable(read.root, invocation.host, now) : !invocation.host.variable(read.root, now)) {
      now = Value::undef();
      invocation.host.undefined_variable(read.root, true);
    }
    if (!now.is_undef() && !read.segments.empty() && !dig(*read.key, read.segments, now, nullptr)) now = Value::undef();
    if (!eql(now, read.value)) return false;
  }
  return true;
}

void DataProvider::resolve(Invocation& invocation) {
  if (resolved_ && invocation.explainer)
    invocation.explainer->text("Hiera configuration recreated due to change of scope variables used in interpolation expressions");
  resolved_ = false;
  reads_.clear();
  entries_.clear();
  default_entries_.clear();
  Invocation collecting = invocation.sub(false);
  collecting.version_3 = config_->version == 3;
  collecting.explainer = nullptr;
  collecting.reads = &reads_;
  try {
    entries_ = resolve_entries(config_->hierarchy, collecting);
    if (config_->has_default_hierarchy) default_entries_ = resolve_entries(config_->default_hierarchy, collecting);
  } catch (const LookupError& error) {
    if (!error.numbered || !error.diagnostic.file.empty()) throw;
    throw_lookup_error(error.diagnostic.message, true, config_->path);
  } catch (const CompileError& error) {
    const std::string& message = error.diagnostic.message;
    constexpr std::string_view start = "Undefined variable '";
    if (!message.starts_with(start)) throw;
    std::string name = message.substr(start.size(), message.find('\'', start.size()) - start.size());
    throw_lookup_error(fmt::format("Undefined variable '{}'", name), true, config_->path,
                       config_->find_line("%\\{['\"]?" + name + "['\"]?}"));
  }
  configure_backends(collecting);
  resolved_ = true;
}

std::vector<DataProvider::Entry> DataProvider::resolve_entries(const std::vector<HierarchyEntry>& entries, Invocation& invocation) {
  std::vector<Entry> out;
  using Place = HierarchyEntry::Place;
  for (const auto& e : entries) {
    Entry entry;
    entry.config = &e;
    entry.has_locations = e.place != Place::None;
    entry.backend = backend_of(e);
    std::string datadir = interpolator_.interpolate_text(e.datadir, invocation, false);
    entry.datadir = datadir;
    invocation.in_location = config_->version == 5;
    auto add = [&](std::string_view original, std::string path) {
      bool exists = environment_.path_exists(path);
      // The default configuration of a missing file lists only files that exist.
      if (!exists && config_->path.empty()) return;
      entry.locations.push_back({std::string(original), std::move(path), exists, false, nullptr, nullptr, nullptr});
    };
    switch (e.place) {
    case Place::None: break;
    case Place::Path:
    case Place::Paths:
      for (auto declared : e.locations) {
        std::string path = interpolator_.interpolate_text(declared, invocation, false);
        if (!e.extension.empty() && !path.ends_with(e.extension)) path += e.extension;
        add(declared, join_path(datadir, path));
      }
      break;
    case Place::Glob:
    case Place::Globs:
      for (auto declared : e.locations) {
        std::string pattern = join_path(datadir, interpolator_.interpolate_text(declared, invocation, false));
        if (DependencyRecorder* notes = environment_.recorder())
          notes->directory(pattern.substr(0, pattern.find_last_of('/', pattern.find_first_of("*?[{"))));
        for (auto& path : glob_files(pattern))
          entry.locations.push_back({pattern, std::move(path), true, false, nullptr, nullptr, nullptr});
      }
      break;
    case Place::Uri:
    case Place::Uris:
      for (auto declared : e.locations)
        entry.locations.push_back(
            {std::string(declared), interpolator_.interpolate_text(declared, invocation, false), true, true, nullptr, nullptr, nullptr});
      break;
    case Place::MappedPaths: {
      Value mapped = interpolator_.variable(e.locations[0], invocation, "mapped_path[0]");
      std::vector<Value> values;
      if (mapped.is_string() && !mapped.str().empty()) values.push_back(mapped);
      if (mapped.is_list()) values.assign(mapped.items().begin(), mapped.items().end());
      if (mapped.is_hash())
        for (const auto& pair : mapped.hash->entries()) {
          Value two[] = {pair.key, pair.value};
          values.push_back(make_list(invocation.host.arena(), two));
        }
      // Changes of the mapped variable do not matter, because the loop itself sets it.
      std::vector<ReadVariable>* reads = invocation.reads;
      std::vector<ReadVariable> inner;
      invocation.reads = &inner;
      for (const Value& v : values) {
        invocation.local_variables.emplace_back(e.locations[1], v);
        add(e.locations[2], join_path(datadir, interpolator_.interpolate_text(e.locations[2], invocation, false)));
        invocation.local_variables.pop_back();
      }
      invocation.reads = reads;
      for (auto& r : inner)
        if (reads && r.root != e.locations[1]) reads->push_back(std::move(r));
      break;
    }
    }
    invocation.in_location = false;
    if (config_->path.empty() && entry.has_locations && entry.locations.empty()) continue;
    if (e.options) entry.options = interpolator_.interpolate(Value::of(e.options), invocation, false).hash;
    out.push_back(std::move(entry));
  }
  return out;
}

// -- searching

std::optional<Value> DataProvider::search(std::vector<Entry>& entries, const LookupKey& key, Invocation& invocation,
                                          const MergeStrategy& merge) {
  if (entries.empty()) {
    if (invocation.explainer) invocation.explainer->not_found(key.text);
    return std::nullopt;
  }
  return merge_lookup(merge, invocation, entries.size(), [&](size_t i) { return search_entry(entries[i], key, invocation, merge); });
}

std::optional<Value> DataProvider::search_entry(Entry& entry, const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
  ExplainNode node(invocation.explainer, Explainer::Node::DataProvider,
                   invocation.explainer ? fmt::format("Hierarchy entry \"{}\"", entry.config->name) : std::string());
  if (!entry.has_locations || (entry.backend == Backend::Hiera3 && entry.locations.empty()))
    return search_location(entry, nullptr, key, invocation, merge);
  if (config_->version == 3 && !invocation.extra_paths.is_undef()) return search_extra_paths(entry, key, invocation, merge);
  return merge_lookup(merge, invocation, entry.locations.size(),
                      [&](size_t i) { return search_location(entry, &entry.locations[i], key, invocation, merge); });
}

/// The argument `override` of the hiera functions names data files to read before those of the hierarchy.
std::optional<Value> DataProvider::search_extra_paths(Entry& entry, const LookupKey& key, Invocation& invocation,
                                                      const MergeStrategy& merge) {
  const Value& given = invocation.extra_paths;
  std::vector<Location> extra;
  for (const Value& v : given.is_list() ? given.items() : std::span<const Value>(&given, 1)) {
    if (!v.is_string()) continue;
    std::string path = interpolator_.interpolate_text(v.str(), invocation, false), extension = fmt::format(".{}", entry.config->name);
    if (!path.ends_with(extension)) path += extension;
    path = join_path(entry.datadir, path);
    bool exists = environment_.path_exists(path);
    extra.push_back({std::string(v.str()), std::move(path), exists, false, nullptr, nullptr, nullptr});
  }
  return merge_lookup(merge, invocation, extra.size() + entry.locations.size(), [&](size_t i) {
    return search_location(entry, i < extra.size() ? &extra[i] : &entry.locations[i - extra.size()], key, invocation, merge);
  });
}

std::optional<Value> DataProvider::search_location(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation,
                                                   const MergeStrategy& merge) {
  Explainer* explainer = invocation.explainer;
  ExplainNode node(location ? explainer : nullptr, location && location->is_uri ? Explainer::Node::Uri : Explainer::Node::Location,
                   location ? std::string_view(location->path) : std::string_view(),
                   location ? std::string_view(location->original) : std::string_view());
  if (entry.backend == Backend::Hiera3) return search_backend(entry, location, key, invocation, merge); // whether its files exist or not
  if (location && !location->exists) {
    if (explainer) explainer->location_not_found();
    return std::nullopt;
  }
  if (entry.backend == Backend::Function) return search_function(entry, location, key, invocation);
  if (entry.backend == Backend::Eyaml) return search_eyaml(entry, location, key, invocation);
  // Puppet's functions take only the path, so options in the entry are an error, too.
  const Hash* options = entry.options;
  if (!location || location->is_uri || (options && options->size > 0))
    throw_argument_error(fmt::format("'{}' {}", entry.config->function, missing_path_text));
  if (!location->data) read_data(entry, *location, invocation);
  const Value* value = location->data->find(key.root);
  if (!value) {
    if (explainer) explainer->not_found(key.root);
    return std::nullopt;
  }
  Value result = *value;
  const size_t index = entry_index(*location->data, value);
  const auto& special = location->file->notes.special;
  if (index < special.size() && special[index])
    with_place(location, value, key.root, [&] {
      if (std::string error = big_integer_error(result); !error.empty())
        throw_argument_error(std::move(error)); // Puppet raises this error when code uses the value
      if (!is_rich_data(result)) {
        std::string type = type_with_symbols(invocation.host.types(), result);
        throw_puppet_error(
            fmt::format("Value for key '{}', in hash returned from data_hash function '{}', when using location '{}', has wrong type, "
                        "expects Puppet::LookupValue, got {}",
                        key.root, entry.config->function, location->path, type));
      }
      result = interpolator_.interpolate(result, invocation, true);
    });
  if (explainer) explainer->found(key.root, result);
  return result;
}

DataFileContent content_for(std::string_view function, const Environment& environment, const std::string& path, LookupHost& host) {
  static constexpr Hash empty{0, 0, nullptr, nullptr};
  const bool yaml = function == "yaml_data";
  const DataFormat format = yaml ? DataFormat::Yaml : function == "json_data" ? DataFormat::Json : DataFormat::Hocon;
  const DataFile& file = environment.data_file(path, format);
  if (!file.error.empty()) {
    if (!file.read) {
      std::string error = file.error; // Puppet asks for the file's state before it opens it
      constexpr std::string_view opening = "No such file or directory @ rb_sysopen";
      if (error.starts_with(opening)) error.replace(0, opening.size(), "No such file or directory @ rb_file_s_stat");
      throw_argument_error(std::move(error));
    }
    try {
      throw_lookup_error(yaml ? fmt::format("Unable to parse {}", file.error) : fmt::format("Unable to parse ({}): {}", path, file.error));
    } catch (CompileError& error) {
      if (format == DataFormat::Json && file.error_line > 0)
        error.diagnostic.suggestion = fmt::format("It is at {}:{}.", path, file.error_line);
      throw;
    }
  }
  if (!yaml || file.root.is_hash()) return {file, file.root};
  std::string message = fmt::format("{}: file does not contain a valid yaml hash", path);
  bool nothing = file.root.is_undef() || (file.root.is_bool() && !file.root.b);
  if (environment.options().check.strict == Strict::Error && !nothing) throw_lookup_error(std::move(message));
  host.warn(std::move(message));
  return {file, Value::of(&empty)};
}

void DataProvider::read_data(const Entry& entry, Location& location, Invocation& invocation) {
  const DataFileContent content = content_for(entry.config->function, environment_, location.path, invocation.host);
  location.file = &content.file;
  std::string what = fmt::format("Value returned from data_hash function '{}', when using location '{}',", entry.config->function,
                                 location.path);
  if (!content.value.is_hash()) {
    TypeContext& types = invocation.host.types();
    throw_puppet_error(describe_mismatch(types, what + " has wrong type,", parse_type(types, "Hash"), content.value));
  }
  location.data = content.value.hash;
  note_foreign_keys(*location.data, what, invocation.host);
}

void DataProvider::note_foreign_keys(const Hash& data, const std::string& what, LookupHost& host) const {
  if (layer_ != HieraLayer::Module) return;
  std::string prefix = fmt::format("{}::", module_);
  for (const auto& e : data.entries()) {
    if (e.key.is_string() && (e.key.str() == "lookup_options" || e.key.str().starts_with(prefix))) continue;
    // Puppet's warning says that the key is left out, but Puppet keeps it. So does this code.
    host.warn(fmt::format("Module '{}': {} must use keys qualified with the name of the module; got {}", module_, what,
                          ruby_to_s(host.types(), e.key)));
  }
}

void DataProvider::note_place(CompileError& error, const Location* location, const Value* value, std::string_view key) {
  if (!error.diagnostic.suggestion.empty() || !location || !location->file) return; // the innermost value has set its place already
  const auto& lines = location->file->notes.lines;
  const size_t index = entry_index(*location->data, value);
  error.diagnostic.suggestion = fmt::format("It is in the value of the key '{}' at {}{}.", key, location->path,
                                            index < lines.size() ? fmt::format(":{}", lines[index]) : std::string());
}

DataProvider::Backend DataProvider::backend_of(const HierarchyEntry& config) {
  using Form = HierarchyEntry::Form;
  if (config.form == Form::DataHash &&
      (config.function == "yaml_data" || config.function == "json_data" || config.function == "hocon_data"))
    return Backend::Data;
  if (config.form == Form::LookupKey && config.function == "eyaml_lookup_key") return Backend::Eyaml;
  return config.form == Form::Hiera3Backend ? Backend::Hiera3 : Backend::Function;
}

} // namespace pupc::compiler
