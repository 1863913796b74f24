#pragma once
// The names that Ruby code of modules uses without saying where they come from: variables, methods, constants.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

/// Remembers the last names that were asked for: code has few, and often.
class LastNames {
public:
  /// Whether the name was asked for before; it may have been forgotten.
  bool again(std::string_view name) {
    std::string_view& place =
        names_[(name.size() * 31 + static_cast<unsigned char>(name.front()) * 7 + static_cast<unsigned char>(name.back())) % names_.size()];
    if (place == name) return true;
    place = name;
    return false;
  }

private:
  std::array<std::string_view, 256> names_;
};

/// Reads code without regard to where a variable ends: what is bound anywhere in a file is bound everywhere. So it misses, and does not
/// invent.
class RubyNames {
public:
  struct Unknown {
    std::string_view name, meant; // meant: a name of the code or of Puppet that one slip makes of it; may be empty
    uint32_t line = 0;
  };

  explicit RubyNames(bool of_template) : of_template_(of_template) {}

  /// Takes in the tokens, which are parts of a text that outlives this object.
  void read(std::span<const RubyToken> tokens, int depth = 0);
  /// The names that nothing in these tokens binds or mentions, each at its first place. `attribute` tells further methods.
  std::vector<Unknown> unknown(std::span<const RubyToken> tokens, const std::function<bool(std::string_view)>& attribute = {}) const;
  /// Whether methods may come from elsewhere: from modules that are included, from the parent of a class or provider.
  bool open() const { return open_; }

private:
  void read_keyword(std::span<const RubyToken> tokens, size_t i);
  void read_operator(std::span<const RubyToken> tokens, size_t i);
  void read_identifier(std::span<const RubyToken> tokens, size_t i);
  void read_interpolations(const RubyToken& t, int depth);
  size_t bind_until(std::span<const RubyToken> tokens, size_t i, const std::function<bool(const RubyToken&)>& end);
  std::string_view meant(std::string_view name) const;

  struct Read {
    std::string_view name;
    uint32_t line;
  };
  bool of_template_;
  bool open_ = false;
  /// The parameters of a block of the code itself, and where it is: tokens [begin, end).
  struct OfBlock {
    std::string_view name;
    size_t begin, end;
  };
  void read_block_parameters(std::span<const RubyToken> tokens, size_t i);
  void add_outside_of_blocks(std::span<const RubyToken> tokens, std::vector<Unknown>& out) const;
  std::unordered_set<std::string_view> bound_; // anywhere; of_blocks_ aside
  std::vector<OfBlock> of_blocks_;
  int depth_ = 0; // of interpolations
  std::vector<Read> reads_;
  LastNames read_before_;
};

/// What is told of such a name in a template. `variable`: the code around the template has a variable of that name.
std::string unknown_in_template(const RubyNames::Unknown& u);
std::string suggested_in_template(const RubyNames::Unknown& u, bool variable);

/// Whether the token sets what stands before it: `=`, `||=`, `+=`, but no comparison.
bool sets_name(const RubyToken& t);
/// Calls f(code, line) with the inside of each `#{…}` of a text.
template <class F> void for_each_interpolation(const RubyToken& t, F f) {
  uint32_t line = t.line;
  size_t counted = 0;
  for (size_t at = 0; (at = t.body.find("#{", at)) != std::string_view::npos;) {
    const auto end = ruby_interpolation_end(t.body, at + 2);
    if (!end) return;
    line += static_cast<uint32_t>(std::ranges::count(t.body.substr(counted, at - counted), '\n'));
    counted = at;
    f(t.body.substr(at + 2, *end - at - 2), line);
    at = *end;
  }
}

/// Tells of names in the code of functions, types, providers and facts that nothing has: variables, methods, constants, libraries, methods
/// of Ruby's and Puppet's own modules, and what Ruby 3.2 took away. `told`: names that another check tells of.
void check_ruby_names(const RepositoryFile& file, const RubyTokens& ruby, CheckCode code, CheckedCodebase& program, Findings& findings,
                      const std::set<std::string_view>& told = {});
/// The same of constants and their methods alone.
void check_ruby_constants(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, Findings& findings);

} // namespace pupc::compiler
