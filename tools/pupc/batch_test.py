#!/usr/bin/env python3
"""Requests of `compile --batch`: each field, what they share, and that the schema tells the same. Usage: batch_test.py PUPC SCHEMA"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PUPC, SCHEMA = sys.argv[1:3]
del sys.argv[1:3]
WRONG = {"string": 5, "object": "x", "boolean": "yes", "array": 5, "integer": "x", "null": 5}


class Batch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.file("mods/m/manifests/init.pp", "class m($x = 'default') { notify { \"m ${x}\": } }\n")

    def file(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def answers(self, *requests, words=()):
        text = "".join(json.dumps(r) + "\n" for r in requests)
        done = subprocess.run([PUPC, "compile", "--batch", "-", "--config", "/dev/null", *words], input=text, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def one(self, **request):
        answer = self.answers(request)[0]
        self.assertIsNone(answer["error"], answer["error"])
        return answer

    def told(self, **request):
        return [entry["message"].removeprefix("Scope(Class[main]): ") for entry in self.one(**request)["logs"]]

    def titles(self, answer, kind="Notify"):
        return [r["title"] for r in answer["catalog"]["resources"] if r["type"] == kind]

    def test_fields(self):
        self.assertEqual(self.told(code="notice($trusted['external']['x'], $trusted['certname'], $trusted['extensions'])", node="n.example.com",
                                   trusted={"external": {"x": 7}, "extensions": {"pp_role": "web"}}), ["7 n.example.com {pp_role => web}"])
        self.assertEqual(self.told(code="notice($role, $facts)", parameters={"role": "web"}, facts={"a": 1}), ["web {a => 1}"])
        self.assertEqual(self.told(code="notice($server_facts)"), ["{}"])
        self.assertIn("environment => test}", self.told(code="notice($server_facts)", server_facts=True, environment="test")[0])
        self.assertIn("servername => s", self.told(code="notice($server_facts)", server_facts={"servername": "s"})[0])
        self.assertEqual(self.one(code="", environment="test")["catalog"]["environment"], "test")
        modules = os.path.join(self.root, "mods")
        for path in (modules, [modules], f"/nowhere:{modules}"):
            self.assertEqual(self.titles(self.one(code="include m", modulepath=path)), ["m default"])
        self.assertEqual(self.titles(self.one(code="", modulepath=modules, classes=["m"])), ["m default"])
        self.assertEqual(self.titles(self.one(code="", modulepath=modules, classes={"m": {"x": "given"}})), ["m given"])
        self.file("data/common.yaml", "m::x: data\n")
        hiera = self.file("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\ndefaults: {datadir: data, data_hash: yaml_data}\n")
        requests = [{"code": "include m", "modulepath": modules, "hiera_config": h} for h in (hiera, None)]
        self.assertEqual([self.titles(a) for a in self.answers(*requests, words=("--hiera-config", hiera))], [["m data"], ["m default"]])
        self.assertEqual(self.told(code="notice($x)", strict="off", strict_variables=False), [""])
        self.assertEqual(self.told(code="notice($settings::vardir, $settings::noop, $settings::runinterval)", settings={"vardir": "/v", "noop": True, "runinterval": 60}),
                         ["/v true 60"])
        self.assertEqual(self.told(code="notice($osfamily)", facts={"os": {"family": "RedHat"}}, legacy_facts=True), ["RedHat"])
        exported = self.one(code="@@notify { 'e': } @notify { 'v': } notify { 'r': }", exported=True)
        self.assertEqual([r["title"] for r in exported["catalog"]["resources"]], ["e"])
        manifest = self.file("site.pp", "notify { 'site': }")
        self.assertEqual(self.titles(self.one(manifest=manifest)), ["site"])
        rich = self.one(code="notify { 'x': message => Sensitive('s') }")["catalog"]["resources"][-1]
        self.assertEqual(rich["sensitive_parameters"], ["message"])
        deferred = self.one(code="notify { 'x': message => Deferred('upcase', ['a']) }")["catalog"]["resources"][-1]["parameters"]["message"]
        self.assertEqual(deferred["__ptype"], "Deferred")

    def test_requests_do_not_see_each_other(self):
        modules = os.path.join(self.root, "mods")
        stub = "class m { notify { 'stub': } } include m"
        answers = self.answers(*[{"id": i, "code": code, "modulepath": modules} for i, code in enumerate((stub, "include m", "include nosuch", "function f() { 1 } notice(f())", "f()",
                                                                                                         "class m::part { } include m"))])
        self.assertEqual([a["ok"] for a in answers], [True, True, False, True, False, True])
        self.assertEqual([self.titles(answers[i]) for i in (0, 1)], [["stub"], ["m default"]])
        self.file("mods/m/manifests/part.pp", "class m::part { }\n")
        duplicate = self.answers({"code": "class m::other { } include m::part include m::two", "modulepath": modules},
                                 {"code": "class m::part::sub { } class x { } include m::part", "modulepath": modules})
        self.assertEqual([a["ok"] for a in duplicate], [False, True])

    def test_duplicates_between_code_and_module(self):
        self.file("mods/d/manifests/init.pp", "class d { }\nclass d::inner { }\n")
        answer = self.answers({"code": "class d::inner { } include d", "modulepath": os.path.join(self.root, "mods")})[0]
        self.assertIn("Class 'd::inner' is already defined", answer["error"]["message"])

    def test_invalidate(self):
        path = self.file("mods/m/manifests/init.pp", "class m { notify { 'one': } }\n")
        run = subprocess.Popen([PUPC, "compile", "--batch", "-", "--config", "/dev/null", "--modulepath", os.path.join(self.root, "mods")],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)

        def ask(**request):
            run.stdin.write(json.dumps(request) + "\n")
            run.stdin.flush()
            return json.loads(run.stdout.readline())
        self.assertEqual(self.titles(ask(code="include m")), ["one"])
        with open(path, "w", encoding="utf-8") as f:
            f.write("class m { notify { 'two': } }\n")
        self.assertEqual(self.titles(ask(code="include m")), ["one"])
        self.assertEqual(ask(id=4, invalidate=True), {"id": 4, "ok": True, "catalog": None, "logs": [], "error": None})
        self.assertEqual(self.titles(ask(code="include m")), ["two"])
        run.stdin.close()
        self.assertEqual(run.wait(timeout=60), 0)

    def test_schema(self):
        with open(SCHEMA, encoding="utf-8") as f:
            schema = json.load(f)
        for name, field in schema["properties"].items():
            if name == "id":
                continue
            kinds = field.get("type", "string")
            wrong = WRONG[kinds if isinstance(kinds, str) else kinds[0]] if "enum" not in field else "hard"
            if name == "server_facts":
                wrong = "x"
            answer = self.answers({"id": 1, "code": "", name: wrong})[0]
            self.assertEqual((answer["id"], answer["ok"]), (1, False), name)
            self.assertIn(name, answer["error"]["message"])
        answer = self.answers({"id": 2, "code": "", "nodes": "x"})[0]
        self.assertEqual(answer["error"]["message"], "'nodes' is no field of a request")
        self.assertIn("which is no setting", self.answers({"code": "", "settings": {"nosuch": "x"}})[0]["error"]["message"])


if __name__ == "__main__":
    unittest.main()
