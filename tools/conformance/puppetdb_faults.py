#!/usr/bin/env python3
"""What breaks between pupc-server and a real PuppetDB: nothing that pupc-server took may be lost.

  puppetdb_faults.py live PUPC PUPC_SERVER [--seconds N] [FAULT…]     FAULT: one of those that `live … --list` prints

Agents (20 runs a second: catalog with facts, then a report) ask pupc-server while PuppetDB, PostgreSQL or what lies between fails, and comes back. Then
PuppetDB must know every report that was taken, and of each node the newest facts and the newest catalog with what the agent got in it; its log may
complain only of its own database.
Exit 77 (skipped) without root or the packages, as puppetdb_fleet.py says.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "agent")]
import puppetdb_fleet  # noqa: E402
import puppetdb_stack  # noqa: E402

MANIFEST = """notify { "run ${facts['run']}": }
@@notify { "exported by ${facts['clientcert']}": message => "${facts['run']}" }
if $facts['collects'] { Notify <<| message == 'never' |>> }
"""
AUTH = 'authorization: { version: 1, rules: [ { match-request: { path: "/", type: path }, allow: "*", sort-order: 500, name: "all" } ] }\n'
NODES = 100


class Proxy:
    """Passes TCP on to PuppetDB, or does worse."""

    def __init__(self, to):
        self.to, self.mode, self.count = to, "good", 0
        self.tls = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.count += 1
            threading.Thread(target=self.serve, args=(client, self.mode, self.count), daemon=True).start()

    def serve(self, client, mode, number):
        try:
            if mode == "refused":
                return
            if mode == "impostor":
                with self.tls.wrap_socket(client, server_side=True) as secure:
                    secure.recv(1)
                return
            with socket.create_connection(("127.0.0.1", self.to), 10) as server:
                server.settimeout(None)
                back = threading.Thread(target=self.copy, args=(client, server, None), daemon=True)
                back.start()
                # After the handshake some thousand bytes of answers, then the connection ends in the middle of one.
                self.copy(server, client, 2600 + 37 * (number % 40) if mode == "cut" else None)
        except OSError:
            pass
        finally:
            client.close()

    @staticmethod
    def copy(source, target, limit):
        try:
            sent = 0
            while data := source.recv(65536):
                if limit is not None and sent + len(data) > limit:
                    target.sendall(data[:limit - sent])
                    break
                target.sendall(data)
                sent += len(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def uuid_of(run):
    """PuppetDB takes no other text for the id of a run."""
    return f"00000000-0000-4000-8000-{run:012}"


class Agents:
    """What was sent to the server, and what it took."""

    def __init__(self, server, rate):
        self.server, self.rate = server, rate
        self.run, self.lock = 0, threading.Lock()
        self.newest, self.answers, self.reports, self.refused = {}, {}, set(), []
        self.busy = set()

    def request(self, method, path, body, kind):
        context = ssl.create_default_context(cafile=self.server.ca.directory / "ca.pem")
        context.load_cert_chain(self.server.ca.directory / "load.pem", self.server.ca.directory / "load.key")
        connection = http.client.HTTPSConnection("localhost", self.server.pupc_port, context=context, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": kind, "Accept": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def catalog(self, node, run, **facts):
        values = {"name": node, "values": {"clientcert": node, "run": run, "collects": False, **facts}}
        form = f"facts_format=application%2Fjson&facts={urllib.parse.quote(urllib.parse.quote(json.dumps(values)))}&environment=faults&transaction_uuid={uuid_of(run)}"
        return self.request("POST", f"/puppet/v3/catalog/{node}?environment=faults", form, "application/x-www-form-urlencoded")

    def one(self, node, run):
        try:
            status, text = self.catalog(node, run)
            if status != 200:
                self.refused.append((run, status, text))
                return
            with self.lock:
                if run > self.newest.get(node, 0):
                    self.newest[node], self.answers[node] = run, json.loads(text)
            report = {"host": node, "time": "2026-01-01T00:00:00Z", "configuration_version": run, "transaction_uuid": uuid_of(run), "report_format": 12, "puppet_version": "8.0.0", "status": "unchanged",
                      "environment": "faults", "noop": False, "noop_pending": False, "corrective_change": False, "resource_statuses": {}, "logs": [], "metrics": {}}
            status, text = self.request("PUT", f"/puppet/v3/report/{node}?environment=faults", json.dumps(report), "application/json")
            if status == 200:
                with self.lock:
                    self.reports.add(uuid_of(run))
            else:
                self.refused.append((run, status, text))
        except (OSError, http.client.HTTPException) as e:
            self.refused.append((run, 0, repr(e)))
        finally:
            with self.lock:
                self.busy.discard(node)

    def work(self, seconds, until=lambda: False):
        """Runs for so long, at the rate that was asked for."""
        began, before = time.monotonic(), self.run
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            while time.monotonic() - began < seconds and not until():
                self.run += 1
                node = f"n{self.run % NODES:03}.example.com"
                with self.lock:
                    free = node not in self.busy
                    self.busy.add(node)
                if free:
                    pool.submit(self.one, node, self.run)
                ahead = began + (self.run - before) / self.rate - time.monotonic()
                if ahead > 0:
                    time.sleep(ahead)
        return self.run - before


class Faults:
    def __init__(self, server, database, seconds, programs):
        self.server, self.database, self.seconds, self.programs = server, database, seconds, programs
        self.proxy = Proxy(8081)
        server.environment("faults", MANIFEST)
        server.ca.issue("load")
        (server.top / "conf/auth-all.conf").write_text(AUTH)
        self.use(8081)
        folder = server.ca.directory
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "impostor.key", "-out", "impostor.pem", "-days", "30", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], check=True, capture_output=True, cwd=folder)
        self.proxy.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.proxy.tls.load_cert_chain(folder / "impostor.pem", folder / "impostor.key")
        self.agents = Agents(server, 20)
        self.spool = server.top / "var-pupc/puppetdb_spool"

    def use(self, port):
        """Where pupc-server takes PuppetDB to be, from its next start on."""
        (self.server.top / "conf/puppetdb.conf").write_text(f"[main]\nserver_urls = https://localhost:{port}\nserver_url_timeout = 20\n")

    def start(self):
        self.server.start_pupc(*self.programs, "--auth", f"{self.server.inner}/conf/auth-all.conf")

    def stop(self, how=signal.SIGTERM):
        # The process of `unshare` and the shell become the program itself.
        self.server.pupc.send_signal(how)
        self.server.pupc.wait(60)
        self.server.pupc = None

    def log(self):
        path = self.server.top / "log/pupc"
        return path.read_text() if path.exists() else ""

    def spooled(self):
        return len(list(self.spool.glob("*.json")))

    def settle(self, patience=600):
        for _ in range(patience * 5):
            if not list(self.spool.glob("*.json*")):
                break
            time.sleep(0.2)
        self.database.wait_for_queue(patience)

    def check(self):
        """What is missing in PuppetDB."""
        self.settle()
        known = self.database.query("reports", ["extract", ["transaction_uuid"], ["~", "certname", "example"]])
        lost = self.agents.reports - {r["transaction_uuid"] for r in known}
        # As with Puppet, an agent is not told what a processor of reports could not do; the log is.
        told = self.log().count("Report puppetdb failed: ")
        problems = [] if len(lost) <= told else [f"{len(lost)} of {len(self.agents.reports)} reports are lost, of {told} the log tells: {sorted(lost)[:5]}"]
        facts = {f["certname"]: f["value"] for f in self.database.query("facts", ["=", "name", "run"])}
        titles = {}
        for r in self.database.query("resources", ["and", ["=", "type", "Notify"], ["=", "exported", False]]):
            if r["title"].startswith("run "):
                titles[r["certname"]] = int(r["title"][4:])
        for node, run in sorted(self.agents.newest.items()):
            # A run whose answer did not arrive may be known, too: it is newer.
            for what, have in ("facts", facts.get(node)), ("catalog", titles.get(node)):
                if have is None or have < run:
                    problems.append(f"{what} of {node}: run {have}, but {run} was taken")
            if titles.get(node) == run:
                problems += [f"{node}: {text}" for text in self.contents(node, run)]
        return problems

    def contents(self, node, run):
        """How PuppetDB's catalog and facts of a node differ from those of the run: the catalog that the agent got, and what it exports."""
        catalog, answer = self.database.get(f"/pdb/query/v4/catalogs/{node}"), self.agents.answers[node]
        known = {(r["type"], r["title"]): r for r in catalog["resources"]["data"]}
        wanted = {(r["type"], r["title"]): r for r in answer["resources"]}
        exporting = ("Notify", f"exported by {node}")
        if set(known) != {*wanted, exporting}:
            yield f"resources {sorted(set(known) ^ {*wanted, exporting})}"
            return
        for key, r in wanted.items():
            parameters = {k: v for k, v in known[key]["parameters"].items() if k != "alias"}  # the terminus adds it for a name
            for what, have, want in (("parameters", parameters, r.get("parameters", {})), ("tags", sorted(known[key]["tags"]), sorted(r["tags"])), ("line", known[key]["line"], r.get("line"))):
                if have != want:
                    yield f"{what} of {key}: {have}, not {want}"
        if known[exporting]["parameters"] != {"message": str(run)} or not known[exporting]["exported"]:
            yield f"exported: {known[exporting]}"
        edges = {(f"{e['source_type']}[{e['source_title']}]", f"{e['target_type']}[{e['target_title']}]") for e in catalog["edges"]["data"]}
        if missing := {(e["source"], e["target"]) for e in answer["edges"]} - edges:
            yield f"edges {missing}"
        if catalog["transaction_uuid"] != uuid_of(run) or catalog["environment"] != "faults":
            yield f"run {catalog['transaction_uuid']} in {catalog['environment']}"
        facts = {f["name"]: f["value"] for f in self.database.get(f"/pdb/query/v4/nodes/{node}/facts")}
        if {k: facts.get(k) for k in ("clientcert", "run", "collects")} != {"clientcert": node, "run": run, "collects": False} or "trusted" not in facts:
            yield f"facts {facts}"

    # -- the faults. Each returns what to tell of it.

    def none(self):
        began = time.monotonic()
        runs = self.agents.work(self.seconds)
        took = time.monotonic() - began
        return f"{runs / took:.1f} runs a second"

    def puppetdb_away(self):
        self.agents.work(3)
        self.database.stop_puppetdb()
        began = time.monotonic()
        runs = self.agents.work(self.seconds)
        rate, waiting = runs / (time.monotonic() - began), self.spooled()
        status, text = self.agents.catalog("collector.example.com", 1, collects=True)
        self.database.start_puppetdb()
        assert status == 500 and "PuppetDB" in text, (status, text)
        assert self.agents.reports, self.agents.refused[:2]
        began = time.monotonic()
        self.settle()
        return f"{runs} runs, {rate:.1f} a second, {waiting} commands waited, delivered in {time.monotonic() - began:.0f} s. A node that collects got: {json.loads(text)['message'][:200]}"

    def postgresql_restarts(self):
        stop = threading.Event()
        worker = threading.Thread(target=lambda: self.agents.work(self.seconds, stop.is_set))
        worker.start()
        time.sleep(self.seconds / 4)
        for _ in range(2):
            self.database.stop_postgres()
            time.sleep(self.seconds / 10)
            self.database.start_postgres()
            time.sleep(self.seconds / 4)
        worker.join()
        return f"{len(self.agents.refused)} refused"

    def killed(self):
        self.use(self.proxy.port)
        self.proxy.mode = "refused"
        self.stop()
        self.start()
        kills = 10
        for _ in range(kills):
            worker = threading.Thread(target=lambda: self.agents.work(self.seconds / kills))
            worker.start()
            time.sleep(self.seconds / kills / 2)
            self.stop(signal.SIGKILL)
            worker.join()
            self.start()
        waiting = self.spooled()
        self.proxy.mode = "good"
        return f"{kills} times; {waiting} commands waited"

    def disk_full(self):
        self.stop()
        self.use(self.proxy.port)
        self.proxy.mode = "refused"
        self.settle()
        shutil.rmtree(self.spool, ignore_errors=True)
        self.spool.mkdir()
        # Where the server sees it: it has the mounts of the process that starts it.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", self.spool], check=True)
        self.server.own()
        self.start()
        self.agents.work(self.seconds / 3)
        full = [text for _, status, text in self.agents.refused if status == 500]
        assert full, "the disk did not become full"
        self.proxy.mode = "good"
        problems = self.check()  # what was taken while it was full
        assert not problems, problems
        self.agents.work(3)
        return f"{len(self.agents.refused)} refused: {json.loads(full[0])['message'][:200]}"

    def after_disk_full(self):
        self.stop()
        subprocess.run(["umount", self.spool], check=True)
        self.start()

    def wrong_certificate(self):
        self.stop()
        self.use(self.proxy.port)
        self.proxy.mode = "impostor"
        before = len(self.log())
        self.start()
        self.agents.work(self.seconds / 4)
        status, text = self.agents.catalog("collector.example.com", 1, collects=True)
        assert status == 500, (status, text)
        lines = [line for line in self.log()[before:].splitlines() if "PuppetDB takes no commands" in line]
        waiting = self.spooled()
        self.proxy.mode = "good"
        return f"{waiting} commands waited, {len(lines)} lines: {lines[0][-220:] if lines else 'none'}. A node that collects got: {json.loads(text)['message'][:200]}"

    def cut_short(self):
        self.stop()
        self.use(self.proxy.port)
        self.proxy.mode = "cut"
        before = len(self.log())
        self.start()
        self.agents.work(self.seconds / 2)
        answers = [self.agents.catalog("collector.example.com", 1, collects=True) for _ in range(5)]
        assert all(status in (200, 500) for status, _ in answers), answers
        waiting, connections = self.spooled(), self.proxy.count
        self.proxy.mode = "good"
        lines = [line for line in self.log()[before:].splitlines() if "PuppetDB" in line]
        failed = [json.loads(text)["message"][:200] for status, text in answers if status == 500]
        return f"{connections} connections cut, {waiting} commands waited, {len(lines)} lines, such as: {lines[0][-200:] if lines else 'none'}; {len(failed)} of 5 collections failed: {failed[:1]}"


FAULTS = ("none", "puppetdb_away", "postgresql_restarts", "killed", "disk_full", "wrong_certificate", "cut_short")


def live(o):
    root = puppetdb_fleet.enter(o)
    server = puppetdb_fleet.Server(root)
    database, failed = puppetdb_fleet.Database(server), 0
    try:
        database.start()
        faults = Faults(server, database, o.seconds, (os.path.abspath(o.pupc_server), os.path.abspath(o.pupc)))
        faults.start()
        for name in o.name or FAULTS:
            faults.agents = Agents(server, 20)
            try:
                told = getattr(faults, name)()
                problems = faults.check()
                getattr(faults, f"after_{name}", lambda: None)()
            except AssertionError as e:
                told, problems = "", [str(e)]
            database.purge([f"n{n:03}.example.com" for n in range(NODES)] + ["collector.example.com"])
            failed += bool(problems)
            print(f"{'FAILED ' if problems else ''}{name}: {len(faults.agents.newest)} nodes, {len(faults.agents.reports)} reports. {told}", flush=True)
            for problem in problems[:10]:
                print(f"  {problem}", flush=True)
        for line in database.errors():
            print(f"PuppetDB's log: {line[:300]}")
    finally:
        server.close()
        database.stop()
    return 1 if failed else 0


def main():
    for number in (signal.SIGTERM, signal.SIGINT):  # so that what was started ends, too
        signal.signal(number, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for word in ("verb", "pupc", "pupc_server"):
        parser.add_argument(word)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("name", nargs="*")
    o = parser.parse_intermixed_args()  # names may follow an option
    if o.list:
        print("\n".join(FAULTS))
        return 0
    if o.verb != "live":
        parser.error("the verb is `live`")
    try:
        return live(o)
    except puppetdb_stack.Missing as why:
        print(f"skipped: {why}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
