// Functions that read files of modules or of the compiling machine: file, find_file, find_template, binary_file,
// module_directory, generate.
#include "catalog/base/stack.h"
#include "catalog/base/text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"
#include "compiler/function/run_command.h"
#include "compiler/load/dependencies.h"
#include "compiler/types/ruby_class.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pupc::compiler {
namespace {

/// The path of an existing absolute file, or of "module/file" in a module; nothing when it does not exist.
std::optional<std::string> find(FunctionCall& c, ModuleFileKind kind, std::string_view reference) {
  std::error_code ignored;
  if (reference.starts_with('/')) {
    if (DependencyRecorder* notes = c.evaluator.environment().recorder()) notes->place(reference);
    if (std::filesystem::exists(reference, ignored)) return std::string(reference);
    return std::nullopt;
  }
  auto found = c.evaluator.environment().find_module_file(kind, reference);
  if (found && std::filesystem::exists(*found, ignored)) return found;
  return std::nullopt;
}

void texts_of(std::span<const Value> args, std::vector<std::string_view>& out) {
  check_native_stack();
  for (const Value& v : args) {
    if (v.is_list())
      texts_of(v.items(), out);
    else if (v.is_string())
      out.push_back(v.str());
  }
}

template <ModuleFileKind Files> Value find_in(FunctionCall& c) {
  std::vector<std::string_view> names;
  texts_of(c.args, names);
  for (std::string_view name : names)
    if (auto found = find(c, Files, name)) return c.string(*found);
  return Value::undef();
}

Value file_content(FunctionCall& c) {
  std::string names;
  for (const Value& v : c.args) {
    if (!v.is_string()) c.fail(fmt::format("file(): requires texts as arguments, got {}", label_of(v)));
    if (auto found = find(c, ModuleFileKind::Files, v.str())) {
      auto content = c.evaluator.environment().read_file(*found);
      if (!content) c.fail(fmt::format("Could not read file {}", *found));
      return c.string(*content);
    }
    names.append(names.empty() ? "" : ", ").append(v.str());
  }
  c.fail(fmt::format("Could not find any files from {}", names));
}

Value binary_file(FunctionCall& c) {
  auto found = find(c, ModuleFileKind::Files, c.args[0].str());
  if (!found) c.fail(fmt::format("binary_file(): The given file '{}' does not exist", c.args[0].str()));
  auto content = c.evaluator.environment().read_file(*found);
  if (!content) c.fail(fmt::format("Could not read file {}", *found));
  return Value::binary(c.arena().copy(*content));
}

Value module_directory(FunctionCall& c) {
  std::vector<std::string_view> names;
  texts_of(c.args, names);
  for (std::string_view name : names)
    if (const Module* m = c.evaluator.environment().find_module(name)) return c.string(m->path);
  return Value::undef();
}

Value generate(FunctionCall& c) {
  std::vector<std::string> words;
  for (const Value& v : c.args) words.push_back(c.evaluator.to_string(v));
  const std::string& generator = words[0];
  if (!c.args[0].is_string())
    c.evaluator.log(LogLevel::Warning, "",
                    fmt::format("Cannot check if {} is an absolute path because it is a '{}' and not a String'",
                                ruby_to_s(c.types(), c.args[0]), ruby_class_name(c.args[0])));
  if (!generator.starts_with('/')) c.fail("Generators must be fully qualified");
  for (char ch : generator)
    if (!std::isalnum(static_cast<unsigned char>(ch)) && std::string_view("-/_.+").find(ch) == std::string_view::npos)
      c.fail("Generators can only contain alphanumerics, file separators, and dashes");
  if (generator.find("..") != std::string::npos) c.fail("Can not use generators with '..' in them.");
  std::string output;
  int status = 0;
  std::string command;
  for (const std::string& w : words) command.append(command.empty() ? "" : " ").append(w);
  if (DependencyRecorder* notes = c.evaluator.environment().recorder()) notes->doubt("generate() ran a program");
  if (!run_command(words, output, status))
    c.fail(fmt::format("Failed to execute generator {}: Execution of '{}' returned 1: ", generator, command));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    c.fail(fmt::format("Failed to execute generator {}: Execution of '{}' returned {}: {}", generator, command,
                       WIFEXITED(status) ? WEXITSTATUS(status) : 128, trimmed(output, ruby_blanks)));
  return c.string(output);
}

const FunctionEntry file_table[] = {
    {"file",
     "Content of the first file that exists: \"module/file\" in a module's files, or an absolute path.",
     {{"3.x -2", file_content}},
     FunctionTrait::ReadsFiles | FunctionTrait::OldApi},
    {"find_file",
     "Absolute path of the first file that exists, or undef.",
     {{"String $paths*", find_in<ModuleFileKind::Files>}, {"Array[String] $paths_array*", find_in<ModuleFileKind::Files>}},
     FunctionTrait::ReadsFiles},
    {"find_template",
     "Absolute path of the first template that exists, or undef.",
     {{"String $paths*", find_in<ModuleFileKind::Templates>}, {"Array[String] $paths_array*", find_in<ModuleFileKind::Templates>}},
     FunctionTrait::AsksNode},
    {"binary_file",
     "Content of a module's file or of an absolute path as Binary.",
     {{"String $path", binary_file}},
     FunctionTrait::ReadsFiles},
    {"module_directory",
     "Absolute path of the first module that exists, or undef.",
     {{"String $names*", module_directory}, {"Array[String] $names*", module_directory}},
     FunctionTrait::AsksNode},
    {"generate",
     "Output of a command run on the compiling machine; it must succeed.",
     {{"3.x -2", generate}},
     FunctionTrait::Effects | FunctionTrait::ReadsFiles},
};

} // namespace

FunctionTable file_functions() { return file_table; }

} // namespace pupc::compiler
