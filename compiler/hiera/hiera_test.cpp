// Runs every lookup of testdata/hiera through the service. The host has the case's facts as variables. Puppet gave the expected results
// (make_expected.rb there).
#include "catalog/base/log.h"
#include "compiler/hiera/hiera_testing.h"
#include "compiler/hiera/lookup.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pupc::compiler {
namespace {

using nlohmann::ordered_json;

TEST(Hiera, GoldenCases) {
  std::ifstream in("testdata/hiera/expected.jsonl");
  ASSERT_TRUE(in.good());
  size_t cases = 0, lookups = 0, skipped = 0;
  for (std::string line; std::getline(in, line);) {
    auto kase = ordered_json::parse(line);
    HieraCase c(kase);
    for (const auto& lookup : kase["lookups"]) {
      if (!c.can_run(lookup)) {
        ++skipped;
        continue;
      }
      EXPECT_EQ(c.run(lookup), c.expected(lookup)) << kase["name"] << ": " << lookup.dump().substr(0, 300);
      ++lookups;
    }
    ++cases;
  }
  fmt::print("{} set-ups, {} lookups, {} left to the conformance suite\n", cases, lookups, skipped);
  EXPECT_GT(lookups, 150u);
}

} // namespace
} // namespace pupc::compiler
