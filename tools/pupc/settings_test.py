#!/usr/bin/env python3
"""Puppet's settings: the value of each below `$settings::` against Puppet's own (testdata/settings), and what apply makes of them.
Usage: settings_test.py PUPC TESTDATA"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PUPC, TESTDATA = sys.argv[1:3]
del sys.argv[1:3]
PLACES = ["--confdir", "/t/conf", "--codedir", "/t/code", "--vardir", "/t/var", "--rundir", "/t/run", "--logdir", "/t/log", "--publicdir", "/t/public", "--certname",
          "node.example.com"]
# JSON has no Infinity.
SHOW = """$settings::all_local.each |$name, $value| {
  notify { $name: message => $value ? { Float => 'Infinity', default => [$value] } }
}"""
# What the run itself decides: not settings of a file here.
DECIDED = {"manifest", "modulepath", "code", "storeconfigs", "config"}


class Values(unittest.TestCase):
    maxDiff = None

    def settings(self, *words):
        done = subprocess.run([PUPC, "compile", *PLACES, *words, "-e", SHOW], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = {}
        for r in json.loads(done.stdout)["resources"]:
            if r["type"] == "Notify":
                message = r["parameters"]["message"]
                shown[r["title"]] = message[0] if isinstance(message, list) else message
        return shown

    def compare(self, answers, shown):
        with open(os.path.join(TESTDATA, answers), encoding="utf-8") as f:
            wanted = json.load(f)
        self.assertGreater(len(wanted), 230)
        self.assertEqual(set(shown) - set(wanted), {"http_user_agent", "srv_domain"})
        self.assertEqual({k: v for k, v in shown.items() if k in wanted and k not in DECIDED}, {k: v for k, v in wanted.items() if k not in DECIDED})

    def test_every_setting_by_run_mode(self):
        conf = os.path.join(TESTDATA, "puppet.conf")
        for mode in ("user", "agent", "server"):
            with self.subTest(mode):
                self.compare(mode + ".json", self.settings("--config", conf, "--run_mode", mode))

    def test_every_default(self):
        self.compare("defaults.json", self.settings("--config", "/dev/null", "--run_mode", "user"))


if __name__ == "__main__":
    unittest.main()
