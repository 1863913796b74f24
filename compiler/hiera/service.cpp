// The three layers and lookup_options, combined for one compile.
#include "compiler/hiera/layer.h"

#include "catalog/value/regex.h"
#include "compiler/conversion/string_format.h"
#include "compiler/load/dependencies.h"

#include <fmt/format.h>
#include <map>

namespace pupc::compiler {
namespace {

constexpr std::string_view lookup_options_key = "lookup_options";

/// The lookup_options of a module (or of keys without a module), with compiled patterns.
struct KeyOptions {
  const Hash* all = nullptr; // null = no options
  struct Pattern {
    const Regex* regex;
    Value options;
  };
  std::vector<Pattern> patterns;

  /// The options of a root key, or null.
  const Value* find(std::string_view root) const {
    if (!all) return nullptr;
    if (const Value* v = all->find(root); v && !v->is_undef() && !root.starts_with('^')) return v;
    for (const auto& p : patterns)
      if (p.regex->matches(root)) return &p.options;
    return nullptr;
  }
};

class LookupServiceImpl final : public LookupService {
public:
  explicit LookupServiceImpl(const Environment& environment)
      : environment_(environment), interpolator_{this, &LookupServiceImpl::look_up_interpolated} {}

  std::optional<Value> lookup(const LookupRequest& request, LookupHost& host) override {
    Invocation invocation(host);
    invocation.override_values = request.override_values;
    invocation.default_values = request.default_values;
    invocation.global_only = request.global_only;
    invocation.hiera_call = request.hiera_call;
    invocation.extra_paths = request.extra_paths;
    invocation.explainer = request.explainer ? request.explainer : explainer;
    if (const Invocation* cause = functions_.current) { // a data function makes this lookup
      invocation.parent = cause;
      invocation.depth = cause->depth + 1;
      invocation.global_only |= cause->global_only;
      if (!request.explainer) invocation.explainer = cause->explainer;
    }
    return look_up(request.key, invocation, request.merge);
  }

  bool has_environment_data(LookupHost& host) override {
    DataProvider* provider = environment_provider(host);
    return provider && provider->config(host).version >= 5;
  }

  bool has_no_data(std::string_view module_name) override {
    if (explainer != nullptr || !environment_.options().hiera_config.empty()) return false;
    const std::string& directory = environment_.options().path;
    if (!directory.empty() && environment_.path_exists(directory + "/hiera.yaml")) return false;
    const Module* module = environment_.find_module(module_name);
    return module == nullptr || (module->data_provider.empty() && !environment_.path_exists(module->path + "/hiera.yaml"));
  }

private:
  static std::optional<Value> look_up_interpolated(void* service, std::string_view key, Invocation& invocation) {
    const Hash* overrides = invocation.override_values;
    if (const Value* v = overrides ? overrides->find(key) : nullptr) return *v;
    if (auto v = static_cast<LookupServiceImpl*>(service)->look_up(key, invocation, Value::undef())) return v;
    const Hash* defaults = invocation.default_values;
    if (const Value* v = defaults ? defaults->find(key) : nullptr) return *v;
    return std::nullopt;
  }

  std::optional<Value> look_up(std::string_view text, Invocation& invocation, Value merge) {
    if (text == lookup_options_key || text.starts_with("lookup_options.")) {
      ExplainNode node(invocation.explainer, Explainer::Node::InvalidKey, lookup_options_key);
      return std::nullopt;
    }
    LookupKey key(text);
    if (DependencyRecorder* notes = environment_.recorder()) notes->key(key.root);
    invocation.top_key = key.text;
    invocation.module = key.module;
    invocation.has_module = key.has_module;
    const Value* options = options_of(key, invocation).find(key.root);
    if (invocation.explainer && !invocation.explainer->explains_data()) return Value::undef();
    if (options && options->is_list())
      throw_argument_error("no implicit conversion of String into Integer"); // Ruby's words when code reads 'merge' from a list
    const Hash* own_options = options && options->is_hash() ? options->hash : nullptr;
    if (merge.is_undef() && own_options) {
      if (const Value* m = own_options->find("merge"); m && !m->is_undef()) {
        merge = *m;
        if (invocation.explainer) invocation.explainer->merge_source(lookup_options_key);
      }
    }
    const Value* convert_to = own_options ? own_options->find("convert_to") : nullptr;
    std::optional<Value> found;
    {
      const ExplainSecret secret(convert_to && makes_sensitive(*convert_to) ? invocation.explainer : nullptr);
      ExplainNode node(invocation.explainer, Explainer::Node::Data, key.text);
      found = search_layers(key, invocation, merge);
      if (!found && !invocation.global_only) found = search_module_default(key, invocation);
    }
    if (!found) return std::nullopt;
    if (convert_to && !convert_to->is_undef()) *found = convert(key, *convert_to, *found, invocation);
    return found;
  }

  /// Whether a convert_to (a type, its text, or a list that starts with one of them) makes Sensitive values.
  static bool makes_sensitive(const Value& convert_to) {
    const Value first = convert_to.is_list() ? (convert_to.items().empty() ? Value::undef() : convert_to.items()[0]) : convert_to;
    if (const Type* type = as_type(first)) return type->to_string().find("Sensitive") != std::string::npos;
    return first.is_string() && first.str().find("Sensitive") != std::string_view::npos;
  }

  /// The value at the segments of a key; nothing when there is none.
  static std::optional<Value> dig_key(const LookupKey& key, std::optional<Value> value, Invocation& invocation) {
    if (!value || key.segments.empty()) return value;
    ExplainNode node(invocation.explainer, Explainer::Node::SubLookup, invocation.explainer ? shown_segments(key.segments) : std::string());
    if (!dig(key.text, key.segments, *value, invocation.explainer)) return std::nullopt;
    return value;
  }

  std::optional<Value> search_layers(const LookupKey& key, Invocation& invocation, const Value& merge) {
    MergeStrategy strategy = MergeStrategy::from(invocation.host.types(), merge);
    if (invocation.global_only) return dig_key(key, search_global(key, invocation, strategy), invocation);
    auto search = [&](size_t layer) -> std::optional<Value> {
      switch (layer) {
      case 0: return search_global(key, invocation, strategy);
      case 1: return search_environment(key, invocation, strategy);
      default: return search_module(key, invocation, strategy);
      }
    };
    return dig_key(key, merge_lookup(strategy, invocation, 3, search), invocation);
  }

  // -- layers

  std::optional<Value> search_global(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
    const std::string& path = environment_.options().hiera_config;
    if (!path.empty() && !global_) global_.emplace(environment_, path, HieraLayer::Global, std::string_view(), interpolator_, functions_);
    try {
      // Puppet always has this layer, even without data, and it detects here that a key depends on itself.
      if (!global_)
        return invocation.check(key.text, [&] {
          ExplainNode node(invocation.explainer, Explainer::Node::DataProvider, "Global Data Provider (hiera configuration version 5)");
          if (invocation.explainer) invocation.explainer->not_found(key.text);
          return std::optional<Value>();
        });
      const int version = invocation.check(key.text, [&] { return global_->config(invocation.host).version; });
      return version == 3 ? search_version_3(key, invocation, merge) : global_->lookup(key, invocation, merge);
    } catch (const LookupError& error) {
      if (error.numbered) throw;
      Diagnostic d;
      d.code = ErrorCode::lookup_error;
      d.message = fmt::format("Lookup of key '{}' failed: {}", invocation.top_key, error.diagnostic.puppet_text());
      d.suggestion = error.diagnostic.suggestion;
      throw CompileError(std::move(d));
    }
  }

  /// Searches as Hiera 3 does: what its values interpolate comes from the global layer, too, unless the environment has data of its own.
  std::optional<Value> search_version_3(const LookupKey& key, Invocation& invocation, MergeStrategy merge) {
    Invocation inner = invocation.sub(true);
    inner.top_key = invocation.top_key;
    inner.module = invocation.module;
    inner.has_module = invocation.has_module;
    inner.reads = invocation.reads;
    inner.version_3 = true;
    inner.global_only = inner.global_only || !has_environment_data(invocation.host);
    const Value& own = global_->config(invocation.host).hash_merge;
    if (invocation.hiera_call && merge.form == MergeStrategy::Form::Hash && !own.is_undef())
      merge = MergeStrategy::from(invocation.host.types(), own);
    auto found = global_->lookup(key, inner, merge);
    if (!found || !invocation.hiera_call) return found;
    const bool hash = merge.form == MergeStrategy::Form::Hash;
    if ((hash || merge.form == MergeStrategy::Form::Deep) && !found->is_hash()) {
      TypeContext& types = invocation.host.types();
      throw_lookup_error(describe_mismatch(types, "value has wrong type,", parse_type(types, "Hash"), *found));
    }
    if (!key.segments.empty() && (hash || merge.form == MergeStrategy::Form::Unique))
      throw_lookup_error(fmt::format("Resolution type :{} is illegal when accessing values using dotted keys. Offending key was '{}'",
                                     hash ? "hash" : "array", key.text));
    return found;
  }

  DataProvider* environment_provider(LookupHost& host) {
    if (!environment_known_) {
      const std::string& directory = environment_.options().path;
      std::string path = directory + "/hiera.yaml";
      if (!directory.empty() && environment_.path_exists(path)) {
        environment_data_.emplace(environment_, path, HieraLayer::Environment, std::string_view(), interpolator_, functions_);
        environment_data_->config(host);
      }
      environment_known_ = true;
    }
    return environment_data_ ? &*environment_data_ : nullptr;
  }

  std::optional<Value> search_environment(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
    DataProvider* provider = environment_provider(invocation.host);
    return provider ? provider->lookup(key, invocation, merge) : std::nullopt;
  }

  struct ModuleData {
    bool known = false;
    std::optional<DataProvider> provider;
  };

  DataProvider* module_provider(std::string_view name, Invocation& invocation) {
    auto it = modules_.find(name);
    if (it == modules_.end()) it = modules_.try_emplace(std::string(name)).first;
    ModuleData& data = it->second;
    if (!data.known) {
      if (const Module* module = environment_.find_module(name)) open_module(*module, data, invocation.host);
      data.known = true;
    }
    return data.provider ? &*data.provider : nullptr;
  }

  void open_module(const Module& module, ModuleData& data, LookupHost& host) {
    std::string path = module.path + "/hiera.yaml";
    bool configured = environment_.path_exists(path);
    if (configured || module.data_provider == "hiera") // deprecated: it means data/common.yaml
      data.provider.emplace(environment_, path, HieraLayer::Module, std::string_view(module.name), interpolator_, functions_);
    bool current = configured && data.provider->config(host).version >= 5;
    if (module.data_provider.empty()) return;
    std::string message = fmt::format("Defining \"data_provider\": \"{}\" in metadata.json is deprecated.", module.data_provider);
    if (current)
      message += " It is ignored since a 'hiera.yaml' with version >= 5 is present";
    else if (!configured)
      message += " A 'hiera.yaml' file should be used instead";
    if (environment_.options().check.strict != Strict::Off) host.warn(fmt::format("{}\n   (file: {}/metadata.json)", message, module.path));
    if (current) return;
    if (module.data_provider == "none") {
      data.provider.reset();
    } else if (module.data_provider != "hiera") {
      Diagnostic d;
      d.code = ErrorCode::not_implemented;
      d.message = fmt::format("the data provider '{}' of module '{}' is not implemented by pupc", module.data_provider, module.name);
      d.file = module.path + "/metadata.json";
      throw CompileError(std::move(d));
    }
  }

  std::optional<Value> search_module(const LookupKey& key, Invocation& invocation, const MergeStrategy& merge) {
    if (!invocation.has_module) return std::nullopt;
    DataProvider* provider = module_provider(invocation.module, invocation);
    if (!provider) {
      if (invocation.explainer) {
        if (environment_.find_module(invocation.module))
          invocation.explainer->module_provider_not_found(invocation.module);
        else
          invocation.explainer->module_not_found(invocation.module);
      }
      return std::nullopt;
    }
    return provider->lookup(key, invocation, merge);
  }

  std::optional<Value> search_module_default(const LookupKey& key, Invocation& invocation) {
    if (!invocation.has_module) return std::nullopt;
    DataProvider* provider = module_provider(invocation.module, invocation);
    if (!provider || !provider->config(invocation.host).has_default_hierarchy) return std::nullopt;
    return dig_key(key, module_default(key, invocation, *provider), invocation);
  }

  std::optional<Value> module_default(const LookupKey& key, Invocation& invocation, DataProvider& provider) {
    ExplainNode node(invocation.explainer, Explainer::Node::Scope,
                     invocation.explainer ? fmt::format("Searching default_hierarchy of module \"{}\"", invocation.module) : std::string());
    auto [it, fresh] = default_options_.try_emplace(std::string(invocation.module));
    if (fresh) {
      Invocation meta = invocation.sub(false);
      LookupKey options_key(lookup_options_key);
      meta.top_key = options_key.text;
      meta.module = invocation.module;
      meta.has_module = true;
      ExplainNode meta_node(meta.explainer, Explainer::Node::Meta, lookup_options_key);
      auto options = provider.lookup_default(options_key, meta, hash_strategy());
      it->second = compile_options(options ? validated(*options, invocation.module) : nullptr, invocation.host.types().regexes);
    }
    const Value* options = it->second.find(key.root);
    const Value* merge = options && options->is_hash() ? options->hash->find("merge") : nullptr;
    MergeStrategy strategy = MergeStrategy::from(invocation.host.types(), merge ? *merge : Value::undef());
    ExplainNode data_node(invocation.explainer, Explainer::Node::Data, key.text);
    return provider.lookup_default(key, invocation, strategy);
  }

  // -- lookup_options

  static MergeStrategy hash_strategy() {
    MergeStrategy s;
    s.form = MergeStrategy::Form::Hash;
    return s;
  }

  const KeyOptions& options_of(const LookupKey& key, Invocation& invocation) {
    if (!key.has_module) {
      if (!plain_options_) {
        KeyOptions made = compile_options(retrieve_options(key, invocation), invocation.host.types().regexes);
        plain_options_ = std::move(made);
      }
      return *plain_options_;
    }
    auto it = module_options_.find(key.module);
    if (it != module_options_.end()) return it->second;
    KeyOptions made = compile_options(retrieve_options(key, invocation), invocation.host.types().regexes);
    return module_options_.emplace(std::string(key.module), std::move(made)).first->second;
  }

  const Hash* retrieve_options(const LookupKey& key, Invocation& invocation) {
    Invocation meta = invocation.sub(false);
    LookupKey options_key(lookup_options_key);
    meta.top_key = options_key.text;
    meta.module = invocation.module;
    meta.has_module = invocation.has_module;
    ExplainNode node(meta.explainer, Explainer::Node::Meta, lookup_options_key);
    MergeStrategy strategy = hash_strategy();
    if (meta.global_only) return global_options(options_key, meta, strategy);
    const Hash* options = environment_options(options_key, meta, strategy);
    if (!key.has_module) return options;
    // From here on these are the options of keys without a module.
    if (!plain_options_) plain_options_ = compile_options(options, invocation.host.types().regexes);
    auto found = search_module(options_key, meta, strategy);
    if (!found) return options;
    const Hash* own = validated(*found, key.module);
    if (!options) return own;
    if (!own) return nullptr; // like Puppet: `lookup_options: ~` in a module hides the environment's options
    const std::string module_name = fmt::format("Module {}", key.module);
    auto both = merge_lookup(strategy, meta, 2, [&](size_t i) -> std::optional<Value> {
      ExplainNode source(meta.explainer, Explainer::Node::Scope,
                         i == 0 ? std::string_view("Global and Environment") : std::string_view(module_name));
      Value found_options = Value::of(i == 0 ? options : own);
      if (meta.explainer) meta.explainer->found(lookup_options_key, found_options);
      return found_options;
    });
    return both->hash;
  }

  const Hash* global_options(const LookupKey& options_key, Invocation& meta, const MergeStrategy& strategy) {
    if (!global_options_) {
      auto found = search_global(options_key, meta, strategy);
      global_options_ = found ? validated(*found, {}) : nullptr;
    }
    return *global_options_;
  }

  const Hash* environment_options(const LookupKey& options_key, Invocation& meta, const MergeStrategy& strategy) {
    if (!environment_options_) {
      const Hash* global = global_options(options_key, meta, strategy);
      auto found = search_environment(options_key, meta, strategy);
      const Hash* own = found ? validated(*found, {}) : nullptr;
      if (global && own)
        environment_options_ = strategy.merge(meta.host.types(), Value::of(global), Value::of(own)).hash;
      else
        environment_options_ = global ? global : own;
    }
    return *environment_options_;
  }

  /// The options as a hash; null for undef. Throws for anything else, and for keys in a module's options that do not belong to the module.
  static const Hash* validated(const Value& options, std::string_view module) {
    if (options.is_undef()) return nullptr;
    if (!options.is_hash()) throw_lookup_error("value of lookup_options must be a hash");
    if (module.empty()) return options.hash;
    std::string prefix = fmt::format("{}::", module);
    for (const auto& e : options.hash->entries()) {
      std::string_view key = e.key.is_string() ? e.key.str() : std::string_view();
      if (key.starts_with('^')) {
        if (!key.substr(1).starts_with(prefix))
          throw_lookup_error(fmt::format("all lookup_options patterns must match a key starting with module name '{}'", module));
      } else if (!key.starts_with(prefix)) {
        throw_lookup_error(fmt::format("all lookup_options keys must start with module name '{}'", module));
      }
    }
    return options.hash;
  }

  KeyOptions compile_options(const Hash* options, RegexCache& regexes) {
    KeyOptions out;
    if (!options) return out;
    out.all = options;
    for (const auto& e : options->entries()) {
      if (!e.key.is_string()) throw_argument_error("the keys of lookup_options must be strings");
      if (!e.key.str().starts_with('^')) continue;
      try {
        out.patterns.push_back({regexes.get(e.key.str()), e.value});
      } catch (const RegexError& error) { throw_argument_error(fmt::format("{}: /{}/", error.message, e.key.str())); }
    }
    return out;
  }

  Value convert(const LookupKey& key, const Value& convert_to, const Value& value, Invocation& invocation) {
    LookupHost& host = invocation.host;
    std::vector<Value> target;
    if (convert_to.is_list())
      target.assign(convert_to.items().begin(), convert_to.items().end());
    else
      target.push_back(convert_to);
    if (target.empty()) target.push_back(Value::undef());
    if (target[0].is_string()) {
      try {
        target[0] = Value::type(parse_type(host.types(), target[0].str()));
      } catch (const CompileError& error) {
        throw_lookup_error(fmt::format("Invalid data type in lookup_options for key '{}' could not parse '{}', error: '{}", key.text,
                                       target[0].str(), error.diagnostic.message));
      }
    }
    const std::string given = invocation.explainer ? format_value(host.types(), make_list(host.arena(), target)) : std::string();
    target.insert(target.begin() + 1, value);
    try {
      Value result = host.call_function("new", target);
      if (invocation.explainer) invocation.explainer->text("Applying convert_to lookup_option with arguments " + given);
      return result;
    } catch (const CompileError& error) {
      throw_lookup_error(
          fmt::format("The convert_to lookup_option for key '{}' raised error: {}", key.text, error.diagnostic.puppet_text()));
    }
  }

  const Environment& environment_;
  Interpolator interpolator_;
  DataFunctions functions_;
  std::optional<DataProvider> global_, environment_data_;
  bool environment_known_ = false;
  std::map<std::string, ModuleData, std::less<>> modules_;
  std::optional<const Hash*> global_options_, environment_options_;
  std::optional<KeyOptions> plain_options_;
  std::map<std::string, KeyOptions, std::less<>> module_options_;
  std::map<std::string, KeyOptions> default_options_;
};

} // namespace

std::unique_ptr<LookupService> make_lookup_service(const Environment& environment) {
  return std::make_unique<LookupServiceImpl>(environment);
}

} // namespace pupc::compiler
