#pragma once
// Objects of Puppet that Ruby code meets while it runs without Ruby: the compiler, the catalog, a class, a resource. The interpreter hands
// their methods to the program around it, which implements them (compiler/ruby/host/puppet_objects.h).
#include "compiler/ruby/values/ruby_value.h"

#include <cstdlib>
#include <optional>

namespace pupc::compiler::ruby {

/// What a method of such an object asks of the interpreter.
class ObjectTools {
public:
  virtual ~ObjectTools() = default;
  virtual Value to_puppet(const RubyValue& v) = 0;
  virtual RubyValue to_ruby(const Value& v) = 0;
  virtual RubyValue text(std::string s) = 0;
  virtual RubyValue symbol(std::string_view name) = 0;
  virtual RubyValue list(std::vector<RubyValue> items) = 0;
  virtual RubyValue new_hash() = 0;
  /// The text of a value, as to_s gives it.
  virtual std::string shown(const RubyValue& v) = 0;
  /// Called before each change of the compile: Ruby cannot run the code again after it, so what is pending would be lost.
  virtual void before_change() = 0;
  /// Raises a Ruby exception.
  [[noreturn]] void raise(RubyClass class_, std::string message) {
    throw_exception(class_, std::move(message));
    std::abort();
  }
  /// Leaves the code to Ruby.
  [[noreturn]] void leave(std::string reason) {
    throw_reason(std::move(reason));
    std::abort();
  }

private:
  virtual void throw_exception(RubyClass class_, std::string message) = 0;
  virtual void throw_reason(std::string reason) = 0;
};

struct ObjectCall {
  std::string_view name;
  std::span<const RubyValue> args;
  bool has_block = false;
  ObjectTools& tools;
};

class HostObject {
public:
  HostObject() = default;
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;
  virtual ~HostObject() = default;
  /// "Puppet::Resource::Catalog"; of a class or module its own name.
  virtual std::string_view name() const = 0;
  virtual RubyValue call(const ObjectCall& call) = 0;
  virtual bool is(const HostObject& other) const { return this == &other; }
  /// What to_s gives; empty where that is the address of a Ruby object.
  virtual std::string text() const { return {}; }
  /// What it is as a value of the language; nothing where it is none.
  virtual std::optional<Value> value() const { return {}; }
  /// Whether the object is a class, of which `value` is an instance.
  virtual bool has_instance(const RubyValue&) const { return false; }
};

} // namespace pupc::compiler::ruby
