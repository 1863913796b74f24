// What the trial runs of classes find, and what they must leave alone.
#include "compiler/analysis/checks_testing.h"

namespace pupc::compiler {
namespace {

constexpr const char* hiera = R"(-- hiera.yaml --
version: 5
hierarchy:
  - name: os
    path: "os/%{facts.os.family}.yaml"
  - name: common
    path: common.yaml
)";

class TrialRuns : public Checks {
protected:
  /// The example with a hiera.yaml of two levels.
  void expect_with_data(std::span<const Case> cases) { expect_with(hiera, cases); }
};

TEST_F(TrialRuns, ReferencesToTitlesThatParametersMake) {
  static constexpr Case cases[] = {
      {R"(-- data/common.yaml --
app::packages: [web, db]
-- modules/app/manifests/init.pp --
class app (Array[String] $packages) {
  package { $packages: ensure => installed }
  service { 'app': ensure => running, require => Package['dbx'] }
}
-- manifests/site.pp --
node 'a' { include app })",
       "no_such_resource"},
      {R"(-- data/common.yaml --
app::packages: [web, db]
-- modules/app/manifests/init.pp --
class app (Array[String] $packages) {
  package { $packages: ensure => installed }
  service { 'app': ensure => running, require => Package['db'] }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      // An unknown title may be any.
      {R"(-- data/common.yaml --
a: b
-- modules/app/manifests/init.pp --
class app {
  package { $facts['site_package']: ensure => installed }
  service { 'app': ensure => running, require => Package['db'] }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      // The name is another on some systems, and the reference is not.
      {R"(-- data/common.yaml --
a: b
-- data/os/Debian.yaml --
app::service: ssh
-- data/os/RedHat.yaml --
app::service: sshd
-- modules/app/manifests/init.pp --
class app (String $service) {
  service { 'daemon': ensure => running, name => $service }
  file { '/etc/app': ensure => file, notify => Service['ssh'] }
}
-- manifests/site.pp --
node 'a' { include app })",
       "no_such_resource"},
      // What code chooses by a fact may never be chosen on the site's nodes.
      {R"(-- data/common.yaml --
a: b
-- modules/app/manifests/init.pp --
class app {
  $service = $facts['os']['family'] ? { 'Debian' => 'ssh', default => 'sshd' }
  service { $service: ensure => running }
  file { '/etc/app': ensure => file, notify => Service['ssh'] }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
  };
  expect_with_data(cases);
}

TEST_F(TrialRuns, WhatDefinesDeclareAndInclude) {
  static constexpr Case cases[] = {
      // The class that a defined type includes is asked for first by one that is run for its failures alone.
      {R"(-- modules/wall/manifests/init.pp --
class wall ($nets = ['a']) { service { 'wall': ensure => running } }
-- modules/wall/manifests/rule.pp --
define wall::rule ($from = undef) {
  include wall
  file { "/etc/wall/${title}": content => "${wall::nets}${from}", notify => Service['wall'] }
}
-- modules/web/manifests/init.pp --
class web ($port) { wall::rule { 'web': from => $port } }
-- manifests/site.pp --
node 'a' { class { 'web': port => 1 } wall::rule { 'x': } })",
       ""},
      {R"(-- modules/wall/manifests/init.pp --
class wall { service { 'wall': ensure => running } }
-- modules/wall/manifests/rule.pp --
define wall::rule { file { "/etc/wall/${title}": notify => Service['wall'] } }
-- manifests/site.pp --
node 'a' { wall::rule { 'x': } })",
       "no_such_resource"},
      // The body of an exported or virtual resource is evaluated where somebody collects it, with what that catalog has.
      {R"(-- modules/wall/manifests/rule.pp --
define wall::rule { file { "/etc/wall/${title}": notify => Service['wall'] } }
-- manifests/site.pp --
node 'a' { @@wall::rule { 'x': } }
node 'b' {
  service { 'wall': ensure => running, require => File['/etc/wall/x'] }
  Wall::Rule <<| |>>
})",
       ""},
      {R"(-- modules/wall/manifests/rule.pp --
define wall::rule { file { "/etc/wall/${title}": notify => Service['wall'] } }
-- manifests/site.pp --
node 'b' {
  @wall::rule { 'x': }
  Wall::Rule <| title == 'x' |>
  service { ['wall', 'other']: ensure => running, require => File['/etc/wall/x'] }
})",
       ""},
  };
  expect(cases);
}

TEST_F(TrialRuns, DataThatFlowIntoDefinesAndTypes) {
  static constexpr Case cases[] = {
      {R"(-- data/common.yaml --
app::keys: { laptop: { type: ssh-rsa, key: 'ssh-rsa AAAA me@laptop' } }
-- modules/app/manifests/init.pp --
class app (Hash $keys = {}) {
  $keys.each |$name, $key| {
    file { "/etc/${name}": ensure => $key['kind'] }
  }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      {R"(-- data/common.yaml --
app::jobs: { night: { weekday: 8 } }
-- modules/app/manifests/init.pp --
class app (Hash $jobs = {}) {
  $jobs.each |$name, $job| {
    cron { $name: command => '/bin/true', user => 'root', minute => 1, hour => 2, weekday => $job['weekday'] }
  }
}
-- manifests/site.pp --
node 'a' { include app })",
       "attribute_value"},
      {R"(-- data/common.yaml --
app::jobs: { night: { weekday: 7 } }
-- modules/app/manifests/init.pp --
class app (Hash $jobs = {}) {
  $jobs.each |$name, $job| {
    cron { $name: command => '/bin/true', user => 'root', minute => 1, hour => 2, weekday => $job['weekday'] }
  }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      // A selector without a choice for what the data lack.
      {R"(-- data/common.yaml --
app::members: [{ host: a, weight: 5 }, { host: b }]
-- modules/app/manifests/init.pp --
class app (Array[Hash] $members = []) {
  $lines = $members.map |$m| { $m['weight'] ? { Integer => "${m['host']} ${m['weight']}" } }
  notify { 'lines': message => $lines.join(' ') }
}
-- manifests/site.pp --
node 'a' { include app })",
       "fails_with_data"},
      {R"(-- data/common.yaml --
app::members: [{ host: a, weight: 5 }, { host: b }]
-- modules/app/manifests/init.pp --
class app (Array[Hash] $members = []) {
  $lines = $members.map |$m| { $m['weight'] ? { Integer => "${m['host']} ${m['weight']}", default => $m['host'] } }
  notify { 'lines': message => $lines.join(' ') }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      // Levels that are merged may have the key.
      {R"(-- data/common.yaml --
lookup_options: { 'app::options': { merge: deep } }
app::options: { port: 80 }
-- data/os/Debian.yaml --
app::options: { host: a }
-- modules/app/manifests/init.pp --
class app (Hash $options) {
  notify { 'port': message => sprintf('%d', $options['port']) }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      // A default that fails is never taken where code gives the parameter.
      {R"(-- data/common.yaml --
a: b
-- modules/app/manifests/init.pp --
class app ($options = undef) {
  notify { 'port': message => $options['port'] }
}
-- manifests/site.pp --
node 'a' { class { 'app': options => { 'port' => 80 } } })",
       ""},
  };
  expect_with_data(cases);
}

TEST_F(TrialRuns, CollectorsThatTakeNothing) {
  static constexpr Case cases[] = {
      {R"(class app {
  @user { 'deploy': ensure => present, tag => 'deploy' }
  User <| tag == 'deployment' |>
}
node 'a' { include app })",
       "never_realized"},
      {R"(class app {
  @user { 'deploy': ensure => present, tag => 'deploy' }
  User <| tag == 'deploy' |>
}
node 'a' { include app })",
       ""},
      // Tags of what stands around.
      {R"(class app {
  @user { 'deploy': ensure => present }
  User <| tag == 'app' |>
}
node 'a' { include app })",
       ""},
      {R"(class app {
  @notify { $facts['networking']['fqdn']: tag => 'site' }
  Notify <<| tag == 'site' |>>
}
node 'a' { include app })",
       "never_realized"},
      {R"(class app {
  @@notify { $facts['networking']['fqdn']: tag => 'site' }
  Notify <<| tag == 'site' |>>
}
node 'a' { include app })",
       ""},
  };
  expect(cases);
}

TEST_F(TrialRuns, SecretsInTexts) {
  static constexpr Case cases[] = {
      {R"(-- modules/app/manifests/init.pp --
class app (Optional[Sensitive[String]] $password = undef) {
  if $password { notify { 'p': message => "p=${password}" } }
}
-- manifests/site.pp --
node 'a' { include app })",
       "redacted_secret"},
      {R"(-- modules/app/manifests/init.pp --
class app (Optional[Sensitive[String]] $password = undef) {
  if $password { notify { 'p': message => Sensitive("p=${password.unwrap}") } }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
      {R"(-- modules/app/manifests/init.pp --
class app (Variant[String, Sensitive[String]] $password = 'x') {
  notify { 'p': message => "p=${password}" }
}
-- manifests/site.pp --
node 'a' { include app })",
       ""},
  };
  expect(cases);
}

TEST_F(TrialRuns, ResultsThatOnlyLog) {
  static constexpr Case cases[] = {
      {"function lines(Array[String] $all) >> String { $text = join($all, ' ') notice($text) } node 'a' { notify { lines(['a']): } }",
       "return_type"},
      {"function lines(Array[String] $all) >> String { notice('x') join($all, ' ') } node 'a' { notify { lines(['a']): } }", ""},
      {"function lines(Array[String] $all) >> Optional[String] { $text = join($all, ' ') notice($text) } node 'a' { notice(lines(['a'])) }",
       ""},
  };
  expect(cases);
}

} // namespace
} // namespace pupc::compiler
