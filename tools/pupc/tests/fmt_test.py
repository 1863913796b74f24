#!/usr/bin/env python3
"""`pupc fmt` as people and CI systems see it. What it makes of manifests is in testdata/format. Usage: fmt_test.py PUPC"""
import os
import stat
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = sys.argv.pop(1)
UGLY, FORMATTED = "class a{$x=1}\n", "class a { $x = 1 }\n"


def run(*words, stdin=""):
    done = subprocess.run([PUPC, "fmt", *words], input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Fmt(InFolder):
    def test_standard_input(self):
        self.assertEqual(run("-", stdin=UGLY), (0, FORMATTED, ""))
        self.assertEqual(run(stdin=UGLY), (0, FORMATTED, ""))
        self.assertEqual(run("--check", "-", stdin=UGLY), (1, "", ""))
        self.assertEqual(run("--check", "-", stdin=FORMATTED), (0, "", ""))
        self.assertEqual(run("--diff", "-", stdin=FORMATTED), (0, "", ""))
        self.assertEqual(run("--diff", "-", stdin="notice( 1 )"),
                         (0, "--- -\n+++ -\n@@ -1 +1 @@\n-notice( 1 )\n\\ No newline at end\n+notice(1)\n", ""))

    def test_files_keep_mode_and_link(self):
        path = self.file("a.pp", UGLY)
        os.chmod(path, 0o640)
        link = os.path.join(self.root, "link.pp")
        os.symlink("a.pp", link)
        self.assertEqual(run(link), (0, "", ""))
        self.assertTrue(os.path.islink(link))
        self.assertEqual(self.text(path), FORMATTED)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        before = os.stat(path).st_ino
        run(path)
        self.assertEqual(os.stat(path).st_ino, before, "a file that is right is not written")
        self.assertEqual(sorted(os.listdir(self.root)), ["a.pp", "link.pp"])

    def test_check_and_diff_change_nothing(self):
        path, right = self.file("m/a.pp", UGLY), self.file("m/b.pp", FORMATTED)
        self.assertEqual(run("--check", self.root), (1, path + "\n", ""))
        self.assertEqual(run("--check", right), (0, "", ""))
        code, out, _ = run("--diff", self.root)
        self.assertEqual((code, out), (0, f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-{UGLY}+{FORMATTED}"))
        self.assertEqual(run("--check", "--diff", self.root)[0], 1)
        self.assertEqual(self.text(path), UGLY)

    def test_directories(self):
        kept = self.file("ignored/a.pp", UGLY)
        self.file(".gitignore", "ignored/\n")
        path = self.file("manifests/a.pp", UGLY)
        self.assertEqual(run(self.root)[0], 0)
        self.assertEqual((self.text(kept), self.text(path)), (UGLY, FORMATTED))

    def test_only_manifests(self):
        template, path = self.file("templates/a.epp", "<%=$x%>\n"), self.file("a.pp", UGLY)
        self.assertEqual(run(template), (1, "", f"Error: {template}: templates are not formatted, only manifests (.pp) are\n"))
        self.assertEqual(run(template, path)[0], 1)
        self.assertEqual((self.text(template), self.text(path)), ("<%=$x%>\n", FORMATTED))
        self.assertEqual(run(self.root), (0, "", ""))

    def test_a_file_with_an_error_stays(self):
        broken, path = self.file("a.pp", "class a { ) }\n"), self.file("b.pp", UGLY)
        code, out, err = run(self.root)
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"(file: {broken}, line: 1, column: 11)", err)
        self.assertEqual((self.text(broken), self.text(path)), ("class a { ) }\n", FORMATTED))
        marked = self.file("a.pp", "\ufeffclass a { }\n")
        self.assertIn(f" - remove these from the puppet source (file: {marked})\n", run("--check", self.root)[2])
        self.assertEqual(run(os.path.join(self.root, "none.pp"))[0], 1)

    def test_lines(self):
        path = self.file("a.pp", "$a=1\n$b=2\n$c=3\n")
        self.assertEqual(run("--lines", "2:2", path)[0], 0)
        self.assertEqual(self.text(path), "$a=1\n$b = 2\n$c=3\n")
        for wrong in ("x", "0:1", "3:2", "1:"):
            self.assertEqual(run("--lines", wrong, path)[0], 2, wrong)
        self.assertEqual(run("--lines", "1", self.root, self.file("b.pp", ""))[0], 2)

    def test_usage(self):
        self.assertEqual(run("--nonsense")[0], 2)
        self.assertIn("Nothing was formatted", run(self.root)[2])
        self.assertEqual(run("-", "x.pp")[0], 2)


if __name__ == "__main__":
    unittest.main()
