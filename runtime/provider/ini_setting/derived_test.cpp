#include "runtime/provider/handlers.h"
#include "runtime/provider/ini_setting/derived_type.h"
#include "runtime/provider/ini_setting/many_values_file.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

constexpr std::string_view many_provider = R"(Puppet::Type.type(:a_config).provide(
  :openstackconfig,
  # of openstacklib
  :parent => Puppet::Type.type(:openstack_config).provider(:ruby)
) do

  def self.file_path
    '/etc/a/a.conf'
  end

  def file_path
    self.class.file_path
  end

end
)";
constexpr std::string_view type_text = R"(Puppet::Type.newtype(:a_config) do
  ensurable
  newproperty(:value, :array_matching => :all) do
    munge do |value|
      value = value.to_s.strip
      value.capitalize! if value =~ /^(true|false)$/i
      value
    end
  end
  newparam(:ensure_absent_val) do
    desc 'x'
    defaultto('<NONE>')
  end
  autorequire(:anchor) do
    ['a::install::end']
  end
end
)";

TEST(DerivedIni, ReadsPlainTypes) {
  auto t = read_derived_ini_type(many_provider, type_text);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->path, "/etc/a/a.conf");
  EXPECT_TRUE(t->many_values && t->capitalize && t->absent_value && t->section_in_name);
  EXPECT_EQ(t->absent_text, "<NONE>");
  ASSERT_EQ(t->requires_.size(), 1u);
  EXPECT_EQ(t->requires_[0].second, "a::install::end");
}

TEST(DerivedIni, RefusesWhatItCannotRead) {
  std::string more(many_provider);
  more.insert(more.rfind("end"), "  def create\n    if true\n      system('x')\n    end\n  end\n");
  EXPECT_FALSE(read_derived_ini_type(more, type_text));
  std::string computed(many_provider);
  computed.replace(computed.find("'/etc/a/a.conf'"), 15, "\"#{base}/a.conf\"");
  EXPECT_FALSE(read_derived_ini_type(computed, type_text));
  EXPECT_FALSE(read_derived_ini_type("Puppet::Type.type(:x).provide(:ruby) do\nend\n", type_text));
  // A plain child of ini_setting that does not define its section and setting.
  EXPECT_FALSE(read_derived_ini_type("Puppet::Type.type(:x).provide(:y, :parent => Puppet::Type.type(:ini_setting).provider(:ruby)) "
                                     "do\ndef self.file_path\n'/x'\nend\nend\n",
                                     ""));
}

TEST(DerivedIni, ManyValues) {
  FakeRun run;
  run.fake.put_file("/etc/a/a.conf", "[DEFAULT]\n#debug = x\nm = 1\nm = 2\n\n[b]\nk=v\n", 0640, 7, 8);
  auto turn = [&](const char* name, Value value, const char* ensure = "present") {
    auto handler = make_derived_ini_handler(*read_derived_ini_type(many_provider, type_text), "a_config");
    auto changes = run.turn(*handler, run.make("a_config", name, {{"value", value}, {"ensure", run.text(ensure)}}));
    return changes.empty() ? std::string() : changes[0].failure.empty() ? changes[0].message : changes[0].failure;
  };
  EXPECT_EQ(turn("DEFAULT/debug", Value::boolean(true)), "created");
  EXPECT_EQ(turn("DEFAULT/debug", run.text("True")), "");
  EXPECT_EQ(turn("DEFAULT/m", run.list({"2", "3"})), "value changed [\"1\", \"2\"] to [\"2\", \"3\"]");
  EXPECT_EQ(turn("DEFAULT/m", run.list({"3", "2"})), "");
  EXPECT_EQ(turn("b/k", run.text("<NONE>")), "removed");
  EXPECT_EQ(turn("c/n", run.text("1")), "created");
  EXPECT_EQ(turn("c/o", run.text("<_IMMUTABLE_>")), "");
  EXPECT_EQ(run.fake.find("/etc/a/a.conf")->content, "[DEFAULT]\n#debug = x\ndebug=True\nm=3\nm = 2\n\n[b]\n[c]\nn=1\n");
  EXPECT_EQ(run.fake.find("/etc/a/a.conf")->status.uid, 7u);
  auto handler = make_derived_ini_handler(*read_derived_ini_type(many_provider, type_text), "a_config");
  auto all = handler->instances(run);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[2].reference(), "A_config[c/n]");
  auto& secret = run.make("a_config", "c/n", {{"value", run.text("2")}, {"secret", Value::boolean(true)}});
  EXPECT_EQ(run.turn(*handler, secret)[0].message, "value changed [old secret redacted] to [new secret redacted]");
  EXPECT_THROW(run.turn(*handler, run.make("a_config", "noslash", {{"value", run.text("2")}})), ResourceError);
}

struct WordCase {
  const char* before;
  std::vector<std::pair<std::string, Value>> attributes;
  const char* after;
};

TEST(IniSubsetting, Words) {
  FakeRun run;
  const WordCase cases[] = {
      {"JAVA = \"-Xmx1 -d\"\n", {{"subsetting", run.text("-Xmx")}, {"value", run.text("512m")}}, "JAVA = \"-Xmx512m -d\"\n"},
      {"JAVA = \"-Xmx1 -d\"\n", {{"subsetting", run.text("-d")}, {"ensure", run.text("absent")}}, "JAVA = \"-Xmx1\"\n"},
      {"JAVA = -d\n", {{"subsetting", run.text("-d")}, {"ensure", run.text("absent")}}, "JAVA = \n"},
      {"JAVA = -d\nB = 1\n",
       {{"subsetting", run.text("-d")}, {"ensure", run.text("absent")}, {"delete_if_empty", Value::boolean(true)}},
       "B = 1\n"},
      {"", {{"subsetting", run.text("-x")}, {"value", run.text("1")}, {"quote_char", run.text("'")}}, "JAVA = '-x1'\n"},
      {"JAVA = a,b\n",
       {{"subsetting", run.text("c")},
        {"subsetting_separator", run.text(",")},
        {"use_exact_match", Value::boolean(true)},
        {"insert_type", run.text("start")}},
       "JAVA = c,a,b\n"},
      {"JAVA = a b\n",
       {{"subsetting", run.text("c")}, {"insert_type", run.text("after")}, {"insert_value", run.text("a")}},
       "JAVA = a c b\n"},
      {"JAVA = a b\n",
       {{"subsetting", run.text("c")}, {"insert_type", run.text("before")}, {"insert_value", run.text("b")}},
       "JAVA = a c b\n"},
      {"JAVA = a b\n",
       {{"subsetting", run.text("c")}, {"insert_type", run.text("index")}, {"insert_value", Value::integer(1)}},
       "JAVA = a c b\n"},
      {"JAVA = k:v\n",
       {{"subsetting", run.text("k")}, {"subsetting_key_val_separator", run.text(":")}, {"value", run.text("w")}},
       "JAVA = k:w\n"},
  };
  for (const WordCase& c : cases) {
    run.fake.put_file("/f", c.before);
    auto attributes = c.attributes;
    attributes.emplace_back("path", run.text("/f"));
    attributes.emplace_back("setting", run.text("JAVA"));
    auto handler = make_ini_subsetting_handler();
    auto& r = run.make("ini_subsetting", "x", std::move(attributes));
    EXPECT_EQ(run.turn(*handler, r).size(), 1u) << c.before;
    EXPECT_EQ(run.fake.find("/f")->content, c.after);
    EXPECT_TRUE(run.turn(*handler, r).empty()) << c.after;
  }
}

} // namespace
} // namespace pupc::runtime
