// What the run checks of a resource before its type does.
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

using namespace pupc::runtime;

namespace {

std::string problem(FakeRun& run, std::string_view type, std::string_view attribute, Value value, bool sensitive = false) {
  ManagedResource& r = run.make(type, "/x");
  r.set(attribute, value, sensitive);
  try {
    check_values(*make_type_handler(type), r);
  } catch (const ResourceError& e) { return e.what(); }
  return "";
}

TEST(CheckValues, RefusesWhatTheTableDoesNotAllowInPuppetsWords) {
  FakeRun run;
  EXPECT_EQ(problem(run, "host", "ensure", run.text("bad")),
            "Parameter ensure failed on Host[/x]: Invalid value \"bad\". Valid values are present, absent.");
  EXPECT_EQ(problem(run, "file", "links", Value::boolean(true)),
            "Parameter links failed on File[/x]: Invalid value true. Valid values are follow, manage.");
  EXPECT_EQ(problem(run, "mount", "ensure", run.text("there")),
            "Parameter ensure failed on Mount[/x]: Invalid value \"there\". Valid values are defined, unmounted, absent, mounted.");
  EXPECT_EQ(problem(run, "package", "ensure", run.text("")),
            "Parameter ensure failed on Package[/x]: Invalid value \"\". Valid values are present, absent, purged, disabled, latest. Valid "
            "values match /./.");
  EXPECT_EQ(problem(run, "tidy", "max_files", Value::floating(3.5)),
            "Parameter max_files failed on Tidy[/x]: Invalid value 3.5. Valid values match /^[0-9]+$/.");
  EXPECT_EQ(problem(run, "user", "managehome", Value::integer(1)),
            "Parameter managehome failed on User[/x]: Munging failed for value 1 in class managehome: expected a boolean value");
}

TEST(CheckValues, NamesAnSshkeyByNameAndType) {
  FakeRun run;
  EXPECT_TRUE(problem(run, "sshkey", "type", run.text("bad")).starts_with("Parameter type failed on Sshkey[@]: Invalid value \"bad\"."));
  EXPECT_TRUE(
      problem(run, "sshkey", "ensure", run.text("bad")).starts_with("Parameter ensure failed on Sshkey[/x@]: Invalid value \"bad\"."));
}

TEST(CheckValues, TakesWhatTheTableAllows) {
  FakeRun run;
  EXPECT_EQ(problem(run, "mount", "ensure", run.text("present")), "");
  EXPECT_EQ(problem(run, "service", "enable", Value::boolean(true)), "");
  EXPECT_EQ(problem(run, "user", "managehome", run.text("YES")), "");
  EXPECT_EQ(problem(run, "file", "max_files", Value::integer(-1)), "");
  EXPECT_EQ(problem(run, "file", "ensure", run.text("/target")), "");
  EXPECT_EQ(problem(run, "file", "checksum", run.text("bad")), ""); // Puppet takes it where nothing has a source
}

TEST(CheckValues, ComparesEachValueOfAPropertyAndAParameterAsAWhole) {
  FakeRun run;
  EXPECT_EQ(problem(run, "host", "ensure", run.list({"present", "worse"})),
            "Parameter ensure failed on Host[/x]: Invalid value \"worse\". Valid values are present, absent.");
  EXPECT_EQ(problem(run, "file", "links", run.list({"follow", "manage"})),
            "Parameter links failed on File[/x]: Invalid value [\"follow\", \"manage\"]. Valid values are follow, manage.");
}

TEST(CheckValues, ShowsNoSecret) {
  FakeRun run;
  EXPECT_EQ(problem(run, "host", "ensure", run.text("secret"), true),
            "Parameter ensure failed on Host[/x]: Invalid value [redacted]. Valid values are present, absent.");
}

} // namespace
