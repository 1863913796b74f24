#!/usr/bin/env python3
"""The program as CI systems see it: exit codes, formats, help. Usage: cli_test.py PUPC"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PUPC = sys.argv.pop(1)


def run(*words, stdin=""):
    done = subprocess.run([PUPC, *words], input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def on_terminal(*words):
    """What a command writes to a terminal, without colours: its findings, or else its messages."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # a container without /dev/pts
        raise unittest.SkipTest(f"no terminal to be had: {error}")
    process = subprocess.Popen([PUPC, *words], stdout=theirs if words[0] == "validate" else subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"})
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 65536):
            out += chunk
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return process.wait(timeout=60), out.decode().replace("\r\n", "\n")


class Validate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_exit_codes(self):
        self.assertEqual(run("validate", "-e", "$a = 1"), (0, "", ""))
        self.assertEqual(run("validate", "-e", "class plan { }")[0], 0, "a warning only")
        self.assertEqual(run("validate", "-e", "class A { }")[0], 1)
        self.assertEqual(run("validate", "--nonsense")[0], 2)
        self.assertEqual(run("validate", self.folder.name + "/none.pp")[0], 1)
        self.assertEqual(run("validate", "-", stdin="$a = ")[0], 1)

    def test_compile_names_the_file_of_a_byte_order_mark(self):
        marked = self.file("marked.pp", "\ufeffnotice(1)\n")
        self.assertIn(f" - remove these from the puppet source (file: {marked})", run("compile", marked)[2])

    def test_piped_findings_are_lines_of_the_output(self):
        path = self.file("a.pp", "class A { }\n1\n2\n")
        code, out, _ = run("validate", path)
        self.assertEqual(code, 1)
        self.assertEqual([line for line in out.splitlines() if ": error[" in line], [
            f"{path}:2:1: error[2002 no_effect]: This Literal Integer has no effect. A value was produced and then forgotten (one or more preceding "
            "expressions may have the wrong form)",
            f"{path}:1:1: error[2004 illegal_name]: Unacceptable name. The name 'A' is unacceptable as the name of a Host Class Definition. Did you mean 'a'?"])

    def test_all_piped_findings_are_told(self):
        path = self.file("a.pp", "".join(f"class A{i} {{ }}\n$h{i} = {{a => 1, a => 2}}\n" for i in range(12)))
        code, out, _ = run("validate", "--strict", "warning", path)
        lines = out.splitlines()
        self.assertEqual((code, len(lines)), (1, 24))
        self.assertIn(f"{path}:20:18: warning[2007 duplicate_key]: The key 'a' is declared more than once. Only the last entry of equal keys would count.", lines)

    def test_code_in_heredocs(self):
        path = self.file("a.pp", "notice(@(E:pp))\n$h = {a => 1, a => 2}\nclass A { }\nclass B { }\n| E\n")
        self.assertEqual(run("validate", "--strict", "warning", path)[1].splitlines(), [
            "Warning: The key 'a' is declared more than once (line: 1, column: 17)",
            "Error: Unacceptable name. The name 'A' is unacceptable as the name of a Host Class Definition (line: 2, column: 1)",
            "Error: Unacceptable name. The name 'B' is unacceptable as the name of a Host Class Definition (line: 3, column: 1)",
            f"{path}:2:1: error[2022 heredoc_text]: Invalid produced text having syntax: 'pp'. PP syntax checker: \"Language validation logged 2 errors, "
            "and 1 warnings. Giving up\""])

    def test_terminals_get_the_source_line(self):
        path = self.file("a.pp", "$a = 1\n\t$Foo = 'é' + 1\n")
        code, err = on_terminal("validate", path)
        self.assertEqual(code, 1)
        self.assertIn(f" --> {path}:2:2\n  |\n2 |  $Foo = 'é' + 1\n  |  ^^^^\n  = Did you mean $foo?\n", err)

    def test_control_characters_stay_out_of_terminals(self):
        path = self.file("a.pp", "$Foo = '\x1b[31m'\n")
        self.assertNotIn("\x1b", on_terminal("validate", path)[1])

    def test_json_and_directories(self):
        bad = self.file("m/manifests/b.pp", "$x = 1 1\n$x = = 1\n")
        template = self.file("m/templates/a.epp", "<% 1 2 %>")
        self.file("m/manifests/a.pp", "$x = 1\n")
        self.file("m/README", "{")
        code, out, _ = run("validate", "--format", "json", "--jobs", "3", self.folder.name)
        findings = json.loads(out)
        self.assertEqual(code, 1)
        self.assertEqual([(f["file"], f["line"], f["column"], f["severity"], f["code"]) for f in findings],
                         [(bad, 2, 6, "error", 1001), (template, 1, 4, "error", 2002)])
        self.assertEqual(findings[0]["message"], "Syntax error at '='")
        self.assertEqual(json.loads(run("validate", "--format", "json", "-e", "")[1]), [])

    def test_validate_says_what_it_checked(self):
        top = os.path.join(self.folder.name, "said")
        os.makedirs(top + "/empty")
        for name, text in {"a.pp": "class a { }\n", "b.erb": "<% if true then %>\n", "c.yaml": "a: [1\n", "d.json": '{"a": 1\n "b": 2}\n'}.items():
            with open(os.path.join(top, name), "w", encoding="utf-8") as f:
                f.write(text)
        self.assertRegex(run("validate", top)[2], r"(?m)^1 error, 0 warnings in 2 files, \d+\.\d\d s$")
        os.mkdir(top + "/clean")
        with open(top + "/clean/b.pp", "w", encoding="utf-8") as f:
            f.write("class b { }\n")
        code, out, err = run("validate", top + "/clean")
        self.assertEqual((code, out), (0, ""))
        self.assertRegex(err, r"^0 errors, 0 warnings in 1 file, \d+\.\d\d s\n$")
        self.assertEqual(run("validate", top + "/empty")[2], "Nothing was checked: the paths hold no manifests, templates, data or metadata\n")
        # Without a path the current directory is checked, whatever standard input is.
        here = subprocess.run([PUPC, "validate"], cwd=top + "/clean", input="class A { }", capture_output=True, text=True, timeout=60)
        self.assertRegex(here.stderr, r"^0 errors, 0 warnings in 1 file, ")
        # A file that is named is read as what it is.
        for name, check, line in (("b.erb", "template_syntax", None), ("c.yaml", "data_syntax", None), ("d.json", "data_syntax", 2)):
            found = json.loads(run("validate", "--format", "json", os.path.join(top, name))[1])
            self.assertEqual([f["check"] for f in found], [check], name)
            if line:
                self.assertEqual((found[0]["line"], found[0]["message"]), (line, 'Unexpected "b" in JSON'))
        # Twice the same file, also by another name and by its folder: once.
        self.assertEqual(run("validate", top + "/a.pp", top + "/../said/a.pp", top + "/clean", top + "/clean/b.pp")[0], 0)
        # What is no text is told in text.
        with open(top + "/bad.yaml", "wb") as f:
            f.write(b"a: [\xff\xfe\n")
        with open(top + "/bad.erb", "wb") as f:
            f.write(bytes(range(256)) * 50)
        found = json.loads(run("validate", "--format", "json", top + "/bad.yaml", top + "/bad.erb")[1])
        self.assertEqual([f["check"] for f in found], ["data_syntax", "template_syntax"])

    def test_validate_of_a_part_knows_the_rest(self):
        top = os.path.join(self.folder.name, "part")
        for name, text in {
                "environment.conf": "modulepath = site:modules\n", ".gitignore": "/modules/\n",
                "manifests/site.pp": "Exec { path => ['/bin'] }\ninclude b\n",
                "modules/a/manifests/init.pp": "class a { package { 'nginx': } }\n",
                "modules/a/manifests/d.pp": "define a::d($x) { }\n",
                "site/b/manifests/init.pp": "class b {\n  include a\n  file { '/x': require => Package['nginx'] }\n"
                                            "  exec { 'true': refreshonly => true, subscribe => File['/x'] }\n}\n",
                "site/b/manifests/wrong.pp": "class b::wrong {\n  file { '/x': require => Package['ngnix'] }\n}\n"}.items():
            os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as f:
                f.write(text)
        whole = {f["line"]: f["message"] for f in json.loads(run("validate", "--no-cache", "--format", "json", top)[1])}
        self.assertEqual(whole, {2: "Nothing declares Package['ngnix']"})
        self.assertEqual(json.loads(run("validate", "--format", "json", top + "/site/b/manifests/init.pp")[1]), [])
        for part in ("/site", "/site/b", "/site/b/manifests/wrong.pp"):
            found = {f["line"]: f["message"] for f in json.loads(run("validate", "--no-cache", "--format", "json", top + part)[1])}
            self.assertEqual(found, whole, part)
        os.symlink(top, top + "link")
        self.assertEqual(json.loads(run("validate", "--format", "json", top + "link/site/b/manifests/init.pp")[1]), [])

    def test_validate_sees_the_phases_of_a_whole_program(self):
        modules = os.path.join(self.folder.name, "phase_modules")
        for path, text in {"a/manifests/init.pp": "class a { file { '/x': } include b }\n", "b/manifests/init.pp": "class b { $v = b::text() }\n",
                           "b/functions/text.pp": "function b::text() { file('/x') }\n", "c/manifests/init.pp": "class c { }\n"}.items():
            os.makedirs(os.path.dirname(os.path.join(modules, path)), exist_ok=True)
            with open(os.path.join(modules, path), "w", encoding="utf-8") as f:
                f.write(text)
        why = "Phase error: file() reads '/x' while compiling, but File[/x] brings it at converge: it is not there yet"
        code, out, _ = run("validate", "--format", "json", modules)
        self.assertEqual((code, [(f["file"], f["message"]) for f in json.loads(out)]), (1, [(modules + "/b/functions/text.pp", why)]))
        self.assertEqual(run("validate", modules + "/a")[0], 0, "of a alone nothing is known to be wrong")
        code, out, _ = run("validate", "--format", "json", "--modulepath", modules, "-e", "include a")
        self.assertEqual((code, [(f["file"], f["message"]) for f in json.loads(out)]), (1, [(modules + "/b/functions/text.pp", why)]))
        self.assertEqual(run("validate", "--modulepath", modules, "-e", "include c\ninclude b"), (0, "", ""))

    def test_places_in_modules(self):
        path = self.file("mods/m/manifests/a.pp", "class m::b { }\n")
        self.assertEqual(run("validate", "--syntax-only", path)[0], 0)
        code, out, _ = run("validate", "--format", "json", path)
        self.assertEqual((code, [f["check"] for f in json.loads(out)]), (1, ["misplaced_definition"]))
        code, out, _ = run("validate", "--modulepath", self.folder.name + "/mods", path)
        self.assertEqual(code, 1)
        self.assertIn(f"Unacceptable location. The name 'm::b' is unacceptable in file '{path}'", out)

    def test_each_environment_is_by_itself(self):
        """Names, classes and data of one environment are nothing to the other, and wholeness of one is none of a module beside it."""
        files = []
        for name, used in (("production", "old"), ("testing", "new")):
            self.file(f"envs/{name}/environment.conf", "modulepath = modules\n")
            files.append(self.file(f"envs/{name}/manifests/site.pp", f"include app::{used}\n"))
            files.append(self.file(f"envs/{name}/modules/app/manifests/{used}.pp", f"class app::{used} {{ }}\n"))
        module = self.file("mods/lone/manifests/init.pp", "class lone { include elsewhere }\n")
        fixture = self.file("mods/lone/spec/fixtures/manifests/site.pp", "include lone\n")
        self.file("mods/lone/spec/fixtures/modules/site_lone/manifests/init.pp", "class site_lone { }\n")
        self.file("mods/lone/metadata.json", '{"name": "me-lone", "version": "1.0.0", "author": "me", "license": "MIT", "summary": "s", '
                                             '"source": "https://example.org", "dependencies": [{"name": "you/elsewhere"}]}')
        self.file("mods/lone/Puppetfile", "mod 'you/other', '1.0.0'\n")
        top = self.folder.name
        for paths in ([top + "/envs"], [top + "/envs/production", top + "/envs/testing"], files, files + [module], [module, fixture], [module],
                      [top + "/mods"], [top + "/mods/lone"]):
            self.assertEqual(json.loads(run("validate", "--no-cache", "--format", "json", *paths)[1]), [], paths)
        self.file("envs/testing/manifests/site.pp", "include app::old\n")
        for paths in ([top + "/envs"], files + [module]):
            found = json.loads(run("validate", "--no-cache", "--format", "json", *paths)[1])
            self.assertEqual([f["file"] for f in found], [files[2]], paths)

    def test_whole_environment(self):
        self.file("env/environment.conf", "modulepath = modules\n")
        site = self.file("env/manifests/site.pp", "node default { include app }\n")
        app = self.file("env/modules/app/manifests/init.pp", "class app {\n  include app::servr\n  exec { '/bin/true': }\n}\n")
        self.file("env/modules/app/manifests/server.pp", "class app::server { }\n")
        root = self.folder.name + "/env"
        code, out, _ = run("validate", "--format", "json", root)
        found = json.loads(out)
        self.assertEqual((code, [(f["file"], f["line"], f["code"], f["check"], f["suggestion"]) for f in found]),
                         (1, [(app, 2, 8101, "no_such_class", "Did you mean 'app::server'?")]))
        self.assertEqual(run("validate", "--syntax-only", root)[0], 0)
        self.assertEqual(run("validate", site)[0], 0, "only what is asked about is told")
        hints = json.loads(run("validate", "--hints", "--format", "json", root)[1])
        self.assertEqual([f["check"] for f in hints], ["no_such_class", "unguarded_exec"])
        # Fingerprints stay when lines move, and a baseline hides what was there before.
        baseline = self.folder.name + "/baseline.json"
        self.assertEqual(run("validate", "--write-baseline", baseline, root)[0], 0)
        self.file("env/modules/app/manifests/init.pp", "# moved\nclass app {\n  include app::servr\n  include app::srver\n}\n")
        code, out, _ = run("validate", "--baseline", baseline, "--format", "json", root)
        self.assertEqual((code, [f["line"] for f in json.loads(out)]), (1, [4]))
        self.assertEqual(run("validate", "--baseline", root + "/none.json", root)[0], 2)
        self.assertEqual(run("validate", "--max-severity", "error", root)[0], 0)
        for form, start in (("sarif", "{"), ("junit", "<?xml"), ("checkstyle", "<?xml"), ("github", "::error file="), ("gitlab", "[")):
            self.assertTrue(run("validate", "--format", form, root)[1].startswith(start), form)

    def test_a_main_manifest_with_an_error_silences_no_other_check(self):
        self.file("broken/environment.conf", "")
        self.file("broken/manifests/nodes.pp", "class of_main { }\n$of_main = 1\n")
        self.file("broken/manifests/site.pp", "class of_main { }\ndefine of_main::thing() { }\nnode default {\n  $of_main = 1\n")
        app = self.file("broken/modules/app/manifests/init.pp",
                        "class app {\n  include app::servr\n  include of_main\n  include elsewhere::a\n  of_main::thing { 'x': }\n"
                        "  notice($of_main, $app::nothing)\n  file { '/x': ensure => file, mod => '0644' }\n}\n")
        self.file("broken/modules/app/manifests/server.pp", "class app::server { }\n")
        found = json.loads(run("validate", "--no-cache", "--format", "json", self.folder.name + "/broken")[1])
        self.assertEqual([(f["line"], f["check"]) for f in found if f["file"] == app],
                         [(2, "no_such_class"), (4, "no_such_module"), (6, "unset_class_variable"), (7, "no_such_parameter")])

    def test_it_says_what_was_checked(self):
        path = self.file("a.pp", "notice('a')\n")
        self.assertRegex(run("validate", "--summary", path)[2], r"^0 errors, 0 warnings in 1 file, \d+\.\d\d s\n$")
        empty = self.folder.name + "/empty"
        os.mkdir(empty)
        code, _, err = run("validate", empty)
        self.assertEqual((code, err), (0, "Nothing was checked: the paths hold no manifests, templates, data or metadata\n"))

    def test_clashing_definitions(self):
        self.assertIn("already defined", run("validate", "-e", "class a { }\nclass a { }")[1] + run("validate", "-e", "define a { }\nclass a { }")[1])

    def test_compile_sources(self):
        self.assertIn('"Notify","title":"from input"', run("compile", "-", stdin="notify { 'from input': }")[1])
        code, out, err = run("compile", self.folder.name + "/none.pp")
        self.assertEqual((code, out, err), (2, "", f"pupc: Could not find file {self.folder.name}/none.pp\n"))
        self.assertEqual(run("compile", "-", "-e", "1")[0], 2)

    def test_compile_batch(self):
        with tempfile.TemporaryDirectory() as d:
            facts = os.path.join(d, "facts.json")
            with open(facts, "w", encoding="utf-8") as f:
                json.dump({"role": "given"}, f)
            code = "notice($facts['role'])"
            requests = [{"id": 1, "code": code}, {"id": 2, "code": code, "facts": {"role": "own"}}, {"id": 3, "code": code, "facts": "own.json"}]
            _, out, _ = run("compile", "--batch", "-", "--facts", facts, stdin="\n".join(map(json.dumps, requests)) + "\n")
        answers = {a["id"]: a for a in map(json.loads, out.splitlines())}
        self.assertEqual([answers[i]["logs"][0]["message"] for i in (1, 2)], ["Scope(Class[main]): given", "Scope(Class[main]): own"])
        self.assertEqual(answers[3]["error"]["message"], "the request's facts are not a JSON object")

    def test_nulls_among_facts(self):
        facts = self.file("nulls.json", json.dumps({"a": None, "b": {"c": [None]}}))
        _, _, err = run("compile", "--facts", facts, "-e", "notice([$a, $facts['b']['c']])")
        self.assertIn("Notice: Scope(Class[main]): [, []]", err)
        self.assertIn("String", run("compile", "--facts", facts, "-e", "notice(type($facts['a'], 'generalized'))")[2])

    def test_batch(self):
        path = self.file("a.pp", "$a = \n")
        requests = [{"id": 1, "code": "$a = 1"}, {"id": "2", "file": path}, {"id": "3", "code": "<% 1 2 %>", "epp": True}, {"id": "4"}]
        code, out, _ = run("validate", "--batch", "-", "--jobs", "2", stdin="\n".join(map(json.dumps, requests)) + "\n")
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(code, 1, "the last line is no request")
        self.assertEqual([(a["id"], a["ok"]) for a in answers], [(1, True), ("2", False), ("3", False), ("4", False)])
        self.assertEqual(answers[1]["errors"], [{"message": "Syntax error at end of input", "line": None, "column": None}])


class Puppet(unittest.TestCase):
    """Puppet's own command line: texts, streams and exit codes are Puppet's."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("ok.pp", "notify { 'x': }\n"), ("bad.pp", "notify { 'x':\n"), ("name.pp", "class Foo { }\n"), ("p.epp", "<%- | $n, $m = 3 | -%>\n<%= $n %> <%= $m %>\n"),
                           ("b.epp", "<% if %>\n"), ("code/environments/production/manifests/site.pp", "notify { \"${facts['role']}\": }\n"),
                           ("var/yaml/facts/n1.yaml", "--- !ruby/object:Puppet::Node::Facts\nname: n1\nvalues:\n  role: web\n")):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

    def puppet(self, *words, link=False):
        program = [PUPC, "puppet"]
        if link:
            program = [os.path.join(self.folder, "puppet")]
            if not os.path.exists(program[0]):
                os.symlink(PUPC, program[0])
        places = [w for name in ("conf", "code", "var", "run", "log", "public") for w in (f"--{name}dir", f"{self.folder}/{name}")] if len(words) > 2 else []
        done = subprocess.run([*program, *words, *places], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        return done.returncode, done.stdout.replace(self.folder, "ROOT"), done.stderr.replace(self.folder, "ROOT")

    def test_words(self):
        see = "See 'puppet help' for help on available puppet subcommands\n"
        for link in (False, True):
            self.assertEqual(self.puppet("--version", link=link), (0, "8.11.0\n", ""))
        self.assertEqual(self.puppet(), (0, see, ""))
        self.assertEqual(self.puppet("nosuch"), (1, "Error: Unknown Puppet subcommand 'nosuch'\n" + see, ""))
        self.assertEqual(self.puppet("parser"), (1, "", "Error: 'parser' has no default action.  See `puppet help parser`.\n"))
        for face in ("parser", "catalog", "node", "epp", "config", "module", "facts", "generate", "describe", "ssl", "lookup", "agent", "apply", "resource"):
            code, out, err = self.puppet(face, "--help")
            self.assertEqual((code, "Usage: pup" in out, err), (0, True, ""))
        self.assertEqual(self.puppet("config", "nosuch"), (1, "", "Error: 'config' has no 'nosuch' action.  See `puppet help config`.\n"))
        self.assertEqual(self.puppet("aply"), (1, "Error: Unknown Puppet subcommand 'aply'\n" + see, "Did you mean 'apply'?\n"))
        self.assertEqual(self.puppet("agnet")[2], "Did you mean 'agent'?\n")
        self.assertEqual(self.puppet("config", "prnt")[2], "Error: 'config' has no 'prnt' action.  See `puppet help config`.\nDid you mean 'print'?\n")
        self.assertEqual(self.puppet("apply", "--configprint", "certname", "-e", "")[2], "Error: The setting configprint = certname is not supported: use `pupc config print`\n")
        self.assertEqual(self.puppet("module", "lst"), (1, "", "Error: 'module' has no 'lst' action.  See `puppet help module`.\nDid you mean 'list'?\n"))

    def test_what_pupc_lacks_is_told_in_one_line(self):
        """Each subcommand and action of Puppet 8.11, and older ones that people type."""
        for words in ("device", "doc", "filebucket", "plugin", "script", "report", "cert", "man", "facter", "status", "key", "master",
                      "module install", "module uninstall", "module upgrade", "module changes", "module search", "node find", "node info", "facts upload",
                      "facts save", "facts info", "catalog apply", "catalog download", "catalog select", "catalog save", "catalog info"):
            code, out, err = self.puppet(*words.split())
            self.assertEqual((code, out), (1, ""), words)
            self.assertRegex(err, rf"\AError: pupc has no '{words}': [^\n]+\n\Z")
            self.assertEqual(self.puppet("help", *words.split()), (code, out, err))
        for command in ("apply", "agent", "ssl"):
            self.assertIn(f"Usage: pupc {command}", self.puppet("help", command)[1])
        self.assertEqual(self.puppet("help", "nodde"), (1, "", "Error: Could not load help for the face nodde.\nDid you mean 'node'?\n"))

    def test_parser_and_epp(self):
        self.assertEqual(self.puppet("parser", "validate", "ok.pp"), (0, "", ""))
        self.assertEqual(self.puppet("parser", "validate", "bad.pp"),
                         (1, "", "Error: Could not parse for environment production: Syntax error at end of input (file: ROOT/bad.pp)\n"))
        self.assertEqual(self.puppet("parser", "validate", "name.pp"),
                         (1, "", "Error: Could not parse for environment production: Unacceptable name. The name 'Foo' is unacceptable as the name of a Host Class Definition "
                                 "(file: ROOT/name.pp, line: 1, column: 1)\n"))
        self.assertEqual(self.puppet("parser", "validate", "nosuch.pp"),
                         (1, "", "Error: One or more file(s) specified did not exist:\n[\"   nosuch.pp\\n\"]\nError: Try 'puppet help parser validate' for usage\n"))
        self.assertEqual(self.puppet("parser", "validate", "--nosuch", "ok.pp"), (1, "", "Error: Could not parse application options: invalid option: --nosuch\n"))
        self.assertEqual(self.puppet("epp", "validate", "b.epp"),
                         (1, "", "Error: Syntax error at end of input (file: b.epp)\nError: Errors while validating epp\nError: Try 'puppet help epp validate' for usage\n"))
        facts = ("--facts_terminus", "memory")
        self.assertEqual(self.puppet("epp", "render", "p.epp", "--values", "{n => 1}", *facts), (0, "1 3\n", ""))
        self.assertEqual(self.puppet("epp", "render", "nosuch.epp", *facts),
                         (1, "", "Error: Could not find template 'nosuch.epp'\nError: error while rendering epp\nError: Try 'puppet help epp render' for usage\n"))

    def test_catalog_compile(self):
        code, out, err = self.puppet("catalog", "compile", "n1", "--facts_terminus=yaml", "--no-storeconfigs", "--no-daemonize", "--color=false", f"--factpath={self.folder}/var/yaml/facts")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\ANotice: Compiled catalog for n1 in environment production in \d+\.\d\d seconds\n\{\n  \"tags\": \[\n")
        catalog = json.loads(out[out.index("{"):])
        self.assertEqual([r["title"] for r in catalog["resources"]], ["main", "Settings", "main", "web"])
        self.assertIn("--- !ruby/object:Puppet::Resource::Catalog\ntags:\n- settings\n", self.puppet("catalog", "compile", "n1", "--facts_terminus", "yaml", "--render-as", "yaml")[1])
        code, out, err = self.puppet("catalog", "compile", "n2", "--facts_terminus", "nosuch")
        self.assertEqual((code, out, err.splitlines()[-1]), (1, "", "Error: Try 'puppet help catalog compile' for usage"))
        self.assertEqual(self.puppet("catalog", "compile", "n1", "--render-as", "nosuch")[2], "Error: Could not parse application options: I don't know how to render 'nosuch'\n")

    def test_apply_lookup_config(self):
        self.assertEqual(self.puppet("apply", "nosuch.pp", "--noop"), (1, "", "Error: Could not run: Could not find file nosuch.pp\n"))
        self.assertEqual(self.puppet("config", "print", "vardir"), (0, "ROOT/var\n", ""))
        self.assertEqual(self.puppet("config", "set", "noop", "true"), (0, "", ""))
        code, out, _ = self.puppet("apply", "--report", "-e", f"file {{ '{self.folder}/made': content => 'x' }}")
        self.assertEqual((code, "(noop)" in out, os.path.exists(self.folder + "/made")), (0, True, False))
        self.assertTrue(os.path.exists(self.folder + "/public/last_run_summary.yaml"))
        self.assertEqual(self.puppet("lookup", "nosuch", "--node", "n1"), (1, "", ""))
        self.assertEqual(self.puppet("lookup", "nosuch", "--node", "n1", "--default", "d"), (0, "--- d\n", ""))
        self.assertEqual(self.puppet("node", "clean", "n1"), (0, "n1\n", ""))
        self.assertFalse(os.path.exists(self.folder + "/var/yaml/facts/n1.yaml"))


class GenerateTypes(unittest.TestCase):
    def test_nothing_is_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/production/manifests")
            code, _, err = run("puppet", "generate", "types", "--environmentpath", folder, "--environment", "production", "--force")
            self.assertEqual((code, os.listdir(folder + "/production")), (0, ["manifests"]), err)
            self.assertEqual(run("puppet", "generate", "types", "--environmentpath", folder, "--environment", "none")[0], 1)
            self.assertEqual(run("puppet", "generate", "types", "--environmentpath", folder, "--format", "json")[0], 1)


class Others(unittest.TestCase):
    def test_pipes_of_the_shell(self):
        command = f"{PUPC} compile --node n --facts <(echo '{{\"a\": \"from a pipe\"}}') <(echo 'notice($facts[a])')"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        self.assertIn("from a pipe", done.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(run("compile", "--node", "n", "/dev/null")[0], 0, "nothing is an empty manifest")

    def test_explained_secrets(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/data")
            with open(f"{folder}/hiera.yaml", "w") as f:
                f.write("version: 5\nhierarchy: [{name: a, path: a.yaml}]\n")
            with open(f"{folder}/data/a.yaml", "w") as f:
                f.write("one: hunter22\nmany: {x: hunter22}\nshown: seen\nindirect: \"%{lookup('shown')}hunter22\"\nlookup_options:\n"
                        "  one: {convert_to: Sensitive}\n  many: {convert_to: ['Sensitive'], merge: deep}\n  indirect: {convert_to: 'Sensitive[String]'}\n")
            for key in ("one", "many", "indirect"):
                code, out, err = run("lookup", "--explain", "--hiera-config", f"{folder}/hiera.yaml", "--node", "n", key)
                self.assertEqual(code, 0, err)
                self.assertNotIn("hunter22", out + err)
                self.assertIn("redacted", out)
            self.assertIn("seen", run("lookup", "--explain", "--hiera-config", f"{folder}/hiera.yaml", "--node", "n", "shown")[1])

    def test_limits(self):
        self.assertIn("(--max-time)", run("compile", "--node", "n", "--max-time", "0.2", "-e", "Integer[1, 9000000000].each |$i| { }")[2])
        self.assertEqual(run("compile", "--max-time", "soon", "-e", "")[0], 2)
        deep = "function f($n) { if $n > 0 { f($n - 1) } } f(50)"
        self.assertEqual(run("compile", "--node", "n", "--max-depth", "60", "-e", deep)[0], 0)
        self.assertIn("(--max-depth)", run("compile", "--node", "n", "--max-depth", "40", "-e", deep)[2])
        large = "$a = sprintf('%100000s', 'x') $b = [$a, $a, $a, $a] notify { 'n': message => [$b, $b, $b] }"
        self.assertEqual(run("compile", "--node", "n", "--max-output", "2", "-e", large)[0], 0)
        code, out, err = run("compile", "--node", "n", "--max-output", "1", "-e", large)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("(--max-output)", err)
        requests = '{"id": 1, "code": "Integer[1, 9000000000].each |$i| { }"}\n{"id": 2, "code": "notice(1)"}\n'
        code, out, _ = run("compile", "--batch", "-", "--max-time", "0.3", stdin=requests)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([a["ok"] for a in answers], [False, True], "one request does not hurt the next")
        self.assertIn("longer than 0.3 s", answers[0]["error"]["message"])

    def test_examples_of_types_and_attributes_are_right(self):
        titles = {"cron": "job", "exec": "/bin/true", "file": "/srv/app", "mount": "/mnt", "node_attribute": "a.b", "resources": "user", "tidy": "/tmp",
                  "zfs": "tank/home"}
        beside = {"cron.hour": "minute => 0", "tidy.matches": "recurse => true", "augeas.lens": "incl => '/etc/hosts'", "augeas.incl": "lens => 'Hosts.lns'"}
        requests = []
        for section in re.split(r"(?m)^### ", run("doc", "types")[1])[1:]:
            name, _, text = section.partition("\n")
            if text.split("\n\n")[0].startswith("#") or "A resource type" not in text:
                continue
            example = "".join(line[4:] + "\n" for line in text.split("\n") if line.startswith("    "))
            others = "".join(f"file {{ '{path}': }}\n" for path in re.findall(r"File\['([^']+)'\]", example))
            requests.append({"id": name, "code": others + example})
            for attribute, value in re.findall(r"(?m)^- \w+: .* Example: (\w+) => (.*)\.$", text):
                key = f"{name}.{attribute}"
                given = [f"{attribute} => {value}"] + ([beside[key]] if key in beside else [])
                if name == "ssh_authorized_key" and attribute not in ("user", "target"):
                    given.append("user => 'deploy'")
                if name == "exec" and attribute not in ("creates", "unless", "onlyif"):
                    given.append("creates => '/srv/done'")
                requests.append({"id": key, "code": f"{name} {{ '{titles.get(name, 'one')}': {', '.join(given)} }}\n"})
        self.assertGreater(len(requests), 350)
        with tempfile.TemporaryDirectory(prefix="pupc-examples") as directory:
            path = os.path.join(directory, "examples.jsonl")
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(json.dumps(r | {"facts": {"role": "web"}, "node": "n"}) + "\n" for r in requests)
            codes = {r["id"]: r["code"] for r in requests}
            compiled = [json.loads(line) for line in run("compile", "--batch", path)[1].splitlines()]
            self.assertEqual([(codes[a["id"]], a["error"]) for a in compiled if not a["ok"]], [])
            self.assertEqual(len(compiled), len(requests))
            # Each for itself: by its own rules, and those of its type.
            manifest, found = os.path.join(directory, "one.pp"), []
            for code in codes.values():
                with open(manifest, "w", encoding="utf-8") as f:
                    f.write(code)
                found += [(code, f["message"]) for f in json.loads(run("validate", "--no-cache", "--hints", "--format", "json", manifest)[1])]
            self.assertEqual(found, [], "\n".join(map(str, found)))

    def test_doc(self):
        status, functions, _ = run("doc", "functions")
        self.assertEqual(status, 0)
        headings = [line[4:] for line in functions.splitlines() if line.startswith("### ")]
        self.assertEqual(len(headings), len(set(headings)))
        for name in ("abs", "each", "sprintf", "with", "yaml_data", "stdlib::merge", "validate_legacy", "mysql::password"):
            self.assertIn(name, headings)
        for name in headings:
            self.assertIn(f"\n### {name}\n\n", functions)
            self.assertRegex(functions, rf"(?m)^    {re.escape(name)}\(")
        self.assertIn("    abs(Numeric $val)\n", run("doc", "functions", "abs")[1])
        for what, heading in (("types", "### Struct"), ("errors", "### 4")):
            self.assertIn(heading, run("doc", what)[1])
        file = run("doc", "types", "file")[1]
        for line in ("- content: The whole content.", "- path: (names the resource) Where it is.", "Default: sha256.", "Parameters:", "require, ", "    file { '/etc/motd':\n"):
            self.assertIn(line, file)
        self.assertEqual(run("doc", "functions", "nosuch")[0], 1)
        self.assertIn("- only_if: A guard", run("doc", "types", "metaparameters")[1])
        for words in (["puppet", "describe", "-l"], ["puppet", "describe", "--list"], ["doc", "types", "-l"], ["doc", "types", "--list"]):
            self.assertRegex(run(*words)[1], r"(?m)\AThese are the types known to puppet:\n(.*\n)*exec +- Runs a command\.")
        for words in (["puppet", "describe", "-s", "notify"], ["doc", "types", "-s", "notify"], ["doc", "types", "notify", "--short"]):
            self.assertIn("Parameters\n----------\n    name, withpath\n", run(*words)[1])
        self.assertIn("- **ensure**\n    Whether it runs now. Values: stopped, running", run("puppet", "describe", "service")[1])
        self.assertIn("- **noop**", run("puppet", "describe", "-s", "--meta", "notify")[1])
        self.assertEqual(run("puppet", "describe", "fille")[::2], (1, "Error: Unknown type fille, did you mean 'file'?\n"))
        self.assertIn(" Example: mode => '0644'.\n", run("puppet", "describe", "file")[1])
        self.assertEqual(run("doc")[0], 2)
        self.assertEqual(run("doc", "nosuch")[0], 2)

    def test_explain(self):
        listed = run("explain")[1]
        for line in listed.splitlines():
            if line.startswith("  "):
                number, name = line.split()[:2]
                for code in (number, "E" + number, name):
                    status, out, _ = run("explain", code)
                    self.assertEqual(status, 0)
                    self.assertTrue(out.startswith(f"{number} {name}: "))
                    self.assertGreater(len(out.splitlines()[2]), 20, f"{name} has an explanation")
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for line in listed.splitlines():
            if not line.startswith("  "):
                continue
            number, name = line.split()[:2]
            parts = re.split(r"\n(?:Wrong|Right):\n\n", run("explain", number)[1])
            self.assertEqual(len(parts), 3, f"{name} has a wrong and a right example")
            wrong, right = (re.sub(r"(?m)^    ", "", part) for part in parts[1:])
            if wrong.startswith("#") or "nosuch" in wrong or name == "dependency_cycle" or number >= "8000":  # checks: compiler/analysis/checks_test.cpp
                continue
            epp = "<%" in wrong
            for text, status in ((wrong, 1), (right, 0)):
                path = os.path.join(folder, "example.epp" if epp else "example.pp")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                if number < "3000":
                    code, out, _ = run("validate", "--format", "json", path)
                    codes = [str(f["code"]) for f in json.loads(out)]
                    self.assertEqual((code, any(number in c or name in c for c in codes) or number == "2001"), (status, status == 1 or number == "2001"), (name, text, out))
                else:
                    self.assertEqual(run("compile", "--config", "/dev/null", "--node", "n", path)[0], status, (name, text))
        self.assertEqual(run("explain", "illegal_nam"), (1, "", "pupc: there is no error illegal_nam; did you mean illegal_name?\n"))

    def test_ast(self):
        self.assertEqual(run("ast", "--format", "pn", "-e", "$a = [1, \"x${b}\"]")[1].split(),
                         '(= (var "a") (array 1 (concat "x" (str (var "b")))))'.split())
        self.assertEqual(run("ast", "-e", "$a = ")[0], 1)
        self.assertEqual(run("ast")[0], 2)

    def test_help(self):
        for command in ("compile", "validate", "ast", "explain"):
            code, out, _ = run(command, "--help")
            self.assertEqual(code, 0)
            self.assertTrue(out.startswith(f"Usage: pupc {command} "))
            self.assertRegex(out, r"\nExamples:\n  pupc .*\n  pupc .*\n\nExit codes: 0 ")
            self.assertEqual(run("help", command)[1], out)
        self.assertEqual(run("--version")[0], 0)
        self.assertEqual(run("nonsense")[0], 2)
        self.assertIn("Did you mean 'compile'?", run("complie")[2])
        self.assertIn("Did you mean 'lookup'?", run("help", "lokup")[2])
        self.assertIn("Puppet's is `pupc puppet describe`", run("describe", "file")[2])
        for words in (("main",), ("main", "dev")):  # as if they were revisions
            code, _, err = run("diff", *words)
            self.assertEqual(code, 2)
            self.assertIn("--facts", err)
        self.assertIn("unknown option '--modulpath'; did you mean '--modulepath'?", run("compile", "--modulpath", "x")[2])
        self.assertIn("did you mean '--postrun_command'?", run("apply", "--postrun-comand", "x")[2])

    def test_compile_errors_on_terminals(self):
        code, err = on_terminal("compile", "-e", "$a = 1\nnotice($b)", "--node", "n")
        self.assertEqual(code, 1)
        self.assertIn("2 | notice($b)\n  |        ^^\n", err)


    def test_compile_errors_in_a_pipe(self):
        words = ["compile", "-e", "$a = 1\nnotice($b)", "--node", "n"]
        self.assertIn("2 | notice($b)\n  |        ^^\n", run(*words, "--format", "human")[2])
        self.assertNotIn(" | ", run(*words, "--format", "plain")[2])
        self.assertEqual(run(*words, "--format", "xml")[0], 2)

    def test_a_compile_without_facts_says_so(self):
        missed = "  no facts were given (--facts FILE; `pupc facts --for debian-12` prints some)\n"
        self.assertTrue(run("compile", "-e", "notice($facts['os']['family'])")[2].endswith(missed))
        self.assertTrue(run("compile", "-e", "notice($osfamily)")[2].endswith(missed))
        self.assertIn(" = no facts were given (--facts FILE; ", run("compile", "--format", "human", "-e", "notice($os)")[2])
        self.assertNotIn("no facts", run("compile", "-e", "notice($other)")[2])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as facts:
            facts.write('{"kernel": "Linux"}')
            facts.flush()
            self.assertNotIn("no facts", run("compile", "--facts", facts.name, "-e", "notice($osfamily)")[2])


if __name__ == "__main__":
    unittest.main()
