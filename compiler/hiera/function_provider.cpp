// Hierarchy entries whose data come from a function: data_hash, lookup_key and data_dig in Puppet or Ruby, and eyaml.
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/frozen.h"
#include "compiler/hiera/data_functions.h"
#include "compiler/hiera/eyaml.h"
#include "compiler/hiera/layer.h"
#include "compiler/load/dependencies.h"

#include <fmt/format.h>
#include <stdexcept>

namespace pupc::compiler {
namespace {

std::string_view kind_of(const HierarchyEntry& config) {
  static constexpr std::string_view kinds[] = {"data_hash", "lookup_key", "data_dig", "hiera3_backend"};
  return kinds[static_cast<size_t>(config.form)];
}

} // namespace

Value undig(Arena& arena, std::span<const Value> segments, Value value) {
  for (size_t i = segments.size(); i-- > 0;) {
    if (segments[i].is_int()) {
      ListBuilder list(arena);
      for (int64_t n = 0; n < std::min<int64_t>(segments[i].i, 100000); ++n) list.add(Value::undef());
      list.add(value);
      value = list.finish();
    } else {
      HashBuilder hash(arena);
      hash.set(segments[i], value);
      value = hash.finish();
    }
  }
  return value;
}

FunctionContext& DataProvider::context_of(Entry& entry, Location* location) {
  auto& context = location ? location->context : entry.context;
  if (!context) context = std::make_unique<FunctionContext>();
  return *context;
}

/// The function's result; nothing when it says that it has not found the key.
std::optional<Value> DataProvider::call_function(Entry& entry, Location* location, FunctionContext& kept, const Value* key,
                                                 Invocation& invocation) {
  LookupHost& host = invocation.host;
  Arena& arena = host.arena();
  const HierarchyEntry& config = *entry.config;
  if (config.function == "yaml_data" || config.function == "json_data" || config.function == "hocon_data" ||
      config.function == "eyaml_lookup_key") {
    const bool of_key = config.function == "eyaml_lookup_key"; // Puppet's numbers of parameters; here no such functions exist
    throw_argument_error(fmt::format("'{}' expects {} arguments, got {}", config.function, of_key ? 3 : 2, of_key ? 2 : 3));
  }
  if (!host.function_exists(config.function))
    throw_lookup_error(fmt::format("Unable to find '{}' function named '{}'", kind_of(config), config.function), true, config_->path);
  HashBuilder options(arena, (entry.options ? entry.options->size : 0) + 1);
  if (entry.options)
    for (const auto& e : entry.options->entries()) options.set(e.key, e.value);
  if (location) options.set(location->is_uri ? "uri" : "path", Value::string(arena.copy(location->path)));
  auto* context = new (arena.allocate(sizeof(LookupContext), alignof(LookupContext)))
      LookupContext(environment_, module_, kept, functions_, interpolator_, invocation, config.function);
  Value all[] = {key ? *key : Value(), options.finish(), Value::opaque_of(Kind::Object, context)};
  const std::span<const Value> arguments = std::span(all).subspan(key ? 0 : 1);
  struct Current {
    const Invocation*& current;
    const Invocation* previous;
    LookupContext& context;
    ~Current() {
      current = previous;
      context.end();
    }
  } current{functions_.current, functions_.current, *context};
  functions_.current = &invocation;
  try {
    const Value result = host.call_function(config.function, arguments);
    if (!context->missed()) return result;
  } catch (const KeyNotFoundSignal&) {}
  return std::nullopt;
}

std::optional<Value> DataProvider::search_function(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation) {
  LookupHost& host = invocation.host;
  Arena& arena = host.arena();
  Explainer* explainer = invocation.explainer;
  const HierarchyEntry& config = *entry.config;
  FunctionContext& kept = context_of(entry, location);
  auto name = [&] { return fmt::format("{} function '{}'", kind_of(config), config.function); };
  auto where = [&](std::string what) { return location ? fmt::format("{}, when using location '{}',", what, location->path) : what; };
  auto validate = [&](const Value& value, auto what) {
    TypeContext& types = host.types();
    if (!is_instance(types, parse_type(types, "RichData"), value))
      throw_puppet_error(
          fmt::format("{} has wrong type, expects Puppet::LookupValue, got {}", where(what()), infer(types, value)->to_string()));
  };

  if (config.form == HierarchyEntry::Form::DataHash) {
    if (!kept.data_hash) {
      const std::optional<Value> returned = call_function(entry, location, kept, nullptr, invocation);
      if (!returned) return std::nullopt;
      const Value& data = *returned;
      std::string what = where(fmt::format("Value returned from {}", name()));
      if (!data.is_hash())
        throw_puppet_error(describe_mismatch(host.types(), what + " has wrong type,", parse_type(host.types(), "Hash"), data));
      kept.data_hash = data.hash;
      note_foreign_keys(*kept.data_hash, what, host);
    }
    const Value* found = kept.data_hash->find(key.root);
    if (!found) {
      if (explainer) explainer->not_found(key.root);
      return std::nullopt;
    }
    validate(*found, [&] { return fmt::format("Value for key '{}', in hash returned from {}", key.root, name()); });
    Value value = interpolator_.interpolate(*found, invocation, true);
    if (explainer) explainer->found(key.root, value);
    return value;
  }

  const bool dig = config.form == HierarchyEntry::Form::DataDig;
  const std::string_view asked = dig ? key.text : key.root;
  auto known = kept.values.find(asked);
  if (known == kept.values.end()) {
    Value argument = frozen_text(Value::string(arena.copy(key.root)));
    if (dig) {
      ListBuilder all(arena);
      all.add(argument);
      for (const Value& segment : key.segments) all.add(segment.is_string() ? Value::string(arena.copy(segment.str())) : segment);
      argument = all.finish();
    }
    const std::optional<Value> value = call_function(entry, location, kept, &argument, invocation);
    if (!value) {
      if (explainer) explainer->not_found(asked);
      return std::nullopt;
    }
    validate(*value, [&] { return fmt::format("Value for key '{}', returned from {}", asked, name()); });
    known = kept.values.emplace(std::string(asked), *value).first;
  }
  if (explainer) explainer->found(asked, known->second);
  return dig ? undig(arena, key.segments, known->second) : known->second;
}

// -- eyaml

std::optional<Value> DataProvider::search_eyaml(Entry& entry, Location* location, const LookupKey& key, Invocation& invocation) {
  Explainer* explainer = invocation.explainer;
  FunctionContext& kept = context_of(entry, location);
  auto known = kept.values.find(key.root);
  if (known == kept.values.end()) {
    if (!location || location->is_uri) throw_argument_error(std::string(missing_eyaml_path_text));
    if (!location->data) read_eyaml(entry, *location, invocation);
    const Value* found = location->data->find(key.root);
    if (!found) {
      if (explainer) explainer->not_found(key.root);
      return std::nullopt;
    }
    if (DependencyRecorder* notes = environment_.recorder())
      for (const std::string& file : key_files(entry.options)) notes->file(file);
    const EyamlCall call{invocation.host.arena(), key.root, location->path, entry.options,
                         [&](const Value& v) { return interpolator_.interpolate(v, invocation, true); }};
    Value value = with_place(location, found, key.root, [&] { return eyaml_value(*found, call); });
    known = kept.values.emplace(std::string(key.root), value).first;
  }
  if (explainer) explainer->found(key.root, known->second);
  return known->second;
}

void DataProvider::read_eyaml(const Entry&, Location& location, Invocation& invocation) {
  static constexpr Hash empty{0, 0, nullptr, nullptr};
  const DataFile& file = environment_.data_file(location.path, DataFormat::Yaml);
  location.file = &file;
  if (!file.error.empty()) {
    if (!file.read) throw_argument_error(file.error);
    throw_lookup_error(fmt::format("Unable to parse {}", file.error));
  }
  if (file.root.is_hash()) {
    location.data = file.root.hash;
    return;
  }
  std::string message = fmt::format("{}: file does not contain a valid yaml hash", location.path);
  bool nothing = file.root.is_undef() || (file.root.is_bool() && !file.root.b);
  if (environment_.options().check.strict == Strict::Error && !nothing) throw_lookup_error(std::move(message));
  invocation.host.warn(std::move(message));
  location.data = &empty;
}

Value eyaml_value(const Value& value, const EyamlCall& call) {
  check_native_stack();
  if (value.is_list()) {
    ListBuilder out(call.arena, value.list->size);
    for (const Value& item : value.items()) out.add(eyaml_value(item, call));
    return out.finish();
  }
  if (value.is_hash()) {
    HashBuilder out(call.arena, value.hash->size);
    for (const auto& e : value.hash->entries()) out.set(call.interpolate(e.key), eyaml_value(e.value, call));
    return out.finish();
  }
  if (!value.is_string()) return value;
  if (is_big_integer(value)) throw_argument_error(big_integer_error(value));
  if (!is_encrypted(value.str())) return call.interpolate(value);
  std::string text;
  try {
    text = decrypt_eyaml(value.str(), call.options);
  } catch (const std::runtime_error& error) {
    throw_lookup_error(fmt::format("hiera-eyaml backend error decrypting {} when looking up {} in {}. Error was {}", value.str(), call.key,
                                   call.path, error.what()));
  }
  return call.interpolate(Value::string(call.arena.copy(text)));
}

} // namespace pupc::compiler
