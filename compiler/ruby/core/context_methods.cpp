// The lookup context of Hiera's functions, and what such functions do with files: YAML, File.exist?.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include "catalog/base/paths.h"
#include "catalog/base/utf8.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

namespace pupc::compiler::ruby {
namespace {

struct ContextMethod {
  std::string_view name;
  size_t arguments;
  bool block; // takes one
};
constexpr ContextMethod context_methods[] = {
    {"not_found", 0, false},       {"interpolate", 1, false},      {"explain", 0, true},       {"cache", 2, false},
    {"cache_all", 1, false},       {"cache_has_key", 1, false},    {"cached_value", 1, false}, {"cached_entries", 0, true},
    {"cached_file_data", 1, true}, {"environment_name", 0, false}, {"module_name", 0, false}};

} // namespace

/// Its cache lives with the lookup, where functions in the language and in Ruby share it.
RubyValue context_method(Core& core, const NativeObject& context, const MethodCall& c) {
  const ContextMethod* method = nullptr;
  for (const ContextMethod& known : context_methods)
    if (known.name == c.name) method = &known;
  if (method == nullptr || c.args.size() != method->arguments || (c.block != nullptr && !method->block)) core.unknown(c);
  if (c.name == "environment_name" || c.name == "module_name") {
    const Value* found = context.attributes->find(c.name);
    return found != nullptr ? core.from_puppet(*found) : RubyValue();
  }
  if (c.name == "cached_entries" && c.block == nullptr) core.unknown(c); // an Enumerator
  if (c.name == "explain" && c.block == nullptr) return {};
  if (c.name == "interpolate" && !c.args[0].is_string() && !c.args[0].is_array() && !c.args[0].is_hash()) return c.args[0];
  if (c.name == "cache_all" && !c.args[0].is_hash()) core.unknown(c);
  if (c.name == "cached_file_data" && !c.args[0].is_string()) core.unknown(c);
  std::vector<Value> args;
  for (const RubyValue& arg : c.args) args.push_back(core.to_puppet(arg, c.line));
  ObjectBlock block;
  if (c.block != nullptr) {
    block.parameters = c.block->node != nullptr ? c.block->node->parameters.size() : 1;
    block.call = [&](std::span<const Value> given) {
      std::vector<RubyValue> values;
      for (const Value& v : given) values.push_back(core.from_puppet(v));
      return core.to_puppet(core.yield(c, values), c.line);
    };
  }
  const Value result = context.call(c.name, args, c.block != nullptr ? &block : nullptr);
  return c.name == "cache" ? c.args[1] : core.from_puppet(result); // the very object
}

/// Questions about files.
bool file_question(Core& core, const MethodCall& c, RubyValue& out) {
  struct stat info {};
  auto exists = [&](int (*ask)(const char*, struct stat*)) { return ask(std::string(core.string_argument(c, 0)).c_str(), &info) == 0; };
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  if (c.name == "exist?" || c.name == "file?" || c.name == "directory?" || c.name == "readable?" || c.name == "symlink?") {
    core.need(c, 1);
    core.host.looked_at(core.string_argument(c, 0));
    if (c.name == "symlink?") return answer(exists(::lstat) && S_ISLNK(info.st_mode));
    if (c.name == "readable?") return answer(::access(std::string(core.string_argument(c, 0)).c_str(), R_OK) == 0);
    const bool there = exists(::stat);
    return answer(there && (c.name == "exist?" || (c.name == "file?" ? S_ISREG(info.st_mode) : S_ISDIR(info.st_mode))));
  }
  return false;
}

/// YAML.load and its kin.
RubyValue yaml_method(Core& core, const MethodCall& c) {
  const std::string_view name = c.name.starts_with("__") ? c.name.substr(2) : c.name; // so the library's text calls it
  const bool file = name.ends_with("_file");
  if (name == "dump" && c.args.size() == 1)
    return document(core, {c.args[0], MethodId::m_to_yaml, "to_yaml", {}, nullptr, c.line}, c.args[0]);
  const bool unsafe = name == "unsafe_load" || name == "unsafe_load_file";
  const bool safe = name == "safe_load" || name == "safe_load_file";
  if (!unsafe && !safe && name != "load" && name != "load_file") core.unknown(c);
  core.need(c, 1, 2); // the library's text adds whether dates are permitted
  std::string_view text = core.string_argument(c, 0);
  std::optional<std::string> content;
  if (file) {
    core.host.looked_at(text);
    content = read_whole_file(std::string(text));
    if (!content) core.not_rendered(c.line, "a file that cannot be read");
    text = *content;
  }
  Value out;
  const auto form = unsafe ? RubyHost::Yaml::Unsafe : safe ? RubyHost::Yaml::Safe : RubyHost::Yaml::Load;
  switch (core.host.parse_yaml(text, form, c.args.size() > 1 ? static_cast<int>(core.integer_argument(c, 1)) : 0, out)) {
  case RubyHost::Read::Good: break;
  case RubyHost::Read::Unsure: core.not_rendered(c.line, fmt::format("YAML.{} of this text", c.name));
  case RubyHost::Read::Malformed: core.unworded(c.line, RubyClass::YamlError, "the error of a YAML text");
  case RubyHost::Read::Disallowed: throw RubyError{c.line, std::string(out.str()), RubyClass::YamlDisallowed, nullptr, true};
  }
  return core.from_puppet(out);
}

} // namespace pupc::compiler::ruby
