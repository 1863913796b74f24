#pragma once
// Ruby's spelling checker (did_you_mean), which proposes other names in the messages of NoMethodError and KeyError.
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler::ruby {

struct SpellingWord {
  std::string_view word;
  bool sure = true; // false: Ruby may not know the word
};

/// What the checker adds to a message for a name that is none of `words`: "" or "\nDid you mean?  tap". Nothing where that isn't certain.
std::optional<std::string> spelling_hint(std::string_view name, std::span<const SpellingWord> words);

} // namespace pupc::compiler::ruby
