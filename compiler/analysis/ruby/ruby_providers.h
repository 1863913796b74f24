#pragma once
// The names of the providers that modules write in Ruby for a resource type.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/ruby/syntax/ruby_static.h"

#include <set>
#include <string>
#include <string_view>

namespace pupc::compiler {

struct RubyProviders {
  std::set<std::string, std::less<>> names;
  bool known = true; // no other names are made while the files run
};

/// The providers below lib/puppet/provider/TYPE of all modules, and those in the type's own file, if it has one. Not known where a file
/// cannot be read or a name is computed, and where the type makes its own attribute `provider` or is of the Resource API.
RubyProviders read_ruby_providers(const Environment& environment, RubyFiles& files, std::string_view type, std::string_view type_file);

} // namespace pupc::compiler
