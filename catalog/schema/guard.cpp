#include "catalog/schema/guard.h"

#include "catalog/schema/native_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

constexpr std::string_view interpreters[] = {"bash",   "batch", "csh",    "exec", "ksh", "perl", "powershell_script",
                                             "python", "ruby",  "script", "zsh"};
constexpr std::string_view common[] = {"cwd", "environment", "user", "group", "path", "umask", "timeout", "returns"};

/// Whether a guard may have this parameter besides the common ones: an attribute of the interpreter's type that says how to run a
/// command.
bool own_parameter(std::string_view interpreter, std::string_view name) {
  if (interpreter == "default") return false;
  if (interpreter == "exec") return name == "provider" || name == "tries" || name == "try_sleep";
  if (name == "flags" || name == "interpreter") return true;
  if (name == "architecture") return interpreter == "powershell_script" || interpreter == "batch";
  return name == "convert_boolean_return" && interpreter == "powershell_script";
}

bool check_parameters(const Hash& h, std::string_view interpreter, std::string& problem) {
  for (const HashEntry& e : h.entries()) {
    std::string_view name = e.key.is_string() ? e.key.str() : std::string_view();
    if (name == "command" || std::find(std::begin(common), std::end(common), name) != std::end(common) || own_parameter(interpreter, name))
      continue;
    problem = fmt::format("a guard has no parameter '{}'", name);
    return false;
  }
  const Value* environment = h.find("environment");
  if (environment == nullptr) return true;
  if (environment->is_hash()) return true;
  if (environment->is_list() && std::all_of(environment->items().begin(), environment->items().end(), [](const Value& v) {
        return v.is_string() && v.str().find('=') != std::string_view::npos && v.str()[0] != '=';
      }))
    return true;
  if (environment->is_string() && environment->str().find('=') != std::string_view::npos) return true;
  if (environment->is(Kind::Sensitive) || environment->is(Kind::Deferred)) return true;
  problem = "a guard's environment is a Hash or an Array of 'NAME=value'";
  return false;
}

bool parse_one(const Value& value, std::string_view interpreter, std::vector<Guard>& out, std::string& problem) {
  Guard g;
  const Value* v = &value;
  while (v->is(Kind::Sensitive)) {
    g.sensitive = true;
    v = &v->unwrap();
  }
  auto command = [&](const Value& c) {
    const Value* text = &c;
    while (text->is(Kind::Sensitive)) {
      g.sensitive = true;
      text = &text->unwrap();
    }
    if (!text->is_string()) {
      problem = "a guard's command must be a String";
      return false;
    }
    g.command = text->str();
    if (g.command.find_first_not_of(" \t\n") != std::string::npos) return true;
    problem = "a guard's command must not be empty";
    return false;
  };
  if (v->is(Kind::Deferred)) {
    if (interpreter != "default") {
      problem = fmt::format("a Deferred guard cannot have a guard_interpreter, here '{}'", interpreter);
      return false;
    }
    g.deferred = *v;
  } else if (v->is_string()) {
    if (!command(*v)) return false;
  } else if (v->is_hash()) {
    const Value* text = v->hash->find("command");
    if (text == nullptr) {
      problem = "a guard given as a Hash needs a 'command'";
      return false;
    }
    if (!command(*text) || !check_parameters(*v->hash, interpreter, problem)) return false;
    g.parameters = v->hash;
  } else if (v->is_list() && v->items().size() == 2 && v->items()[1].is_hash()) {
    if (!command(v->items()[0]) || !check_parameters(*v->items()[1].hash, interpreter, problem)) return false;
    if (v->items()[1].hash->find("command") != nullptr) {
      problem = "a guard has two commands";
      return false;
    }
    g.parameters = v->items()[1].hash;
  } else {
    problem = "a guard must be a command (String), [command, parameters], a Hash with 'command', a Deferred, or an Array of these";
    return false;
  }
  if (g.parameters != nullptr)
    for (const HashEntry& e : g.parameters->entries()) g.sensitive = g.sensitive || e.value.is(Kind::Sensitive);
  out.push_back(std::move(g));
  return true;
}

bool is_command(const Value& v) { return v.is_string() || (v.is(Kind::Sensitive) && v.unwrap().is_string()); }

} // namespace

bool parse_guards(const Value& value, std::string_view interpreter, std::vector<Guard>& out, std::string& problem) {
  const Value* v = &value;
  const bool sensitive = v->is(Kind::Sensitive);
  if (sensitive) v = &v->unwrap();
  // A command with parameters is also a list: a text, then a hash that is not a guard itself.
  const bool pair = v->is_list() && v->items().size() == 2 && is_command(v->items()[0]) && v->items()[1].is_hash() &&
                    v->items()[1].hash->find("command") == nullptr;
  bool good = true;
  if (v->is_list() && !pair) {
    for (const Value& item : v->items()) good = good && parse_one(item, interpreter, out, problem);
  } else {
    good = parse_one(*v, interpreter, out, problem);
  }
  if (sensitive)
    for (Guard& g : out) g.sensitive = true;
  return good;
}

bool valid_guard_interpreter(const Value& value, std::string& problem) {
  if (value.is_string() &&
      (value.str() == "default" || std::find(std::begin(interpreters), std::end(interpreters), value.str()) != std::end(interpreters)))
    return true;
  if (value.is(Kind::Default)) return true;
  std::string known;
  for (auto i : interpreters) known += fmt::format(", {}", i);
  problem = fmt::format("guard_interpreter must be one of default{}", known);
  if (value.is_string()) problem += fmt::format(", not '{}'", value.str());
  return false;
}

} // namespace pupc::catalog
