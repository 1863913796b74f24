#!/usr/bin/env python3
"""Tests of `pupc compile --all-nodes`, on the sample and on small environments."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PUPC = sys.argv.pop(1)
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "sample"
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


if __name__ == "__main__":
    unittest.main()
