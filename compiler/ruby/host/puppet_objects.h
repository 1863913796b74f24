#pragma once
// The inside of the compiler as functions and templates of modules meet it when they run without Ruby: the compiler, the catalog, its
// resources, scopes, classes, the environment and its modules. compiler/ruby/facade has the same for the Ruby process. A method that is not
// here leaves the code to Ruby.
#include "compiler/eval/evaluator.h"
#include "compiler/ruby/values/host_object.h"

#include <memory>
#include <string_view>

namespace pupc::compiler {

class ObjectRoom;

/// The objects that one call of Ruby code meets. They live as long as this.
class PuppetObjects {
public:
  /// `frame`: the code's scope. `loc`: the place of the call that runs it, which is the place of what it does.
  PuppetObjects(Evaluator& evaluator, Frame& frame, Loc loc);
  ~PuppetObjects();
  PuppetObjects(const PuppetObjects&) = delete;
  PuppetObjects& operator=(const PuppetObjects&) = delete;

  ruby::HostObject* scope();
  /// The Puppet::Resource of a reference to a class or resource; null for any other value.
  ruby::HostObject* resource_of(const Value& reference);
  /// The class or module with that name; null for one that is not here.
  ruby::HostObject* constant(std::string_view name);
  /// Whether the code has changed the compile, so that Ruby cannot run it again from its start.
  bool changed() const;

  /// What the static check needs to know: whether a class or module is here, whether any object or the scope has a method of that name, and
  /// whether such a method changes the compile.
  static bool has_constant(std::string_view name);
  static bool has_method(std::string_view name);
  static bool changes(std::string_view method);

private:
  std::unique_ptr<ObjectRoom> room_; // resource_objects.h
};

} // namespace pupc::compiler
