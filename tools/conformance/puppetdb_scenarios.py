#!/usr/bin/env python3
"""Exporting and collecting nodes over a real PuppetDB: what it then knows of them, compared with what Puppet's own terminus sends.

  puppetdb_scenarios.py live PUPC [NAME…]     NAME: a manifest of testdata/exports, or queries.txt
  puppetdb_scenarios.py update PUPC           the same, and keeps PuppetDB's answers to the queries
  puppetdb_scenarios.py golden PUPC           only the queries, over a store, against the kept answers: needs no PuppetDB

The nodes of testdata/exports are applied (noop) one after the other, by Puppet and then by pupc, under the same puppet.conf, routes.yaml and
puppetdb.conf. After each pass PuppetDB is asked for the catalogs, resources, edges, facts and reports of all nodes. They must be equal but for
times and ids, and PuppetDB's log must hold no error. A third pass mixes both in one fleet. Exit 77 (skipped) without the packages
(puppetdb_stack.py).
"""
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import puppetdb_stack  # noqa: E402
from puppetdb_stack import HOME  # noqa: E402

CASES = HERE.parents[1] / "testdata" / "exports"
FACTS = {"kernel": "Linux", "os": {"family": "Debian", "release": {"major": "12"}}, "count": 3, "part": 2.5, "list": [1, "two", ["three"]], "yes": True, "text": "ä \"q\""}
# Exporters first: a node sees what was exported before it.
EXPORTERS = {"collected": ["web", "own", "own-uncollected"], "duplicates": [], "queries": []}


def nodes_of(case):
    names = re.findall(r"^node '([^']+)'", (CASES / f"{case}.pp").read_text(), re.M)
    return sorted(names, key=lambda n: (n not in EXPORTERS[case], names.index(n)))


def make_environment(home, case):
    """The case's manifest, and the facts of its nodes."""
    manifests = home / "environments/production/manifests"
    shutil.rmtree(manifests, ignore_errors=True)
    manifests.mkdir(parents=True)
    shutil.copy(CASES / f"{case}.pp", manifests / "site.pp")
    facts = home / "yaml/facts"
    facts.mkdir(parents=True, exist_ok=True)
    for node in nodes_of(case):
        values = {**FACTS, "clientcert": node, "id": node}
        (facts / f"{node}.yaml").write_text("--- !ruby/object:Puppet::Node::Facts\nname: %s\nvalues: %s\n" % (node, json.dumps(values)))


class Fleet:
    def __init__(self, stack, pupc):
        self.stack, self.home, self.pupc = stack, stack.home, pupc
        # Puppet runs in the root, pupc outside of it.
        for home, name in ((HOME, "conf"), (self.home, "conf-pupc")):
            conf = self.home / name
            conf.mkdir()
            (conf / "puppet.conf").write_text(
                f"[main]\nconfdir = {home}/{name}\ncertname = tester\nssldir = {home}/puppetssl\ncertificate_revocation = false\nenvironmentpath = {home}/environments\nyamldir = {home}/yaml\n"
                f"clientyamldir = {home}/yaml\nfacts_terminus = yaml\nstoreconfigs = true\nstoreconfigs_backend = puppetdb\nreports = puppetdb\nstrict = warning\n")
            self.write_routes(conf)
        for place, name, source in (("certs", "tester.pem", "tester.pem"), ("certs", "ca.pem", "ca.pem"), ("private_keys", "tester.pem", "tester.key")):
            folder = self.home / "puppetssl" / place
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.home / "ssl" / source, folder / name)

    @staticmethod
    def write_routes(conf):
        (conf / "routes.yaml").write_text("---\napply:\n  catalog:\n    terminus: compiler\n    cache: puppetdb\n  facts:\n    terminus: yaml\n    cache: puppetdb_apply\n")
        (conf / "puppetdb.conf").write_text("[main]\nserver_urls = https://localhost:8081\nserver_url_timeout = 120\n")

    def use(self, case):
        make_environment(self.home, case)

    def run_pupc(self, *words):
        return subprocess.run(["ip", "netns", "exec", puppetdb_stack.NAMESPACE, self.pupc, *map(str, words)], capture_output=True, text=True, check=False)

    def apply(self, who, node):
        home, conf = (HOME, "conf") if who == "puppet" else (self.home, "conf-pupc")
        common = ["apply", "--noop", "--config", f"{home}/{conf}/puppet.conf", "--confdir", f"{home}/{conf}", "--vardir", f"{home}/var-{who}"]
        site = f"{home}/environments/production/manifests/site.pp"
        if who == "puppet":
            done = self.stack.run("/usr/bin/puppet", *common, "--node_name_value", node, "--color", "false", site, check=False)
        else:
            done = self.run_pupc(*common, "--node", node, "--facts", f"{home}/yaml/facts/{node}.yaml", site)
        text = done.stdout + done.stderr
        return "compiled" if "Compiled catalog" in text else "\n".join(line for line in text.splitlines() if "Error" in line) or text

    def forget(self, nodes):
        for node in nodes:
            self.stack.run("/usr/bin/puppet", "node", "deactivate", node, "--confdir", f"{HOME}/conf", "--vardir", f"{HOME}/var-puppet", check=False)
        self.stack.wait_for_queue()

    def known(self, node):
        return self.stack.known(node)

    def ask(self, query):
        """The rows that the query gets from PuppetDB, as puppetdb_query() asks."""
        script = ("import sys, json, urllib.request; q = urllib.request.Request('http://127.0.0.1:8080/pdb/query/v4', sys.argv[1].encode(), {'Content-Type': 'application/json'})\n"
                  "sys.stdout.write(urllib.request.urlopen(q).read().decode())")
        words = ["ip", "netns", "exec", puppetdb_stack.NAMESPACE, "python3", "-c", script, json.dumps({"query": query})]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr[-300:]


QUERIES = CASES.parent / "puppetdb/queries.txt"
ANSWERS = CASES.parent / "puppetdb/answers.json"


def queries():
    """Each query, and whether only PuppetDB is to answer it."""
    for line in QUERIES.read_text().splitlines():
        if line and not line.startswith("#"):
            text = line.removeprefix("only PuppetDB: ")
            yield text, text != line


def sorted_rows(text, rows):
    """The rows in an order that is no matter of chance."""
    if not isinstance(rows, list) or "order by" in text or "order_by" in text:
        return rows
    return sorted(rows, key=lambda r: json.dumps(r, sort_keys=True))


def ask_store(run, pupc, store, text):
    done = run(pupc, "store", "query", store, text)
    return sorted_rows(text, json.loads(done.stdout)) if done.returncode == 0 else done.stderr


def fill_store(run, pupc, home, store):
    for node in nodes_of("collected"):
        run(pupc, "compile", "--environmentpath", f"{home}/environments", "--node", node, "--facts", f"{home}/yaml/facts/{node}.yaml", "--strict", "warning", "--store", store, "--store-catalogs", "--output", f"{home}/out.json")


def compare_answers(there, ask):
    """`there`: PuppetDB's answers. `ask`: gives the store's."""
    failed = 0
    for text, only in queries():
        wanted, found = there[text], ask(text)
        if isinstance(wanted, list) and (isinstance(found, str) and "only PuppetDB can" in found if only else found == wanted):
            continue
        failed += 1
        print(f"FAILED {text}\n  PuppetDB: {json.dumps(wanted)[:700]}\n  store:    {json.dumps(found)[:700]}\n")
    return failed, len(there)


def check_queries(fleet, update):
    """testdata/puppetdb/queries.txt, over PuppetDB and over a store with the same nodes."""
    fleet.use("collected")
    store = f"{fleet.home}/store.sqlite"
    for node in nodes_of("collected"):
        if node != "missing-target":  # it does not compile: PuppetDB would have its facts, the store has nothing
            fleet.apply("pupc", node)
            fleet.stack.wait_for_queue()

    def run(*words):
        return fleet.run_pupc(*words[1:])

    fill_store(run, "pupc", fleet.home, store)
    there = {text: sorted_rows(text, fleet.ask(json.loads(text) if text.startswith("[") else text)) for text, _ in queries()}
    if update:
        kept = {text: answer if not only else [] for (text, only), answer in zip(queries(), there.values())}
        ANSWERS.write_text(json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    result = compare_answers(there, lambda text: ask_store(run, "pupc", store, text))
    fleet.forget(nodes_of("collected"))
    return result


def golden(pupc):
    """The store's answers against those that PuppetDB gave."""
    with tempfile.TemporaryDirectory() as work:
        def run(*words):
            return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)

        make_environment(pathlib.Path(work), "collected")
        store = f"{work}/store.sqlite"
        fill_store(run, pupc, work, store)
        failed, total = compare_answers(json.loads(ANSWERS.read_text()), lambda text: ask_store(run, pupc, store, text))
    print(f"{total} queries, {failed} failed")
    return 1 if failed else 0


def difference(a, b):
    def text(v):
        return json.dumps(v, indent=1, sort_keys=True, ensure_ascii=False).splitlines()
    return "\n".join(difflib.unified_diff(text(a), text(b), "puppet", "pupc", lineterm="", n=1))


def main(pupc, cases, update=False):
    try:
        stack = puppetdb_stack.Stack()
    except puppetdb_stack.Missing as why:
        print(f"skipped: {why}")
        return 77
    failed = total = 0
    try:
        stack.start()
        fleet = Fleet(stack, pupc)
        for case in [c for c in cases if c in EXPORTERS] if cases else sorted(EXPORTERS):
            fleet.use(case)
            nodes, answers, outcome = nodes_of(case), {}, {}
            for who in ("puppet", "pupc", "mixed"):
                for i, node in enumerate(nodes):
                    outcome[who, node] = fleet.apply(("puppet", "pupc")[i % 2] if who == "mixed" else who, node)
                    stack.wait_for_queue()
                answers[who] = {node: fleet.known(node) for node in nodes}
                fleet.forget(nodes)
            for node in nodes:
                for who in ("pupc", "mixed"):
                    total += 1
                    problem = ""
                    if (outcome["puppet", node] == "compiled") != (outcome[who, node] == "compiled"):
                        problem = f"puppet: {outcome['puppet', node]}\n{who}: {outcome[who, node]}"
                    elif outcome["puppet", node] == "compiled":
                        problem = difference(answers["puppet"][node], answers[who][node])
                    if problem:
                        failed += 1
                        print(f"FAILED {case} {node} ({who})\n{problem[:4000]}\n")
        if not cases or "queries.txt" in cases:
            wrong, asked = check_queries(fleet, update)
            failed, total = failed + wrong, total + asked
        for line in stack.errors():
            failed += 1
            print(f"PuppetDB's log: {line[:600]}")
    finally:
        if not os.environ.get("PUPC_KEEP_PUPPETDB"):
            stack.stop()
    print(f"{total} comparisons, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    command, program, *names = sys.argv[1:]
    program = os.path.abspath(program)
    sys.exit(golden(program) if command == "golden" else main(program, names, command == "update"))
