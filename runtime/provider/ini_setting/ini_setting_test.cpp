#include "runtime/provider/handlers.h"
#include "runtime/provider/ini_setting/ini_file.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(IniFile, KeepsLinesAndPlaces) {
  IniFile f("; c\n[main]\na = 1\n#com = x\nz=3\n\n[gone]\ng=1\n[last]\n  deep = 1\n", {});
  f.set("main", "a", "2");
  f.set("main", "new", "v w");
  f.set("main", "com", "set");
  f.set("last", "more", "m");
  f.set("other", "k", "true");
  f.set("", "top", "1");
  f.remove("gone", "g");
  EXPECT_EQ(f.text(),
            "; c\ntop = 1\n[main]\na = 2\n#com = x\ncom = set\nz=3\nnew = v w\n\n[last]\n  deep = 1\n  more = m\n\n[other]\nk = true\n");
  EXPECT_EQ(f.get("main", "z"), "3");
  EXPECT_EQ(f.get("main", "nope"), std::nullopt);
}

TEST(IniFile, ManyValuesAsInInifile6) {
  IniStyle style;
  style.many_values = true;
  IniFile f("[main]\na = 1\nb = x\na=2\n\n[gone]\ng=1\n", style);
  EXPECT_EQ(f.get_all("main", "a"), (std::vector<std::string>{"1", "2"}));
  f.set("main", "a", std::vector<std::string>{"3", "4", "5"}); // where the last one was
  f.set("main", "new", std::vector<std::string>{"n", "m"});
  f.remove("gone", "g");
  EXPECT_EQ(f.text(), "[main]\nb = x\na=3\na=4\na=5\nnew = n\nnew = m\n\n[gone]\n");
  f.remove_section("gone");
  EXPECT_EQ(f.text(), "[main]\nb = x\na=3\na=4\na=5\nnew = n\nnew = m\n\n");
}

TEST(IniFile, OtherSeparators) {
  IniFile blank("Port 21\n# Port 1\nOther  x\n", {" ", "[", "]", " ", {}});
  blank.set("", "Port", "22");
  EXPECT_EQ(blank.text(), "Port 22\n# Port 1\nOther  x\n");
  IniFile colon("a: 1\n", {": ", "[", "]", " ", {}});
  EXPECT_EQ(colon.get("", "a"), "1");
}

TEST(IniSetting, ValuesStaySecretUnlessDiffsAreShown) {
  FakeRun run;
  run.fake.put_file("/x.ini", "[s]\nk = old\n", 0640, 5, 6);
  auto handler = make_ini_setting_handler();
  auto& r = run.make("ini_setting", "i",
                     {{"path", run.text("/x.ini")}, {"section", run.text("s")}, {"setting", run.text("k")}, {"value", run.text(" new ")}});
  auto changes = run.turn(*handler, r, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "value changed [redacted sensitive information] to [redacted sensitive information]");
  run.changeable_settings().show_diff = true;
  changes = run.turn(*handler, r);
  EXPECT_EQ(changes[0].message, "value changed old to new");
  EXPECT_EQ(run.fake.find("/x.ini")->content, "[s]\nk = new\n");
  EXPECT_EQ(run.fake.find("/x.ini")->status.uid, 5u);
  EXPECT_TRUE(run.turn(*handler, r).empty());
  auto& no_section = run.make("ini_setting", "n",
                              {{"path", run.text("/x.ini")},
                               {"section", run.text("missing")},
                               {"setting", run.text("k")},
                               {"value", run.text("1")},
                               {"force_new_section_creation", Value::boolean(false)}});
  EXPECT_TRUE(run.turn(*handler, no_section).empty());
}

struct LineCase {
  std::vector<std::pair<std::string, Value>> attributes;
  const char* expected; // content, or "error: …"
};

TEST(FileLine, AllWays) {
  FakeRun run;
  const std::string before = "one\nkey=1\nkey=2\nlast";
  const LineCase cases[] = {
      {{{"line", run.text("one")}}, "one\nkey=1\nkey=2\nlast"},
      {{{"line", run.text("new")}}, "one\nkey=1\nkey=2\nlast\nnew\n"},
      {{{"line", run.text("one=1")}, {"match", run.text("^one")}}, "one=1\nkey=1\nkey=2\nlast\n"},
      {{{"line", run.text("key=3")}, {"match", run.text("^key")}}, "error: More than one line in file '/f' matches pattern '^key'"},
      {{{"line", run.text("key=3")}, {"match", run.text("^key")}, {"multiple", Value::boolean(true)}}, "one\nkey=3\nkey=3\nlast\n"},
      {{{"line", run.text("x")}, {"after", run.text("^one")}}, "one\nx\nkey=1\nkey=2\nlast\n"},
      {{{"line", run.text("x")}, {"match", run.text("^x")}, {"after", run.text("^one")}}, "one\nx\nkey=1\nkey=2\nlast\n"},
      {{{"line", run.text("x")}, {"match", run.text("^x")}, {"append_on_no_match", Value::boolean(false)}}, "one\nkey=1\nkey=2\nlast"},
      {{{"line", run.text("key=9")}, {"match", run.text("^key")}, {"replace", Value::boolean(false)}}, "one\nkey=1\nkey=2\nlast"},
      {{{"line", run.text("one")}, {"ensure", run.text("absent")}}, "key=1\nkey=2\nlast"},
      {{{"ensure", run.text("absent")},
        {"match", run.text("^key")},
        {"match_for_absence", Value::boolean(true)},
        {"multiple", Value::boolean(true)}},
       "one\nlast"},
      {{{"line", run.text("key=1")},
        {"match", run.text("^key")},
        {"multiple", Value::boolean(true)},
        {"replace_all_matches_not_matching_line", Value::boolean(true)}},
       "one\nkey=1\nkey=1\nlast\n"},
  };
  for (const LineCase& c : cases) {
    run.fake.put_file("/f", before);
    auto attributes = c.attributes;
    attributes.emplace_back("path", run.text("/f"));
    auto handler = make_file_line_handler();
    const auto changes = run.turn(*handler, run.make("file_line", "l", std::move(attributes)));
    const std::string got = !changes.empty() && !changes[0].failure.empty() ? "error: " + changes[0].failure : run.fake.find("/f")->content;
    EXPECT_EQ(got, c.expected);
  }
  auto handler = make_file_line_handler();
  EXPECT_THROW(run.turn(*handler, run.make("file_line", "l", {{"path", run.text("/none")}, {"line", run.text("x")}})), ResourceError);
}

TEST(Concat, OrdersAndTags) {
  FakeRun run;
  auto handler = make_concat_file_handler();
  auto& file = run.make("concat_file", "/c", {{"tag", run.text("t")}, {"mode", run.text("0600")}});
  run.make("concat_fragment", "b", {{"target", run.text("/c")}, {"order", run.text("10")}, {"content", run.text("ten\n")}});
  run.make("concat_fragment", "a", {{"tag", run.text("t")}, {"order", Value::integer(9)}, {"content", run.text("nine\n")}});
  run.make("concat_fragment", "other", {{"target", run.text("/d")}, {"content", run.text("no\n")}});
  run.make("concat_fragment", "c",
           {{"target", run.text("/c")}, {"order", run.text("10")}, {"content", Value::sensitive(run.arena, run.text("secret\n"))}});
  auto made = handler->generate(file, run);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].text("mode"), "0600");
  EXPECT_FALSE(made[0].has("content")); // that comes with the turn
  ManagedResource& whole = run.make("file", "/c");
  ASSERT_EQ(handler->eval_generate(file, run).size(), 1u);
  EXPECT_EQ(whole.text("content"), "nine\nten\nsecret\n");
  EXPECT_TRUE(whole.sensitive("content"));
  file.set("order", run.text("alpha"));
  handler->eval_generate(file, run);
  EXPECT_EQ(whole.text("content"), "ten\nsecret\nnine\n");
}

TEST(Yumrepo, FilesAndWordsForYes) {
  FakeRun run;
  run.fake.put_directory("/etc/yum.repos.d");
  auto handler = make_yumrepo_handler();
  run.turn(*handler,
           run.make("yumrepo", "epel", {{"descr", run.text("EPEL")}, {"baseurl", run.text("http://x/")}, {"enabled", Value::integer(1)}}));
  EXPECT_EQ(run.fake.find("/etc/yum.repos.d/epel.repo")->content, "[epel]\nname=EPEL\nbaseurl=http://x/\nenabled=1\n");
  EXPECT_TRUE(run.turn(*handler, run.make("yumrepo", "epel", {{"enabled", run.text("True")}})).empty());
  const auto changes = run.turn(*handler, run.make("yumrepo", "epel", {{"enabled", Value::integer(0)}, {"baseurl", run.text("absent")}}));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[1].message, "enabled changed '1' to 0");
  EXPECT_EQ(run.fake.find("/etc/yum.repos.d/epel.repo")->content, "[epel]\nname=EPEL\nenabled=0\n");
  run.turn(*handler, run.make("yumrepo", "epel", {{"ensure", run.text("absent")}}));
  EXPECT_FALSE(run.fake.find("/etc/yum.repos.d/epel.repo"));
}

} // namespace
} // namespace pupc::runtime
