#include "catalog/base/stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace pupc::catalog {
namespace {

/// How many kilobytes of stack are used when it is low, or will be with more room, or `most` when it is not by then.
[[gnu::noinline]] int kilobytes_until_low(int most, size_t room = 0) {
  volatile char used[1024] = {};
  if (most == 0 || native_stack_low(room)) return 0;
  return 1 + kilobytes_until_low(most - 1, room) + used[0];
}

TEST(Stack, IsLowEarlierForACall) {
  constexpr int most = 1024 * 1024;
  const int difference = kilobytes_until_low(most) - kilobytes_until_low(most, room_for_call);
  EXPECT_GT(difference, 128); // frames are somewhat larger than what they hold
  EXPECT_LE(difference, 257);
}

TEST(Stack, GrowsAsLongAsItIsLarge) {
  constexpr int wanted = 24 * 1024;
  const int before = kilobytes_until_low(wanted);
  {
    const LargeStack stack(64 * 1024 * 1024);
    if (!stack.there()) GTEST_SKIP() << "the system's own limit is lower";
    EXPECT_EQ(kilobytes_until_low(wanted), wanted);
  }
  EXPECT_EQ(kilobytes_until_low(wanted), before);
}

TEST(Stack, IsThatOfTheFirstThreadOnly) {
  bool there = true;
  pthread_t thread;
  auto ask = [](void* answer) -> void* {
    *static_cast<bool*>(answer) = LargeStack(64 * 1024 * 1024).there();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, ask, &there), 0);
  pthread_join(thread, nullptr);
  EXPECT_FALSE(there);
}

} // namespace
} // namespace pupc::catalog
