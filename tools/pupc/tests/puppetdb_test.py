"""Compiles that collect from a PuppetDB: one that this test plays over TLS on loopback."""
import gzip
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
        self.commands, self.answer = [], lambda query: []
        self.queries, self.peers, self.status, self.body, self.cut, self.wait = [], [], 200, json.dumps(ANSWER), 0, 0
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                if url.path.startswith("/node/"):
                    owner.commands.append((self.path, None))
                    text = owner.answer(url.path).encode()
                    self.send_response(200 if text else 404)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                    return
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

            def do_POST(self):
                url = urllib.parse.urlsplit(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"]))
                body = json.loads(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
                status, answer = owner.status, {"uuid": f"uuid-{len(owner.commands)}"} if owner.status == 200 else "away"
                if url.path == "/pdb/query/v4":
                    owner.queries.append(body["query"])
                    answer = owner.answer(body["query"])
                elif url.path.startswith("/classifier-api/"):
                    owner.commands.append((url.path, body))
                    answer = owner.answer(url.path)
                elif status == 200:
                    of = dict(urllib.parse.parse_qsl(url.query))
                    owner.commands.append((of["command"], of["certname"], body))
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

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
        face = [*words[:2], "--confdir", self.folder] if words[0] == "node" else words[:1]
        words = words[1:] if words[0] == "node" else words
        done = subprocess.run([PUPC, *face, "--config", self.folder + "/puppet.conf", "--storeconfigs", "puppetdb", *words[1:]],
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

    def apply(self, *words):
        return self.run_pupc("apply", "-e", "@@notify { 'exported': } notify { 'here': }", "--vardir", self.folder + "/var", "--node", "me", "--facts", self.facts({"me": {"role": "web"}}) + "/me.json", *words)

    def facts(self, nodes):
        folder = self.folder + "/facts"
        os.makedirs(folder, exist_ok=True)
        for name, values in nodes.items():
            with open(f"{folder}/{name}.json", "w", encoding="utf-8") as f:
                json.dump({"name": name, "values": values}, f)
        return folder

    def test_apply_sends_what_the_settings_say(self):
        status, out, err = self.apply()
        self.assertEqual(status, 0, out + err)
        self.assertEqual([c[:2] for c in self.db.commands], [("replace_facts", "me"), ("replace_catalog", "me")])
        self.assertEqual(self.db.commands[0][2]["values"]["role"], "web")
        self.assertTrue({"type": "Notify", "title": "exported", "exported": True}.items() <= next(r for r in self.db.commands[1][2]["resources"] if r["title"] == "exported").items())
        self.db.commands.clear()
        self.assertEqual(self.apply("--reports", "puppetdb,store")[0], 0)
        self.assertEqual([c[:2] for c in self.db.commands], [("replace_facts", "me"), ("replace_catalog", "me"), ("store_report", "me")])
        self.assertEqual([r["resource_title"] for r in self.db.commands[2][2]["resources"]], ["here"])
        with open(self.folder + "/routes.yaml", "w", encoding="utf-8") as f:
            f.write("---\napply:\n  facts:\n    terminus: facter\n    cache: yaml\n")
        self.db.commands.clear()
        self.assertEqual(self.apply()[0], 0)
        self.assertEqual([c[0] for c in self.db.commands], ["replace_catalog"])
        with open(self.folder + "/routes.yaml", "w", encoding="utf-8") as f:
            f.write("---\napply:\n  catalog:\n    terminus: rest\n")
        status, out, err = self.apply()
        self.assertEqual(status, 1)
        self.assertIn("the terminus 'rest' for catalog is not supported (file: " + self.folder + "/routes.yaml", err)

    def test_what_apply_cannot_send_waits_for_the_next_run(self):
        self.db.status = 503
        status, out, err = self.apply("--reports", "puppetdb")
        self.assertEqual(status, 0, out + err)
        self.assertIn("PuppetDB takes no commands, 1 wait in " + self.folder + "/var/puppetdb_spool", err)
        self.assertEqual(len([f for f in os.listdir(self.folder + "/var/puppetdb_spool") if f.endswith(".json")]), 3)
        self.db.status = 200
        self.assertEqual(self.apply()[0], 0)
        # Of the run before what was not replaced while it waited, in order; then this run's.
        self.assertEqual([c[0] for c in self.db.commands], ["replace_catalog", "store_report", "replace_facts", "replace_catalog"])
        self.assertEqual([f for f in os.listdir(self.folder + "/var/puppetdb_spool") if f.endswith(".json")], [])

    def test_no_place_to_keep_commands(self):
        os.makedirs(self.folder + "/var")
        with open(self.folder + "/var/puppetdb_spool", "w", encoding="utf-8"):
            pass
        status, out, err = self.apply()
        self.assertEqual(status, 1)
        self.assertIn("The spool of PuppetDB's commands: ", err)
        self.configure(self.db.url, more="soft_write_failure = true\n")
        self.assertEqual(self.apply()[0], 0)

    def test_deactivated_nodes_and_their_status(self):
        status, out, err = self.run_pupc("node", "deactivate", "old1", "old2")
        self.assertEqual((status, out), (0, "Submitted 'deactivate node' for old1 with UUID uuid-0\nSubmitted 'deactivate node' for old2 with UUID uuid-1\n"), err)
        self.assertEqual([(c[0], c[2]["certname"]) for c in self.db.commands], [("deactivate_node", "old1"), ("deactivate_node", "old2")])
        self.db.answer = lambda query: [{"certname": "gone", "deactivated": "D", "expired": None, "catalog_timestamp": "C", "facts_timestamp": None}] if "gone" in str(query) else []
        status, out, err = self.run_pupc("node", "status", "gone", "nobody")
        self.assertEqual((status, out), (0, "gone\nDeactivated at D\nLast catalog: C\nNo facts received\n\nnobody\nNo information known\n"), err)
        self.db.status = 400
        self.assertEqual(self.run_pupc("node", "deactivate", "old1")[0], 1)

    INVENTORY = {n: {"certname": n, "facts": {"role": r, "trusted": {"certname": n}}, "trusted": {"certname": n, "extensions": {"pp_role": r.upper()}}} for n, r in (("n1", "web"), ("n2", "db"))}

    def inventory(self, query):
        if isinstance(query, str):
            return [{"certname": n} for n in self.INVENTORY] if query.startswith("nodes") else list(self.INVENTORY.values())
        return [self.INVENTORY[n] for n in query[2][2][2][1] if n in self.INVENTORY]

    def test_nodes_and_facts_from_puppetdb(self):
        self.db.answer = self.inventory
        code = "notify { \"${facts['role']} ${trusted['extensions']['pp_role']} ${trusted['certname']} ${facts['trusted']}\": }"
        with open(self.folder + "/answer.json", "w", encoding="utf-8") as f:
            json.dump(list(self.INVENTORY.values()), f)
        for place in ("puppetdb:", "puppetdb:nodes[certname] { }", self.folder + "/answer.json"):
            with self.subTest(place):
                status, _, err = self.run_pupc("compile", "-e", code, "--all-nodes", place, "--output", self.folder + "/out")
                self.assertEqual(status, 0, err)
                for node, says in (("n1", "web WEB n1 "), ("n2", "db DB n2 ")):
                    with open(f"{self.folder}/out/{node}.json", encoding="utf-8") as f:
                        self.assertIn(says, [r["title"] for r in json.load(f)["resources"]])
                status, out, err = self.run_pupc("compile", "-e", code, "--facts", place, "--node", "n2")
                self.assertEqual(status, 0, err)
                self.assertIn("db DB n2 ", [r["title"] for r in json.loads(out)["resources"]])
                self.assertIn("Could not find facts of node 'n3'", self.run_pupc("compile", "-e", code, "--facts", place, "--node", "n3")[2])
                done = subprocess.run([PUPC, "facts", "--config", self.folder + "/puppet.conf", "--from", place, "--output", self.folder + "/copied"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(f"{self.folder}/copied/n1.json", encoding="utf-8") as f:
                    self.assertEqual(json.load(f), {"name": "n1", "values": {"role": "web"}})
        self.db.answer = lambda query: [{"title": "x"}]
        self.assertIn("The answer has a row without certname", self.run_pupc("compile", "-e", "", "--all-nodes", "puppetdb:resources { }", "--output", self.folder + "/out")[2])

    def puppet(self, *words):
        """A command of Puppet's with the settings of this test."""
        done = subprocess.run([PUPC, "puppet", *words, "--config", self.folder + "/puppet.conf", "--confdir", self.folder, "--vardir", self.folder + "/var", "--environmentpath", self.folder + "/environments"], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_lookup_takes_the_last_facts_of_a_node(self):
        """Expected answers are those of Puppet 8.11: `lookup --node N` takes facts and trusted data from the terminus of facts."""
        os.makedirs(self.folder + "/environments/production/data")
        with open(self.folder + "/environments/production/hiera.yaml", "w", encoding="utf-8") as f:
            f.write("version: 5\n")
        with open(self.folder + "/environments/production/data/common.yaml", "w", encoding="utf-8") as f:
            f.write("k: \"%{facts.role} %{trusted.authenticated} %{trusted.certname} %{trusted.extensions.pp_role}\"\n")
        whole = {"authenticated": "remote", "certname": "cert-n1", "extensions": {"pp_role": "WEB"}}
        rows = {"n1": {"certname": "n1", "facts": {"role": "web", "clientcert": "n1c", "trusted": whole}, "trusted": whole},
                "n2": {"certname": "n2", "facts": {"role": "db", "clientcert": "n2c", "trusted": {"certname": "x"}}, "trusted": {"certname": "x"}}}
        self.db.answer = lambda query: [rows[n] for n in query[2][2][2][1] if n in rows]
        by_setting, nobody = ("--facts_terminus", "puppetdb"), "Error: Could not run: No facts available for target node: n3\n"
        for route in ("", "lookup", "server"):
            with self.subTest(route):
                if route:
                    with open(self.folder + "/routes.yaml", "w", encoding="utf-8") as f:
                        f.write(f"---\n{route}:\n  facts:\n    terminus: puppetdb\n    cache: yaml\n")
                words = by_setting if route == "" else ()
                if route == "server":  # which is not the part of a lookup
                    self.assertEqual(self.puppet("lookup", "k", "--node", "n1"), (1, "", nobody.replace("n3", "n1")))
                    continue
                self.assertEqual(self.puppet("lookup", "k", "--node", "n1", *words), (0, "--- web remote cert-n1 WEB\n", ""))
                # Trusted data that are not whole are none: those of the certificate that the facts name count.
                self.assertEqual(self.puppet("lookup", "k", "--node", "n2", *words), (0, "--- 'db local n2c '\n", ""))
                self.assertEqual(self.puppet("lookup", "k", "--node", "n3", *words), (1, "", nobody))
        given = self.facts({"more": {"role": "given"}}) + "/more.json"
        self.assertEqual(self.puppet("lookup", "k", "--node", "n1", "--facts", given, *by_setting), (0, "--- given remote cert-n1 WEB\n", ""))
        with open(given, "w", encoding="utf-8") as f:
            f.write('{"clientcert": "other"}')
        self.assertIn(f"When overriding any of the hostname,domain,fqdn,clientcert facts with {given} given via the --facts flag, they must all be overridden.", self.puppet("lookup", "k", "--node", "n1", "--facts", given, *by_setting)[2])
        os.remove(self.folder + "/routes.yaml")
        self.assertEqual(self.puppet("lookup", "k", "--node", "n1", "--facts_terminus", "nosuch"), (1, "", "Error: Could not run: Could not find terminus nosuch for indirection facts\n"))
        # The same without Puppet's command line, where a setting says so or the place is named.
        for words in (by_setting, ("--facts", "puppetdb:")):
            status, out, err = self.run_pupc("lookup", "k", "--confdir", self.folder, "--environmentpath", self.folder + "/environments", "--node", "n1", *words)
            self.assertEqual((status, out, err), (0, "--- web remote cert-n1 WEB\n", ""))
        os.makedirs(self.folder + "/environments/production/manifests")
        with open(self.folder + "/environments/production/manifests/site.pp", "w", encoding="utf-8") as f:
            f.write("notify { \"${facts['role']} ${trusted['certname']}\": }\n")
        status, out, err = self.puppet("catalog", "compile", "n1", *by_setting)
        self.assertEqual(status, 0, err)
        self.assertIn('"web cert-n1"', out)
        self.db.close()
        status, out, err = self.puppet("lookup", "k", "--node", "n1", *by_setting)
        self.assertEqual((status, out, err.count("Error: ")), (1, "", 1))
        self.assertIn("Error: Could not run: Could not query the PuppetDB at " + self.db.url, err)

    def test_lookup_asks_no_classifier(self):
        """Only `lookup --compile` asks one, and the command line goes before its environment."""
        for name in ("production", "test", "third"):
            os.makedirs(f"{self.folder}/environments/{name}/data")
            with open(f"{self.folder}/environments/{name}/hiera.yaml", "w", encoding="utf-8") as f:
                f.write("version: 5\n")
            with open(f"{self.folder}/environments/{name}/data/common.yaml", "w", encoding="utf-8") as f:
                f.write(f"k: \"{name} %{{environment}} %{{server_facts.environment}}\"\n")
        facts, enc = self.facts({"n1": {"role": "web"}}) + "/n1.json", self.folder + "/enc.yaml"
        with open(enc, "w", encoding="utf-8") as f:
            f.write("environment: test\n")
        words = ("lookup", "k", "--node", "n1", "--facts", facts, "--node_terminus", "exec", "--external_nodes", enc)
        for more, name in (((), "production"), (("--compile",), "test"), (("--compile", "--environment", "third"), "third")):
            self.assertEqual(self.puppet(*words, *more), (0, f"--- {name} {name} {name}\n", ""))

    def test_classifiers(self):
        url = self.db.url
        self.db.answer = lambda path: "---\nclasses: {a: {x: 7}}\nparameters: {p: foreman}\n" if path == "/node/n1" else ""
        code = "class a($x) { notify { \"${x} ${p}\": } }"
        status, out, err = self.run_pupc("compile", "-e", code, "--node", "n1", "--enc", "foreman:" + url)
        self.assertEqual(status, 0, err)
        self.assertIn("7 foreman", [r["title"] for r in json.loads(out)["resources"]])
        self.assertEqual(self.db.commands, [("/node/n1?format=yml", None)])
        self.assertIn("Could not find node 'n2'; cannot compile", self.run_pupc("compile", "-e", code, "--node", "n2", "--enc", "foreman:" + url)[2])
        self.db.commands.clear()
        self.db.answer = lambda path: {"name": path[-2:], "environment": "agent-specified", "classes": {"a": {"x": 1}}, "parameters": {"p": "console/\u00e4"}, "groups": []}
        facts = self.facts({"n1": {"role": "web"}, "n2": {"role": "db"}})
        status, out, err = self.run_pupc("compile", "-e", code, "--all-nodes", facts, "--output", self.folder + "/out", "--enc", "console:" + url + "/classifier-api")
        self.assertEqual(status, 0, err)
        self.assertEqual(sorted((c[0], c[1]["fact"]["role"], c[1]["trusted"]["certname"]) for c in self.db.commands),
                         [("/classifier-api/v1/classified/nodes/n1", "web", "n1"), ("/classifier-api/v1/classified/nodes/n2", "db", "n2")])
        with open(self.folder + "/out/n1.json", encoding="utf-8") as f:
            self.assertIn("1 console/\u00e4", [r["title"] for r in json.load(f)["resources"]])
        # The form of its documentation, and its other version.
        self.db.commands.clear()
        self.db.answer = lambda path: {"name": path[-2:], "groups": [{"id": "1", "name": "g"}], "environment": "production", "classes": ["a"], "parameters": {"a": {"x": 2}, "p": "console v2"}}
        status, out, err = self.run_pupc("compile", "-e", code, "--node", "n1", "--enc", "console:" + url + "/classifier-api/v2/")
        self.assertEqual((status, [c[0] for c in self.db.commands]), (0, ["/classifier-api/v2/classified/nodes/n1"]), err)
        self.assertIn("2 console v2", [r["title"] for r in json.loads(out)["resources"]])
        # Its rules choose by the trusted data that somebody keeps of the node, or that an option names.
        with open(self.folder + "/answer.json", "w", encoding="utf-8") as f:
            json.dump(list(self.INVENTORY.values()), f)
        with open(self.folder + "/trusted.json", "w", encoding="utf-8") as f:
            json.dump({"certname": "n1", "extensions": {"pp_role": "NAMED"}}, f)
        known, console = self.folder + "/answer.json", ("--enc", "console:" + url + "/classifier-api")
        for words, roles in ((("compile", "--all-nodes", known, "--output", self.folder + "/out"), ["DB", "WEB"]), (("compile", "--node", "n1", "--facts", known), ["WEB"]),
                             (("why", "Notify", "--node", "n1", "--facts", known), ["WEB"]), (("compile", "--node", "n1", "--facts", known, "--trusted", self.folder + "/trusted.json"), ["NAMED"])):
            with self.subTest(words):
                self.db.commands.clear()
                self.run_pupc(words[0], "-e", code, *words[1:], *console)
                self.assertEqual(sorted(c[1]["trusted"]["extensions"]["pp_role"] for c in self.db.commands), roles)
        self.db.status = 500
        err = self.run_pupc("compile", "-e", code, "--node", "n1", "--enc", "console:" + url + "/classifier-api")[2]
        self.assertIn("Could not classify n1 at " + url, err)
        self.db.answer = lambda path: {"kind": "classification-conflict", "msg": "The groups\nsay two things.", "details": {}}
        err = self.run_pupc("compile", "-e", code, "--node", "n1", "--enc", "console:" + url + "/classifier-api")[2]
        self.assertIn("Classification of n1 failed due to a classification conflict: The groups say two things.", err)
        self.assertIn("it must be https", self.run_pupc("compile", "-e", code, "--node", "n1", "--enc", "foreman:http://localhost:1")[2])


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("skipped: the program openssl is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
