#!/usr/bin/env python3
"""pupc-server with a PuppetDB that is played here: commands, spool, queries. Usage: server_puppetdb_test.py PUPC_SERVER SAMPLE"""
import contextlib
import gzip
import http.server
import json
import ssl
import subprocess
import threading
import time
import unittest
import urllib.parse

from served import NODE, SERVER, Served, make_certificate


class Played(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    commands, queries, away, answer, hangs = [], [], False, [], False

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if Played.away:
            return self.reply(503, {"error": "away"})
        if Played.hangs:
            return time.sleep(60)
        url = urllib.parse.urlsplit(self.path)
        if url.path.startswith("/classifier-api/"):
            Played.queries.append((url.path, json.loads(body)))
            return self.reply(200, Played.answer)
        if url.path == "/pdb/query/v4":
            Played.queries.append(json.loads(body)["query"])
            return self.reply(200, Played.answer)
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        assert int(self.headers["X-Uncompressed-Length"]) == len(body)
        query = dict(urllib.parse.parse_qsl(url.query))
        Played.commands.append((query["command"], query["version"], query["certname"], json.loads(body)))
        self.reply(200, {"uuid": "1"})

    def do_GET(self):
        Played.queries.append(self.path)
        self.reply(503 if Played.away else 200, [] if Played.away else Played.answer)

    def log_message(self, *words):
        pass


class PuppetDbTest(Served):
    @classmethod
    def make_code(cls):
        super().make_code()
        make_certificate(cls.ca, "puppetdb")
        cls.played = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Played)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=cls.ca / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(cls.ca / "localhost.pem", cls.ca / "localhost.key")
        cls.played.socket = context.wrap_socket(cls.played.socket, server_side=True)
        threading.Thread(target=cls.played.serve_forever, daemon=True).start()
        with (cls.top / "puppet.conf").open("a") as conf:
            conf.write(f"confdir = {cls.top}\nroute_file = {cls.top}/routes.yaml\n[server]\nstoreconfigs = true\nstoreconfigs_backend = puppetdb\nreports = store,puppetdb\n")
        (cls.top / "routes.yaml").write_text("---\nserver:\n  facts:\n    terminus: puppetdb\n    cache: yaml\n")
        (cls.top / "puppetdb.conf").write_text(f"[main]\nserver_urls = https://localhost:{cls.played.server_port}\n")
        for name, text in {"export": "@@notify { \"from ${facts['colour']}\": tag => 'x' }\nfile { '/a/': ensure => file, content => Sensitive('secret'), mode => '0600' }\n"
                                     "service { 's': require => File['/a'], subscribe => Notify['n'] } notify { 'n': message => [1, { 'a' => /b/ }], alias => 'm' }\n",
                           "collect": "Notify <<| tag == 'x' |>>\n", "ask": "notify { 'answer': message => String(puppetdb_query(['from', 'nodes'])) }\n"}.items():
            manifests = cls.top / "environments" / name / "manifests"
            manifests.mkdir(parents=True)
            (manifests / "site.pp").write_text(text)

    @classmethod
    def tearDownClass(cls):
        cls.played.shutdown()
        cls.played.server_close()
        super().tearDownClass()

    def setUp(self):
        Played.away, Played.hangs, Played.answer = False, False, []
        for _ in range(1200):  # what the test before has left
            if not list((self.top / "var/puppetdb_spool").glob("*.json")):
                break
            time.sleep(0.05)
        Played.commands.clear()
        Played.queries.clear()

    def wait_for(self, count):
        for _ in range(400):
            if len(Played.commands) >= count:
                return sorted(Played.commands, key=lambda c: c[0])
            time.sleep(0.05)
        self.fail(f"only {len(Played.commands)} commands came")

    @contextlib.contextmanager
    def classified_by(self, classifier, *words):
        """Requests go to a server with this classifier."""
        with self.another("--enc", classifier, *words, "--vardir", str(self.top / "var2")) as port:
            before, self.port = self.port, port
            try:
                yield
            finally:
                self.port = before

    def test_classifiers_over_https(self):
        code = self.top / "environments/classified/manifests"
        code.mkdir(parents=True, exist_ok=True)
        (code / "site.pp").write_text("class a($x) { notify { \"${x} ${p}\": } }\n")
        Played.answer = {"classes": {"a": {"x": 7}}, "parameters": {"p": "told"}, "environment": "classified"}
        url, titles = f"https://localhost:{self.played.server_port}", lambda answer: [r["title"] for r in answer.json["resources"] if r["type"] == "Notify"]
        with self.classified_by("foreman:" + url):
            for _ in range(2):
                self.assertEqual(titles(self.catalog({"name": NODE, "values": {}}, environment="classified")), ["7 told"])
            self.assertEqual(Played.queries, [f"/node/{NODE}?format=yml"])  # an agent asks twice or more
            Played.away = True
            answer = self.catalog({"name": "other.example.com", "values": {}}, name="other.example.com", environment="classified")
            self.assertEqual(answer.status, 500)
            self.assertIn(f"Could not classify other.example.com at {url}: status 503", answer.json["message"])
        Played.away = False
        Played.queries.clear()
        with self.classified_by(f"console:{url}/classifier-api"):
            for colour in ("red", "blue"):
                self.assertEqual(titles(self.catalog({"name": NODE, "values": {"colour": colour}}, environment="classified")), ["7 told"])
        self.assertEqual([(path, asked["fact"]["colour"], asked["trusted"]["certname"]) for path, asked in Played.queries],
                         [(f"/classifier-api/v1/classified/nodes/{NODE}", colour, NODE) for colour in ("red", "blue")])
        Played.hangs, began = True, time.monotonic()
        with self.classified_by(f"console:{url}/classifier-api", "--enc-timeout", "2"):
            answer = self.catalog({"name": NODE, "values": {}}, environment="classified")
        Played.hangs = False
        self.assertEqual(answer.status, 500)
        self.assertIn(f"Could not classify {NODE} at {url}", answer.json["message"])
        self.assertLess(time.monotonic() - began, 15)

    def test_commands(self):
        facts = {"name": NODE, "values": {"colour": "blue", "n": [1, 2.5, None]}}
        answer = self.catalog(facts, environment="export", transaction_uuid="tu-1")
        self.assertEqual(answer.status, 200, answer.text)
        catalog, sent = [(c[:3], c[3]) for c in self.wait_for(2)]
        self.assertEqual((catalog[0], sent[0]), (("replace_catalog", "9", NODE), ("replace_facts", "5", NODE)))
        facts_of, document = sent[1], catalog[1]
        self.assertEqual((facts_of["certname"], facts_of["environment"], facts_of["producer"]), (NODE, "export", "localhost"))
        self.assertEqual((facts_of["values"]["n"], facts_of["values"]["trusted"]["certname"]), ([1, 2.5, None], NODE))
        self.assertRegex(facts_of["producer_timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual((document["certname"], document["transaction_uuid"], document["job_id"], document["code_id"], document["environment"]), (NODE, "tu-1", None, None, "export"))
        self.assertIsInstance(document["version"], str)
        resources = {f"{r['type']}[{r['title']}]": r for r in document["resources"]}
        self.assertEqual((resources["Notify[from blue]"]["exported"], "x" in resources["Notify[from blue]"]["tags"]), (True, True))
        self.assertEqual(resources["File[/a/]"]["parameters"], {"path": "/a", "ensure": "file", "mode": "0600", "alias": ["/a"]})
        self.assertEqual(resources["Stage[main]"]["parameters"], {"name": "main", "alias": ["main"]})
        self.assertEqual(resources["Class[main]"]["parameters"], {"name": "main", "alias": ["main"]})
        self.assertNotIn("sensitive_parameters", resources["File[/a/]"])
        self.assertEqual(resources["Notify[n]"]["parameters"], {"message": [1, {"a": "/b/"}], "alias": ["m"]})
        edges = {(e["source"]["type"], e["source"]["title"], e["relationship"], e["target"]["type"], e["target"]["title"]) for e in document["edges"]}
        self.assertIn(("File", "/a/", "required-by", "Service", "s"), edges)
        self.assertIn(("Notify", "n", "subscription-of", "Service", "s"), edges)
        self.assertIn(("Class", "main", "contains", "Service", "s"), {(a, b.lower(), c, d, e) for a, b, c, d, e in edges})
        self.assertEqual(len(edges), len(document["edges"]))

    def test_report(self):
        status = {"title": "/a", "resource_type": "File", "file": None, "line": 3, "containment_path": ["Stage[main]", "File[/a]"], "time": "2026-11-23T20:00:01.5+01:00", "skipped": False,
                  "corrective_change": False, "events": [{"status": "success", "time": "2026-11-23T20:00:01.123456789+01:00", "name": "mode_changed", "property": "mode",
                                                          "previous_value": ["1", None], "desired_value": None, "corrective_change": False, "message": "m"}]}
        report = {"host": NODE, "time": "2026-11-23T20:00:00.000+01:00", "configuration_version": 17, "transaction_uuid": "t", "report_format": 12, "puppet_version": "8.0.0", "status": "changed",
                  "noop": False, "noop_pending": False, "environment": "small", "corrective_change": False, "catalog_uuid": "c", "cached_catalog_status": "not_used",
                  "logs": [{"level": "err", "message": "m", "source": "s", "tags": ["a"], "time": "2026-11-23T19:00:00Z", "file": None, "line": None}],
                  "metrics": {"time": {"name": "time", "label": "Time", "values": [["total", "Total", 2.5]]}},
                  "resource_statuses": {"File[/a]": status, "File[/b]": status | {"events": [], "title": "/b"}, "File[/c]": status | {"events": [], "skipped": True, "title": "/c"}}}
        self.assertEqual(self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body=json.dumps(report), Content_Type="application/json").json, ["store", "puppetdb"])
        [(command, version, node, sent)] = self.wait_for(1)
        self.assertEqual((command, version, node), ("store_report", "8", NODE))
        self.assertEqual((sent["start_time"], sent["end_time"], sent["configuration_version"]), ("2026-11-23T19:00:00.000Z", "2026-11-23T19:00:02.500Z", "17"))
        self.assertEqual(sent["metrics"], [{"category": "time", "name": "total", "value": 2.5}])
        self.assertEqual([r["resource_title"] for r in sent["resources"]], ["/a", "/c"])
        event = sent["resources"][0]["events"][0]
        self.assertEqual((event["old_value"], event["new_value"], event["timestamp"]), ('["1", nil]', "", "2026-11-23T19:00:01.123Z"))

    def test_collecting_and_asking(self):
        Played.answer = [{"certname": "other", "type": "Notify", "title": "theirs", "parameters": {"message": "hi"}, "tags": [], "exported": True}]
        resources = {r["title"]: r for r in self.catalog(environment="collect").json["resources"]}
        self.assertEqual(resources["theirs"]["parameters"], {"message": "hi"})
        Played.answer = [{"certname": "a"}]
        resources = {r["title"]: r for r in self.catalog(environment="ask").json["resources"]}
        self.assertEqual(resources["answer"]["parameters"]["message"], "[{'certname' => 'a'}]")
        self.assertIn(["from", "nodes"], Played.queries)

    def test_away(self):
        Played.away = True
        for _ in range(3):
            self.assertEqual(self.catalog(environment="small").status, 200)  # no collector: served
        answer = self.catalog(environment="collect")
        self.assertEqual((answer.status, "Could not retrieve resources from the PuppetDB at" in answer.text), (500, True))
        answer = self.catalog(environment="ask")
        self.assertEqual((answer.status, "Could not query the PuppetDB at" in answer.text), (500, True))
        self.assertTrue(self.logged("PuppetDB takes no commands"))
        self.assertEqual(Played.commands, [])
        Played.away = False
        self.assertEqual([c[:3] for c in self.wait_for(2)], [("replace_catalog", "9", NODE), ("replace_facts", "5", NODE)])  # the newest alone
        self.assertTrue(self.logged("PuppetDB takes commands again"))

    def test_a_relationship_to_what_is_not_collected(self):
        place = self.top / "environments/wrong/manifests"
        place.mkdir(parents=True)
        (place / "site.pp").write_text("@@notify { 'e': } notify { 'n': require => Notify['e'] }\n")
        answer = self.catalog(environment="wrong")
        self.assertEqual(answer.status, 500, answer.text[:300])

    def test_z_the_end_while_puppetdb_hangs(self):
        Played.hangs = True
        self.assertEqual(self.catalog(environment="small").status, 200)
        time.sleep(0.3)
        began = time.monotonic()
        self.process.terminate()
        self.assertEqual(self.process.wait(30), 0)
        self.assertLess(time.monotonic() - began, 15)
        names = [f.name.split(".")[1] for f in (self.top / "var/puppetdb_spool").glob("*.json")]
        self.assertEqual(sorted(names), ["c", "f"])  # nothing is lost

    def test_wrong_settings(self):
        (self.top / "other.yaml").write_text("---\nserver:\n  facts:\n    terminus: mine\n")
        out = subprocess.run([SERVER, "--config", self.top / "puppet.conf", "--listen", "127.0.0.1:0", "--route_file", self.top / "other.yaml"], capture_output=True, text=True, timeout=30)
        self.assertEqual(out.returncode, 1)
        self.assertIn("the terminus 'mine' for facts is not supported", out.stderr)


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
