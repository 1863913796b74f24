#!/usr/bin/env python3
"""Tests of `pupc compile --all-nodes`, `--store` and `pupc diff`, on the sample and on small environments."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

PUPC = sys.argv.pop(1)
SAMPLE = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "sample"
VOLATILE = re.compile(r'"version":\d+,"code_id":null,"catalog_uuid":"[0-9a-f-]{36}",')


def run(*words, **kwargs):
    return subprocess.run([PUPC, *map(str, words)], capture_output=True, text=True, timeout=120, check=False, **kwargs)


def stable(text):
    text, count = VOLATILE.subn("", text)
    assert count == 1, "one head in each catalog"
    return text


def seconds_hidden(text):
    return re.sub(r"\d+\.\d\d s$", "N s", text, flags=re.M)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def file(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def catalogs(self, folder):
        return {p.name: stable(p.read_text(encoding="utf-8")) for p in (self.path / folder).iterdir()}


class Sample(Folder):
    environment = ("--environmentpath", SAMPLE / "environments")

    def test_equals_single_compiles_with_any_number_of_jobs(self):
        logs = set()
        for jobs in (1, 2, 5):
            done = run("compile", *self.environment, "--all-nodes", SAMPLE / "facts", "--output", self.path / str(jobs), "--jobs", jobs)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            logs.add(seconds_hidden(done.stderr))
        self.assertEqual(len(logs), 1, "the same logs in the same order")
        self.assertTrue(logs.pop().endswith("\n50 nodes compiled, 0 failed, N s\n"))
        together = self.catalogs("1")
        self.assertEqual(together, self.catalogs("2"))
        self.assertEqual(together, self.catalogs("5"))
        self.assertEqual(len(together), 50)
        for name, text in together.items():
            single = run("compile", *self.environment, "--facts", SAMPLE / "facts" / name)
            self.assertEqual(stable(single.stdout), text, name)


class Failures(Folder):
    def compile(self, *words):
        return run("compile", "--all-nodes", self.path / "facts", "--output", self.path / "out", "--jobs", "2", *words)

    def test_one_failing_node_disturbs_no_other(self):
        for i in range(20):
            self.file(f"facts/n{i:02}.json", json.dumps({"number": i}))
        self.file("facts/broken.yaml", "a: [")
        self.file("out/n07.json", "of an earlier run")
        code = """
          if $facts['number'] == 7 { fail('seven') }
          if $facts['number'] == 8 { $a = 1; $a = 2 }
          if $facts['number'] == 9 { deep(1) }
          notify { "number ${facts['number']}": }
          function deep($n) { deep($n + 1) }
        """
        done = self.compile("-e", code)
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nFailed: broken n07 n08 n09\n", done.stderr)
        self.assertIn("17 nodes compiled, 4 failed, ", done.stderr)
        self.assertIn("Error: n07: Evaluation Error: Error while evaluating a Function Call, seven (line: 2, column: 38) on node n07\n", done.stderr)
        self.assertIn("Error: broken: ", done.stderr)
        self.assertEqual(sorted(p.name for p in (self.path / "out").iterdir()), sorted(f"n{i:02}.json" for i in range(20) if i not in (7, 8, 9)))

    def test_a_warning_is_told_once_with_the_number_of_its_nodes(self):
        for node in ("n1", "n2", "n3"):
            self.file(f"facts/{node}.json", json.dumps({"number": node}))
        done = self.compile("-e", "notice('seen')\nwarning('everywhere')\nwarning('everywhere')\nif $facts['number'] == 'n2' { warning('here') }")
        self.assertRegex(done.stderr, r"\AWARNINGS3 nodes compiled, 0 failed, [0-9.]+ s\n\Z".replace("WARNINGS", re.escape(
            "".join(f"Notice: {node}: Scope(Class[main]): seen\n" for node in ("n1", "n2", "n3"))
            + "Warning: n1 and 2 more: Scope(Class[main]): everywhere\nWarning: n2: Scope(Class[main]): here\n")))
        apart = self.compile("-e", "warning('everywhere')", "--no-group")
        self.assertRegex(apart.stderr, r"\AWarning: n1: .*everywhere\nWarning: n2: .*everywhere\nWarning: n3: .*everywhere\n3 nodes compiled")

    def test_an_error_is_told_once_with_the_number_of_its_nodes(self):
        for node in ("n1", "n2", "n3"):
            self.file(f"facts/{node}.json", json.dumps({"number": node}))
        done = self.compile("-e", "err('first')\nif $facts['number'] != 'n2' { fail('no') }\nfail($facts['number'])")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Error: n1 and 2 more: Scope(Class[main]): first\nError: n1 and 1 more: Evaluation Error", done.stderr)
        self.assertIn("no (line: 2, column: 31) on node n1\n", done.stderr)
        self.assertEqual([line[:10] for line in done.stderr.split("\n") if line.startswith("Error")], ["Error: n1 "] * 2 + ["Error: n2:"])

    def test_names(self):
        self.file("facts/a.json", json.dumps({"name": "b", "values": {"from": "a"}}))
        self.file("facts/b.yaml", "from: b\n")
        self.file("facts/b.yml", "from: second b\n")
        self.file("facts/c.json", json.dumps({"name": "d", "values": {"from": "c"}}))
        self.file("facts/e.json", json.dumps({"name": "../e", "values": {}}))
        self.file("facts/notes.txt", "no facts")
        done = self.compile("-e", "notify { $facts['from']: }")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(p.name for p in (self.path / "out").iterdir()), ["b.json", "d.json"])
        self.assertIn("Notify[b]", (self.path / "out/b.json").read_text())
        self.assertIn("a.json: another facts file is for the node 'b' too", done.stderr)
        self.assertIn("b.yml: another facts file is for the node 'b' too", done.stderr)
        self.assertIn("'../e' cannot be the name of a file", done.stderr)

    def test_progress_on_a_terminal(self):
        for i in range(3):
            self.file(f"facts/n{i}.json", "{}")
        ours, theirs = pty.openpty()
        done = subprocess.run([PUPC, "compile", "--all-nodes", self.path / "facts", "--output", self.path / "out", "--jobs", "1", "-e", "notice('x')"],
                              stdout=subprocess.DEVNULL, stderr=theirs, timeout=60, check=False, env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # the other side is closed
            pass
        shown = shown.decode().replace("\r\n", "\n")
        os.close(ours)
        self.assertEqual(done.returncode, 0)
        clear = "\r\x1b[K"
        line = "Notice: n{}: Scope(Class[main]): x\n"
        self.assertEqual(seconds_hidden(shown), clear + line.format(0) + "1 of 3 nodes" + clear + line.format(1) + "2 of 3 nodes" + clear + line.format(2)
                         + "3 nodes compiled, 0 failed, N s\n")

    def test_wrong_usage_and_environment(self):
        self.file("facts/a.json", "{}")
        self.assertEqual(run("compile", "-e", "", "--all-nodes", self.path / "facts").returncode, 2)
        self.assertEqual(run("compile", "-e", "", "--all-nodes", self.path / "none", "--output", self.path / "out").returncode, 2)
        self.assertEqual(self.compile("-e", "", "--node", "x").returncode, 2)
        done = self.compile("-e", "$a = ")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("Syntax error"), 1)

    @unittest.skipUnless(sys.platform == "linux", "counts opened files")
    def test_files_are_read_once(self):
        for i in range(8):
            self.file(f"facts/n{i}.json", "{}")
        self.file("mods/m/manifests/init.pp", "class m { notify { lookup('k'): } }")
        self.file("hiera.yaml", "version: 5\nhierarchy:\n- name: a\n  path: a.yaml\n  datadir: .\n")
        self.file("a.yaml", "k: v\n")
        try:
            done = subprocess.run(["strace", "-f", "-e", "trace=openat,open", PUPC, "compile", "--all-nodes", self.path / "facts", "--output", self.path / "out", "--jobs", "2",
                                   "--modulepath", self.path / "mods", "--hiera-config", self.path / "hiera.yaml", "-e", "include m"],
                                  capture_output=True, text=True, timeout=120, check=False)
        except FileNotFoundError:
            self.skipTest("strace is not there")
        if done.returncode != 0 and "ptrace" in done.stderr:
            self.skipTest("tracing is not allowed")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("mods/m/manifests/init.pp", "a.yaml", "hiera.yaml"):
            self.assertEqual(len(re.findall(rf'"{re.escape(str(self.path / name))}"', done.stderr)), 1, name)


class Exports(Folder):
    """What `--store` does beyond testdata/exports: one node at a time, several at once, failures."""

    def compile(self, node, code, *words):
        return run("compile", "-e", code, "--node", node, "--store", self.path / "store", *words)

    def collected(self, node, code="Notify <<| |>>"):
        done = self.compile(node, code)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "", "no warning with a store")
        return [r["title"] for r in json.loads(done.stdout)["resources"] if r["type"] == "Notify"]

    def test_one_after_the_other(self):
        self.compile("a", "@@notify { ['a1', 'a2']: }")
        self.compile("b", "@@notify { 'b1': message => Sensitive('secret'), tag => 't' }")
        self.assertEqual(self.collected("c"), ["a1", "a2", "b1"])
        self.assertEqual(self.collected("a"), ["b1"], "not its own old ones; and now it exports nothing")
        self.assertEqual(self.collected("c"), ["b1"])
        self.assertEqual(self.compile("b", "@@notify { 'b2': } fail('no')").returncode, 1)
        self.assertEqual(self.collected("c"), ["b1"], "a failed compile leaves what was there")
        for path in self.path.iterdir():
            self.assertNotIn(b"secret", path.read_bytes(), "sensitive values are not stored")

    def test_parameters_are_not_those_of_the_collecting_node(self):
        self.compile("a", "@@notify { 'n': message => \"from ${trusted['certname']}\" }")
        self.compile("b", "Notify <<| |>>")
        done = self.compile("b", "Notify <<| |>>")
        self.assertIn('"message":"from a"', done.stdout)

    def test_many_processes(self):
        code = "@@notify { \"of ${trusted['certname']}\": } Notify <<| |>>"
        for _ in range(2):
            started = [subprocess.Popen([PUPC, "compile", "-e", code, "--node", f"n{i}", "--store", self.path / "store"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(12)]
            for process in started:
                self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 0))
        self.assertEqual(self.collected("x"), sorted(f"of n{i}" for i in range(12)))

    def test_all_nodes_in_two_rounds(self):
        for name in ("a", "b", "c", "broken"):
            self.file(f"facts/{name}.json", json.dumps({"name": name, "values": {}}))
        code = """
          notice('once')
          @@notify { "of ${trusted['certname']}": }
          if $trusted['certname'] != 'c' { Notify <<| |>> }
          if $trusted['certname'] == 'broken' { fail('broken') }
        """
        for _ in range(2):
            done = run("compile", "--all-nodes", self.path / "facts", "--output", self.path / "out", "--store", self.path / "store", "-e", code, "--jobs", "3")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("once"), 4, "logs of one round only")
            self.assertIn("3 nodes compiled, 1 failed", done.stderr)
            titles = {p.stem: sorted(r["title"] for r in json.loads(p.read_text())["resources"] if r["type"] == "Notify") for p in (self.path / "out").iterdir()}
            self.assertEqual(titles, {"a": ["of a", "of b", "of c"], "b": ["of a", "of b", "of c"], "c": []})

    def test_only_what_changed_is_collected_again(self):
        for name in ("a", "b", "c"):
            self.file(f"facts/{name}.json", json.dumps({"name": name, "values": {}}))
        code = """
          notice('told')
          if $trusted['certname'] == 'a' { @@notify { 'one': message => 'MESSAGE', tag => 'TAG' } @@user { 'u': } EXTRA }
          if $trusted['certname'] == 'b' { Notify <<| tag == 'x' |>> }
          if $trusted['certname'] == 'c' { User <<| |>> }
        """

        def collected(message, tag="x", extra=""):
            done = run("compile", "--all-nodes", self.path / "facts", "--output", self.path / "out", "--store", self.path / "store", "-e",
                       code.replace("MESSAGE", message).replace("TAG", tag).replace("EXTRA", extra))
            self.assertEqual((done.returncode, done.stderr.count("told")), (0, 3), done.stderr)
            resources = [json.loads((self.path / f"out/{node}.json").read_text())["resources"] for node in "bc"]
            return [r.get("parameters", {}).get("message", r["title"]) for of in resources for r in of if r["type"] in ("Notify", "User")]

        self.assertEqual(collected("first"), ["first", "u"])
        self.assertEqual(collected("first"), ["first", "u"])
        self.assertEqual(collected("second"), ["second", "u"])
        self.assertEqual(collected("second", tag="y"), ["u"])
        self.assertEqual(collected("second"), ["second", "u"])
        self.assertEqual(collected("second", extra="@@user { 'v': }"), ["second", "u", "v"])
        self.assertEqual(collected("second"), ["second", "u"])
        self.compile("d", "@@user { 'w': }")
        self.assertEqual(collected("second"), ["second", "u", "w"])

    def test_queries_for_resources_need_catalogs(self):
        asks = "notice(puppetdb_query('resources[title] { type = \"User\" }'))"
        self.compile("a", "user { 'u': }")
        done = self.compile("b", asks)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it has no catalog of a: compile with --store-catalogs", done.stderr)
        self.compile("a", "user { 'u': }", "--store-catalogs")
        self.assertIn("{title => u}", self.compile("c", asks, "--store-catalogs").stderr)

    def test_forgetting(self):
        self.compile("a", "@@notify { 'a1': }")
        self.compile("b", "@@notify { 'b1': }")
        store = self.path / "store"
        self.assertEqual(run("store", store).stdout, "a\nb\n")
        self.assertEqual(run("store", store, "--forget", "a").returncode, 0)
        self.assertEqual(self.collected("c"), ["b1"])
        self.assertEqual(run("store", store).stdout, "b\nc\n")
        self.assertEqual(run("store", store, "--forget", "a").returncode, 1)
        self.assertEqual(run("store", self.path / "none").returncode, 1)
        self.assertFalse((self.path / "none").exists())
        self.assertEqual(run("store").returncode, 2)

    def test_broken_store(self):
        self.file("store", "no database" * 100)
        done = self.compile("a", "")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^Error: Exported resources: .*store: file is not a database\n$")
        self.assertEqual(run("compile", "--batch", "-", "--store", "x").returncode, 2)


class Diff(Folder):
    def catalog(self, name, code):
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        self.assertEqual(run("compile", "-e", code, "--node", "n", "--output", path).returncode, 0)
        return path

    def test_files(self):
        a = self.catalog("a.json", "notify { 'x': message => 'old' }\nnotify { 'y': }")
        same = self.catalog("same.json", "notify { 'x': message => 'old' }\n\n\nnotify { 'y': }")
        b = self.catalog("b.json", "notify { 'x': message => 'new' }")
        equal = run("diff", a, same)
        self.assertEqual((equal.returncode, equal.stdout, equal.stderr), (0, "", ""))
        self.assertEqual(run("diff", a, same, "--places").returncode, 1)
        different = run("diff", a, b)
        self.assertEqual((different.returncode, different.stderr), (1, ""))
        self.assertEqual(different.stdout, '  Notify[x]  (:1)\n-   message = "old"\n+   message = "new"\n- Notify[y]  (:2)\n')
        self.assertIn('- Class[main] contains Notify[y]\n', run('diff', a, b, '--edges').stdout)
        self.assertIn("\x1b[0;31m-   message", run("diff", a, b, "--color", "always").stdout)
        document = json.loads(run("diff", a, b, "--format", "json").stdout)
        self.assertEqual([(r["reference"], r["change"]) for r in document["resources"]], [("Notify[x]", "changed"), ("Notify[y]", "removed")])

    def test_directories(self):
        self.catalog("old/a.json", "notify { 'x': }")
        self.catalog("new/a.json", "notify { 'x': }")
        self.catalog("old/gone.json", "")
        self.catalog("new/came.json", "")
        self.catalog("old/b.json", "notify { 'x': }")
        self.catalog("new/b.json", "")
        done = run("diff", self.path / "old", self.path / "new")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "== b\n- Notify[x]  (:1)\n== came\n+ the catalog\n== gone\n- the catalog\n")
        report = json.loads(run("diff", self.path / "old", self.path / "new", "--format", "json").stdout)
        self.assertEqual(([g["nodes"] for g in report["groups"]], report["nodes"]), ([["b"]], {"removed": ["gone"], "added": ["came"]}))
        self.assertEqual(run("diff", self.path / "old", self.path / "old").returncode, 0)

    def test_trouble(self):
        a = self.catalog("a.json", "")
        broken = self.file("broken.json", '{"resources": [\n1,,')
        done = run("diff", a, broken)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"(file: {broken}, line: 2, column: 3)", done.stderr)
        self.assertEqual(run("diff", a, self.path / "none").returncode, 2)
        self.assertEqual(run("diff", a, self.file("facts.json", "{}")).returncode, 2)
        self.assertEqual(run("diff", a).returncode, 2)
        self.assertEqual(run("diff", a, self.path).returncode, 2)


if __name__ == "__main__":
    unittest.main()
