#!/usr/bin/env python3
"""The cache of validate: an unchanged tree is answered from it, a changed one never is, and whatever is wrong with it is ignored.
Usage: validate_cache_test.py PUPC TESTDATA [MUTATIONS]"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PUPC, TESTDATA = sys.argv[1], sys.argv[2]
MUTATIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 200
KEPT = "no file has changed"


class Cache(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.root = os.path.join(self.top.name, "environment")
        self.cache = os.path.join(self.top.name, "home", "cache")
        shutil.copytree(os.path.join(TESTDATA, "environment"), self.root)

    def run_pupc(self, *words, cache=True, fmt="json", root=None):
        kept = ["--cache", self.cache] if cache else ["--no-cache"]
        done = subprocess.run([PUPC, "validate", "--all", "--hints", "--summary", "--jobs", "1", "--format", fmt, *kept, *words, root or self.root],
                              capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": self.top.name})
        return done.returncode, done.stdout, done.stderr

    def from_cache(self, *words):
        return KEPT in self.run_pupc(*words, fmt="human")[2]

    def settle(self):
        """Until what was written last is old enough for the cache, and kept."""
        time.sleep(0.07)
        self.run_pupc(fmt="human")

    def the_file(self):
        names = os.listdir(self.cache)
        self.assertEqual(len(names), 1)
        return os.path.join(self.cache, names[0])

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def test_a_second_run_says_the_same(self):
        self.write("site-modules/profile/manifests/broken.pp", "class profile::broken { file { '/x': mode => 644, ensure => presnt } }\n")
        self.write("site-modules/profile/manifests/syntax.pp", "class profile::syntax {\n  $x = = 1\n}\n")
        self.write("data/broken.yaml", "a: [1, 2\n")
        self.settle()
        for fmt in ("json", "sarif", "junit", "github", "gitlab", "checkstyle", "human"):
            first, second = self.run_pupc(fmt=fmt, cache=False), self.run_pupc(fmt=fmt)
            self.assertEqual(first[:2], second[:2], fmt)
            self.assertEqual(first[0], 1)
        plain = [line for line in first[2].splitlines() if " s" not in line]
        self.assertEqual(plain, [line for line in second[2].splitlines() if " s" not in line])
        self.assertTrue(self.from_cache())
        self.assertFalse(self.from_cache("--strict", "off"), "another question")
        self.assertFalse(self.from_cache("--syntax-only"))
        self.assertEqual(os.stat(self.cache).st_mode & 0o777, 0o700)
        self.assertEqual(os.stat(os.path.join(self.cache, os.listdir(self.cache)[0])).st_mode & 0o777, 0o600)

    def test_every_change_is_seen(self):
        self.settle()
        self.assertTrue(self.from_cache())
        path = os.path.join(self.root, "site-modules/profile/manifests/web.pp")
        before = os.stat(path)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("include", "incldue", 1))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as tools do that keep times
        self.assertIn("no_effect", self.run_pupc()[1])
        self.settle()
        self.assertTrue(self.from_cache())
        os.rename(path, path + "x")
        self.assertFalse(self.from_cache())
        self.settle()
        os.mkdir(os.path.join(self.root, "modules/base/templates/new"))
        self.assertFalse(self.from_cache())

    def test_what_a_module_uses_is_seen(self):
        """The findings of a module come from others on the modulepath, too."""
        module = os.path.join(self.root, "site-modules/role")
        words = ["--modulepath", os.path.join(self.root, "site-modules") + ":" + os.path.join(self.root, "modules")]
        clean = self.run_pupc(*words, root=module)
        time.sleep(0.07)
        self.run_pupc(*words, root=module)
        self.assertIn(KEPT, self.run_pupc(*words, root=module, fmt="human")[2])
        os.unlink(os.path.join(self.root, "site-modules/profile/manifests/web.pp"))
        after = self.run_pupc(*words, root=module)
        self.assertNotEqual(clean[1], after[1])
        self.assertEqual(after, self.run_pupc(*words, root=module, cache=False))

    def test_a_wrong_cache_is_none(self):
        self.write("site-modules/profile/manifests/broken.pp", "class profile::broken { file { '/x': mode => 644 } }\n")
        self.settle()
        right = self.run_pupc(cache=False)[:2]
        with open(self.the_file(), "rb") as f:
            good = f.read()
        chance = random.Random(7)
        for _ in range(40):
            bad = bytearray(good)
            kind = chance.randrange(3)
            if kind == 0:
                bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
            elif kind == 1:
                del bad[chance.randrange(len(bad)):]
            else:
                bad = bytearray(chance.randbytes(chance.randrange(400)))
            with open(self.the_file(), "wb") as f:
                f.write(bad)
            self.assertEqual(self.run_pupc()[:2], right)
        self.run_pupc()
        os.chmod(self.cache, 0o777)  # others could write there
        self.assertFalse(self.from_cache())
        os.chmod(self.cache, 0o700)
        self.assertTrue(self.from_cache())
        path = self.the_file()
        os.rename(path, path + ".away")
        os.symlink(path + ".away", path)
        self.assertFalse(self.from_cache(), "a link is not followed")

    def test_no_place_for_a_cache(self):
        place = os.path.join(self.top.name, "file")
        with open(place, "w", encoding="utf-8"):
            pass
        done = subprocess.run([PUPC, "validate", "--cache", place + "/cache", self.root], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        done = subprocess.run([PUPC, "validate", self.root], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "HOME": "/nonexistent", "XDG_CACHE_HOME": ""})
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        # By default it is in the user's own home, and in nobody else's.
        home = os.path.join(self.top.name, "home")
        os.mkdir(home)
        own = {**os.environ, "HOME": home}
        own.pop("XDG_CACHE_HOME", None)
        os.chmod(home, 0o777)
        for mode, there in ((0o777, False), (0o755, True)):
            os.chmod(home, mode)
            time.sleep(0.07)
            subprocess.run([PUPC, "validate", self.root], capture_output=True, timeout=60, env=own)
            self.assertEqual(os.path.isdir(home + "/.cache/pupc"), there)
        if os.geteuid() == 0:
            os.chown(home, 65534, 65534)
            shutil.rmtree(home + "/.cache")
            subprocess.run([PUPC, "validate", self.root], capture_output=True, timeout=60, env=own)
            self.assertFalse(os.path.exists(home + "/.cache"))

    def test_random_edits(self):
        chance = random.Random(20)
        hits = 0
        for number in range(MUTATIONS):
            edit(self.root, chance)
            if number % 10 == 0:
                self.settle()
                hits += self.from_cache()
            self.assertEqual(self.run_pupc()[:2], self.run_pupc(cache=False)[:2], f"after edit {number}")
        self.assertEqual(hits, len(range(0, MUTATIONS, 10)))


def edit(root, chance):
    """One random change: a line goes, comes twice or is another's, a word changes, a file goes, comes back or is renamed."""
    files = [os.path.join(d, n) for d, _, names in os.walk(root) for n in names]
    path = chance.choice(files)
    kind = chance.randrange(8)
    if kind == 0 and len(files) > 20:
        os.unlink(path)
    elif kind == 1:
        os.rename(path, os.path.join(os.path.dirname(path), chance.choice(["other", "init", "web"]) + os.path.splitext(path)[1]))
    elif kind == 2:
        again = os.path.relpath(path, root)
        original = os.path.join(TESTDATA, "environment", again)
        if os.path.exists(original):
            shutil.copy(original, path)
    else:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            lines = f.readlines()
        if not lines:
            return
        at = chance.randrange(len(lines))
        if kind == 3:
            del lines[at]
        elif kind == 4:
            lines.insert(at, lines[at])
        elif kind == 5:
            lines[at] = lines[chance.randrange(len(lines))]
        else:
            words = lines[at].split(" ")
            words[chance.randrange(len(words))] = chance.choice(["x", "present", "644", "}", "include", "base", "'web'", "=>"])
            lines[at] = " ".join(words)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.writelines(lines)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
