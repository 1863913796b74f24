#include "tools/server/compression.h"

#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <random>
#include <thread>
#include <vector>

using namespace pupc::server;

namespace {

std::string plain(std::string text, size_t size) {
  std::string out(size + 1, '\0');
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = reinterpret_cast<uint8_t*>(text.data());
  state.avail_in = static_cast<uint32_t>(text.size());
  state.next_out = reinterpret_cast<uint8_t*>(out.data());
  state.avail_out = static_cast<uint32_t>(out.size());
  EXPECT_EQ(isal_inflate(&state), ISAL_DECOMP_OK);
  EXPECT_EQ(state.block_state, ISAL_BLOCK_FINISH);
  out.resize(state.total_out);
  return out;
}

std::string random_bytes(size_t size) {
  std::mt19937 random(7);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

} // namespace

TEST(Compression, GivesBackEveryText) {
  for (const size_t size : {0u, 1u, 5u, 2048u, 70'000u, 1'000'000u}) {
    std::string words;
    while (words.size() < size) words += "\"title\":\"/etc/some/file-" + std::to_string(words.size()) + "\",";
    words.resize(size);
    const std::string small = gzip(words);
    EXPECT_EQ(plain(small, size), words);
    if (size > 2000) EXPECT_LT(small.size(), size / 3);
    // What cannot be made shorter fits, too.
    const std::string noise = random_bytes(size);
    EXPECT_EQ(plain(gzip(noise), size), noise);
  }
}

TEST(Compression, KeepsThreadsApart) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      const std::string text(static_cast<size_t>(50'000 + t), static_cast<char>('a' + t));
      for (int i = 0; i < 50; ++i) EXPECT_EQ(plain(gzip(text), text.size()), text);
    });
  for (std::thread& thread : threads) thread.join();
}
