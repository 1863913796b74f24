#!/usr/bin/env python3
"""`pupc validate --style` and `--fix` as people and CI systems see them. testdata/style/cases.jsonl has manifests with
what puppet-lint finds in them (`tools/conformance/style_modules.py answers` asks it again). Usage: style_test.py PUPC TESTDATA"""
import json
import os
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC, TESTDATA = sys.argv.pop(1), sys.argv.pop(1)


class Style(InFolder):
    def run_pupc(self, *words):
        done = subprocess.run([PUPC, "validate", *words], capture_output=True, text=True, timeout=60, cwd=self.root,
                              env={**os.environ, "HOME": "/nonexistent"})
        return done.returncode, done.stdout, done.stderr

    def found(self, *words):
        """"LINE:COLUMN check" of each finding, and the exit code."""
        code, out, _ = self.run_pupc("--format", "json", "--style", *words)
        return [f"{f['line']}:{f['column']} {f['check']}" for f in json.loads(out)], code

    def test_as_puppet_lint(self):
        self.file("rc", "--80chars-check\n--quoted_booleans-check\n--class_inherits_from_params_class-check\n--code_on_top_scope-check\n"
                        "--no-autoloader_layout-check\n--no-legacy_facts-check\n--no-top_scope_facts-check\n--no-space_before_arrow-check\n"
                        "--no-check_unsafe_interpolations-check\n")
        with open(os.path.join(TESTDATA, "cases.jsonl"), encoding="utf-8") as f:
            cases = [json.loads(line) for line in f]
        self.assertGreater(len(cases), 100)
        for i, case in enumerate(cases):
            self.file(f"{i}.pp", case["code"])
        _, out, _ = self.run_pupc("--format", "json", "--style-config", "rc", "--syntax-only", *(f"{i}.pp" for i in range(len(cases))))
        found = {}
        for f in json.loads(out):
            if 8900 <= int(f["code"]) < 9000:
                found.setdefault(f["file"], []).append((f["line"], f["column"], f["check"]))
        for i, case in enumerate(cases):
            with self.subTest(case["code"]):
                self.assertEqual([f"{line}:{column} {check}" for line, column, check in sorted(found.get(f"{i}.pp", []))], case["found"])

    def test_off_unless_asked_for(self):
        path = self.file("a.pp", "notice(\"x\") \n")
        self.assertEqual(self.run_pupc(path), (0, "", ""))
        self.assertEqual(self.found(path), (["1:8 double_quoted_strings", "1:12 trailing_whitespace"], 1))
        self.assertEqual(self.found("--only-checks", "double_quoted_strings", path), (["1:8 double_quoted_strings"], 0))
        self.assertEqual(self.run_pupc("--only-checks", "nonsense", path)[0], 2)

    def test_control_comments(self):
        path = self.file("a.pp", "notice(\"a\") # lint:ignore:double_quoted_strings because\nnotice(\"b\")\n"
                                 "# lint:ignore:double_quoted_strings lint:ignore:hard_tabs why\nnotice(\"c\")\n"
                                 "# lint:ignore:140chars\nnotice(\"d\")\n# lint:endignore\n\tnotice(\"e\")\n# lint:endignore\nnotice(\"f\")\n")
        self.assertEqual(self.found(path)[0], ["2:8 double_quoted_strings", "8:1 2sp_soft_tabs", "10:8 double_quoted_strings"])

    def test_puppet_lint_rc(self):
        path = self.file("a.pp", "notice(\"true\")\nclass a { }\n")
        self.assertEqual(self.found(path)[0], ["1:8 double_quoted_strings", "2:1 documentation", "2:7 autoloader_layout"])
        self.file(".puppet-lint.rc", "--no-double_quoted_strings-check\n--quoted_booleans-check\n--no-autoloader_layout-check\n--relative\n"
                                     "--no-plugin_of_others-check\n--log-format=%{path}\n")
        self.assertEqual(self.found(path), (["1:8 quoted_booleans", "2:1 documentation"], 0))
        self.file(".puppet-lint.rc", "--fail-on-warnings\n--only-checks=documentation\n")
        self.assertEqual(self.found(path), (["2:1 documentation"], 1))
        self.file(".puppet-lint.rc", "--ignore-paths=*/a.pp\n")
        self.assertEqual(self.found(path), ([], 0))
        # What nobody knows is told, and the rest counts.
        self.file(".puppet-lint.rc", "--only-checks\tnonsense\n--no-of_a_plugin-check\n--no-double_quoted_strings-check\n")
        code, out, err = self.run_pupc("--style", path)
        self.assertEqual((code, err), (1, "Warning: .puppet-lint.rc:1: 'nonsense' is no check of style\n"
                                          "Warning: .puppet-lint.rc:2: '--no-of_a_plugin-check' is no option of puppet-lint; a plug-in may have the check\n"))
        self.assertEqual([line.split("[")[1].split("]")[0] for line in out.splitlines()], ["8932 documentation", "8933 autoloader_layout"])
        # As Ruby reads options: - for _, and what only one begins with.
        self.file(".puppet-lint.rc", "--no-double-quoted-strings-check\n--no-autoloader\n--relat\n")
        self.assertEqual(self.found(path)[0], ["2:1 documentation"])
        self.file("other.rc", "# all\n")
        self.assertEqual(len(self.found("--style-config", "other.rc", path)[0]), 3)
        self.assertEqual(self.run_pupc("--style-config", "none.rc", path)[0], 2)

    def test_relative(self):
        path = self.file("folder/manifests/b.pp", "# B.\nclass a::b { }\n")
        self.assertEqual(self.found("--syntax-only", path)[0], ["2:7 autoloader_layout"])
        self.file(".puppet-lint.rc", "--relative\n")
        self.assertEqual(self.found("--syntax-only", path)[0], [])

    def test_fix(self):
        path = self.file("a.pp", "file { x:\n\tensure=> file,\n  mode => \"0644\", \n}\n/* why\n * so */\n$a = \"a $b[1] ${c}\"\n"
                                 "Package['x'] ->\nFile['x']\nnode web { }\n$s = \"it's\" # lint:ignore:double_quoted_strings\n$t = \"t\" # lint:ignore:double_quoted_strings\n")
        before = os.stat(path).st_mode
        code, _, err = self.run_pupc("--fix", "--syntax-only", path)
        self.assertIn(" edits in 1 file\n", err)
        self.assertEqual(self.text(path), "file { 'x':\n  ensure => file,\n  mode   => '0644',\n}\n# why\n# so\n$a = \"a ${b}[1] ${c}\"\n"
                                          "Package['x']\n-> File['x']\nnode 'web' { }\n$s = \"it's\" # lint:ignore:double_quoted_strings\n"
                                          "$t = \"t\" # lint:ignore:double_quoted_strings\n")
        self.assertEqual((os.stat(path).st_mode, code), (before, 0))
        self.assertIn("0 edits in 0 files\n", self.run_pupc("--fix", "--syntax-only", path)[2])

    def test_fix_changes_no_value(self):
        # Mending these would change what is compiled.
        text = "class a ($x) {\n  $y = \"${x}\"\n  file { '/x': mode => 644, ensure => '/y' }\n  $z = 'true'\n  $v = \"\\x\"\n}\n"
        path = self.file("a.pp", text)
        self.run_pupc("--fix", "--syntax-only", path)
        self.assertEqual(self.text(path), text)
        self.assertEqual(self.run_pupc("--fix", "-e", "notice(\"x\")")[0], 2)

    def test_arrows_behind_keywords(self):
        path = self.file("a.pp", "exec { 'x':\n  command => '/bin/x',\n  unless  => '/bin/y',\n}\nexec { 'y':\n  unless   => '/bin/y',\n}\n")
        self.assertEqual(self.found("--syntax-only", path)[0], ["6:9 space_before_arrow"])

    def test_commands(self):
        path = self.file("a.pp", "exec { \"a ${x}\":\n  command => \"b ${y} ${z}\",\n  onlyif  => ['c', \"${x}\"],\n  path    => \"/${x}\",\n}\n"
                                 "exec { 'a': cwd => \"/${x}\" }\nfile { \"/${x}\": command => \"${x}\" }\n")
        found = self.found("--syntax-only", "--only-checks", "check_unsafe_interpolations", path)[0]
        self.assertEqual(found, ["1:13 check_unsafe_interpolations", "2:19 check_unsafe_interpolations", "2:24 check_unsafe_interpolations"])

    def test_facts(self):
        lines = ["$::osfamily", "$facts['osfamily']", "$facts['os']['family']", "\"${facts['uuid']} $::kernel\"", "$::a::b", "$::trusted['x']", "$::environment",
                 "$::ipaddress_eth0", "$::domain_x", "$::interfaces", "$::facts['fqdn']", "$::processor0"]
        path = self.file("a.pp", "".join(f"notice({line})\n" for line in lines))
        found = self.found("--syntax-only", "--only-checks", "legacy_facts,top_scope_facts", path)[0]
        self.assertEqual(found, ["1:8 legacy_facts", "2:8 legacy_facts", "4:11 legacy_facts", "4:26 top_scope_facts", "7:8 top_scope_facts",
                                 "8:8 legacy_facts", "10:8 top_scope_facts", "10:8 legacy_facts", "11:8 legacy_facts",
                                 "12:8 top_scope_facts", "12:8 legacy_facts"])

    def test_fix_leaves_broken_files(self):
        path = self.file("a.pp", "notice(\"x\"\n")
        self.assertEqual(self.run_pupc("--fix", path)[0], 1)
        self.assertEqual(self.text(path), "notice(\"x\"\n")


if __name__ == "__main__":
    unittest.main()
