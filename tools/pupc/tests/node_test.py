#!/usr/bin/env python3
"""What a node is before its compile: classifiers, facts, environments. Usage: node_test.py PUPC"""
import json
import os
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = sys.argv.pop(1)

CLASSIFIER = r"""#!/bin/sh
case $1 in
  ok) printf 'classes:\n  a: {x: 5}\n  b:\nparameters:\n  role: web\nenvironment: test\n';;
  list) printf -- '---\nclasses: [b]\n';;
  text) echo 'classes: b';;
  other) echo 'environment: nowhere';;
  fails) echo 'told'; echo 'not told' >&2; exit 3;;
  silent) ;;
  numbers) echo '[1]';;
  broken) printf 'classes:\n  - a\n  foo: [\n';;
  parameters) echo 'parameters: 5';;
  unknown) echo 'classes: [nonexist]';;
esac
"""


class Nodes(InFolder):
    def setUp(self):
        super().setUp()
        for environment in ("production", "test"):
            self.file(f"envs/{environment}/manifests/site.pp", """
class a($x) { notify { "a ${x} ${role} ${environment}": } }
class b { notify { "b ${environment}": } }
notify { "main ${server_facts['environment']} ${settings::environment}": }
""")
        self.enc = self.file("enc.sh", CLASSIFIER)
        os.chmod(self.enc, 0o755)

    def run_pupc(self, command, *words):
        done = subprocess.run([PUPC, command, "--environmentpath", os.path.join(self.root, "envs"), *words], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def notices(self, *words):
        code, out, err = self.run_pupc("compile", *words)
        self.assertEqual((code, err), (0, ""))
        return [r["title"] for r in json.loads(out)["resources"] if r["type"] == "Notify"]

    def test_classifier(self):
        self.assertEqual(self.notices("--enc", self.enc, "--node", "ok"), ["main test test", "a 5 web test", "b test"])
        self.assertEqual(self.notices("--enc", self.enc, "--node", "ok", "--environment", "production")[0], "main test test")
        self.assertEqual(self.notices("--enc", self.enc, "--node", "list"), ["main production production", "b production"])
        self.assertEqual(self.notices("--enc", self.enc, "--node", "text"), ["main production production", "b production"])
        yaml = self.file("n.yaml", "classes: {a: {x: 1}}\nparameters: {role: db}\n")
        self.assertEqual(self.notices("--enc", yaml, "--node", "n"), ["main production production", "a 1 db production"])

    def test_classifier_errors(self):
        def error(node, enc=self.enc):
            code, _, err = self.run_pupc("compile", "--enc", enc, "--node", node)
            self.assertEqual(code, 1)
            return err.replace(self.root, "ROOT")
        self.assertEqual(error("fails"), "Error: Failed when searching for node fails: Failed to find fails via exec: Execution of 'ROOT/enc.sh fails' returned 3: told\n")
        self.assertEqual(error("silent"), "Error: Could not find node 'silent'; cannot compile\n")
        load = "Could not load external node results for"
        self.assertEqual(error("numbers"), f"Error: Failed when searching for node numbers: {load} numbers: key is a Integer, not a string or symbol\n")
        self.assertEqual(error("broken"), f"Error: Failed when searching for node broken: {load} broken: (<unknown>): did not find expected '-' indicator "
                                          "while parsing a block collection at line 2 column 3\n")
        self.assertIn("'parameters' is not a hash", error("parameters"))
        self.assertEqual(error("other"), "Error: Failed when searching for node other: Could not find a directory environment named 'nowhere' anywhere in the path: "
                                         "ROOT/envs. Does the directory exist?\n")
        self.assertEqual(error("unknown"), "Error: Could not find class nonexist for unknown on node unknown\n")
        self.assertEqual(error("n", "enc.sh"), "Error: Failed when searching for node n: You must set the exec parameter to a fully qualified command\n")
        broken = self.file("broken.yaml", "classes: [a\n")
        self.assertIn("broken.yaml, line: 2, column: 1)", error("n", broken))
        self.assertIn("No such file or directory", error("n", self.root + "/none"))
        self.assertIn("No such file or directory", error("n", self.root + "/none.yaml"))

    def test_classifier_of_apply_and_lookup(self):
        code, out, err = self.run_pupc("apply", "--noop", "--no-state", "--enc", self.enc, "--node", "ok", "--facts", self.file("f.json", "{}"))
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Notify[a 5 web test]", out)
        self.file("envs/test/hiera.yaml", "version: 5\n")
        self.file("envs/test/data/common.yaml", "k: \"%{role} %{environment}\"\n")
        self.assertEqual(self.run_pupc("lookup", "--enc", self.enc, "--node", "ok", "k")[:2], (0, "--- web test\n"))

    def test_classifier_of_all_nodes(self):
        for name in ("ok", "fails", "list", "other"):
            self.file(f"facts/{name}.json", "{}")
        out = self.root + "/out"
        code, _, err = self.run_pupc("compile", "--enc", self.enc, "--all-nodes", self.root + "/facts", "--output", out, "--jobs", "3")
        self.assertEqual(code, 1)
        self.assertEqual(sorted(os.listdir(out)), ["list.json", "ok.json"])
        with open(out + "/ok.json", encoding="utf-8") as f:
            self.assertEqual(json.load(f)["environment"], "test")
        with open(out + "/list.json", encoding="utf-8") as f:
            self.assertEqual(json.load(f)["environment"], "production")
        self.assertIn("Error: fails: Failed when searching for node fails: Failed to find fails via exec", err)
        self.assertIn("Failed: fails other\n", err)

    def test_directory_of_facts(self):
        self.file("facts/one.yaml", "colour: red\n")
        self.file("facts/two.json", '{"colour": "blue"}')
        facts = self.root + "/facts"
        code = 'notify { "colour ${facts[\'colour\']}": }'
        self.assertEqual(self.notices("-e", code, "--facts", facts, "--node", "one"), ["colour red"])
        self.assertEqual(self.notices("-e", code, "--facts", facts, "--node", "two"), ["colour blue"])
        self.assertIn("Could not find facts of node 'three'", self.run_pupc("compile", "--facts", facts, "--node", "three")[2])
        self.assertIn("name the node", self.run_pupc("compile", "--facts", facts)[2])

    def test_legacy_facts(self):
        facts = self.file("facts.json", json.dumps({
            "os": {"name": "Debian", "family": "Debian", "release": {"major": "12", "full": "12.5"}}, "osfamily": "mine", "memory": {"system": {"total_bytes": "many"}},
            "networking": {"fqdn": "a.b", "interfaces": {"eth1": {"ip": "10.0.0.2"}, "eth0": {"ip": "10.0.0.1"}}}, "disks": [], "processors": {"models": ["fast"]},
            "ssh": {"rsa": {"key": "AAA", "fingerprints": 5}}}))
        code = 'notify { "${operatingsystem} ${osfamily} ${operatingsystemmajrelease} ${interfaces} ${ipaddress_eth1} ${processor0} ${sshrsakey} ${facts[\'fqdn\']}": }'
        self.assertEqual(self.notices("-e", code, "--facts", facts, "--node", "n", "--legacy-facts"), ["Debian mine 12 eth0,eth1 10.0.0.2 fast AAA a.b"])
        self.assertIn("Unknown variable: 'operatingsystem'", self.run_pupc("compile", "-e", code, "--facts", facts, "--node", "n")[2])

    def test_server_facts(self):
        given = self.file("server.yaml", "servername: puppet.example.com\nserverip: 10.0.0.1\n")
        code = 'notify { "${server_facts[\'servername\']} ${serverip} ${server_facts[\'environment\']}": }'
        self.assertEqual(self.notices("-e", code, "--server-facts", given), ["puppet.example.com 10.0.0.1 production"])

    def test_puppet_conf(self):
        self.file("code/environments/other/manifests/site.pp", 'include base\n')
        self.file("code/modules/base/manifests/init.pp", 'class base { notify { "base ${environment} ${lookup(\'k\')} ${settings::codedir} ${settings::splay} ${settings::strict}": } }\n')
        self.file("code/data.yaml", "k: global\n")
        self.file("conf/hiera.yaml", f"version: 5\nhierarchy: [{{name: G, path: data.yaml, datadir: {self.root}/code}}]\n")
        conf = self.file("conf/puppet.conf", f"""
# comment
[main]
codedir = {self.root}/code
basemodulepath = $codedir/modules
environment = production
strict = warning
splay = true
[server]
environment = other
vardir = "/x" {{owner = root}}
[agent]
environment = third
""")

        def run(*words):
            done = subprocess.run([PUPC, *words], capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout, done.stderr
        code, out, err = run("compile", "--config", conf, "--node", "n")
        self.assertEqual((code, err), (0, ""))
        titles = [r["title"] for r in json.loads(out)["resources"] if r["type"] == "Notify"]
        self.assertEqual(titles, [f"base other global {self.root}/code true warning"])
        self.assertEqual(run("lookup", "--config", conf, "--node", "n", "k")[:2], (0, "--- global\n"))
        self.assertIn("named 'production'", run("compile", "--config", conf, "--node", "n", "--environment", "production")[2])
        code, out, err = run("compile", "--config", conf, "--strict", "error", "--node", "n")
        self.assertIn(f"true error", out)
        self.assertIn("Notice: Compiled catalog for n in environment production", run("apply", "--config", conf, "--noop", "--no-state", "--node", "n", "--environmentpath",
                                                                                        self.root + "/envs", "--facts", self.file("f.json", "{}"))[1])
        broken = self.file("conf/broken.conf", "[main]\na = 1\nnonsense\n")
        self.assertEqual(run("compile", "--config", broken, "-e", "")[2], f"Error: Could not match line nonsense (file: {broken}, line: 3)\n")
        self.assertIn("No such file or directory", run("compile", "--config", self.root + "/none.conf", "-e", "")[2])
        self.assertIn("refers to itself", run("compile", "--config", self.file("conf/loop.conf", "codedir = $vardir\nvardir = $codedir\n"), "-e", "")[2])
        self.assertIn('"name":"named"', run("compile", "--config", self.file("conf/name.conf", f"[main]\ncodedir = {self.root}/code\nenvironment = other\ncertname = named\n"), "-e", "")[1])
        by_value = self.file("conf/value.conf", f"[main]\ncodedir = {self.root}/code\nenvironment = other\ncertname = named\nnode_name_value = valued\n")
        self.assertIn('"name":"valued"', run("compile", "--config", by_value, "-e", "")[1])
        facts = self.file("named.json", '{"hostname": "of_fact"}')
        by_fact = self.file("conf/fact.conf", f"[main]\ncodedir = {self.root}/code\nenvironment = other\nnode_name_fact = hostname\n")
        self.assertIn('"name":"of_fact"', run("compile", "--config", by_fact, "--facts", facts, "-e", "")[1])
        self.assertIn('"name":"n"', run("compile", "--config", by_fact, "--facts", facts, "--node", "n", "-e", "")[1])
        self.assertIn("There is no fact 'hostname'", run("compile", "--config", by_fact, "-e", "")[2])
        both = self.file("conf/both.conf", "[main]\nnode_name_fact = hostname\nnode_name_value = x\n")
        self.assertIn("Cannot specify both the node_name_value and node_name_fact settings", run("compile", "--config", both, "-e", "")[2])
        # Sections and interpolation: the server's go before the user's; what is no setting of Puppet is none of the language either.
        sections = self.file("conf/sections.conf", f"[user]\nstrict = error\n[server]\nstrict_variables = false\nstrict=warning\n[main]\ncodedir = {self.root}/code\n"
                             f"environmentpath = ${{codedir}}/environments\nhiera_config = $confdir/hiera.yaml\nenvironment = other\nnothing_known = $vardir/x\nvardir = /opt/x\n")
        self.assertEqual(run("lookup", "--config", sections, "--node", "n", "k")[:2], (0, "--- global\n"))
        code, out, err = run("compile", "--config", sections, "--node", "n", "-e", 'notify { "<${unset}> ${settings::nothing_known}<${settings::libdir}": }')
        self.assertEqual(code, 0, err)
        self.assertIn("<> </opt/x/lib", out)
        self.assertIn("has nothing_known, which is no setting", run("compile", "--config", sections, "--node", "n", "--log-level", "debug", "-e", "")[2])

    def test_backend_of_hiera_3_without_ruby(self):
        self.file("envs/production/modules/m/lib/hiera/backend/own_backend.rb", "class Hiera; module Backend; class Own_backend; def lookup(k, s, o, r, c) k == 'k' ? 'found' : throw(:no_such_key); end; end; end; end\n")
        hiera = self.file("own/hiera.yaml", ":backends: own\n:hierarchy: common\n")
        words = ("lookup", "--hiera-config", hiera, "--node", "n", "k")
        self.assertEqual(self.run_pupc(*words)[:2], (0, "--- found\n"))
        self.assertIn("Hiera 3 backend 'own' needs Ruby, which is not available", self.run_pupc(*words, "--ruby=never")[2])

    def test_ruby_that_is_not_allowed_is_named_with_construct_and_line(self):
        body = "  def %s(x)\n    x\n    ObjectSpace.count_objects\n  end\n"
        files = {
            "functions/four.rb": "Puppet::Functions.create_function(:four) do\n" + body % "four" + "end\n",
            "parser/functions/three.rb": "Puppet::Parser::Functions.newfunction(:three, :type => :rvalue) do |args|\n  ObjectSpace.count_objects\nend\n",
        }
        for name, text in files.items():
            self.file("envs/production/modules/m/lib/puppet/" + name, text)
        self.file("envs/production/modules/m/templates/t.erb", "text\n<%= ObjectSpace.count_objects %>\n")
        for call, user, where in (("four(1)", "function four", "four.rb) needs Ruby, which is not allowed here: line 4: constant ObjectSpace"),
                                  ("three(1)", "function three", "three.rb) needs Ruby, which is not allowed here: line 2: constant ObjectSpace"),
                                  ("template('m/t.erb')", "t.erb", "t.erb) needs Ruby, which is not allowed here: line 2: constant ObjectSpace"),
                                  ("inline_template('<%= ObjectSpace %>')", "inline template", "inline template needs Ruby, which is not allowed here: line 1: constant ObjectSpace")):
            with self.subTest(call=call):
                code, _, err = self.run_pupc("compile", "--node", "n", "--ruby=never", "--explain-ruby", "-e", f"$x = {call}")
                self.assertEqual(code, 1)
                self.assertIn(where, err)
                last = err.rstrip("\n").split("\n")[-2:]
                self.assertEqual(last[0], "To need no Ruby, pupc would have to know:")
                self.assertRegex(last[1], "  constant ObjectSpace .*" + user)

    def test_default_manifest(self):
        self.file("envs/plain/manifests/site.pp", 'notify { "plain": }')
        self.file("envs/plain/own.pp", 'notify { "own": }')
        self.file("envs/plain/sub/a.pp", 'notify { "sub": }')
        self.file("envs/conf/environment.conf", "manifest = own.pp\n")
        self.file("envs/conf/own.pp", 'notify { "conf": }')
        common = self.file("common.pp", 'notify { "common": }')

        def titles(environment, settings):
            conf = self.file("default.conf", f"[main]\nenvironmentpath = {self.root}/envs\nenvironment = {environment}\n{settings}\n")
            done = subprocess.run([PUPC, "compile", "--config", conf, "--node", "n"], capture_output=True, text=True, timeout=60)
            return ([r["title"] for r in json.loads(done.stdout)["resources"] if r["type"] == "Notify"] if done.returncode == 0 else []), done.stderr
        self.assertEqual(titles("plain", ""), (["plain"], ""))
        self.assertEqual(titles("plain", "default_manifest = own.pp"), (["own"], ""))
        self.assertEqual(titles("plain", "default_manifest = ./sub"), (["sub"], ""))
        self.assertEqual(titles("plain", f"default_manifest = {common}"), (["common"], ""))
        self.assertEqual(titles("conf", f"default_manifest = {common}"), (["conf"], ""))
        self.assertEqual(titles("plain", f"default_manifest = {common}\ndisable_per_environment_manifest = true"), (["common"], ""))
        found, err = titles("conf", f"default_manifest = {common}\ndisable_per_environment_manifest = true")
        self.assertEqual(found, ["common"])
        self.assertIn(f"Error: The 'disable_per_environment_manifest' setting is true, but the environment located at {self.root}/envs/conf has a manifest setting in its "
                      f"environment.conf of '{self.root}/envs/conf/own.pp' which does not match the default_manifest setting '{common}'.", err)
        self.assertIn("The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true",
                      titles("plain", "disable_per_environment_manifest = true")[1])

    def test_errors_of_data(self):
        """One clear error each, with the file and where there is one the line."""
        data = self.root + "/envs/production/data"

        def error(text, name="x.yaml", function="yaml_data", **more):
            self.file("envs/production/hiera.yaml", f"version: 5\nhierarchy: [{{name: A, path: {name}, data_hash: {function}}}]\n")
            path = self.file(f"envs/production/data/{name}", "")
            with open(path, "wb") as f:
                f.write(text)
            code, out, err = self.run_pupc("lookup", "--node", "n", "a")
            self.assertEqual((code, out), (1, ""))
            self.assertEqual(err.count("Error: "), 1)
            err.encode("utf-8")
            return err.replace(data, "DATA")
        self.assertEqual(error(b"a: 1\nb: [1\n"), "Error: Unable to parse (DATA/x.yaml): did not find expected ',' or ']' while parsing a flow sequence at line 2 column 4\n")
        self.assertIn("Unable to parse (DATA/x.yaml): invalid leading UTF-8 octet", error(b"x: 1\na: \xff\n"))
        self.assertEqual(error(b"# c\na: \"%{lookup('b')}\"\nb: \"%{lookup('a')}\"\n"),
                         "Error: Lookup of key 'a' failed: Recursive lookup detected in [a, b]\n  It is in the value of the key 'b' at DATA/x.yaml:3.\n")
        self.assertIn("It is in the value of the key 'a' at DATA/x.yaml:2.", error(b"b: 1\na: \"%{nofn('x')}\"\n"))
        self.assertIn("(DATA/x.json): unexpected token at '}'\n  It is at DATA/x.json:2.\n", error(b'{"a": 1,\n"b": [}', "x.json", "json_data"))
        self.assertIn("Unable to parse (DATA/x.conf): line 2: invalid UTF-8", error(b"b = 1\na = \"\xff\"\n", "x.conf", "hocon_data"))
        self.assertIn("Unable to parse (DATA/x.conf): String: 2: Could not resolve substitution to a value: ${a} was part of a cycle of substitutions involving ${b}, ${a}, ${b}", error(b"a = ${b}\nb = ${a}\n", "x.conf", "hocon_data"))
        self.assertIn("Unable to parse (DATA/x.conf): String: 2: include url() is not supported", error(b"a = 1\ninclude url(\"http://x/\")\n", "x.conf", "hocon_data"))
        for deep in (b"{a=" * 100000, b"[" * 100000, b"a." * 100000 + b"a=1"):
            self.assertRegex(error(deep, "x.conf", "hocon_data"), "nested too deeply|too many parts")
        bombs = b"x0=[1,1]\n" + b"".join(b"x%d=[${x%d},${x%d}]\n" % (i, i - 1, i - 1) for i in range(1, 60))
        self.assertIn("the substitutions make too much of it", error(bombs, "x.conf", "hocon_data"))
        self.assertIn("String: 3: List should have ended with ] or had a comma, instead had token: end of file", error(b"b = [1\nc\n", "x.conf", "hocon_data"))
        # a directory in a file's place, an unreadable file, no data at all
        os.remove(data + "/x.yaml")
        os.mkdir(data + "/x.yaml")
        self.file("envs/production/hiera.yaml", "version: 5\nhierarchy: [{name: A, path: x.yaml}]\n")
        self.assertIn(f"Is a directory @ io_fread - {data}/x.yaml", self.run_pupc("lookup", "--node", "n", "a")[2])
        os.rmdir(data + "/x.yaml")
        self.assertEqual(self.run_pupc("lookup", "--node", "n", "a"), (1, "", ""))
        self.file("envs/production/hiera.yaml", "version: 5\nhierarchy: [{name: A\n")
        self.assertIn("envs/production/hiera.yaml): did not find expected ',' or '}' while parsing a flow mapping at line 2 column 13", self.run_pupc("lookup", "--node", "n", "a")[2])


if __name__ == "__main__":
    unittest.main()
