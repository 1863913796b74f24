#!/usr/bin/env python3
"""The reports of validate against schemas of their formats, and its way with git. Usage: validate_formats_test.py PUPC TESTDATA
Exits 77 without python3-jsonschema or xmllint."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PUPC, TESTDATA = sys.argv[1], sys.argv[2]
try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)
if shutil.which("xmllint") is None:
    print("xmllint is not installed")
    sys.exit(77)

# Names and texts that every format has to write in its own way.
FILES = {
    "environment.conf": "modulepath = modules\nmodulepth = x\n",
    "manifests/site.pp": "include nowhere\nnotice(upcse('a'))\nfile { '/tmp/<&\">': onwer => 'x', mode => 644 }\nexec { '/bin/true': }\n",
    "manifests/ümläut & <b>.pp": "class a { $x = 1 $x = 2\n  service { 'ä\u0001': ensure => 'lä\"<>&\u0007' } }\n",
    "manifests/broken.pp": "class {\n",
    "data/common.yaml": "a: [1\n",
    "hiera.yaml": "version: 5\n",
}


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name + "/env"
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def run_pupc(self, *words):
        done = subprocess.run([PUPC, "validate", *words], capture_output=True, cwd=self.root, timeout=60)
        return done.returncode, done.stdout

    def schema(self, name):
        with open(os.path.join(TESTDATA, "schemas", name), encoding="utf-8") as f:
            return json.load(f)

    def check_xml(self, text, schema):
        path = self.folder.name + "/report.xml"
        with open(path, "wb") as f:
            f.write(text)
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", os.path.join(TESTDATA, "schemas", schema), path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_sarif(self):
        code, out = self.run_pupc("--format", "sarif", "--hints", ".")
        report = json.loads(out)
        jsonschema.validate(report, self.schema("sarif.json"))
        run = report["runs"][0]
        self.assertEqual(code, 1)
        self.assertGreater(len(run["results"]), 6)
        for result in run["results"]:
            self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        jsonschema.validate(json.loads(self.run_pupc("--format", "sarif", "hiera.yaml")[1]), self.schema("sarif.json"))

    def test_gitlab(self):
        report = json.loads(self.run_pupc("--format", "gitlab", "--hints", ".")[1])
        jsonschema.validate(report, self.schema("gitlab.json"))
        self.assertEqual(len({f["fingerprint"] for f in report}), len(report), "fingerprints tell findings apart")
        self.assertIn("manifests/site.pp", {f["location"]["path"] for f in report}, "paths are those of the repository")

    def test_junit(self):
        self.check_xml(self.run_pupc("--format", "junit", "--hints", ".")[1], "junit.xsd")
        self.check_xml(self.run_pupc("--format", "junit", "hiera.yaml")[1], "junit.xsd")

    def test_checkstyle(self):
        self.check_xml(self.run_pupc("--format", "checkstyle", "--hints", ".")[1], "checkstyle.xsd")
        self.check_xml(self.run_pupc("--format", "checkstyle", "hiera.yaml")[1], "checkstyle.xsd")

    def test_github(self):
        out = self.run_pupc("--format", "github", "--hints", ".")[1].decode()
        for line in out.splitlines():
            self.assertRegex(line, r"^::(error|warning|notice) file=[^,:]+(,line=\d+)?(,col=\d+)?,title=[^,:]+::.+$")
        self.assertIn("::notice file=manifests/site.pp,line=4", out)

    def test_changed_since(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.root, check=True, capture_output=True)

        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "one")
        self.assertEqual(json.loads(self.run_pupc("--changed-since", "HEAD", "--format", "json", ".")[1]), [])
        self.write("manifests/new.pp", "class b { $x = 1 $x = 2 }\n")
        self.write("hiera.yaml", "version: 7\n")
        found = json.loads(self.run_pupc("--changed-since", "HEAD", "--format", "json", ".")[1])
        self.assertEqual(sorted(f["file"] for f in found), ["hiera.yaml", "manifests/new.pp"])
        self.assertEqual(self.run_pupc("--changed-since", "nosuch", ".")[0], 2)
        self.assertEqual(self.run_pupc("--changed-since", "--output=x", ".")[0], 2)

    def test_ignored_files(self):
        self.write(".gitignore", "manifests/broken.pp\n/data/\n")
        found = {f["file"] for f in json.loads(self.run_pupc("--format", "json", ".")[1])}
        self.assertNotIn("manifests/broken.pp", found)
        self.assertNotIn("data/common.yaml", found)
        self.assertEqual(self.run_pupc("manifests/broken.pp")[0], 1, "what is named is checked")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
