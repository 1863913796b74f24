// stdlib functions on texts and numbers, and its deprecation().
#include "catalog/value/bytes_text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The place of the warning in the file of stdlib's `deprecation`: "location: FILE:LINE:in `deprecation'". Puppet prints it as the place
/// of the deprecated call, because it knows no place in Puppet code. Empty when the file does not contain the warning.
std::string place_of_warning(const FunctionCall& c) {
  if (c.file == nullptr || c.file->old_api()) return {};
  const auto text = c.evaluator.environment().read_file(c.file->path());
  const size_t at = text == nullptr ? std::string::npos : text->find("Puppet.deprecation_warning(");
  if (at == std::string::npos) return {};
  return fmt::format("location: {}:{}:in `deprecation'", c.file->path(),
                     1 + std::count(text->begin(), text->begin() + static_cast<ptrdiff_t>(at), '\n'));
}

/// stdlib's `deprecation`: an error with strict=error, a warning once per key with strict=warning. If the third argument is false (since
/// stdlib 9.2), it is always a warning.
Value deprecation(FunctionCall& c) {
  // Ruby prints the two innermost entries of the call stack as arrays, and a missing one as nothing.
  std::string places[2];
  size_t known = 0;
  for (const CallPlace& place : innermost_calls(c.evaluator, 2)) places[known++] = fmt::format("[\"{}\", {}]", place.file, place.line);
  std::string_view key = c.args[0].str();
  std::string message = fmt::format("{} at {}:{}", c.args[1].str(), places[0], places[1]);
  const bool by_strictness = !c.arg(2).is_bool() || c.args[2].b;
  const Strict strict = c.evaluator.settings().strict;
  if (by_strictness && strict == Strict::Off) return Value::undef();
  if (by_strictness && strict == Strict::Error) c.fail(fmt::format("deprecation. {}. {}", key, message));
  const char* silent = std::getenv("STDLIB_LOG_DEPRECATIONS");
  if (silent != nullptr && std::string_view(silent) == "false") return Value::undef();
  if (!c.evaluator.settings().tell_deprecations) return Value::undef();
  const std::string once = fmt::format("deprecation-{}", key);
  if (const std::string place = place_of_warning(c); !place.empty())
    c.evaluator.warn_once(once, {}, fmt::format("{}\n   ({})", message, place));
  else
    c.warn_once(once, std::move(message));
  return Value::undef();
}

Value get_module_path(FunctionCall& c) {
  if (c.size() != 1) c.fail("get_module_path(): Wrong number of arguments, expects one");
  std::string name = ruby_to_s(c.types(), legacy_argument(c, 0));
  const Module* m = c.evaluator.environment().find_module(name);
  if (m == nullptr) c.fail(fmt::format("Could not find module {} in environment {}", name, c.evaluator.environment().options().name));
  return c.string(m->path);
}

Value extname(FunctionCall& c) {
  std::string_view s = c.args[0].str();
  s = s.substr(s.rfind('/') + 1);
  size_t dot = s.rfind('.');
  if (dot == std::string_view::npos || s.find_first_not_of('.') > dot) return bytes_text(Value::string(""));
  return c.string(s.substr(dot));
}

#define LEGACY(code)                                                                                                                       \
  {                                                                                                                                        \
    { "3.x", code }                                                                                                                        \
  }
const FunctionEntry stdlib_text_table[] = {
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness.",
     {{"String $key, String $message", deprecation}},
     FunctionTrait::Statement},
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness, or always a warning.",
     {{"String $key, String $message, Boolean $use_strict_setting?", deprecation}},
     FunctionTrait::Statement,
     "stdlib",
     "9.2"},
    {"stdlib::extname", "Extension of a file name with its dot.", {{"String $filename", extname}}},
    {"get_module_path", "Absolute path of a module.", LEGACY(get_module_path)},
};

} // namespace

FunctionTable stdlib_text_functions() { return stdlib_text_table; }

} // namespace pupc::compiler
