"""Compiles that collect from a PuppetDB: one that this test plays over TLS on loopback."""
import http.server
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

PUPC = os.path.abspath(sys.argv[1])

# As PuppetDB 7 answers a query for resources.
ANSWER = [
    {"tags": ["file", "web"], "file": "/m/site.pp", "type": "File", "title": "/z", "line": 1, "resource": "0d5e", "environment": "production",
     "certname": "web2", "parameters": {"content": "two", "require": "File[/y]"}, "exported": True},
    {"tags": ["file"], "file": None, "type": "File", "title": "/y", "line": None, "resource": "0d5f", "environment": "production",
     "certname": "web1", "parameters": {"mode": "0600"}, "exported": True},
]


class PuppetDb:
    """`answer` is a function of the decoded query, or of nothing but a status, a body, and how many bytes of it to send."""

    def __init__(self, folder, name="server"):
        self.queries, self.peers, self.status, self.body, self.cut, self.wait = [], [], 200, json.dumps(ANSWER), 0, 0
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                owner.queries.append((url.path, json.loads(urllib.parse.parse_qs(url.query)["query"][0])))
                owner.peers.append(self.connection.getpeercert())
                time.sleep(owner.wait)
                body = owner.body.encode()
                self.send_response(owner.status)
                self.send_header("Content-Type", "application/json;charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:len(body) - owner.cut])
                self.close_connection = bool(owner.cut)

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass  # a client that goes away

        self.server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
        context.load_verify_locations(f"{folder}/ca.pem")
        context.verify_mode = ssl.CERT_OPTIONAL
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"https://localhost:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def make_certificates(folder):
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    def key(name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name + ".key")

    for ca in ("ca", "other"):
        key(ca)
        openssl("req", "-x509", "-new", "-key", ca + ".key", "-subj", "/CN=" + ca, "-days", "2", "-out", ca + ".pem")
    for name, ca in (("server", "ca"), ("client", "ca"), ("stranger", "other")):
        key(name)
        openssl("req", "-new", "-key", name + ".key", "-subj", "/CN=" + name, "-out", name + ".csr")
        with open(f"{folder}/{name}.ext", "w", encoding="utf-8") as f:
            f.write("subjectAltName=DNS:localhost\n")
        openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".pem", "-CAkey", ca + ".key", "-CAcreateserial", "-days", "2", "-extfile", name + ".ext", "-out", name + ".pem")


class Collecting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tls = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.tls)
        make_certificates(cls.tls)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.db = self.database()
        self.configure(self.db.url)

    def database(self, name="server"):
        db = PuppetDb(self.tls, name)
        self.addCleanup(db.close)
        return db

    def configure(self, *urls, more="", settings="certificate_revocation = false\n"):
        with open(self.folder + "/puppetdb.conf", "w", encoding="utf-8") as f:
            f.write("[main]\nserver_urls = " + ",".join(urls) + "\n" + more)
        with open(self.folder + "/puppet.conf", "w", encoding="utf-8") as f:
            f.write(f"[main]\nhostcert = {self.tls}/client.pem\nhostprivkey = {self.tls}/client.key\nlocalcacert = {self.tls}/ca.pem\n{settings}")

    def run_pupc(self, *words, text=None):
        done = subprocess.run([PUPC, words[0], "--config", self.folder + "/puppet.conf", "--storeconfigs", "puppetdb", *words[1:]],
                              capture_output=True, text=True, timeout=60, input=text)
        return done.returncode, done.stdout, done.stderr

    def compile(self, code, *words):
        return self.run_pupc("compile", "--node", "me", "-e", code, *words)

    def files(self, catalog):
        return [(r["title"], r.get("parameters", {})) for r in json.loads(catalog)["resources"] if r["type"] == "File"]

    def fails(self, code, *reasons):
        status, out, err = self.compile(code)
        self.assertEqual((status, out), (1, ""), err)
        self.assertIn("Could not retrieve resources from the PuppetDB at https://localhost:", err)
        self.assertEqual(err.count("Error: "), 1, err)
        for reason in reasons:
            self.assertIn(reason, err)

    def test_collects_in_the_order_of_the_answer(self):
        status, out, err = self.compile("File <<| tag == 'WEB' and mode != '0644' or title == '/y' |>>")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.files(out), [("/z", {"content": "two", "require": "File[/y]"}), ("/y", {"mode": "0600"})])
        self.assertEqual(self.db.queries, [("/pdb/query/v4/resources", [
            "and", ["=", "type", "File"], ["=", "exported", True], ["not", ["=", "certname", "me"]],
            ["or", ["and", ["=", "tag", "web"], ["not", ["=", ["parameter", "mode"], "0644"]]], ["=", "title", "/y"]]])])
        self.assertEqual(self.db.peers[0]["subject"], ((("commonName", "client"),),))

    def test_shows_no_certificate_when_told(self):
        self.configure(self.db.url, more="verify_client_certificate = false\n")
        self.assertEqual(self.compile("File <<| |>>")[0], 0)
        self.assertFalse(self.db.peers[0])

    def test_no_question_without_a_collector(self):
        self.configure("https://localhost:1", settings="hostcert = /nonexistent\n")
        status, out, err = self.compile("@@file { '/own': }")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.files(out), [])

    def test_a_wrong_configuration_is_one_error(self):
        self.configure(self.db.url, more="soft_write_failure = perhaps\n")
        status, out, err = self.compile("notice(1)")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("soft_write_failure must be true or false, found 'perhaps'", err)
        self.assertIn("puppetdb.conf", err)
        status, out, err = self.compile("notice(1)", "--storeconfigs_backend", "elsewhere")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("storeconfigs_backend is 'elsewhere', but only puppetdb is supported", err)

    def test_failover(self):
        second = self.database()
        self.configure(self.db.url, second.url)
        self.db.status, self.db.body = 503, "starting"
        status, out, err = self.compile("File <<| |>> Host <<| |>>")
        self.assertEqual(status, 1)  # a Host[/z] from the same answer has parameters that no host has
        second.body = "[]"
        status, out, err = self.compile("File <<| |>> Host <<| |>>")
        self.assertEqual(status, 0, err)
        self.assertEqual(err, f"Warning: The PuppetDB at {self.db.url} does not answer: status 503: starting. Asking the next one\n")
        self.db.queries.clear()
        self.configure(self.db.url, second.url, more="sticky_read_failover = true\n")
        self.assertEqual(self.compile("File <<| |>> Host <<| |>>")[0], 0)
        self.assertEqual(len(self.db.queries), 1)

    def test_every_fault_fails_the_compile(self):
        self.db.status, self.db.body = 500, "no\ndatabase"
        self.fails("File <<| |>>", "status 500: no database")
        self.db.status, self.db.body = 400, "bad query"
        self.fails("File <<| |>>", "status 400: bad query")
        self.db.status, self.db.body = 200, '[{"certname": "a"'
        self.fails("File <<| |>>", "its answer is no JSON")
        self.db.body, self.db.cut = json.dumps(ANSWER), 40
        self.fails("File <<| |>>")
        self.db.cut, self.db.wait = 0, 5
        self.configure(self.db.url, more="server_url_timeout = 1\n")
        began = time.monotonic()
        self.fails("File <<| |>>")
        self.assertLess(time.monotonic() - began, 4)
        self.configure("https://localhost:1")
        self.fails("File <<| |>>", "https://localhost:1")

    def test_certificates_are_checked(self):
        stranger = self.database("stranger")
        self.configure(stranger.url)
        self.fails("File <<| |>>")
        self.assertEqual(stranger.queries, [])
        self.configure(self.db.url, settings="certificate_revocation = chain\nhostcrl = /nonexistent/crl.pem\n")
        self.fails("File <<| |>>", "/nonexistent/crl.pem")

    def test_many_nodes_and_batch(self):
        os.mkdir(self.folder + "/facts")
        for n in range(6):
            with open(f"{self.folder}/facts/n{n}.json", "w", encoding="utf-8") as f:
                f.write("{}")
        status, _, err = self.run_pupc("compile", "-e", "File <<| |>>", "--all-nodes", self.folder + "/facts", "--output", self.folder + "/out", "--jobs", "2")
        self.assertEqual(status, 0, err)
        self.assertEqual(sorted(q[1][3][1][2] for q in self.db.queries), [f"n{n}" for n in range(6)])
        with open(self.folder + "/out/n3.json", encoding="utf-8") as f:
            self.assertEqual([t for t, _ in self.files(f.read())], ["/z", "/y"])
        status, out, err = self.run_pupc("compile", "--batch", "-", text='{"id": 1, "node": "b", "code": "File <<| |>>"}\n')
        self.assertEqual(status, 0, err)
        self.assertEqual([r["title"] for r in json.loads(out)["catalog"]["resources"] if r["type"] == "File"], ["/z", "/y"])

    def test_apply(self):
        self.db.body = json.dumps([{"certname": "web1", "type": "File", "title": self.folder + "/made", "parameters": {"ensure": "file", "content": "neighbour"}}])
        status, out, err = self.run_pupc("apply", "-e", "File <<| |>>", "--vardir", self.folder + "/var")
        self.assertEqual(status, 0, out + err)
        with open(self.folder + "/made", encoding="utf-8") as f:
            self.assertEqual(f.read(), "neighbour")


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("skipped: the program openssl is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
