"""PuppetDB and PostgreSQL of Debian's packages, started for tests in a network namespace of their own.

The packages (puppetdb, postgresql, puppet-agent, puppet-terminus-puppetdb) are those of this machine, or of the root of Debian 12 that the variable
PUPC_PUPPETDB_ROOT names. Everything else (databases, certificates, settings) is made below /var/lib/pupc-test there, and removed by stop().
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.parse

NAMESPACE = "pupc-puppetdb"
HOME = "/var/lib/pupc-test"  # in the root
POSTGRES = "/usr/lib/postgresql/15/bin"
JAR = "/usr/share/puppetdb/puppetdb.jar"


class Missing(Exception):
    """Why there can be no PuppetDB here."""


def find_root():
    root = pathlib.Path(os.environ.get("PUPC_PUPPETDB_ROOT", "/"))
    if os.geteuid() != 0:
        raise Missing("starting PuppetDB needs root")
    for path in (JAR, POSTGRES + "/initdb", "/usr/bin/java", "/usr/lib/ruby/vendor_ruby/puppet/util/puppetdb.rb"):
        if not (root / path[1:]).exists():
            raise Missing(f"no {path}: PuppetDB, PostgreSQL 15 and the terminus are not installed (PUPC_PUPPETDB_ROOT can name a root with them)")
    for tool in ("ip", "openssl"):
        if shutil.which(tool) is None:
            raise Missing(f"no {tool}")
    return root


class Stack:
    def __init__(self):
        self.root = find_root()
        self.home = self.root / HOME[1:]
        self.java = None
        self.mounted = []
        self.own_log = self.root / "var/log/puppetdb/puppetdb.log"  # runs before this one wrote there, too
        self.logged_before = self.own_log.stat().st_size if self.own_log.exists() else 0

    # -- running things

    def command(self, *words, user=None):
        """The words of a command in the root and the namespace."""
        chroot = [] if str(self.root) == "/" else ["chroot", str(self.root)]
        as_user = ["runuser", "-u", user, "--"] if user else []
        clean = ["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
        return ["ip", "netns", "exec", NAMESPACE, *chroot, *clean, *as_user, *map(str, words)]

    def run(self, *words, user=None, check=True, **options):
        done = subprocess.run(self.command(*words, user=user), capture_output=True, text=True, check=False, **options)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    # -- PostgreSQL

    def make_database(self):
        data = f"{HOME}/postgres"
        self.run("install", "-d", "-o", "postgres", "-g", "postgres", "-m", "700", data)
        self.run(POSTGRES + "/initdb", "-D", data, "-E", "UTF8", "--no-locale", "-A", "trust", "--no-sync", user="postgres", cwd="/")
        self.start_postgres()
        for statement in ("create role puppetdb login password 'puppetdb'", "create database puppetdb owner puppetdb"):
            self.run("psql", "-h", "127.0.0.1", "-qc", statement, "postgres", user="postgres", cwd="/")
        self.run("psql", "-h", "127.0.0.1", "-qc", "create extension pg_trgm", "puppetdb", user="postgres", cwd="/")

    def start_postgres(self):
        options = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self.run(POSTGRES + "/pg_ctl", "-D", f"{HOME}/postgres", "-l", f"{HOME}/postgres/log", "-w", "-o", options, "start", user="postgres", cwd="/", stdin=subprocess.DEVNULL)

    def stop_postgres(self):
        self.run(POSTGRES + "/pg_ctl", "-D", f"{HOME}/postgres", "-m", "fast", "-w", "stop", user="postgres", check=False, cwd="/")

    # -- certificates

    def make_certificates(self):
        folder = self.home / "ssl"
        folder.mkdir(parents=True, exist_ok=True)

        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "3650", "-subj", "/CN=pupc test CA")
        for name in ("localhost", "tester"):
            openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
            (folder / "extensions").write_text(f"subjectAltName=DNS:{name}\n")
            openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650", "-extfile", "extensions", "-out", name + ".pem")
        openssl("pkcs8", "-topk8", "-nocrypt", "-in", "localhost.key", "-out", "localhost.pk8")
        for file in folder.iterdir():
            file.chmod(0o644)

    # -- PuppetDB

    def start(self):
        subprocess.run(["ip", "netns", "add", NAMESPACE], check=False, capture_output=True)
        subprocess.run(["ip", "-n", NAMESPACE, "link", "set", "lo", "up"], check=True)
        for kind, place in (("proc", "proc"), ("dev", "dev")):
            there = self.root / place
            if str(self.root) != "/" and not os.path.ismount(there):
                subprocess.run(["mount", "-t", "proc", "proc", there] if kind == "proc" else ["mount", "--bind", "/dev", there], check=True)
                self.mounted.append(there)
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.make_certificates()
        self.make_database()
        conf = self.home / "puppetdb.d"
        conf.mkdir()
        ssl = f"{HOME}/ssl"
        (conf / "all.ini").write_text(
            f"[global]\nvardir = {HOME}/puppetdb\nlogging-config = /etc/puppetdb/logback.xml\n[database]\nsubname = //127.0.0.1:5432/puppetdb\nusername = puppetdb\npassword = puppetdb\n"
            f"[jetty]\nhost = 127.0.0.1\nport = 8080\nssl-host = 127.0.0.1\nssl-port = 8081\nssl-key = {ssl}/localhost.pk8\nssl-cert = {ssl}/localhost.pem\nssl-ca-cert = {ssl}/ca.pem\n"
            "[puppetdb]\ndisable-update-checking = true\n")
        (conf / "auth.conf").write_text('authorization: { version: 1, rules: [ { match-request: { path: "/", type: path }, allow-unauthenticated: true, sort-order: 500, name: "all" } ] }\n')
        self.run("install", "-d", "-o", "puppetdb", "-g", "puppetdb", f"{HOME}/puppetdb", "/var/log/puppetdb")
        self.start_puppetdb()

    def start_puppetdb(self, patience=300):
        restart = self.home / "restart"
        restart.write_text("0")
        self.run("chown", "puppetdb", f"{HOME}/restart")
        with (self.home / "puppetdb.log").open("a") as log:
            self.java = subprocess.Popen(
                self.command("/usr/bin/java", "-Xmx192m", "-Djava.security.egd=/dev/urandom", "-cp", JAR, "clojure.main", "-m", "puppetlabs.puppetdb.core", "services", "--config",
                             f"{HOME}/puppetdb.d", "--bootstrap-config", "/etc/puppetdb/bootstrap.cfg", "--restart-file", f"{HOME}/restart", user="puppetdb"),
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        for _ in range(patience * 5):
            if restart.read_text().startswith("1"):
                return
            if self.java.poll() is not None:
                break
            time.sleep(0.2)
        raise RuntimeError("PuppetDB did not start: " + self.log()[-2000:])

    def stop_puppetdb(self, how=signal.SIGTERM):
        if self.java is None:
            return
        os.killpg(self.java.pid, how)
        try:
            self.java.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.java.pid, signal.SIGKILL)
        self.java = None

    def stop(self):
        self.stop_puppetdb()
        self.stop_postgres()
        for place in reversed(self.mounted):
            subprocess.run(["umount", place], check=False)
        shutil.rmtree(self.home, ignore_errors=True)
        subprocess.run(["ip", "netns", "del", NAMESPACE], check=False, capture_output=True)

    def log(self):
        text = (self.home / "puppetdb.log").read_text(errors="replace") if (self.home / "puppetdb.log").exists() else ""
        if not self.own_log.exists():
            return text
        more = self.own_log.read_bytes()
        return text + more[self.logged_before if self.logged_before <= len(more) else 0:].decode(errors="replace")

    def errors(self):
        """What its log says of commands that failed."""
        return [line for line in self.log().splitlines() if (" ERROR " in line or "FATAL" in line) and "read-database user" not in line]

    # -- questions

    def get(self, path):
        script = "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())"
        done = subprocess.run(["ip", "netns", "exec", NAMESPACE, "python3", "-c", script, "http://127.0.0.1:8080" + path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-500:])
        return json.loads(done.stdout)

    def query(self, endpoint, query=None):
        return self.get(f"/pdb/query/v4/{endpoint}" + ("" if query is None else "?query=" + urllib.parse.quote(query if isinstance(query, str) else json.dumps(query))))

    def known(self, node, whole=False):
        """What PuppetDB knows of a node, without times and ids. `whole`: also the lines and figures of its report."""
        mine = ["=", "certname", node]
        drop = {"hash", "producer_timestamp", "catalog_uuid", "transaction_uuid", "version", "resource", "href", "timestamp", "receive_time", "start_time", "end_time", "configuration_version", "report_format",
                "puppet_version", "time"}

        def clean(value):
            if isinstance(value, str):
                return value.replace(str(self.home), HOME)
            if isinstance(value, dict):
                return {k: clean(v) for k, v in value.items() if k not in drop}
            return [clean(v) for v in value] if isinstance(value, list) else value

        def ordered(rows):
            return sorted((clean(r) for r in rows or []), key=lambda r: json.dumps(r, sort_keys=True))

        agents = ("clientversion", "clientnoop")  # pupc adds them to facts of a file, too
        out = {"facts": ordered(f for f in self.query("facts", mine) if f["name"] not in agents), "resources": ordered(self.query("resources", mine)), "edges": ordered(self.query("edges", mine)),
               "catalog": [clean({k: v for k, v in c.items() if k not in ("resources", "edges")}) for c in self.query("catalogs", mine)]}
        for report in self.query("reports", ["and", mine, ["=", "latest_report?", True]]):
            text = json.dumps(clean({k: v for k, v in report.items() if k not in ("logs", "metrics", "resource_events")}))
            out["report"] = json.loads(text)
            # Debian's Puppet 7 words the message of a noop otherwise than 8, which pupc follows.
            out["events"] = ordered({**e, "message": None} if (e["message"] or "").endswith(" (noop)") else e for e in report["resource_events"]["data"] or [])
            out["metrics"] = sorted({(m["category"], m["name"]) for m in report["metrics"]["data"] or [] if m["category"] in ("resources", "events", "changes")})
            if whole:
                out["logs"], out["figures"] = ordered(report["logs"]["data"]), ordered(report["metrics"]["data"])
        return out

    def wait_for_queue(self, patience=60):
        """Until PuppetDB has worked on what it took."""
        for _ in range(patience * 5):
            depth = self.get("/metrics/v2/read/puppetlabs.puppetdb.mq:name=global.depth")["value"]["Count"]
            if depth == 0:
                return
            time.sleep(0.2)
        raise RuntimeError("PuppetDB's queue does not become empty")
