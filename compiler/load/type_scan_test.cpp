// Tests what the tables of testdata/types/styles do not cover: Ruby's lexical rules, the Resource API (which Debian's reference lacks),
// generated types, broken input.
#include "compiler/ruby/types/type_scan.h"

#include "compiler/load/environment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace pupc::compiler;

namespace {

/// The tokens as text, joined by spaces; newlines as ;
std::string tokens(std::string_view source) {
  RubyTokens t = ruby_tokens(source);
  if (!t.error.empty()) return t.error;
  std::string out;
  for (const auto& token : t.tokens) {
    if (!out.empty()) out += ' ';
    out += token.kind == RubyTokenKind::Newline ? ";" : std::string(token.text);
  }
  return out;
}

std::string kinds(std::string_view source) {
  std::string out;
  for (const auto& token : ruby_tokens(source).tokens) out += "nICKVSLsWwrNO?"[static_cast<int>(token.kind)];
  return out;
}

/// "name: prop param name!" with the reasons why it is dynamic
std::string describe(const ScannedType& type) {
  std::string out = type.name + ":";
  for (const auto& a : type.attributes)
    out += " " + std::string(a.kind == AttributeKind::Property ? "." : "") + a.name + (a.namevar ? "!" : "");
  if (!type.isomorphic) out += " repeatable";
  if (!type.dynamic.empty()) out += " dynamic(" + type.dynamic + ")";
  if (!type.dynamic_titles.empty()) out += " titles(" + type.dynamic_titles + ")";
  return out;
}

std::string scan(std::string text, std::string_view name = "x") {
  auto type = scan_type_file(read_ruby_file("/m/lib/puppet/type/x.rb", std::move(text)), {}).find(name);
  return type ? describe(*type) : "none";
}

std::string generated(std::string_view text) {
  std::string error;
  auto type = read_generated_type("x.pp", text, error);
  return type ? describe(*type) : error;
}

std::string split(const ScannedType& type, std::string_view title) {
  std::vector<TitlePart> parts;
  auto info = type.info();
  if (!info->split_title(title, parts)) return info->title_problem(title);
  std::string out;
  for (const auto& p : parts) out += std::string(p.name.str()) + "=" + (p.absent ? "nil" : std::string(p.value)) + " ";
  return out;
}

TEST(RubyTokens, RegexOrDivision) {
  EXPECT_EQ(kinds("a / b"), "IOI");
  EXPECT_EQ(kinds("a /b/"), "Ir");
  EXPECT_EQ(kinds("x = /b/i"), "IOr");
  EXPECT_EQ(kinds("(1) / 2"), "ONOON");
  EXPECT_EQ(kinds("[/a\\/b/, %r{a{1}/}x]"), "OrOrO");
  EXPECT_EQ(kinds("if /x/ =~ y then z end"), "KrOIKIK");
}

TEST(RubyTokens, Literals) {
  EXPECT_EQ(kinds("%w[a b] + %i(c) + %q{d}"), "WOwOs");
  EXPECT_EQ(kinds("x % y"), "IOI");
  EXPECT_EQ(kinds(":a :'b c' :\"d\" :+ :[]= :a? ::B"), "SSSSSSOC");
  EXPECT_EQ(kinds("{a: 1, \"b\": 2, c? ? d : e}"), "OLNOLNOIOIOIO");
  EXPECT_EQ(kinds("@a @@b $c $1 $!"), "VVVVV");
  EXPECT_EQ(kinds("?a ? ?b : ?\\n"), "sOsOs");
  EXPECT_EQ(kinds("1_000.5e-3 0x1F 1..2"), "NNNON");
  EXPECT_EQ(tokens("\"a #{b(\"}\") + '}'} c\" d"), "\"a #{b(\"}\") + '}'} c\" d");
}

TEST(RubyTokens, Heredocs) {
  EXPECT_EQ(kinds("x <<-A, <<~'B', 1\n a do #{\n  }\n  A\nnewparam(\n B\ny"), "IsOsONnI");
  EXPECT_EQ(kinds("x << y"), "IOI");
  EXPECT_EQ(kinds("class << self\nend"), "KOKnK");
  RubyTokens t = ruby_tokens("desc <<EOT\n one\n two\nEOT\n");
  EXPECT_EQ(t.tokens[1].body, " one\n two\n");
}

TEST(RubyTokens, Continuations) {
  EXPECT_EQ(tokens("a +\n b\nc\n  .d\n  # note\n  &.e\nf \\\n g"), "a + b ; c . d &. e ; f g");
  EXPECT_EQ(tokens("x do |a|\n b\nend\n\n\n"), "x do | a | ; b ; end ;");
  EXPECT_EQ(tokens("a\n=begin\nif\n=end\nb\n__END__\nif"), "a ; b ;");
}

TEST(RubyTokens, EndsCloseTheRightThing) {
  auto closes = [](std::string_view source, size_t opener) { return ruby_tokens(source).tokens.at(opener).match; };
  EXPECT_EQ(closes("def x; y if z; end", 0), 7u);
  EXPECT_EQ(closes("while x do y end", 0), 4u);
  EXPECT_EQ(closes("x = if y then z end", 2), 6u);
  EXPECT_EQ(closes("def x() = y\nz", 0), 6u);
  EXPECT_EQ(closes("def end; end", 0), 3u);
  EXPECT_EQ(closes("def x=(v) @x = v end", 0), 8u);
  EXPECT_EQ(closes("def ==(o) end", 0), 5u);
  EXPECT_EQ(closes("x.if do y end", 3), 5u);
  EXPECT_EQ(closes("return if x", 0), RubyToken::no_match);
}

TEST(RubyTokens, BrokenSource) {
  EXPECT_EQ(tokens("a\nif b"), "line 2: if is never closed");
  EXPECT_EQ(tokens("end"), "line 1: end closes nothing");
  EXPECT_EQ(tokens("x(\nend"), "line 2: end does not close the ( of line 1");
  EXPECT_EQ(tokens("\"abc"), "line 1: a literal that ends with \" does not end");
  EXPECT_EQ(tokens("x <<A\nb"), "line 3: a heredoc does not end");
  EXPECT_EQ(tokens("\"#{a"), "line 1: an interpolation does not end");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "\"#{";
  EXPECT_EQ(tokens(deep), "line 1: interpolations are nested too deeply");
}

TEST(TypeScan, Attributes) {
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do\n newparam(:name)\n ensurable\n newproperty(:y)\nend"), "x: .ensure name! .y");
  EXPECT_EQ(scan("Puppet::Type.newtype :x do end"), "x:");
  EXPECT_EQ(scan("Puppet.newtype(:x) { newparam(:a, namevar: true) }"), "x: a!");
  EXPECT_EQ(scan("module Puppet\n Type.newtype(:X) { newparam 'A', {:namevar => :true} }\nend"), "x: a!");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) { @isomorphic = false }"), "x: repeatable");
}

TEST(TypeScan, WhatIsNotSeen) {
  EXPECT_EQ(scan("Puppet::Type.newtype(:y) { }"), "none");
  EXPECT_EQ(scan(""), "none");
  EXPECT_EQ(scan("# nothing\n"), "none");
  EXPECT_EQ(scan("require 'x'\nMaker.make(:x)"), "x: dynamic(no newtype is seen in the file)");
  EXPECT_EQ(scan("Puppet::Type.newtype(name) { }"), "x: dynamic(newtype of a computed name (line 1))");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do"), "x: dynamic(line 1: do is never closed)");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) { include PuppetX::Unknown }"),
            "x: dynamic(include of PuppetX::Unknown, which is not found (line 1))");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) { add_things }"), "x: dynamic(calls add_things, which is not known (line 1))");
}

TEST(TypeScan, ProceduresOfConstants) {
  EXPECT_EQ(scan("module M\n COMMON = Proc.new do\n ensurable\n newparam(:url) { desc 'x' }\n end\nend\n"
                 "Puppet::Type.newtype(:x) do\n instance_eval(&M::COMMON)\n newparam(:name)\nend"),
            "x: .ensure url name!");
  EXPECT_EQ(scan("COMMON = lambda { newproperty(:a) }\nPuppet::Type.newtype(:x) { class_eval(&COMMON) }"), "x: .a");
  EXPECT_EQ(scan("n = :a\nCOMMON = proc { newparam(n) }\nPuppet::Type.newtype(:x) { class_eval(&COMMON) }"),
            "x: dynamic(newparam of a computed name (line 2))");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) { instance_eval(&NONE) }"), "x: dynamic(instance_eval of a text (line 1))");
}

TEST(TypeScan, EndlessCodeEnds) {
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do\n def self.again; again; end\n again\nend").substr(0, 11), "x: dynamic(");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do\n def self.title_patterns; title_patterns; end\nend"),
            "x: titles(title_patterns is computed)");
  std::string deep = "Puppet::Type.newtype(:x) { newparam(";
  for (int i = 0; i < 100000; ++i) deep += '[';
  deep += ":a";
  for (int i = 0; i < 100000; ++i) deep += ']';
  EXPECT_EQ(scan(deep + ") }"), "x: dynamic(newparam of a computed name (line 1))");
  std::string modules;
  for (int i = 0; i < 5000; ++i) modules += "module A\n";
  for (int i = 0; i < 5000; ++i) modules += "end\n";
  EXPECT_EQ(scan(modules), "x: dynamic(nested too deeply)");
  std::string doubling = "Puppet::Type.newtype(:x) do\n a = [:a]\n";
  for (int i = 0; i < 60; ++i) doubling += " a = a + a\n";
  EXPECT_EQ(scan(doubling + " a.each { |n| newparam(n) }\nend").substr(0, 11), "x: dynamic(");
}

TEST(TypeScan, RequiresFilesOnce) {
  std::vector<std::string> asked;
  auto finder = [&](const std::string& from, const std::string& name) -> std::shared_ptr<const RubyFile> {
    asked.push_back(name);
    EXPECT_TRUE(from.starts_with("/m/lib/"));
    if (name == "puppet_x/a" || name == "/m/lib/puppet_x/a")
      return read_ruby_file("/m/lib/puppet_x/a.rb", "require 'puppet_x/a'\nmodule A\n def self.extended(t) t.newparam(:from_a) end\nend");
    return nullptr;
  };
  auto type = scan_type_file(read_ruby_file("/m/lib/puppet/type/x.rb",
                                            "require File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', "
                                            "'a'))\nPuppet::Type.newtype(:x) { extend A\n newparam(:name) }"),
                             finder)
                  .find("x");
  ASSERT_TRUE(type);
  EXPECT_EQ(describe(*type), "x: from_a name!");
  EXPECT_EQ(asked, (std::vector<std::string>{"/m/lib/puppet_x/a", "puppet_x/a"}));
}

TEST(TypeScan, ResourceApi) {
  constexpr const char* text = R"(
require 'puppet/resource_api'
Puppet::ResourceApi.register_type(
  name: 'x',
  docs: <<-EOS,
    name: 'not this',
  EOS
  title_patterns: [
    { pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$}, desc: 'both' },
    { pattern: /^(?<package>.*)$/, desc: 'one' },
  ],
  features: ['simple_get_filter'],
  attributes: {
    package: { type: 'String', desc: 'x', behaviour: :namevar },
    manager: { type: 'String', behavior: :namevar },
    ensure:  { type: 'Enum[present, absent]', default: 'present' },
    version: { type: 'Optional[String]' },
    force:   { type: 'Boolean', behaviour: :parameter, default: DEFAULT },
    id:      { type: 'Integer', behaviour: :read_only },
    'late'   => { type: 'String', behaviour: :init_only },
  },
))";
  auto type = scan_type_file(read_ruby_file("/m/lib/puppet/type/x.rb", text), {}).find("x");
  ASSERT_TRUE(type);
  EXPECT_EQ(describe(*type), "x: .ensure package! manager! .version force id .late");
  EXPECT_EQ(split(*type, "a-b"), "package=a manager=b ");
  EXPECT_EQ(split(*type, "a"), "package=a ");
  EXPECT_TRUE(type->resource_api);
}

/// Arguments that are literals are read without the parser: `+ []` behind them, which changes nothing, makes the parser read them.
TEST(TypeScan, LiteralArgumentsMeanTheSameWithAndWithoutTheParser) {
  auto both = [](const std::string& arguments, const std::string& more = "") {
    const std::string begin = "M::N = true\nPuppet::Type.newtype(:x) do\n" + more + "newparam(:a, ";
    const std::string plain = scan(begin + arguments + ")\nend");
    EXPECT_EQ(plain, scan(begin + arguments + ", :z => ([] + []))\nend")) << arguments;
    return plain;
  };
  EXPECT_EQ(both(":namevar => true"), "x: a!");
  EXPECT_EQ(both("namevar: false"), "x: a");
  EXPECT_EQ(both("'namevar' => nil"), "x: a");
  EXPECT_EQ(both(":parent => Puppet::Parameter::Boolean, :namevar => :yes"), "x: a!");
  EXPECT_EQ(both(":namevar => Unknown"), "x: a!"); // a constant is some value, which counts as true
  EXPECT_EQ(both(":namevar => C", "C = false\n"), "x: a");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do\nnewparam(:a, :namevar => true, 'b')\nend"), "x: dynamic(a with computed options (line 2))");
  EXPECT_EQ(scan("Puppet::Type.newtype(:x) do\nnewparam(:a, :namevar => true || b)\nend"), "x: a!");
}

TEST(TypeScan, NamedGroupsInTheirOrder) {
  auto type =
      scan_type_file(
          read_ruby_file("x.rb",
                         R"(Puppet::ResourceApi.register_type(name: 'x', title_patterns: [{ pattern: %r{^(?<name>.*)/(?<kind>[^/]+)$} }],
    attributes: { name: { behaviour: :namevar }, kind: { behaviour: :namevar } }))"),
          {})
          .find("x");
  ASSERT_TRUE(type);
  EXPECT_EQ(split(*type, "a/b"), "name=a kind=b ");
}

TEST(TypeScan, ResourceApiWithoutPatterns) {
  auto type =
      scan_type_file(
          read_ruby_file(
              "x.rb",
              "Puppet::ResourceApi.register_type({ name: :x, attributes: { a: { behaviour: :namevar }, b: { behaviour: :namevar } } })"),
          {})
          .find("x");
  ASSERT_TRUE(type);
  EXPECT_EQ(split(*type, "t\nu"), "a=t\nu ");
  EXPECT_EQ(scan("definition = { name: 'x', attributes: { a: { type: 'String', behaviour: :namevar } } "
                 "}\nPuppet::ResourceApi.register_type(definition)"),
            "x: a!");
  EXPECT_EQ(scan("Puppet::ResourceApi.register_type(name: 'x', attributes: ATTRIBUTES)"),
            "x: dynamic(the attributes are computed (line 1))");
  EXPECT_EQ(scan("Puppet::ResourceApi.register_type(load_it)"), "x: dynamic(register_type with a computed definition (line 1))");
}

TEST(GeneratedTypes, AreRead) {
  constexpr const char* text = R"(# This file was automatically generated on 2026-01-01 00:00:00 +0000.
# text with 'quotes" and [
Puppet::Resource::ResourceType3.new(
  'x',
  [
    # The basic property
    Puppet::Resource::Param(Enum['present', 'it\'s, "this"]'], 'ensure'),

    Puppet::Resource::Param(Variant[Boolean, Pattern[/[\/\],)]/], Any], 'y', true)
  ],
  [
    Puppet::Resource::Param(Any, 'name', true),

    Puppet::Resource::Param(Any, 'other')
  ],
  {
    /(?i-mx:^(.*):([a-z]:(\/|\\).*)$)/ => ['name', 'y'],
    /^(.*)$/ => ['name']
  },
  false,
  false)
)";
  EXPECT_EQ(generated(text), "x: .ensure .y! name! other repeatable");
  std::string error;
  auto type = read_generated_type("x.pp", text, error);
  EXPECT_EQ(split(*type, "a:C:/b"), "name=a y=C:/b ");
  EXPECT_EQ(split(*type, "a"), "name=a ");
}

TEST(GeneratedTypes, ShortForms) {
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x')"), "x:");
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x', [], [Puppet::Resource::Param(Any, 'a', true)])"), "x: a!");
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x', [], [], undef, true)"), "x:");
}

TEST(GeneratedTypes, TitlesWithoutNamevarAreNames) {
  std::string error;
  EXPECT_EQ(split(*read_generated_type("x.pp", "Puppet::Resource::ResourceType3.new('x', [], [], {})", error), "t"), "name=t ");
  auto one = read_generated_type("x.pp", "Puppet::Resource::ResourceType3.new('x', [], [Puppet::Resource::Param(Any, 'a', true)], {})",
                                 error);
  EXPECT_EQ(split(*one, "t"), "No set of title patterns matched the title \"t\".");
  auto whole = read_generated_type(
      "x.pp", "Puppet::Resource::ResourceType3.new('x', [], [Puppet::Resource::Param(Any, 'a', true)], { /(?m-ix:(.*))/ => ['a'] })",
      error);
  EXPECT_EQ(split(*whole, "t\nu"), "a=t\nu ");
  EXPECT_TRUE(whole->info()->title_is_namevar());
}

TEST(GeneratedTypes, MalformedOnesAreRefused) {
  EXPECT_EQ(generated(""), "expected Puppet::Resource::ResourceType3.new (line 1)");
  EXPECT_EQ(generated("\nnotice('x')"), "expected Puppet::Resource::ResourceType3.new (line 2)");
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x'"), "expected ) (line 1)");
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x')\nnotice(1)"), "expected the end (line 2)");
  EXPECT_EQ(generated("Puppet::Resource::ResourceType3.new('x"), "expected the end of a string (line 1)");
}

struct ResourceTypes : testing::Test {
  std::filesystem::path root = std::filesystem::temp_directory_path() / ("pupc-resource-types-" + std::to_string(::getpid()));
  void SetUp() override { std::filesystem::remove_all(root); }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string& path, std::string_view text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::shared_ptr<const Environment> open() {
    EnvironmentOptions options;
    options.path = root / "env";
    options.modulepath = {root / "env/modules", root / "other"};
    return open_environment(options);
  }
};

TEST_F(ResourceTypes, PrecedenceOfOrigins) {
  write("env/.resource_types/made.pp", "Puppet::Resource::ResourceType3.new('made', [], [Puppet::Resource::Param(Any, 'g', true)])");
  write("env/modules/a/lib/puppet/type/made.rb", "Puppet::Type.newtype(:made) { newparam(:r) { isnamevar } }");
  write("env/modules/a/lib/puppet/type/file.rb", "Puppet::Type.newtype(:file) { newparam(:r) { isnamevar } }");
  write("env/modules/a/lib/puppet/type/cron.rb", "Puppet::Type.newtype(:cron) { newparam(:r) { isnamevar } }");
  write("env/modules/a/lib/puppet/type/host.rb", "Puppet::Type.newtype(:host) { unknown_call }");
  write("env/modules/a/lib/puppet/type/bash.rb", "Puppet::Type.newtype(:bash) { newparam(:r) { isnamevar } }");
  write("env/modules/a/lib/puppet/type/both.rb", "Puppet::Type.newtype(:both) { newparam(:first) { isnamevar } }");
  write("other/b/lib/puppet/type/both.rb", "Puppet::Type.newtype(:both) { newparam(:second) { isnamevar } }");
  auto environment = open();
  auto origin = [&](std::string_view name) { return environment->find_resource_type(name)->origin(); };
  EXPECT_EQ(origin("made"), TypeOrigin::Generated);
  EXPECT_EQ(origin("file"), TypeOrigin::Core);
  EXPECT_EQ(origin("cron"), TypeOrigin::Module);
  EXPECT_EQ(origin("host"), TypeOrigin::CoreModule) << "the module's file is not understood";
  EXPECT_EQ(origin("yumrepo"), TypeOrigin::CoreModule);
  EXPECT_EQ(origin("bash"), TypeOrigin::Module);
  EXPECT_EQ(origin("python"), TypeOrigin::Extension);
  EXPECT_EQ(environment->find_resource_type("both")->namevar().str(), "first");
  EXPECT_EQ(environment->find_resource_type("both"), environment->find_resource_type("both"));
  for (const char* name : {"nothing", "Both", "", "a::b", "../both", "both.rb"})
    EXPECT_EQ(environment->find_resource_type(name), nullptr) << name;
}

TEST_F(ResourceTypes, ProvidersOfAnyModuleBringTheParameter) {
  write("env/modules/a/lib/puppet/type/t.rb", "Puppet::Type.newtype(:t) { newparam(:name) }");
  write("env/modules/a/lib/puppet/type/u.rb", "Puppet::Type.newtype(:u) { newparam(:name) }");
  write("env/modules/a/lib/puppet/provider/u/base.rb", "class Puppet::Provider::U < Puppet::Provider; end");
  write("other/b/lib/puppet/provider/t/ruby.rb", "Puppet::Type.type(:t).provide(:ruby) { }");
  auto environment = open();
  EXPECT_TRUE(environment->find_resource_type("t")->find(sym::provider));
  EXPECT_FALSE(environment->find_resource_type("u")->find(sym::provider));
}

TEST_F(ResourceTypes, MixinsOfOtherModules) {
  write("env/modules/a/lib/puppet/type/t.rb",
        "require 'puppet_x/b/mixin'\nPuppet::Type.newtype(:t) { extend PuppetX::B::Mixin\n add(:y) }");
  write("other/b/lib/puppet_x/b/mixin.rb", "module PuppetX::B; module Mixin\n def add(n) newparam(n) end\nend; end");
  auto environment = open();
  const ResourceTypeInfo* t = environment->find_resource_type("t");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->dynamic(), "");
  EXPECT_TRUE(t->find(intern("y")));
}

TEST_F(ResourceTypes, BrokenGeneratedFileIsAnError) {
  write("env/.resource_types/t.pp", "notice('x')");
  write("env/.resource_types/u.pp", "Puppet::Resource::ResourceType3.new('v')");
  auto environment = open();
  EXPECT_THROW(environment->find_resource_type("t"), CompileError);
  EXPECT_THROW(environment->find_resource_type("t"), CompileError) << "at each use";
  EXPECT_THROW(environment->find_resource_type("u"), CompileError);
}

} // namespace
