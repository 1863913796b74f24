// template() and inline_template(): ERB templates. A template is rendered natively where erb.h covers it, else by Ruby as a whole.
#include "catalog/base/log.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/template/erb.h"
#include "compiler/template/template_functions.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

void check_argument_count(const FunctionCall& c) {
  if (c.size() == 0) c.fail(fmt::format("{}(): Wrong number of arguments given (0 for minimum 1)", c.name));
}

/// An argument in the old API: undef is the empty string. A value that is not a string can neither name a template nor be one.
std::string_view text_argument(const FunctionCall& c, size_t i) {
  if (c.args[i].is_undef()) return "";
  if (!c.args[i].is_string())
    c.fail(fmt::format("{}(): argument {} must be a String, got {}", c.name, i + 1, infer(c.types(), c.args[i])->to_string()));
  return c.args[i].str();
}

std::string render(FunctionCall& c, std::string_view text, std::string_view path) {
  RubyService* ruby = c.evaluator.ruby_service();
  if (ruby != nullptr && ruby->always()) return ruby->render_erb(c.evaluator, c.frame, text, path, c.loc);
  ErbResult result = render_erb_natively(c.evaluator, c.frame, text, path, c.loc);
  if (result.rendered) return std::move(result.text);
  const std::string_view what = path.empty() ? "inline template" : "template";
  c.evaluator.log(LogLevel::Debug, "",
                  fmt::format("The {}{}{} is rendered by Ruby: {}", what, path.empty() ? "" : " ", path, result.reason));
  if (c.evaluator.native_ruby() != nullptr) c.evaluator.native_ruby()->set_reason(std::move(result.reason));
  if (ruby == nullptr) refuse_ruby(c.evaluator, what, "", path);
  return ruby->render_erb(c.evaluator, c.frame, text, path, c.loc);
}

/// Ruby raised what is no StandardError, such as a SyntaxError. Puppet does not rescue it.
bool no_standard_error(const Diagnostic& d) { return d.code == ErrorCode::ruby_error && d.preformatted; }

std::string render_file(FunctionCall& c, std::string_view name) {
  std::string path = find_erb_template(c.evaluator, name);
  if (path.empty()) c.fail(fmt::format("Could not find template '{}'", name));
  auto text = c.evaluator.environment().read_file(path);
  if (text == nullptr)
    c.fail(fmt::format("Failed to parse template {}:\n  Filepath: {}\n  Line: 1\n  Detail: No such file or directory @ rb_sysopen - {}\n",
                       name, path, path));
  std::string_view content = *text;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  try {
    return render(c, content, path);
  } catch (const CompileError& error) {
    const Diagnostic& d = error.diagnostic;
    if (d.code == ErrorCode::not_implemented || no_standard_error(d)) throw;
    c.fail(fmt::format("Failed to parse template {}:\n  Filepath: {}\n  Line: {}\n  Detail: {}\n", name, d.file.empty() ? path : d.file,
                       d.line, d.loc ? d.puppet_text() : d.message));
  }
}

std::string render_text(FunctionCall& c, std::string_view text) {
  try {
    return render(c, text, "");
  } catch (const CompileError& error) {
    const Diagnostic& d = error.diagnostic;
    if (d.code == ErrorCode::not_implemented || no_standard_error(d)) throw;
    c.fail(fmt::format("Failed to parse inline template: {}", d.loc ? d.puppet_text() : d.message));
  }
}

Value template_function(FunctionCall& c) {
  check_argument_count(c);
  std::string out;
  for (size_t i = 0; i < c.size(); ++i) out += render_file(c, text_argument(c, i));
  return c.string(out);
}

Value inline_template_function(FunctionCall& c) {
  check_argument_count(c);
  std::string out;
  for (size_t i = 0; i < c.size(); ++i) out += render_text(c, text_argument(c, i));
  return c.string(out);
}

} // namespace

std::span<const FunctionEntry> erb_function_table() {
  static const std::vector<FunctionEntry> table{
      {"template",
       "Renders ERB template files, each given as `module/file.erb` (in the module's `templates` directory) or as an absolute path, with "
       "the "
       "variables of the calling scope as `@name`, and joins the texts.",
       {{"3.x -2", template_function}},
       FunctionTrait::ReadsFiles | FunctionTrait::AsksNode},
      {"inline_template",
       "Renders ERB templates given as texts, with the variables of the calling scope as `@name`, and joins the results.",
       {{"3.x -2", inline_template_function}},
       FunctionTrait::AsksNode},
  };
  return table;
}

} // namespace pupc::compiler
