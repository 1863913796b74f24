#!/usr/bin/env python3
"""What pupc writes is never readable by others, whatever the umask is, and no planted link is followed.

  private_files_test.py PUPC
"""
import os
import pathlib
import stat
import shutil
import subprocess
import sys
import tempfile
import unittest

PUPC = str(pathlib.Path(sys.argv.pop(1)).resolve())


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class PrivateFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.top = pathlib.Path(self.folder.name)
        self.top.chmod(0o755)
        (self.top / "facts").mkdir()
        (self.top / "facts/n1.yaml").write_text("name: n1\nvalues: {a: 1}\n")
        (self.top / "site.pp").write_text("@@notify { 'x': message => 'secret' }\nnotify { 'y': }\n")
        self.victim = self.top / "victim"
        self.victim.write_text("kept")

    def tearDown(self):
        self.folder.cleanup()

    def shell(self, text, good=True):
        """Runs shell text under umask 0 with the program as $PUPC; `exec` keeps the number of the shell's process."""
        done = subprocess.run(["sh", "-c", "umask 0; " + text], env={**os.environ, "PUPC": PUPC}, cwd=self.top, capture_output=True, text=True, check=False)
        if good:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_catalog_and_store(self):
        self.shell("exec $PUPC compile --facts facts/n1.yaml --output out.json --store s.sqlite site.pp")
        self.assertEqual(mode(self.top / "out.json"), 0o640)
        for name in self.top.glob("s.sqlite*"):
            self.assertEqual(mode(name), 0o640, name)

    def test_store_that_others_could_read_is_closed(self):
        self.shell("$PUPC compile --facts facts/n1.yaml --output out.json --store s.sqlite site.pp; chmod 666 s.sqlite")
        self.shell("exec $PUPC compile --facts facts/n1.yaml --output out.json --store s.sqlite site.pp")
        self.assertEqual(mode(self.top / "s.sqlite") & 0o007, 0)

    def test_all_nodes(self):
        self.shell("exec $PUPC compile --all-nodes facts --output new/out site.pp")
        self.assertEqual(mode(self.top / "new"), 0o750)
        self.assertEqual(mode(self.top / "new/out"), 0o750)
        self.assertEqual(mode(self.top / "new/out/n1.json"), 0o640)

    def test_planted_links_are_not_followed(self):
        # The names that an earlier version took, and the file's own.
        self.shell("ln -s victim out.json; ln -s victim out.json.tmp$$; exec $PUPC compile --facts facts/n1.yaml --output out.json site.pp")
        self.assertFalse((self.top / "out.json").is_symlink())
        (self.top / "out").mkdir()
        self.shell("ln -s ../victim out/n1.json.tmp$$; exec $PUPC compile --all-nodes facts --output out site.pp")
        self.assertEqual(self.victim.read_text(), "kept")

    def test_why_a_catalog_cannot_be_written_is_told(self):
        done = self.shell("exec $PUPC compile --facts facts/n1.yaml --output none/out.json site.pp", good=False)
        self.assertIn("Could not write none/out.json: No such file or directory", done.stderr)
        (self.top / "out/n1.json").mkdir(parents=True)
        done = self.shell("exec $PUPC compile --all-nodes facts --output out site.pp", good=False)
        self.assertIn("Could not write out/n1.json: Is a directory", done.stderr)

    def test_results_into_a_pipe(self):
        done = self.shell("$PUPC compile --facts facts/n1.yaml --output /dev/stdout site.pp | cat")
        self.assertIn('"resources"', done.stdout)
        self.shell("$PUPC compile --facts facts/n1.yaml --output /dev/stdout site.pp >redirected")
        self.assertIn('"resources"', (self.top / "redirected").read_text())
        self.assertTrue(os.path.islink("/dev/stdout"))

    def test_state(self):
        self.shell("exec $PUPC apply --vardir new/var --facts facts/n1.yaml --write-catalog-summary --report r.json site.pp")
        for directory in ("new/var", "new/var/state"):
            self.assertEqual(mode(self.top / directory), 0o750, directory)
        self.assertEqual(mode(self.top / "r.json"), 0o640)
        files = [f for f in (self.top / "new/var").rglob("*") if f.is_file()]
        self.assertTrue(files)
        for file in files:
            self.assertEqual(mode(file) & 0o007, 0, file)

    def test_state_that_others_could_change_is_closed(self):
        self.shell("mkdir -p var/state; chmod 777 var var/state; exec $PUPC apply --vardir var --facts facts/n1.yaml site.pp")
        self.assertEqual(mode(self.top / "var/state") & 0o022, 0)
        self.assertEqual(mode(self.top / "var") & 0o022, 0)

    def test_lock_is_no_link(self):
        self.shell("mkdir -p var/state; ln -s ../../victim var/state/apply.lock")
        done = self.shell("exec $PUPC apply --vardir var --facts facts/n1.yaml site.pp", good=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Could not lock the run", done.stderr)
        self.assertEqual(self.victim.read_text(), "kept")

    @unittest.skipUnless(os.geteuid() == 0, "only root has files of others")
    def test_state_and_store_of_others_are_refused(self):
        for name in ("var", "var/state", "open"):
            (self.top / name).mkdir()
            os.chown(self.top / name, 65534, 65534)
        done = self.shell("exec $PUPC apply --vardir var --facts facts/n1.yaml site.pp", good=False)
        self.assertIn("belongs to another user", done.stderr)
        (self.top / "open/s").touch()
        os.chown(self.top / "open/s", 65534, 65534)
        done = self.shell("exec $PUPC compile --facts facts/n1.yaml --output out.json --store open/s site.pp", good=False)
        self.assertIn("belongs to another user", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root has files of others")
    def test_state_of_the_settings_user_is_taken(self):
        """Puppet gives its directories to the user of the setting `user`; links of that user lead nowhere else."""
        apply = "exec $PUPC apply --vardir var --user nobody --facts facts/n1.yaml site.pp"
        for name in ("var", "var/state", "var/clientbucket"):
            (self.top / name).mkdir()
            os.chown(self.top / name, 65534, 65534)
        (self.top / "var/state").chmod(0o777)
        self.shell(apply)
        self.assertTrue((self.top / "var/state/last_run_report.yaml").exists())
        self.assertEqual(mode(self.top / "var/state") & 0o022, 0)
        self.assertEqual((self.top / "var/state").stat().st_uid, 65534)
        self.assertIn("belongs to another user", self.shell(apply.replace("nobody", "daemon"), good=False).stderr)
        shutil.rmtree(self.top / "var/state")
        (self.top / "roots").mkdir()
        (self.top / "var/state").symlink_to(self.top / "roots")
        os.lchown(self.top / "var/state", 65534, 65534)
        done = self.shell(apply, good=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Refused to follow", done.stderr)
        self.assertEqual(list((self.top / "roots").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
