#!/usr/bin/env python3
"""validate on repositories that mean it ill: random bytes in files of every kind, mutated ones, depth, bombs, loops, many files. It ends in time,
within memory, with findings that are valid JSON. Usage: validate_hostile_test.py PUPC TESTDATA [FILES]"""
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

PUPC, TESTDATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FILES = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
SLOW = "SANITIZE" in os.environ

KINDS = ["manifests/r%d.pp", "data/r%d.yaml", "data/r%d.json", "data/r%d.hocon", "data/r%d.eyaml", "modules/m/templates/r%d.erb",
         "modules/m/templates/r%d.epp", "modules/m/tasks/r%d.json", "modules/m/manifests/r%d.pp", "modules/m/functions/r%d.pp",
         "modules/m/types/r%d.pp", "modules/m/lib/puppet/type/r%d.rb", "modules/m/lib/puppet/functions/r%d.rb", "modules/m/lib/facter/r%d.rb",
         "modules/n%d/metadata.json", "modules/n%d/hiera.yaml"]


class Hostile(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.root = os.path.join(top.name, "repository")
        os.mkdir(self.root)
        self.write("environment.conf", b"")

    def write(self, name, content):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)

    def check(self, seconds=20, megabytes=200, *words):
        def limit():
            if not SLOW:
                resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 2 << 20, megabytes * 2 << 20))
        child = subprocess.Popen([PUPC, "validate", "--no-cache", "--hints", "--format", "json", *words, self.root], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, preexec_fn=limit, env={**os.environ, "TMPDIR": self.root})
        try:
            out, err = child.communicate(timeout=seconds * (20 if SLOW else 3))
        finally:
            child.kill()
        self.assertIn(child.returncode, (0, 1), err[:300])
        found = json.loads(out.decode("utf-8"))
        self.assertNotIn(4000, [f["code"] for f in found], "an internal error")
        return found

    def test_constant_calls(self):
        """What the checks call themselves: their time is limited for all calls together."""
        lines = [f"$x{i} = regsubst('{'a' * 48}{i}', '^(a+)+$X', 'b', 'G')" for i in range(1500)]
        lines += [f"$y{i} = sprintf('%90000000d', {i})" for i in range(100)]
        lines += ["$z = Array(Integer[1, 1000000000])"]
        self.write("manifests/site.pp", "\n".join(reversed(lines)).encode())
        found = self.check()
        self.assertIn(8402, [f["code"] for f in found])

    def test_random_bytes(self):
        chance = random.Random(11)
        for kind in KINDS:
            for number in range(8):
                self.write(kind % number, chance.randbytes(chance.choice([0, 1, 10, 1000, 60000])))
        for name in ("Puppetfile", "hiera.yaml", "environment.conf", ".gitignore", "modules/.gitignore"):
            self.write(name, chance.randbytes(3000))
        os.unlink(os.path.join(self.root, ".gitignore"))
        found = {f["check"] for f in self.check()}
        for check in ("invalid_encoding", "data_syntax", "template_syntax", "puppetfile_form"):
            self.assertIn(check, found)

    def test_mutated_files(self):
        chance = random.Random(12)
        base = os.path.join(TESTDATA, "environment")
        pieces = [b"{", b"}", b"[", b"]", b"(", b"<%", b"%>", b"'", b'"', b"${", b"*", b"&a", b"- ", b": ", b"\\", b"\0", b"\xff", b"|", b"=>",
                  b"@(X)", b"$", b"::", b"%{", b"ENC[", b"\n", b"\t", b"0x", b"9" * 30]
        for _ in range(12):
            shutil.rmtree(self.root)
            shutil.copytree(base, self.root)
            for folder, _, names in os.walk(self.root):
                for name in names:
                    path = os.path.join(folder, name)
                    with open(path, "rb") as f:
                        text = bytearray(f.read())
                    for _ in range(chance.randrange(4)):
                        at = chance.randrange(len(text) + 1)
                        if chance.random() < 0.4:
                            del text[at:at + chance.randrange(30)]
                        else:
                            text[at:at] = chance.choice(pieces)
                    with open(path, "wb") as f:
                        f.write(text)
            self.check()

    def test_depth(self):
        deep = 100000
        for name, content in {
                "data/a.yaml": b"[" * deep, "data/b.yaml": b"".join(b" " * i + b"a:\n" for i in range(3000)), "data/c.json": b'{"a":' * deep,
                "data/d.hocon": b"a{" * deep, "data/e.yaml": b"{a: " * 20000, "hiera.yaml": b"- " * deep, "manifests/site.pp": b"$x = " + b"[" * deep,
                "manifests/minus.pp": b"$x = " + b"-" * deep + b"1", "manifests/call.pp": b"f(" * deep, "manifests/string.pp": b'"${' * deep,
                "modules/m/templates/a.erb": b"<%= " + b"(" * deep + b" %>", "modules/m/templates/b.epp": b"<% if true { %>" * 20000,
                "modules/m/templates/c.erb": b"<% if a then %>" * 20000, "Puppetfile": b"mod(" * 50000, "modules/m/metadata.json": b"[" * deep,
                "modules/m/types/a.pp": b"type M::A = " + b"Array[" * deep, "modules/m/tasks/a.json": b"[" * deep,
                "modules/m/lib/puppet/type/a.rb": b"Puppet::Type.newtype(:a) do\n" + b"begin\n" * 20000}.items():
            self.write(name, content)
        self.assertTrue(self.check())

    def test_bombs(self):
        rows = [b"a0: &a0 [x,x,x,x,x,x,x,x,x]"] + [b"a%d: &a%d [%s]" % (i, i, b",".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 20)]
        self.write("data/lists.yaml", b"\n".join(rows) + b"\n")
        rows = [b"a: &a\n  b: c"] + [b"m%d: &m%d\n  <<: [%s]" % (i, i, b",".join([b"*a"] + [b"*m%d" % j for j in range(max(0, i - 8), i)]))
                                     for i in range(25)]
        self.write("data/merges.yaml", b"\n".join(rows) + b"\n")
        self.write("hiera.yaml", b"version: 5\nhierarchy: &h\n  - *h\n")
        self.write("manifests/alias.pp", b"type A = Array[B]\ntype B = Array[A]\n")
        self.write("modules/m/types/a.pp", b"type M::A = Variant[M::B, M::A]\n")
        self.write("modules/m/types/b.pp", b"type M::B = Variant[M::A, M::B]\n")
        self.write("modules/m/manifests/init.pp", b"class m(M::A $x = [1]) inherits m { class { 'm': x => $m::x } }\n")
        self.write("manifests/regex.pp", b"if $facts['x'] =~ /" + b"(a+)+" * 200 + b"$/ { }\n")
        self.check()

    def test_paths_with_a_nul(self):
        """What the system does not see behind the NUL is no other folder."""
        shutil.rmtree(self.root)
        shutil.copytree(os.path.join(TESTDATA, "environment"), self.root)
        with open(os.path.join(self.root, "Puppetfile"), "rb") as f:
            text = f.read()
        self.assertIn(b"moduledir 'modules'", text)
        self.write("Puppetfile", text.replace(b"moduledir 'modules'", b"moduledir 'modules\0'"))
        self.write("environment.conf", b"modulepath = site-modules\n")
        self.assertTrue(self.check())

    def test_loops_and_special_files(self):
        os.mkdir(os.path.join(self.root, "manifests"))
        for name, target in {"manifests/up": "..", "modules": ".", "self": "self", "data": "/", "hiera.yaml": "/dev/zero"}.items():
            os.symlink(target, os.path.join(self.root, name))
        os.mkdir(os.path.join(self.root, "types"))
        os.mkfifo(os.path.join(self.root, "types", "fifo.pp"))
        os.symlink("/dev/zero", os.path.join(self.root, "types", "zero.pp"))
        self.write("manifests/site.pp", b"include nothing_of_this_name\n")
        self.assertIn("no_such_class", [f["check"] for f in self.check()])
        with tempfile.TemporaryDirectory() as cache:  # what is looked at for the cache goes round, too
            for _ in range(2):
                done = subprocess.run([PUPC, "validate", "--cache", cache + "/c", self.root], capture_output=True, timeout=60)
                self.assertEqual(done.returncode, 1, done.stderr)

    def test_many_files(self):
        for number in range(FILES):
            folder = os.path.join(self.root, "modules/m%d/manifests/d%d" % (number % 50, number % 7))
            if number < 350:
                os.makedirs(folder, exist_ok=True)
            with open("%s/c%d.pp" % (folder, number), "w", encoding="utf-8") as f:
                f.write("class m%d::d%d::c%d {\n  include m0::d0::c0\n}\n" % (number % 50, number % 7, number))
        self.assertEqual([f for f in self.check(30, 100 + FILES // 100) if f["severity"] != "hint"], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
