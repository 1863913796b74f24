#pragma once
// Classes and modules that Ruby code defines, with their objects.
#include "compiler/ruby/values/method_names.h"
#include "compiler/ruby/values/ruby_value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler::ruby {

class Core;
struct Def;
struct MethodCall;
struct RubyScript;

/// Where constants are looked up: the class or module around the code, and what is around that.
struct Nesting {
  RubyModule* module;
  const Nesting* up;
};

enum class Visibility : uint8_t { Public, Protected, Private };

/// A method that code defines: by `def`, by define_method (`proc`), as an attribute, or as another name of one that Ruby has.
struct RubyMethod {
  const Def* def = nullptr;
  const RubyScript* program = nullptr;
  std::string_view path;
  bool kept = false; // by the host, for all templates
  const RubyProc* proc = nullptr;
  std::string attribute; // the instance variable that it reads, or sets
  bool sets = false;
  std::string ruby_name; // the method of Ruby's own
  // Of the library's text: the primitive to which the method only passes self and its arguments on, so that its call is one of this.
  RubyValue (*primitive)(Core&, const MethodCall&) = nullptr;
  RubyModule* owner = nullptr;
  const Nesting* nesting = nullptr;
  Visibility visibility = Visibility::Public;
  bool undefined = false;
};

struct RubyModule {
  using Methods = std::map<std::string, RubyMethod, std::less<>>;

  std::string name; // "" while it has none
  bool is_class = false;
  bool library = false;               // from pupc's own Ruby text
  RubyModule* parent = nullptr;       // the superclass, where code defines it
  RubyClass base = RubyClass::Object; // Ruby's own class that it comes from
  RubyEquality* equality = nullptr;   // where it defines ==
  Methods methods, singleton_methods;
  std::vector<RubyValue> included, prepended, extended; // Modules, or Classes of Ruby's own
  NamedValues constants, class_variables, instance_variables;
  std::vector<std::string> variable_order; // of its objects: as the first of them set them
};

struct RubyObject {
  RubyModule* class_ = nullptr;
  NamedValues instance_variables;
  RubyModule::Methods singleton_methods;
  std::vector<RubyValue> extended;
  bool frozen = false;
  bool kept = false; // made when the code was loaded: all calls have it
};

} // namespace pupc::compiler::ruby
