// Functions that ask Hiera: lookup and the older hiera functions.
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/lookup_host.h"
#include "compiler/function/function_tables.h"
#include "compiler/hiera/data_functions.h"
#include "compiler/hiera/errors.h"
#include "compiler/hiera/eyaml.h"
#include "compiler/load/dependencies.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Throws an error of the calling function. The evaluator adds the call and its place.
[[noreturn]] void refuse(std::string message, ErrorCode code = ErrorCode::lookup_error, bool preformatted = false) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.preformatted = preformatted;
  if (preformatted) d.log_text = d.message;
  throw CompileError(std::move(d));
}

struct Search {
  Value name; // a String, or a List of them: the first name with a value wins
  const Type* type = nullptr;
  bool has_default = false;
  Value default_value;
  const Hash* override_values = nullptr;
  const Hash* default_values = nullptr;
  Value merge;
  bool global_only = false;
  bool hiera_call = false;
  Value extra_paths;
};

Value checked(FunctionCall& c, const Type* type, std::string_view subject, const Value& value) {
  if (type && !is_instance(c.types(), type, value))
    refuse(describe_mismatch(c.types(), fmt::format("{} has wrong type,", subject), type, value), ErrorCode::type_mismatch);
  return value;
}

[[noreturn]] void not_found(std::span<const Value> names) {
  if (names.size() == 1)
    refuse(fmt::format("Function lookup() did not find a value for the name '{}'", names[0].str()), ErrorCode::lookup_error, true);
  std::string list;
  for (const Value& n : names) list.append(list.empty() ? "'" : ", '").append(n.str()).append("'");
  refuse(fmt::format("Function lookup() did not find a value for any of the names [{}]", list), ErrorCode::lookup_error, true);
}

/// Puppet's Lookup.lookup. It tries the overrides and the hierarchy for each name, then the default values for each name, then the block or
/// the default.
Value look_up(FunctionCall& c, const Search& s) {
  std::span<const Value> names = s.name.is_list() ? s.name.items() : std::span<const Value>(&s.name, 1);
  LookupService* service = c.evaluator.lookup_service();
  EvaluatorLookupHost host(c.evaluator, c.frame);
  LookupRequest request;
  request.merge = s.merge;
  request.override_values = s.override_values;
  request.default_values = s.default_values;
  request.global_only = s.global_only;
  request.hiera_call = s.hiera_call;
  request.extra_paths = s.extra_paths;
  for (const Value& name : names) {
    if (s.override_values)
      if (const Value* v = s.override_values->find(name))
        return checked(c, s.type, fmt::format("Value found for key '{}' in override hash", name.str()), *v);
    request.key = name.str();
    if (service)
      if (auto v = service->lookup(request, host)) return checked(c, s.type, "Found value", *v);
  }
  for (const Value& name : names)
    if (s.default_values)
      if (const Value* v = s.default_values->find(name))
        return checked(c, s.type, fmt::format("Value found for key '{}' in default values hash", name.str()), *v);
  if (c.block) return checked(c, s.type, "Value returned from default block", c.call_block({s.name}));
  if (s.has_default) return checked(c, s.type, "Default value", s.default_value);
  not_found(names);
}

/// lookup(name, type?, merge?), optionally with a block
Value lookup_plain(FunctionCall& c) {
  Search s;
  s.name = c.arg(0);
  s.type = as_type(c.arg(1));
  s.merge = c.arg(2);
  return look_up(c, s);
}

/// lookup(name, type or undef, merge or undef, default)
Value lookup_with_default(FunctionCall& c) {
  Search s;
  s.name = c.arg(0);
  s.type = as_type(c.arg(1));
  s.merge = c.arg(2);
  s.has_default = true;
  s.default_value = c.arg(3);
  return look_up(c, s);
}

Value lookup_by_options(FunctionCall& c, const Value& name, const Hash& options) {
  auto get = [&](std::string_view key) {
    const Value* v = options.find(key);
    return v ? *v : Value::undef();
  };
  Search s;
  s.name = name;
  s.type = as_type(get("value_type"));
  s.has_default = options.find("default_value") != nullptr;
  s.default_value = get("default_value");
  if (Value v = get("override"); v.is_hash()) s.override_values = v.hash;
  if (Value v = get("default_values_hash"); v.is_hash()) s.default_values = v.hash;
  s.merge = get("merge");
  return look_up(c, s);
}

/// lookup({name => …, …})
Value lookup_options(FunctionCall& c) {
  const Hash& options = *c.args[0].hash;
  return lookup_by_options(c, *options.find("name"), options);
}

/// lookup(name, {…})
Value lookup_name_and_options(FunctionCall& c) { return lookup_by_options(c, c.args[0], *c.args[1].hash); }

// -- the older functions

/// The common part of hiera, hiera_array and hiera_hash. If the environment has no data of its own, they read only the global layer.
Value hiera_value(FunctionCall& c, std::string_view merge, bool with_default) {
  if (c.evaluator.settings().strict != Strict::Off)
    c.warn_once(
        c.name,
        fmt::format(
            "The function '{}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/8.11/deprecated_language.html",
            c.name));
  Search s;
  s.name = c.arg(0);
  s.merge = Value::string(merge);
  s.has_default = with_default;
  s.default_value = c.arg(1);
  EvaluatorLookupHost host(c.evaluator, c.frame);
  LookupService* service = c.evaluator.lookup_service();
  s.global_only = service && !service->has_environment_data(host);
  s.hiera_call = true;
  s.extra_paths = c.block ? c.arg(1) : c.arg(2);
  if (s.extra_paths.is_list() && s.extra_paths.list->size == 0) s.extra_paths = Value::undef();
  return look_up(c, s);
}

/// Calls the function with the elements of one array as its arguments.
template <NativeFunction Plain, NativeFunction Default> Value hiera_tuple(FunctionCall& c) {
  FunctionCall inner{c.evaluator, c.name, c.args[0].items(), nullptr, c.frame, c.loc};
  return inner.size() > 1 ? Default(inner) : Plain(inner);
}
Value hiera_plain(FunctionCall& c) { return hiera_value(c, "first", false); }
Value hiera_default(FunctionCall& c) { return hiera_value(c, "first", true); }
Value hiera_array_plain(FunctionCall& c) { return hiera_value(c, "unique", false); }
Value hiera_array_default(FunctionCall& c) { return hiera_value(c, "unique", true); }
Value hiera_hash_plain(FunctionCall& c) { return hiera_value(c, "hash", false); }
Value hiera_hash_default(FunctionCall& c) { return hiera_value(c, "hash", true); }

Value include_found(FunctionCall& c, const Value& found) {
  if (found.is_undef()) refuse(fmt::format("Could not find data item {}", c.args[0].str()));
  bool empty = (found.is_list() && found.list->size == 0) || (found.is_string() && found.str().empty()) ||
               (found.is_hash() && found.hash->size == 0);
  if (empty) return Value::undef();
  return c.evaluator.call_function("include", std::span<const Value>(&found, 1), nullptr, c.frame, c.loc);
}
Value hiera_include_plain(FunctionCall& c) { return include_found(c, hiera_value(c, "unique", false)); }
Value hiera_include_default(FunctionCall& c) { return include_found(c, hiera_value(c, "unique", true)); }

/// Hiera passes these functions a context as the last argument; no other caller has one.
/// A data function of a module may call one of Hiera's own, with the context that it was given.
Value data_function(FunctionCall& c) {
  EvaluatorLookupHost host(c.evaluator, c.frame);
  const Value* path = c.args[0].hash->find("path");
  if (DependencyRecorder* notes = c.evaluator.environment().recorder()) notes->file(path->str()); // who calls may use all of it
  return content_for(c.name, c.evaluator.environment(), std::string(path->str()), host).value;
}
Value missing_path(FunctionCall&) { return Value::string(missing_path_text); }
Value eyaml_function(FunctionCall& c) {
  const NativeObject& context = *as_native_object(c.args[2]);
  auto of_context = [&](std::string_view function, std::initializer_list<Value> args) {
    return context.call(function, std::span<const Value>(args.begin(), args.size()), nullptr);
  };
  const Value key = c.args[0];
  if (of_context("cache_has_key", {key}).truthy()) return of_context("cached_value", {key});
  const Value* path = c.args[1].hash->find("path");
  if (path == nullptr || !path->is_string()) throw_argument_error(std::string(missing_eyaml_path_text));
  EvaluatorLookupHost host(c.evaluator, c.frame);
  Value data = of_context("cached_value", {Value::undef()}); // the whole file, as Puppet keeps it
  if (data.is_undef()) {
    if (DependencyRecorder* notes = c.evaluator.environment().recorder()) {
      notes->file(path->str());
      for (const std::string& file : key_files(c.args[1].hash)) notes->file(file);
    }
    data = content_for("yaml_data", c.evaluator.environment(), std::string(path->str()), host).value;
    of_context("cache", {Value::undef(), data});
  }
  const Value* found = data.hash->find(key);
  if (found == nullptr) return of_context("not_found", {});
  const EyamlCall call{c.arena(), key.str(), path->str(), c.args[1].hash, [&](const Value& v) { return of_context("interpolate", {v}); }};
  return of_context("cache", {key, eyaml_value(*found, call)});
}

#define PUPC_DATA_FUNCTION                                                                                                                 \
  {                                                                                                                                        \
    {"Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", data_function},                                                 \
        {"Hash $options, Puppet::LookupContext $context", missing_path, true},                                                             \
  }
#define PUPC_HIERA_DISPATCHES(plain, with_default)                                                                                         \
  {                                                                                                                                        \
    {"Tuple[String, Any, Any, 1, 3] $args", hiera_tuple<plain, with_default>}, {"String $key", plain},                                     \
        {"String $key, Any $default, Any $override?", with_default}, {"String $key, Callable[1, 1] &default_block", plain}, {              \
      "String $key, Any $override, Callable[1, 1] &default_block", plain                                                                   \
    }                                                                                                                                      \
  }

const FunctionEntry lookup_table[] = {
    {"lookup",
     "Value of a key in the node's data (Hiera): of the first of several names that has one, merged over the levels by `merge` (`first`, "
     "`unique`, `hash`, "
     "`deep`, or a hash with `strategy` and options), checked against `value_type`. Without a value the block's result or the default "
     "counts, else it is an error.",
     {{"NameType $name, ValueType $value_type?, MergeType $merge?", lookup_plain},
      {"NameType $name, Optional[ValueType] $value_type, Optional[MergeType] $merge, DefaultValueType $default_value", lookup_with_default},
      {"NameType $name, ValueType $value_type?, MergeType $merge?, BlockType &block", lookup_plain},
      {"OptionsWithName $options_hash, BlockType &block?", lookup_options},
      {"Variant[String, Array[String]] $name, OptionsWithoutName $options_hash, BlockType &block?", lookup_name_and_options}},
     FunctionTrait::AsksNode},
    {"hiera", "Deprecated: `lookup` with the strategy `first`.", PUPC_HIERA_DISPATCHES(hiera_plain, hiera_default),
     FunctionTrait::AsksNode},
    {"hiera_array", "Deprecated: `lookup` with the strategy `unique`.", PUPC_HIERA_DISPATCHES(hiera_array_plain, hiera_array_default),
     FunctionTrait::AsksNode},
    {"hiera_hash", "Deprecated: `lookup` with the strategy `hash`.", PUPC_HIERA_DISPATCHES(hiera_hash_plain, hiera_hash_default),
     FunctionTrait::AsksNode},
    {"hiera_include", "Deprecated: includes the classes that `lookup` with the strategy `unique` finds.",
     PUPC_HIERA_DISPATCHES(hiera_include_plain, hiera_include_default), FunctionTrait::Statement | FunctionTrait::Effects},
    {"yaml_data", "Hiera's function for data in YAML, for hiera.yaml and for data functions of modules: the hash in a file.",
     PUPC_DATA_FUNCTION, FunctionTrait::AsksNode},
    {"json_data", "Hiera's function for data in JSON, for hiera.yaml and for data functions of modules: the value in a file.",
     PUPC_DATA_FUNCTION, FunctionTrait::AsksNode},
    {"hocon_data", "Hiera's function for data in HOCON, for hiera.yaml and for data functions of modules: the value in a file.",
     PUPC_DATA_FUNCTION, FunctionTrait::AsksNode},
    {"eyaml_lookup_key",
     "Hiera's function for data in encrypted YAML, for hiera.yaml and for data functions of modules: the decrypted value of a key in a "
     "file.",
     {{"String[1] $key, Hash[String[1],Any] $options, Puppet::LookupContext $context", eyaml_function}},
     FunctionTrait::AsksNode},
};

} // namespace

FunctionTable lookup_functions() { return lookup_table; }

} // namespace pupc::compiler
