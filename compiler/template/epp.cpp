// epp() and inline_epp(): Embedded Puppet templates.
#include "compiler/eval/evaluator.h"
#include "compiler/load/dependencies.h"
#include "compiler/template/template_functions.h"

#include <filesystem>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

const Hash* arguments_of(const FunctionCall& c) { return c.given(1) ? c.args[1].hash : nullptr; }

/// The path of a template, from an absolute path or "module/file"; the suffix .epp is optional. Raises an error when there is no such file.
std::string find_epp(FunctionCall& c, std::string name) {
  std::error_code error;
  if (DependencyRecorder* notes = c.evaluator.environment().recorder())
    for (const char* suffix : {"", ".epp"}) notes->place(name + suffix);
  if (!name.ends_with(".epp") && !std::filesystem::exists(name, error)) name += ".epp";
  if (name.starts_with("/")) {
    if (std::filesystem::exists(name, error)) return name;
  } else if (auto path = c.evaluator.environment().find_module_file(ModuleFileKind::Templates, name)) {
    return *path;
  }
  c.fail(fmt::format("Could not find template '{}'", name));
}

Value render_file(FunctionCall& c) {
  std::string path = find_epp(c, std::string(c.args[0].str()));
  std::shared_ptr<const ParsedFile> file;
  try {
    file = c.evaluator.environment().epp_template(path, c.evaluator.log_sink());
  } catch (const CompileError& error) { c.fail("epp(): Invalid EPP: " + error.diagnostic.puppet_text()); }
  c.evaluator.keep_alive(file);
  return c.evaluator.render_template(*file, arguments_of(c), c.evaluator.global_frame(c.frame), true);
}

Value render_text(FunctionCall& c) {
  std::shared_ptr<const ParsedFile> file;
  try {
    file = parse_inline(c.evaluator.environment(), std::string(c.args[0].str()), true, *c.evaluator.regexes(), c.evaluator.log_sink());
  } catch (const CompileError& error) { c.fail("inline_epp(): Invalid EPP: " + error.diagnostic.puppet_text()); }
  c.evaluator.keep_alive(file);
  return c.evaluator.render_template(*file, arguments_of(c), c.frame, false);
}

} // namespace

FunctionTable template_functions() {
  static const std::vector<FunctionEntry> table = [] {
    std::vector<FunctionEntry> all{
        {"epp",
         "Renders an EPP template file, given as `module/file.epp` (in the module's `templates` directory) or as an absolute path, with "
         "the "
         "given parameters. Sees global variables only. The result is Sensitive when the template printed a Sensitive value.",
         {{"String $path, Hash[Pattern[/^\\w+$/], Any] $parameters?", render_file}},
         FunctionTrait::Effects | FunctionTrait::ReadsFiles},
        {"inline_epp",
         "Renders an EPP template given as text. Sees the variables of the calling scope. The result is Sensitive when the template "
         "printed "
         "a Sensitive value.",
         {{"String $template, Hash[Pattern[/^\\w+$/], Any] $parameters?", render_text}},
         FunctionTrait::Effects},
    };
    FunctionTable erb = erb_function_table();
    all.insert(all.end(), erb.begin(), erb.end());
    return all;
  }();
  return table;
}

} // namespace pupc::compiler
