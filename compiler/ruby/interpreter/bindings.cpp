// Bindings: the variables, self and constants of a place in the code, with which an ERB text is rendered.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/restore.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/erb_source.h"
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

/// `binding`: an object of the library's, which knows its place by a Proc.
RubyValue Interpreter::eval_binding(const Binding& node) {
  if (methods_.contains("binding")) not_rendered(node.line, "a method 'binding'");
  RubyProc& place = proc_here();
  place.place = &node;
  RubyValue of;
  if (!find_constant("Binding", of)) not_rendered(node.line, "binding");
  const RubyValue argument = RubyValue::of(&place);
  return call_method({of, MethodId::m_new, "new", {&argument, 1}, nullptr, node.line});
}

const RubyScript& Interpreter::parsed_text(std::string_view text, Self self, std::span<const std::string_view> names, uint32_t line) {
  RubyScript& program = *scripts_.emplace_back(std::make_unique<RubyScript>());
  ErbSource source = compile_erb(program.arena.copy(text), program.arena);
  if (!source.problem.empty()) not_rendered(line, "an ERB text, " + source.problem);
  program.self = self;
  program.rendered = true;
  program.texts = std::move(source.texts);
  program.code = std::move(source.code);
  try {
    Parser parser(program.code, program, host.regexes());
    parser.knows(names);
    parser.parse();
  } catch (const Unparsable& error) { not_rendered(line, fmt::format("an ERB text, line {}: {}", error.line, error.what)); }
  check_program(program, host.functions());
  if (!program.problems.empty()) not_rendered(line, "an ERB text, " + program.problems[0]);
  return program;
}

/// PupcCore.render_text(text, variables, place): variables is a hash of names, place a Proc or nil.
RubyValue Interpreter::render_text(const MethodCall& c) {
  need(c, 3);
  RubyHash& given = hash_argument(c, 1);
  const RubyProc* place = c.args[2].is(RubyKind::Proc) && c.args[2].proc->place != nullptr ? c.args[2].proc : nullptr;
  std::vector<std::string_view> names;
  std::vector<RubyValue*> values;
  for (auto& [name, value] : given.entries()) {
    names.push_back(name.text());
    values.push_back(&value);
  }
  if (place != nullptr)
    for (const LocalVariable* variable : place->place->variables) {
      LocalScope* scope = place->environ;
      for (int32_t up = variable->up; up > 0; --up) scope = scope->up;
      names.push_back(variable->name);
      values.push_back(&scope->slots[variable->slot]);
    }
  const Self self = place != nullptr ? place->program->self : program_->self;
  const RubyScript& program = parsed_text(string_argument(c, 0), self, names, c.line);
  const Restore restore(*this);
  LocalScope* around = make_environ(nullptr, static_cast<int32_t>(names.size()));
  for (size_t i = 0; i < values.size(); ++i) around->slots[i] = *values[i];
  program_ = &program;
  if (place != nullptr) {
    self_ = place->self;
    nesting_ = place->nesting;
    method_ = place->frame;
  }
  environ_ = make_environ(around, program.slots);
  std::string before = std::exchange(out_, {});
  eval(program.body);
  for (size_t i = 0; i < values.size(); ++i) *values[i] = around->slots[i];
  return str(std::exchange(out_, std::move(before)));
}

} // namespace pupc::compiler::ruby
