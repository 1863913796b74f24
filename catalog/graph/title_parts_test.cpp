#include "catalog/graph/title_parts.h"

#include "catalog/graph/document_parts.h"
#include "catalog/schema/native_types.h"

#include <gtest/gtest.h>

using namespace pupc::catalog;

namespace {

struct TitleParts : testing::Test {
  Catalog catalog;
  Arena& arena = catalog.arena();

  TypeId native(std::string_view name) { return catalog.type_id(name, find_native_type(name)); }
  Param param(std::string_view name, Value value) {
    Param p;
    p.name = intern(name);
    p.value = value;
    return p;
  }
  Value list(std::vector<Value> items) { return make_list(arena, items); }
  /// The key (with NUL shown as |) and its display.
  std::string key(TypeId type, std::string_view title, std::vector<Param> params = {}) {
    UniquenessKey k = uniqueness_key(catalog, type, title, params);
    if (!k.problem.empty()) return k.problem;
    if (k.none()) return "none";
    std::string text = k.key;
    for (char& c : text)
      if (c == '\0') c = '|';
    return text + " " + k.display;
  }
  std::string document(ResourceId id) {
    std::vector<DocumentParam> params;
    document_parameters(catalog, id, params);
    std::string out;
    for (const auto& p : params) out += std::string(p.name.str()) + "=" + (p.value.is_undef() ? "null" : std::string(p.value.str())) + " ";
    return out;
  }
};

TEST_F(TitleParts, KeyOfTheUsualResourceIsItsTitle) {
  EXPECT_EQ(key(native("user"), "x"), "none");
  EXPECT_EQ(key(native("file"), "/x"), "none");
  EXPECT_EQ(key(native("user"), "x", {param("name", Value::string("x"))}), "none");
  EXPECT_EQ(key(native("user"), "x", {param("name", Value::undef())}), "none");
}

TEST_F(TitleParts, KeyOfANamevarThatDiffersFromTheTitle) {
  EXPECT_EQ(key(native("user"), "x", {param("name", Value::string("z"))}), "z \"z\"");
  EXPECT_EQ(key(native("file"), "/x/"), "/x \"/x\"");
  EXPECT_EQ(key(native("file"), "a", {param("path", Value::string("/x"))}), "/x \"/x\"");
}

TEST_F(TitleParts, NameDoesNotStandForAnotherNamevarInKeys) {
  EXPECT_EQ(key(native("file"), "/x", {param("name", Value::string("/q"))}), "none");
}

TEST_F(TitleParts, CompositeKeysAreInTheOrderOfTheirNames) {
  EXPECT_EQ(key(native("package"), "x"), "|nil|\"x\"|nil| nil, \"x\", nil");
  EXPECT_EQ(key(native("package"), "z", {param("name", Value::string("x")), param("provider", Value::string("gem"))}),
            "|nil|\"x\"|\"gem\"| nil, \"x\", \"gem\"");
  EXPECT_EQ(key(native("sshkey"), "h@rsa"), "|\"h\"|\"rsa\"| \"h\", \"rsa\"");
  EXPECT_EQ(key(native("sshkey"), "h"), "|\"h\"|nil| \"h\", nil");
}

TEST_F(TitleParts, TypesThatAreNotIsomorphicHaveNone) {
  EXPECT_EQ(key(native("exec"), "x", {param("command", Value::string("z"))}), "none");
  EXPECT_EQ(key(native("tidy"), "/x", {param("path", Value::string("/z"))}), "none");
}

TEST_F(TitleParts, ValuesThatAreNoStrings) {
  TypeId file = native("file");
  EXPECT_EQ(key(file, "a", {param("path", Value::integer(5))}), "|5| 5");
  EXPECT_EQ(key(file, "a", {param("path", Value::floating(1.5))}), "|1.5| 1.5");
  EXPECT_EQ(key(file, "a", {param("path", Value::boolean(true))}), "|true| true");
  EXPECT_EQ(key(file, "a", {param("path", Value::boolean(false))}), "none");
  EXPECT_EQ(key(file, "a", {param("path", Value::default_value())}), "|:default| :default");
  EXPECT_EQ(key(file, "a", {param("path", list({Value::string("/x")}))}), "/x [\"/x\"]");
  EXPECT_EQ(key(file, "a", {param("path", list({list({Value::string("/x")}), Value::string("/y")}))}),
            "|\"/x\"|\"/y\"| [[\"/x\"], \"/y\"]");
  EXPECT_EQ(key(file, "a", {param("path", list({}))}), "| []");
  HashBuilder hash(arena);
  hash.set("a", Value::integer(1));
  EXPECT_EQ(key(file, "a", {param("path", hash.finish())}), "|{\"a\"=>1}| {\"a\"=>1}");
  ResourceRef ref{"File", "x"};
  EXPECT_EQ(key(file, "a", {param("path", Value::of(&ref))}), "none");
}

TEST_F(TitleParts, SensitiveValuesAreTellApartButNotShown) {
  TypeId file = native("file");
  UniquenessKey x = uniqueness_key(catalog, file, "a", std::vector{param("path", Value::sensitive(arena, Value::string("x")))});
  UniquenessKey y = uniqueness_key(catalog, file, "a", std::vector{param("path", Value::sensitive(arena, Value::string("y")))});
  EXPECT_NE(x.key, y.key);
  EXPECT_EQ(x.display, "#<Sensitive [value redacted]>");
}

TEST_F(TitleParts, StringsAreShownAsRubyInspectsThem) {
  EXPECT_EQ(uniqueness_key(catalog, native("file"), "a", std::vector{param("path", Value::string("a\"b#{x}\n\u00e9\t\x01#x\\"))}).display,
            "\"a\\\"b\\#{x}\\n\u00e9\\t\\u0001#x\\\\\"");
}

TEST_F(TitleParts, DefinesAndClassesHaveTheAttributeName) {
  TypeId foo = catalog.type_id("foo");
  EXPECT_EQ(key(foo, "x"), "none");
  EXPECT_EQ(key(foo, "aa", {param("name", Value::string("x"))}), "x \"x\"");
  EXPECT_EQ(namevar_of(catalog, foo), sym::name);
  EXPECT_EQ(key(Catalog::stage_type, "main"), "none");
}

TEST_F(TitleParts, ProblemsOfTitles) {
  EXPECT_EQ(key(native("file"), ""), "No set of title patterns matched the title \"\".");
  std::vector<TitlePart> parts;
  EXPECT_FALSE(parse_title(catalog, native("sshkey"), "", parts));
}

TEST_F(TitleParts, Attributes) {
  TypeId package = native("package");
  EXPECT_TRUE(native_parameter(catalog, package, sym::ensure));
  EXPECT_FALSE(native_parameter(catalog, package, sym::content));
  EXPECT_FALSE(native_parameter(catalog, Catalog::stage_type, sym::content));
}

TEST_F(TitleParts, FindsResourcesByWhatTheirTitleStandsFor) {
  TypeId file = native("file");
  ResourceId x = catalog.add(file, "/x", ResourceKind::CompilableType);
  ResourceId y = catalog.add(file, "/y/", ResourceKind::CompilableType);
  EXPECT_TRUE(catalog.add_alias(y, uniqueness_key(catalog, file, "/y/", {}).key));
  EXPECT_EQ(find_resource(catalog, file, "/x/"), x);
  EXPECT_EQ(find_resource(catalog, file, "/x"), x);
  EXPECT_EQ(find_resource(catalog, file, "/y"), y);
  EXPECT_EQ(find_resource(catalog, file, "/y//"), y);
  EXPECT_EQ(find_resource(catalog, file, "/z/"), no_resource);
}

TEST_F(TitleParts, OfTheDocument) {
  ResourceId file = catalog.add(native("file"), "/X/ab-c/", ResourceKind::CompilableType);
  EXPECT_EQ(document(file), "path=/X/ab-c ");
  ResourceId plain = catalog.add(native("file"), "/X", ResourceKind::CompilableType);
  EXPECT_EQ(document(plain), "");
  ResourceId named = catalog.add(native("file"), "aa", ResourceKind::CompilableType);
  catalog.set_param(named, param("mode", Value::string("0644")));
  catalog.set_param(named, param("name", Value::string("/q")));
  EXPECT_EQ(document(named), "path=/q mode=0644 ");
  ResourceId package = catalog.add(native("package"), "x", ResourceKind::CompilableType);
  catalog.set_param(package, param("provider", Value::string("gem")));
  EXPECT_EQ(document(package), "provider=gem ");
}

TEST_F(TitleParts, GroupsThatTookNoPartAreNullInTheDocument) {
  static constexpr AttributeSchema attributes[] = {{"name", AttributeKind::Parameter, true}, {"other", AttributeKind::Parameter, true}};
  static constexpr std::string_view both[] = {"name", "other"};
  static constexpr TitlePatternSchema patterns[] = {{"^(a+)(b+)?$", 0, both}};
  ResourceTypeInfo info(
      {.name = "opt", .origin = TypeOrigin::Module, .attributes = attributes, .title_patterns = patterns, .own_title_patterns = true});
  TypeId opt = catalog.type_id("opt", &info);
  EXPECT_EQ(document(catalog.add(opt, "aa", ResourceKind::CompilableType)), "other=null ");
  EXPECT_EQ(document(catalog.add(opt, "aab", ResourceKind::CompilableType)), "name=aa other=b ");
}

} // namespace
