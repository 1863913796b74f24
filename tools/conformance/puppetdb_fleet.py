#!/usr/bin/env python3
"""Fleets of exporting and collecting nodes: a puppetserver and a PuppetDB of Debian's packages, then pupc in the puppetserver's place, then both.

  puppetdb_fleet.py live PUPC PUPC_SERVER [--answers FILE] [--keep FILE] [NAME…]     NAME: a manifest of testdata/exports

Each manifest is an environment, each of its nodes asks for its catalog twice, one after the other, and sends a report. This is done by puppetserver, by
pupc-server, by `pupc apply` under the same settings, and by all three in turn. In each pass the catalogs must be equal, and so must what PuppetDB then
answers for catalogs, resources, edges, facts, reports and events, but for times and ids. PuppetDB's log must hold no error. The name `asked` stands for one
more environment: a node asks all queries of testdata/puppetdb/queries.txt of what the nodes of collected.pp have left.
`--keep` stores what puppetserver answered and PuppetDB knew, `--answers` takes that instead of starting a puppetserver (without the mixed pass).
Exit 77 (skipped) without root or the packages: PUPC_PUPPETDB_ROOT names a root directory of Debian that has puppetserver, PuppetDB, PostgreSQL 15 and
the terminus.
"""
import argparse
import copy
import difflib
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "agent")]
import puppetdb_stack  # noqa: E402
import puppetserver  # noqa: E402
from puppetdb_scenarios import CASES, FACTS, queries  # noqa: E402

PUPPET_CONF = """[main]
server = localhost
certname = localhost
dns_alt_names = localhost
confdir = {top}/conf
ssldir = {top}/ssl
vardir = {top}/{var}
keylength = 2048
strict = error
strict_variables = true
certificate_revocation = false
environmentpath = {top}/code/environments
storeconfigs = true
storeconfigs_backend = puppetdb
reports = puppetdb
[server]
serverport = {port}
cadir = {top}/var/ca
environment_timeout = 0
"""
ROUTES = "---\nserver:\n  facts:\n    terminus: puppetdb\n    cache: yaml\napply:\n  catalog:\n    terminus: compiler\n    cache: puppetdb\n  facts:\n    terminus: facter\n    cache: puppetdb_apply\n"


class Database(puppetdb_stack.Stack):
    """A PuppetDB with the puppetserver's certificates. This process is in its namespace."""

    def __init__(self, server):
        super().__init__()
        self.server = server

    def make_certificates(self):
        folder = self.home / "ssl"
        folder.mkdir(parents=True)
        ssl_of = self.server.top / "ssl"
        for name, source in (("ca.pem", "certs/ca.pem"), ("localhost.pem", "certs/localhost.pem"), ("localhost.key", "private_keys/localhost.pem")):
            shutil.copy(ssl_of / source, folder / name)
        subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "localhost.key", "-out", "localhost.pk8"], check=True, capture_output=True, cwd=folder)
        for file in folder.iterdir():
            file.chmod(0o644)

    def get(self, path):
        with urllib.request.urlopen("http://127.0.0.1:8080" + path, timeout=60) as answer:
            return json.load(answer)

    def purge(self, nodes):
        """PuppetDB has never heard of the nodes."""
        for node in nodes:
            body = json.dumps({"command": "delete", "version": 1, "payload": {"certname": node}}).encode()
            urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8080/pdb/admin/v1/cmd", body, {"Content-Type": "application/json"}), timeout=60).read()


class Server(puppetserver.Puppetserver):
    """The puppetserver, and pupc in the same directories."""

    def configure(self):
        super().configure()
        conf = self.top / "conf"
        (conf / "puppet.conf").write_text(PUPPET_CONF.format(top=self.inner, port=self.port, var="var"))
        (conf / "pupc.conf").write_text(PUPPET_CONF.format(top=self.inner, port=self.port, var="var-pupc"))
        (conf / "routes.yaml").write_text(ROUTES)
        (conf / "puppetdb.conf").write_text("[main]\nserver_urls = https://localhost:8081\nserver_url_timeout = 120\n")
        (self.top / "var-pupc").mkdir()
        (conf / "puppetserver/conf.d/versioned-code.conf").unlink()  # a program that knows no version is another answer than none
        self.pupc_port, self.pupc = puppetserver.free_port(), None

    def start_pupc(self, program, apply_program, *words):
        for source, name in ((program, "pupc-server"), (apply_program, "pupc")):
            shutil.copy2(source, self.top / name)
        self.own()
        self.pupc = subprocess.Popen(self.words(f"{self.inner}/pupc-server", "--config", f"{self.inner}/conf/pupc.conf", "--listen", f"127.0.0.1:{self.pupc_port}", "--log", f"{self.inner}/log/pupc",
                                                "--ruby", "never", *words), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", self.pupc_port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("pupc-server does not listen: " + str(self.pupc.poll()))

    def close(self):
        if self.pupc is not None:
            self.pupc.send_signal(signal.SIGTERM)
            self.pupc.wait(60)
        super().close()


class Scenarios:
    def __init__(self, server, database):
        self.server, self.database = server, database
        (server.top / "facts").mkdir()
        self.certificates = set()

    @staticmethod
    def manifest(name):
        if name != "asked":
            return (CASES / f"{name}.pp").read_text()
        notices = ""
        for text, _ in queries():
            title = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
            asked = text if text.startswith("[") else title
            notices += f"  notify {{ {title}: message => puppetdb_query({asked}) }}\n"
        return (CASES / "collected.pp").read_text() + f"node 'asker' {{\n{notices}}}\n"

    def prepare(self, name):
        text = self.manifest(name)
        environment = name.replace("-", "_")
        self.server.environment(environment, text)
        nodes = list(dict.fromkeys(re.findall(r"^node '([^']+)'", text, re.M)))
        for node in nodes:
            if node not in self.certificates:
                self.server.ca.issue(node)
                self.certificates.add(node)
            (self.server.top / f"facts/{node}.json").write_text(json.dumps({"name": node, "values": self.facts(node)}))
        self.server.own()
        return environment, nodes

    @staticmethod
    def facts(node):
        return {**FACTS, "clientcert": node, "clientversion": "7.23.0"}

    def ask(self, port, node, method, path, body, kind, accept):
        context = ssl.create_default_context(cafile=self.server.ca.directory / "ca.pem")
        context.load_cert_chain(self.server.ca.directory / f"{node}.pem", self.server.ca.directory / f"{node}.key")
        connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=300)
        try:
            connection.request(method, path, body, {"Content-Type": kind, "Accept": accept, "X-Puppet-Version": "7.23.0"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def run(self, who, environment, node, turn):
        """One run of an agent. Returns the catalog without times and ids, or the error."""
        if who == "apply":
            top = self.server.inner
            done = self.server.in_root(f"{top}/pupc", "apply", "--noop", "--config", f"{top}/conf/pupc.conf", "--vardir", f"{top}/var-pupc/{node}", "--environment", environment, "--node", node,
                                       "--facts", f"{top}/facts/{node}.json", "--ruby", "never", f"{top}/code/environments/{environment}/manifests/site.pp")
            text = done.stdout + done.stderr
            return {} if "Compiled catalog" in text else next((line[7:] for line in text.splitlines() if line.startswith("Error: ")), text)
        port = self.server.port if who == "puppetserver" else self.server.pupc_port
        uuid = hashlib.sha1(f"{environment} {node} {turn}".encode()).hexdigest()
        uuid = f"{uuid[:8]}-{uuid[8:12]}-4{uuid[13:16]}-8{uuid[17:20]}-{uuid[20:32]}"
        facts = urllib.parse.quote(urllib.parse.quote(json.dumps({"name": node, "values": self.facts(node), "timestamp": "2026-01-01T00:00:00+00:00", "expiration": "2030-01-01T00:00:00+00:00"})))
        form = f"facts_format=application%2Fjson&facts={facts}&environment={environment}&transaction_uuid={uuid}&static_catalog=false&checksum_type=sha256"
        status, text = self.ask(port, node, "POST", f"/puppet/v3/catalog/{node}?environment={environment}", form, "application/x-www-form-urlencoded", "application/vnd.puppet.rich+json, application/json")
        if status != 200:
            return json.loads(text)["message"] if text.startswith("{") else f"{status} {text}"
        catalog = json.loads(text)
        status, text = self.ask(port, node, "PUT", f"/puppet/v3/report/{node}?environment={environment}", json.dumps(report(catalog, node, environment, uuid, turn)), "application/json", "application/json")
        if status != 200:
            return f"report: {status} {text}"
        return canonical(catalog)

    def settle(self):
        """Until PuppetDB has worked on all that was sent."""
        for _ in range(600):
            if not list((self.server.top / "var-pupc/puppetdb_spool").glob("*.json*")):
                break
            time.sleep(0.05)
        self.database.wait_for_queue()

    def fleet(self, environment, nodes, who):
        """Each node runs twice. `who`: by whom, in turn. What came, and what PuppetDB then knows."""
        runs = {}
        for turn in (1, 2):
            for i, node in enumerate(nodes):
                runs[f"{node} {turn}"] = self.run(who[i % len(who)], environment, node, turn)
                self.settle()
        known = {node: self.database.known(node, whole=True) for node in nodes}
        self.database.purge(nodes)
        text = json.dumps({"runs": runs, "known": known}).replace(self.server.inner, "TOP")
        return json.loads(re.sub(r"(\[value redacted\]):\d+", r"\1", text))  # the id of an object


def of_64_bits(value):
    """The value with floats where Puppet has an integer of more bits: PostgreSQL keeps 1e20 as one (DIFFERENCES.md)."""
    if isinstance(value, dict):
        return {k: of_64_bits(v) for k, v in value.items()}
    if isinstance(value, list):
        return [of_64_bits(v) for v in value]
    return float(value) if isinstance(value, int) and value.bit_length() > 63 else value


def canonical(catalog):
    """A catalog without what differs from run to run. The order of its resources stays, but where it is that of rows in PostgreSQL: among those of other nodes."""
    out = {k: v for k, v in catalog.items() if k not in ("version", "catalog_uuid")}
    out["tags"] = sorted(out["tags"])
    out["resources"] = [{**of_64_bits(r), "tags": sorted(r.get("tags", []))} for r in out["resources"]]
    if any("line" not in r and r["type"] not in ("Stage", "Class", "Node") for r in out["resources"]):
        out["resources"].sort(key=lambda r: (r["type"], r["title"]))
        for r in out["resources"]:  # a collector's relationships follow its rows
            for name in ("before", "require", "notify", "subscribe"):
                if isinstance(related := r.get("parameters", {}).get(name), list):
                    r["parameters"][name] = sorted(related, key=str)
    for r in out["resources"]:  # rows of PuppetDB's answers have no order, and tell of times
        rows = r.get("parameters", {}).get("message")
        if isinstance(rows, list) and catalog["environment"] == "asked" and "order" not in r["title"]:
            r["parameters"]["message"] = sorted(({k: v for k, v in row.items() if "time" not in k and k != "latest_report_hash"} if isinstance(row, dict) else row for row in rows), key=lambda row: json.dumps(row, sort_keys=True))
    out["edges"] = sorted(out["edges"], key=lambda e: (e["source"], e["target"]))
    return out


def report(catalog, node, environment, uuid, turn):
    """A report of an agent that applied the catalog: some resources changed, one failed, one was skipped."""
    statuses, at = {}, f"2026-01-01T00:0{turn}:00.123456789+00:00"
    for i, r in enumerate(r for r in catalog["resources"] if r["type"] not in ("Class", "Stage", "Node")):
        events = []
        if i % 3 == 0:
            value = {"desired_value": ["a", 1] if i % 2 else "ä", "previous_value": "absent", "historical_value": None}
            events = [{"audited": False, "property": "ensure", **value, "message": f"changed {i}", "name": "ensure_changed", "status": ("success", "failure", "noop", "audit")[i % 4],
                       "time": at, "redacted": None, "corrective_change": i % 2 == 0}]
        statuses[f"{r['type']}[{r['title']}]"] = {
            "title": r["title"], "file": r.get("file"), "line": r.get("line"), "resource": f"{r['type']}[{r['title']}]", "resource_type": r["type"], "provider_used": None,
            "containment_path": ["Stage[main]", f"{r['type']}[{r['title']}]"], "evaluation_time": 0.1, "tags": r.get("tags", []), "time": at, "failed": i % 4 == 1 and bool(events), "failed_to_restart": False,
            "changed": bool(events), "out_of_sync": bool(events), "skipped": i % 5 == 4, "change_count": len(events), "out_of_sync_count": len(events), "events": events, "corrective_change": False}
    return {"host": node, "time": at, "configuration_version": catalog["version"] if turn == 1 else f"version {turn}", "transaction_uuid": uuid, "report_format": 12, "puppet_version": "7.23.0",
            "status": "changed" if statuses else "unchanged", "transaction_completed": True, "noop": turn == 2, "noop_pending": turn == 2, "environment": environment, "corrective_change": False,
            "catalog_uuid": catalog.get("catalog_uuid"), "cached_catalog_status": "not_used", "server_used": "localhost:8140",
            "logs": [{"level": "notice", "message": "Applied catalog in 0.5 seconds, ä", "source": "Puppet", "tags": ["notice"], "time": at, "file": None, "line": None},
                     {"level": "err", "message": "it failed", "source": "/Stage[main]/Main", "tags": ["err", "main"], "time": at, "file": "/x/site.pp", "line": 7}],
            "metrics": {"time": {"name": "time", "label": "Time", "values": [["file", "File", 0.25], ["total", "Total", 1.5]]},
                        "resources": {"name": "resources", "label": "Resources", "values": [["total", "Total", len(statuses)], ["changed", "Changed", turn]]},
                        "changes": {"name": "changes", "label": "Changes", "values": [["total", "Total", 3]]}, "events": {"name": "events", "label": "Events", "values": [["total", "Total", 3]]}},
            "resource_statuses": statuses}


def difference(a, b):
    def text(v):
        return v.splitlines() if isinstance(v, str) else json.dumps(v, indent=1, sort_keys=True, ensure_ascii=False).splitlines()
    return "\n".join(difflib.unified_diff(text(a), text(b), "puppetserver", "pupc", lineterm="", n=2))


def plain_error(text):
    """What both say of an error, without who says it. Puppet shows PuppetDB's refusal as JSON that it cannot read."""
    if found := re.search(r"(?:unexpected token at '|status 400: )(.*)", text, re.S):
        return re.sub(r"\W+", " ", found[1])[:100]
    if "Could not retrieve resources from the PuppetDB" in text:
        return "Could not retrieve resources from the PuppetDB"
    text = re.sub(r"^(Server Error: )?(Evaluation Error: )?", "", text)
    return re.sub(r" on node \S+$", "", text)


def of_apply(known):
    """What an apply without reports and a server's word for trusted data leaves in PuppetDB."""
    out = {k: copy.deepcopy(v) for k, v in known.items() if k not in ("report", "events", "metrics", "logs", "figures")}
    out["facts"] = [f for f in out["facts"] if f["name"] != "trusted"]
    for catalog in out["catalog"]:
        catalog.pop("producer")  # the server, or the node itself
    return out


def compare(name, who, wanted, found):
    """Tells each difference of one pass; how many comparisons there were, and how many failed."""
    total = failed = 0
    for run, want in wanted["runs"].items():
        have, total = found["runs"][run], total + 1
        if isinstance(want, str) or isinstance(have, str):
            problem = "" if isinstance(want, str) and isinstance(have, str) and plain_error(want) == plain_error(have) else difference(want if isinstance(want, str) else "a catalog", have if isinstance(have, str) else "a catalog")
        else:
            problem = "" if not have else difference(want, have)
        if problem:
            failed += 1
            print(f"FAILED {name} {run} ({who})\n{problem[:3000]}\n", flush=True)
    for node, want in ({} if name == "asked" else wanted["known"]).items():  # rows that tell of times are in its catalog
        have, total = found["known"][node], total + 1
        if who != "server":
            want, have = of_apply(want), of_apply(have)
        if problem := difference(want, have):
            failed += 1
            print(f"FAILED {name} {node} ({who}): what PuppetDB knows\n{problem[:3000]}\n", flush=True)
    return total, failed


def enter(o):
    """Finds the root directory, and has this program run in the network namespace. Throws Missing before anything that takes minutes."""
    root = puppetdb_stack.find_root()
    if why := puppetserver.missing(root):
        raise puppetdb_stack.Missing(why)
    for program in (o.pupc_server, o.pupc):
        shutil.copy2(program, root / "tmp/pupc-tried")
        tried = subprocess.run(["chroot", root, "/tmp/pupc-tried", "--help"], capture_output=True, text=True, check=False)
        (root / "tmp/pupc-tried").unlink()
        if tried.returncode != 0:
            raise puppetdb_stack.Missing(f"{program} does not run in {root}: {tried.stderr.strip()}")
    if not os.environ.get("PUPC_IN_NAMESPACE"):
        subprocess.run(["ip", "netns", "add", puppetdb_stack.NAMESPACE], check=False, capture_output=True)
        subprocess.run(["ip", "-n", puppetdb_stack.NAMESPACE, "link", "set", "lo", "up"], check=True)
        os.environ["PUPC_IN_NAMESPACE"] = "1"
        os.execvp("ip", ["ip", "netns", "exec", puppetdb_stack.NAMESPACE, sys.executable, *sys.argv])
    return root


def live(o):
    root = enter(o)
    names = o.name or [*sorted(p.stem for p in CASES.glob("*.pp")), "asked"]
    kept = json.loads(pathlib.Path(o.answers).read_text()) if o.answers else {}
    server = Server(root)
    database, total, failed = Database(server), 0, 0
    try:
        database.start()
        if not o.answers:
            server.start()
        server.start_pupc(os.path.abspath(o.pupc_server), os.path.abspath(o.pupc))
        scenarios = Scenarios(server, database)
        for name in names:
            environment, nodes = scenarios.prepare(name)
            if not o.answers:
                kept[name] = scenarios.fleet(environment, nodes, ["puppetserver"])
                if o.keep:
                    pathlib.Path(o.keep).write_text(json.dumps(kept, indent=0, sort_keys=True))
            passes = {"server": ["server"], "apply": ["apply"], **({} if o.answers else {"mixed": ["puppetserver", "server", "apply"]})}
            for who, by in passes.items():
                found = scenarios.fleet(environment, nodes, by)
                done, wrong = compare(name, who, kept[name], found)
                total, failed = total + done, failed + wrong
                print(f"{name} ({who}): {done - wrong} of {done} equal", flush=True)
        for line in database.errors():
            failed += 1
            print(f"PuppetDB's log: {line[:600]}")
    finally:
        if not os.environ.get("PUPC_KEEP_PUPPETDB"):
            server.close()
            database.stop()
    print(f"{len(names)} scenarios, {total} comparisons, {failed} failed")
    return 1 if failed else 0


def main():
    for number in (signal.SIGTERM, signal.SIGINT):  # so that what was started ends, too
        signal.signal(number, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for word in ("verb", "pupc", "pupc_server"):
        parser.add_argument(word)
    parser.add_argument("--answers")
    parser.add_argument("--keep")
    parser.add_argument("name", nargs="*")
    o = parser.parse_intermixed_args()  # names may follow an option
    if o.verb != "live":
        parser.error("the verb is `live`")
    try:
        return live(o)
    except puppetdb_stack.Missing as why:
        print(f"skipped: {why}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
