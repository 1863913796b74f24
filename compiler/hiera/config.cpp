#include "compiler/hiera/config.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"
#include "compiler/hiera/errors.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr std::string_view function_keys[] = {"data_hash", "lookup_key", "data_dig", "hiera3_backend"};
constexpr std::string_view location_keys[] = {"path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"};
constexpr std::string_view reserved_options[] = {"path", "uri"};

// The type against which Puppet checks a version 5 configuration. Used only for the message, when the quick check below fails.
constexpr std::string_view hierarchy_type =
    "Array[Struct[{name=>String[1],Optional[options]=>Hash[Pattern[/\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z/"
    "],Data],Optional[data_hash]=>String[1],"
    "Optional[lookup_key]=>String[1],Optional[hiera3_backend]=>String[1],Optional[v4_data_hash]=>String[1],Optional[data_dig]=>String[1],"
    "Optional[path]=>String[1],"
    "Optional[paths]=>Array[String[1],1],Optional[glob]=>String[1],Optional[globs]=>Array[String[1],1],Optional[uri]=>String[1],"
    "Optional[uris]=>Array[String[1],1],Optional[mapped_paths]=>Array[String[1],3,3],Optional[datadir]=>String[1]}]]";

std::string type_of_version_5() {
  return fmt::format(
      "Struct[{{version=>Integer[5,5],Optional[defaults]=>Struct[{{Optional[data_hash]=>String[1],Optional[lookup_key]=>String[1],"
      "Optional[data_dig]=>String[1],Optional[datadir]=>String[1],Optional[options]=>Hash[Pattern[/"
      "\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z/],"
      "Data]}}],Optional[hierarchy]=>{0},Optional[plan_hierarchy]=>{0},Optional[default_hierarchy]=>{0}}}]",
      hierarchy_type);
}
constexpr std::string_view type_of_version_4 =
    "Struct[{version=>Integer[4,4],Optional[datadir]=>String[1],Optional[hierarchy]=>Array[Struct[{backend=>String[1],name=>String[1],"
    "Optional[datadir]=>String[1],Optional[path]=>String[1],Optional[paths]=>Array[String[1]]}]]}]";

/// Joins names as "a, b, or c".
std::string combine(std::span<const std::string_view> names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) out.append(i == 0 ? "" : i + 1 == names.size() ? ", or " : ", ").append(names[i]);
  return out;
}

class Reader {
public:
  Reader(HieraConfig& config, const Hash& root, LookupHost& host) : config_(config), root_(root), host_(host) {}

  void read_version_5() {
    if (!valid_version_5()) assert_type(type_of_version_5());
    const Value* d = root_.find("defaults");
    defaults_ = d && d->is_hash() ? d->hash : nullptr;
    if (defaults_) check_defaults();
    const Value* hierarchy = root_.find("hierarchy");
    std::vector<const Hash*> entries;
    if (hierarchy && hierarchy->is_list())
      for (const Value& e : hierarchy->items()) entries.push_back(e.hash);
    for (const Hash* e : entries) check_entry(*e);
    if (const Value* plan = root_.find("plan_hierarchy"); plan && plan->is_list())
      for (const Value& e : plan->items()) check_entry(*e.hash);
    const Value* by_default = root_.find("default_hierarchy");
    if (by_default) {
      if (config_.layer != HieraLayer::Module)
        fail("'default_hierarchy' is only allowed in the module layer", config_.find_line("(?:^|\\s+)default_hierarchy:"));
      config_.has_default_hierarchy = true;
      for (const Value& e : by_default->items()) check_entry(*e.hash);
    }
    if (hierarchy && hierarchy->is_list())
      for (const Hash* e : entries) config_.hierarchy.push_back(entry(*e));
    else
      config_.hierarchy.push_back(common_entry());
    check_names(config_.hierarchy);
    if (by_default)
      for (const Value& e : by_default->items()) config_.default_hierarchy.push_back(entry(*e.hash));
    check_names(config_.default_hierarchy);
  }

  void read_version_4() {
    assert_type(type_of_version_4);
    std::string_view datadir = text(root_, "datadir");
    if (datadir.empty()) datadir = "data";
    auto add = [&](std::string_view name, std::string_view backend, std::string_view own_datadir, std::vector<std::string_view> paths) {
      HierarchyEntry e;
      e.name = name;
      if (backend == "yaml") {
        e.function = "yaml_data";
        e.extension = ".yaml";
      } else if (backend == "json") {
        e.function = "json_data";
        e.extension = ".json";
      } else if (backend == "hocon") {
        e.function = "hocon_data";
        e.extension = ".conf";
      } else {
        fail(fmt::format("No data provider is registered for backend '{}'", backend),
             config_.find_line("[^\\w]" + std::string(backend) + "(?:[^\\w]|$)"));
      }
      e.place = HierarchyEntry::Place::Paths;
      e.locations = std::move(paths);
      e.datadir = join_path(config_.directory, own_datadir.empty() ? datadir : own_datadir);
      config_.hierarchy.push_back(std::move(e));
    };
    const Value* hierarchy = root_.find("hierarchy");
    if (!hierarchy || !hierarchy->is_list()) {
      add("common", "yaml", {}, {"common"});
      return;
    }
    for (const Value& v : hierarchy->items()) {
      const Hash& e = *v.hash;
      std::vector<std::string_view> paths = list(e, "paths");
      if (!e.find("paths")) paths = {e.find("path") ? text(e, "path") : text(e, "name")};
      add(text(e, "name"), text(e, "backend"), text(e, "datadir"), std::move(paths));
    }
    check_names(config_.hierarchy);
  }

  void read_version_3() {
    std::vector<std::string_view> backends = flattened("backends"), paths = flattened("hierarchy");
    if (!root_.find("backends")) backends = {"yaml"};
    if (!root_.find("hierarchy")) paths = {"nodes/%{::trusted.certname}", "common"};
    std::string type =
        "Struct[{Optional[version]=>Integer[3,3],Optional[backends]=>Variant[String[1],Array[String[1]]],Optional[logger]=>String[1],"
        "Optional[merge_behavior]=>Enum['deep','deeper','native'],Optional[deep_merge_options]=>Hash[String[1],Variant[String,Boolean]],"
        "Optional[hierarchy]=>Variant[String[1],Array[String[1]]]";
    std::vector<std::string_view> known;
    for (std::string_view b : backends)
      if (std::find(known.begin(), known.end(), b) == known.end()) {
        type += fmt::format(",Optional['{}']=>Hash[String[1],Any]", b);
        known.push_back(b);
      }
    assert_type(type + "}]");
    for (size_t i = 0; i < backends.size(); ++i) {
      std::string_view backend = backends[i];
      if (std::find(backends.begin(), backends.begin() + static_cast<ptrdiff_t>(i), backend) !=
          backends.begin() + static_cast<ptrdiff_t>(i)) {
        std::string pattern = "[^\\w]" + std::string(backend) + "(?:[^\\w]|$)";
        uint32_t first = config_.find_line(pattern), line = first ? config_.find_line(pattern, first + 1) : 0;
        std::string message = fmt::format("Backend '{}' is defined more than once.", backend);
        if (line) message += fmt::format(" First defined at (line: {})", first);
        fail(std::move(message), line ? line : first);
      }
      const Value* own = root_.find(backend);
      HierarchyEntry e;
      e.name = backend;
      e.place = HierarchyEntry::Place::Paths;
      e.locations = paths;
      e.extension = "." + std::string(backend == "hocon" ? "conf" : backend);
      e.datadir = "/etc/puppetlabs/code/environments/%{::environment}/hieradata";
      if (own && own->is_hash()) {
        if (std::string_view extension = text(*own->hash, "extension"); !extension.empty()) e.extension = "." + std::string(extension);
        if (std::string_view datadir = text(*own->hash, "datadir"); !datadir.empty()) e.datadir = datadir;
      }
      if (backend == "yaml" || backend == "json" || backend == "hocon") {
        e.function = host_.arena().copy(std::string(backend) + "_data");
      } else if (backend == "eyaml") {
        e.form = HierarchyEntry::Form::LookupKey;
        e.function = "eyaml_lookup_key";
        if (own && own->is_hash()) e.options = own->hash;
      } else {
        e.form = HierarchyEntry::Form::Hiera3Backend;
        e.function = backend;
      }
      config_.hierarchy.push_back(std::move(e));
    }
    std::string_view behavior = text(root_, "merge_behavior");
    if (behavior != "deep" && behavior != "deeper") return;
    HashBuilder merge(host_.arena());
    merge.set("strategy", Value::string(behavior == "deep" ? "reverse_deep" : "unconstrained_deep"));
    if (const Value* options = root_.find("deep_merge_options"); options && options->is_hash())
      for (const auto& e : options->hash->entries()) merge.set(e.key, e.value);
    config_.hash_merge = merge.finish();
  }

private:
  /// The texts of a setting that is one text or a list of texts.
  std::vector<std::string_view> flattened(std::string_view key) const {
    const Value* v = root_.find(key);
    if (v && v->is_string()) return {v->str()};
    return list(root_, key);
  }

  [[noreturn]] void fail(std::string message, uint32_t line = 0) { throw_lookup_error(std::move(message), true, config_.path, line); }

  void assert_type(std::string_view type) {
    TypeContext& types = host_.types();
    const Type* t = parse_type(types, type);
    Value v = Value::of(&root_);
    if (!is_instance(types, t, v))
      throw_puppet_error(describe_mismatch(types, fmt::format("The Lookup Configuration at '{}' has wrong type,", config_.path), t, v));
  }

  static std::string_view text(const Hash& h, std::string_view key) {
    const Value* v = h.find(key);
    return v && v->is_string() ? v->str() : std::string_view();
  }
  static std::vector<std::string_view> list(const Hash& h, std::string_view key) {
    std::vector<std::string_view> out;
    if (const Value* v = h.find(key); v && v->is_list())
      for (const Value& item : v->items())
        if (item.is_string()) out.push_back(item.str());
    return out;
  }
  static bool non_empty(const Value& v) { return v.is_string() && !is_symbol(v) && !v.str().empty(); }

  // -- the quick check: whether the configuration is an instance of the type; it knows what real configurations contain

  static bool valid_options(const Value& v) {
    if (!v.is_hash()) return false;
    for (const auto& e : v.hash->entries()) {
      if (!non_empty(e.key)) return false;
      std::string_view k = e.key.str();
      auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
      auto inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
      if (!letter(k[0]) || !std::all_of(k.begin(), k.end(), inner) || !std::isalnum(static_cast<unsigned char>(k.back()))) return false;
      if (!e.value.is_string() && !e.value.is_bool() && !e.value.is_int()) return false; // the type decides about others
    }
    return true;
  }

  static bool valid_hierarchy(const Value& v) {
    if (!v.is_list()) return false;
    for (const Value& item : v.items()) {
      if (!item.is_hash() || !item.hash->find("name")) return false;
      for (const auto& e : item.hash->entries()) {
        if (!e.key.is_string()) return false;
        std::string_view k = e.key.str();
        bool ok;
        if (k == "options") {
          ok = valid_options(e.value);
        } else if (k == "paths" || k == "globs" || k == "uris" || k == "mapped_paths") {
          ok = e.value.is_list() && e.value.list->size > 0 && std::all_of(e.value.items().begin(), e.value.items().end(), non_empty) &&
               (k != "mapped_paths" || e.value.list->size == 3);
        } else {
          ok = (k == "name" || k == "data_hash" || k == "lookup_key" || k == "hiera3_backend" || k == "data_dig" || k == "path" ||
                k == "glob" || k == "uri" || k == "datadir") &&
               non_empty(e.value);
        }
        if (!ok) return false;
      }
    }
    return true;
  }

  bool valid_version_5() const {
    for (const auto& e : root_.entries()) {
      if (!e.key.is_string()) return false;
      std::string_view k = e.key.str();
      if (e.value.is_undef() && (k == "defaults" || k == "hierarchy")) continue; // Puppet sets its defaults before the check
      if (k == "version") {
        if (!e.value.is_int() || e.value.i != 5) return false;
      } else if (k == "hierarchy" || k == "plan_hierarchy" || k == "default_hierarchy") {
        if (!valid_hierarchy(e.value)) return false;
      } else if (k == "defaults") {
        if (!e.value.is_hash()) return false;
        for (const auto& d : e.value.hash->entries()) {
          if (!d.key.is_string()) return false;
          std::string_view dk = d.key.str();
          bool ok = dk == "options"
                        ? valid_options(d.value)
                        : (dk == "data_hash" || dk == "lookup_key" || dk == "data_dig" || dk == "datadir") && non_empty(d.value);
          if (!ok) return false;
        }
      } else {
        return false;
      }
    }
    return true;
  }

  // -- rules beyond the type

  void check_defaults() {
    size_t functions = 0;
    for (auto key : function_keys)
      if (defaults_->find(key)) ++functions;
    if (functions > 1) fail(fmt::format("Only one of {} can be defined in defaults", combine(function_keys)));
    if (const Value* options = defaults_->find("options"))
      for (auto key : reserved_options)
        if (options->is_hash() && options->hash->find(key))
          fail(fmt::format("Option key '{}' used in defaults is reserved by Puppet", key));
  }

  void check_entry(const Hash& e) {
    std::string_view name = text(e, "name");
    size_t functions = e.find("v4_data_hash") ? 1 : 0;
    for (auto key : function_keys)
      if (e.find(key)) ++functions;
    if (functions == 0) {
      // Without `defaults` in the file Puppet takes yaml_data.
      bool any = !defaults_;
      for (auto key : function_keys)
        if (defaults_ && defaults_->find(key)) any = true;
      if (!any) fail(fmt::format("One of {} must be defined in hierarchy '{}'", combine(function_keys), name));
    } else if (functions > 1) {
      fail(fmt::format("Only one of {} can be defined in hierarchy '{}'", combine(function_keys), name));
    }
    if (const Value* backend = e.find("hiera3_backend")) {
      if (config_.layer != HieraLayer::Global)
        fail("'hiera3_backend' is only allowed in the global layer", config_.find_line("\\s+hiera3_backend:"));
      std::string_view b = backend->is_string() ? backend->str() : std::string_view();
      if (b == "json" || b == "yaml" || b == "hocon")
        fail(fmt::format("Use \"data_hash: {0}_data\" instead of \"hiera3_backend: {0}\"", b),
             config_.find_line("\\s+hiera3_backend:\\s*['\"]?" + std::string(b) + "(?:[^\\w]|$)"));
    }
    size_t places = 0;
    for (auto key : location_keys)
      if (e.find(key)) ++places;
    if (places > 1) fail(fmt::format("Only one of {} can be defined in hierarchy '{}'", combine(location_keys), name));
    if (const Value* options = e.find("options"))
      for (auto key : reserved_options)
        if (options->is_hash() && options->hash->find(key))
          fail(fmt::format("Option key '{}' used in hierarchy '{}' is reserved by Puppet", key, name));
  }

  void check_names(const std::vector<HierarchyEntry>& entries) {
    for (size_t i = 0; i < entries.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        if (entries[i].name != entries[j].name) continue;
        std::string pattern = "\\s+name:\\s+['\"]?" + std::string(entries[i].name) + "(?:[^\\w]|$)";
        uint32_t first = config_.find_line(pattern);
        uint32_t line = first ? config_.find_line(pattern, first + 1) : 0;
        std::string message = fmt::format("Hierarchy name '{}' defined more than once.", entries[i].name);
        if (line)
          message += fmt::format(" First defined at (line: {})", first);
        else
          line = first;
        fail(std::move(message), line);
      }
  }

  HierarchyEntry entry(const Hash& e) {
    static constexpr HierarchyEntry::Form forms[] = {HierarchyEntry::Form::DataHash, HierarchyEntry::Form::LookupKey,
                                                     HierarchyEntry::Form::DataDig, HierarchyEntry::Form::Hiera3Backend};
    static constexpr HierarchyEntry::Place places[] = {
        HierarchyEntry::Place::Path, HierarchyEntry::Place::Paths, HierarchyEntry::Place::Glob,       HierarchyEntry::Place::Globs,
        HierarchyEntry::Place::Uri,  HierarchyEntry::Place::Uris,  HierarchyEntry::Place::MappedPaths};
    // Puppet's order of preference when an entry has several of these. The type allows that, but later rules refuse it.
    HierarchyEntry out;
    out.name = text(e, "name");
    out.function = "yaml_data";
    auto take_function = [&](const Hash& from) {
      for (size_t i = 0; i < std::size(function_keys); ++i)
        if (from.find(function_keys[i])) {
          out.form = forms[i];
          out.function = text(from, function_keys[i]);
          return true;
        }
      return false;
    };
    if (!take_function(e) && defaults_) take_function(*defaults_);
    for (size_t i = 0; i < std::size(location_keys); ++i) {
      const Value* v = e.find(location_keys[i]);
      if (!v) continue;
      out.place = places[i];
      if (v->is_string())
        out.locations = {v->str()};
      else
        out.locations = list(e, location_keys[i]);
      break;
    }
    std::string_view datadir = text(e, "datadir");
    if (datadir.empty() && defaults_) datadir = text(*defaults_, "datadir");
    if (datadir.empty()) datadir = "data";
    out.datadir = join_path(config_.directory, datadir);
    const Value* options = e.find("options");
    if (!options && defaults_) options = defaults_->find("options");
    if (options && options->is_hash()) out.options = options->hash;
    return out;
  }

  HierarchyEntry common_entry() {
    HierarchyEntry out;
    out.name = "Common";
    out.function = "yaml_data";
    if (defaults_)
      for (size_t i = 0; i < std::size(function_keys); ++i)
        if (defaults_->find(function_keys[i])) out.function = text(*defaults_, function_keys[i]);
    out.place = HierarchyEntry::Place::Path;
    out.locations = {"common.yaml"};
    std::string_view datadir = defaults_ ? text(*defaults_, "datadir") : std::string_view();
    out.datadir = join_path(config_.directory, datadir.empty() ? "data" : datadir);
    return out;
  }

  HieraConfig& config_;
  const Hash& root_;
  LookupHost& host_;
  const Hash* defaults_ = nullptr;
};

/// The version of a configuration: `version` or `:version`; 3 when it has neither.
int64_t version_of(const Hash& root) {
  const Value* v = root.find("version");
  if (!v || v->is_undef()) return 3;
  if (v->is_int()) return v->i;
  if (v->is_float()) return static_cast<int64_t>(v->d);
  if (v->is_string()) return std::atoll(std::string(v->str()).c_str());
  return 0;
}

/// Replaces symbols among the keys by plain strings, at every depth.
Value without_symbol_keys(Arena& arena, const Value& v) {
  if (v.is_list()) {
    ListBuilder out(arena, v.list->size);
    for (const Value& item : v.items()) out.add(without_symbol_keys(arena, item));
    return out.finish();
  }
  if (!v.is_hash()) return v;
  HashBuilder out(arena, v.hash->size);
  for (const auto& e : v.hash->entries())
    out.set(e.key.is_string() ? Value::string(e.key.str()) : e.key, without_symbol_keys(arena, e.value));
  return out.finish();
}

/// The configuration as Ruby sees it. The environment's copy of the file has strings instead of symbols as keys, like all data.
Value with_symbol_keys(const std::string& path, Arena& arena) {
  Value out;
  YamlOptions options;
  options.file = path;
  options.symbol_keys = true;
  std::string_view text = arena.copy(read_whole_file(path).value_or(std::string()));
  if (auto error = read_yaml(text, arena, out, options)) throw_puppet_error(error->message); // only if the file has changed meanwhile
  return out;
}

/// The valid configurations of an environment, by path and layer.
struct ConfigTable : EnvironmentAttachment {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const HieraConfig>> configs;
};

void note_old_version(const Environment& environment, const std::string& path, int64_t version, LookupHost& host) {
  if ((version == 3 || version == 4) && environment.options().check.strict != Strict::Off)
    host.warn(fmt::format("{0}: Use of 'hiera.yaml' version {1} is deprecated. It should be converted to version 5\n   (file: {0})", path,
                          version));
}

} // namespace

uint32_t HieraConfig::find_line(const std::string& pattern, uint32_t first) const {
  auto text = path.empty() ? std::nullopt : read_whole_file(path);
  if (!text) return 0;
  std::optional<Regex> regex;
  try {
    regex.emplace(pattern);
  } catch (const RegexError&) {
    return 0; // the name contains pattern characters: no line
  }
  uint32_t number = 0;
  for (size_t begin = 0; begin < text->size();) {
    size_t end = std::min(text->find('\n', begin), text->size());
    std::string_view line(text->data() + begin, end - begin);
    begin = end + 1;
    if (++number < first) continue;
    char quote = 0;
    std::string stripped;
    for (char c : line) {
      if (c == '"' || c == '\'') {
        if (quote == c)
          quote = 0;
        else if (!quote)
          quote = c;
      } else if (c == '#' && !quote) {
        break;
      }
      stripped += c;
    }
    stripped += '\n';
    if (regex->matches(stripped)) return number;
  }
  return 0;
}

std::shared_ptr<const HieraConfig> read_hiera_config(const Environment& environment, const std::string& path, HieraLayer layer,
                                                     LookupHost& host) {
  auto table = environment.attached<ConfigTable>();
  std::string key = fmt::format("{}:{}", static_cast<int>(layer), path);
  {
    std::lock_guard lock(table->mutex);
    if (auto it = table->configs.find(key); it != table->configs.end()) {
      note_old_version(environment, path, it->second->version, host);
      return it->second;
    }
  }
  auto config = std::make_shared<HieraConfig>();
  config->layer = layer;
  size_t cut = path.rfind('/');
  config->directory = cut == std::string::npos ? "." : cut == 0 ? "/" : path.substr(0, cut);
  const Hash* root = nullptr;
  static constexpr Hash empty{0, 0, nullptr, nullptr};
  if (environment.path_exists(path)) {
    config->path = path;
    const DataFile& file = environment.data_file(path, DataFormat::Yaml);
    if (!file.error.empty()) throw_puppet_error(file.error);
    if (!file.root.is_hash()) {
      host.warn(
          fmt::format("{}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config", path));
    } else {
      root = file.root.hash;
    }
  } else {
    root = &empty;
  }
  int64_t version = !root ? 3 : root == &empty ? 5 : version_of(*root);
  config->version = static_cast<int>(version);
  note_old_version(environment, path, version, host);
  if (version == 5)
    Reader(*config, *root, host).read_version_5();
  else if (version == 4 && layer != HieraLayer::Global)
    Reader(*config, *root, host).read_version_4();
  else if (version == 3 && layer == HieraLayer::Global) {
    Reader(*config, *without_symbol_keys(host.arena(), Value::of(root ? root : &empty)).hash, host).read_version_3();
    auto written_in_ruby = [](const HierarchyEntry& e) { return e.form == HierarchyEntry::Form::Hiera3Backend; };
    if (std::any_of(config->hierarchy.begin(), config->hierarchy.end(), written_in_ruby))
      config->loaded = with_symbol_keys(path, host.arena());
  } else if (version != 3 && version != 4)
    throw_lookup_error(fmt::format("This runtime does not support hiera.yaml version {}", version), true, path);
  if (version == 3) return config; // do not share it: its values belong to the compile
  std::lock_guard lock(table->mutex);
  return table->configs.emplace(key, std::move(config)).first->second;
}

} // namespace pupc::compiler
