"""A pupc-server with a CA of its own, for tests. Usage of those: TEST PUPC_SERVER SAMPLE"""
import contextlib
import gzip
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
import tempfile
import time
import unittest
import urllib.parse

if len(sys.argv) < 3:
    print(__doc__)
    sys.exit(2)
SERVER, SAMPLE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
if shutil.which("openssl") is None:
    print("skipped: openssl is not installed")
    sys.exit(77)
if not os.access(SERVER, os.X_OK):
    print("skipped: pupc-server is not built")
    sys.exit(77)
NODE = "worker01.fra.example.com"
EMPTY_FACTS = {"name": NODE, "values": {}}


def openssl(directory, *words):
    subprocess.run(("openssl",) + words, cwd=directory, check=True, capture_output=True)


def make_ca(directory, name):
    """A CA in the directory, with a revocation list."""
    directory.mkdir()
    (directory / "index").touch()
    (directory / "serial").write_text("01\n")
    (directory / "ca.cnf").write_text("[ca]\ndefault_ca=c\n[c]\ndatabase=index\nnew_certs_dir=.\nserial=serial\ndefault_md=sha256\ndefault_days=30\n"
                                      "default_crl_days=30\npolicy=p\ncopy_extensions=copy\nunique_subject=no\n[p]\ncommonName=supplied\n[req]\ndistinguished_name=d\n[d]\n")
    openssl(directory, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", f"/CN={name}")
    revoke(directory)


def make_certificate(directory, name, *words):
    openssl(directory, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName=DNS:{name}", "-addext", "1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:worker")
    openssl(directory, "ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr", "-out", f"{name}.pem", *words)


def revoke(directory, *names):
    for name in names:
        openssl(directory, "ca", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-revoke", f"{name}.pem")
    openssl(directory, "ca", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-gencrl", "-out", "crl.pem")


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()
        if self.headers.get("Content-Encoding") == "gzip":
            self.body = gzip.decompress(self.body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Served(unittest.TestCase):
    WORDS = ("--ruby", "never")  # of the command line

    @classmethod
    def setUpClass(cls):
        cls.top = pathlib.Path(tempfile.mkdtemp(prefix="pupc-server-"))
        cls.ca = cls.top / "ca"
        make_ca(cls.ca, "Test CA")
        for name in ("localhost", NODE, "other.example.com", "gone.example.com"):
            make_certificate(cls.ca, name)
        make_certificate(cls.ca, "old.example.com", "-startdate", "200101000000Z", "-enddate", "200201000000Z")
        revoke(cls.ca, "gone.example.com")
        make_ca(cls.top / "foreign", "Foreign CA")
        make_certificate(cls.top / "foreign", NODE)
        cls.make_code()
        cls.start()

    @classmethod
    def make_code(cls):
        environments = cls.top / "environments"
        shutil.copytree(os.path.join(SAMPLE, "environments"), environments, symlinks=True)
        small = environments / "small"
        (small / "manifests").mkdir(parents=True)
        (small / "manifests/site.pp").write_text("notify { \"role ${trusted['extensions']['pp_role']} of ${trusted['certname']}\": }\n"
                                                 "if $facts['fail'] { fail('as asked') }\nnotify { \"rack ${trusted['external']['rack']}\": }\n")
        files = small / "modules/demo/files"
        (files / "tree/sub").mkdir(parents=True)
        (files / "one.txt").write_text("one\n")
        (files / "tree/a").write_text("a\n")
        (files / "tree/sub/b c.txt").write_text("b\n")
        (files / "tree/x.bak").write_text("x\n")
        (files / "big").write_bytes(os.urandom(3_000_000))
        os.symlink("a", files / "tree/link")
        (cls.top / "outside").write_text("secret\n")
        (cls.top / "outside.d").mkdir()
        (cls.top / "outside.d/key").write_text("secret\n")
        os.symlink(cls.top / "outside.d", files / "tree_out")
        os.symlink("/dev/zero", files / "device")
        os.mkfifo(files / "pipe")
        (files / ("a" * 60)).write_text("")
        os.symlink(cls.top / "outside", files / "way_out")
        (small / "modules/demo/lib/facter").mkdir(parents=True)
        (small / "modules/demo/lib/facter/f.rb").write_text("# a fact\n")
        (cls.top / "mount").mkdir()
        (cls.top / "mount" / NODE).write_text("mine\n")
        (cls.top / "fileserver.conf").write_text(f"[extra]\n  path {cls.top}/mount\n  allow *\n")
        (cls.top / "enc").write_text("#!/bin/sh\ncase $1 in other.*) echo 'environment: small';; slow.*) sleep 1000;; large.*) cat /dev/zero;; failing.*) exit 3;; *) echo 'classes: []';; esac\n")
        (cls.top / "enc").chmod(0o755)
        (cls.top / "external").write_text(f"#!/bin/sh\n[ -e {cls.top}/external_fails ] && exit 3\necho '{{\"rack\": \"7 of '$1'\"}}'\n")
        (cls.top / "external").chmod(0o755)
        (cls.top / "puppet.conf").write_text(f"[main]\ncertname = localhost\nvardir = {cls.top}/var\nhostcert = {cls.ca}/localhost.pem\nhostprivkey = {cls.ca}/localhost.key\n"
                                             f"localcacert = {cls.ca}/ca.pem\nhostcrl = {cls.ca}/crl.pem\nenvironmentpath = {environments}\nca_server = localhost\n"
                                             f"node_terminus = exec\nexternal_nodes = {cls.top}/enc\n"
                                             f"trusted_external_command = {cls.top}/external\n")

    @classmethod
    @contextlib.contextmanager
    def another(cls, *words):
        """One more server beside the first, with other options."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = subprocess.Popen([SERVER, "--config", cls.top / "puppet.conf", "--listen", f"127.0.0.1:{port}", "--log", cls.top / "log", *cls.WORDS, *words], stderr=subprocess.DEVNULL)
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(40)

    @classmethod
    def start(cls):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            cls.port = probe.getsockname()[1]
        cls.process = subprocess.Popen([SERVER, "--config", cls.top / "puppet.conf", "--listen", f"127.0.0.1:{cls.port}", "--log", cls.top / "log", "--access-log", cls.top / "access",
                                        "--max-request", "2", "--idle-timeout", "3", *cls.WORDS, "--ca-port", str(cls.port)], stderr=subprocess.PIPE, text=True)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", cls.port), 1):
                return
            if cls.process.poll() is not None:
                raise RuntimeError(cls.process.stderr.read())
            time.sleep(0.05)
        raise RuntimeError("the server does not listen")

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGTERM)
        code = cls.process.wait(40)
        problems = cls.process.stderr.read().replace("Warning: pupc-server runs as root, which it never needs: run it as the user who owns the certificates\n", "")
        cls.process.stderr.close()
        shutil.rmtree(cls.top)
        assert (code, problems) == (0, ""), (code, problems)

    def context(self, name=NODE, authority=None):
        context = ssl.create_default_context(cafile=self.ca / "ca.pem")
        if name:
            directory = authority or self.ca
            context.load_cert_chain(directory / f"{name}.pem", directory / f"{name}.key")
        return context

    def connect(self, name=NODE, authority=None):
        return http.client.HTTPSConnection("localhost", self.port, context=self.context(name, authority), timeout=20)

    def ask(self, method, path, name=NODE, body=None, authority=None, **headers):
        connection = self.connect(name, authority)
        try:
            connection.request(method, path, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, name=NODE, **headers):
        return self.ask("GET", path, name, **headers)

    def raw(self, data, name=NODE, wait=5):
        """What comes back for bytes that are no request of a library."""
        with socket.create_connection(("localhost", self.port), wait) as plain, self.context(name).wrap_socket(plain, server_hostname="localhost") as s:
            s.settimeout(wait)
            out = b""
            with contextlib.suppress(OSError):
                s.sendall(data)
            with contextlib.suppress(OSError):
                while part := s.recv(65536):
                    out += part
            return out

    def catalog(self, facts=None, name=NODE, environment="small", document=None, **extra):
        quote = lambda text: urllib.parse.quote(text, safe="")
        document = json.dumps(facts or {"name": name, "values": {}}) if document is None else document
        form = {"facts_format": "application/json", "facts": quote(document), "environment": environment} | extra
        return self.ask("POST", f"/puppet/v3/catalog/{name}?environment={environment}", name, "&".join(f"{k}={quote(v)}" for k, v in form.items() if v is not None),
                        Content_Type="application/x-www-form-urlencoded", Accept="application/vnd.puppet.rich+json, application/json", Accept_Encoding="gzip")

    def logged(self, text, seconds=2):
        end = time.time() + seconds
        while time.time() < end:
            if text in (self.top / "log").read_text():
                return True
            time.sleep(0.02)
        return False
