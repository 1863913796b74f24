#pragma once
// What Ruby and Puppet themselves have, and code of modules calls by name.
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// The methods that code of a module calls without a receiver.
bool is_object_word(std::string_view name);   // of all objects
bool is_ruby_word(std::string_view name);     // in types, providers, functions and facts
bool is_template_word(std::string_view name); // in ERB templates
/// A word of Puppet's Ruby code that one slip makes of this one; empty when there is none.
std::string_view near_ruby_word(std::string_view name, bool of_template);

/// The method of a template's scope that is probably meant; empty when it is one, or near to none.
std::string_view near_scope_method(std::string_view name);
/// Whether two names differ in nothing but underscores.
bool same_letters(std::string_view a, std::string_view b);

/// The methods of modules and classes that code calls on their constants.
struct RubyModuleMethods {
  std::string_view path;                 // File, Puppet::Util
  std::vector<std::string_view> methods; // those of all objects and classes aside
  bool closed = false;                   // others do not come from libraries that everyone loads, or from other versions
};
/// Null for any module that is not listed.
const RubyModuleMethods* find_ruby_module(std::string_view path);
/// The constant of Ruby (path empty) or Puppet (path `Puppet`) that is probably meant; empty where the name is one, or is near to none.
std::string_view meant_constant(std::string_view path, std::string_view name);

/// What Ruby 3.2 took away, and Puppet 8's packages bring that.
struct RemovedFromRuby {
  std::string_view path, method; // a method of a module; `method` empty: a constant
  std::string_view instead;
};
const RemovedFromRuby* find_removed(std::string_view path, std::string_view method);

} // namespace pupc::compiler
