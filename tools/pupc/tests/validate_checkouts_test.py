#!/usr/bin/env python3
"""`pupc validate` on checkouts as they are met: modules that are not installed, files with errors among files without, modules of others.
Usage: validate_checkouts_test.py PUPC"""
import json
import os
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = sys.argv.pop(1)
PUPPETFILE = "forge 'https://forge.example.com'\nmoduledir 'modules'\nmod 'puppet-nginx', '5.0.0'\nmod 'puppetlabs/stdlib', '9.6.0'\n"


class Checkouts(InFolder):
    def run_pupc(self, *words):
        done = subprocess.run([PUPC, "validate", "--no-cache", *words], capture_output=True, text=True, timeout=60, cwd=self.root, stdin=subprocess.DEVNULL,
                              env={**os.environ, "HOME": "/nonexistent"})
        return done.returncode, done.stdout, done.stderr

    def found(self, *words):
        """"FILE:LINE severity check" of each finding."""
        out = self.run_pupc("--format", "json", *words)[1]
        return [f"{f['file']}:{f['line']} {f['severity']} {f['check']}" for f in json.loads(out)]

    def messages(self, *words):
        return [f"{f['message']} {f.get('suggestion', '')}" for f in json.loads(self.run_pupc("--format", "json", *words)[1])]

    def test_missing_modules_are_told_once(self):
        self.file("Puppetfile", PUPPETFILE)
        code = ("class NAME (Stdlib::Port $p, Nginx::Mode $m = 'a') {\n  include nginx\n  contain 'nginx::service'\n  nginx::site { 'a': port => $p }\n"
                "  notice(Class['Nginx::Service'], $nginx::user, merge({}, {}), nginx::path('x'), $m)\n  Class['nginx'] -> Nginx::Site['b']\n}\n")
        self.file("manifests/site.pp", code.replace("NAME", "everything"))
        self.file("site/profile/manifests/init.pp", code.replace("NAME", "profile"))
        found = self.found()
        self.assertEqual(found, ["manifests/site.pp:1 warning no_such_module", "manifests/site.pp:1 warning no_such_module"])
        text = "\n".join(self.messages())
        self.assertRegex(text, r"'nginx' is not installed, .*; it is used at 18 places, here and at \S*site.pp:2, \S*site.pp:3, …")
        self.assertIn("'stdlib' is not installed", text)
        self.assertEqual(self.run_pupc()[0], 0)
        self.file("many.pp", "include nginx include nginx\ninclude nginx include nginx\n")  # each line is named once
        self.assertIn("it is used at 4 places, here and at many.pp:2, …", "\n".join(self.messages("many.pp")))
        # A private module that nobody lists: one error.
        self.file("Puppetfile", PUPPETFILE.replace("mod 'puppet-nginx', '5.0.0'\n", ""))
        self.assertEqual([f for f in self.found() if " error " in f], ["manifests/site.pp:1 error no_such_module"])

    def test_near_names_are_told_all_the_same(self):
        self.file("Puppetfile", PUPPETFILE)
        self.file("site/profile/manifests/init.pp", "class profile (Strng $a) {\n  flie { '/x': }\n  notice(upcse($a), known_elsewhere(1))\n  vhosts { 'x': }\n}\n")
        self.assertEqual(self.found(), ["site/profile/manifests/init.pp:1 warning no_such_data_type", "site/profile/manifests/init.pp:2 warning no_such_type",
                                        "site/profile/manifests/init.pp:3 warning no_such_function"])

    def test_a_submodule_that_is_not_fetched_is_not_installed(self):
        self.file("environment.conf", "modulepath = modules\n")
        self.file(".gitmodules", '[submodule "modules/foo"]\n\tpath = modules/foo\n\turl = https://example.com/foo.git\n')
        os.makedirs(os.path.join(self.root, "modules/foo"))
        self.file("manifests/site.pp", "class { 'foo': p => 2 }\nfoo::site { 'a': }\nfile { '/x': content => template('foo/x.erb') }\nfile { '/y': source => 'puppet:///modules/foo/y' }\n")
        self.assertEqual(self.found(), ["manifests/site.pp:1 warning no_such_module"])
        self.assertIn("git submodule update --init", self.messages()[0])
        self.file("modules/foo/manifests/init.pp", "class foo { }\n")
        self.assertEqual(self.found()[0], "manifests/site.pp:1 error no_such_parameter")

    def test_environments_below_what_looks_like_a_module(self):
        # /etc/puppet of old: a folder with manifests, and environments beside them.
        self.file("manifests/site.pp", "node default { }\n")
        self.file("environments/one/environment.conf", "modulepath = modules\n")
        self.file("environments/one/hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n")
        self.file("environments/one/data/common.yaml", "site::p: 1\n")
        self.file("environments/one/modules/site/manifests/init.pp", "class site (String $p) { }\n")
        self.file("environments/one/manifests/site.pp", "include site\n")
        for path in ("environments", "."):
            self.assertEqual([f.removeprefix("./") for f in self.found(path)], ["environments/one/data/common.yaml:1 error data_type"], path)

    def test_a_parameter_named_as_a_guard_is_no_metaparameter(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "define d (Boolean $not_if, $tag = 1) { notify { \"${title} ${not_if} ${tag}\": } }\nd { 'a': not_if => true }\nd { 'b': not_if => 'x' }\n")
        self.assertEqual(self.found(), ["manifests/site.pp:1 warning metaparameter_name", "manifests/site.pp:3 error parameter_type"])

    def test_what_a_linked_data_file_says_is_told_once(self):
        self.file("environment.conf", "")
        self.file("hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, paths: [common.yaml, other.yaml], datadir: data}\n")
        self.file("manifests/site.pp", "class c (Integer $p = 1) { notice($p) }\ninclude c\n")
        self.file("data/other.yaml", "c::p: text\n")
        os.symlink("other.yaml", os.path.join(self.root, "data/common.yaml"))
        self.assertEqual(self.found(), ["data/other.yaml:1 error data_type"])

    def test_a_file_of_hiera_3_is_told_as_that(self):
        self.file("environment.conf", "")
        self.file("hiera.yaml", "---\n:backends: yaml\n:hierarchy:\n  - common\n")
        self.assertEqual(self.found(), ["hiera.yaml:3 error hiera_config"])
        self.assertIn("Version 3 of hiera.yaml", self.messages()[0])

    def broken_site(self, text):
        self.file("environment.conf", "modulepath = modules\n")
        self.file("modules/a/manifests/init.pp", "class a {\n  fille { '/x': }\n  notice(upcse('x'), $later)\n  include broken_one\n  include nowhere\n"
                                                 "  file { '/y': require => Package['p'] }\n  nofunction('x')\n}\nclass a::b (Strng $x = 'a') { notice($x) }\n")
        self.file("modules/a/manifests/b.pp", "")
        self.file("manifests/site.pp", text)
        return [f for f in self.found("modules")]

    def test_an_error_in_one_file_leaves_the_others(self):
        sound = self.broken_site("node default { include a }\n")
        self.assertIn("modules/a/manifests/init.pp:4 error no_such_class", sound)
        for needed in ("2 error no_such_type", "3 error no_such_function", "3 warning unset_variable", "5 error no_such_class", "6 error no_such_resource",
                       "7 error no_such_function", "9 error no_such_data_type"):
            self.assertIn(f"modules/a/manifests/init.pp:{needed}", sound)
        # What the broken file names is not known; all else is.
        broken = self.broken_site("class broken_one { package { 'p': }\n $later = 1\n")
        for gone in ("4 error no_such_class", "3 warning unset_variable", "6 error no_such_resource"):
            self.assertIn(f"modules/a/manifests/init.pp:{gone}", sound)
            self.assertNotIn(f"modules/a/manifests/init.pp:{gone}", broken)
        self.assertEqual([f for f in sound if f not in broken and "init.pp:4 " not in f],
                         [f"modules/a/manifests/init.pp:{x}" for x in ("3 warning unset_variable", "6 error no_such_resource")])
        _, _, err = self.run_pupc()
        self.assertRegex(err, r"Not judged, because of its own errors: \S*manifests/site.pp\. What only it may define")
        # A node twice, in one file and in two.
        self.assertEqual(self.broken_site("node 'x' { }\nnode 'x' { }\n"), sound)
        self.file("manifests/z.pp", "node 'x' { }\n")
        self.assertEqual(self.broken_site("node 'x' { }\n"), sound)
        self.assertEqual([f for f in self.found() if "manifests/z.pp" in f or f.startswith("manifests/site.pp")], ["manifests/z.pp:1 error load_error"])

    def test_false_alarms(self):
        self.file("a/metadata.json", '{"name": "me-mod", "version": "1.0.0", "author": "me", "license": "x", "summary": "x", "source": "x", "dependencies": []}')
        self.file("a/manifests/init.pp", "# A.\nclass mod {\n  exec { 'ls': refreshonly => true }\n  file { '/x': ensure => directory, source => 'puppet:///plugins' }\n"
                                         "  file { '/y': ensure => directory, source => 'puppet:///private' }\n}\n")
        self.file("a/manifests/sub.pp", "# A.\nclass mod::sub { }\n")
        self.file("a/manifests/wrong.pp", "# A.\nclass mod::other { }\n")
        self.file("a/files/x.pp", "module x 1.0;\nallow a b:file read;\n")
        self.assertEqual(self.found("--hints", "a"), ["a/manifests/init.pp:3 hint relative_command", "a/manifests/wrong.pp:2 error misplaced_definition"])
        self.assertEqual([f for f in self.found("--only-checks", "autoloader_layout", "--syntax-only", "a")], ["a/manifests/wrong.pp:2 error autoloader_layout"])
        self.file("env/Puppetfile", "forge 'x'\nmetadata\nexclusion 'a/b'\nmod 'a/c'\nmood 'a/d'\n")
        self.assertEqual([f for f in self.found("env") if "puppetfile_form" in f], ["env/Puppetfile:5 error puppetfile_form"])
        self.file("env/fileserver.conf", "[web]\npath /srv\n")
        self.file("env/modules/web/manifests/init.pp", "class web {\n  file { '/x': source => 'puppet:///web/x' }\n  exec { 'ls': refreshonly => true, subscribe => File['/x'] }\n}\n")
        self.file("env/manifests/site.pp", "include web\n")
        os.unlink(os.path.join(self.root, "env/Puppetfile"))
        self.file("env/environment.conf", "")
        self.assertEqual(self.found("env"), ["env/modules/web/manifests/init.pp:3 error relative_command"])
        self.file("env/manifests/site.pp", "include web\nExec <| |> { path => '/bin' }\n")
        self.assertEqual(self.found("env"), [])

    def test_references_in_a_module_by_itself(self):
        self.file("mod/metadata.json", '{"name": "me-mod", "version": "1.0.0", "author": "me", "license": "x", "summary": "x", "source": "x", "dependencies": []}')
        code = ("class mod (Boolean $a = true) {\n  systemd::unit_file { 'mod-hourly.service': before => Systemd::Unit_file['TIMER'] }\n  systemd::unit_file { 'mod-hourly.timer': }\n"
                "  package { 'python3': }\n  file { '/x': require => Package['PYTHON'] }\n  Exec { path => '/bin' }\n  exec { 'ls -d /x': creates => '/y' }\n}\n")
        self.file("mod/manifests/init.pp", code.replace("TIMER", "mod_hourly.timer").replace("PYTHON", "python"))
        found = [f for f in self.found("--hints", "mod") if "no_such_resource" in f or "relative" in f]
        self.assertEqual(found, ["mod/manifests/init.pp:2 warning no_such_resource", "mod/manifests/init.pp:5 warning no_such_resource"])
        # What others may declare, and what is declared.
        self.file("mod/manifests/init.pp", code.replace("TIMER", "mod-hourly.timer").replace("PYTHON", "openssl"))
        self.assertEqual([f for f in self.found("--hints", "mod") if "no_such_resource" in f or "relative" in f], [])

    def test_modules_of_others_are_read_and_not_judged(self):
        self.file("Puppetfile", PUPPETFILE + "mod 'own',\n  local: true\n")
        self.file("modules/nginx/manifests/init.pp", "class nginx (Integer $port) { nofunction($nothing) }\n")
        self.file("modules/own/manifests/init.pp", "class own { nofunction(1) }\n")
        self.file("modules/stdlib/manifests/init.pp", "class stdlib { }\n")
        self.file("manifests/site.pp", "class { 'nginx': port => 'x' }\n")
        own = ["manifests/site.pp:1 error parameter_type", "modules/own/manifests/init.pp:1 error no_such_function"]
        self.assertEqual(self.found(), own)
        self.assertEqual(len(self.found("--all")), 4)
        self.assertEqual(len(self.found("modules/nginx")), 2)
        self.assertEqual(self.found("manifests"), own[:1])

    def test_defaults_that_data_replaces(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "include a\n")
        self.file("modules/a/manifests/init.pp", "class a (\n  Integer $x = '1',\n  Integer $y = '2',\n) { notice($x, $y) }\n")
        self.file("hiera.yaml", "version: 5\nhierarchy:\n  - name: nodes\n    path: \"%{trusted.certname}.yaml\"\n  - name: all\n    path: common.yaml\n")
        self.file("data/common.yaml", "a::x: 5\n")
        self.file("data/web.yaml", "a::y: 5\n")
        self.assertEqual(self.found(), ["modules/a/manifests/init.pp:2 warning default_type", "modules/a/manifests/init.pp:3 error default_type"])

    def test_variables_that_nothing_sets(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "include a\n")
        self.file("modules/a/manifests/init.pp", "class a {\n  notice($enc_role)\n  notice($::other_role)\n  notice($facts['kernel'], $::environment)\n}\n")
        where = "modules/a/manifests/init.pp"
        self.assertEqual(self.found(), [f"{where}:2 warning unset_variable", f"{where}:3 warning unset_variable"])
        self.assertEqual(self.found("--top-scope-variables", "enc_role,third"), [f"{where}:3 error unset_variable"])
        self.file("modules/a/facts.d/x.sh", "")
        self.assertEqual(self.found(), [f"{where}:2 warning unset_variable", f"{where}:3 warning unset_variable"])

    def test_output(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "notice(upcse('x'))\n")
        code, out, err = self.run_pupc()
        self.assertEqual((code, out), (1, "manifests/site.pp:1:8: error[8103 no_such_function]: There is no function 'upcse'. Did you mean 'upcase'?\n"))
        self.assertRegex(err, "^1 error, 0 warnings in 2 files")
        self.file("manifests/site.pp", "flie { \"/a\": }\n")  # in the order of the columns, whatever found them
        self.assertEqual([f"{f['column']} {f['check']} {f.get('suggestion', '')}" for f in json.loads(self.run_pupc("--style", "--format", "json")[1])],
                         ["1 no_such_type Did you mean 'file'?", "8 double_quoted_strings "])
        self.file("manifests/site.pp", "\ufeffnotice('x')\n")
        self.assertEqual(self.run_pupc()[1], "manifests/site.pp: error[1004 invalid_encoding]: Illegal UTF-8 Byte Order mark at beginning of input: "
                                             "[EF BB BF] - remove these from the puppet source\n")

    def test_a_manifest_by_itself(self):
        """It may stand for anything, so unknown names say nothing; what is wrong everywhere is told."""
        self.file("a.pp", "file { '/a': ensure => fil }\nservice { 'x': enabel => true }\n$x = 1\n$x = 2\ninclude elsewhere\n"
                          "elsewhere::thing { 'y': mode => $role }\nnotice(elsewhere::f(Elsewhere::T), upcase('a', 'b'))\n"
                          "flie { 'z': }\n")
        wanted = ["a.pp:1 error attribute_value", "a.pp:2 error no_such_parameter", "a.pp:4 error reassigned_variable", "a.pp:7 error argument_count",
                  "a.pp:8 warning no_such_type"]
        self.assertEqual(self.found("a.pp"), wanted)
        self.assertEqual(self.found(), wanted)
        self.assertEqual(self.found("--modulepath", "none", "a.pp")[:3], wanted[:3])
        self.file("b.pp", "class b (Integer $size) {\n  notice($size)\n}\nclass { 'b': size => 'x' }\n")
        self.assertEqual(self.found("b.pp"), ["b.pp:4 error parameter_type"])

    def test_modules_below_a_folder_that_is_nothing(self):
        self.file("teams/web/modules/site/manifests/init.pp", "class site (String $name_of) {\n  file { '/a': ensure => fil }\n  site::part { 'x': sise => 1, size => 1 }\n}\n")
        self.file("teams/web/modules/site/manifests/part.pp", "define site::part (Integer $size) {\n  notice($size)\n}\n")
        self.file("teams/db/modules/db/manifests/init.pp", "class db {\n  site::part { 'y': }\n}\n")
        self.assertEqual(self.found(), ["teams/db/modules/db/manifests/init.pp:2 error missing_parameter", "teams/web/modules/site/manifests/init.pp:2 error attribute_value",
                                        "teams/web/modules/site/manifests/init.pp:3 error no_such_parameter"])

    def test_classes_that_a_function_in_ruby_makes(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "need('zip')\nnotify { 'x': require => Class['packages::zip'] }\ninclude packages::other\ninclude nowhere::at_all\n")
        self.file("modules/a/lib/puppet/parser/functions/need.rb",
                  "module Puppet::Parser::Functions\n  newfunction(:need) do |args|\n    host = Puppet::Resource::Type.new(:hostclass, 'packages::' + args[0])\n"
                  "    compiler.environment.known_resource_types.add_hostclass(host)\n  end\nend\n")
        self.assertEqual(self.found(), ["manifests/site.pp:4 error no_such_module"])

    def test_data_of_other_backends(self):
        self.file("hiera.yaml", "version: 5\nhierarchy:\n  - name: own\n    lookup_key: a::data\n    path: own.yaml\n  - name: common\n    path: common.yaml\n")
        self.file("environment.conf", "")
        self.file("modules/a/lib/puppet/functions/a/data.rb", "Puppet::Functions.create_function(:'a::data') do\n  dispatch :data do\n    param 'String', :key\n"
                  "    param 'Hash', :options\n    param 'Puppet::LookupContext', :context\n  end\n  def data(key, options, context)\n    context.not_found\n  end\nend\n")
        for name in ("own", "common"):
            self.file(f"data/{name}.yaml", "x: !ruby/regexp /a/\n")
        self.assertEqual(self.found(), ["data/common.yaml:1 error data_syntax"])

    def test_methods_without_quotes_are_variables(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "")
        self.file("hiera.yaml", "version: 5\n")
        self.file("data/common.yaml", "a: 1\nb: \"%{lookup(a)}\"\nc: \"x %{hiera( a )}\"\nd: \"%{lookup('a')} %{lookup(\\\"a\\\")} %{facts.kernel} %{literal('%')}{x}\"\n")
        self.assertEqual(self.found(), ["data/common.yaml:2 error interpolation", "data/common.yaml:3 error interpolation"])
        self.assertIn("'lookup(a)' is looked for as a variable", self.messages()[0])

    def test_what_the_compiler_refuses_in_a_hiera_yaml(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "notice(lookup('a', default_value => 'x'))\n")
        self.file("data/common.yaml", "a: 1\n")
        level = "hierarchy:\n  - name: first\n    path: common.yaml\n  - name: second\n    "
        for rest, line in (("defaults: {datadir: data}\n" + level + "data_hash: yaml_data\n", 4), ("defaults: {datadir: data, data_hash: yaml_data}\n" + level + "path: x.yaml\n", 0),
                           (level + "path: x.yaml\n", 0), ("plan_hierarchy:\n  - name: plans\n    path: x.yaml\n" + level + "path: x.yaml\n", 0),
                           (level + "paths: x.yaml\n", 6), (level + "paths: []\n", 6), (level + "path: ''\n", 6), (level + "path: [x.yaml]\n", 6),
                           (level + "mapped_paths: [a, b]\n", 6), (level + "options: {path: x}\n", 1), (level + "options: x\n", 6), (level + "datadir: [x]\n", 6),
                           (level + "hiera3_backend: x\n", 6), ("defaults: x\n" + level + "path: x.yaml\n", 2), ("defaults: {data_hash: yaml_data, path: x}\n" + level + "path: x.yaml\n", 2),
                           (level + "path: x.yaml\ndefault_hierarchy:\n  - name: none\n    path: y.yaml\n", 7)):
            self.file("hiera.yaml", "version: 5\n" + rest)
            compiled = subprocess.run([PUPC, "compile", "--node", "n"], cwd=self.root, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(compiled.returncode == 0, line == 0, rest + compiled.stderr)
            found = [f for f in self.found() if "hiera_config" in f]
            self.assertEqual(bool(found), line != 0, rest)
            self.assertTrue(line == 0 or line == 1 or found == [f"hiera.yaml:{line} error hiera_config"], f"{rest}{found}")

    def test_long_types_have_their_names(self):
        self.file("environment.conf", "")
        self.file("hiera.yaml", "version: 5\n")
        self.file("modules/a/types/long.pp", "type A::Long = Pattern[/^" + "x?" * 60 + "$/]\n")
        self.file("modules/a/types/short.pp", "type A::Short = Enum['one', 'two']\n")
        self.file("modules/a/types/either.pp", "type A::Either = Variant[A::Long, A::Short]\n")
        self.file("modules/a/manifests/init.pp", "class a (A::Long $l, A::Short $s, A::Either $e, A::Long $d) {\n  notice($l, $s, $e, $d)\n}\n")
        self.file("manifests/site.pp", "class { 'a': l => 'y', s => 'three', e => 'y', d => 'x' }\n")
        self.file("data/common.yaml", "a::d: y\n")
        text = "\n".join(self.messages())
        for told in ("'l' of class 'a' expects a match for A::Long, got 'y'", "'s' of class 'a' expects a match for A::Short = Enum['one', 'two'], got 'three'",
                     "'e' of class 'a' expects", "'d' of class 'a' expects a match for A::Long, got 'y'"):
            self.assertIn(told, text)
        self.assertNotIn("x?x?", text)

    def test_a_finding_is_told_once(self):
        self.file("environment.conf", "")
        self.file("manifests/site.pp", "")
        self.file("hiera.yaml", "version: 5\n")
        self.file("data/common.yaml", "a: &x\n  - \"%{lokup('y')}\"\nb: *x\nc: [*x, *x]\n")
        self.assertEqual(self.found(), ["data/common.yaml:2 error interpolation"])
        # A text is told where it stands: of an alias, and of what a merge brings in, that is the anchor's place. Two equal texts are two.
        self.file("data/common.yaml", "a: &s \"%{lokup('y')}\"\nb: *s\nc: &h\n  k: \"%{lookup('nowhere')}\"\nd:\n  <<: *h\n  m: \"%{lokup('y')}\"\n")
        self.assertEqual(self.found(), [f"data/common.yaml:{told}" for told in ("1 error interpolation", "4 warning missing_key", "7 error interpolation")])


if __name__ == "__main__":
    unittest.main()
