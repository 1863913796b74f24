// Control structures: while, for, case, begin.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/limits.h"

namespace pupc::compiler::ruby {

/// Runs the body of a loop as long as `next` says so. `result` is what the loop gives unless a `break` gives something else.
template <class F> RubyValue Interpreter::run_loop(const Node& node, const Node* body, F next, RubyValue result) {
  const void* saved = std::exchange(break_target_, &node);
  try {
    while (next()) {
      step(node.line);
      try {
        eval_body(body);
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

RubyValue Interpreter::eval_while(const While& node) {
  bool first = node.body_first;
  return run_loop(node, node.body, [&] { return std::exchange(first, false) || eval(node.condition).truthy() != node.until; }, {});
}

RubyValue Interpreter::eval_for(const For& node) {
  const RubyValue source = eval(node.list);
  std::vector<RubyValue> items;
  if (!items_of(source, items, node.line)) not_rendered(node.line, "for over this value");
  auto next = [&, i = size_t(0)]() mutable {
    if (i == items.size()) return false;
    assign(*node.target, items[i++]);
    return true;
  };
  return run_loop(node, node.body, next, source);
}

RubyValue Interpreter::eval_case(const Case& node) {
  RubyValue subject = eval(node.subject);
  for (const Node* branch : node.branches) {
    const auto& when = branch->as<When>();
    for (const Node* wanted : when.values) {
      std::vector<RubyValue> values;
      if (wanted->type == NodeType::Splat)
        splat(eval(wanted->as<Unary>().operand), values, when.line);
      else
        values.push_back(eval(wanted));
      for (const RubyValue& v : values)
        if (node.subject != nullptr ? case_equals(v, subject, when.line) : v.truthy()) return eval(when.body);
    }
  }
  return eval(node.otherwise);
}

RubyValue Interpreter::eval_begin(const Begin& node) {
  if (node.ensure == nullptr) return eval_guarded(node);
  RubyValue result;
  try {
    result = eval_guarded(node);
  } catch (const NeedsRuby&) { throw; } catch (const LibraryCall&) {
    throw;
  } catch (...) {
    eval(node.ensure);
    throw;
  }
  eval(node.ensure);
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
bool Interpreter::rescues(const Rescue& clause, const RubyError& error) {
  if (clause.classes.empty()) // without a class: any StandardError
    return error.class_ == RubyClass::Other || descends(error.class_, RubyClass::StandardError);
  std::vector<RubyValue> wanted;
  for (const Node* of : clause.classes) {
    if (of->type != NodeType::Splat)
      wanted.push_back(eval(of));
    else
      splat(eval(of->as<Unary>().operand), wanted, clause.line);
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
RubyValue Interpreter::eval_guarded(const Begin& node) {
  if (node.rescues.empty()) return eval(node.body);
  LocalScope* environ = environ_;
  const void* target = break_target_;
  MethodFrame* method = method_;
  for (;;) {
    RubyError caught{};
    std::exception_ptr of_function; // the error of a Puppet function, with its place
    bool failed = false;
    RubyValue value;
    try {
      value = eval(node.body);
    } catch (RubyError& error) {
      failed = true;
      caught = std::move(error);
    } catch (const CompileError& error) {
      if (is_limit(error.diagnostic.code)) throw;                     // a limit: Ruby would not end either
      if (error.diagnostic.code == ErrorCode::not_implemented) throw; // no error of the code's: Ruby would go on
      failed = true;
      caught = error_of(error, node.line);
      of_function = std::current_exception();
    }
    if (!failed) return node.otherwise != nullptr ? eval(node.otherwise) : value;
    environ_ = environ;
    break_target_ = target;
    method_ = method;
    const Rescue* chosen = nullptr;
    for (const Node* clause : node.rescues)
      if (chosen == nullptr && rescues(clause->as<Rescue>(), caught)) chosen = &clause->as<Rescue>();
    if (chosen == nullptr && of_function) std::rethrow_exception(of_function);
    if (chosen == nullptr) throw RubyError(std::move(caught));
    if (chosen->target != nullptr) {
      const RubyValue object = exception_of(caught);
      caught.object = object.exception;
      assign(*chosen->target, object);
    }
    struct Rescued {
      Rescued(const RubyError*& place, const RubyError* now) : current(place), before(std::exchange(place, now)) {}
      ~Rescued() { current = before; }
      const RubyError*& current;
      const RubyError* before;
    } rescued(rescued_, &caught);
    try {
      return eval(chosen->body);
    } catch (const RetryJump&) {
      environ_ = environ;
      break_target_ = target;
      method_ = method;
      step(node.line);
    }
  }
}

} // namespace pupc::compiler::ruby
