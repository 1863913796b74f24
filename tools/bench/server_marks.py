#!/usr/bin/env python3
"""What pupc-server needs beyond processor time: memory, time until it is ready, and how it bears many agents at once. Measured on the sample's node with RSA keys of 4096 bits.
Usage: server_marks.py PUPC_SERVER [--environment DIRECTORY --requests FILE] [--only ready,memory,metadata,large,mixed,many,crowd,site]
DIRECTORY and FILE: a site's environment and its nodes (lines of JSON with node and facts), whose catalogs are asked for twice.

The marks: ready in 0.3 s; 4 environments and 200 connections 120 MB, a repository of 282 modules 250 MB; metadata of 203 plugins 2 ms; a file of 1 GB sent with 2 MB more; 100,000 mixed
requests with 5 % more memory and no more descriptors; 200 agents at once on new connections with a p99 of 2 s, on kept ones of 0.25 s; of 2,000 at once each has its catalog after its retries."""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
from server_bench import LONG_KEY, PLUGINS, SAMPLE, Client, form, measured
from fleet import Fleet

NODE = "worker01.fra.example.com"
EVERYBODY = 'authorization: { version: 1, rules: [ { name: a, sort-order: 1, allow: "*", match-request: { path: "/", type: path } } ] }'


def family(pid):
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split():
            yield from family(int(child))


def memory(server):
    """MB of the server and its Ruby processes."""
    return sum(int(line.split()[1]) for pid in family(server.process.pid) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")) / 1024


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def p99(seconds):
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * 99 // 100)]


def started(fleet, *words):
    begin = time.monotonic()
    fleet.process = subprocess.Popen([fleet.program, "--config", fleet.top / "puppet.conf", "--listen", f"127.0.0.1:{fleet.port}", "--log", fleet.top / "log", "--access-log", fleet.top / "access",
                                      "--ca-port", str(fleet.port), "--auth", fleet.top / "auth", *words], stderr=subprocess.DEVNULL)
    client = Client(fleet.ca, {"name": NODE, "values": {}})
    while True:
        with contextlib.suppress(OSError), contextlib.closing(client.connect(fleet.port)) as connection:
            connection.request("GET", "/status/v1/simple")
            if connection.getresponse().read() == b"running":
                return time.monotonic() - begin


class Marks:
    def __init__(self, fleet, facts):
        self.fleet, self.facts, self.client = fleet, facts, Client(fleet.ca, facts)

    def catalog(self, connection, environment="production", facts=None):
        """Status of a catalog's answer, and when to come again."""
        facts = facts or self.facts
        connection.request("POST", f"/puppet/v3/catalog/{facts['name']}?environment={environment}", form(facts).replace(b"environment=production", f"environment={environment}".encode()),
                           {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "gzip", "Accept": "application/vnd.puppet.rich+json, application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status, int(answer.headers.get("Retry-After") or 1)

    def at_once(self, count, action):
        """Seconds until each of `count` threads, which start together, has done its work."""
        took, start = [], threading.Barrier(count)

        def one(number):
            with contextlib.suppress(threading.BrokenBarrierError):
                start.wait()
            begin = time.monotonic()
            action(number)
            took.append(time.monotonic() - begin)
        threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return took

    def ready(self):
        times = []
        for _ in range(5):
            self.fleet.stop()
            times.append(started(self.fleet))
        print(f"ready after {min(times) * 1000:.0f} to {max(times) * 1000:.0f} ms, {memory(self.fleet):.0f} MB", flush=True)

    def memory(self):
        for n in range(2, 5):
            shutil.copytree(SAMPLE / "environments/production", self.fleet.environments / f"production{n}", symlinks=True, dirs_exist_ok=True)
        connections = [self.client.connect(self.fleet.port) for _ in range(200)]
        for turn in range(10):
            for n, connection in enumerate(connections):
                status, _ = self.catalog(connection, f"production{n % 4 + 1}".replace("production1", "production"))
                assert status == 200, status
        print(f"4 environments, 200 connections, 2,000 catalogs: {memory(self.fleet):.0f} MB, {len(list(family(self.fleet.process.pid)))} processes", flush=True)
        for connection in connections:
            connection.close()

    def metadata(self):
        for n in range(203):
            file = self.fleet.environments / f"production/modules/plugins{n % 20}/lib/facter/plugin_{n}.rb"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {n}\n")
        connection = self.client.connect(self.fleet.port)
        path = "file_metadatas/plugins?environment=production" + PLUGINS.format("true", "ignore")
        number = len(json.loads(self.client.ask(connection, "GET", path)))
        cost = measured(self.fleet, lambda: [self.client.ask(connection, "GET", path) for _ in range(500)], 500)
        print(f"metadata of {number} plugins: {cost:.2f} ms", flush=True)

    def large(self):
        file = self.fleet.environments / "production/modules/large/files/gigabyte"
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "wb") as out:
            out.truncate(1 << 30)
        connection = self.client.connect(self.fleet.port)
        before, most, size = memory(self.fleet), 0, 0
        connection.request("GET", "/puppet/v3/file_content/modules/large/gigabyte?environment=production", headers={"Accept": "application/octet-stream"})
        answer = connection.getresponse()
        while part := answer.read(1 << 22):
            size += len(part)
            if size % (1 << 26) < 1 << 22:
                most = max(most, memory(self.fleet))
        file.unlink()
        print(f"a file of 1 GB: {size} bytes came, {before:.1f} MB before, {most:.1f} MB at most", flush=True)

    def mixed(self):
        place = "environment=production"
        asked = [("GET", f"/puppet/v3/node/{NODE}?{place}", None, {}), ("GET", f"/puppet/v3/file_metadatas/plugins?{place}" + PLUGINS.format("true", "ignore"), None, {}), ("catalog",),
                 ("PUT", f"/puppet/v3/report/{NODE}?{place}", self.client.report, {"Content-Type": "application/json"}), ("GET", "/puppet/v3/environments", None, {}), ("GET", f"/puppet/v3/nonsense?{place}", None, {}),
                 ("GET", f"/puppet/v3/file_content/modules/none/none?{place}", None, {}), ("GET", "/status/v1/services", None, {}), ("GET", "/puppet-ca/v1/certificate_revocation_list/ca", None, {}),
                 ("PUT", f"/puppet/v3/facts/{NODE}?{place}", json.dumps(self.facts).encode(), {"Content-Type": "application/json"})]
        kept = [self.client.connect(self.fleet.port) for _ in range(4)]
        marks = {}
        for sent in range(1, 100_001):
            connection, what = kept[sent % 4], asked[sent % len(asked)]
            if what[0] == "catalog":
                self.catalog(connection)
            else:
                connection.request(*what)
                connection.getresponse().read()
            if sent % 1000 == 0:  # a new connection now and then
                connection.close()
            if sent in (10_000, 50_000, 100_000):
                marks[sent] = (memory(self.fleet), descriptors(self.fleet))
        print("mixed requests: " + "; ".join(f"after {n}: {m:.1f} MB, {d} descriptors" for n, (m, d) in marks.items()), flush=True)
        for connection in kept:
            connection.close()

    def many(self):
        for _ in range(3):
            new = [self.client.connect(self.fleet.port) for _ in range(200)]  # keys read, nothing connected yet
            print(f"200 agents at once, new connections: p99 {p99(self.at_once(200, lambda n: self.catalog(new[n]))):.2f} s", flush=True)
            for connection in new:
                connection.close()
        kept = [self.client.connect(self.fleet.port) for _ in range(200)]
        for connection in kept:
            self.catalog(connection)
        for _ in range(3):
            took = self.at_once(200, lambda n: self.catalog(kept[n]))
            print(f"200 kept connections at once: p99 {p99(took) * 1000:.0f} ms", flush=True)
        for connection in kept:
            connection.close()

    def crowd(self):
        statuses, lock = {}, threading.Lock()
        new = [self.client.connect(self.fleet.port) for _ in range(2000)]

        def persistent(number):
            while True:
                with contextlib.suppress(OSError), contextlib.closing(new[number]) as connection:
                    status, wait = self.catalog(connection)
                    with lock:
                        statuses[status] = statuses.get(status, 0) + 1
                    if status == 200:
                        return
                    time.sleep(wait)
        threading.stack_size(1 << 18)
        took = self.at_once(2000, persistent)
        print(f"2,000 agents at once: all had their catalogs after {max(took):.1f} s; answers {statuses}, {memory(self.fleet):.0f} MB", flush=True)


def site(options, fleet):
    """A site's own nodes, each twice."""
    shutil.rmtree(fleet.environments / "production", ignore_errors=True)
    shutil.copytree(options.environment, fleet.environments / "production", symlinks=True, ignore_dangling_symlinks=True)
    fleet.start("--auth", fleet.top / "auth")
    marks = Marks(fleet, {"name": NODE, "values": {}})
    statuses, most = {}, 0
    with contextlib.closing(marks.client.connect(fleet.port)) as connection:
        for line in list(open(options.requests)) * 2:
            asked = json.loads(line)
            status, _ = marks.catalog(connection, facts={"name": asked["node"], "values": asked["facts"]})
            statuses[status] = statuses.get(status, 0) + 1
            most = max(most, memory(fleet))
    print(f"the site's nodes, each twice: answers {statuses}, {most:.0f} MB at most, {len(list(family(fleet.process.pid)))} processes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--environment")
    parser.add_argument("--requests")
    parser.add_argument("--only", default="ready,memory,metadata,large,mixed,many,crowd,site")
    options = parser.parse_args()
    wanted = options.only.split(",")
    facts = json.loads((SAMPLE / f"facts/{NODE}.json").read_text())
    with contextlib.ExitStack() as stack:
        fleet = Fleet(options.server)
        stack.callback(fleet.close)
        conf = fleet.top / "puppet.conf"
        conf.write_text(conf.read_text().split("node_terminus")[0] + ("strict = warning\nstrict_variables = false\n" if options.environment else ""))
        (fleet.top / "auth").write_text(EVERYBODY)
        for name in ("localhost", NODE):
            fleet.ca.issue(name, LONG_KEY)
        shutil.rmtree(fleet.environments / "production")
        shutil.copytree(SAMPLE / "environments/production", fleet.environments / "production")
        started(fleet)
        marks = Marks(fleet, facts)
        for name in wanted:
            if name != "site":
                getattr(marks, name)()
                fleet.stop()
                started(fleet)
        if "site" in wanted and options.environment:
            fleet.stop()
            site(options, fleet)


if __name__ == "__main__":
    main()
