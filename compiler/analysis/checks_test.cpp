// Runs every check of the registry on its own examples: the wrong one has exactly the check's finding, the right one has none.
#include "compiler/analysis/checks_testing.h"

namespace pupc::compiler {
namespace {

TEST_F(Checks, WrongExampleHasExactlyItsFinding) {
  for (const CheckEntry& c : all_checks()) {
    if (c.code == CheckCode::template_syntax) continue; // the validate command reports it: cli_test.py tests it
    if (c.code == CheckCode::slash_comments) continue;  // a syntax error
    lay_out(c.wrong);
    const auto found = is_style_check(c.code) ? run_style(c) : run();
    EXPECT_EQ(found.size(), 1u) << c.ident << ":\n" << fmt::format("{}", fmt::join(found, "\n"));
    EXPECT_TRUE(found.empty() || found[0].find(fmt::format(" {} ", c.ident)) != std::string::npos) << c.ident << " instead of " << found[0];
  }
}

TEST_F(Checks, RightExampleIsSilent) {
  for (const CheckEntry& c : all_checks()) {
    lay_out(c.right);
    EXPECT_EQ(is_style_check(c.code) ? run_style(c) : run(), std::vector<std::string>{}) << c.ident;
  }
}

TEST_F(Checks, AttributesOfObjectsAreNoFunctions) {
  auto has_error = [&] { return fmt::format("{}", fmt::join(run(), "\n")).find("error no_such_function") != std::string::npos; };
  lay_out("type X = Object[{ attributes => { zuzu => Integer } }]\n$x = X(1)\nnotice($x.zuzu, Deferred('upcase', ['a']).arguments)\n");
  EXPECT_FALSE(has_error());
  for (const char* call : {"$x.zuzu(1)", "'a'.zuzu", "$x.zuzu |$y| { $y }", "$x.upcas"}) {
    lay_out(fmt::format("$x = 'a'\nnotice({})\n", call));
    EXPECT_TRUE(has_error()) << call;
  }
}

TEST_F(Checks, BranchesAndComputedNames) {
  const Case cases[] = {
      // The types of a hash that stands in the code.
      {"$h = { 'a' => $facts['x'], 'b' => 1 }\n$h.each |Integer $k, $v| { notice($k) }", "argument_type"},
      {"$h = { 'a' => $facts['x'], 'b' => 1 }\n$h.each |String $k, Integer $v| { notice($k) }", ""},
      // Groups of the pattern that matched, and none that another one may have set.
      {"$a = $facts['x']\nif $a =~ /(a)(b)/ { notice($2) }", ""},
      {"$a = $facts['x']\nif $a =~ /(a)/ { if $facts['y'] =~ /(b)(c)/ { notice($2) } }", ""},
      {"$a = $facts['x']\nif $a =~ /(?<n>a)/ { notice($1) }", ""},
      {"$a = $facts['x'] ? { /^(a)/ => \"${2}\", default => 'b' }", "unset_variable"},
      {"$a = $facts['x'] ? { /^(a)(?:b)/ => \"${1}\", default => 'b' }", ""},
      {"if $facts['x'] == 'a' or $facts['x'] == 'b' { notice(1) }", ""},
      {"class a (String $b) { notice($b.match(/^(a)/)[2]) }", "unset_variable"},
      {"class a (String $b) { notice($b.match(/^(a)/)[1]) }", ""},
      {"class a (String $b) { notice($b in $b) }", "constant_condition"},
      {"class a (String $b, Array $c) { notice($b in $c) }", ""},
      {"if $facts['x'] =~ /^(a)/ { notice($1 * 2) }", "operand_type"},
      {"if $facts['x'] =~ /^(a)/ { notice([] + $1) }", ""},
      {"notice(join($facts['x'], '\\n'))", "argument_type"},
      {"notice(join($facts['x'], \"\\n\"))", ""},
      {"case $facts['os']['family'] { 'Debian', 'Devuan': { notice(1) } default: {} }", ""},
      {"case $facts['os']['family'] { 'Debian': { notice(1) } 'Devuan': { notice(2) } default: {} }", "unreachable_choice"},
      // What defaults give is not missing, wherever they stand.
      {"file { '/a': source => '/b', checksum_value => 'd41d8cd98f00b204e9800998ecf8427e' }", "attribute_value"},
      {"File { checksum => md5 }\nfile { '/a': source => '/b', checksum_value => 'd41d8cd98f00b204e9800998ecf8427e' }", ""},
      {"file { default: checksum => md5; '/a': source => '/b', checksum_value => 'd41d8cd98f00b204e9800998ecf8427e' }", ""},
      {"ssh_authorized_key { default: user => 'root'; 'a': key => 'AAAA', type => 'ssh-rsa' }", ""},
      // A title that one slip makes of another is told, also where others are computed.
      {"define x ($p) { exec { \"${p}_${p}\": refreshonly => true } }\nexec { 'update_pf': command => '/bin/a', refreshonly => true }\n"
       "file { '/a': notify => Exec['updat_pf'] }",
       "no_such_resource"},
      {"define x ($p) { file { \"${p}/${p}\": } }\nfile { '/Library/LaunchDaemons/a': }\n"
       "file { '/a': require => File['/Library/LaunchDaemon/a'] }",
       "no_such_resource"},
      {"define x ($p) { file { \"${p}/${p}\": } }\nx { 'y': p => $facts['kernel'] }\nfile { '/srv/a1': }\nfile { '/a': require => "
       "File['/srv/a2'] }",
       ""},
      {"define x ($p) { file { \"${p}_${p}\": } }\nx { 'y': p => $facts['kernel'] }\nfile { '/srv/http_port': }\nfile { '/a': require => "
       "File['/srv/https_port'] }",
       ""},
      // What one branch declares twice, and waits for in a circle.
      {"class a { case $facts['kernel'] { 'Linux': { file { '/a': }\n file { '/b': ; '/a': ensure => file } } default: { } } }",
       "duplicate_resource"},
      {"class a { case $facts['kernel'] { 'Linux': { file { '/a': } } default: { file { '/a': } } } }", ""},
      {"class a { unless defined(File['/a']) { file { '/a': } } if $facts['a'] { file { '/a': mode => '0600' } } }", ""},
      {"class a { if $facts['kernel'] == 'a' { fail('no') }\n file { '/a': require => File['/b'] }\n file { '/b': }\n"
       " if $facts['b'] { File['/a'] -> File['/b'] } }",
       "relationship_cycle"},
      {"class a { file { ['/a', '/b']: }\n if $facts['b'] { File['/a'] -> File['/b'] } else { File['/b'] -> File['/a'] } }", ""},
      {"if $facts['kernel'] == /Lin/ { notice('a') }", "impossible_comparison"},
      {"if $facts['kernel'] =~ /Lin/ { notice('a') }", ""},
      {"-- modules/a/files/x --\nx\n-- manifests/site.pp --\n$name_of_it = 'a/x'\nnotice(file($name_of_it))", ""},
      {"-- modules/a/files/x --\nx\n-- manifests/site.pp --\n$name_of_it = 'a/y'\nnotice(file($name_of_it))", "no_such_file"},
      {"notice(lookup('a', Integer, 'first', 'b'))", "argument_type"},
      {"notice(lookup('a', Integer, 'first', 1), lookup('b', Variant[String, Undef], 'first', undef))", ""},
  };
  expect(cases);
}

TEST_F(Checks, SlipsInPlacesThatDependOnOthers) {
  const Case cases[] = {
      // A text whose parts are all known is looked up.
      {"-- modules/a/files/x --\nx\n-- modules/a/manifests/init.pp --\nclass a { file { '/a': source => "
       "\"puppet:///modules/${module_name}/y\" } }",
       "no_such_file"},
      {"-- modules/a/files/x --\nx\n-- modules/a/manifests/init.pp --\nclass a { file { '/a': source => "
       "\"puppet:///modules/${module_name}/x\" } }",
       ""},
      // A template that nothing here renders, and its module's variables. Of several unknown ones another module knows more.
      {"-- modules/a/manifests/init.pp --\nclass a { $worker = 5\n notice($worker) }\n-- modules/a/templates/x.erb --\n<%= @workers %>",
       "template_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a { $worker = 5\n notice($worker) }\n-- modules/a/templates/x.erb --\n<%= @workers %><%= "
       "@other %>",
       ""},
      {"-- modules/a/manifests/init.pp --\nclass a { $worker = 5\n notice($worker) }\n-- modules/a/templates/x.erb --\n<%= @worker %>", ""},
      // A name that only begins as a fact does is none.
      {"-- modules/a/manifests/init.pp --\nclass a { $sshd_port = 5\n notice(template('a/x.erb')) }\n-- modules/a/templates/x.erb --\n<%= "
       "@sshd_prot %>",
       "template_variable"},
      // Methods of values, and templates in templates.
      {"-- modules/a/manifests/init.pp --\nclass a { $all = [1]\n notice(template('a/x.erb')) }\n-- modules/a/templates/x.erb --\n<% "
       "@all.eech do |x| %><% end %>",
       "no_such_function"},
      {"-- modules/a/manifests/init.pp --\nclass a { $all = {}\n notice(template('a/x.erb')) }\n-- modules/a/templates/x.erb --\n<%= "
       "@all.key?('a') && @all.value?(1) %>",
       ""},
      {"-- modules/a/templates/x.erb --\n<%= scope.function_template(['a/y.erb']) %>", "no_such_file"},
      {"-- modules/a/templates/x.erb --\n<%= scope.call_function('template', ['a/y.erb']) %>", "no_such_file"},
      {"-- modules/a/templates/x.erb --\n<%= scope.call_function('template', ['a/x.erb']) %>", ""},
      // A template without parameters, and what its calls give.
      {"-- modules/a/manifests/init.pp --\nclass a { $given = { 'workers' => 5 }\n notice(epp('a/x.epp', $given)) }\n-- "
       "modules/a/templates/x.epp --\n<%= $worker %>",
       "unset_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a { $given = { 'workers' => 5 }\n notice(epp('a/x.epp', $given)) }\n-- "
       "modules/a/templates/x.epp --\n<%= $workers %>",
       ""},
      {"-- modules/a/manifests/init.pp --\nclass a { $given = { 'workers' => 5 }\n notice(epp('a/x.epp', $given)) }\n-- "
       "modules/a/templates/x.epp --\n"
       "<%- | Integer $worker = 1 | -%>\n<%= $worker %>",
       "template_parameter"},
      // Titles that are made of variables are one title in one body.
      {"define x { file { \"/a/${title}\": require => Service[$title] }\n service { $title: require => File[\"/a/${title}\"] } }",
       "relationship_cycle"},
      {"define x { file { \"/a/${title}\": notify => Service[$title] }\n service { $title: require => File[\"/a/${title}\"] } }", ""},
      // Overrides reach what the class declares or inherits, and nothing else.
      {"define x ($p) { create_resources($p, {}) }\nclass a { User['x'] { shell => '/bin/sh' } }", "refused_override"},
      {"class a ($p) { create_resources($p, {})\n User['x'] { shell => '/bin/sh' } }", ""},
      {"class b { user { 'x': } }\nclass a inherits b { User['x'] { shell => '/bin/sh' } }", ""},
      // A class that nothing brings along with what needs it.
      {"-- modules/a/manifests/init.pp --\nclass a { include a::one }\n-- modules/a/manifests/one.pp --\n"
       "class a::one { notify { 'x': require => Class['a::two'] } }\n-- modules/a/manifests/two.pp --\nclass a::two { }",
       "no_such_resource"},
      {"-- modules/a/manifests/init.pp --\nclass a { include a::one\n include a::two }\n-- modules/a/manifests/one.pp --\n"
       "class a::one { notify { 'x': require => Class['a::two'] } }\n-- modules/a/manifests/two.pp --\nclass a::two { }",
       ""},
      // A short word counts where the other title stands beside it.
      {"define x ($p) { exec { $p: refreshonly => true } }\nclass a ($q) { x { 'y': p => $q }\n exec { 'install_cli': command => '/bin/a', "
       "refreshonly => true }\n"
       " file { '/a': notify => Exec['install_cil'] } }",
       "no_such_resource"},
      // The values that a type in Ruby lists.
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  ensurable\n  newparam(:name) { desc 'n' }\nend\n"
       "-- manifests/site.pp --\na_key { 'x': ensure => 'presnt' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:state) "
       "do\n"
       "    newvalues(:on, :off)\n  end\nend\n-- manifests/site.pp --\na_key { 'x': state => 'of' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:state) "
       "do\n"
       "    newvalues(:on, /^\\d+$/)\n  end\nend\n-- manifests/site.pp --\na_key { 'x': state => 'of' }",
       "attribute_value"},
      // Each value that a selector or a branch chooses must do.
      {"class a (Boolean $on) { $state = $on ? { true => 'runing', default => 'stopped' }\n service { 'x': ensure => $state } }",
       "attribute_value"},
      {"class a (Boolean $on) { if $on { $state = 'presnt' } else { $state = 'absent' }\n user { 'x': ensure => $state } }",
       "attribute_value"},
      {"define x (Enum['on', 'off'] $y) { notice($y) }\nclass a (Boolean $on) { x { 'z': y => $on ? { true => 'on', default => 'of' } } }",
       "parameter_type"},
      {"define x (Enum['on', 'off'] $y = 'on') { notice($y) }\nclass a (Boolean $on) { x { 'z': y => $on ? { true => 'off', default => "
       "undef } } }",
       ""},
      // Words of Puppet and Facter in Ruby.
      {"-- modules/a/lib/facter/a_level.rb --\nFacter.add(:a_level) do\n  setcod { 5 }\nend", "ruby_code"},
      {"-- modules/a/lib/facter/a_level.rb --\ndef setcod\nend\nFacter.add(:a_level) do\n  setcod { 5 }\nend", ""},
      {"-- modules/a/lib/puppet/provider/a_key/x.rb --\nPuppet::Type.type(:a_key).provide(:x) do\n  optional_comands tool: 'tool'\nend",
       "ruby_code"},
  };
  expect(cases);
}

TEST_F(Checks, TypesAndValuesFlow) {
  const Case cases[] = {
      // A type that has no end but undef.
      {"type A = Optional[A]\nfunction f(A $x) { $x['k'] }\nnotice(A(undef), f(undef))", ""},
      // What a block gets: a condition that asks for another type knows better.
      {"class a (Hash[String, Array] $h) { $h.each |$k, $v| { if $v =~ Hash { file { $k: * => $v } } } }", ""},
      {"class a (Hash[String, Array] $h) { $h.each |$k, $v| { file { $k: * => $v } } }", "parameter_type"},
      {"class a (Hash[String, Integer] $h) { $h.map |String $k| { notice($k) } }", "argument_type"},
      {"class a (Hash[String, Integer] $h) { $h.map |Tuple $kv| { notice($kv) } }", ""},
      {"class a (Optional[Array[String]] $h) { $h.each |Optional[String] $k| { notice($k) } }", ""},
      {"class a (Array[Variant[String, Integer]] $h) { $h.each |Integer $k| { notice($k) } }", ""},
      {"define x (Enum['on', 'off'] $y) { notice($y) }\nclass a { ['on', 'of'].each |$z| { x { \"a ${z}\": y => $z } } }",
       "parameter_type"},
      {"define x (Enum['on', 'off'] $y) { notice($y) }\n"
       "class a { ['on', 'of'].each |$z| { if $z == 'on' { x { \"a ${z}\": y => $z } } } }",
       ""},
      {"notice(Array($facts['a'], true), Integer($facts['a'], 16), String($facts['a'], '%d'), Type(Array))", ""},
      // Values that a class gives to its variables.
      {"class p { if $facts['a'] { $hour = 24 } else { $hour = 5 } }\nclass a (Integer[0, 23] $h = $p::hour) inherits p { notice($h) }",
       "default_type"},
      {"class p { if $facts['a'] { $hour = 23 } else { $hour = 5 } }\nclass a (Integer[0, 23] $h = $p::hour) inherits p { notice($h) }",
       ""},
      {"class p { case $facts['a'] { 'x': { $u = 1\n $v = 1\n $w = 1 } 'y': { $u = 2\n $v = 2 } 'z': { $u = 3\n $v = 3\n $w = 3 } "
       "default: { fail('no') } } }\nclass a inherits p { notice($p::w) }",
       "sometimes_unset"},
      {"class p { case $facts['a'] { 'x': { $u = 1\n $v = 1\n $w = 1 } 'y': { $q = 2 } 'z': { $u = 3\n $v = 3\n $w = 3 } "
       "default: { fail('no') } } }\nclass a inherits p { notice($p::w, $p::q) }",
       ""},
      {"class m { $ports = { 'http' => { 'port' => 80 } } }\ndefine x (String $of) { include m\n notice($m::ports[$of]['port']) }\n"
       "x { 'a': of => 'htpp' }",
       "no_such_key"},
      {"class m { $ports = { 'http' => { 'port' => 80 } } }\ndefine x (String $of) { include m\n notice($m::ports[$of]['port']) }\n"
       "x { 'a': of => 'http' }",
       ""},
      // One resource under several names and conditions.
      {"class a (Boolean $x, Boolean $y) { if $x { file { '/a': } }\n if $y { file { '/a': } } }", "duplicate_resource"},
      {"class a (Boolean $x, Boolean $y) { if $x { if $facts['a'] != 'b' { file { '/a': } } }\n "
       "if $y { if $facts['a'] != 'b' { file { '/a': } } } }",
       "duplicate_resource"},
      {"class a (Boolean $x, Boolean $y) { if $x { if $facts['a'] != 'b' { file { '/a': } } }\n "
       "if $y { if $facts['c'] != 'b' { file { '/a': } } } }",
       ""},
      {"class a (Boolean $x, Boolean $y) { if $x { file { '/a': } }\n if $x and $y { file { '/b': } } }", ""},
      {"class a { file { '/a': }\n if !defined(File['/a']) { file { '/a': } } }", ""},
      {"class a { file { '/b': path => '/a' }\n file { '/a': } }", "duplicate_resource"},
      {"class a { package { 'x': provider => 'gem', name => 'y' }\n package { 'y': } }", ""},
      {"class a { user { 'x': } }\nclass b { user { 'x': } }\nnode 'n' { include a\n include b }", "duplicate_resource"},
      // Deferred calls, branches in the same words.
      {"$d = Deferred('sprintf', ['%s and %s', 'a'])\nnotice($d)", "argument_count"},
      {"$d = Deferred('sprintf', ['%s and %s', 'a', 'b'])\nnotice($d)", ""},
      {"if $facts['a'] { notice('x') } else { notice('y') }", ""},
      // What a template without parameters gets is all that it sees, apart from the top scope.
      {"-- modules/a/manifests/init.pp --\nclass a { $b = 5\n notice($b, epp('a/x.epp', { 'c' => 1 })) }\n"
       "-- modules/a/templates/x.epp --\n<%= $b %><%= $c %>",
       "unset_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a { $b = 5\n notice($b, epp('a/x.epp')) }\n-- modules/a/templates/x.epp --\n<%= $b %>",
       ""},
      {"-- modules/a/manifests/init.pp --\nclass a { notice(template('a/x.erb')) }\n-- modules/a/templates/x.erb --\n"
       "<% if defined?(@other) %>a<% end %>",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, RubyOfModules) {
  const Case cases[] = {
      // The arity of a function of the 3.x API.
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nPuppet::Parser::Functions.newfunction(:f, arity: 1) do |args|\nend\n"
       "-- manifests/site.pp --\nf(1, 2)",
       "argument_count"},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nPuppet::Parser::Functions.newfunction(:f, arity: 2) do |args|\nend\n"
       "-- manifests/site.pp --\n$x = [1, 2]\nf(*$x)\nf(1, 2)",
       ""},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nPuppet::Parser::Functions.newfunction(:f, arity: -2) do |args|\nend\n"
       "-- manifests/site.pp --\nf(1)\nf(1, 2, 3)",
       ""},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nPuppet::Parser::Functions.newfunction(:f, arity: COUNT) do |args|\nend\n"
       "-- manifests/site.pp --\nf()",
       ""},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nPuppet::Parser::Functions.newfunction(:f, :arity => 1) do |args|\nend\n"
       "-- modules/a/lib/puppet/functions/f.rb --\nPuppet::Functions.create_function(:f) do\n  def f(a, b)\n  end\nend\n"
       "-- manifests/site.pp --\nf(1, 2)", // that of the 4.x API is called
       ""},
      // What a type and its providers read of a resource.
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\nend\n"
       "-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n"
       "  def create\n    resource[:ower]\n  end\n  def resource\n    {}\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\nend\n"
       "-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n"
       "  def self.prefetch(resources)\n    resources.each { |name, resource| resource[:ownr] }\n  end\n"
       "  def self.of(resource)\n    resource[:onwer]\n  end\n  def create\n    resource[:ower]\n  end\nend",
       "'ower'"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  autorequire(:user) { self[:ownr] }\nend",
       "ruby_code"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  autorequire(:user) { [self[:owner], self[:name], self[:noop], self[:loglevel]] }\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def create\n    "
       "@resource[:ownr]\n  end\nend",
       "ruby_code"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def create\n    "
       "resource.should(:ownr)\n  end\nend",
       "ruby_code"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  ensurable\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def create\n    "
       "resource[:ensure] || resource[:provider]\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  [:ownr, :group].each { |n| newparam(n) }\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def create\n    "
       "resource[:ownr]\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  NAMES.each { |n| newparam(n) }\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def create\n    "
       "resource[:ownr]\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def self.instances\n    "
       "[1].map { |x| resource = { ownr: x }\n    new(resource[:ownr]) }\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "\nend"
       "\n-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\n  def self.prefetch(resources)\n "
       "   resources.each { |name, resource| resource[:ownr] }\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newproperty(:owner)\n"
       "  class Part < Hash\n    def to_s\n      self[:ownr]\n    end\n  end\nend",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, FactsAndProvidersOfModules) {
  const Case cases[] = {
      // A fact that is nearly one of a module.
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_win_dir) do\nend\n-- manifests/site.pp --\nnotice($facts['archive_windir'])",
       "unknown_fact_key"},
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_dir) do\nend\n-- manifests/site.pp --\nnotice($facts['archive_win'])", ""},
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_dir) do\nend\n"
       "['archve_dir'].each { |n| Facter.add(n) { setcode { 1 } } }\n-- manifests/site.pp --\nnotice($facts['archve_dir'])",
       ""},
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_dir) do\nend\nFacter.add(\"archve_#{1}\") do\nend\n"
       "-- manifests/site.pp --\nnotice($facts['archve_dir'])",
       ""},
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_dir) do\nend\n-- modules/b/facts.d/more.txt --\narchve_dir=1\n"
       "-- manifests/site.pp --\nnotice($facts['archve_dir'])",
       ""},
      {"-- modules/a/lib/facter/a.rb --\nFacter.add(:archive_dir) do\nend\n-- modules/b/facts.d/more.txt --\nother=1\n"
       "-- manifests/site.pp --\nnotice($facts['archve_dir'])",
       "unknown_fact_key"},
      // Providers of a type in Ruby, and those that modules add to Puppet's own types.
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\nend\n"
       "-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(\n  :ruby,\n) do\nend\n"
       "-- modules/b/lib/puppet/provider/a_key/other.rb --\nPuppet::Type.type(:a_key).provide :other do\nend\n"
       "-- manifests/site.pp --\na_key { 'x': provider => 'ruby' }\na_key { 'y': provider => other }\na_key { 'z': provider => 'vault' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\nend\n"
       "-- modules/a/lib/puppet/provider/a_key/ruby.rb --\n[:one, :two].each do |n|\n  Puppet::Type.type(:a_key).provide(n) do\n  "
       "end\nend\n"
       "-- manifests/site.pp --\na_key { 'x': provider => 'one' }",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\n  newparam(:provider)\nend\n"
       "-- modules/a/lib/puppet/provider/a_key/ruby.rb --\nPuppet::Type.type(:a_key).provide(:ruby) do\nend\n"
       "-- manifests/site.pp --\na_key { 'x': provider => 'one' }",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name)\nend\n"
       "-- manifests/site.pp --\na_key { 'x': }",
       ""},
      {"-- modules/a/lib/puppet/provider/package/basket.rb --\nPuppet::Type.type(:package).provide :basket do\nend\n"
       "-- manifests/site.pp --\npackage { 'x': provider => 'baskte' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/provider/package/basket.rb --\nPuppet::Type.type(:package).provide :basket do\nend\n"
       "-- manifests/site.pp --\npackage { 'x': provider => 'basket' }\npackage { 'y': provider => 'homebrew' }",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, DataOfResources) {
  const std::string data = "-- hiera.yaml --\nversion: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n"
                           "-- data/common.yaml --\na::b:\n  x:\n    size: big\n-- manifests/site.pp --\ninclude a\n";
  const Case cases[] = {
      {"define c (Integer $size) { notice($size) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => $v } } }", "data_type"},
      {"define c (String $size) { notice($size) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => $v } } }", ""},
      // What is added on the right wins.
      {"define c (Integer $size, $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => { 'on' => 1, 'size' => 1 "
       "} + $v } } }",
       "data_type"},
      {"define c (Integer $size, $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => $v + { 'on' => 1 } } } }",
       "data_type"},
      {"define c (Integer $size, $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => $v + { 'on' => 1, 'size' "
       "=> 1 } } } }",
       ""},
      {"define c (Integer $size) { notice($size) }\nclass a (Hash $b, $d = {}) { $b.each |$k, $v| { c { $k: * => $v + $d } } }",
       "fails_with_data"},
      // Parameters that neither the data nor the code gives.
      {"define c ($size, Optional[String] $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: * => $v } } }",
       "missing_parameter"},
      {"define c ($size, Optional[String] $on) { notice($size, $on) }\nclass a (Hash $b) { create_resources('c', $b) }",
       "missing_parameter"},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b) { create_resources('c', $b, { 'on' => 1 }) }", ""},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { $w = $v + { 'on' => 1 }\n "
       "create_resources('c', { $k => "
       "$w }) } }",
       ""},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b) { $d = $b.map |$k, $v| { [$k, $v + { 'on' => 1 }] }\n"
       " create_resources('c', Hash($d)) }",
       ""},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b, $d = {}) { create_resources('c', $b, $d) }", "fails_with_data"},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b) { $b.each |$k, $v| { c { $k: on => 1, * => $v } } }", ""},
      {"define c ($size, $on) { notice($size, $on) }\nclass a (Hash $b) { C { on => 1 }\n create_resources('c', $b) }", ""},
  };
  for (const Case& c : cases) {
    lay_out(data + c.code);
    const auto found = run();
    EXPECT_EQ(found.size(), *c.found == '\0' ? 0u : 1u) << c.code << "\n" << fmt::format("{}", fmt::join(found, "\n"));
    EXPECT_TRUE(found.empty() || found[0].find(c.found) != std::string::npos) << found[0];
  }
  const Case settings[] = {
      {"-- environment.conf --\nconfig_version = 'scripts/v.sh $environment'\n-- scripts/v.sh --\n\n-- manifests/site.pp --\n", ""},
      {"-- environment.conf --\nconfig_version = 'scripts/w.sh $environment'\n-- scripts/v.sh --\n\n-- manifests/site.pp --\n",
       "environment_setting"},
  };
  expect(settings);
}

TEST_F(Checks, PlansAndTitlesOfParts) {
  const Case cases[] = {
      // What nothing in a plan sets; an apply block has the variables of its node.
      {"-- modules/a/plans/b.pp --\nplan a::b (Integer $count) { $answer = prompt('x')\n out::message($reply) }", "unset_variable"},
      {"-- modules/a/plans/b.pp --\nplan a::b (TargetSpec $targets) { [1].each |$n| { $m = $n\n out::message($m) }\n"
       " [$x, $y] = [1, 2]\n out::message(\"${x} ${y}\")\n apply($targets) { notice($of_node) } }",
       ""},
      {"-- modules/a/plans/b.pp --\nplan a::b (Sensitive $key) { out::message(\"${key}\") }", "redacted_secret"},
      {"-- modules/a/plans/b.pp --\nplan a::b (Sensitive $key, String $id) { out::message(\"${id} ${key.unwrap}\") }", ""},
      // Titles of the same parts with other signs or letters between them.
      {"define a::b { package { \"a::b ${name}\": }\n service { $name: require => Package[\"a::b::${name}\"] } }", "no_such_resource"},
      {"define a::b { package { \"a::b ${name}\": }\n service { $name: require => Package[\"a::b ${title}\"] } }", ""},
      {"define a::b { file { \"${name}/.forward\": }\n File[\"${name}/.forwards\"] { mode => '0600' } }", "refused_override"},
      {"define a::b { file { \"${name}/.forward\": }\n File[\"${name}/.forward\"] { mode => '0600' } }", ""},
      // A class with parameters, by what another class includes always.
      {"class a { include b\n class { 'c': } }\nclass b { class { 'c': } }\nclass c { }", "duplicate_resource"},
      {"class a { include b\n include c }\nclass b { class { 'c': } }\nclass c { }", ""},
      {"class a { include b\n if $facts['x'] { class { 'c': } } }\nclass b { class { 'c': } }\nclass c { }", ""},
      {"class a { include b\n class { 'c': } }\nclass b { include c }\nclass c { }", "duplicate_resource"},
      {"class a { include b\n class { 'd': } }\nclass b { include c }\nclass c { include d }\nclass d { }", "duplicate_resource"},
      {"class a { class { 'c': }\n include b }\nclass b { include c }\nclass c { }", ""},
      {"class a { include b\n class { 'c': } }\nclass b { if $facts['x'] { include c } }\nclass c { }", ""},
      {"class a { include b\n class { 'c': } }\nclass b { include a\n include c }\nclass c { }", ""},
      // sbin is no plural of bin.
      {"class a { file { ['/usr/local/sbin/go', $facts['x']]: }\n service { 's': require => File['/usr/local/bin/go'] } }",
       "no_such_resource"},
      {"class a { notice('/usr/local/bin')\n file { ['/usr/local/bins', $facts['x']]: }\n service { 's': require => File['/usr/local/bin'] "
       "} }",
       ""},
      {"notice(fqdn_rand(12, 'a') + 'pm')", "operand_type"},
      // Titles, names of classes and tags that are none.
      {"package { ['a', '']: }", "attribute_value"},
      {"define a (Integer $port) { notify { $port: } }", "attribute_value"},
      {"define a (Variant[Integer, String] $port, Array $all) { notify { $port: }\n notify { $all: } }", ""},
      {"include ''", "argument_type"},
      {"include [5]", "argument_type"},
      {"class a (Optional[String] $of) { if $of { include $of } }", ""},
      {"tag('a b')", "attribute_value"},
      {"tag('a.b', \"a-${facts['x']}\")", ""},
      // What a defined type hands on, perhaps over another one.
      {"define a ($at) { b { $name: minute => $at } }\ndefine b ($minute) { cron { $name: command => '/x', minute => $minute } }\n"
       "a { 'x': at => '74' }",
       "attribute_value"},
      {"define a ($at) { b { $name: minute => $at } }\ndefine b ($minute) { cron { $name: command => '/x', minute => $minute } }\n"
       "a { 'x': at => '54' }",
       ""},
      {"define a ($at) { if $at != 'no' { cron { $name: command => '/x', minute => $at } } }\na { 'x': at => 'no' }", ""},
      {"class a ($mode) { file { '/x': mode => $mode } }\nclass { 'a': mode => '0999' }", "attribute_value"},
      {"notice(fqdn_rand(12, 'a') + '5')", ""},
      {"-- modules/a/lib/puppet/functions/a/b.rb --\nPuppet::Functions.create_function(:'a::b') do\n  dispatch :go do\n"
       "    optional_params 'Integer', :n\n  end\n  def go(n = 1)\n    n\n  end\nend",
       "ruby_function"},
      {"-- modules/a/lib/puppet/functions/a/b.rb --\nPuppet::Functions.create_function(:'a::b') do\n  dispatch :go do\n"
       "    optional_param 'Integer', :n\n  end\n  def go(n = 1)\n    n\n  end\nend",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, WhatFailsForEachOfSeveral) {
  const Case cases[] = {
      // A title that is the same for each element, or in each resource of a defined type.
      {"class a (Array[String] $x) { $x.each |$y| { notify { 'one': message => $y } } }", "duplicate_resource"},
      {"class a (Array[String] $x) { $x.each |$y| { notify { \"a ${y}\": } } }", ""},
      {"class a (Array[String] $x) { $x.each |$y| { unless defined(Notify['one']) { notify { 'one': message => $y } } } }", ""},
      {"class a { ['b'].each |$y| { notify { 'one': message => $y } } }", ""},
      {"define d { notify { 'one': } }\nclass a { d { 'x': }\n d { 'y': } }", "duplicate_resource"},
      {"define d { notify { 'one': } }\nclass a { d { 'x': } }", ""},
      {"define d { notify { \"one ${title}\": } }\nclass a { d { ['x', 'y']: } }", ""},
      // What waits for the class that declares it.
      {"define d { require a\n notify { $title: } }\nclass a (Hash $x) { create_resources('d', $x) }", "relationship_cycle"},
      {"define d { include a\n notify { $title: } }\nclass a (Hash $x) { create_resources('d', $x) }", ""},
      {"define d { notify { $title: require => Class['a'] } }\nclass a (Hash $x) { $x.each |$k, $v| { d { $k: } } }", "relationship_cycle"},
      {"define d { notify { $title: require => Class['a'] } }\nclass a { }\nclass b { include a\n d { 'x': } }", ""},
      {"class a (Array[String] $x) { $x.each |$y| { notify { $y: require => Class['a'] } } }", "relationship_cycle"},
  };
  expect(cases);
}

TEST_F(Checks, OperandsByTheirTypes) {
  const Case cases[] = {
      {"class a (Array $x) { if $x > 0 { notice($x) } }", "operand_type"},
      {"class a (Integer $x) { if \"${x}\" > $facts['memory']['system']['total_bytes'] / 2 { notice($x) } }", "operand_type"},
      {"class a (Boolean $x) { if 'b' in $x { notice($x) } }", "impossible_comparison"},
      {"class a (Optional[String] $x = undef) { if $x =~ Integer { notice($x) } }", "impossible_comparison"},
      {"class a (Variant[String, Sensitive[String]] $x) { if $x =~ Sensitive { notice($x) } }", ""},
      {"class a (Optional[String] $x = undef) { if $x =~ NotUndef { notice($x) } }", ""},
      {"class a (Array[String] $x) { notice($x[0]['name']) }", "operand_type"},
      {"class a (Array[Hash] $x) { notice($x[0]['name']) }", ""},
      {"notice($facts['networking']['fqdn']['x'])", "operand_type"},
      {"notice({ 'a' => 1 } << { 'b' => 2 })", "operand_type"},
      {"class a (Integer $x) { notice({ 'a' => 1 } + $x) }", "operand_type"},
      {"class a (Hash $x) { notice({ 'a' => 1 } + $x) }", ""},
      {"function f() >> Tuple[Integer, Integer] { [1, 2] }\n[$x, $y, $z] = f()\nnotice($x, $y, $z)", "operand_type"},
      {"function f() >> Tuple[Integer, Integer] { [1, 2] }\n[$x, $y] = f()\nnotice($x, $y)", ""},
      {"class a (String $x) { notify { 'a': before => Service($x) } }", "argument_type"},
      {"create_resources('notify', { 'a' => {} }, 'x')", "argument_type"},
      {"create_resources('notify', { 'a' => {} }, { 'massage' => 'x' })", "no_such_parameter"},
      {"case $facts['os']['selinux']['enabled'] { 'true', true: { notice(1) } default: { notice(2) } }", ""},
      {"user { 'x': ensure => present, shell => 'nologin' }", "attribute_value"},
      {"class a (Enum['on', 'off'] $x) { if $x { notice($x) } }", "constant_condition"},
      {"class a (Optional[Enum['on', 'off']] $x = undef) { if $x { notice($x) } }", ""},
      {"function f(String $x) >> Integer { case $x { /a(b)/: { $1 } default: { 0 } } }\nnotice(f('x'))", "return_type"},
      {"function f(Integer $x) >> Tuple[String, String] { ['a', $x] }\nnotice(f(1))", "return_type"},
      {"define d (String $x) { notice($x) }\nd { 'a': x => $facts['os'] }", "parameter_type"},
      {"file { '/x': source => 'puppet:///modules/aa/x' }", "no_such_file"},
      // Attributes of a hash whose keys are known.
      {"define d (Integer $n, String $s = '') { notice($n, $s) }\nclass a (Hash[String, Struct[{ n => Integer }]] $x) {\n"
       "  $x.each |$k, $v| { d { $k: n => 5, * => $v } } }",
       "repeated_attribute"},
      {"define d (Integer $n) { notice($n) }\nclass a (Hash $x) { d { 'k': * => { 'm' => 1 } + $x } }", "no_such_parameter"},
      {"define d (Integer $n) { notice($n) }\nclass a (Hash $x) { d { 'k': * => { 'n' => 'five' } + $x } }", ""},
      // Texts.
      {"class a { $x = Deferred('join', [['b']])\n notice(\"a ${x}\") }", "uninterpolated_text"},
      {"notice(\"$facts['os']['name']\")", "uninterpolated_text"},
      {"class a { $x = 1\n $y = 2\n notice('${x} ${y}', $x, $y) }", "warning uninterpolated_text"},
      {"class a { $x = 1\n notice('${x} ${z}', $x) }", "hint uninterpolated_text"},
      {"notice(\"awk '{print $2}'\")", "unset_variable"},
      {"if $facts['x'] =~ /(a)(b)/ { notice(\"is $2\") }", ""},
      {"notice(split($facts['x'], '.'))", "argument_type"},
      {"notice(split($facts['x'], '[.]'), split($facts['x'], '\\.'))", ""},
      {"define d { }\nd { 'a': loglevel => 'warn' }", "attribute_value"},
      {"define d (Sensitive $s) { file { '/a': content => Deferred('unwrap', $s) } }", "argument_type"},
      // <<| |>> collects nothing that is only virtual.
      {"@user { 'a': ensure => present }\nUser <<| |>>", "never_realized"},
      {"@@user { 'a': ensure => present }\nUser <<| |>>", ""},
      {"Exec { path => ['/bin'] }\nclass a { exec { 'ls': creates => '/x' } }", ""},
      // A type of a known module that the Puppetfile does not list, beside a module that is not here.
      {"-- Puppetfile --\nmod 'puppet/chrony', '3.0.0'\n-- manifests/site.pp --\nshellvar { 'a': }", "warning no_such_type"},
      {"-- Puppetfile --\nmod 'puppet/augeasproviders_shellvar', '3.0.0'\n-- manifests/site.pp --\nshellvar { 'a': }", ""},
      {"define d { file { '/var/${title}': ensure => file } }", "warning uninterpolated_text"},
      {"define d { exec { 'x': command => '/bin/echo ${title}', creates => '/x' } }", "hint uninterpolated_text"},
      {"notice($server_facts['serverip4'])", "unknown_fact_key"},
      {"notice($facts[osfamily])", "legacy_fact"},
      {"cron { 'x': command => '/bin/true', hour => '3-', minute => 0 }", "attribute_value"},
  };
  expect(cases);
}

TEST_F(Checks, FilesOfAnEnvironment) {
  const Case cases[] = {
      // Facts in Ruby.
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x, type: :aggregate) do\n  chunk(:one) { { a: 1 } }\n"
       "  chunk(:two, require: [:oen]) { |one| { b: one } }\nend",
       "ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x, type: :aggregate) do\n  chunk(:one) { { a: 1 } }\n"
       "  chunk(:two, require: [:one]) { |one| { b: one } }\nend",
       ""},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  chunk(:one) { { a: 1 } }\nend", "ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x, type: :agregate) do\n  chunk(:one) { { a: 1 } }\nend", "ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  confine kernal: 'Linux'\n  setcode { 1 }\nend", "ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  confine kernel: 'Debian'\n  setcode { 1 }\nend", "ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  confine osfamily: 'debian', my_site: 'b'\n  setcode { 1 }\nend", ""},
      // Functions of the 3.x API.
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nmodule Puppet::Parser::Functions\n  newfunction(:f, arity: 1) { |args| args[0] "
       "}\n"
       "end\n-- manifests/site.pp --\n$x = f('a')\nnotice($x)",
       "ruby_function"},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nmodule Puppet::Parser::Functions\n  newfunction(:f, arity: 1) { |args| args[0] "
       "}\n"
       "end\n-- manifests/site.pp --\nf('a')",
       ""},
      {"-- modules/a/lib/puppet/parser/functions/f.rb --\nmodule Puppet::Parser::Functions\n"
       "  newfunction(:f, type: :value) { |args| args[0] }\nend",
       "ruby_function"},
      // Data.
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c.yaml\n-- data/c.yaml --\nhome: x\na::b: 'at %{home}'\n"
       "-- modules/a/manifests/init.pp --\nclass a (String $b) { notice($b, lookup('home')) }",
       "interpolation"},
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c.yaml\n-- data/c.yaml --\nx: y\na::b: \"%{alias('x')\"\n"
       "-- modules/a/manifests/init.pp --\nclass a (String $b) { notice($b) }",
       "warning interpolation"},
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c.yaml\n-- data/c.yaml --\nlookup_options:\n  a::b: {convert_to: "
       "Sensitive}\n"
       "a::b: x\n-- modules/a/manifests/init.pp --\nclass a (String $b) { notice($b) }",
       "data_type"},
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c.yaml\n-- data/c.yaml --\nlookup_options:\n  a::b: {convert_to: "
       "Sensitive}\n"
       "a::b: x\n-- modules/a/manifests/init.pp --\nclass a (Sensitive[String] $b) { notice($b) }",
       ""},
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c\n-- data/c.yaml --\na::b: x\n"
       "-- modules/a/manifests/init.pp --\nclass a (String $b) { notice($b) }",
       "hiera_config"},
      {"-- hiera.yaml --\nversion: 5\nhierarchy:\n- name: c\n  path: c.yaml\n-- data/c.yaml --\na::b: [p, q]\n"
       "-- modules/a/manifests/init.pp --\nclass a (Array $b) { include a::c\n package { $b.unique: } }\n"
       "-- modules/a/manifests/c.pp --\nclass a::c { package { 'q': } }",
       "duplicate_resource"},
      {"-- modules/a/templates/x.epp --\n<%- | Integer $n | -%>\n<%= $n %>\n-- modules/a/manifests/init.pp --\n"
       "class a (Boolean $b) { $n = $b ? { true => 1, false => '2' }\n notice(epp('a/x.epp', { 'n' => $n })) }",
       "template_parameter"},
      // Metadata, tasks.
      {"-- modules/a/tasks/t.json --\n{\"parameters\": {\"repo\": {\"type\": \"String\"}}}\n-- modules/a/tasks/t.sh --\n#!/bin/sh\n"
       "echo \"$PT_rep\" \"$PT__task\"\n",
       "task_form"},
      {"-- modules/a/tasks/t.json --\n{\"parameters\": {\"repo\": {\"type\": \"String\"}}}\n-- modules/a/tasks/t.sh --\n#!/bin/sh\n"
       "PT_own=5\necho \"$PT_repo\" ${PT_own}\n",
       ""},
      {"-- modules/a/metadata.json --\n{\"name\": \"x-a\", \"version\": \"1.0.0\", \"author\": \"x\", \"license\": \"MIT\", \"summary\": "
       "\"s\", "
       "\"source\": \"s\", \"dependencies\": [], \"requirements\": [{\"name\": \"puppet\", \"version_requirement\": \">= 6.0.0 < "
       "8.0.0\"}]}",
       "dependency_version"},
      {"-- Puppetfile --\nmod 'stdlib', '9.4.0'\n", "puppetfile_form"},
      {"-- Puppetfile --\nmod 'x-a'\n  git: 'https://x.example/a.git'\n", "puppetfile_form"},
      {"-- environment.conf --\nmodulepath = modules\nstatic_catalogs = maybe\n", "environment_setting"},
  };
  expect(cases);
}

TEST_F(Checks, RegistryIsInOrder) {
  uint16_t last = 8000;
  for (const CheckEntry& c : all_checks()) {
    EXPECT_GT(static_cast<uint16_t>(c.code), last) << c.ident;
    last = static_cast<uint16_t>(c.code);
    EXPECT_LT(last, 9000);
    EXPECT_EQ(find_error_class(last), nullptr) << "the number of an error";
    EXPECT_GE(std::string_view(c.summary).size(), 10u);
    EXPECT_FALSE(std::string_view(c.summary).ends_with('.')) << c.ident;
    EXPECT_TRUE(std::string_view(c.explanation).ends_with('.')) << c.ident;
  }
}

TEST(GitIgnore, Patterns) {
  const GitIgnore g("# c\n*.log\n/build\nspec/fixtures/\n!keep.log\ndoc/**/x.pp\na[0-9].yaml\n");
  using V = GitIgnore::Verdict;
  EXPECT_EQ(g.verdict("a/b.log", false), V::Ignored);
  EXPECT_EQ(g.verdict("a/keep.log", false), V::Kept);
  EXPECT_EQ(g.verdict("build", true), V::Ignored);
  EXPECT_EQ(g.verdict("a/build", true), V::Unknown);
  EXPECT_EQ(g.verdict("spec/fixtures", true), V::Ignored);
  EXPECT_EQ(g.verdict("spec/fixtures", false), V::Unknown);
  EXPECT_EQ(g.verdict("doc/a/b/x.pp", false), V::Ignored);
  EXPECT_EQ(g.verdict("doc/x.pp", false), V::Ignored);
  EXPECT_EQ(g.verdict("z/a1.yaml", false), V::Ignored);
  EXPECT_EQ(g.verdict("z/ab.yaml", false), V::Unknown);
}

TEST(Puppetfile, Modules) {
  const auto p = read_puppetfile(
      "forge 'https://x'\nmoduledir \"ext\"\nmod 'puppetlabs-stdlib', '9.0.0'\nmod \"a/b\",\n  git: 'x'\n# mod 'c-d'\n");
  EXPECT_EQ(p.names, (std::vector<std::string>{"stdlib", "b"}));
  EXPECT_EQ(p.directory, "ext");
}

} // namespace
} // namespace pupc::compiler
