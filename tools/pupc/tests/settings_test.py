#!/usr/bin/env python3
"""Puppet's settings: the value of each below `$settings::` against Puppet's own (testdata/settings), and what apply makes of them.
Usage: settings_test.py PUPC TESTDATA"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

PUPC, TESTDATA = sys.argv[1:3]
del sys.argv[1:3]
os.environ["PUPC_PUPPET_PLACES"] = "aio"  # whatever Puppet this machine has
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


class Places(unittest.TestCase):
    """Of Puppet's own packages, and of Debian's."""
    NAMES = ("confdir", "codedir", "vardir", "publicdir", "rundir", "logdir", "ssldir", "cadir", "environmentpath", "basemodulepath", "vendormoduledir", "statedir")
    DEBIANS = ("/etc/puppet", "/etc/puppet/code", "/var/cache/puppet", "/var/cache/puppet/public", "/run/puppet", "/var/log/puppet", "/var/lib/puppet/ssl", "/etc/puppet/puppetserver/ca",
               "/etc/puppet/code/environments", "/etc/puppet/code/modules:/usr/share/puppet/modules", "/usr/share/puppet/vendor_modules", "/var/cache/puppet/state")
    OWN = ("/h/.puppet/etc", "/h/.puppet/code", "/h/.puppet/cache", "/h/.puppet/cache/public", "/h/.puppet/var/run", "/h/.puppet/var/log", "/h/.puppet/etc/ssl", "/etc/puppet/puppetserver/ca",
           "/h/.puppet/code/environments", "/h/.puppet/code/modules:/usr/share/puppet/modules", "/usr/share/puppet/vendor_modules", "/h/.puppet/cache/state")

    def config(self, places, **how):
        done = subprocess.run([PUPC, "config", "print", *self.NAMES], capture_output=True, text=True, timeout=60, cwd="/", env=dict(os.environ, HOME="/h", PUPC_PUPPET_PLACES=places), **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return dict(line.split(" = ", 1) for line in done.stdout.splitlines())

    def test_debians(self):
        if os.geteuid() != 0:
            self.assertEqual(self.config("debian"), dict(zip(self.NAMES, self.OWN)))
            return
        self.assertEqual(self.config("debian"), dict(zip(self.NAMES, self.DEBIANS)))
        with tempfile.TemporaryDirectory() as folder:  # another user may not be able to read where the program is
            os.chmod(folder, 0o755)
            own = shutil.copy(PUPC, folder)
            done = subprocess.run([own, "config", "print", *self.NAMES], capture_output=True, text=True, timeout=60, cwd="/", user=65534, env={"HOME": "/h", "PUPC_PUPPET_PLACES": "debian"})
            self.assertEqual(dict(line.split(" = ", 1) for line in done.stdout.splitlines()), dict(zip(self.NAMES, self.OWN)), done.stderr)

    def test_puppets(self):
        shown = self.config("aio")
        self.assertEqual(shown["vendormoduledir"], "/opt/puppetlabs/puppet/vendor_modules")
        self.assertEqual(shown["confdir"], "/etc/puppetlabs/puppet" if os.geteuid() == 0 else "/h/.puppetlabs/etc/puppet")


class Store(unittest.TestCase):
    def test_storeconfigs_without_a_store_is_puppetdb(self):
        with tempfile.TemporaryDirectory() as folder:
            conf = os.path.join(folder, "puppet.conf")
            with open(conf, "w", encoding="utf-8") as f:
                f.write(f"[main]\nstoreconfigs = true\nssldir = {folder}/ssl\n")
            words = [PUPC, "compile", "--config", conf, "-e"]
            done = subprocess.run([*words, "@@notify { 'x': }"], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([*words, "Notify <<| |>>"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Could not retrieve resources from the PuppetDB at https://puppetdb:8081", done.stderr)
            done = subprocess.run([*words, "Notify <<| |>>", "--store", os.path.join(folder, "store.sqlite")], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Apply(unittest.TestCase):
    """Each of these changes a file when the setting is missed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        with open(self.root + "/facts.json", "w", encoding="utf-8") as f:
            f.write("{}")
        self.code = f"file {{ '{self.root}/a': content => 'new', tag => 'one' }} file {{ '{self.root}/b': content => 'new' }}"

    def conf(self, text):
        path = self.root + "/puppet.conf"
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("ROOT", self.root))
        return path

    def apply(self, text, *words, code=None):
        for name in ("a", "b", "before", "after"):
            if os.path.exists(f"{self.root}/{name}"):
                os.remove(f"{self.root}/{name}")
        done = subprocess.run([PUPC, "apply", "--config", self.conf(text), "--facts", self.root + "/facts.json", "--node", "n", "--vardir", self.root + "/var",
                               *[w.replace("ROOT", self.root) for w in words], "-e", code or self.code], capture_output=True, text=True, timeout=60)
        self.out, self.err, self.code_of_exit = done.stdout, done.stderr, done.returncode
        return "".join(name for name in ("a", "b") if os.path.exists(f"{self.root}/{name}"))

    def test_noop(self):
        self.assertEqual(self.apply(""), "ab")
        for text in ("[main]\nnoop = true\n", "[user]\nnoop = true\n", "noop = TRUE\n", "[main]\nnoop = false\n[user]\nnoop = true\n"):
            self.assertEqual(self.apply(text), "", text)
            self.assertIn("(noop)", self.out)
        for text in ("[agent]\nnoop = true\n", "[server]\nnoop = true\n", "[main]\nnoop = true\n[user]\nnoop = false\n"):
            self.assertEqual(self.apply(text), "ab", text)
        self.assertEqual(self.apply("[agent]\nnoop = true\n", "--run-mode", "agent"), "")
        self.assertEqual(self.apply("noop = true\n", "--no-noop"), "ab")
        self.assertEqual(self.apply("noop = false\n", "--noop"), "")
        self.assertEqual(self.apply("noop = perhaps\n"), "")
        self.assertEqual(self.code_of_exit, 1)
        self.assertIn("Invalid value '\"perhaps\"' for boolean parameter: noop", self.err)

    def test_tags(self):
        for section in ("main", "user"):
            self.assertEqual(self.apply(f"[{section}]\ntags = one\n"), "a")
            self.assertEqual(self.apply(f"[{section}]\nskip_tags = one, two\n"), "b")
        self.assertEqual(self.apply("[agent]\ntags = one\n"), "ab")
        for words in (("--tags", "one"), ("--tags=one",)):
            self.assertEqual(self.apply("tags = nosuch\n", *words), "a")
        for words in (("--skip_tags", "one"), ("--skip-tags=one",)):
            self.assertEqual(self.apply("", *words), "b")

    def test_commands_before_and_after(self):
        code = f"exec {{ '/bin/sh -c \"test -e {self.root}/before && ! test -e {self.root}/after\"': }} -> file {{ '{self.root}/a': content => 'x' }}"
        both = "prerun_command = touch ROOT/before\npostrun_command = touch ROOT/after\n"
        for section in ("main", "user"):
            self.assertEqual(self.apply(f"[{section}]\n{both}", code=code), "a")
            self.assertTrue(os.path.exists(self.root + "/after"))
        self.assertEqual(self.apply("", "--prerun_command", "touch ROOT/before", "--postrun-command=touch ROOT/after", code=code), "a")
        self.assertTrue(os.path.exists(self.root + "/after"))
        self.apply(f"[agent]\n{both}")
        self.assertFalse(os.path.exists(self.root + "/before"))
        # A command before that fails stops the run, not the command after it; each makes the run fail.
        self.assertEqual(self.apply("prerun_command = echo no; exit 3\npostrun_command = touch ROOT/after\n"), "")
        self.assertEqual(self.code_of_exit, 1)
        self.assertTrue(os.path.exists(self.root + "/after"))
        self.assertIn("Could not run command from prerun_command: Execution of 'echo no; exit 3' returned 3: no", self.err)
        self.assertEqual(self.apply("postrun_command = exit 4\n"), "ab")
        self.assertEqual(self.code_of_exit, 1)
        self.assertIn("Could not run command from postrun_command: Execution of 'exit 4' returned 4: ", self.err)

    def test_places_and_reports(self):
        self.apply("statefile = ROOT/own/state.yaml\nlastrunreport = ROOT/own/report.yaml\nlastrunfile = ROOT/own/summary.yaml\n")
        self.assertEqual(self.code_of_exit, 0, self.err)
        self.assertEqual(sorted(os.listdir(self.root + "/own")), ["report.yaml", "state.yaml", "summary.yaml"])
        self.apply("statedir = ROOT/states\nreport = false\n")
        self.assertIn("last_run_summary.yaml", os.listdir(self.root + "/states"))
        self.assertNotIn("last_run_report.yaml", os.listdir(self.root + "/states"))
        self.assertEqual(self.apply("reports = http\n"), "")
        self.assertIn("reports = http is not supported", self.err)

    def test_what_is_shown(self):
        with open(self.root + "/c", "w", encoding="utf-8") as f:
            f.write("old\n")
        code = f"file {{ '{self.root}/c': content => \"new\\n\" }}"
        self.apply("", code=code)
        self.assertNotIn("-old", self.out)
        with open(self.root + "/c", "w", encoding="utf-8") as f:
            f.write("old\n")
        self.apply("[user]\nshow_diff = true\n", code=code)
        self.assertIn("-old", self.out)
        self.apply("[main]\nlog_level = debug\nhttp_debug = true\n", code="")
        self.assertIn("Info: ", self.out)

    def test_what_is_not_supported(self):
        self.assertEqual(self.apply("digest_algorithm = md5\n"), "")
        self.assertIn("The setting digest_algorithm = md5 is not supported: it would change the result", self.err)
        self.assertEqual(self.apply("", "--freeze_main"), "")
        self.assertEqual(self.code_of_exit, 1)
        self.assertEqual(self.apply("freeze_main = false\ncertificate_revocation = false\nsplay = true\n", "--no-splay", "--no-daemonize", "--environment_timeout", "5m"), "ab")

    def test_hiera_config(self):
        with open(self.root + "/h.yaml", "w", encoding="utf-8") as f:
            f.write("version: 5\nhierarchy: [{name: c, path: c.yaml, data_hash: yaml_data, datadir: .}]\n")
        with open(self.root + "/c.yaml", "w", encoding="utf-8") as f:
            f.write(f"path: '{self.root}/a'\n")
        code = "file { lookup('path'): content => 'x' }"
        self.assertEqual(self.apply("hiera_config = ROOT/h.yaml\n", code=code), "a")
        self.assertEqual(self.apply("", "--hiera_config", "ROOT/h.yaml", code=code), "a")


class Config(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)

    def config(self, *words):
        done = subprocess.run([PUPC, "config", *words, "--confdir", self.root], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def text(self):
        with open(self.root + "/puppet.conf", encoding="utf-8") as f:
            return f.read()

    def test_set_print_delete(self):
        self.assertEqual(self.config("set", "noop", "true"), "")
        self.assertEqual(self.text(), "[main]\nnoop = true\n")
        self.config("set", "runinterval", "5m", "--section", "agent")
        self.config("set", "noop", "false")
        self.config("set", "server", "a.example.com", "--section", "master")
        self.assertEqual(self.text(), "[main]\nnoop = false\n[agent]\nruninterval = 5m\n[server]\nserver = a.example.com\n")
        self.assertEqual(self.config("print", "runinterval", "--section", "agent"), "300\n")
        self.assertEqual(self.config("print", "runinterval"), "1800\n")
        self.assertEqual(self.config("print", "noop", "vardir", "nosuch", "--vardir", "/v"), "noop = false\nnosuch = \nvardir = /v\n")
        self.assertEqual(self.config("print", "pidfile", "--rundir", "/r"), "/r/main.pid\n")
        self.assertEqual(self.config("print", "supported_checksum_types"), '["sha256", "sha384", "sha512", "sha224", "md5"]\n')
        self.assertEqual(len(self.config("print").splitlines()), 238)
        self.assertEqual(self.config("delete", "noop"), "Deleted setting from 'main': 'noop = false'\n")
        self.assertEqual(self.config("delete", "noop"), "Warning: No setting found in configuration file for section 'main' setting name 'noop'\n")

    def test_an_environment_without_a_directory(self):
        """The default one, production, is there without it; asked of 8.11."""
        os.makedirs(self.root + "/modules")
        shown = ["print", "modulepath", "manifest", "--environmentpath", self.root + "/environments", "--basemodulepath", f"{self.root}/modules:{self.root}/none"]
        self.assertEqual(self.config(*shown), f"manifest = no_manifest\nmodulepath = {self.root}/modules\n")
        self.assertEqual(self.config(*shown, "--manifest", "/m.pp"), f"manifest = /m.pp\nmodulepath = {self.root}/modules\n")
        self.assertEqual(self.config(*shown, "--modulepath", "/a:/b"), "manifest = no_manifest\nmodulepath = /a:/b\n")
        self.assertEqual(self.config(*shown, "--environment", "other"), "manifest = \nmodulepath = \n")
        production = self.root + "/environments/production"
        os.makedirs(production)
        self.assertEqual(self.config(*shown), f"manifest = {production}/manifests\nmodulepath = {production}/modules:{self.root}/modules:{self.root}/none\n")

    def test_the_file_stays_what_it_was(self):
        path = self.root + "/puppet.conf"
        self.config("set", "noop", "true")
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o644)
        os.rename(path, self.root + "/real")
        os.chmod(self.root + "/real", 0o664)
        os.symlink("real", path)
        self.config("set", "noop", "false")
        self.config("delete", "nosuch")
        self.config("set", "tags", "x")
        self.config("delete", "tags")
        self.assertTrue(os.path.islink(path))
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o664)
        self.assertEqual(self.text(), "[main]\nnoop = false\n")

    def test_what_cannot_be_read_is_not_replaced(self):
        path = self.root + "/puppet.conf"
        os.mkfifo(path)
        done = subprocess.run([PUPC, "config", "set", "noop", "true", "--confdir", self.root], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(f"Error: Could not change {path}: "), done.stderr)
        self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))

    def test_other_lines_stay(self):
        with open(self.root + "/puppet.conf", "w", encoding="utf-8") as f:
            f.write("# mine\n[main]\n  a_b  =  c\n\n[agent]\nserver = x\n")
        self.config("set", "tags", "x", "--section", "main")
        self.config("set", "server", "y", "--section", "agent")
        self.assertEqual(self.text(), "# mine\n[main]\n  a_b  =  c\ntags = x\n\n[agent]\nserver = y\n")


if __name__ == "__main__":
    unittest.main()
