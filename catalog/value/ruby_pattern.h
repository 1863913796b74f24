#pragma once
// Ruby's regular expressions in the words of Oniguruma. Ruby's own engine and Oniguruma have one ancestor; where they have parted since,
// a pattern is written anew here, or refused.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// The pattern for Oniguruma, in its Ruby syntax, that means what `source` means in Ruby. Throws
/// RegexError with Ruby's message for what only Ruby refuses; all other mistakes stay in for Oniguruma to find.
std::string oniguruma_pattern(std::string_view source, bool ignore_case, bool extended);

} // namespace pupc::catalog
