// Control structures: while, for, case, begin.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/limits.h"

namespace pupc::compiler::ruby {

RubyValue Interpreter::eval_while(const Node& node) {
  const void* saved = std::exchange(break_target_, &node);
  RubyValue result;
  try {
    while (eval(node.kids[0]).truthy() != node.flag) {
      step(node.line);
      try {
        eval_body(node.kids[1]);
      } catch (const NextJump&) { break_target_ = &node; }
    }
  } catch (const BreakJump& jump) {
    break_target_ = saved;
    if (jump.target != &node) throw;
    return jump.value;
  }
  break_target_ = saved;
  return result;
}

RubyValue Interpreter::eval_for(const Node& node) {
  RubyValue source = eval(node.kids[1]);
  std::vector<RubyValue> items;
  if (!items_of(source, items, node.line)) not_rendered(node.line, "for over this value");
  const void* saved = std::exchange(break_target_, &node);
  try {
    for (const RubyValue& item : items) {
      step(node.line);
      assign(*node.kids[0], item);
      try {
        eval_body(node.kids[2]);
      } catch (const NextJump&) { break_target_ = &node; }
    }
  } catch (const BreakJump& jump) {
    break_target_ = saved;
    if (jump.target != &node) throw;
    return jump.value;
  }
  break_target_ = saved;
  return source;
}

RubyValue Interpreter::eval_case(const Node& node) {
  bool has_subject = node.kids[0] != nullptr;
  RubyValue subject = eval(node.kids[0]);
  for (size_t i = 1; i + 1 < node.kids.size(); ++i) {
    const Node& when = *node.kids[i];
    for (size_t j = 0; j + 1 < when.kids.size(); ++j) {
      std::vector<RubyValue> values;
      if (when.kids[j]->type == NodeType::Splat)
        items_of(eval(when.kids[j]->kids[0]), values, when.line);
      else
        values.push_back(eval(when.kids[j]));
      for (const RubyValue& v : values)
        if (has_subject ? case_equals(v, subject, when.line) : v.truthy()) return eval(when.kids.back());
    }
  }
  return eval(node.kids.back());
}

RubyValue Interpreter::eval_begin(const Node& node) {
  if (node.kids[2] == nullptr) return eval_guarded(node);
  RubyValue result;
  try {
    result = eval_guarded(node);
  } catch (const NeedsRuby&) { throw; } catch (...) {
    eval(node.kids[2]);
    throw;
  }
  eval(node.kids[2]);
  return result;
}

/// Evaluates a body with its rescue and else clauses.
RubyValue Interpreter::eval_guarded(const Node& node) {
  if (node.kids.size() == 3) return eval(node.kids[0]);
  LocalScope* environ = environ_;
  const void* target = break_target_;
  MethodFrame* method = method_;
  RubyError caught{};
  std::exception_ptr of_function; // the error of a Puppet function, with its place
  bool failed = false;
  RubyValue value;
  try {
    value = eval(node.kids[0]);
  } catch (RubyError& error) {
    failed = true;
    caught = std::move(error);
  } catch (const CompileError& error) {
    if (is_limit(error.diagnostic.code)) throw; // a limit: Ruby would not end either
    failed = true;
    caught = error_of(error, node.line);
    of_function = std::current_exception();
  }
  if (!failed) return node.kids[1] != nullptr ? eval(node.kids[1]) : value;
  environ_ = environ;
  break_target_ = target;
  method_ = method;
  for (size_t i = 3; i < node.kids.size(); ++i) {
    const Node& clause = *node.kids[i];
    bool matches = clause.kids.size() == 1 && caught.class_ != RubyClass::Exception; // without a class: any StandardError
    for (size_t k = 0; k + 1 < clause.kids.size() && !matches; ++k) {
      RubyValue wanted = eval(clause.kids[k]);
      if (!wanted.is(RubyKind::Class)) not_rendered(clause.line, "rescue of something else than a class");
      if (caught.class_ == RubyClass::Other && wanted.class_ != RubyClass::StandardError && wanted.class_ != RubyClass::Exception)
        not_rendered(clause.line, "the class of an error");
      matches = caught.class_ == RubyClass::Other || descends(caught.class_, wanted.class_);
    }
    if (!matches) continue;
    if (clause.block != nullptr) {
      if (caught.class_ == RubyClass::Other) not_rendered(clause.line, "the class of an error");
      assign(*clause.block, heap.exception(caught.class_, caught.message));
    }
    return eval(clause.kids.back());
  }
  if (of_function) std::rethrow_exception(of_function);
  throw RubyError(std::move(caught));
}

} // namespace pupc::compiler::ruby
