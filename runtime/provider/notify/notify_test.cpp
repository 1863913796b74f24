#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(NotifyHandler, SaysItsMessage) {
  FakeRun run;
  auto handler = make_notify_handler();
  ManagedResource& r = run.make("notify", "x", {{"message", run.text("it's")}});
  auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "defined 'message' as 'it\\'s'");
  EXPECT_EQ(run.logs, std::vector<std::string>{"notice: it's"});
}

TEST(NotifyHandler, ShowsItsPathWhenAsked) {
  FakeRun run;
  auto handler = make_notify_handler();
  run.turn(*handler, run.make("notify", "x", {{"withpath", Value::boolean(true)}}));
  EXPECT_EQ(run.logs, std::vector<std::string>{"notice: /Stage[main]/Main/Notify[x]/message: x"});
}

} // namespace
} // namespace pupc::runtime
