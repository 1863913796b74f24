#include "catalog/value/mersenne_twister.h"

#include "catalog/value/digest.h"

#include <algorithm>

namespace pupc::catalog {

MersenneTwister::MersenneTwister(std::span<const uint32_t> key) {
  auto length = static_cast<uint32_t>(key.size());
  while (length > 1 && key[length - 1] == 0) --length;
  if (length > 1 && key[length - 1] == 1) --length; // Ruby takes a highest word of 1 for its guard against leading zeros
  state_[0] = length <= 1 ? (length == 0 ? 0 : key[0]) : 19650218u;
  for (uint32_t i = 1; i < size; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  if (length <= 1) return;
  uint32_t i = 1, j = 0;
  for (uint32_t k = std::max(size, length); k > 0; --k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] + j;
    if (++i >= size) state_[0] = state_[size - 1], i = 1;
    if (++j >= length) j = 0;
  }
  for (uint32_t k = size - 1; k > 0; --k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - i;
    if (++i >= size) state_[0] = state_[size - 1], i = 1;
  }
  state_[0] = 0x80000000u;
}

uint32_t MersenneTwister::next() {
  if (at_ == size) {
    for (uint32_t k = 0; k < size; ++k) {
      const uint32_t y = (state_[k] & 0x80000000u) | (state_[(k + 1) % size] & 0x7fffffffu);
      state_[k] = state_[(k + 397) % size] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
    }
    at_ = 0;
  }
  uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double MersenneTwister::next_float() {
  const uint32_t a = next() >> 5, b = next() >> 6;
  return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

uint64_t MersenneTwister::limited(uint64_t limit) {
  if (limit == 0) return 0;
  uint64_t mask = limit;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  while (true) {
    uint64_t value = 0;
    bool rejected = false;
    for (int i = 1; i >= 0 && !rejected; --i) {
      if (((mask >> (i * 32)) & 0xffffffffu) == 0) continue;
      value |= static_cast<uint64_t>(next()) << (i * 32);
      value &= mask;
      rejected = limit < value;
    }
    if (!rejected) return value;
  }
}

uint64_t random_below(std::string_view text, uint64_t n) {
  auto digest = md5_digest(text);
  // Seed the generator with the digest as one 128-bit number, least significant 32-bit word first.
  uint32_t key[4];
  for (size_t word = 0; word < 4; ++word) {
    const uint8_t* p = digest.data() + (12 - 4 * word);
    key[word] = static_cast<uint32_t>(p[0]) << 24 | static_cast<uint32_t>(p[1]) << 16 | static_cast<uint32_t>(p[2]) << 8 | p[3];
  }
  return MersenneTwister(key).limited(n - 1);
}

} // namespace pupc::catalog
