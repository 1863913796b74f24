// Control structures: while, for, case, begin.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/limits.h"

namespace pupc::compiler::ruby {

RubyValue Interpreter::eval_while(const Node& node) {
  const void* saved = std::exchange(break_target_, &node);
  RubyValue result;
  try {
    for (bool first = node.a == 1; first || eval(node.kids[0]).truthy() != node.flag; first = false) {
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
  } catch (const NeedsRuby&) { throw; } catch (const LibraryCall&) {
    throw;
  } catch (...) {
    eval(node.kids[2]);
    throw;
  }
  eval(node.kids[2]);
  return result;
}

/// The exception object of an error that a rescue clause has caught.
RubyValue Interpreter::exception_of(const RubyError& error) {
  if (error.object != nullptr) return RubyValue::of(error.object);
  if (error.class_ == RubyClass::Other) not_rendered(error.line, "the class of an error");
  const RubyValue object = heap.exception(error.class_, error.message);
  object.exception->unworded = error.unworded;
  return object;
}

/// Whether a rescue clause is for an error.
bool Interpreter::rescues(const Node& clause, const RubyError& error) {
  if (clause.kids.size() == 1) // without a class: any StandardError
    return error.class_ == RubyClass::Other || descends(error.class_, RubyClass::StandardError);
  std::vector<RubyValue> wanted;
  for (size_t k = 0; k + 1 < clause.kids.size(); ++k) {
    if (clause.kids[k]->type != NodeType::Splat)
      wanted.push_back(eval(clause.kids[k]));
    else if (!items_of(eval(clause.kids[k]->kids[0]), wanted, clause.line))
      not_rendered(clause.line, "rescue of something else than classes");
  }
  for (const RubyValue& of : wanted) {
    if (of.is(RubyKind::Module)) {
      if (error.class_ == RubyClass::Other) not_rendered(clause.line, "the class of an error");
      if (error.object != nullptr && is_of_module(RubyValue::of(error.object), *of.module)) return true;
      continue;
    }
    if (!of.is(RubyKind::Class)) not_rendered(clause.line, "rescue of something else than a class");
    if (error.class_ == RubyClass::Other) {
      if (of.class_ != RubyClass::StandardError && of.class_ != RubyClass::Exception) not_rendered(clause.line, "the class of an error");
      return true;
    }
    if (descends(error.class_, of.class_)) return true;
  }
  return false;
}

/// Evaluates a body with its rescue and else clauses.
RubyValue Interpreter::eval_guarded(const Node& node) {
  if (node.kids.size() == 3) return eval(node.kids[0]);
  LocalScope* environ = environ_;
  const void* target = break_target_;
  MethodFrame* method = method_;
  for (;;) {
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
    const Node* chosen = nullptr;
    for (size_t i = 3; chosen == nullptr && i < node.kids.size(); ++i)
      if (rescues(*node.kids[i], caught)) chosen = node.kids[i];
    if (chosen == nullptr && of_function) std::rethrow_exception(of_function);
    if (chosen == nullptr) throw RubyError(std::move(caught));
    if (chosen->block != nullptr) {
      const RubyValue object = exception_of(caught);
      caught.object = object.exception;
      assign(*chosen->block, object);
    }
    struct Rescued {
      Rescued(const RubyError*& place, const RubyError* now) : current(place), before(std::exchange(place, now)) {}
      ~Rescued() { current = before; }
      const RubyError*& current;
      const RubyError* before;
    } rescued(rescued_, &caught);
    try {
      return eval(chosen->kids.back());
    } catch (const RetryJump&) {
      environ_ = environ;
      break_target_ = target;
      method_ = method;
      step(node.line);
    }
  }
}

} // namespace pupc::compiler::ruby
