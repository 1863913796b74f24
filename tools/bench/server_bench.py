#!/usr/bin/env python3
"""What a fleet costs at pupc-server beside puppetserver: processor time of the servers and of all that they start, in turns, with the same certificates (RSA keys of 4096 bits) and the same code.
Usage: server_bench.py PUPC PUPC_SERVER [--puppetserver ROOT] [--rounds N] [--warm N] [--environment DIRECTORY --facts FILE] [--setting NAME=VALUE...]
ROOT: a root directory of Debian that has puppetserver; without it only pupc-server is measured. DIRECTORY and FILE: an environment and a node's facts (JSON with name and values) instead of
the sample's. A setting is written into the puppet.conf of both.

A run is what a stock agent sends when nothing has changed: one connection, plugins asked for three times, catalog, report of some 87 KB. The marks: at most 15 ms a run and a fiftieth of
puppetserver's, a catalog on a kept connection a two-hundredth (sample) or a hundredth (a real repository), at most 0.5 ms (sample) or a fifth (real) above `compile --batch`."""
import argparse
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agent"))
sys.dont_write_bytecode = True
from fleet import Fleet  # noqa: E402
import puppetserver  # noqa: E402

SAMPLE = HERE.parents[1] / "testdata/sample"
PLUGINS = ("&recurse={}&max_files=-1&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&checksum_type=sha256&source_permissions={}")
LONG_KEY = ("-newkey", "rsa:4096", "-nodes")
TICK = os.sysconf("SC_CLK_TCK")


def processor_time(pid):
    """Seconds of a process and of all below it, those that ended too."""
    total = 0.0
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                total += sum(processor_time(int(child)) for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
        total += sum(int(n) for n in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[11:15]) / TICK
    return total


def report(node):
    """A report of format 12 with as many resources, events and metrics as a node of the sample has."""
    status = {"title": "x", "file": "/etc/puppet/code/environments/production/modules/profile/manifests/base.pp", "line": 40, "resource": "", "resource_type": "File", "provider_used": "posix",
              "containment_path": ["Stage[main]", "Profile::Base", "File[/etc/motd.d/some/where/x]"], "evaluation_time": 0.0123, "tags": ["file", "class", "profile::base", "profile", "base", "node"],
              "time": "2026-11-28T05:00:00.123456789+00:00", "failed": False, "failed_to_restart": False, "changed": False, "out_of_sync": False, "skipped": False, "change_count": 0,
              "out_of_sync_count": 0, "events": [], "corrective_change": False, "content_digest": "sha256:" + "0" * 64, "notes": "x" * 300}
    statuses = {f"File[/etc/motd.d/some/where/{i}]": status | {"title": str(i), "resource": f"File[/etc/motd.d/some/where/{i}]"} for i in range(65)}
    log = {"level": "info", "message": "Caching catalog for a node", "source": "Puppet", "tags": ["info"], "time": "2026-11-28T05:00:00.123456789+00:00", "file": None, "line": None}
    metric = {"name": "time", "label": "Time", "values": [[f"part_{i}", f"Part {i}", 0.123] for i in range(30)]}
    return json.dumps({"host": node, "time": "2026-11-28T05:00:00.123456789+00:00", "configuration_version": 1, "transaction_uuid": "b5b3df37-6f4f-4271-ba2b-21ea102adfc2", "report_format": 12,
                       "puppet_version": "8.11.0", "status": "unchanged", "noop": False, "noop_pending": False, "corrective_change": False, "environment": "production", "logs": [log] * 8,
                       "catalog_uuid": "827a74c8-cf98-44da-9ff7-18c5e4bee41e", "code_id": None, "job_id": None, "cached_catalog_status": "not_used", "server_used": "localhost:8140",
                       "transaction_completed": True, "metrics": {"time": metric}, "resource_statuses": statuses}).encode()


def form(facts):
    """The body of a catalog's request; facts are percent-encoded twice, as agents do."""
    quote = lambda text: urllib.parse.quote(text, safe="")
    values = {"facts_format": "application/json", "facts": quote(json.dumps(facts)), "environment": "production", "configured_environment": "production", "check_environment": "true",
              "transaction_uuid": "b5b3df37-6f4f-4271-ba2b-21ea102adfc2", "static_catalog": "true", "checksum_type": "sha256.sha384.sha512.sha224.md5"}
    return "&".join(f"{name}={quote(value)}" for name, value in values.items()).encode()


class Client:
    """A node's side: what it sends, with a certificate."""

    def __init__(self, ca, facts):
        self.ca, self.node, self.facts, self.sent = ca.directory, facts["name"], facts, 0
        self.report = report(self.node)

    def connect(self, port):
        context = ssl.create_default_context(cafile=self.ca / "ca.pem")
        context.load_cert_chain(self.ca / f"{self.node}.pem", self.ca / f"{self.node}.key")
        return http.client.HTTPSConnection("localhost", port, context=context, timeout=600)

    def ask(self, connection, method, path, body=None, **headers):
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "X-Puppet-Version": "8.11.0", "User-Agent": "Puppet/8.11.0"} | headers
        connection.request(method, f"/puppet/v3/{path}", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            sys.exit(f"{method} {path}: {answer.status} {text[:500]}")
        return gzip.decompress(text) if answer.headers.get("Content-Encoding") == "gzip" else text

    def catalog(self, connection):
        self.sent += 1
        facts = self.facts | {"values": self.facts["values"] | {"unique": self.sent}}  # no answer of before fits
        return self.ask(connection, "POST", f"catalog/{self.node}?environment=production", form(facts), **{"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/vnd.puppet.rich+json, application/json"})

    def run(self, port):
        connection = self.connect(port)
        for mount, recurse, permissions in (("plugins", "false", "ignore"), ("pluginfacts", "true", "use"), ("plugins", "true", "ignore")):
            self.ask(connection, "GET", f"file_metadatas/{mount}?environment=production" + PLUGINS.format(recurse, permissions))
        self.catalog(connection)
        self.ask(connection, "PUT", f"report/{self.node}?environment=production&", self.report, **{"Content-Type": "application/json"})
        connection.close()

    def kept(self, port, count):
        connection = self.connect(port)
        self.catalog(connection)
        yield
        for _ in range(count):
            self.catalog(connection)
        connection.close()


def measured(server, action, count):
    """Milliseconds of the server for one of `count`."""
    begin = processor_time(server.process.pid)
    action()
    return (processor_time(server.process.pid) - begin) * 1000 / count


def catalogs(server, client, count):
    steps = client.kept(server.port, count)
    next(steps)
    return measured(server, lambda: next(steps, None), count)


def batch(pupc, environments, facts, count):
    """Milliseconds for a catalog of `compile --batch`: the difference of a long one and a short one."""
    def cost(n):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as requests:
            for i in range(n):
                requests.write(json.dumps({"id": i, "node": facts["name"], "facts": facts["values"] | {"unique": i}, "environmentpath": str(environments), "environment": "production", "server_facts": True}) + "\n")
            requests.flush()
            process = subprocess.Popen([pupc, "compile", "--batch", requests.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, used = os.wait4(process.pid, 0)
            return used.ru_utime + used.ru_stime
    return (cost(count + 20) - cost(20)) * 1000 / count


class LongKeys(puppetserver.Puppetserver):
    """With keys of the length that Puppet's CA makes when nothing is set, and code that is read once."""

    def configure(self):
        super().configure()
        conf = self.top / "conf/puppet.conf"
        conf.write_text(conf.read_text().replace("keylength = 2048", "keylength = 4096").replace("environment_timeout = 0", "environment_timeout = unlimited").replace("node_terminus = exec\n", "").replace(f"external_nodes = {self.inner}/enc\n", ""))


def middle(values):
    return sorted(values)[len(values) // 2]


def table(rows, names):
    print("\nmilliseconds of processor time, the least and the middle of all rounds")
    for name, values in rows.items():
        words = [f"{who} {min(v):8.2f} {middle(v):8.2f}" for who, v in zip(names, values) if v]
        ratio = f"   {min(values[1]) / min(values[0]):6.1f} {middle(values[1]) / middle(values[0]):6.1f} times" if len(values) > 1 and values[1] else ""
        print(f"{name:34} " + "   ".join(words) + ratio)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pupc")
    parser.add_argument("server")
    parser.add_argument("--puppetserver")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", type=int, default=60, help="runs of puppetserver before anything is measured")
    parser.add_argument("--environment", default=SAMPLE / "environments/production")
    parser.add_argument("--setting", action="append", default=[])
    parser.add_argument("--facts", default=SAMPLE / "facts/worker01.fra.example.com.json")
    options = parser.parse_args()
    facts = json.loads(pathlib.Path(options.facts).read_text())
    if why := options.puppetserver and puppetserver.missing(options.puppetserver):
        sys.exit(why)
    with contextlib.ExitStack() as stack:
        main_server = LongKeys(options.puppetserver) if options.puppetserver else None
        if main_server:
            stack.callback(main_server.close)
        fleet = Fleet(options.server, main_server)
        stack.callback(fleet.close)
        conf = fleet.top / "puppet.conf"
        conf.write_text(conf.read_text().split("node_terminus")[0])
        for file in [conf] + ([main_server.top / "conf/puppet.conf"] if main_server else []):
            file.write_text(file.read_text().replace("[main]\n", "[main]\n" + "".join(f"{setting}\n" for setting in options.setting), 1))
        for name in ("localhost", facts["name"]):
            fleet.ca.issue(name, LONG_KEY)
        servers = [fleet] + ([main_server] if main_server else [])
        for server in servers:
            shutil.rmtree(server.environments / "production", ignore_errors=True)
            shutil.copytree(options.environment, server.environments / "production", ignore_dangling_symlinks=True)
        fleet.start()
        if main_server:
            main_server.start()
        client = Client(fleet.ca, facts)
        compare(options, client, servers)


def compare(options, client, servers):
    rows = {name: [[] for _ in servers] for name in ("a run", "a catalog, kept connection")}
    rows["the same by compile --batch"] = [[]]
    for server, warm in zip(servers, (5, options.warm)):
        for i in range(warm):
            client.run(server.port)
    environments = servers[0].environments
    for number in range(options.rounds):
        for which, (server, runs, many) in enumerate(zip(servers, (100, 12), (200, 20))):
            rows["a run"][which].append(measured(server, lambda: [client.run(server.port) for _ in range(runs)], runs))
            rows["a catalog, kept connection"][which].append(catalogs(server, client, many))
        rows["the same by compile --batch"][0].append(batch(options.pupc, environments, client.facts, 200))
        print(f"round {number + 1}: " + "; ".join(f"{name} " + ", ".join(f"{v[-1]:.2f}" for v in values if v) for name, values in rows.items()), flush=True)
    table(rows, ("pupc", "puppetserver"))


if __name__ == "__main__":
    main()
