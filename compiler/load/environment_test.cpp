#include "compiler/load/environment.h"

#include "catalog/base/log.h"
#include "catalog/formats/data_file.h"
#include "compiler/load/facts_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;

/// A directory that the test deletes at its end.
class Tree {
public:
  Tree() {
    std::string pattern = (fs::temp_directory_path() / "pupc-load-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
  }
  ~Tree() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  void add(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(root + "/" + path).parent_path());
    std::ofstream(root + "/" + path, std::ios::binary) << text;
  }
  std::string root;
  std::vector<std::shared_ptr<const Environment>> opened; // places of errors point into an environment's texts, so it must outlive them
};

std::shared_ptr<const Environment> with_modules(Tree& t, std::string code = "") {
  EnvironmentOptions options;
  options.modulepath = {t.root + "/modules", t.root + "/more"};
  options.code = std::move(code);
  return t.opened.emplace_back(open_environment(options));
}

/// Puppet's text of the error that `f` throws; ROOT replaces the tree's directory.
template <class F> std::string error_of(const Tree& t, F f) {
  try {
    f();
    return "no error";
  } catch (const CompileError& e) {
    std::string s = e.diagnostic.puppet_text();
    for (size_t at = 0; (at = s.find(t.root, at)) != std::string::npos;) s.replace(at, t.root.size(), "ROOT");
    return s;
  }
}

/// Whether this build has the static checks (a build without them accepts everything).
bool checker_works() {
  Tree t;
  return error_of(t, [&] { with_modules(t, "1 2 $x = 3")->main_manifests(nullptr); }) != "no error";
}

std::string name_of_entry(const DefinitionEntry* e) { return e ? std::string(e->definition->name.str()) : "none"; }

TEST(Environment, FindsModulesByTheirNames) {
  Tree t;
  t.add("modules/alpha/manifests/init.pp", "class alpha {}");
  t.add("more/alpha/manifests/init.pp", "class alpha { notice('other') }");
  t.add("more/beta/metadata.json",
        R"({"name": "x-beta", "version": "1.2.3", "source": "s", "author": "a", "license": "l", "dependencies": [{"name": "x/alpha"}]})");
  t.add("modules/Upper/manifests/init.pp", "");
  t.add("modules/da-sh/manifests/init.pp", "");
  t.add("modules/file", "");
  t.add("modules/faulty/metadata.json", "{");
  t.add("modules/faulty/manifests/init.pp", "class faulty {}");
  t.add("modules/partly/metadata.json", R"({"name": "x-partly"})");
  auto e = with_modules(t);
  std::string names;
  for (const auto& m : e->modules()) names += m.name + " ";
  EXPECT_EQ(names, "alpha faulty beta "); // a module whose metadata cannot be parsed is still used
  EXPECT_EQ(e->find_module("alpha")->path, t.root + "/modules/alpha");
  EXPECT_EQ(e->find_module("beta")->version, "1.2.3");
  ASSERT_EQ(e->find_module("beta")->dependencies.size(), 1u);
  EXPECT_EQ(e->find_module("beta")->dependencies[0], "alpha");
  EXPECT_EQ(e->find_module("partly"), nullptr);
  LogCollector log;
  EXPECT_EQ(name_of_entry(e->find_class("faulty", &log)), "faulty");
  EXPECT_EQ(e->find_class("faulty::other", &log), nullptr);
  ASSERT_EQ(log.entries.size(), 1u); // once
  EXPECT_EQ(log.entries[0].level, LogLevel::Warning);
  EXPECT_NE(log.entries[0].message.find("faulty has an invalid and unparsable metadata.json file"), std::string::npos);
  EXPECT_EQ(e->find_class("partly", &log), nullptr);
  ASSERT_EQ(log.entries.size(), 2u);
  EXPECT_EQ(log.entries[1].message, "No source module metadata provided for partly");
  EXPECT_EQ(e->module_of(t.root + "/more/beta/manifests/x.pp")->name, "beta");
  EXPECT_EQ(e->module_of(t.root + "/elsewhere/x.pp"), nullptr);
}

TEST(Environment, TypesComeFromEveryLibrary) {
  Tree t;
  auto type = [&](const std::string& library, const std::string& name) {
    t.add(library + "/lib/puppet/type/" + name + ".rb", "Puppet::Type.newtype(:" + name + ") do\n newparam(:name, namevar: true)\nend");
  };
  type("modules/alpha", "of_alpha");
  type("modules/My-Odd", "of_odd"); // no module by its name
  type("more/alpha", "of_second");  // hidden by the first module of that name
  type("modules/.hidden", "of_hidden");
  t.add("modules/My-Odd/lib/puppet/parser/functions/of_odd.rb", "");
  t.add("modules/My-Odd/lib/puppet/functions/new_odd.rb", "");
  t.add("modules/My-Odd/manifests/init.pp", "class my_odd {}");
  auto e = with_modules(t);
  for (const char* name : {"of_alpha", "of_odd", "of_second"}) EXPECT_NE(e->find_resource_type(name), nullptr) << name;
  EXPECT_EQ(e->find_resource_type("of_hidden"), nullptr);
  EXPECT_NE(e->old_function("of_odd"), nullptr);
  EXPECT_TRUE(e->ruby_functions("new_odd").empty());
  EXPECT_EQ(e->modules().size(), 1u);
}

TEST(Environment, LoadsClassesAndDefinesByName) {
  Tree t;
  t.add("modules/a/manifests/init.pp", "class a {} class a::in_init {} define a::d() {}");
  t.add("modules/a/manifests/b.pp", "class a::b {} class a::b::inner {}");
  t.add("modules/a/manifests/b/c.pp", "class a::b::c { class nested {} }");
  t.add("modules/a/manifests/e.pp", "define a::e() {}");
  auto e = with_modules(t, "class site {} define site_d() {}");
  for (const char* name : {"a", "a::in_init", "a::b", "a::b::inner", "a::b::c", "a::b::c::nested", "site"})
    EXPECT_EQ(name_of_entry(e->find_class(name, nullptr)), name);
  EXPECT_EQ(name_of_entry(e->find_class("::A::B", nullptr)), "a::b");
  for (const char* name : {"a::d", "a::e", "site_d"}) EXPECT_EQ(name_of_entry(e->find_define(name, nullptr)), name);
  for (const char* name : {"a::e", "b", "a::none", "", "::", "a::", "a:b", "a::../b", "../a", "a::*", "a::b::c::d::e"})
    EXPECT_EQ(e->find_class(name, nullptr), nullptr) << name;
  EXPECT_EQ(e->find_define("a::b", nullptr), nullptr);
  EXPECT_EQ(e->find_class("a::b", nullptr)->module->name, "a");
  EXPECT_EQ(e->find_class("site", nullptr)->module, nullptr);
  EXPECT_EQ(e->find_class("a", nullptr), e->find_class("::a", nullptr)); // loaded once
}

TEST(Environment, RefusesDefinitionsInWrongPlaces) {
  if (!checker_works()) GTEST_SKIP();
  Tree t;
  t.add("modules/a/manifests/x.pp", "class a::y {}");
  t.add("modules/a/manifests/code.pp", "notice('hi') class a::code {}");
  t.add("modules/a/manifests/node.pp", "class a::node {} node default {}");
  auto e = with_modules(t);
  EXPECT_EQ(error_of(t, [&] { e->find_class("a::x", nullptr); }),
            "Unacceptable location. The name 'a::y' is unacceptable in file 'ROOT/modules/a/manifests/x.pp' (file: "
            "ROOT/modules/a/manifests/x.pp, line: 1, column: 1)");
  EXPECT_EQ(error_of(t, [&] { e->find_class("a::code", nullptr); }),
            "This Function Call is unacceptable as a top level construct in this location (file: ROOT/modules/a/manifests/code.pp, line: "
            "1, column: 1)");
  EXPECT_EQ(e->find_class("a::y", nullptr), nullptr);
  EXPECT_NE(error_of(t, [&] { e->find_class("a::node", nullptr); }), "no error");
}

TEST(Environment, ReportsBrokenFilesAtEachUseAndLogsOnce) {
  if (!checker_works()) GTEST_SKIP();
  Tree t;
  t.add("modules/a/manifests/init.pp", "class a {\n  $x = }\n");
  t.add("modules/b/manifests/init.pp", "class b($x, $x, $y, $y) {}\n");
  auto e = with_modules(t);
  LogCollector log, other;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of(t, [&] { e->find_class("a::anything", &log); }),
              "Syntax error at '}' (file: ROOT/modules/a/manifests/init.pp, line: 2, column: 8)");
    EXPECT_EQ(error_of(t, [&] { e->find_class("b", &log); }),
              "Language validation logged 2 errors. Giving up (file: ROOT/modules/b/manifests/init.pp)");
  }
  ASSERT_EQ(log.entries.size(), 2u);
  EXPECT_EQ(log.entries[0].level, LogLevel::Err);
  EXPECT_TRUE(log.entries[0].message.starts_with("The parameter 'x' is declared more than once in the parameter list"));
  error_of(t, [&] { e->find_class("b", &other); });
  EXPECT_EQ(other.entries.size(), 2u);
}

TEST(Environment, RefusesDuplicateDefinitions) {
  Tree t;
  t.add("modules/a/manifests/init.pp", "\nclass a {}\n");
  t.add("modules/a/manifests/b.pp", "class a::b {}\n define a::b() {}\n");
  t.add("modules/c/manifests/init.pp", "class c::d {}");
  t.add("modules/c/manifests/d.pp", "class c::d {}");
  auto e = with_modules(t, "class a {}");
  EXPECT_EQ(error_of(t, [&] { e->find_class("a::x", nullptr); }),
            "Class 'a' is already defined (line: 1); cannot redefine (file: ROOT/modules/a/manifests/init.pp, line: 2)");
  EXPECT_EQ(name_of_entry(e->find_class("a", nullptr)), "a"); // the main manifest's; the module is not read
  EXPECT_EQ(error_of(t, [&] { e->find_class("c::d", nullptr); }),
            "Class 'c::d' is already defined (file: ROOT/modules/c/manifests/init.pp, line: 1); cannot redefine (file: "
            "ROOT/modules/c/manifests/d.pp, line: 1)");
  auto main_error = [&](const char* code) { return error_of(t, [&] { with_modules(t, code)->main_manifests(nullptr); }); };
  EXPECT_EQ(main_error("class x {} class x {}"), "Class 'x' is already defined (line: 1); cannot redefine (line: 1)");
  EXPECT_EQ(main_error("class x {} define x() {}"),
            "'x' is already defined (line: 1) as a class; cannot redefine as a definition (line: 1)");
  EXPECT_EQ(main_error("define x() {} class x {}"),
            "Definition 'x' is already defined (line: 1); cannot be redefined as a class (line: 1)");
  EXPECT_EQ(main_error("define x() {} define x() {}"),
            "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/x'. Originally set at string:?line=1&pos=1.");
  EXPECT_EQ(main_error("function a() {1} function a() {2}"),
            "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/function/a'. Originally set at string:?line=1&pos=1.");
  EXPECT_EQ(main_error("type A = Integer type A = String"),
            "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/a'. Originally set at string:?line=1&pos=6.");
  EXPECT_EQ(
      main_error("type Integer = String"),
      "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/integer'. Originally set by Puppet-Type-System/Static-Loader.");
  EXPECT_EQ(main_error("node default {} node default {}"), "Node 'default' is already defined (line: 1); cannot redefine (line: 1)");
  EXPECT_EQ(main_error("node 'a', 'b' {} node 'b' {}"), "Node 'b' is already defined (line: 1); cannot redefine (line: 1)");
  EXPECT_EQ(main_error("node /a/ {} node /a/ {}"), "Node '__node_regexp__a' is already defined (line: 1); cannot redefine (line: 1)");
  EXPECT_EQ(main_error("node /a/ {} node 'a' {}"), "no error");
  EXPECT_EQ(main_error("node 'a' {} class a {}"), "Node 'a' is already defined (line: 1); cannot be redefined as a class (line: 1)");
  EXPECT_EQ(main_error("class a {} node 'a' {}"), "Class 'a' is already defined (line: 1); cannot be redefined as a node (line: 1)");
}

TEST(Environment, LookingForAFunctionSaysNothingAboutManifests) {
  Tree t;
  t.add("modules/m/manifests/init.pp", "class m {}");
  t.add("envs/production/manifests/site.pp", "");
  EnvironmentOptions options = directory_environment(t.root + "/envs", "production", {t.root + "/modules"}, nullptr);
  options.code = "class m {}";
  auto e = open_environment(options);
  EXPECT_EQ(e->find_function("m::nowhere", nullptr), nullptr);
}

TEST(Environment, LoadsFunctionsAndAliases) {
  Tree t;
  t.add("modules/m/functions/f.pp", "function m::f() { 1 }");
  t.add("modules/m/functions/deep/g.pp", "function m::deep::g() { 1 }");
  t.add("modules/m/functions/empty.pp", "# nothing\n");
  t.add("modules/m/functions/two.pp", "function m::two() { 1 } function m::two::x() { 2 }");
  t.add("modules/m/functions/cls.pp", "class m::cls {}");
  t.add("modules/m/manifests/init.pp", "class m {} function m::inline() { 1 } type M::Inline = Integer");
  t.add("modules/m/types/t.pp", "type M::T = Integer");
  t.add("modules/m/types/camelcase.pp", "type M::CamelCase = Integer");
  t.add("modules/m/types/empty.pp", "");
  t.add("modules/m/types/other.pp", "function m::other() { 1 }");
  t.add("envs/production/functions/top.pp", "function top() { 1 }");
  t.add("envs/production/functions/wrong.pp", "function environment::wrong() { 1 }");
  t.add("envs/production/functions/environment/own.pp", "function environment::own() { 1 }");
  t.add("envs/production/types/gt.pp", "type Gt = Integer");
  EnvironmentOptions options = directory_environment(t.root + "/envs", "production", {t.root + "/modules"}, nullptr);
  options.code = "function main_f() { 1 } type MainT = String";
  auto e = open_environment(options);
  for (const char* name : {"m::f", "m::deep::g", "m::inline", "top", "environment::own", "main_f"})
    EXPECT_EQ(name_of_entry(e->find_function(name, nullptr)), name);
  EXPECT_TRUE(e->find_function("main_f", nullptr)->main);
  EXPECT_FALSE(e->find_function("top", nullptr)->main);
  for (const char* name : {"f", "m", "m::none", "environment::top", "none::f"}) EXPECT_EQ(e->find_function(name, nullptr), nullptr) << name;
  auto function_error = [&](const char* name) { return error_of(t, [&] { e->find_function(name, nullptr); }); };
  EXPECT_EQ(function_error("m::empty"),
            "The code loaded from ROOT/modules/m/functions/empty.pp does not define the function 'm::empty' - it is empty.");
  EXPECT_EQ(
      function_error("m::two"),
      "The code loaded from ROOT/modules/m/functions/two.pp must contain only the function 'm::two' - it has additional definitions.");
  EXPECT_EQ(function_error("m::cls"),
            "The code loaded from ROOT/modules/m/functions/cls.pp does not define the function 'm::cls' - no function found.");
  EXPECT_EQ(function_error("wrong"), "The code loaded from ROOT/envs/production/functions/wrong.pp produced function with the wrong name, "
                                     "expected wrong, actual environment::wrong");
  for (const char* name : {"M::T", "M::CamelCase", "M::Inline", "Gt", "MainT"}) {
    const TypeAliasEntry* a = e->find_type_alias(name, nullptr);
    EXPECT_EQ(a ? a->alias->name.str() : "none", name);
  }
  auto type_error = [&](const char* name) { return error_of(t, [&] { e->find_type_alias(name, nullptr); }); };
  EXPECT_EQ(type_error("M::Empty"),
            "The code loaded from ROOT/modules/m/types/empty.pp does not define the type 'm::empty' - it is empty.");
  EXPECT_EQ(
      type_error("M::Other"),
      "The code loaded from ROOT/modules/m/types/other.pp does not define the type 'm::other' - no type alias or type definition found.");
  EXPECT_EQ(e->find_type_alias("M::None", nullptr), nullptr);
}

TEST(Environment, ReadsMainManifestsInTheReferencesOrder) {
  Tree t;
  for (const char* name : {"b.pp", "a.pp", "A.pp", "a/z.pp", "a-b.pp", "sub/deep/x.pp", ".hidden.pp", ".dir/y.pp", "note.txt"})
    t.add(std::string("manifests/") + name, "");
  EnvironmentOptions options;
  options.manifest = t.root + "/manifests";
  auto e = open_environment(options);
  std::string order;
  for (const auto& f : e->main_manifests(nullptr)) order += f->source->path().substr(t.root.size() + 11) + " ";
  EXPECT_EQ(order, "A.pp a-b.pp a.pp a/z.pp b.pp sub/deep/x.pp ");

  options.manifest = t.root + "/nosuch";
  EXPECT_TRUE(open_environment(options)->main_manifests(nullptr).empty());
  t.add("site.pp", "$x = ");
  options.manifest = t.root + "/site";
  options.name = "test";
  e = open_environment(options);
  EXPECT_EQ(error_of(t, [&] { e->main_manifests(nullptr); }),
            "Could not parse for environment test: Syntax error at end of input (file: ROOT/site.pp)");
}

TEST(Environment, ReadsEnvironmentConf) {
  Tree t;
  t.add("envs/one/environment.conf", "# comment\nmodulepath = site:$basemodulepath:glob/*:$environmentpath/shared\nmanifest = "
                                     "m/site.pp\nconfig_version = bin/v $environment\nfoo = 1\nbar=2\n[x]\nbaz=1\n");
  t.add("envs/one/glob/g1/x", "");
  t.add("envs/one/glob/g2/x", "");
  t.add("envs/two/x", "");
  t.add("envs/bad/environment.conf", "modulepath = a\njunk line\n");
  LogCollector log;
  EnvironmentOptions one = directory_environment(t.root + "/nosuch:" + t.root + "/envs", "one", {"/base1", "/base2"}, &log);
  std::vector<std::string> expected = {t.root + "/envs/one/site",
                                       "/base1",
                                       "/base2",
                                       t.root + "/envs/one/glob/g1",
                                       t.root + "/envs/one/glob/g2",
                                       t.root + "/nosuch:" + t.root + "/envs/shared"};
  expected.back() = one.modulepath.back(); // like Puppet, which puts the whole setting there
  EXPECT_EQ(one.modulepath, expected);
  EXPECT_EQ(one.manifest, t.root + "/envs/one/m/site.pp");
  EXPECT_EQ(one.config_version, t.root + "/envs/one/bin/v one");
  ASSERT_EQ(log.entries.size(), 2u);
  EXPECT_EQ(
      log.entries[0].message,
      fmt::format(
          "Invalid sections in environment.conf at '{}/envs/one/environment.conf'. Environment conf may not have sections. The following "
          "sections are being ignored: 'x'\n   (file & line not available)",
          t.root));
  EXPECT_EQ(
      log.entries[1].message,
      fmt::format("Invalid settings in environment.conf at '{}/envs/one/environment.conf'. The following unknown setting(s) are being "
                  "ignored: foo, bar\n   (file & line not available)",
                  t.root));
  EnvironmentOptions two = directory_environment(t.root + "/envs", "two", {"/base"}, nullptr);
  EXPECT_EQ(two.modulepath, (std::vector<std::string>{t.root + "/envs/two/modules", "/base"}));
  EXPECT_EQ(two.manifest, t.root + "/envs/two/manifests");
  EXPECT_EQ(error_of(t, [&] { directory_environment(t.root + "/envs", "none", {}, nullptr); }),
            "Could not find a directory environment named 'none' anywhere in the path: ROOT/envs. Does the directory exist?");
  EXPECT_EQ(error_of(t, [&] { directory_environment(t.root + "/envs", "bad", {}, nullptr); }),
            "Could not match line junk line (file: ROOT/envs/bad/environment.conf, line: 2)");
}

TEST(Environment, FindsFilesAndRubyFunctions) {
  Tree t;
  t.add("modules/m/files/a/b.txt", "text");
  t.add("modules/m/templates/t.epp", "<%= 1 + 1 %>");
  t.add("modules/m/templates/bad.epp", "<%= 1 + %>");
  t.add("modules/m/lib/puppet/functions/four.rb", "");
  t.add("modules/m/lib/puppet/functions/m/five.rb", "");
  t.add("modules/m/lib/puppet/parser/functions/three.rb", "");
  auto e = with_modules(t);
  EXPECT_EQ(e->find_module_file(ModuleFileKind::Files, "m/a/b.txt"), t.root + "/modules/m/files/a/b.txt");
  EXPECT_EQ(e->find_module_file(ModuleFileKind::Files, "m/none"), std::nullopt);
  EXPECT_EQ(e->find_module_file(ModuleFileKind::Files, "none/x"), std::nullopt);
  EXPECT_EQ(e->find_module_file(ModuleFileKind::Files, "m"), std::nullopt);
  EXPECT_EQ(*e->read_file(t.root + "/modules/m/files/a/b.txt"), "text");
  EXPECT_EQ(e->read_file(t.root + "/none"), nullptr);
  EXPECT_EQ(e->epp_template(t.root + "/modules/m/templates/t.epp", nullptr)->body->kind, NodeKind::Epp);
  EXPECT_NE(error_of(t, [&] { e->epp_template(t.root + "/modules/m/templates/bad.epp", nullptr); }), "no error");
  auto files = [&](std::string_view name) {
    std::vector<std::string> out;
    for (const RubyFunctionFile* file : e->ruby_functions(name)) out.push_back(file->path());
    return out;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(files("four"), Paths{t.root + "/modules/m/lib/puppet/functions/four.rb"});
  EXPECT_EQ(files("m::five"), Paths{t.root + "/modules/m/lib/puppet/functions/m/five.rb"});
  EXPECT_EQ(files("three"), Paths{t.root + "/modules/m/lib/puppet/parser/functions/three.rb"});
  EXPECT_EQ(files("five"), Paths{});
  EXPECT_EQ(e->old_function("four"), nullptr);
  EXPECT_EQ(e->old_function("three")->module(), "m");
  EXPECT_NE(error_of(t, [&] { parse_inline(*e, "<%= ( %>", true, e->regexes()); }), "no error");
}

TEST(Environment, AnEnvironmentsLibPrecedesModules) {
  Tree t;
  t.add("modules/m/lib/puppet/functions/f.rb", "");
  t.add("env/lib/puppet/functions/f.rb", "");
  t.add("env/lib/puppet/functions/environment/g.rb", "");
  t.add("env/lib/puppet/functions/m/h.rb", "");
  t.add("env/lib/puppet/parser/functions/old.rb", "");
  t.add("env/lib/puppet/datatypes/one.rb", "");
  t.add("env/lib/puppet/datatypes/environment/two.rb", "");
  t.add("modules/m/lib/puppet/datatypes/three.rb", "");
  t.add("modules/m/lib/puppet/datatypes/m/four.rb", "");
  EnvironmentOptions options;
  options.path = t.root + "/env";
  options.modulepath = {t.root + "/modules"};
  auto e = t.opened.emplace_back(open_environment(options));
  auto files = e->ruby_functions("f");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0]->module(), environment_module);
  EXPECT_EQ(files[1]->module(), "m");
  EXPECT_EQ(e->ruby_functions("environment::g").size(), 1u);
  EXPECT_TRUE(e->ruby_functions("m::h").empty()); // only the module may have it
  EXPECT_EQ(e->ruby_functions("old").size(), 1u);
  EXPECT_EQ(e->old_function("old"), nullptr); // Ruby's function_old does not reach it
  EXPECT_EQ(e->data_type_file("One"), t.root + "/env/lib/puppet/datatypes/one.rb");
  EXPECT_EQ(e->data_type_file("Environment::Two"), t.root + "/env/lib/puppet/datatypes/environment/two.rb");
  EXPECT_EQ(e->data_type_file("Three"), t.root + "/modules/m/lib/puppet/datatypes/three.rb");
  EXPECT_EQ(e->data_type_file("M::Four"), t.root + "/modules/m/lib/puppet/datatypes/m/four.rb");
  EXPECT_EQ(e->data_type_file("Five"), "");
}

TEST(Environment, HasTheLibrariesOfAllModulesWithoutAModulePath) {
  Tree t;
  t.add("env/lib/puppet/functions/m/h.rb", "");
  t.add("env/lib/puppet/datatypes/m/four.rb", "");
  EnvironmentOptions options;
  options.path = t.root + "/env";
  auto e = t.opened.emplace_back(open_environment(options));
  const auto files = e->ruby_functions("m::h");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]->path(), t.root + "/env/lib/puppet/functions/m/h.rb");
  EXPECT_EQ(e->data_type_file("M::Four"), t.root + "/env/lib/puppet/datatypes/m/four.rb");
}

TEST(Environment, TellsTheAliasesOfTheManifestsThatASearchReads) {
  Tree t;
  t.add("modules/m/manifests/init.pp", "type One = Integer\nclass m {}");
  t.add("modules/m/manifests/sub.pp", "type M::Two = Integer\nclass m::sub {}");
  t.add("modules/n/manifests/init.pp", "class n {}");
  auto e = with_modules(t);
  auto names = [&](std::string_view name) {
    std::string out;
    for (const TypeAliasEntry& a : e->aliases_read_for(name, NodeKind::ClassDef)) out += std::string(a.alias->name.str()) + " ";
    return out;
  };
  EXPECT_EQ(names("m"), "One ");
  EXPECT_EQ(names("m::sub"), "One M::Two ");
  EXPECT_EQ(names("m::none"), "One ");
  EXPECT_EQ(names("n"), "");
}

TEST(Environment, ServesManyThreads) {
  Tree t;
  for (int i = 0; i < 20; ++i)
    t.add(fmt::format("modules/m/manifests/c{}.pp", i), i % 5 == 4 ? "class m::broken {" : fmt::format("class m::c{} {{}}", i));
  t.add("modules/m/manifests/init.pp", "class m {}");
  auto e = with_modules(t, "class site {}");
  std::vector<std::vector<const void*>> seen(8);
  std::vector<std::thread> threads;
  for (size_t n = 0; n < seen.size(); ++n)
    threads.emplace_back([&, n] {
      for (int i = 0; i < 20; ++i) {
        int c = static_cast<int>((i + n * 3) % 20);
        try {
          seen[n].push_back(e->find_class(fmt::format("m::c{}", c), nullptr));
        } catch (const CompileError&) { seen[n].push_back(nullptr); }
        e->find_class("site", nullptr);
      }
    });
  for (auto& thread : threads) thread.join();
  for (size_t n = 0; n < seen.size(); ++n)
    for (int i = 0; i < 20; ++i) {
      int c = static_cast<int>((i + n * 3) % 20);
      EXPECT_EQ(seen[n][i] == nullptr, c % 5 == 4);
      if (c % 5 != 4) { EXPECT_EQ(seen[n][i], e->find_class(fmt::format("m::c{}", c), nullptr)); }
    }
}

TEST(Facts, ReadsAllForms) {
  Tree t;
  auto facts = [&](std::string_view text, std::string* name = nullptr) {
    Arena arena;
    Value v = read_facts(arena, text, "facts", name);
    std::string out;
    for (const auto& e : v.hash->entries())
      out += fmt::format("{}={} ", e.key.str(),
                         e.value.is_string() ? std::string(e.value.str())
                         : e.value.is_int()  ? std::to_string(e.value.i)
                         : e.value.is_hash() ? "{}"
                                             : "?");
    return out;
  };
  EXPECT_EQ(facts(R"({"os": {"name": "Debian"}, "n": 5})"), "os={} n=5 ");
  EXPECT_EQ(facts("os:\n  name: Debian\nn: 5\n"), "os={} n=5 ");
  std::string name;
  EXPECT_EQ(facts("--- !ruby/object:Puppet::Node::Facts\nname: web1\nvalues:\n  a: 1\n  :sym: :value\n  !ruby/sym _timestamp: 2020-01-01 "
                  "00:00:00 Z\n  date: 2020-01-01\n"
                  "timestamp: 2023-01-01 10:00:00.123456789 +00:00\nexpiration: 2023-01-01 10:30:00.123456789 +00:00\n",
                  &name),
            "a=1 sym=value date=2020-01-01 ");
  EXPECT_EQ(name, "web1");
  EXPECT_EQ(facts(R"({"name": "web2", "values": {"a": 1}, "timestamp": "x"})", &name), "a=1 ");
  EXPECT_EQ(name, "web2");
  EXPECT_EQ(facts(R"({"name": "plain", "b": 1})"), "name=plain b=1 ");
  EXPECT_EQ(error_of(t, [&] { facts("[1]"); }), "The facts file must contain a hash (file: facts)");
  EXPECT_NE(error_of(t, [&] { facts("a: [1"); }), "no error");
  EXPECT_NE(error_of(t, [&] { facts("{\"a\": "); }), "no error");
}

} // namespace
} // namespace pupc::compiler
