#!/usr/bin/env python3
"""Facts of machines that are not at hand: `pupc facts --for` and `--from`. Usage: facts_test.py PUPC"""
import json
import os
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = os.path.abspath(sys.argv.pop(1))


class Facts(InFolder):
    def pupc(self, *words, code=0):
        done = subprocess.run([PUPC, *words], cwd=self.root, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def facts(self, *words):
        return json.loads(self.pupc("facts", *words).stdout)

    def test_usual_machines(self):
        systems = self.pupc("facts", "--for", "none", code=2).stderr.partition("known are ")[2].strip().split(", ")
        self.assertGreater(len(systems), 20)
        for system in systems:
            facts = self.facts("--for", system)
            name, _, major = system.partition("-")
            self.assertEqual((facts["os"]["name"].lower(), facts["os"]["release"]["major"]), (name, major))
            self.assertTrue(facts["os"]["release"]["full"].startswith(major), system)
            self.assertEqual(facts["os"]["distro"]["release"], facts["os"]["release"])
            self.assertIn(facts["os"]["family"], ("Debian", "RedHat", "Suse"))
            self.assertRegex(facts["kernelrelease"], "^" + facts["kernelmajversion"].replace(".", r"\."))
            self.assertEqual(facts["networking"]["fqdn"], "node.example.com")

    def test_structure_is_that_of_this_machine(self):
        """Each fact of a usual machine has the type that the same fact has here, where it is here."""
        def compare(usual, here, path):
            for name, value in usual.items():
                if name not in here or path == "networking.interfaces" or path.startswith(("disks", "mountpoints", "partitions", "hypervisors")):
                    continue
                self.assertEqual(isinstance(value, dict), isinstance(here[name], dict), f"{path}.{name}")
                if isinstance(value, dict):
                    compare(value, here[name], f"{path}.{name}".lstrip("."))
                elif not isinstance(value, (int, float)):
                    self.assertEqual(type(value), type(here[name]), f"{path}.{name}")
        compare(self.facts("--for", "debian-12"), self.facts("--no-custom-facts", "--no-external-facts"), "")

    def test_names_and_values(self):
        facts = self.facts("--for", "debian-12", "--node", "web1.ams.example.org", "--set", "role=web", "--set", "os.release.major=13", "--set", "disks={}",
                           "--set", "new.nested.count=3")
        self.assertEqual([facts["networking"][n] for n in ("fqdn", "hostname", "domain")], ["web1.ams.example.org", "web1", "ams.example.org"])
        self.assertEqual((facts["role"], facts["os"]["release"]["major"], facts["disks"], facts["new"]), ("web", 13, {}, {"nested": {"count": 3}}))
        self.assertEqual(self.facts("--for", "redhat-9", "os.family", "none"), {"none": None, "os.family": "RedHat"})
        self.assertEqual(self.facts("--for", "redhat-9", "--show-legacy", "osfamily"), {"osfamily": "RedHat"})
        self.assertIn("did you mean 'debian-12'?", self.pupc("facts", "--for", "debain-12", code=2).stderr)
        self.assertIn("is no hash", self.pupc("facts", "--for", "debian-12", "--set", "kernel.x=1", code=2).stderr)
        self.pupc("facts", "--for", "debian-12", "--set", "x", code=2)
        self.pupc("facts", "--node", "x", code=2)

    def test_they_compile(self):
        manifest = self.file("m.pp", "notify { \"${facts['os']['family']} ${facts['networking']['fqdn']}\": }\n")
        facts = self.file("f.json", self.pupc("facts", "--for", "rocky-9").stdout)
        out = self.pupc("compile", manifest, "--facts", facts, "--node", "n").stdout
        self.assertIn("RedHat node.example.com", out)
        self.assertIn("pupc facts --for debian-12", self.pupc("compile", manifest, "--node", "n", code=1).stderr)

    def test_facts_of_a_server(self):
        self.file("yaml/web1.example.com.yaml", "--- !ruby/object:Puppet::Node::Facts\nname: web1.example.com\nvalues:\n  os:\n    family: Debian\n  when: :now\n"
                                                "timestamp: 2024-01-01 00:00:00.000000000 Z\nexpiration: 2024-01-02 00:00:00.000000000 Z\n")
        self.file("yaml/db1.json", '{"os": {"family": "RedHat"}}')
        done = self.pupc("facts", "--from", "yaml", "--output", "facts", "--set", "role=x")
        self.assertIn("facts of 2 nodes written to facts", done.stderr)
        self.assertEqual(json.loads(self.text(os.path.join(self.root, "facts/web1.example.com.json"))),
                         {"name": "web1.example.com", "values": {"os": {"family": "Debian"}, "when": "now", "role": "x"}})
        self.assertEqual(os.stat(os.path.join(self.root, "facts/db1.json")).st_mode & 0o007, 0)
        self.assertEqual(self.facts("--from", "yaml", "--node", "db1"), {"os": {"family": "RedHat"}})
        self.file("m.pp", "notify { $facts['os']['family']: }\n")
        self.pupc("compile", "m.pp", "--all-nodes", "facts", "--output", "out")
        self.assertEqual(sorted(os.listdir(os.path.join(self.root, "out"))), ["db1.json", "web1.example.com.json"])
        for words, told in ((["yaml"], "facts of 2 nodes: --node NAME"), (["none"], "cannot read the directory"), (["yaml", "--node", "x"], "no facts of 'x'"),
                            (["out/.."], "")):
            self.assertIn(told, self.pupc("facts", "--from", *words, code=2).stderr)
        # PuppetDB's answers to queries for inventory and for factsets.
        self.file("inventory.json", '[{"certname": "a", "facts": {"kernel": "Linux", "trusted": {}}}]')
        self.file("factsets.json", '[{"certname": "a", "facts": {"href": "/x", "data": [{"name": "kernel", "value": "Linux"}, {"name": "trusted", "value": {}}]}}]')
        for file in ("inventory.json", "factsets.json"):
            self.assertEqual(self.facts("--from", file), {"kernel": "Linux"})
        self.file("bad/x.yaml", "a: [\n")
        self.assertIn("bad/x.yaml", self.pupc("facts", "--from", "bad", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
