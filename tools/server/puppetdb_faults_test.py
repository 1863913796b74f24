#!/usr/bin/env python3
"""What the server does when things break while it has commands for PuppetDB, which is played here. Usage: puppetdb_faults_test.py PUPC_SERVER SAMPLE"""
import concurrent.futures
import gzip
import http.server
import json
import os
import ssl
import subprocess
import threading
import time
import unittest
import urllib.parse

from served import NODE, Served, make_certificate, openssl


class Played(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    commands, mode, lock = [], "good", threading.Lock()

    def do_POST(self):
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        answer = b'{"uuid": "1"}'
        if Played.mode == "away":
            answer = b"away"
        else:
            url = urllib.parse.urlsplit(self.path)
            of = dict(urllib.parse.parse_qsl(url.query))
            with Played.lock:
                Played.commands.append((of["command"], of["certname"], json.loads(body)))
        self.send_response(503 if Played.mode == "away" else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if Played.mode == "cut":
            Played.mode = "good"  # once
            self.wfile.write(answer[:5])
            self.wfile.flush()
            self.close_connection = True
            return
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


class Faults(Served):
    @classmethod
    def make_code(cls):
        super().make_code()

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass

        cls.played = Server(("127.0.0.1", 0), Played)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=cls.ca / "ca.pem")
        cls.tls = context
        cls.show_certificate("localhost")
        cls.played.socket = context.wrap_socket(cls.played.socket, server_side=True)
        threading.Thread(target=cls.played.serve_forever, daemon=True).start()
        with (cls.top / "puppet.conf").open("a") as conf:
            conf.write(f"confdir = {cls.top}\nroute_file = {cls.top}/routes.yaml\n[server]\nstoreconfigs = true\nstoreconfigs_backend = puppetdb\nreports = puppetdb\n")
        (cls.top / "puppetdb.conf").write_text(f"[main]\nserver_urls = https://localhost:{cls.played.server_port}\n")
        cls.spool = cls.top / "var/puppetdb_spool"

    @classmethod
    def show_certificate(cls, name):
        """Which certificate PuppetDB shows from the next connection on."""
        cls.tls.load_cert_chain(cls.ca / f"{name}.pem", cls.ca / f"{name}.key")

    @classmethod
    def tearDownClass(cls):
        cls.played.shutdown()
        cls.played.server_close()
        super().tearDownClass()

    def report(self, number):
        """A report is kept as it is: none replaces another."""
        report = {"host": NODE, "time": "2026-01-01T00:00:00Z", "transaction_uuid": f"t-{number}", "report_format": 12, "status": "unchanged", "resource_statuses": {}, "logs": [], "metrics": {}}
        return self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body=json.dumps(report), Content_Type="application/json").status == 200

    def arrived(self):
        with Played.lock:
            return {c[2]["transaction_uuid"] for c in Played.commands if c[0] == "store_report"}

    def wait(self, condition, what):
        for _ in range(800):
            if condition():
                return
            time.sleep(0.05)
        self.fail(what)

    def test_a_killed_server_loses_nothing_that_it_took(self):
        Played.mode, taken = "away", []
        stop = threading.Event()

        def send(worker):
            n = 0
            while not stop.is_set():
                name = f"{worker}-{n}"
                try:
                    if self.report(name):
                        taken.append(f"t-{name}")
                except OSError:
                    return
                n += 1

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(send, w) for w in range(4)]
            self.wait(lambda: len(taken) > 40, "too slow")
            self.process.kill()
            self.process.wait()
            stop.set()
            for job in jobs:
                job.exception()
        (self.spool / "00000000000000009999.r.half.json.new").write_text("2026")  # as a write that the crash cut short
        Played.mode = "good"
        type(self).start()
        self.wait(lambda: set(taken) <= self.arrived(), f"lost: {set(taken) - self.arrived()}")
        self.wait(lambda: not list(self.spool.glob("*.json*")), "the spool does not become empty")

    def test_a_cut_answer_is_no_answer(self):
        Played.commands.clear()
        Played.mode = "cut"
        self.assertTrue(self.report("cut"))
        self.wait(lambda: len(Played.commands) >= 2, "it did not try again")  # PuppetDB takes the same command twice as once
        self.assertEqual(self.arrived(), {"t-cut"})
        self.wait(lambda: not list(self.spool.glob("*.json")), "it is still there")

    def test_a_wrong_certificate(self):
        openssl(self.ca, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "impostor.key", "-out", "impostor.pem", "-days", "30", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost")
        self.process.terminate()
        self.process.wait(30)
        Played.mode = "good"
        Played.commands.clear()
        try:
            self.show_certificate("impostor")
            type(self).start()
            for n in range(3):
                self.assertTrue(self.report(f"wrong-{n}"))
            self.assertTrue(self.logged("failed: the server's certificate: self-signed certificate"))
            self.assertEqual(self.catalog(environment="small").status, 200)  # it collects nothing
            self.assertEqual(Played.commands, [])
        finally:
            self.show_certificate("localhost")
        self.wait(lambda: self.arrived() == {f"t-wrong-{n}" for n in range(3)}, "lost")
        self.wait(lambda: {c[0] for c in Played.commands} >= {"replace_facts", "replace_catalog"}, "facts and catalog are lost")

    def test_a_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("a small file system needs root")
        self.process.terminate()
        self.process.wait(30)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.spool], capture_output=True, check=False).returncode != 0:
            type(self).start()
            self.skipTest("no file system may be mounted here")
        try:
            Played.mode = "away"
            Played.commands.clear()
            type(self).start()
            for n in range(40):
                self.assertTrue(self.report(f"full-{n}"))  # as in Puppet, what a processor of reports cannot do is told in the log
            self.assertTrue(self.logged("No space left on device"))
            self.assertEqual(list(self.spool.glob("*.new")), [])
            answer = self.catalog(environment="small")  # but a node must not get a catalog of which nobody will know
            self.assertEqual((answer.status, "No space left on device" in answer.text), (500, True), answer.text)
            kept = len(list(self.spool.glob("*.r.*")))
            self.assertGreater(kept, 3)
            Played.mode = "good"
            self.wait(lambda: len(self.arrived()) == kept, "lost")
            self.assertTrue(self.report("after"))
            self.wait(lambda: "t-after" in self.arrived(), "nothing is taken after it was full")
        finally:
            self.process.terminate()
            self.process.wait(30)
            subprocess.run(["umount", self.spool], check=False)
            type(self).start()


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
