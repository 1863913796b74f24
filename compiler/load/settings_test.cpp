#include "compiler/load/settings.h"

#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

TEST(Settings, EverySettingHasAValueOfItsType) {
  EXPECT_EQ(all_settings().size(), 237u);
  for (RunMode mode : {RunMode::User, RunMode::Agent, RunMode::Server}) {
    PuppetSettings settings(mode);
    Arena arena;
    for (const SettingInfo& s : all_settings()) {
      EXPECT_EQ(find_setting(s.name), &s);
      if (s.fallback != nullptr && s.fallback[0] != '\0' && s.fallback[0] != '@') {
        EXPECT_FALSE(settings.typed(s.name, arena).is_undef()) << s.name;
      }
    }
    EXPECT_TRUE(settings.value("pidfile").ends_with("/" + std::string(name_of(mode)) + ".pid"));
  }
  EXPECT_EQ(find_setting("show-diff"), find_setting("show_diff"));
  EXPECT_EQ(find_setting("nosuch"), nullptr);
}

TEST(Settings, TypesOfValues) {
  PuppetSettings s;
  Arena arena;
  s.set("runinterval", "2h");
  s.set("maxwaitforcert", "unlimited");
  s.set("server_list", "a:8140,b");
  s.set("pluginsignore", "x");
  s.set("autosign", "true");
  EXPECT_EQ(s.typed("runinterval", arena).i, 7200);
  EXPECT_EQ(s.typed("splaylimit", arena).i, 7200); // $runinterval
  EXPECT_TRUE(s.typed("maxwaitforcert", arena).is_float());
  ASSERT_TRUE(s.typed("server_list", arena).is_list());
  EXPECT_EQ(s.typed("server_list", arena).items().size(), 2u);
  EXPECT_EQ(s.typed("server_list", arena).items()[0].items()[1].str(), "8140");
  EXPECT_TRUE(s.typed("autosign", arena).is_bool());
  EXPECT_EQ(s.typed("serverport", arena).i, 8140);
  EXPECT_TRUE(s.typed("priority", arena).is_undef());
  EXPECT_EQ(s.typed("supported_checksum_types", arena).items().size(), 5u);
  EXPECT_EQ(s.printed("maxwaitforcert"), "unlimited");
  EXPECT_EQ(s.printed("server_list"), "a:8140,b");
}

TEST(Settings, TheFirstSourceCounts) {
  constexpr std::string_view text =
      "noop = true\n[main]\ntags = a\ntags = b\nserver = m\n[agent]\nserver = a\nruninterval = 5m\n"
      "[server]\nserver = s\n[master]\nserver = old\nca_server = o\n[user]\nserver = u\nvardir = '/x' {mode = 0644}\n";
  PuppetSettings agent(RunMode::Agent), server(RunMode::Server), user(RunMode::User);
  for (PuppetSettings* s : {&agent, &server, &user}) s->read_text(text, "puppet.conf");
  EXPECT_EQ(agent.value("server"), "a");
  EXPECT_EQ(agent.value("report_server"), "a");
  EXPECT_EQ(server.value("server"), "s");
  EXPECT_EQ(server.value("ca_server"), "o");
  EXPECT_EQ(user.value("server"), "u");
  EXPECT_EQ(user.value("statedir"), "/x/state");
  EXPECT_EQ(user.value("tags"), "a");
  EXPECT_TRUE(user.truth("noop"));
  user.set("server", "line");
  user.set_default("tags", "default");
  EXPECT_EQ(user.value("server"), "line");
  EXPECT_EQ(user.value("tags"), "a");
  EXPECT_TRUE(user.given("tags"));
  EXPECT_FALSE(user.given("skip_tags"));
}

TEST(Settings, Mistakes) {
  auto message = [](std::string_view text, std::string_view name) -> std::string {
    PuppetSettings s;
    try {
      s.read_text(text, "puppet.conf");
      static_cast<void>(s.text(name));
    } catch (const CompileError& e) { return e.diagnostic.puppet_text(); }
    return "";
  };
  EXPECT_EQ(message("noop = maybe\n", "noop"), "Invalid value '\"maybe\"' for boolean parameter: noop (file: puppet.conf)");
  EXPECT_EQ(message("runinterval = soon\n", "runinterval"),
            "Invalid duration format '\"soon\"' for parameter: runinterval (file: puppet.conf)");
  EXPECT_EQ(message("masterport = 70000\n", "serverport"),
            "Value '70000' is not a valid port number for parameter: masterport (file: puppet.conf)");
  EXPECT_EQ(message("strict = hard\n", "strict"),
            "Invalid value 'hard' for parameter strict. Allowed values are 'off', 'warning', 'error' (file: puppet.conf)");
  EXPECT_EQ(message("prerun_command = echo $HOME\n", "prerun_command"),
            "Error converting value for param 'prerun_command': Could not find value for $HOME (file: puppet.conf)");
  EXPECT_NE(message("[production]\n", "noop").find("Illegal section 'production'"), std::string::npos);
  EXPECT_EQ(message("x\n", "noop"), "Could not match line x (file: puppet.conf, line: 1)");
  EXPECT_EQ(message("[main]\nmodulepath = /x\n", "noop"), "Cannot set modulepath settings in puppet.conf (file: puppet.conf, line: 2)");
  EXPECT_NE(message("vardir = $statedir\n", "vardir").find("refers to itself"), std::string::npos);
}

TEST(Settings, RefusedOnlyWithAnotherValue) {
  PuppetSettings s;
  s.set("digest_algorithm", "sha256");
  EXPECT_EQ(s.refused(), nullptr);
  s.set("digest_algorithm", "md5");
  ASSERT_NE(s.refused(), nullptr);
  EXPECT_EQ(s.refused()->name, "digest_algorithm");
}

} // namespace
} // namespace pupc::compiler
