// What the catalogs of nodes have: references that lead nowhere, what is there twice, what nothing notifies.
#include "compiler/analysis/checks_testing.h"

namespace pupc::compiler {
namespace {

class CatalogChecks : public Checks {
protected:
  static constexpr const char* reload = R"(
-- modules/m/manifests/reload.pp --
class m::reload {
  exec { 'daemon reload': command => '/bin/true', refreshonly => true }
}
-- manifests/site.pp --
node 'a' { include m })";

  /// With data that have nothing for these classes, so that their defaults are known.
  void expect_with_data(std::span<const Case> cases) {
    expect_with("-- hiera.yaml --\nversion: 5\nhierarchy: [{ name: all, path: common.yaml }]\n-- data/common.yaml --\nx: y\n", cases);
  }

  /// The code in a class beside one with an exec that waits for a notification.
  void expect_with_exec(const char* code, const char* found) {
    const std::string all = fmt::format("-- modules/m/manifests/init.pp --\nclass m {{\n  contain m::reload\n  {}\n}}{}", code, reload);
    const Case one[] = {{all.c_str(), found}};
    expect(one);
  }
};

TEST_F(CatalogChecks, WhatNotifiesAnExec) {
  for (const char* code : {
           "file { '/a': ensure => file }",
           "file { '/a': require => Class['m::reload'] }",
           "Class['m::reload'] ~> file { '/a': }",
           "file { '/a': } -> Class['m::reload']",
           "file { '/a': before => 'Class[m::reload]' }",
       })
    expect_with_exec(code, "never_run");
  for (const char* code : {
           "file { '/a': notify => 'Exec[daemon reload]' }",
           "file { '/a': notify => ['Class[m::reload]'] }",
           "file { '/a': * => { notify => Class['m::reload'] } }",
           "file { '/a': * => { 'notify' => 'Class[m::reload]' } }",
           "File { notify => Class['m::reload'] }\n  file { '/a': }",
           "file { '/a': }\n  File <| title == '/a' |> { notify => Class['m::reload'] }",
           "$n = Class['m::reload']\n  file { '/a': notify => $n }",
           "create_resources('file', { '/a' => { notify => Class['m::reload'] } })",
           "$n = 'daemon reload'\n  file { '/a': notify => \"Exec[${n}]\" }",
           "['reload'].each |$c| { file { \"/${c}\": notify => Class[\"m::${c}\"] } }",
           "file { '/a': } ~> Class['m::reload']",
       })
    expect_with_exec(code, "");
}

TEST_F(CatalogChecks, ClassesOfRelationships) {
  static constexpr Case cases[] = {
      {R"(-- modules/m/manifests/a.pp --
class m::a { notify { 'a': } }
-- modules/m/manifests/b.pp --
class m::b { notify { 'b': } }
-- modules/m/manifests/init.pp --
class m { contain m::a
  Class['m::a'] -> Class['m::b'] }
-- manifests/site.pp --
node 'x' { include m }
node 'y' { include m::b })",
       "no_such_resource"},
      {R"(-- modules/m/manifests/a.pp --
class m::a { notify { 'a': } }
-- modules/m/manifests/b.pp --
class m::b { notify { 'b': } }
-- modules/m/manifests/init.pp --
class m { contain m::a
  Class['m::a'] -> Class['M::B'] }
-- manifests/site.pp --
node 'x' { include m, m::b })",
       ""},
  };
  expect(cases);
}

TEST_F(CatalogChecks, ClassesThatAreThereWhenTheyAreDeclared) {
  static constexpr Case cases[] = {
      // What another class has brought.
      {R"(-- modules/m/manifests/mail.pp --
class m::mail ($root = 'a') { notify { $root: } }
-- modules/m/manifests/base.pp --
class m::base { include m::mail }
-- modules/m/manifests/git.pp --
class m::git { class { 'm::mail': root => 'git' } }
-- manifests/site.pp --
node 'x' {
  include m::base
  include m::git
})",
       "duplicate_resource"},
      // By inheritance.
      {R"(-- modules/m/manifests/init.pp --
class m ($root = 'a') { notify { $root: } }
-- modules/m/manifests/node.pp --
class m::node inherits m { notify { 'node': } }
-- modules/m/manifests/git.pp --
class m::git { class { 'm': root => 'git' } }
-- manifests/site.pp --
node 'x' { include m::node, m::git })",
       "duplicate_resource"},
      // Declared first; or perhaps; or on other nodes.
      {R"(-- modules/m/manifests/mail.pp --
class m::mail ($root = 'a') { notify { $root: } }
-- modules/m/manifests/base.pp --
class m::base { include m::mail }
-- modules/m/manifests/git.pp --
class m::git { class { 'm::mail': root => 'git' } }
-- manifests/site.pp --
node 'x' { include m::git, m::base }
node 'y' { include m::base }
node 'z' {
  include m::base
  if $facts['a'] { include m::git }
})",
       ""},
  };
  expect(cases);
}

TEST_F(CatalogChecks, ResourcesThatTwoClassesDeclare) {
  static constexpr Case cases[] = {
      {R"(-- modules/m/manifests/a.pp --
class m::a (String $dir = '/srv') { file { "${dir}/x": ensure => file } }
-- modules/m/manifests/b.pp --
class m::b { file { '/srv/x': ensure => file } }
-- manifests/site.pp --
node 'x' { include m::a, m::b })",
       "duplicate_resource"},
      {R"(-- modules/m/manifests/a.pp --
class m::a (String $dir = '/srv') { file { "${dir}/x": ensure => file } }
-- modules/m/manifests/b.pp --
class m::b { if !defined(File['/srv/x']) { file { '/srv/x': ensure => file } } }
-- manifests/site.pp --
node 'x' { include m::a, m::b })",
       ""},
      {R"(-- modules/m/manifests/a.pp --
class m::a { file { "/srv/${facts['x']}": ensure => file } }
-- modules/m/manifests/b.pp --
class m::b { file { '/srv/x': ensure => file } }
-- manifests/site.pp --
node 'x' { include m::a, m::b })",
       ""},
  };
  expect_with_data(cases);
}

TEST_F(CatalogChecks, ResourcesThatDataDeclareAgain) {
  static constexpr Case cases[] = {
      {R"(-- modules/m/manifests/init.pp --
class m (Array[String] $dirs) { file { $dirs: ensure => directory }
  file { '/srv/x': ensure => directory } }
-- data/common.yaml --
m::dirs: ['/srv/a', '/srv/x']
-- manifests/site.pp --
node 'x' { include m })",
       "duplicate_resource"},
      {R"(-- modules/m/manifests/init.pp --
class m (Array[String] $dirs) { file { $dirs: ensure => directory }
  file { '/srv/x': ensure => directory } }
-- data/common.yaml --
m::dirs: ['/srv/a', '/srv/b']
-- manifests/site.pp --
node 'x' { include m })",
       ""},
  };
  expect_with_data(cases);
}

TEST_F(CatalogChecks, FunctionsAndMatchesOfTrials) {
  static constexpr Case cases[] = {
      // A function in Ruby that creates resources of one type says nothing of others.
      {R"(-- modules/m/lib/puppet/functions/m/make.rb --
Puppet::Functions.create_function(:'m::make') do
  def make(all)
    resources = all.keys.to_h { |k| [k, {}] }
    call_function('create_resources', 'notify', resources)
  end
end
-- modules/m/manifests/init.pp --
class m { m::make({ 'a' => 1 })
  file { '/a': require => File['/b'] }
  user { 'u': require => Notify['a'] } }
-- manifests/site.pp --
node 'x' { include m })",
       "no_such_resource"},
      // What an exported defined type brings.
      {R"(-- modules/m/manifests/job.pp --
define m::job { file { "/jobs/${title}": ensure => file } }
-- modules/m/manifests/init.pp --
class m { M::Job <<| |>>
  user { 'u': require => File['/jobs/a'] }
  user { 'v': require => File['/job/a'] } }
-- manifests/site.pp --
node 'x' { include m })",
       "no_such_resource"},
      {R"(-- modules/m/functions/size.pp --
function m::size(String $s) { if $s =~ /^(\d+)([GT])$/ { $2 ? { 'G' => 30, 'M' => 20 } } }
-- modules/m/manifests/init.pp --
class m (String $size = '2T') { notify { "${m::size($size)}": } }
-- manifests/site.pp --
node 'x' { include m })",
       "fails_with_data"},
      {R"(-- modules/m/functions/size.pp --
function m::size(String $s) { if $s =~ /^(\d+)([GT])$/ { $2 ? { 'G' => 30, 'T' => 40 } } }
-- modules/m/manifests/init.pp --
class m (String $size = '2T') { notify { "${m::size($size)}": } }
-- manifests/site.pp --
node 'x' { include m })",
       ""},
      // Each of several values.
      {R"(-- modules/m/manifests/init.pp --
class m {
  $dir = $facts['os']['family'] ? { 'Debian' => '/etc/a', default => '/etc/b' }
  $path = regsubst("${dir}/c d", ' ', '_')
  file { 'c': path => $path }
  user { 'u': require => File['/etc/a/c_e'] }
}
-- manifests/site.pp --
node 'x' { include m })",
       "no_such_resource"},
      // A resource with several titles waits, too.
      {R"(-- modules/m/manifests/init.pp --
class m { contain m::a
  contain m::b
  Class['m::a'] -> Class['m::b'] }
-- modules/m/manifests/a.pp --
class m::a { notify { 'a': } }
-- modules/m/manifests/b.pp --
class m::b { $d = "/${facts['x']}"
  file { [$d, "${d}/b"]: ensure => directory, before => Class['m::a'] } }
-- manifests/site.pp --
node 'x' { include m })",
       "relationship_cycle"},
  };
  expect_with_data(cases);
}

TEST_F(CatalogChecks, NamesOfTypesWithAnS) {
  static constexpr Case cases[] = {
      {"-- Puppetfile --\nmod 'a-other', '1.0.0'\n-- manifests/site.pp --\nUsers <| |>\n", "no_such_data_type"},
      {"-- Puppetfile --\nmod 'a-other', '1.0.0'\n-- manifests/site.pp --\ncreate_resources('users', {})\n", "no_such_type"},
      {"-- Puppetfile --\nmod 'a-users', '1.0.0'\n-- manifests/site.pp --\ncreate_resources('users', {})\n", "no_such_module"},
  };
  expect(cases);
}

} // namespace
} // namespace pupc::compiler
