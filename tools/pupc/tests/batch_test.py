#!/usr/bin/env python3
"""Requests of `compile --batch`: each field, what they share, and that the schema tells the same. Usage: batch_test.py PUPC SCHEMA"""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from in_folder import InFolder

PUPC, SCHEMA = sys.argv[1:3]
del sys.argv[1:3]
REQUESTS = int(os.environ.get("PUPC_BATCH_REQUESTS", "10000"))  # for which memory must stay flat
WRONG = {"string": 5, "object": "x", "boolean": "yes", "array": 5, "integer": "x", "null": 5}


class Batch(InFolder):
    def setUp(self):
        super().setUp()
        self.file("mods/m/manifests/init.pp", "class m($x = 'default') { notify { \"m ${x}\": } }\n")

    def answers(self, *requests, words=()):
        text = "".join(json.dumps(r) + "\n" for r in requests)
        done = subprocess.run([PUPC, "compile", "--batch", "-", "--config", "/dev/null", *words], input=text, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def one(self, **request):
        answer = self.answers(request)[0]
        self.assertIsNone(answer["error"], answer["error"])
        return answer

    def test_a_limit_reached_while_reading_leaves_the_environment_usable(self):
        """The next request reads on where the first had to stop. What that one had read already must not count twice."""
        for name in "ab":
            self.file(f"main/{name}.pp", "".join(f"class {name}c{i} {{ notify {{ '{name}{i}': message => [1, 2, 3] }} }}\n" for i in range(4000)))
        request = {"manifest": os.path.join(self.root, "main")}
        recovered = 0
        for limit in range(3, 14):
            first, second = [(a["error"] or {"message": ""})["message"].partition(" on node ")[0]
                             for a in self.answers(request, request, words=("--max-memory", str(limit), "--jobs", "1"))]
            told = f"the work needed more than {limit} MB of memory (--max-memory)"
            self.assertIn(first, ("", told))
            self.assertIn(second, ("", told))
            recovered += first == told and second == ""
        self.assertGreater(recovered, 0)

    def test_an_answer_has_the_id_whatever_ends_the_request(self):
        facts = self.file("facts.json", json.dumps({"x": ["y" * 100] * 100000}))
        answer = self.answers({"id": "mine", "code": ""}, words=("--max-memory", "5", "--facts", facts))[0]
        self.assertEqual((answer["id"], answer["error"]["message"]), ("mine", "the work needed more than 5 MB of memory (--max-memory)"))

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

    def test_types_of_modules_are_made_once_but_mean_what_the_code_says(self):
        """The types of aliases are shared by the requests, unless a request defines one of the names that they use."""
        self.file("mods/t/types/outer.pp", "type T::Outer = Struct[{x => T::Inner, Optional[next] => T::Outer}]\n")
        self.file("mods/t/types/inner.pp", "type T::Inner = Variant[Integer, T::Loop]\n")
        self.file("mods/t/types/loop.pp", "type T::Loop = Variant[Array[T::Loop], Boolean]\n")
        self.file("mods/t/manifests/init.pp", "class t(T::Outer $v = {x => 1, next => {x => [true]}}) { notify { \"t ${v}\": } }\n")
        modules = os.path.join(self.root, "mods")
        codes = ["include t", "class { 't': v => {x => 'a'} }", "type T::Inner = String class { 't': v => {x => 'a'} }", "type T::Inner = String include t",
                 "define t::inner() { } include t", "notice([[true]] =~ T::Loop, T::Inner)", "include t"]
        requests = [{"code": code, "modulepath": modules} for code in codes]
        together = self.answers(*requests, *reversed(requests))
        alone = [self.answers(request)[0] for request in requests]
        told = [(a["ok"], self.titles(a) if a["ok"] else a["error"]["message"], [m["message"] for m in a["logs"]]) for a in alone]
        self.assertEqual([ok for ok, _, _ in told], [True, False, True, False, False, True, True])
        self.assertIn("expects a Resource value", told[4][1])
        told += told[::-1]
        self.assertEqual([(a["ok"], self.titles(a) if a["ok"] else a["error"]["message"], [m["message"] for m in a["logs"]]) for a in together], told)

    def test_duplicates_between_code_and_module(self):
        self.file("mods/d/manifests/init.pp", "class d { }\nclass d::inner { }\n")
        answer = self.answers({"code": "class d::inner { } include d", "modulepath": os.path.join(self.root, "mods")})[0]
        self.assertIn("Class 'd::inner' is already defined", answer["error"]["message"])

    def session(self, *words):
        """A function that sends one request and gives its answer, of a process that lives as long as the test."""
        run = subprocess.Popen([PUPC, "compile", "--batch", "-", "--config", "/dev/null", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def end():
            run.stdin.close()
            self.assertEqual(run.wait(timeout=60), 0)
            run.stdout.close()
        self.addCleanup(end)

        def ask(**request):
            run.stdin.write(json.dumps(request) + "\n")
            run.stdin.flush()
            return json.loads(run.stdout.readline())
        ask.pid = run.pid
        return ask

    def changing(self, name, text):
        """Writes a file so that it looks as if that were some time ago: only its content and times tell that it changed."""
        path = self.file(name, text)
        self.age = getattr(self, "age", 1000) - 10
        stamp = time.time() - self.age
        os.utime(path, (stamp, stamp))
        return path

    def test_invalidate(self):
        ask = self.session("--modulepath", os.path.join(self.root, "mods"))
        self.assertEqual(self.titles(ask(code="include m")), ["m default"])
        self.assertEqual(ask(id=4, invalidate=True), {"id": 4, "ok": True, "catalog": None, "logs": [], "error": None})
        self.assertEqual(self.titles(ask(code="include m", invalidate=True)), ["m default"])

    def test_changed_files_are_noticed(self):
        hiera = "version: 5\nhierarchy: [{name: c, %s}]\ndefaults: {datadir: data, data_hash: yaml_data}\n"
        self.changing("env/production/environment.conf", "modulepath = modules\n")
        self.changing("env/production/manifests/site.pp", "include m\n")
        self.changing("env/production/modules/m/manifests/init.pp", "class m($x = 'default') { notify { $x: } }\n")
        self.changing("env/production/modules/m/metadata.json", "{}")
        ask = self.session("--environmentpath", os.path.join(self.root, "env"))

        def expect(*titles, **request):
            time.sleep(0.06)  # what has just changed is always read again: here, only because it differs
            for _ in range(2):  # the second is answered from what the first read
                answer = ask(**request)
                self.assertIsNone(answer["error"], answer["error"])
                self.assertEqual(self.titles(answer), list(titles))
        expect("default")
        # changed, in its place
        self.changing("env/production/modules/m/manifests/init.pp", "class m($x = 'second') { notify { $x: } }\n")
        expect("second")
        # hiera.yaml and data: added, changed, removed
        self.changing("env/production/hiera.yaml", hiera % "path: common.yaml")
        expect("second")
        data = self.changing("env/production/data/common.yaml", "m::x: data\n")
        expect("data")
        self.changing("env/production/data/common.yaml", "m::x: more\n")
        expect("more")
        self.changing("env/production/data/other.yaml", "m::x: other\n")
        self.changing("env/production/hiera.yaml", hiera % "path: other.yaml")
        expect("other")
        self.changing("env/production/hiera.yaml", hiera % "glob: '[co]*.yaml'")
        expect("more")
        os.remove(data)
        expect("other")
        # main manifests: added, removed
        self.changing("env/production/manifests/zz.pp", "notify { 'added': }\n")
        expect("other", "added")
        os.remove(os.path.join(self.root, "env/production/manifests/zz.pp"))
        expect("other")
        # classes: added, removed
        part = self.changing("env/production/modules/m/manifests/part.pp", "class m::part { notify { 'part': } }\n")
        expect("other", "part", code="include m include m::part")
        os.remove(part)
        self.assertFalse(ask(code="include m::part")["ok"])
        # templates, files, functions, types
        self.changing("env/production/modules/m/templates/t.epp", "one")
        self.changing("env/production/modules/m/templates/t.erb", "eins")
        self.changing("env/production/modules/m/files/f", "uno")
        code = "notify { [epp('m/t.epp'), template('m/t.erb'), file('m/f')]: }"
        expect("one", "eins", "uno", code=code)
        self.changing("env/production/modules/m/templates/t.epp", "two")
        self.changing("env/production/modules/m/templates/t.erb", "zwei")
        self.changing("env/production/modules/m/files/f", "dos")
        expect("two", "zwei", "dos", code=code)
        ruby = "Puppet::Functions.create_function(:'%s') do\n  def %s(x)\n    x + '%s'\n  end\nend\n"
        for name, function in (("m::f", "functions/m/f.rb"), ("free", "functions/free.rb")):
            for text in "ab":
                self.changing(f"env/production/modules/m/lib/puppet/{function}", ruby % (name, name[-1] if "::" in name else name, text))
                expect("x" + text, code=f"notify {{ {name}('x'): }}")
        self.changing("env/production/modules/m/functions/p.pp", "function m::p() { 'p' }")
        expect("p", code="notify { m::p(): }")
        self.changing("env/production/modules/m/functions/p.pp", "function m::p() { 'q' }")
        expect("q", code="notify { m::p(): }")
        for parameter in ("one", "two"):
            self.changing("env/production/modules/m/lib/puppet/type/thing.rb", f"Puppet::Type.newtype(:thing) do\n  newparam(:name)\n  newparam(:{parameter})\nend\n")
            self.assertTrue(ask(code=f"thing {{ 'x': {parameter} => 1 }}")["ok"])
        self.assertFalse(ask(code="thing { 'x': one => 1 }")["ok"])
        # metadata, a further module, another modulepath
        self.changing("env/production/modules/m/metadata.json", '{"version": "1"}')
        self.assertFalse(ask(code="include m")["ok"])
        os.remove(os.path.join(self.root, "env/production/modules/m/metadata.json"))
        expect("other")
        self.changing("env/production/modules/n/manifests/init.pp", "class n { notify { 'n': } }\n")
        expect("n", code="include n")
        self.changing("env/production/more/o/manifests/init.pp", "class o { notify { 'o': } }\n")
        self.changing("env/production/environment.conf", "modulepath = modules:more\n")
        expect("o", code="include o")
        shutil.rmtree(os.path.join(self.root, "env/production/modules/n"))
        self.assertFalse(ask(code="include n")["ok"])

    def test_changed_facts_are_noticed(self):
        facts = self.changing("facts.json", '{"name": "n", "values": {"a": "one"}}')
        ask = self.session("--facts", facts)
        self.assertEqual(self.titles(ask(code="notify { $a: }")), ["one"])
        self.changing("facts.json", '{"name": "n", "values": {"a": "two"}}')
        self.assertEqual(self.titles(ask(code="notify { $a: }")), ["two"])

    @unittest.skipUnless(shutil.which("ruby"), "Ruby is not installed")
    def test_changed_ruby_libraries_are_noticed(self):
        self.changing("mods/m/lib/puppet/functions/m/libf.rb", "require 'puppet_x/lib_of_m'\nPuppet::Functions.create_function(:'m::libf') do\n"
                      "  def libf\n    ObjectSpace.count_objects[:TOTAL].positive? ? LibOfM.text : nil\n  end\nend\n")
        self.changing("mods/m/lib/puppet_x/lib_of_m.rb", "module LibOfM\n  def self.text\n    'one'\n  end\nend\n")
        ask = self.session("--modulepath", os.path.join(self.root, "mods"))
        for text in ("one", "two"):
            self.changing("mods/m/lib/puppet_x/lib_of_m.rb", f"module LibOfM\n  def self.text\n    '{text}'\n  end\nend\n")
            for _ in range(2):
                self.assertEqual(self.titles(ask(code="notify { m::libf(): }")), [text])

    @unittest.skipUnless(shutil.which("ruby"), "Ruby is not installed")
    def test_types_that_ruby_tells_are_read_for_all_requests(self):
        for name in ("one", "two"):
            self.changing(f"mods/m/lib/puppet/type/{name}.rb", f"Puppet::Type.newtype(:{name}) do\n  newparam(:name)\n  ObjectSpace.count_objects.keys.first(1).each {{ |k| newparam(:'x' + k.to_s.downcase.sub(/.*/, 'size')) }}\nend\n"
                          .replace(":'x' + k", "k"))
        requests = [{"code": f"{name} {{ 'x': size => 1 }}", "modulepath": os.path.join(self.root, "mods")} for name in ("one", "two", "one")]
        self.assertEqual([a["error"] for a in self.answers(*requests)], [None] * 3)

    def test_memory_stays_flat(self):
        self.changing("mods/m/templates/t.erb", "<%= @x %>")
        ask = self.session("--modulepath", os.path.join(self.root, "mods"))

        def memory():
            with open(f"/proc/{ask.pid}/status", encoding="ascii") as f:
                return int(next(line for line in f if line.startswith("VmRSS")).split()[1])
        sizes = []
        for part in range(4):
            for i in range(REQUESTS // 4):
                code = f"include m $x = 'v{i}' notify {{ inline_template('a<%= @x %> {part} {i}'): }} if $x =~ /v{part}{i}/ {{ }}"
                self.assertTrue(ask(id=i, code=code, facts={"n": i})["ok"])
            sizes.append(memory())
        self.assertLess(sizes[3], sizes[1] * 1.1 + 2048, sizes)
        if REQUESTS > 10000:
            print(sizes)

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
