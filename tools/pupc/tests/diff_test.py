#!/usr/bin/env python3
"""Tests of `pupc diff` between revisions of a control repository, in repositories of git that the tests make.

  diff_test.py PUPC SAMPLE      SAMPLE: testdata/sample
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PUPC, SAMPLE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
NOT_REACHED = "0 of {} nodes compiled on both sides: the change reaches no other\n"
# Nothing of the tester's own configuration.
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
               "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com", "HOME": "/nonexistent"}


class Repository(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)
        self.top = self.work / "control repo"
        self.top.mkdir()
        self.git("init", "-q", "-b", "main")
        self.temporary = self.work / "tmp"
        self.temporary.mkdir()

    def git(self, *words):
        return subprocess.run(["git", "-C", self.top, *words], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def write(self, path, text):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, name):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", name)
        self.git("tag", name)

    def facts(self, **nodes):
        folder = self.work / "facts"
        folder.mkdir(exist_ok=True)
        for name, facts in nodes.items():
            (folder / f"{name}.json").write_text(json.dumps(facts))
        return folder

    def diff(self, *words, code=None):
        done = subprocess.run([PUPC, "diff", *map(str, words)], cwd=self.top, capture_output=True, text=True, check=False,
                              env={**ENVIRONMENT, "TMPDIR": str(self.temporary)})
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [], "nothing is left")
        return done

    def report(self, *words, code=1):
        return json.loads(self.diff(*words, "--format", "json", code=code).stdout)


class Revisions(Repository):
    def setUp(self):
        super().setUp()
        self.write("environment.conf", "modulepath = site:modules\n")
        self.write("manifests/site.pp", "node default { include base\n if $facts['role'] == 'web' { include web } }\n")
        self.write("modules/base/manifests/init.pp", "class base { file { '/etc/motd': content => \"one\\ntwo\\n\" } }\n")
        self.write("site/web/manifests/init.pp", "class web { package { 'nginx': } }\n")
        self.commit("old")
        self.write("modules/base/manifests/init.pp", "class base {\n  file { '/etc/motd': content => \"one\\nthree\\n\", mode => '0644' }\n}\n")
        self.write("site/web/manifests/init.pp", "class web { package { 'nginx': ensure => $facts['id'] } }\n")
        self.commit("new")
        self.nodes = self.facts(a={"role": "web", "id": "1"}, b={"role": "web", "id": "2"}, c={"role": "db", "id": "3"})

    def test_identical_changes_are_grouped(self):
        done = self.diff("old", "new", "--facts", self.nodes, code=1)
        self.assertEqual(done.stdout, "== what this does\n  installs Package[nginx] on 2 nodes (2 web): a, b\n  writes File[/etc/motd] on all 3 nodes (2 web, 1 db)\n"
                         "== all 3 nodes (2 web, 1 db)\n"
                         "  File[/etc/motd]  (modules/base/manifests/init.pp:2)\n    content:\n      @@ -1,2 +1,2 @@\n      one\n-     two\n+     three\n+   mode = \"0644\"\n"
                         "== a\n  Package[nginx]  (site/web/manifests/init.pp:1)\n+   ensure = \"1\"\n"
                         "== b\n  Package[nginx]  (site/web/manifests/init.pp:1)\n+   ensure = \"2\"\n")
        self.assertEqual(done.stderr, "3 nodes compared: 3 different in 3 groups, 0 equal\n")
        report = self.report("old..new", "--facts", self.nodes)
        self.assertEqual([g["nodes"] for g in report["groups"]], [["a", "b", "c"], ["a"], ["b"]])
        self.assertEqual((report["before"], report["after"], report["compared"], report["different"]), ("old", "new", 3, 3))
        self.assertEqual([g["nodes"] for g in self.report("old", "new", "--facts", self.nodes, "--no-group")["groups"]], [["a"], ["b"], ["c"]])

    def test_equal(self):
        done = self.diff("new", "new", "--facts", self.nodes, code=0)
        self.assertEqual((done.stdout, done.stderr), ("", "3 nodes compared: no difference\n" + NOT_REACHED.format(3)))

    def test_some_nodes(self):
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--node", "b", "--node", "c*")["compared"], 2)
        self.assertEqual(self.report("old", "new", "--facts", self.nodes / "a.json")["compared"], 1)
        self.assertIn("no node to compare", self.diff("old", "new", "--facts", self.nodes, "--node", "zz", code=2).stderr)

    def test_what_it_does_comes_first(self):
        self.write("site/web/manifests/init.pp", "class web { package { 'nginx': } -> file { '/etc/nginx.conf': content => 'x' } ~> service { 'nginx': ensure => running } }\n")
        self.commit("notifying")
        self.write("site/web/manifests/init.pp", "class web { package { 'nginx': } -> file { '/etc/nginx.conf': content => 'y' } ~> service { 'nginx': ensure => running } }\n")
        self.commit("changed")
        done = self.diff("notifying..changed", "--facts", self.nodes, code=1)
        self.assertTrue(done.stdout.startswith("== what this does\n  restarts Service[nginx] on 2 nodes (2 web): a, b; because of File[/etc/nginx.conf]\n"
                                               "  writes File[/etc/nginx.conf] on 2 nodes (2 web): a, b\n== 2 nodes (2 web): a, b\n"), done.stdout)
        self.assertEqual(self.report("notifying..changed", "--facts", self.nodes)["impacts"][0],
                         {"impact": "restart", "resource": "Service[nginx]", "causes": ["File[/etc/nginx.conf]"], "nodes": ["a", "b"]})
        markdown = self.diff("notifying..changed", "--facts", self.nodes, "--format", "markdown", code=1).stdout
        self.assertIn("\n- restarts Service[nginx] on 2 nodes (2 web): a, b; because of File[/etc/nginx.conf]\n", markdown)
        self.assertLess(markdown.index("- restarts"), markdown.index("<details>"))

    def test_a_sample(self):
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--sample", "role:1")["compared"], 2)
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--sample", "role:5")["compared"], 3)
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--sample", "nothing:1")["compared"], 1)
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--sample", "role:1", "--node", "b")["compared"], 1)
        for wrong in ("role", "role:0", "role:x", ":3"):
            self.assertIn("--sample is a fact and a number", self.diff("old", "new", "--facts", self.nodes, "--sample", wrong, code=2).stderr)

    def test_another_fact_tells_the_kind_of_node(self):
        self.assertIn("all 3 nodes (1 1, 1 2, 1 3)\n", self.diff("old", "new", "--facts", self.nodes, "--role", "id", code=1).stdout)
        self.assertIn("== all 3 nodes\n", self.diff("old", "new", "--facts", self.nodes, "--role", "none", code=1).stdout)

    def test_a_time_limit(self):
        """A node that takes long uses up the first side's half; the others are left out on both sides."""
        self.write("site/web/manifests/init.pp", "class web { Integer[1, 3000].each |$i| { Integer[1, 1000].each |$j| { $x = \"${i}${j}\" } } }\n")
        self.commit("slow")
        self.write("modules/base/manifests/init.pp", "class base { }\n")
        self.commit("later")
        done = self.diff("slow", "later", "--facts", self.nodes, "--time-limit", "1", "--jobs", "1")
        self.assertIn(done.returncode, (1, 2), done.stderr)
        report = json.loads(self.diff("slow", "later", "--facts", self.nodes, "--time-limit", "1", "--jobs", "1", "--format", "json").stdout)
        self.assertEqual(report["compared"] + report.get("left_out", 0), 3)
        self.assertEqual(report["nodes"], {"removed": [], "added": []})

    def test_the_modules_of_the_machine_s_own_puppet_are_not_the_repository_s(self):
        (self.work / "puppet.conf").write_text(f"[main]\nbasemodulepath = {self.work}\n")
        self.assertEqual(self.report("old", "new", "--facts", self.nodes, "--config", self.work / "puppet.conf")["compared"], 3)

    def test_ignored(self):
        rules = self.work / "rules"
        rules.write_text("# versions\nPackage[*] ensure\nFile content\n")
        report = self.report("old", "new", "--facts", self.nodes, "--ignore-file", rules)
        self.assertEqual([list(r["parameters"]) for g in report["groups"] for r in g["resources"]], [["mode"]])
        self.diff("old", "new", "--facts", self.nodes, "--ignore-file", rules, "--ignore", "File[/etc/*]", code=0)
        self.assertIn("--ignore: ", self.diff("old", "new", "--facts", self.nodes, "--ignore", "[x]", code=2).stderr)
        rules.write_text("File\nFile[x\n")
        self.assertIn("rules, line 2: ", self.diff("old", "new", "--facts", self.nodes, "--ignore-file", rules, code=2).stderr)

    def test_the_checkout_is_the_second_side_and_stays_as_it_is(self):
        self.write("modules/base/manifests/init.pp", "class base { notify { $settings::manifest: } }\n")
        before = self.git("status", "--porcelain"), self.git("worktree", "list"), (self.top / ".git/index").read_bytes()
        report = self.report("new", "--facts", self.nodes)
        self.assertEqual(report["after"], "checkout")
        references = [r["reference"] for r in report["groups"][0]["resources"]]
        # What the catalog tells of its files it tells of the checkout's.
        self.assertEqual(references, ["File[/etc/motd]", f"Notify[{self.top}/manifests]"])
        self.assertEqual((self.git("status", "--porcelain"), self.git("worktree", "list"), (self.top / ".git/index").read_bytes()), before)

    def test_nodes_that_fail(self):
        self.write("site/web/manifests/init.pp", "class web { include nowhere }\n")
        self.commit("broken")
        done = self.diff("new", "broken", "--facts", self.nodes, code=1)
        self.assertIn("== a\n+ does not compile: ", done.stdout)
        self.assertIn("Could not find class ::nowhere for a (file: site/web/manifests/init.pp, line: 1, column: 13)", done.stdout)
        self.assertEqual(done.stderr, "1 node compared: no difference; 2 compile no more\n" + NOT_REACHED.format(1))
        report = self.report("broken", "new", "--facts", self.nodes)
        self.assertEqual([(f["node"], "before" in f, "after" in f) for f in report["failures"]], [("a", True, False), ("b", True, False)])
        self.assertEqual(len(self.report("broken", "broken", "--facts", self.nodes, code=2)["failures"]), 2)

    def test_paths_of_options(self):
        # Modules that another tool installs are in no revision: those of the checkout are meant.
        self.write(".gitignore", "/vendor\n")
        self.write("vendor/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n")
        self.write("manifests/site.pp", "include base, extra\n")
        self.commit("vendored")
        report = self.report("vendored", "--facts", self.nodes, "--modulepath", "modules:vendor", code=0)
        self.assertEqual(report["compared"], 3)
        self.write("environments/production/manifests/site.pp", "notify { 'there': }\n")
        self.commit("environments")
        (self.top / "environment.conf").unlink()
        shutil.rmtree(self.top / "manifests")
        self.assertEqual(self.report("environments", "--facts", self.nodes, code=0)["compared"], 3)

    def test_modules_that_another_tool_installs(self):
        """What git ignores is in no revision, so the checkout's modules are meant, without any option."""
        self.write(".gitignore", "/vendor\n/modules/*\n!/modules/base\n")
        self.write("environment.conf", "modulepath = site:modules:vendor\n")
        self.write("manifests/site.pp", "include base, extra, fetched\n")
        self.write("vendor/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n")
        self.write("modules/fetched/manifests/init.pp", "class fetched { notify { 'fetched': } }\n")
        self.commit("fetched")
        self.assertNotIn("fetched", self.git("ls-files", "modules"))
        self.write("site/web/manifests/init.pp", "class web { }\n")
        self.commit("later")
        done = self.diff("fetched..later", "--facts", self.nodes, code=0)
        self.assertEqual(done.stderr, "3 nodes compared: no difference\n" + NOT_REACHED.format(3))
        # A module that a revision has, and a later one has no more, does not come back from the checkout.
        self.write("manifests/site.pp", "include base, extra, fetched, web\n")
        self.commit("uses_web")
        shutil.rmtree(self.top / "site/web")
        self.commit("without_web")
        self.git("checkout", "-q", "uses_web")
        report = self.report("uses_web..without_web", "--facts", self.nodes)
        self.assertEqual([f["node"] for f in report["failures"]], ["a", "b", "c"])

    def test_a_module_path_without_environment_conf(self):
        (self.top / "environment.conf").unlink()
        self.commit("plain")
        self.assertEqual(self.diff("plain", "--facts", self.nodes, code=0).stderr, "3 nodes compared: no difference\n" + NOT_REACHED.format(3))

    def test_a_module_path_that_leaves_the_repository(self):
        beside = self.work / "beside/dep/manifests"
        beside.mkdir(parents=True)
        (beside / "init.pp").write_text("class dep { notify { 'dep': } }\n")
        self.write("environment.conf", "modulepath = site:modules:../beside\n")
        self.write("manifests/site.pp", "include dep\n")
        self.commit("beside")
        self.write("manifests/site.pp", "include dep notify { 'more': }\n")
        report = self.report("beside", "--facts", self.nodes)
        self.assertEqual(report["failures"], [])
        self.assertEqual([r["reference"] for g in report["groups"] for r in g["resources"]], ["Notify[more]"])

    def test_an_environment_in_a_folder_of_the_repository(self):
        (self.top / "puppet").mkdir()
        for file in "environment.conf", "manifests", "modules", "site":
            self.git("mv", file, "puppet/" + file)
        self.commit("moved")
        self.write("puppet/manifests/site.pp", "include base notify { 'more': }\n")
        inside = subprocess.run([PUPC, "diff", "moved", "--facts", self.nodes], cwd=self.top / "puppet", capture_output=True, text=True, check=False, env=ENVIRONMENT)
        self.assertEqual(inside.returncode, 1, inside.stderr)
        self.assertTrue(inside.stderr.startswith("3 nodes compared: 3 different"), inside.stderr)
        self.assertIn("+ Notify[more]  (puppet/manifests/site.pp:1)", inside.stdout)
        # Outside of it there is nothing to compile: that is not called equal.
        outside = self.diff("moved", "--facts", self.nodes, code=2)
        self.assertIn("there is no environment in", outside.stderr)

    def test_nothing_compared_is_not_called_equal(self):
        self.write("manifests/site.pp", "include nowhere\n")
        self.commit("broken")
        done = self.diff("broken", "--facts", self.nodes, code=2)
        self.assertEqual(done.stderr, "0 nodes compared; 3 compile on neither side\n")

    def test_submodules_are_those_of_the_revision(self):
        module = self.work / "foo"
        code = 'class foo ($p = 1) {{ notify {{ "{} ${{p}}": }} }}\n'
        def write(text):
            (module / "manifests").mkdir(parents=True, exist_ok=True)
            (module / "manifests/init.pp").write_text(code.format(text))
            run = lambda *words: subprocess.run(["git", "-C", module, *words], check=True, capture_output=True, env=ENVIRONMENT)
            run("init", "-q", "-b", "main")
            run("add", "-A")
            run("commit", "-qm", text)
        write("first")
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module), "modules/foo")
        self.write("manifests/site.pp", "node default { include foo }\n")
        self.commit("with-first")
        write("second")
        self.git("-C", "modules/foo", "pull", "-q", "origin", "main")
        self.commit("with-second")
        out = self.diff("with-first", "with-second", "--facts", self.nodes, code=1).stdout
        self.assertRegex(out, r"(?s)- Notify\[first 1\].*\+ Notify\[second 1\]")

    def test_an_unknown_revision_is_told_with_the_branches(self):
        done = self.diff("nowhere", "--facts", self.nodes, code=2)
        self.assertRegex(done.stderr, r"^pupc: diff: there is no revision 'nowhere' here, but the branches .*\n$")

    def test_two_environments(self):
        for side in "old", "new":
            self.git("worktree", "add", "-q", self.work / side, side)
            shutil.rmtree(self.work / side / ".git", ignore_errors=True)
            (self.work / side / ".git").unlink(missing_ok=True)
        revisions, directories = self.report("old", "new", "--facts", self.nodes), self.report(self.work / "old", self.work / "new", "--facts", self.nodes)
        self.assertEqual(directories["groups"], revisions["groups"])

    def test_exported_resources(self):
        self.write("manifests/site.pp", "@@notify { $facts['id']: } Notify <<| |>>\n")
        self.commit("exports")
        self.write("manifests/site.pp", "@@notify { \"n${facts['id']}\": } Notify <<| |>>\n")
        self.report("exports", "--facts", self.nodes, code=0)  # nobody collects anything
        together = self.report("exports", "--facts", self.nodes, "--exports")
        self.assertEqual([g["nodes"] for g in together["groups"]], [["a", "b", "c"]])
        self.assertEqual(len(together["groups"][0]["resources"]), 6)

    def test_sensitive_values(self):
        for name, secret in ("s1", "first-secret"), ("s2", "second-secret"):
            self.write("manifests/site.pp", f"file {{ '/x': content => Sensitive('{secret}') }}\n")
            self.commit(name)
        for form in "text", "json", "markdown", "html":
            done = self.diff("s1", "s2", "--facts", self.nodes, "--format", form, code=1)
            self.assertNotIn("-secret", done.stdout + done.stderr)

    def test_trouble(self):
        self.assertIn("diff: ", self.diff("nothing", "new", "--facts", self.nodes, code=2).stderr)
        self.diff("--facts", self.nodes, code=2)
        self.diff("old", "new", "x", "--facts", self.nodes, code=2)
        self.diff("..new", "--facts", self.nodes, code=2)
        self.diff("-x", "--facts", self.nodes, code=2)
        self.diff("old", "new", "--facts", self.work / "none", code=2)
        self.assertIn("not a git repository", self.diff("old", "--facts", self.nodes, "--repository", "/", code=2).stderr)

    def test_ended_by_a_signal(self):
        """Catalogs hold secrets: what was written goes with the program."""
        started = self.work / "started"
        classifier = self.work / "enc"
        classifier.write_text(f"#!/bin/sh\ntouch '{started}'\nexec sleep 60\n")
        classifier.chmod(0o755)
        running = subprocess.Popen([PUPC, "diff", "old", "new", "--facts", self.nodes, "--enc", classifier], cwd=self.top, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**ENVIRONMENT, "TMPDIR": str(self.temporary)}, start_new_session=True)
        try:
            while not started.exists() and running.poll() is None:
                time.sleep(0.01)
            self.assertEqual(len(list(self.temporary.iterdir())), 1)
            running.terminate()
            self.assertEqual(running.wait(30), -signal.SIGTERM)
            self.assertEqual(list(self.temporary.iterdir()), [])
        finally:
            with contextlib.suppress(ProcessLookupError):  # pupc ends the classifier, too
                os.killpg(running.pid, signal.SIGKILL)

    def test_markdown(self):
        page = self.diff("old", "new", "--facts", self.nodes, "--format", "markdown", code=1).stdout
        self.assertTrue(page.startswith("### Catalogs: old to new\n\n3 nodes compared: 3 different in 3 groups, 0 equal.\n"))
        self.assertIn("<details><summary><b>3 nodes</b> (all): 1 resource changed</summary>\n\n```diff\n  File[/etc/motd]", page)


class Sample(Repository):
    """The 50 nodes of the sample between two revisions."""

    def test_fifty_nodes(self):
        shutil.copytree(SAMPLE / "environments", self.top / "environments")
        self.commit("old")
        sshd = self.top / "environments/production/modules/sshd/manifests/init.pp"
        text = sshd.read_text()
        self.assertIn("0600", text)
        sshd.write_text(text.replace("0600", "0640"))
        self.commit("new")
        begin = time.monotonic()
        report = self.report("old", "new", "--facts", SAMPLE / "facts", "--jobs", "2")
        seconds = time.monotonic() - begin
        print(f"{report['compared']} nodes in {seconds:.2f} s", file=sys.stderr)
        self.assertEqual((report["compared"], report["different"]), (50, 50))
        self.assertEqual([len(g["nodes"]) for g in report["groups"]], [50])
        self.assertLess(seconds, 30)  # 3 s on two idle cores


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
