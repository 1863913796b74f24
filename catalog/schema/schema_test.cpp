#include "catalog/schema/attribute_values.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

using namespace pupc::catalog;

namespace {

/// The parts of a title as "name=value other=nil", or "no" when no pattern matches.
std::string split(const ResourceTypeInfo& type, std::string_view title) {
  std::vector<TitlePart> parts;
  if (!type.split_title(title, parts)) return "no";
  std::string out;
  for (const auto& p : parts) {
    if (!out.empty()) out += ' ';
    out += std::string(p.name.str()) + "=" + (p.absent ? "nil" : std::string(p.value));
  }
  return out;
}

std::string names(std::span<const Symbol> symbols) {
  std::string out;
  for (Symbol s : symbols) out += (out.empty() ? "" : " ") + std::string(s.str());
  return out;
}

TEST(NativeTypes, KnowsTheTypesOfTheReferenceAndItsModules) {
  for (const char* name : {"component", "exec", "file", "filebucket", "group", "notify", "package", "resources", "schedule", "service",
                           "stage", "tidy", "user", "whit"}) {
    const ResourceTypeInfo* t = find_native_type(name);
    ASSERT_TRUE(t) << name;
    EXPECT_EQ(t->name(), name);
    EXPECT_EQ(t->origin(), TypeOrigin::Core);
    EXPECT_TRUE(t->dynamic().empty());
  }
  for (const char* name : {"augeas", "cron", "host", "mailalias", "mount", "selboolean", "selmodule", "ssh_authorized_key", "sshkey",
                           "yumrepo", "zfs", "zone", "zpool"}) {
    ASSERT_TRUE(find_native_type(name)) << name;
    EXPECT_EQ(find_native_type(name)->origin(), TypeOrigin::CoreModule);
  }
  EXPECT_FALSE(find_native_type("File"));
  EXPECT_FALSE(find_native_type("nagios_host"));
  EXPECT_FALSE(find_native_type(""));
  EXPECT_FALSE(find_native_type("zzz"));
}

TEST(NativeTypes, EveryTypeHasANamevarAndNoAttributeTwice) {
  for (auto name : native_type_names()) {
    const ResourceTypeInfo* t = find_native_type(name);
    EXPECT_FALSE(t->namevars().empty()) << name;
    for (const auto& a : t->attributes()) EXPECT_EQ(t->find(a.name), &a) << name << "." << a.name.str();
    EXPECT_TRUE(t->dynamic_titles().empty()) << t->dynamic_titles();
  }
}

TEST(NativeTypes, TellsAttributesApart) {
  const ResourceTypeInfo& file = *find_native_type("file");
  ASSERT_TRUE(file.find(intern("mode")));
  EXPECT_EQ(file.find(intern("mode"))->kind, AttributeKind::Property);
  EXPECT_EQ(file.find(intern("backup"))->kind, AttributeKind::Parameter);
  EXPECT_FALSE(file.find(intern("require")));
  EXPECT_TRUE(file.valid_attribute(intern("require")));
  EXPECT_TRUE(file.valid_attribute(intern("mode")));
  EXPECT_TRUE(file.valid_attribute(intern("name"))) << "not its own, but Puppet::Type accepts it always";
  EXPECT_FALSE(file.find(intern("name")));
  EXPECT_FALSE(file.valid_attribute(intern("frobnicate")));
  EXPECT_FALSE(file.valid_attribute(intern("title")));
  EXPECT_FALSE(file.valid_attribute(intern("export")));
  EXPECT_FALSE(file.valid_attribute(intern("consume")));
  EXPECT_TRUE(file.valid_attribute(intern("only_if")));
}

TEST(NativeTypes, NamevarsAndUniqueness) {
  EXPECT_EQ(names(find_native_type("file")->namevars()), "path");
  EXPECT_EQ(find_native_type("file")->namevar().str(), "path");
  EXPECT_EQ(names(find_native_type("package")->namevars()), "name provider command");
  EXPECT_EQ(names(find_native_type("package")->key_attributes()), "command name provider");
  EXPECT_EQ(find_native_type("package")->namevar().str(), "name");
  EXPECT_EQ(names(find_native_type("sshkey")->namevars()), "type name");
  EXPECT_EQ(names(find_native_type("exec")->namevars()), "command");
  EXPECT_FALSE(find_native_type("exec")->isomorphic());
  EXPECT_FALSE(find_native_type("tidy")->isomorphic());
  EXPECT_TRUE(find_native_type("file")->isomorphic());
}

TEST(Titles, OfFilesLoseTrailingSlashes) {
  const ResourceTypeInfo& file = *find_native_type("file");
  EXPECT_EQ(split(file, "/a/b"), "path=/a/b");
  EXPECT_EQ(split(file, "/a/b/"), "path=/a/b");
  EXPECT_EQ(split(file, "/a/b///"), "path=/a/b");
  EXPECT_EQ(split(file, "/"), "path=/");
  EXPECT_EQ(split(file, "///"), "path=/");
  EXPECT_EQ(split(file, "c:/"), "path=c:/");
  EXPECT_EQ(split(file, "c:/x/"), "path=c:/x");
  EXPECT_EQ(split(file, "x"), "path=x");
  EXPECT_EQ(split(file, "a\n"), "path=a\n");
  EXPECT_EQ(split(file, ""), "no");
}

TEST(Titles, FilesShortCutAgreesWithThePattern) {
  const ResourceTypeInfo& file = *find_native_type("file");
  const Regex pattern(R"(^(/|.+:/|.*[^/])/*\Z)", false, false, true);
  const char alphabet[] = {'/', 'a', ':', '\n'};
  for (int length = 1; length <= 6; ++length) {
    int count = 1;
    for (int i = 0; i < length; ++i) count *= 4;
    for (int n = 0; n < count; ++n) {
      std::string title;
      for (int i = 0, rest = n; i < length; ++i, rest /= 4) title += alphabet[rest % 4];
      MatchResult m = pattern.search(title);
      std::string expected = "no";
      if (m.matched)
        expected = "path=" + title.substr(static_cast<size_t>(m.groups[1].begin), static_cast<size_t>(m.groups[1].end - m.groups[1].begin));
      EXPECT_EQ(split(file, title), expected);
    }
  }
}

TEST(Titles, WholeTitleIsTheNamevar) {
  EXPECT_TRUE(find_native_type("user")->title_is_namevar());
  EXPECT_TRUE(find_native_type("package")->title_is_namevar());
  EXPECT_FALSE(find_native_type("file")->title_is_namevar());
  EXPECT_EQ(split(*find_native_type("user"), "a\nb"), "name=a\nb");
  EXPECT_EQ(split(*find_native_type("exec"), "/bin/true x"), "command=/bin/true x");
  EXPECT_EQ(split(*find_native_type("user"), ""), "name=");
}

TEST(Titles, CompositePatterns) {
  const ResourceTypeInfo& sshkey = *find_native_type("sshkey");
  EXPECT_EQ(split(sshkey, "host@rsa"), "name=host type=rsa");
  EXPECT_EQ(split(sshkey, "host"), "name=host");
  EXPECT_EQ(split(sshkey, "a@b@c"), "name=a type=b@c");
  EXPECT_EQ(split(sshkey, "@"), "name= type=");
}

TEST(Titles, GroupsThatTakeNoPartAreAbsent) {
  static constexpr AttributeSchema attributes[] = {{"name", AttributeKind::Parameter, true}, {"other", AttributeKind::Parameter, true}};
  static constexpr std::string_view both[] = {"name", "other", "third"};
  static constexpr TitlePatternSchema patterns[] = {{"^(a+)(b+)?$", 0, both}};
  ResourceTypeInfo type(
      {.name = "opt", .origin = TypeOrigin::Module, .attributes = attributes, .title_patterns = patterns, .own_title_patterns = true});
  EXPECT_EQ(split(type, "aab"), "name=aa other=b third=nil");
  EXPECT_EQ(split(type, "aa"), "name=aa other=nil third=nil");
  EXPECT_EQ(split(type, "c"), "no");
  EXPECT_EQ(type.title_problem("c"), "No set of title patterns matched the title \"c\".");
}

TEST(Titles, AnAttributeNamedTwiceTakesTheLastValue) {
  static constexpr AttributeSchema attributes[] = {{"name", AttributeKind::Parameter, true}};
  static constexpr std::string_view twice[] = {"name", "x", "name"};
  static constexpr TitlePatternSchema patterns[] = {{"^(.)(.)(.)$", 0, twice}};
  ResourceTypeInfo type({.name = "t", .attributes = attributes, .title_patterns = patterns, .own_title_patterns = true});
  EXPECT_EQ(split(type, "abc"), "name=c x=b");
}

TEST(Titles, TypesThatCannotSplitThem) {
  static constexpr AttributeSchema two[] = {{"name", AttributeKind::Parameter, true}, {"other", AttributeKind::Parameter, true}};
  ResourceTypeInfo unspecified({.name = "two", .origin = TypeOrigin::Module, .attributes = two});
  EXPECT_EQ(split(unspecified, "x"), "no");
  EXPECT_EQ(unspecified.title_problem("x"), "you must specify title patterns when there are two or more key attributes");
  static constexpr AttributeSchema none[] = {{"third", AttributeKind::Property}};
  ResourceTypeInfo no_namevar({.name = "zero", .origin = TypeOrigin::Module, .attributes = none});
  EXPECT_EQ(split(no_namevar, "x"), "no");
  EXPECT_EQ(no_namevar.title_problem("x"), "No set of title patterns matched the title \"x\".");
  EXPECT_EQ(no_namevar.namevar().str(), "name");
}

TEST(Titles, InvalidPatternMakesThemDynamic) {
  static constexpr AttributeSchema attributes[] = {{"name", AttributeKind::Parameter, true}};
  static constexpr std::string_view name[] = {"name"};
  static constexpr TitlePatternSchema patterns[] = {{"(", 0, name}};
  ResourceTypeInfo type({.name = "t", .attributes = attributes, .title_patterns = patterns, .own_title_patterns = true});
  EXPECT_NE(type.dynamic_titles().find("invalid title pattern /(/"), std::string::npos);
  EXPECT_EQ(split(type, "x"), "name=x");
}

TEST(Types, DynamicOnesAcceptAnyAttribute) {
  ResourceTypeInfo type({.name = "t", .origin = TypeOrigin::Module, .dynamic = "a mixin"});
  EXPECT_TRUE(type.valid_attribute(intern("whatever")));
  EXPECT_EQ(type.dynamic(), "a mixin");
}

TEST(Types, GeneratedOnesHaveNoImpliedName) {
  static constexpr AttributeSchema attributes[] = {{"path", AttributeKind::Parameter, true}};
  ResourceTypeInfo type({.name = "t", .origin = TypeOrigin::Generated, .attributes = attributes});
  EXPECT_FALSE(type.valid_attribute(sym::name));
}

TEST(Metaparameters, AreTheReferencesAndOurGuards) {
  std::string all;
  for (Symbol m : metaparameters()) all += std::string(m.str()) + " ";
  EXPECT_EQ(all, "noop schedule audit loglevel alias tag require subscribe before notify stage ");
  EXPECT_EQ(names(guard_metaparameters()), "only_if not_if guard_interpreter");
  EXPECT_TRUE(is_metaparameter(sym::require));
  EXPECT_TRUE(is_metaparameter(sym::only_if));
  EXPECT_FALSE(is_guard_metaparameter(sym::require));
  EXPECT_TRUE(is_guard_metaparameter(intern("not_if")));
  EXPECT_FALSE(is_metaparameter(intern("ensure")));
  EXPECT_FALSE(is_metaparameter(Symbol{}));
}

TEST(Extensions, ScriptTypesAndNodeAttribute) {
  for (const char* name : {"script", "bash", "csh", "ksh", "zsh", "perl", "python", "ruby", "powershell_script", "batch"}) {
    ASSERT_TRUE(find_native_type(name)) << name;
    EXPECT_EQ(find_native_type(name)->origin(), TypeOrigin::Extension);
    EXPECT_TRUE(is_script_type(name));
    EXPECT_TRUE(find_native_type(name)->find(intern("code")));
    bool windows = std::string_view(name) == "powershell_script" || std::string_view(name) == "batch";
    EXPECT_EQ(find_native_type(name)->find(intern("architecture")) != nullptr, windows);
  }
  EXPECT_TRUE(find_native_type("powershell_script")->find(intern("convert_boolean_return")));
  EXPECT_FALSE(find_native_type("batch")->find(intern("convert_boolean_return")));
  EXPECT_TRUE(find_native_type("node_attribute")->find(intern("value")));
  EXPECT_FALSE(is_script_type("exec"));
  EXPECT_FALSE(is_script_type("node_attribute"));
}

TEST(NativeTypes, MayBeAskedForFromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<const ResourceTypeInfo*> seen(8);
  for (size_t i = 0; i < seen.size(); ++i) threads.emplace_back([&seen, i] { seen[i] = find_native_type("zpool"); });
  for (auto& t : threads) t.join();
  for (auto* t : seen) EXPECT_EQ(t, seen[0]);
}

TEST(ResourceTypeInfo, AsksForItsProviderOnceAndOnlyWhenNeeded) {
  const AttributeSchema attributes[] = {{"name", AttributeKind::Parameter, true}, {"size", AttributeKind::Property, false}};
  for (const bool has_provider : {true, false}) {
    int asked = 0;
    ResourceTypeInfo type({.name = "t", .origin = TypeOrigin::Module, .attributes = attributes}, nullptr, [&] {
      ++asked;
      return has_provider;
    });
    EXPECT_TRUE(type.find(intern("size")));
    EXPECT_FALSE(type.find(intern("weight")));
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(type.find(sym::provider) != nullptr, has_provider);
    EXPECT_EQ(type.valid_attribute(sym::provider), has_provider);
    EXPECT_EQ(type.attributes().size(), has_provider ? 3u : 2u);
    EXPECT_EQ(asked, 1);
  }
}

TEST(NativeTypes, EachTypeAndAttributeHasItsManual) {
  for (const std::string_view name : native_type_names()) {
    EXPECT_TRUE(type_manual(name).summary.ends_with('.')) << name;
    for (const auto& a : find_native_type(name)->attributes()) {
      const NativeAttribute* attribute = find_native_attribute(name, a.name.str());
      ASSERT_NE(attribute, nullptr) << name << " " << a.name.str();
      EXPECT_TRUE(attribute->text.ends_with('.') || attribute->text.ends_with('\'')) << name << " " << a.name.str();
      const bool read_only = attribute->text.find("ead only") != std::string_view::npos;
      EXPECT_EQ(manual_values(*attribute).empty(), read_only) << name << " " << a.name.str() << " has no values";
    }
  }
  for (const auto names : {metaparameters(), guard_metaparameters()})
    for (const Symbol name : names) EXPECT_FALSE(metaparameter_manual(name).empty()) << name.str();
}

// A row below a type that the table has not would be one that nobody finds.
TEST(NativeTypes, EveryRowBelongsToAType) {
  for (const NativeAttribute& row : all_native_attributes()) {
    // powershell_script has all attributes of the script types.
    const ResourceTypeInfo* type = find_native_type(row.type == "script" ? "powershell_script" : row.type);
    ASSERT_NE(type, nullptr) << row.type;
    EXPECT_NE(type->find(intern(row.name)), nullptr) << row.type << " " << row.name;
  }
  EXPECT_EQ(find_native_attribute("bash", "architecture"), nullptr);
  EXPECT_NE(find_native_attribute("batch", "architecture"), nullptr);
  EXPECT_EQ(find_native_attribute("batch", "convert_boolean_return"), nullptr);
}

TEST(AllowedValues, AreNamesOtherNamesAndPatterns) {
  const AllowedValues values("present=installed=there absent /^[0-9]+$/");
  for (const std::string_view allowed : {"present", "installed", "there", "absent", "12"}) EXPECT_TRUE(values.allows(allowed)) << allowed;
  for (const std::string_view other : {"", "Present", "1a", "present=installed"}) EXPECT_FALSE(values.allows(other)) << other;
  EXPECT_FALSE(values.closed());
  EXPECT_EQ(values.refusal("\"x\"", "ensure"), "Invalid value \"x\". Valid values are present, absent. Valid values match /^[0-9]+$/.");
}

TEST(AllowedValues, OfABooleanHaveAnyCase) {
  const AllowedValues values("boolean");
  EXPECT_TRUE(values.closed());
  for (const std::string_view allowed : {"true", "YES", "No"}) EXPECT_TRUE(values.allows(allowed)) << allowed;
  EXPECT_FALSE(values.allows("1"));
  EXPECT_EQ(values.refusal("1", "purge"), "Munging failed for value 1 in class purge: expected a boolean value");
}

TEST(AllowedValues, MayBeLeftToTheType) {
  EXPECT_TRUE(AllowedValues("~reboot daily").left_to_type());
  EXPECT_TRUE(AllowedValues("~reboot daily").allows("reboot"));
  EXPECT_TRUE(AllowedValues("").any());
  EXPECT_TRUE(AllowedValues("").allows("x"));
  EXPECT_TRUE(allowed_values(*find_native_attribute("package", "ensure")).allows("installed"));
  EXPECT_EQ(manual_values(*find_native_attribute("cron", "ensure")), "present, absent");
}

TEST(AttributeValues, FileModes) {
  for (const char* mode : {"7", "0644", "01755", "644", "a=rX,ug+w", "=", "u=g", "u+x,=r"}) EXPECT_TRUE(valid_file_mode(mode)) << mode;
  for (const char* mode : {"", "999", "11755", "rwx", "u=rwz", "a=r,", ",", "u"}) EXPECT_FALSE(valid_file_mode(mode)) << mode;
  EXPECT_TRUE(octal_file_mode("0644"));
  EXPECT_FALSE(octal_file_mode("u=rw"));
}

TEST(AttributeValues, AChecksumIsADigestOfItsKind) {
  const std::string md5(32, 'a'), sha1(40, '0'), sha256(64, 'F');
  EXPECT_EQ(algorithm_of_digest(md5), "md5");
  EXPECT_EQ(algorithm_of_digest(std::string(56, 'a')), "sha224");
  for (const std::string& text : {std::string(), std::string(31, 'a'), std::string(32, 'g'), "{md5}" + md5})
    EXPECT_EQ(algorithm_of_digest(text), "");
  EXPECT_TRUE(valid_checksum("md5", md5));
  EXPECT_TRUE(valid_checksum("md5lite", md5));
  EXPECT_TRUE(valid_checksum("sha1", sha1));
  EXPECT_TRUE(valid_checksum("sha256", sha256));
  EXPECT_TRUE(valid_checksum("mtime", "2024-01-01"));
  EXPECT_TRUE(valid_checksum("none", ""));
  EXPECT_FALSE(valid_checksum("sha256", md5));
  EXPECT_FALSE(valid_checksum("sha1lite", sha256));
  EXPECT_FALSE(valid_checksum("sha256", "{sha256}" + sha256));
  EXPECT_FALSE(valid_checksum("none", md5));
  EXPECT_FALSE(valid_checksum("sha256", ""));
}

} // namespace
