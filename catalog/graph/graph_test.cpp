#include "catalog/graph/catalog.h"
#include "catalog/graph/tags.h"

#include <gtest/gtest.h>

using namespace pupc::catalog;

namespace {

std::vector<std::string> tags_of(const Catalog& c, ResourceId id) {
  std::vector<std::string> out;
  for (TagId t : c[id].tag_ids()) out.emplace_back(c.tag_text(t));
  return out;
}
using Texts = std::vector<std::string>;

} // namespace

TEST(Tags, Valid) {
  EXPECT_TRUE(valid_tag("a"));
  EXPECT_TRUE(valid_tag("_a::b.c-d"));
  EXPECT_TRUE(valid_tag("1"));
  EXPECT_TRUE(valid_tag("a\n"));
  EXPECT_TRUE(valid_tag("\u00fcber\n"));
  EXPECT_FALSE(valid_tag("a\n\n"));
  EXPECT_FALSE(valid_tag("\n"));
  EXPECT_TRUE(valid_tag("über"));
  EXPECT_FALSE(valid_tag(""));
  EXPECT_FALSE(valid_tag("/etc"));
  EXPECT_FALSE(valid_tag("a b"));
  EXPECT_FALSE(valid_tag("-a"));
}

TEST(Tags, CapitalizeSegments) {
  EXPECT_EQ(capitalize_segments("apache::mod::ssl"), "Apache::Mod::Ssl");
  EXPECT_EQ(capitalize_segments("ini_setting"), "Ini_setting");
  EXPECT_EQ(capitalize_segments("fooBar"), "Foobar");
  EXPECT_EQ(capitalize_segments("Foo::bar"), "Foo::bar"); // a name that begins with a capital stays unchanged
}

TEST(Tags, SplitReference) {
  std::string_view type, title;
  ASSERT_TRUE(split_reference("File[/a[1]]", type, title));
  EXPECT_EQ(type, "File");
  EXPECT_EQ(title, "/a[1]");
  EXPECT_FALSE(split_reference("File", type, title));
  EXPECT_FALSE(split_reference("File[]", type, title));
  EXPECT_FALSE(split_reference("[x]", type, title));
}

TEST(Tags, Downcase) { EXPECT_EQ(downcase_name("ÄÖÜ Ж Aß"), "äöü ж aß"); }

TEST(Catalog, FindsByTitleAndAlias) {
  Catalog c;
  TypeId file = c.type_id("file");
  ResourceId a = c.add(file, "/a", ResourceKind::CompilableType);
  EXPECT_EQ(c.add(file, "/a", ResourceKind::CompilableType), no_resource);
  EXPECT_EQ(c.find(file, "/a"), a);
  EXPECT_EQ(c.find(file, "/b"), no_resource);
  EXPECT_TRUE(c.add_alias(a, "x"));
  EXPECT_TRUE(c.add_alias(a, "x")); // adding it again changes nothing
  EXPECT_EQ(c.find(file, "x"), a);
  ResourceId b = c.add(file, "/b", ResourceKind::CompilableType);
  EXPECT_FALSE(c.add_alias(b, "x"));
  EXPECT_EQ(c.reference(b), "File[/b]");
}

TEST(Catalog, ManyResourcesKeepTheirIds) {
  Catalog c;
  TypeId t = c.type_id("notify");
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(c.add(t, std::to_string(i), ResourceKind::CompilableType), static_cast<ResourceId>(i));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(c.find(t, std::to_string(i)), static_cast<ResourceId>(i));
}

TEST(Catalog, TagsKeepOrderAndSplit) {
  Catalog c;
  ResourceId a = c.add(Catalog::class_type, "Apache::Mod", ResourceKind::Unknown);
  EXPECT_TRUE(c.tag(a, "class"));
  EXPECT_TRUE(c.tag(a, "Apache::Mod"));
  EXPECT_FALSE(c.tag(a, "no tag"));
  EXPECT_EQ(tags_of(c, a), (Texts{"class", "apache::mod", "apache", "mod"}));
  ResourceId b = c.add(c.type_id("file"), "/x", ResourceKind::CompilableType);
  c.tag(b, "file");
  c.tag(b, "apache");
  c.merge_tags(b, a);
  EXPECT_EQ(tags_of(c, b), (Texts{"file", "apache", "class", "apache::mod", "mod"}));
}

TEST(Catalog, ClassesTagTheCatalog) {
  Catalog c;
  c.add_class("settings");
  c.add_class("a::b");
  Texts got;
  for (TagId t : c.tags()) got.emplace_back(c.tag_text(t));
  EXPECT_EQ(got, (Texts{"settings", "a::b", "a", "b"}));
}

TEST(Catalog, ParametersReplaceInPlace) {
  Catalog c;
  ResourceId a = c.add(c.type_id("file"), "/x", ResourceKind::CompilableType);
  auto set = [&](Symbol name, int64_t v) {
    Param p;
    p.name = name;
    p.value = Value::integer(v);
    c.set_param(a, p);
  };
  set(sym::ensure, 1);
  set(sym::path, 2);
  set(sym::ensure, 3);
  ASSERT_EQ(c[a].param_count, 2u);
  EXPECT_EQ(c[a].params[0].name, sym::ensure);
  EXPECT_EQ(c[a].params[0].value.i, 3);
}

TEST(Catalog, EdgesByTarget) {
  Catalog c;
  ResourceId m = c.add(Catalog::class_type, "main", ResourceKind::Unknown);
  ResourceId k = c.add(Catalog::class_type, "K", ResourceKind::Unknown);
  ResourceId f = c.add(c.type_id("file"), "/x", ResourceKind::CompilableType);
  c.add_edge(k, f);
  c.add_edge(m, k);
  auto edges = c.edges_by_target();
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].to, k);
  EXPECT_EQ(edges[1].to, f);
  EXPECT_TRUE(c.contains_class(m, k));
  EXPECT_FALSE(c.contains_class(k, m));
  std::vector<uint32_t> starts;
  std::vector<ResourceId> targets;
  c.children(starts, targets);
  EXPECT_EQ(starts[m + 1] - starts[m], 1u);
  EXPECT_EQ(targets[starts[k]], f);
}
