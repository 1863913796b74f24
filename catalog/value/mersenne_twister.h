#pragma once
// MT19937 as Ruby's Random uses it: the seed is a list of 32-bit words, and numbers below a limit are drawn in Ruby's way.
#include <cstdint>
#include <span>
#include <string_view>

namespace pupc::catalog {

class MersenneTwister {
public:
  /// `key`: the seed as 32-bit words, least significant first. As in Ruby, zero words at the high end are dropped, then a word of 1.
  explicit MersenneTwister(std::span<const uint32_t> key);
  uint32_t next();
  /// A number from 0 to below 1.
  double next_float();
  /// A uniform number in 0 … limit, by Ruby's rejection method (Random#rand(limit + 1)).
  uint64_t limited(uint64_t limit);

private:
  static constexpr uint32_t size = 624;
  uint32_t state_[size];
  uint32_t at_ = size;
};

/// Random.new(seed).rand(n), where the seed is the MD5 digest of `text` read as a number. `n` must be positive.
uint64_t random_below(std::string_view text, uint64_t n);

} // namespace pupc::catalog
