// Calls of the host's objects, and what they get from the interpreter.
#include "compiler/ruby/values/host_object.h"

#include "compiler/ruby/interpreter/interpreter.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

class Interpreter::Tools final : public ObjectTools {
public:
  Tools(Interpreter& interpreter, uint32_t line) : i_(interpreter), line_(line) {}
  Value to_puppet(const RubyValue& v) override { return i_.to_puppet(v, line_); }
  RubyValue to_ruby(const Value& v) override { return i_.from_puppet(v); }
  RubyValue text(std::string s) override { return i_.str(std::move(s)); }
  RubyValue symbol(std::string_view name) override { return i_.heap.symbol(name); }
  RubyValue list(std::vector<RubyValue> items) override { return i_.list(std::move(items)); }
  RubyValue new_hash() override { return i_.heap.hash(); }
  std::string shown(const RubyValue& v) override { return i_.to_s(v, line_); }
  void before_change() override { i_.check_nothing_waits(line_, "a change of the compile"); }

private:
  void throw_exception(RubyClass class_, std::string message) override { throw RubyError{line_, std::move(message), class_}; }
  void throw_reason(std::string reason) override { i_.not_rendered(line_, std::move(reason)); }

  Interpreter& i_;
  uint32_t line_;
};

RubyValue Interpreter::host_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_nil_p:
  case MethodId::Not:
  case MethodId::Eq:
  case MethodId::NotEq:
  case MethodId::CaseEq:
  case MethodId::m_eql_p:
  case MethodId::m_is_a_p:
  case MethodId::m_kind_of_p:
  case MethodId::m_instance_of_p:
  case MethodId::m_itself:
  case MethodId::m_tap:
  case MethodId::m_then:
  case MethodId::m_yield_self: {
    RubyValue out;
    if (object_method(c, out)) return out;
    break;
  }
  case MethodId::m_to_s:
    if (c.args.empty()) return str(to_s(c.self, c.line));
    break;
  default: break;
  }
  Tools tools(*this, c.line);
  return c.self.host->call({c.name, c.args, c.block != nullptr, tools});
}

/// A call without a receiver in a function of the 3.x API, whose self is the scope.
bool Interpreter::host_function(const MethodCall& c, RubyValue& out) {
  if (program_->self != Self::Scope || !host.functions().has_method(c.name)) return false;
  HostObject* scope = host.scope_object();
  if (scope == nullptr) return false;
  out = host_method({RubyValue::of(scope), c.method, c.name, c.args, c.block, c.line});
  return true;
}

/// Leaves the code to Ruby where it has logged or changed something that is held back until it ends.
void Interpreter::check_nothing_waits(uint32_t line, std::string_view what) {
  if ((changed && (program_->self == Self::Template || has_changed_outside())) || !logs.empty() || !pending_variables_.empty())
    not_rendered(line, std::string(what));
}

/// The Ruby exception that code rescues where a Puppet function fails.
RubyError Interpreter::error_of(const CompileError& error, uint32_t line) {
  const Diagnostic& d = error.diagnostic;
  return {line, d.puppet_text(), d.message.starts_with("Duplicate declaration: ") ? RubyClass::DuplicateResourceError : RubyClass::Other};
}

} // namespace pupc::compiler::ruby
