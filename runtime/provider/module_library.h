#pragma once
// The modules' own Ruby files, where versions of a module behave in different ways and a native handler does as the installed one.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// The text of the first file with that path below the `lib` of a module of the run ("puppet/type/vcsrepo.rb"); nothing when there is none.
std::optional<std::string> library_text(const RunSettings& settings, std::string_view path);

} // namespace pupc::runtime
