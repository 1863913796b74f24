#include "catalog/diff/impact.h"

#include "catalog/json/json_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::catalog {
namespace {

class ImpactTest : public testing::Test {
protected:
  Value read(std::string text) {
    for (char& c : text)
      if (c == '\'') c = '"';
    Value v;
    JsonError error;
    EXPECT_TRUE(parse_json(arena_.copy(text), arena_, v, error)) << error.message;
    return v;
  }
  static std::string resource(const std::string& type, const std::string& title, const std::string& parameters = "",
                              const std::string& kind = "compilable_type") {
    return fmt::format("{{'type':'{}','title':'{}','kind':'{}','parameters':{{{}}}}}", type, title, kind, parameters);
  }
  /// "restarts Service[a] < File[b]" in lines.
  std::string impacts(const std::string& before, const std::string& after, const std::string& edges = "") {
    auto document = [&](const std::string& resources) { return "{'name':'n','resources':[" + resources + "],'edges':[" + edges + "]}"; };
    const Value a = read(document(before)), b = read(document(after));
    std::string problem, out;
    const auto diff = diff_catalogs(a, b, {}, problem);
    EXPECT_TRUE(diff.has_value()) << problem;
    if (!diff) return out;
    for (const Impact& i : impacts_of(a, b, *diff)) {
      out += fmt::format("{} {}", impact_verb(i.kind), i.reference);
      for (const std::string& cause : i.causes) out += " < " + cause;
      out += '\n';
    }
    return out;
  }
  Arena arena_;
};

TEST_F(ImpactTest, NothingChanges) {
  const std::string file = resource("File", "/a", "'content':'x','notify':'Service[s]'") + "," + resource("Service", "s");
  EXPECT_EQ(impacts(file, file), "");
  // Order alone changes nothing on a machine.
  EXPECT_EQ(impacts(resource("Service", "s") + "," + resource("File", "/a", "'content':'x'"), file), "");
}

TEST_F(ImpactTest, ByRisk) {
  EXPECT_EQ(impacts(resource("File", "/gone") + "," + resource("Service", "s", "'ensure':'running'") + "," +
                        resource("Package", "p", "'ensure':'1'") + "," + resource("User", "u", "'uid':1"),
                    resource("File", "/new", "'ensure':'file'") + "," + resource("Service", "s", "'ensure':'stopped'") + "," +
                        resource("Package", "p", "'ensure':'2'") + "," + resource("User", "u", "'uid':2") + "," +
                        resource("Cron", "c", "'ensure':'absent'") + "," + resource("Service", "t", "'ensure':true") + "," +
                        resource("Exec", "e", "'command':'x'") + "," + resource("Mount", "/m", "'ensure':'mounted'")),
            "deletes Cron[c]\nstops Service[s]\nstarts Service[t]\nruns Exec[e]\ninstalls Package[p]\nchanges user User[u]\n"
            "no longer manages File[/gone]\nwrites File[/new]\nchanges Mount[/m]\n");
}

TEST_F(ImpactTest, NotificationsBothWays) {
  EXPECT_EQ(impacts(resource("File", "/a", "'content':'x','notify':['Service[s]','File[/b]']") + "," + resource("Service", "s") + "," +
                        resource("Service", "t", "'subscribe':'File[/a]'") + "," + resource("File", "/b"),
                    resource("File", "/a", "'content':'y','notify':['Service[s]','File[/b]']") + "," + resource("Service", "s") + "," +
                        resource("Service", "t", "'subscribe':'File[/a]'") + "," + resource("File", "/b")),
            "restarts Service[s] < File[/a]\nrestarts Service[t] < File[/a]\nwrites File[/a]\n");
}

TEST_F(ImpactTest, AServiceThatStartsDoesNotRestart) {
  EXPECT_EQ(impacts(resource("File", "/a", "'content':'x','notify':['Service[old]','Service[off]']") + "," +
                        resource("Service", "old", "'ensure':'running'") + "," + resource("Service", "off", "'ensure':'stopped'"),
                    resource("File", "/a", "'content':'y','notify':['Service[new]','Service[old]','Service[off]']") + "," +
                        resource("Service", "old", "'ensure':'running'") + "," + resource("Service", "off", "'ensure':'running'") + "," +
                        resource("Service", "new", "'ensure':'running'")),
            "restarts Service[old] < File[/a]\nstarts Service[off]\nstarts Service[new]\nwrites File[/a]\n");
}

TEST_F(ImpactTest, ThroughContainersAndCommands) {
  const std::string edges = "{'source':'Class[Conf]','target':'File[/a]'},{'source':'Class[Run]','target':'Service[s]'},"
                            "{'source':'Class[Run]','target':'Exec[reload]'}";
  auto catalog = [](const char* content) {
    return resource("Class", "Conf", "'notify':'Class[Run]'", "class") + "," +
           resource("File", "/a", fmt::format("'content':'{}'", content)) + "," + resource("Class", "Run", "", "class") + "," +
           resource("Service", "s") + "," + resource("Exec", "reload", "'refreshonly':true,'notify':'Service[t]'") + "," +
           resource("Service", "t") + "," + resource("Service", "off", "'ensure':'stopped','subscribe':'File[/a]'");
  };
  EXPECT_EQ(impacts(catalog("x"), catalog("y"), edges),
            "restarts Service[s] < File[/a]\nrestarts Service[t] < File[/a]\nruns Exec[reload] < File[/a]\nwrites File[/a]\n");
}

TEST_F(ImpactTest, AnExecThatWaitsForNotificationsDoesNotRunBecauseItIsNew) {
  EXPECT_EQ(impacts("", resource("Exec", "e", "'refreshonly':true,'notify':'Service[s]'") + "," + resource("Service", "s")),
            "changes Service[s]\n");
}

TEST_F(ImpactTest, WhatLeavesNothingOnTheMachineStillNotifies) {
  EXPECT_EQ(impacts(resource("Notify", "old") + "," + resource("Service", "s"),
                    resource("Notify", "new", "'notify':'Service[s]'") + "," + resource("Service", "s")),
            "restarts Service[s] < Notify[new]\n");
}

TEST_F(ImpactTest, ContainersHaveNoEffectOfTheirOwn) {
  EXPECT_EQ(impacts(resource("Site", "x", "'port':1", "defined_type"), resource("Site", "x", "'port':2", "defined_type")), "");
  EXPECT_EQ(impacts(resource("Site", "x", "'port':1", "defined_type"), ""), "");
}

} // namespace
} // namespace pupc::catalog
