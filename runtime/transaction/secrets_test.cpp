#include "runtime/transaction/secrets.h"

#include "catalog/base/arena.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(Secrets, HidesTheSensitiveAttributesOfAResource) {
  Arena arena;
  ManagedResource r;
  r.set("value", string_value(arena, "hunter2\n"), true);
  r.set("path", string_value(arena, "/etc/plain"));
  Secrets secrets;
  secrets.take(r);
  EXPECT_EQ(secrets.hide("a tool said: hunter2, in /etc/plain"), "a tool said: [redacted], in /etc/plain");
  secrets.clear();
  EXPECT_EQ(secrets.hide("hunter2"), "hunter2");
}

TEST(Secrets, HidesLinesOfLongTexts) {
  Arena arena;
  ManagedResource r;
  r.set("content", string_value(arena, "x\nthe second line\ny"), true);
  Secrets secrets;
  secrets.take(r);
  EXPECT_EQ(secrets.hide("-the second line"), "-[redacted]");
  EXPECT_EQ(secrets.hide("x and y"), "x and y") << "too short to be told from other words";
}

TEST(Secrets, HidesShortOnesThatStandAlone) {
  Arena arena;
  ManagedResource r;
  r.set("password", string_value(arena, "abc"), true);
  r.set("pin", Value::integer(7), true);
  r.set("mark", string_value(arena, "#!"), true);
  r.set("nothing", string_value(arena, ""), true);
  Secrets secrets;
  secrets.take(r);
  EXPECT_EQ(secrets.hide("password abc, 'abc'; abcd 7 17 x#!y abc"),
            "password [redacted], '[redacted]'; abcd [redacted] 17 x[redacted]y [redacted]");
  r.set("word", string_value(arena, "red"), true);
  r.set("bracket", string_value(arena, "["), true);
  secrets.take(r);
  EXPECT_EQ(secrets.hide("abc [ red"), "[redacted] [redacted] [redacted]");
}

TEST(Secrets, HidesTheValuesOfAnEnvironment) {
  Arena arena;
  ManagedResource r;
  ListBuilder list(arena);
  list.add(string_value(arena, "KEY=hunter2"));
  r.set("environment", list.finish(), true);
  Secrets secrets;
  secrets.take(r);
  EXPECT_EQ(secrets.hide("KEY=hunter2, or hunter2"), "[redacted], or [redacted]");
}

TEST(Secrets, LongerOnesFirst) {
  Arena arena;
  ManagedResource r;
  r.set("a", string_value(arena, "pass"), true);
  r.set("b", string_value(arena, "password"), true);
  Secrets secrets;
  secrets.take(r);
  EXPECT_EQ(secrets.hide("password pass"), "[redacted] [redacted]");
}

TEST(Secrets, FindsSensitiveInside) {
  Arena arena;
  ListBuilder list(arena);
  list.add(string_value(arena, "open"));
  list.add(Value::sensitive(arena, string_value(arena, "secret")));
  EXPECT_TRUE(holds_sensitive(list.finish()));
  EXPECT_FALSE(holds_sensitive(string_value(arena, "open")));
}

} // namespace
} // namespace pupc::runtime
