#!/usr/bin/env python3
"""Tests of the conformance tools themselves: they must see every kind of difference."""

import copy
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import answers
import casefile
import compare
import corpus
import error_count
import pupc

CATALOG = {
    "tags": ["settings", "class", "a"], "name": "n", "version": 1, "code_id": None, "catalog_uuid": "x", "catalog_format": 2, "environment": "production",
    "resources": [
        {"type": "Stage", "title": "main", "tags": ["stage"], "exported": False, "kind": "compilable_type", "parameters": {"name": "main"}},
        {"type": "Class", "title": "Settings", "tags": ["class", "settings"], "exported": False, "kind": "unknown"},
        {"type": "Class", "title": "main", "tags": ["class"], "exported": False, "kind": "unknown", "parameters": {"name": "main"}},
        {"type": "Class", "title": "A", "tags": ["class", "a"], "file": "/m/a.pp", "line": 2, "exported": False, "kind": "class", "parameters": {"p": 1}},
        {"type": "Notify", "title": "x", "tags": ["notify", "x"], "line": 3, "exported": False, "kind": "compilable_type",
         "parameters": {"message": "hi\n", "tag": ["b"]}, "sensitive_parameters": ["message"]},
    ],
    "edges": [{"source": "Stage[main]", "target": "Class[Settings]"}, {"source": "Stage[main]", "target": "Class[main]"},
              {"source": "Stage[main]", "target": "Class[A]"}, {"source": "Class[A]", "target": "Notify[x]"}],
    "classes": ["settings", "a"],
}
GOOD = {"id": "1", "ok": True, "catalog": CATALOG, "logs": [{"level": "notice", "message": "Scope(Class[A]): one\ntwo"}], "error": None}


def failed(message, line=None, column=None, logs=()):
    return {"id": "1", "ok": False, "catalog": None, "logs": list(logs), "error": {"message": message, "file": None, "line": line, "column": column}}


class Errors(unittest.TestCase):
    def test_count(self):
        errors = error_count.ErrorCount()
        wanted = {"message": "m", "line": 1, "column": 2}
        errors.add(None, wanted)
        errors.add(wanted, None)
        errors.add(wanted, dict(wanted))
        errors.add(wanted, {"message": "n", "line": 1, "column": 3})
        errors.add({"message": "m", "line": None, "column": None}, {"message": "m", "line": 7, "column": 8})
        self.assertEqual((errors.total, errors.failed, errors.text, errors.line, errors.column, errors.equal), (4, 3, 2, 3, 2, 2))
        self.assertNotIn("not compared", errors.report())
        errors.texts_left_out = 3
        self.assertIn("3 errors of both whose texts are not compared", errors.report())


class Render(unittest.TestCase):
    def test_catalog(self):
        self.assertEqual(answers.render(GOOD, [("/m/", "$M/")]), [
            "notice: Scope(Class[A]): one⏎two", "classes: settings a", "tags: settings class a",
            "Class[A] (declared) @$M/a.pp:2 in Stage[main] #class #a", "  p = 1",
            "Notify[x] @3 in Class[A] #notify #x", '  message = "hi\\n"', '  tag = ["b"]', "  sensitive: message"])

    def test_empty_catalog_is_ok(self):
        answer = copy.deepcopy(GOOD)
        answer["catalog"]["resources"] = answer["catalog"]["resources"][:3]
        answer["catalog"]["edges"] = answer["catalog"]["edges"][:2]
        answer["catalog"]["classes"] = answer["catalog"]["tags"] = ["settings"]
        self.assertEqual(answers.render(answer), ["notice: Scope(Class[A]): one⏎two", "ok"])

    def test_error_without_place_and_node(self):
        text = "Evaluation Error: Duplicate at (line: 1); no (line: 1, column: 9) on node a.b"
        log = {"level": "err", "message": text}
        self.assertEqual(answers.render(failed(text, 1, 9, [log])), ["error 1:9: Evaluation Error: Duplicate at (line: 1); no"])
        self.assertEqual(answers.render(failed("Evaluation Error: Duplicate at (line: 1); no", 1, 9)), ["error 1:9: Evaluation Error: Duplicate at (line: 1); no"])
        self.assertEqual(answers.message_text("x (file: /a b.pp, line: 3)"), "x")
        elsewhere = failed("m", 1, 9)
        elsewhere["error"]["file"] = "/m/a.pp"
        self.assertEqual(answers.render(elsewhere, [("/m/", "$M/")]), ["error $M/a.pp:1:9: m"])
        self.assertEqual(compare.differences(["error $M/a.pp:1:9: m"], ["error $M/b.pp:1:9: m"]), ["line"])
        self.assertEqual(answers.message_text("Could not parse for environment production: x (file: , line: 3)"), "x")

    def test_edges_in_another_order(self):
        answer = copy.deepcopy(GOOD)
        answer["catalog"]["edges"].reverse()
        self.assertIn("edges:", answers.render(answer))


class Compare(unittest.TestCase):
    def differs(self, change):
        other = copy.deepcopy(GOOD)
        change(other)
        return compare.differences(answers.render(GOOD), answers.render(other))

    def test_each_difference_is_seen(self):
        catalog = lambda a: a["catalog"]  # noqa: E731
        notify = lambda a: a["catalog"]["resources"][4]  # noqa: E731
        self.assertEqual(self.differs(lambda a: None), [])
        self.assertEqual(self.differs(lambda a: a["logs"].clear()), ["logs"])
        self.assertEqual(self.differs(lambda a: catalog(a)["classes"].reverse()), ["classes"])
        self.assertEqual(self.differs(lambda a: catalog(a)["resources"].pop()), ["resources", "edges"])
        self.assertEqual(self.differs(lambda a: notify(a).update(line=4)), ["resources"])
        self.assertEqual(self.differs(lambda a: notify(a).update(exported=True)), ["resources"])
        self.assertEqual(self.differs(lambda a: notify(a).update(kind="defined_type")), ["resources"])
        self.assertEqual(self.differs(lambda a: notify(a)["tags"].append("z")), ["resources"])
        self.assertEqual(self.differs(lambda a: notify(a)["parameters"].update(message="ho")), ["parameters"])
        self.assertEqual(self.differs(lambda a: notify(a).update(parameters={"tag": ["b"], "message": "hi\n"})), ["parameter-order"])
        self.assertEqual(self.differs(lambda a: notify(a).pop("sensitive_parameters")), ["parameters"])
        self.assertEqual(self.differs(lambda a: catalog(a)["edges"].reverse()), ["edges"])

    def test_errors(self):
        one = answers.render(failed("m", 1, 2))
        self.assertEqual(compare.differences(one, answers.render(GOOD)), ["verdict"])
        self.assertEqual(compare.differences(one, answers.render(failed("n", 1, 2))), ["message"])
        self.assertEqual(compare.differences(one, answers.render(failed("m", 2, 2))), ["line"])
        self.assertEqual(compare.differences(one, answers.render(failed("m", 1, 3))), ["column"])
        self.assertEqual(compare.differences(answers.render(failed("m", 1)), one), [])
        self.assertEqual(compare.differences(answers.render(failed("m")), one), [])
        self.assertEqual(compare.differences(one, answers.render(failed("m", 1))), ["column"])

    def test_order_can_be_ignored(self):
        other = copy.deepcopy(GOOD)
        other["catalog"]["resources"][4]["parameters"] = {"tag": ["b"], "message": "hi\n"}
        self.assertEqual(compare.differences(answers.render(GOOD), answers.render(other), ignore_order=True), [])


class Files(unittest.TestCase):
    TEXT = ("# Prose\n\n=== One case\n%facts {\"a\": 1}\n%node n\nnotice('x')\n%not a directive\n-- m/manifests/init.pp --\nclass m { }\n----\nok\n\n"
            "=== Other, without answer\ninclude m\n----\n")

    def test_reads_and_writes_the_same(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "x.cases")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.TEXT)
            cases = casefile.CaseFile(path, "eval/x")
            one, other = cases.cases
            self.assertEqual((one.id, other.id), ("eval/x/one-case", "eval/x/other-without-answer"))
            self.assertEqual(one.code, "notice('x')\n%not a directive\n")
            self.assertEqual(one.directives, {"facts": '{"a": 1}', "node": "n"})
            self.assertEqual(one.files, {"m/manifests/init.pp": ["class m { }"]})
            self.assertEqual((one.expected, other.expected), (["ok"], []))
            self.assertFalse(cases.write())
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), self.TEXT)

    def test_a_whole_id_chooses_one_case(self):
        cases = [casefile.Case("eval/x", title, 1) for title in ("A class", "A class is found", "Another")]
        for filters, wanted in (([], 3), (["eval/x/a-class"], 1), (["a-class"], 2), (["eval/x/a"], 3), (["eval/x/another", "a-class-is"], 2)):
            self.assertEqual(len(casefile.chosen(cases, filters)), wanted, filters)


class Batch(unittest.TestCase):
    """A stand-in for pupc that answers in JSON, dies at `die` and stays silent after `quiet`."""

    STAND_IN = r"""#!/usr/bin/env python3
import json, sys
if sys.argv[1] == "validate":
    found = []
    for p in sys.argv[5:]:
        text = open(p).read()
        if "die" in text: sys.exit(139)
        if "bad" in text: found.append({"file": p, "line": 2, "column": 1, "severity": "error", "code": "1", "message": "bad"})
    print(json.dumps(found)); sys.exit(1 if found else 0)
for line in open(sys.argv[3]):
    r = json.loads(line)
    if r["code"] == "die": sys.stdout.flush(); sys.exit(139)
    print(json.dumps({"id": r["id"], "ok": True, "catalog": None, "logs": [], "error": None}))
"""

    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.binary = os.path.join(self.work.name, "pupc")
        with open(self.binary, "w", encoding="utf-8") as f:
            f.write(self.STAND_IN)
        os.chmod(self.binary, 0o755)

    def tearDown(self):
        self.work.cleanup()

    def test_a_crash_costs_one_request(self):
        requests = [{"id": str(i), "code": "die" if i in (0, 2, 5) else "x"} for i in range(6)]
        self.assertEqual([a["ok"] for a in pupc.compile_all(self.binary, requests)], [False, True, False, True, True, False])

    def test_a_crash_costs_one_file(self):
        codes = ["x", "bad", "die", "x", "bad"]
        found = pupc.validate_all(self.binary, [{"id": str(i), "code": c} for i, c in enumerate(codes)])
        self.assertEqual([a["ok"] for a in found], [True, False, False, True, False])
        self.assertEqual(found[1]["errors"][0]["line"], 2)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can give capabilities away")
class WithoutNamespaces(unittest.TestCase):
    def test_scenarios_are_skipped_with_the_reason(self):
        """Where a machine, as in a container, refuses namespaces, mounts and chroot."""
        without = ["setpriv", "--bounding-set=-sys_admin,-sys_chroot", "--inh-caps=-sys_admin,-sys_chroot", sys.executable]
        here = os.path.dirname(os.path.realpath(__file__))
        for script in ("module_roots.py", "service_scenarios.py", "provider_scenarios.py", "resource_commands.py"):
            done = subprocess.run([*without, os.path.join(here, script), "golden", "/bin/true"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 77, script + done.stderr)
            self.assertRegex(done.stdout, "^skipped: .*(permitted|installed)", script)


class Mutants(unittest.TestCase):
    def test_tokens(self):
        source = "class a::b($x = 'it\\'s') { # no\n  $::y =~ /x/ }"
        self.assertEqual([source[s:e] for s, e in corpus.tokens(source)],
                         ["class", "a::b", "(", "$x", "=", "'it\\'s'", ")", "{", "$::y", "=~", "/", "x", "/", "}"])

    def test_same_seed_same_mutant(self):
        source = "class a { notify { 'x': message => 1 } }"
        first = [corpus.mutate(source, corpus._Dice(f"7:{i}")) for i in range(40)]
        self.assertEqual(first, [corpus.mutate(source, corpus._Dice(f"7:{i}")) for i in range(40)])
        self.assertEqual({what.split()[0] for _, what in first}, set(corpus.OPERATIONS))


if __name__ == "__main__":
    sys.exit(unittest.main())
