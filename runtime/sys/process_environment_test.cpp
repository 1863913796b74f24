#include "runtime/sys/process_environment.h"

#include "runtime/sys/posix_system.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(ProcessEnvironment, CommandsInheritChanges) {
  set_process_environment("PUPC_LEFT_BY_A_PROVIDER", "1");
  const auto system = make_posix_system();
  Command c;
  c.shell = "echo $PUPC_LEFT_BY_A_PROVIDER";
  EXPECT_EQ(system->run(c).output, "1\n");
  set_process_environment("PUPC_LEFT_BY_A_PROVIDER", std::nullopt);
  EXPECT_EQ(system->run(c).output, "\n");
}

TEST(ProcessEnvironment, TellsWhatChangedSince) {
  set_process_environment("PUPC_TOLD", "1");
  const uint64_t seen = process_environment_changes();
  set_process_environment("PUPC_TOLD", "1"); // no change
  EXPECT_EQ(process_environment_changes(), seen);
  set_process_environment("PUPC_TOLD", "2");
  set_process_environment("PUPC_TOLD", std::nullopt);
  std::string told;
  tell_process_environment(
      seen, [&](const std::string& name, const std::optional<std::string>& value) { told += name + "=" + value.value_or("(gone)") + " "; });
  EXPECT_EQ(told, "PUPC_TOLD=2 PUPC_TOLD=(gone) ");
}

TEST(ProcessEnvironment, SearchPathHasTheSystemsDirectories) {
  const std::string before = std::getenv("PATH");
  set_process_environment("PATH", "/usr/bin:/sbin");
  set_search_path();
  EXPECT_STREQ(std::getenv("PATH"), "/usr/bin:/sbin:/usr/sbin");
  set_search_path("/x");
  EXPECT_STREQ(std::getenv("PATH"), "/x:/usr/sbin:/sbin");
  set_process_environment("PATH", before);
}

} // namespace
} // namespace pupc::runtime
