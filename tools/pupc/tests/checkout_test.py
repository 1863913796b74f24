#!/usr/bin/env python3
"""Commands in a checkout of a control repository know its environment. Usage: checkout_test.py PUPC"""
import json
import os
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = os.path.abspath(sys.argv.pop(1))


class Checkout(InFolder):
    def setUp(self):
        super().setUp()
        self.file("repo/.git/HEAD", "ref: refs/heads/main\n")
        self.file("repo/Puppetfile", "moduledir 'fetched'\nmod 'puppetlabs-ntp', '1.0.0'\n")
        self.file("repo/manifests/site.pp", "include role\n")
        self.file("repo/site-modules/role/manifests/init.pp", "class role(String $who) { include ntp notify { \"${who} ${environment}\": } }\n")
        self.file("repo/fetched/ntp/manifests/init.pp", "class ntp { notify { 'ntp': } }\n")
        self.file("repo/hiera.yaml", "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n")
        self.file("repo/data/all.yaml", "role::who: me\n")
        self.repo = os.path.join(self.root, "repo")

    def pupc(self, *words, at="", stdin=subprocess.DEVNULL):
        done = subprocess.run([PUPC, *words], cwd=os.path.join(self.repo, at), capture_output=True, text=True, timeout=60, stdin=stdin, check=False,
                              env={**os.environ, "HOME": self.root})
        return done.returncode, done.stdout, done.stderr

    def titles(self, *words, **where):
        code, out, err = self.pupc("compile", "--node", "n", *words, **where)
        self.assertEqual(code, 0, err)
        return [r["title"] for r in json.loads(out)["resources"] if r["type"] == "Notify"]

    def test_compile(self):
        self.assertEqual(sorted(self.titles()), ["me production", "ntp"])
        self.assertEqual(sorted(self.titles("--environment", "main")), ["me main", "ntp"])
        self.assertEqual(sorted(self.titles(at="site-modules/role/manifests")), ["me production", "ntp"])
        self.assertEqual(self.titles("-e", "include ntp"), ["ntp"])
        # An option that names other places is about those.
        self.assertIn("Could not find class ::ntp", self.pupc("compile", "-e", "include ntp", "--modulepath", "/nonexistent")[2])

    def test_other_commands(self):
        self.assertEqual(self.pupc("lookup", "role::who")[:2], (0, "--- me\n"))
        code, out, err = self.pupc("why", "Notify[ntp]")
        self.assertEqual(code, 0, err)
        self.assertIn("fetched/ntp/manifests/init.pp:1", out)
        code, out, err = self.pupc("apply", "--noop", "--no-state", "--color", "never")
        self.assertEqual(code, 0, err)
        self.assertIn("Notify[ntp]", out)

    def test_paths_are_relative_where_the_arguments_are(self):
        self.file("repo/site-modules/role/manifests/init.pp", "class role {\n  warning('x')\n  notice($nowhere)\n}\n")
        place = "site-modules/role/manifests/init.pp, line: 3, column: 10)"
        facts = self.file("facts/n.json", "{}")
        options = ["--modulepath", "site-modules", "--manifest", "manifests"]
        for words in (["compile"], ["compile", "--all-nodes", os.path.dirname(facts), "--output", os.path.join(self.root, "out")], ["lookup", "--compile", "x"],
                      ["why", "Notify[x]"], ["compile", *options], ["compile", "manifests/site.pp", *options[:2]]):
            self.assertIn(f"(file: {place}", self.pupc(*words)[2], words)
        self.assertIn(f"(file: {self.repo}/{place}", self.pupc("compile", "--modulepath", f"{self.repo}/site-modules", "--manifest", f"{self.repo}/manifests")[2])
        self.assertIn("(file: init.pp, line: 3", self.pupc("compile", at="site-modules/role/manifests")[2])

    def test_apply_reads_what_is_piped_to_it(self):
        piped = self.file("piped.pp", "notify { 'piped': }\n")
        with open(piped, encoding="utf-8") as stdin:
            out = self.pupc("apply", "--noop", "--no-state", "--color", "never", stdin=stdin)[1]
        self.assertIn("Notify[piped]", out)
        self.assertNotIn("Notify[ntp]", out)

    def test_names_of_environments(self):
        code, _, err = self.pupc("compile", "--environment", "my-branch")
        self.assertEqual((code, err), (1, "Error: No environment can be named 'my-branch': its name has only letters, digits and _\n"))

    def test_several_environments(self):
        os.makedirs(os.path.join(self.root, "several", "environments"))
        os.rename(self.repo, os.path.join(self.root, "several", "environments", "staging"))
        self.repo = os.path.join(self.root, "several")
        self.file("several/environments/staging/environment.conf", "modulepath = site-modules:fetched\n")
        self.assertEqual(sorted(self.titles("--environment", "staging")), ["me staging", "ntp"])
        self.assertIn("Could not find a directory environment named 'production'", self.pupc("compile")[2])

    def test_elsewhere(self):
        self.file("module/metadata.json", '{"name": "a-b"}')
        self.file("module/manifests/init.pp", "class b { }\n")
        self.file("module/.git/HEAD", "x\n")
        self.repo = os.path.join(self.root, "module")
        code, _, err = self.pupc("compile")
        self.assertEqual(code, 2)
        self.assertIn("nothing to compile", err)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_other_users_code_is_not_run(self):
        os.chown(self.repo, 4242, 4242)
        code, _, err = self.pupc("compile")
        self.assertEqual(code, 2)
        self.assertIn("another user can change the environment here", err)
        self.assertIn("Could not find class ::ntp", self.pupc("compile", "-e", "include ntp")[2])
        os.environ["SUDO_UID"] = "4242"
        self.addCleanup(os.environ.pop, "SUDO_UID")
        self.assertEqual(sorted(self.titles()), ["me production", "ntp"])


    def test_places_where_all_can_write_are_not_trusted(self):
        """As in /tmp: anybody could have put the environment there."""
        os.chmod(self.repo, 0o1777)
        code, _, err = self.pupc("compile")
        self.assertEqual(code, 2)
        self.assertIn("another user can change the environment here", err)
        self.assertIn("Could not find class ::ntp", self.pupc("compile", "-e", "include ntp")[2])


if __name__ == "__main__":
    unittest.main()
