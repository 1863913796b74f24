#!/usr/bin/env python3
"""Encrypted data: values that openssl encrypts here are what pupc's lookup prints. Usage: eyaml_test.py PUPC"""
import base64
import os
import subprocess
import sys
import tempfile
import unittest

PUPC = sys.argv.pop(1)
SECRET = "s3cret-Wörd"


class Eyaml(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = os.path.realpath(folder.name)
        for name in ("own", "other"):
            subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-keyout", f"{cls.root}/{name}.key", "-out", f"{cls.root}/{name}.crt",
                            "-days", "2", "-subj", "/"], check=True, capture_output=True)

    def file(self, name, text, mode="w"):
        path = os.path.join(self.root, "envs/production", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as f:
            f.write(text)

    def encrypted(self, text, key="own"):
        done = subprocess.run(["openssl", "smime", "-encrypt", "-binary", "-aes256", "-outform", "DER", f"{self.root}/{key}.crt"], input=text.encode(),
                              capture_output=True, check=True)
        return f"ENC[PKCS7,{base64.b64encode(done.stdout).decode()}]"

    def hiera(self, private="own.key", public="own.crt", options=None):
        options = options or f"{{pkcs7_private_key: '{self.root}/{private}', pkcs7_public_key: '{self.root}/{public}'}}"
        self.file("hiera.yaml", f"version: 5\nhierarchy:\n  - {{name: E, lookup_key: eyaml_lookup_key, paths: [e.eyaml, more.eyaml], options: {options}}}\n")

    def lookup(self, *words, **environment):
        done = subprocess.run([PUPC, "lookup", "--environmentpath", f"{self.root}/envs", "--node", "n", "--render-as", "json", *words], capture_output=True,
                              text=True, timeout=60, env={**os.environ, **environment})
        self.assertNotIn(SECRET, done.stderr)
        return done.returncode, done.stdout.rstrip("\n"), done.stderr

    def test_values(self):
        self.hiera()
        whole = self.encrypted(SECRET)
        folded = "\n    ".join(whole[i:i + 60] for i in range(0, len(whole), 60))
        self.file("data/e.eyaml", f"""
plain: some text
number: 5
whole: {whole}
newline: {self.encrypted("line" + chr(10))}
several: "user {self.encrypted("me")} password {whole}!"
nested: {{a: ["{whole}", 1], "%{{facts.x}}": "{self.encrypted("%{facts.x}")}"}}
noscheme: {whole.replace("PKCS7,", "")}
folded: >
    {folded}
bracket: ENC[not closed
""")
        self.file("data/more.eyaml", f"nested: {{b: \"{self.encrypted(chr(53))}\"}}\n")
        self.file("f.json", '{"x": "fact"}')
        facts = ("--facts", f"{self.root}/envs/production/f.json")
        self.assertEqual(self.lookup("plain")[1], '"some text"')
        self.assertEqual(self.lookup("number")[1], "5")
        self.assertEqual(self.lookup("whole"), (0, f'"{SECRET}"', ""))
        self.assertEqual(self.lookup("newline")[1], '"line"')
        self.assertEqual(self.lookup("several")[1], f'"user me password {SECRET}!"')
        self.assertEqual(self.lookup("noscheme")[1], f'"{SECRET}"')
        self.assertEqual(self.lookup("folded")[1], f'"{SECRET}"')
        self.assertEqual(self.lookup("bracket")[1], '"ENC[not closed"')
        self.assertEqual(self.lookup("nested", *facts)[1], f'{{"a":["{SECRET}",1],"fact":"fact"}}')
        self.assertEqual(self.lookup("nested", "--merge", "hash", *facts)[1], f'{{"b":"5","a":["{SECRET}",1],"fact":"fact"}}')
        self.assertEqual(self.lookup("nope"), (1, "", ""))

    def test_keys_in_the_environment(self):
        self.hiera(options="{pkcs7_private_key_env_var: PUPC_PRIVATE, pkcs7_public_key_env_var: PUPC_PUBLIC}")
        self.file("data/e.eyaml", f"whole: {self.encrypted(SECRET)}\n")
        texts = []
        for name in ("own.key", "own.crt"):
            with open(f"{self.root}/{name}", encoding="ascii") as f:
                texts.append(f.read())
        self.assertEqual(self.lookup("whole", PUPC_PRIVATE=texts[0], PUPC_PUBLIC=texts[1])[:2], (0, f'"{SECRET}"'))
        self.assertIn("Error was env PUPC_PRIVATE is not set", self.lookup("whole")[2])

    def test_errors(self):
        value = self.encrypted(SECRET)
        self.file("data/e.eyaml", f"whole: {value}\nbroken: ENC[PKCS7,AAAA]\ngpg: ENC[GPG,AAAA]\nnobase: ENC[PKCS7,A=A=]\n")

        def error(key="whole"):
            code, out, err = self.lookup(key)
            self.assertEqual((code, out), (1, ""))
            line = ["whole", "broken", "gpg", "nobase"].index(key) + 1
            self.assertEqual(err.splitlines()[1:], [f"  It is in the value of the key '{key}' at {self.root}/envs/production/data/e.eyaml:{line}."])
            self.assertIn(f"when looking up {key} in {self.root}/envs/production/data/e.eyaml. Error was ", err)
            return err.split("Error was ")[1]
        self.hiera("other.key", "other.crt")
        self.assertIn(f"file {self.root}/other.key does not fit", error())
        self.hiera("own.key", "other.crt")
        self.assertIn("do not belong together", error())
        self.hiera("none.key")
        self.assertIn(f"file {self.root}/none.key does not exist", error())
        self.hiera("own.crt")
        self.assertIn(f"file {self.root}/own.crt holds no private key", error())
        self.hiera()
        self.assertIn("no PKCS7 message", error("broken"))
        self.assertIn("the encryption 'GPG' is not known", error("gpg"))
        self.assertRegex(error("nobase"), "base64|PKCS7 message")
        self.file("hiera.yaml", "version: 5\nhierarchy:\n  - {name: E, lookup_key: eyaml_lookup_key}\n")
        self.assertIn("'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared", self.lookup("whole")[2])


if __name__ == "__main__":
    unittest.main()
