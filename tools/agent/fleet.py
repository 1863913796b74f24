"""A small fleet for tests: a CA, a pupc-server with an environment, and agents with roots of their own."""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

CA_CONFIG = """[ca]
default_ca=c
[c]
database=index
new_certs_dir=.
serial=serial
default_md=sha256
default_days=90
default_crl_days=30
policy=p
copy_extensions=copy
unique_subject=no
[p]
commonName=supplied
[req]
distinguished_name=d
[d]
"""
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """A CA in a directory, with a revocation list."""

    def __init__(self, directory, name="Test CA"):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir()
        (self.directory / "index").touch()
        (self.directory / "serial").write_text("01\n")
        (self.directory / "ca.cnf").write_text(CA_CONFIG)
        self.openssl("req", "-x509", *EC, "-keyout", "ca.key", "-out", "ca.pem", "-days", "90", "-subj", f"/CN={name}")
        self.revoke()

    def openssl(self, *words):
        subprocess.run(("openssl",) + words, cwd=self.directory, check=True, capture_output=True)

    def sign(self, request, certificate):
        self.openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", str(request), "-notext", "-out", str(certificate))

    def issue(self, name, key=EC):
        self.openssl("req", "-new", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
        self.sign(f"{name}.csr", f"{name}.pem")

    def revoke(self, *names):
        common = ("-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key")
        for name in names:
            self.openssl("ca", *common, "-revoke", f"{name}.pem")
        self.openssl("ca", *common, "-gencrl", "-out", "crl.pem")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Code:
    """Writes environments."""

    def environment(self, name, manifest=""):
        directory = self.environments / name
        (directory / "manifests").mkdir(parents=True, exist_ok=True)
        (directory / "modules").mkdir(exist_ok=True)
        (directory / "manifests/site.pp").write_text(manifest)
        return directory

    def module_file(self, path, text, environment="production"):
        """Writes "demo/files/x" below the modules of an environment."""
        file = self.environments / environment / "modules" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(text)
        return file


class Fleet(Code):
    def __init__(self, server, main=None):
        """With `main`, a puppetserver, that one is the CA, and this server passes on to it what a CA is asked."""
        self.program, self.main = server, main
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="pupc-agent-"))
        self.ca = main.ca if main else Authority(self.top / "ca")
        self.ca.issue("localhost")
        self.environments = self.top / "environments"
        self.code_path = str(self.environments)
        self.port, self.ca_port, self.process = free_port(), main.port if main else None, None
        self.facts = {}
        (self.top / "puppet.conf").write_text(
            f"[main]\ncertname = localhost\nvardir = {self.top}/server\nhostcert = {self.ca.directory}/localhost.pem\nhostprivkey = {self.ca.directory}/localhost.key\n"
            f"localcacert = {self.ca.directory}/ca.pem\nhostcrl = {self.ca.directory}/crl.pem\nenvironmentpath = {self.environments}\nca_server = localhost\n"
            f"node_terminus = exec\nexternal_nodes = {self.top}/enc\n")
        (self.top / "enc.d").mkdir()
        (self.top / "enc").write_text(f"#!/bin/sh\nif [ -f {self.top}/enc.d/$1 ]; then cat {self.top}/enc.d/$1; else echo 'classes: {{}}'; fi\n")
        (self.top / "enc").chmod(0o755)
        self.environment("production")

    def new_code(self):
        shutil.rmtree(self.environments)
        self.environment("production")
        for file in (self.top / "enc.d").glob("*"):
            file.unlink()

    def classify(self, node, text):
        (self.top / "enc.d" / node).write_text(text)

    def version(self, name="production"):
        """The code as it is becomes a commit."""
        for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x")):
            subprocess.run(("git", *words), cwd=self.environments / name, check=True, capture_output=True)

    def bucket(self):
        return self.top / "server/bucket"

    def forget(self, node):
        if self.main:
            self.main.forget(node)

    def revoke(self, node):
        """The server refuses the node's certificate from now on."""
        self.ca.revoke(node)
        self.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)

    def start(self, *words):
        self.process = subprocess.Popen([self.program, "--config", self.top / "puppet.conf", "--listen", f"127.0.0.1:{self.port}", "--log", self.top / "log", "--access-log", self.top / "access",
                                         "--idle-timeout", "5", "--ca-port", str(self.ca_port or self.port), *words], stderr=subprocess.DEVNULL)
        for _ in range(400):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("the server does not listen: " + (self.top / "log").read_text())

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
            self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.top, ignore_errors=True)

    def access(self):
        path = self.top / "access"
        return path.read_text() if path.exists() else ""


class Agent:
    """A machine's side: directories of its own, a certificate, a program."""

    def __init__(self, fleet, directory, command, name="node.example.com", certificate=True):
        self.fleet, self.root, self.command, self.name = fleet, pathlib.Path(directory), list(command), name
        for sub in ("conf", "var", "target"):
            (self.root / sub).mkdir(parents=True)
        if certificate:
            if not (fleet.ca.directory / f"{name}.pem").exists():
                fleet.ca.issue(name)
            self.install(fleet.ca.directory / f"{name}.pem", fleet.ca.directory / f"{name}.key")
        self.configure()

    def install(self, certificate, key, authority=None):
        directory = (authority or self.fleet.ca).directory
        for place, source in (("certs/ca.pem", directory / "ca.pem"), ("crl.pem", directory / "crl.pem"), (f"certs/{self.name}.pem", certificate), (f"private_keys/{self.name}.pem", key)):
            file = self.root / "ssl" / place
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, file)

    def configure(self, **settings):
        """puppet.conf with more settings."""
        r = self.root
        lines = {"confdir": r / "conf", "vardir": r / "var", "ssldir": r / "ssl", "logdir": r / "var/log", "rundir": r / "var/run", "publicdir": r / "var/public", "codedir": r / "conf/code", "statedir": r / "var/state",
                 "server": "localhost", "serverport": self.fleet.port, "certname": self.name, "color": "false"} | settings
        (r / "conf/puppet.conf").write_text("[main]\n" + "".join(f"{k} = {v}\n" for k, v in lines.items() if k != "confdir"))

    def run(self, *words, timeout=300, **environment):
        command = [*self.command, "--config", self.root / "conf/puppet.conf", "--confdir", self.root / "conf", *words]
        done = subprocess.run([str(w) for w in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, cwd=self.root,
                              env=os.environ | {"FACTER_target": str(self.root / "target"), "LC_ALL": "C.UTF-8"} | environment)
        return done.returncode, self.plain(done.stdout)

    def plain(self, text):
        """What a run prints without what differs between two runs that are equal."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", text).replace(str(self.root), "ROOT").replace(str(self.fleet.environments), "CODE").replace(self.fleet.code_path, "CODE").replace(str(self.fleet.top), "TOP")
        text = re.sub(r"configuration version '\d+'", "configuration version 'N'", text)
        text = re.sub(r"after \d+\.\d+ seconds", "after N seconds", text).replace(f"localhost:{self.fleet.port}", "SERVER")
        text = re.sub(r"(--- \S+|\+\+\+ \S+)\t.*", r"\1", text)
        text = re.sub(r"ROOT/\S*puppet-file\S*|/tmp/puppet-file\S*", "TEMPORARY", text)
        return re.sub(r"in \d+\.\d+ seconds", "in N seconds", text)

    def read(self, path):
        file = self.root / path
        return file.read_text() if file.exists() else None


class FakeServer:
    """A server that answers what a test wants: `answers` has (method, path without query) -> (status, headers, body) or a function of the request's body. Also a CA that signs what it is asked for
    when `signs` is set."""

    def __init__(self, fleet, tls=True, authority=None):
        self.fleet, self.answers, self.with_headers, self.asked, self.signs = fleet, {}, {}, [], False
        self.requests = pathlib.Path(tempfile.mkdtemp(prefix="requests", dir=fleet.top))
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.split("?")[0]
                outer.asked.append((self.command, self.path))
                found = outer.answers.get((self.command, path)) or outer.authority(self.command, path, body) or (404, {"Content-Type": "application/json"}, b'{"message":"Not Found"}')
                if (self.command, path) in outer.with_headers:
                    found = outer.with_headers[self.command, path](self.headers, body)
                status, headers, out = found(body) if callable(found) else found
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if not headers.keys() & {"Content-Length", "Transfer-Encoding"}:
                    self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                if self.command != "HEAD":
                    with contextlib.suppress(OSError):  # who got too much hangs up
                        for part in [out] if isinstance(out, bytes) else out:
                            self.wfile.write(part)

            do_GET = do_PUT = do_POST = do_HEAD = answer

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            directory = (authority or fleet.ca).directory
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(directory / "localhost.pem", directory / "localhost.key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def authority(self, method, path, body):
        text = {"Content-Type": "text/plain"}
        ca = self.fleet.ca.directory
        if path == "/puppet-ca/v1/certificate/ca":
            return 200, text, (ca / "ca.pem").read_bytes()
        if path == "/puppet-ca/v1/certificate_revocation_list/ca":
            return 200, text, (ca / "crl.pem").read_bytes()
        name = path.rsplit("/", 1)[-1]
        request, certificate = self.requests / f"{name}.csr", self.requests / f"{name}.pem"
        if path.startswith("/puppet-ca/v1/certificate_request/") and method == "PUT":
            if request.exists():
                return 400, text, b"there is one"
            request.write_bytes(body)
            return 200, text, b""
        if path.startswith("/puppet-ca/v1/certificate/") and self.signs and request.exists():
            if not certificate.exists():
                self.fleet.ca.sign(request, certificate)
            return 200, text, certificate.read_bytes()
        return None

    def json(self, method, path, document):
        self.answers[method, path] = (200, {"Content-Type": "application/json"}, json.dumps(document).encode())

    def node(self, name, *resources):
        """All that a run asks for, with a catalog of these resources."""
        self.json("GET", f"/puppet/v3/node/{name}", {"name": name, "environment": "production", "parameters": {}})
        root = {"path": "/x", "relative_path": ".", "links": "follow", "owner": 0, "group": 0, "mode": 0o755, "checksum": {"type": "ctime", "value": "{ctime}2020-01-01 00:00:00 +0000"}, "type": "directory",
                "destination": None}
        for mount in ("plugins", "pluginfacts"):
            self.json("GET", f"/puppet/v3/file_metadatas/{mount}", [root])
        head = [{"type": "Stage", "title": "main", "tags": ["stage"], "exported": False, "parameters": {"name": "main"}}, {"type": "Class", "title": "main", "tags": ["class"], "exported": False, "parameters": {}}]
        edges = [{"source": "Stage[main]", "target": "Class[main]"}] + [{"source": "Class[main]", "target": f"{r['type']}[{r['title']}]"} for r in resources]
        self.json("POST", f"/puppet/v3/catalog/{name}", {"tags": [], "name": name, "version": 1, "catalog_uuid": "u", "catalog_format": 2, "environment": "production",
                                                         "resources": head + [{"tags": [], "exported": False, "line": 1} | r for r in resources], "edges": edges, "classes": []})
        self.json("PUT", f"/puppet/v3/report/{name}", ["store"])

    def close(self):
        self.server.shutdown()
        self.server.server_close()
