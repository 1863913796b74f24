// Methods that one value of a class of Ruby's own has for itself: `def text.name`, `class << list`, extend, define_singleton_method.
#include "compiler/ruby/interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

/// What methods of Ruby's own, and libraries that write a value, call on a value. Here they look at it directly.
constexpr std::string_view called_by_others[] = {"!",
                                                 "<=>",
                                                 "==",
                                                 "===",
                                                 "=~",
                                                 "[]",
                                                 "[]=",
                                                 "class",
                                                 "coerce",
                                                 "each",
                                                 "empty?",
                                                 "encode_with",
                                                 "eql?",
                                                 "equal?",
                                                 "hash",
                                                 "inspect",
                                                 "instance_of?",
                                                 "is_a?",
                                                 "key?",
                                                 "keys",
                                                 "kind_of?",
                                                 "length",
                                                 "message",
                                                 "method_missing",
                                                 "nil?",
                                                 "respond_to?",
                                                 "respond_to_missing?",
                                                 "size",
                                                 "succ",
                                                 "to_a",
                                                 "to_ary",
                                                 "to_h",
                                                 "to_hash",
                                                 "to_i",
                                                 "to_json",
                                                 "to_int",
                                                 "to_path",
                                                 "to_proc",
                                                 "to_s",
                                                 "to_str",
                                                 "to_sym",
                                                 "to_yaml",
                                                 "backtrace",
                                                 "dup",
                                                 "clone",
                                                 "initialize_copy",
                                                 "initialize_dup",
                                                 "initialize_clone",
                                                 "exception",
                                                 "first",
                                                 "last",
                                                 "begin",
                                                 "end",
                                                 "exclude_end?"};

/// What tells of such methods.
constexpr std::string_view questions[] = {"clone",
                                          "method",
                                          "methods",
                                          "singleton_method",
                                          "singleton_methods",
                                          "public_methods",
                                          "singleton_class",
                                          "respond_to?",
                                          "instance_variables",
                                          "instance_variable_get",
                                          "instance_variable_set",
                                          "instance_variable_defined?",
                                          "instance_eval",
                                          "instance_exec"};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

RubyModule* Interpreter::known_singleton(const RubyValue& v) const {
  if (singletons_.empty() || v.kind < RubyKind::String || v.kind > RubyKind::Hash) return nullptr;
  const auto known = singletons_.find(v.pointer);
  return known == singletons_.end() ? nullptr : known->second;
}

static bool has_origin(const RubyValue& v) {
  return (v.is_array() && !v.a->origin.value.is_undef()) || (v.is_hash() && !v.h->origin.value.is_undef());
}

/// The class of the value alone. Code that comes later can meet values that Puppet keeps, so those are left to Ruby.
RubyModule& Interpreter::singleton_of(const RubyValue& v, uint32_t line) {
  if (RubyModule* known = known_singleton(v)) return *known;
  const bool frozen = (v.is_string() && v.s->frozen) || (v.is_array() && v.a->frozen) || (v.is_hash() && v.h->frozen);
  if (v.kind < RubyKind::String || v.kind > RubyKind::Hash || frozen || has_origin(v)) not_rendered(line, "a method of one object");
  if (v.is_string() && !program_->changes_texts) not_rendered(line, "a method of one object");
  for (const auto& text : texts_)
    if (v.is_string() && text.second.second == v.s) not_rendered(line, "a method of one object");
  RubyModule& module = new_module("", true, {}, line);
  module.base = class_of(v);
  singletons_.emplace(v.pointer, &module);
  extended = true;
  return module;
}

void Interpreter::check_singleton(const RubyModule& own, uint32_t line) {
  for (const std::string_view name : called_by_others)
    if (lookup_method(own, name) != nullptr) not_rendered(line, fmt::format("a method '{}' of one object", name));
}

void Interpreter::define_singleton_method(const RubyValue& v, std::string_view name, RubyMethod method, uint32_t line) {
  add_method(singleton_of(v, line), name, std::move(method));
  if (is_among(name, called_by_others)) not_rendered(line, fmt::format("a method '{}' of one object", name));
}

const RubyMethod* Interpreter::singleton_method(const MethodCall& c) {
  const RubyModule* own = known_singleton(c.self);
  if (own == nullptr) return nullptr;
  if (is_among(c.name, questions)) not_rendered(c.line, fmt::format("'{}' of a value with methods of its own", c.name));
  return lookup_method(*own, c.name);
}

bool Interpreter::change_singleton(const MethodCall& c, RubyValue& out) {
  if (c.self.kind < RubyKind::String || c.self.kind > RubyKind::Hash) return false;
  if (c.method == MethodId::m_extend) {
    if (c.args.empty()) not_rendered(c.line, "extend without a module");
    for (const RubyValue& module : c.args) {
      if (!module.is(RubyKind::Module) || module.module->is_class || find_singleton(*module.module, "extended") != nullptr)
        not_rendered(c.line, "extend with this module");
      singleton_of(c.self, c.line).included.push_back(module);
    }
    forget_found();
    check_singleton(singleton_of(c.self, c.line), c.line);
    out = c.self;
  } else {
    if (c.block == nullptr || c.args.size() != 1 || !(c.args[0].is_symbol() || c.args[0].is_string())) return false;
    RubyMethod method;
    method.proc = c.block;
    method.program = program_;
    method.nesting = c.block->nesting;
    define_singleton_method(c.self, c.args[0].text(), std::move(method), c.line);
    out = heap.symbol(c.args[0].text());
  }
  return true;
}

} // namespace pupc::compiler::ruby
