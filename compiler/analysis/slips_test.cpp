// Slips that leave code which looks right: names of habit, what templates and Ruby code read, results, facts, tasks.
#include "compiler/analysis/checks_testing.h"

namespace pupc::compiler {
namespace {

TEST_F(Checks, NamesOfFunctions) {
  const Case cases[] = {
      // Where a module is missing, too.
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\n[1].each_with_index |$i, $v| { notice($v) }",
       "warning no_such_function"},
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice('a'.to_i)", "warning no_such_function"},
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice(gsub('a', 'b', 'c'))", "warning no_such_function"},
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice(gone_thing('a'))", ""},
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice(make_all_settings('a'))\n"
       "-- modules/a/functions/make_all_settings.pp --\nfunction a::make_all_settings($x) { $x }",
       "warning no_such_function"},
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice(a::make_all_settings('a'))\n"
       "-- modules/a/functions/make_all_settings.pp --\nfunction a::make_all_settings($x) { $x }",
       ""},
      // A short name may well be that of another module's function.
      {"-- Puppetfile --\nmod 'x-gone', '1.0.0'\n-- manifests/site.pp --\nnotice(setting('a'))\n"
       "-- modules/a/functions/setting.pp --\nfunction a::setting($x) { $x }",
       ""},
      {"-- modules/a/plans/p.pp --\nplan a::p() { fail_plans('x') }", "no_such_function"},
      {"-- modules/a/plans/p.pp --\nplan a::p(TargetSpec $t) { run_commands('x', $t) }", "no_such_function"},
      {"-- modules/a/plans/p.pp --\nplan a::p(TargetSpec $t) { $r = run_command('x', $t)\n $r.each_with_index |$i, $x| { out::message($x) "
       "} }",
       "no_such_function"},
      {"-- modules/a/plans/p.pp --\nplan a::p(TargetSpec $t) { $r = run_command('x', $t)\n return $r.ok_set.names }", ""},
  };
  expect(cases);
}

TEST_F(Checks, GroupsOfNodes) {
  const Case cases[] = {
      {"node /^lab-\\d+$/ { notice($1) }", "unset_variable"},
      {"node /^(lab)-\\d+$/ { notice(\"${2}\") }", "unset_variable"},
      {"node 'lab' { $room = $1\n notice($room) }", "unset_variable"},
      {"node /^(lab)-\\d+$/, 'x' { notice($1) }", ""},
      {"node /^lab-\\d+$/ { if $facts['os']['name'] =~ /(a)/ { notice($1) } }", ""},
      {"node /^lab-\\d+$/ { notice($0) }", ""},
  };
  expect(cases);
}

TEST_F(Checks, TextsThatWereMeantToInterpolate) {
  const Case cases[] = {
      {"class a (Hash $shares, String $dir) { notice(\"x:$shares[$dir]\") }", "uninterpolated_text"},
      {"class a { $list = ['x', 'y']\n $n = 1\n notice(\"x:$list[$n]\") }", "uninterpolated_text"},
      {"class a (Hash $shares, String $dir) { notice(\"x:${shares[$dir]}\") }", ""},
      {"class a (String $host, String $dir) { notice(\"$host[$dir]\") }", "hint uninterpolated_text"},
      {"class a { notice('${facts[\\'os\\'][\\'family\\']} here') }", "uninterpolated_text"},
      {"class a { notice('on ${a::b}') }", "uninterpolated_text"},
      {"class a { $x = @(END)\n  ${trusted['certname']} is here\n  | END\n notice($x) }", "uninterpolated_text"},
      {"class a { $x = @(\"END\"/$)\n  \\${trusted['certname']} is here\n  | END\n notice($x) }", ""},
      {"class a { $x = @(END)\n  ${HOME} ${facts[0]} ${distro_id}:${distro} ${x::-2}\n  | END\n notice($x) }", ""},
      {"class a { notice(\"\\${facts['os']['family']}\") }", ""},
  };
  expect(cases);
}

TEST_F(Checks, WhatTemplatesRead) {
  const Case cases[] = {
      // A variable of another class of the module, where all places that render the template are known.
      {"-- modules/a/manifests/init.pp --\nclass a ($conf_dir = '/x') { include a::b }\n"
       "-- modules/a/manifests/b.pp --\nclass a::b { notice($a::conf_dir, template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\nInclude <%= @conf_dir %>/x",
       "template_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a ($names = ['/x']) { include a::b }\n"
       "-- modules/a/manifests/b.pp --\nclass a::b { notice($a::names, template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\n<% @names.each do |n| %><%= n %><% end %>",
       "template_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a ($conf_dir = '/x') { include a::b }\n"
       "-- modules/a/manifests/b.pp --\nclass a::b { notice($a::conf_dir, template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\n<% if @conf_dir %>Include <%= @conf_dir %>/x<% end %>",
       "hint template_variable"},
      {"-- modules/a/manifests/init.pp --\nclass a ($conf_dir = '/x') { include a::b\n notice(template('a/t.erb')) }\n"
       "-- modules/a/manifests/b.pp --\nclass a::b { notice($a::conf_dir, template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\nInclude <%= @conf_dir %>/x",
       ""},
      {"-- modules/a/manifests/init.pp --\nclass a ($conf_dir = '/x') { }\n"
       "-- modules/a/manifests/b.pp --\nclass a::b inherits a { notice(template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\nInclude <%= @conf_dir %>/x",
       ""},
      // Texts of ERB and EPP in the code.
      {"class a (Array $admins) { notice($admins, inline_template('<% @admin.each do |x| %><%= x %><% end %>')) }", "template_variable"},
      {"class a (Array $admins) { notice(inline_template('<% @admins.each do |x| %><%= x %><% end %>')) }", ""},
      {"class a (Array $admins) { notice($admins, inline_template('<%= @datacentre_of_enc %>')) }", ""},
      {"class a (Array $admins) { $admins.each |$one| { notice(inline_template('<%= @one %>')) } }", ""},
      {"class a (Array $nets) { notice(inline_epp('<% $nets.each |$n| { -%> <%= $n.split(\".\")[0] %> <% } -%>', { 'nets' => $nets })) }",
       "argument_type"},
      {"class a (Array $nets) { notice(inline_epp('<% $nets.each |$n| { -%> <%= upcasee($n) %> <% } -%>', { 'nets' => $nets })) }",
       "no_such_function"},
      {"class a (Array $nets) { notice(inline_epp('<% $nets.each |$n| { -%> <%= $n.split(\"[.]\")[0] %> <% } -%>', { 'nets' => $nets })) }",
       ""},
      // A block's parameter behind the block.
      {"-- modules/a/manifests/init.pp --\nclass a ($list = ['/x']) { notice(template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\n<% @list.each do |item| %><%= item %><% end %><% @list.each do |one| %><%= item %><% end %>",
       "no_such_function"},
      {"-- modules/a/manifests/init.pp --\nclass a ($list = ['/x']) { notice(template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\n<% @list.each do |item| %><% @list.each do |one| %><%= item %><%= one %><% end %><% end %>",
       ""},
      {"-- modules/a/manifests/init.pp --\nclass a ($list = ['/x']) { notice(template('a/t.erb')) }\n"
       "-- modules/a/templates/t.erb --\n<% @list.each do |item| %><%= \"#{item}\" %><% end %><% item = 1 %><% @list.each do |one| %><%= "
       "item "
       "%><% end %>",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, UndefAndEmptyTexts) {
  const Case cases[] = {
      {"class a (Optional[String[1]] $x = undef) { if $x != '' { notice($x) } }", "impossible_comparison"},
      {"class a (Optional[Sensitive[String]] $x = undef) { notice($x != '') }", "impossible_comparison"},
      {"class a (Optional[Enum['b', 'c']] $x = undef) { unless $x == '' { notice($x) } }", "impossible_comparison"},
      {"class a (Optional[String] $x = undef) { if $x != '' { notice($x) } }", ""},
      {"class a (String[1] $x) { if $x != '' { notice($x) } }", ""},
      {"class a (Optional[String[1]] $x = undef) { if $x and $x != '' { notice($x) } }", ""},
      {"class a (Optional[String[1]] $x = undef) { if $x { if $x != '' { notice($x) } } }", ""},
      {"class a (Optional[String[1]] $x = undef) { if $x != 'b' { notice($x) } }", ""},
  };
  expect(cases);
}

TEST_F(Checks, ResultsOfFunctions) {
  const Case cases[] = {
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> Integer { if $x > 2 { $x - 2 } }", "warning return_type"},
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> String { $y = \"${x}\"\n unless $x > 2 { $y } }",
       "warning return_type"},
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> Integer { if $x > 2 { 1 } elsif $x > 1 { 2 } }",
       "warning return_type"},
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> Integer { if $x > 2 { $x - 2 } else { $x } }", ""},
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> Optional[Integer] { if $x > 2 { $x - 2 } }", ""},
      {"-- modules/a/functions/f.pp --\nfunction a::f(Integer $x) >> Integer { if $x > 2 { return(1) }\n $x }", ""},
      // The last statement of a method in Ruby.
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'Integer'\n  end\n  def f(x)\n    \"#{x}m\"\n  end\nend",
       "return_type"},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'String'\n  end\n  def f(x)\n    x.split(',')\n  end\nend",
       "return_type"},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'Hash'\n  end\n  def f(x)\n    [x]\n  end\nend",
       "return_type"},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'Optional[Array]'\n  end\n  def f(x)\n    x.split(',')\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'Integer'\n  end\n  def f(x)\n    return 1 if x\n    \"#{x}m\"\n  end\nend",
       ""},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  dispatch :f do\n    param 'String', "
       ":x\n    return_type 'Boolean'\n  end\n  def f(x)\n    x.to_s == 'a'\n  end\nend",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, ExecsThatOnlyWait) {
  const Case cases[] = {
      {"class a { file { '/x': ensure => file }\n -> exec { '/bin/y': refreshonly => true } }", "never_run"},
      {"class a { exec { '/bin/y': refreshonly => true }\n -> file { '/x': ensure => file } }", "never_run"},
      {"class a { exec { '/bin/y': refreshonly => true }\n file { '/x': ensure => file, require => Exec['/bin/y'] } }", "never_run"},
      {"class a { file { '/x': ensure => file }\n ~> exec { '/bin/y': refreshonly => true } }", ""},
      {"class a { exec { '/bin/y': refreshonly => true }\n <~ file { '/x': ensure => file } }", ""},
      {"class a { file { '/x': ensure => file }\n ~> exec { '/bin/y': refreshonly => true }\n -> file { '/z': ensure => file } }", ""},
      {"class a { exec { '/bin/y': refreshonly => true }\n file { '/x': ensure => file, notify => 'Exec[/bin/y]' } }", ""},
      {"class a { exec { '/bin/y': refreshonly => true }\n File <| title == 'x' |> ~> Exec['/bin/y'] }", ""},
  };
  expect(cases);
}

TEST_F(Checks, WhatRubyCodeReads) {
  const Case cases[] = {
      {"-- modules/a/lib/facter/x.rb --\nrequire 'ipaddr'\nFacter.add(:x) do\n  setcode { IPAddr.new('10.0.0.0/8').range }\nend",
       "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode do\n    t = Time.now\n    t.minutes\n  end\nend",
       "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Pathname.new('/a').children.size }\nend", ""},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode do\n    t = Time.now\n    t = 'a'\n    t.upcase\n  end\nend", ""},
      // Facts and their keys.
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Facter.value(:network)['hostname'] }\nend", "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Facter.value(:networking)['hostnam'] }\nend", "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Facter.value(:os).dig('release', 'majr') }\nend",
       "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Facter.value('os.famly') }\nend", "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:x) do\n  setcode { Facter.value(:os)['release']['major'] + Facter.value('os.family') "
       "}\nend",
       ""},
      // What a fact of a module may be.
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  setcode do\n    case Facter.value(:kernel)\n    when /L/ then 'lab'\n"
       "    else 'server'\n    end\n  end\nend\nFacter.add(:y) do\n  confine my_group: 'labs'\n  setcode { 'a' }\nend",
       "warning ruby_code"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  setcode { File.exist?('/x') ? 'lab' : 'server' }\nend\n"
       "-- manifests/site.pp --\nif $facts['my_group'] == 'labs' { notice('x') }",
       "impossible_comparison"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  setcode do\n    if File.exist?('/x')\n      'lab'\n    else\n"
       "      'server'\n    end\n  end\nend\n-- manifests/site.pp --\ncase $facts['my_group'] { 'servers': { notice('x') } default: {} }",
       "unreachable_choice"},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  setcode { File.exist?('/x') ? 'lab' : 'server' }\nend\n"
       "-- manifests/site.pp --\nif $facts['my_group'] == 'LAB' { notice('x') }",
       ""},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  setcode { File.exist?('/x') ? File.read('/x') : 'server' }\nend\n"
       "-- manifests/site.pp --\nif $facts['my_group'] == 'labs' { notice('x') }",
       ""},
      {"-- modules/a/lib/facter/x.rb --\nFacter.add(:my_group) do\n  confine kernel: 'Linux'\n  setcode { File.exist?('/x') ? 'lab' : 'b' "
       "}\n"
       "end\nFacter.add(:my_group) do\n  confine kernel: 'windows'\n  setcode { 'labs' }\nend\n"
       "-- manifests/site.pp --\nif $facts['my_group'] == 'labs' { notice('x') }",
       ""},
      {"-- modules/a/lib/facter/datacenter.rb --\nFacter.add(:datacentre) do\n  setcode { 'x' }\nend\n"
       "-- manifests/site.pp --\nnotice($facts['datacenter'])",
       "unknown_fact_key"},
      {"-- modules/a/lib/facter/datacenters.rb --\nFacter.add(:datacentre) do\n  setcode { 'x' }\nend\n"
       "-- manifests/site.pp --\nnotice($facts['datacenter'])",
       ""},
      // A function's own types.
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  local_types do\n    type 'Port = "
       "Integer[1]'\n  end\n  dispatch :f do\n    param 'OwnPort', :x\n  end\n  def f(x)\n    x\n  end\nend",
       "warning ruby_function"},
      {"-- modules/a/lib/puppet/functions/a/f.rb --\nPuppet::Functions.create_function(:'a::f') do\n  local_types do\n    type 'Port = "
       "Integer[1]'\n  end\n  dispatch :f do\n    param 'Array[Port]', :x\n  end\n  def f(x)\n    x\n  end\nend",
       ""},
      // What attributes take.
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:days) "
       "do\n"
       "    munge { |value| Integer(value) }\n  end\nend\n-- manifests/site.pp --\na_key { 'x': days => 'two' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:days) "
       "do\n"
       "    munge { |value| Integer(value) }\n  end\nend\n-- manifests/site.pp --\na_key { 'x': days => '0x1F' }\na_key { 'y': days => 3 }",
       ""},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:size) "
       "do\n"
       "    newvalues(/\\A\\d+[MG]\\z/)\n  end\nend\n-- manifests/site.pp --\na_key { 'x': size => '4 G' }",
       "attribute_value"},
      {"-- modules/a/lib/puppet/type/a_key.rb --\nPuppet::Type.newtype(:a_key) do\n  newparam(:name) { desc 'n' }\n  newproperty(:size) "
       "do\n"
       "    newvalues(:none, /\\A\\d+[MG]\\z/, /x y/i)\n  end\nend\n-- manifests/site.pp --\na_key { 'x': size => 'X Y' }",
       ""},
  };
  expect(cases);
}

TEST_F(Checks, ProgramsOfTasks) {
  const Case cases[] = {
      {"-- modules/a/tasks/t.json --\n{\"input_method\": \"environment\", \"parameters\": {\"b\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.rb --\nparams = JSON.parse(STDIN.read)\nputs params['b']\n",
       "task_form"},
      {"-- modules/a/tasks/t.json --\n{\"input_method\": \"stdin\", \"parameters\": {\"b\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.sh --\n#!/bin/sh\necho \"$PT_b\"\n",
       "task_form"},
      {"-- modules/a/tasks/t.json --\n{\"input_method\": \"stdin\", \"parameters\": {\"delay\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.rb --\nparams = JSON.parse($stdin.read)\nputs params['dely'], params['_task']\n",
       "task_form"},
      {"-- modules/a/tasks/t.json --\n{\"parameters\": {\"delay\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.py --\nimport json, sys\ngiven = json.load(sys.stdin)\nprint(given.get('minutes'))\n",
       "task_form"},
      {"-- modules/a/tasks/t.json --\n{\"parameters\": {\"delay\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.rb --\nparams = JSON.parse(STDIN.read, symbolize_names: true)\nputs params[:delay]\nparams[:x] = 1\nputs "
       "params[:x]\n",
       ""},
      {"-- modules/a/tasks/t.json --\n{\"parameters\": {\"delay\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.rb --\nparams = JSON.parse(STDIN.read)\nparams = params.merge('x' => 1)\nputs params['x']\n",
       ""},
      {"-- modules/a/tasks/t.json --\n{\"input_method\": \"environment\", \"parameters\": {\"b\": {\"type\": \"Optional[String]\"}}}\n"
       "-- modules/a/tasks/t.sh --\n#!/bin/sh\necho \"$PT_b\"\n",
       ""},
  };
  expect(cases);
}

} // namespace
} // namespace pupc::compiler
