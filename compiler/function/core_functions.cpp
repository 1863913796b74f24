// Functions next to the language itself: logging, fail, and the jumps break, next and return.
#include "compiler/eval/evaluator.h"
#include "compiler/eval/labels.h"
#include "compiler/function/function_tables.h"

namespace pupc::compiler {
namespace {

/// Joins the arguments with blanks; each is printed as in interpolation.
std::string joined(FunctionCall& c) {
  std::string text;
  for (size_t i = 0; i < c.size(); ++i) {
    if (i != 0) text += ' ';
    text += c.evaluator.to_string(c.args[i]);
  }
  return text;
}

template <LogLevel level> Value log_message(FunctionCall& c) {
  c.evaluator.log(level, scope_source(*c.frame.scope), joined(c));
  return Value::undef();
}

template <LogLevel level> FunctionEntry logger(std::string_view name, std::string_view doc) {
  return {name, doc, {{"Any $values*", log_message<level>}}, FunctionTrait::Statement};
}

Value fail_compile(FunctionCall& c) {
  Diagnostic d;
  d.code = ErrorCode::failed_by_code;
  for (size_t i = 0; i < c.size(); ++i) {
    if (i != 0) d.message += ' ';
    d.message += ruby_to_s(c.args[i]); // prints [1, nil, "a"], unlike interpolation
  }
  throw CompileError(std::move(d));
}

Value break_iteration(FunctionCall& c) { throw BreakSignal{c.loc}; }
Value next_value(FunctionCall& c) { throw NextSignal{c.arg(0), c.loc}; }
Value return_value(FunctionCall& c) { throw ReturnSignal{c.arg(0), c.loc}; }

} // namespace

FunctionTable core_functions() {
  static const std::vector<FunctionEntry> table{
      logger<LogLevel::Debug>("debug", "Logs the arguments, joined with blanks, at level debug."),
      logger<LogLevel::Info>("info", "Logs the arguments, joined with blanks, at level info."),
      logger<LogLevel::Notice>("notice", "Logs the arguments, joined with blanks, at level notice."),
      logger<LogLevel::Warning>("warning", "Logs the arguments, joined with blanks, at level warning."),
      logger<LogLevel::Err>("err", "Logs the arguments, joined with blanks, at level err."),
      logger<LogLevel::Alert>("alert", "Logs the arguments, joined with blanks, at level alert."),
      logger<LogLevel::Emerg>("emerg", "Logs the arguments, joined with blanks, at level emerg."),
      logger<LogLevel::Crit>("crit", "Logs the arguments, joined with blanks, at level crit."),
      {"fail",
       "Fails the compilation with the arguments, joined with blanks, as the message.",
       {{"3.x", fail_compile}},
       FunctionTrait::Statement},
      {"break",
       "Ends the innermost iterating function, as if its input had ended.",
       {{"", break_iteration}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"next",
       "Ends the current lambda, function, class or define body with a value (default undef).",
       {{"Any $value?", next_value}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"return",
       "Ends the innermost function, class or define body with a value (default undef), also from inside a lambda.",
       {{"Any $value?", return_value}},
       FunctionTrait::Statement | FunctionTrait::Effects},
  };
  return table;
}

} // namespace pupc::compiler
