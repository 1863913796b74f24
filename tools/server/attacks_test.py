#!/usr/bin/env python3
"""Attacks on pupc-server, with the status that README.md promises for each. Usage: attacks_test.py PUPC_SERVER SAMPLE"""
import contextlib
import gzip
import json
import os
import socket
import ssl
import threading
import time
import unittest

from served import NODE, Served, make_certificate, openssl

OTHER = "other.example.com"
CONTENT, METADATA = "/puppet/v3/file_content/", "/puppet/v3/file_metadata/"
CATALOG, REPORT = f"/puppet/v3/catalog/{NODE}", f"/puppet/v3/report/{NODE}"
IN = "?environment=small"
CLOSED = 0  # the connection ends without an answer

# What is sent as it stands, by a node with a certificate, and the status.
RAW = {
    "leave the mount": (f"GET {CONTENT}modules/../../x{IN}", 400),
    "leave it in hexadecimal": (f"GET {CONTENT}modules/%2e%2E/x{IN}", 400),
    "leave it behind an encoded slash": (f"GET {CONTENT}modules/demo/..%2f..%2fmanifests/site.pp{IN}", 400),
    "leave it, encoded twice": (f"GET {CONTENT}modules/demo/%252e%252e/%252e%252e/manifests/site.pp{IN}", 404),
    "leave it in overlong UTF-8": (f"GET {CONTENT}modules/demo/%c0%ae%c0%ae/%c0%ae%c0%ae/manifests/site.pp{IN}", 404),
    "leave it with backslashes": (f"GET {CONTENT}modules/demo/..%5c..%5cmanifests%5csite.pp{IN}", 404),
    "leave a mount of fileserver.conf": (f"GET {CONTENT}extra/%2e%2e/outside{IN}", 400),
    "leave the bucket": (f"GET /puppet/v3/file_bucket_file/sha256/..%2f..%2fputs{IN}", 400),
    "a NUL in the path": (f"GET {CONTENT}modules/demo/one.txt%00.png{IN}", 400),
    "a NUL in the environment": (f"GET {CONTENT}modules/demo/one.txt?environment=small%00x", 400),
    "the environment is a path": (f"GET {CONTENT}modules/demo/one.txt?environment=../small", 400),
    "the environment is empty": (f"GET {CONTENT}modules/demo/one.txt?environment=", 400),
    "two environments, the last one holds": (f"GET {CONTENT}modules/demo/one.txt?environment=small&environment=none", 404),
    "a link to a file outside": (f"GET {CONTENT}modules/demo/way_out{IN}", 404),
    "a file behind a link outside": (f"GET {CONTENT}modules/demo/tree_out/key{IN}", 404),
    "its checksum": (f"GET {METADATA}modules/demo/tree_out/key{IN}&links=follow", 404),
    "a device": (f"GET {CONTENT}modules/demo/device{IN}", 404),
    "a pipe": (f"GET {CONTENT}modules/demo/pipe{IN}", 404),
    "a pattern that takes for ever": (f"GET /puppet/v3/file_metadatas/modules/demo{IN}&recurse=true&ignore={'*a' * 30}b", 400),
    "half a percent sign": (f"GET {CONTENT}modules/%z{IN}", 400),
    "a new header in the path": (f"GET {CONTENT}modules/%0d%0aX:%20y{IN}", 400),
    "another node's catalog": (f"GET /puppet/v3/catalog/{OTHER}{IN}", 403),
    "the same, its name encoded": (f"GET /puppet/v3/catalog/%6fther.example.com{IN}", 403),
    "the same with a second slash": (f"GET /puppet/v3//catalog/{OTHER}{IN}", 403),
    "the same with a parameter of the path": (f"GET /puppet/v3/catalog/{OTHER};/{NODE}{IN}", 403),
    "the same with the node's own name behind a newline": (f"GET /puppet/v3/catalog/{OTHER}%0a{NODE}{IN}", 400),
    "another node's report": (f"PUT /puppet/v3/report/{OTHER}{IN}", 403),
    "a method that nobody knows": (f"BREW {CATALOG}{IN}", 403),
    "a method that is not allowed": (f"DELETE {CATALOG}{IN}", 403),
    "a whole URL as the path": ("GET http://169.254.169.254/latest", 400),
    "a tunnel": ("CONNECT localhost:22", 400),
    "more parameters than a form has": (f"GET {CATALOG}{IN}" + "&a=b" * 1500, 400),
    "a header without end": ("GET /status/v1/simple", 431, "X: " + "y" * 200_000),
    "two lengths": (f"PUT {REPORT}{IN}", 400, "Content-Length: 1\r\nContent-Length: 2", "ab"),
    "a length and chunks": (f"PUT {REPORT}{IN}", 400, "Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
    "chunks of a strange kind": (f"PUT {REPORT}{IN}", 400, "Transfer-Encoding: xchunked", "0\r\n\r\n"),
    "two codings": (f"PUT {REPORT}{IN}", 400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"),
    "a chunk larger than numbers are": (f"PUT {REPORT}{IN}", 400, "Transfer-Encoding: chunked", "fffffffffffffffff\r\nx"),
    "a length below zero": (f"PUT {REPORT}{IN}", 400, "Content-Length: -1"),
    "a blank before the colon": ("GET /status/v1/simple", 400, "Content-Length : 3"),
    "a NUL in a header": ("GET /status/v1/simple", 400, "X: a\0b"),
    "one gigabyte of facts": (f"POST {CATALOG}{IN}", 413, "Content-Length: 1000000000"),
    "a body where there is none": (f"GET {CATALOG}{IN}", 413, "Content-Length: 20", "GET / HTTP/1.1\r\n\r\n"),
    "a media type that nobody takes": (f"PUT {REPORT}{IN}", 415, "Content-Type: text/yaml\r\nContent-Length: 3", "--x"),
    "HTTP/2 without asking": ("PRI *", 400),
}


class AttackTest(Served):
    WORDS = ("--ruby", "auto", "--ruby-timeout", "6", "--max-time", "7", "--enc-timeout", "6", "--jobs", "2")

    def status(self, data, name=NODE):
        out = self.raw(data, name)
        return int(out[9:12]) if out else CLOSED

    def test_requests(self):
        self.assertGreaterEqual(len(RAW), 40)
        for title, (line, status, *rest) in RAW.items():
            head = "".join(part + "\r\n" for part in rest[:1])
            data = f"{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n{''.join(rest[1:])}"
            with self.subTest(title):
                self.assertEqual(self.status(data.encode()), status)
        self.fine()

    def fine(self):
        """The server still serves others, at once."""
        began = time.monotonic()
        self.assertEqual(self.catalog().status, 200)
        self.assertLess(time.monotonic() - began, 4)

    def test_a_second_request_in_a_body(self):
        out = self.raw(f"GET {CATALOG}{IN} HTTP/1.1\r\nHost: x\r\nContent-Length: 44\r\n\r\nGET /puppet-ca/v1/certificate/ca HTTP/1.1\r\n\r\n".encode())
        self.assertEqual((out[:12], out.count(b"HTTP/1.1")), (b"HTTP/1.1 413", 1))

    def test_certificates(self):
        def handshake(name, authority=None):
            try:
                return self.ask("GET", "/status/v1/simple", name, authority=authority).status
            except (ssl.SSLError, OSError):
                return CLOSED
        self.assertEqual(handshake("gone.example.com"), CLOSED)
        self.assertEqual(handshake("old.example.com"), CLOSED)
        self.assertEqual(handshake(NODE, self.top / "foreign"), CLOSED)
        own = self.top / "own"
        own.mkdir()
        openssl(own, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{NODE}.key", "-out", f"{NODE}.pem", "-days", "3", "-subj", f"/CN={NODE}")
        self.assertEqual(handshake(NODE, own), CLOSED)
        # Two names: one for who signs, one for who is asked. And a name with a path in it.
        for file, subject in (("two", f"/CN={NODE}/CN={OTHER}"), ("path", "/CN=..\\/..\\/x")):
            openssl(self.ca, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{file}.key", "-out", f"{file}.csr", "-subj", subject)
            openssl(self.ca, "x509", "-req", "-in", f"{file}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "77", "-days", "3", "-out", f"{file}.pem")
        self.assertEqual(handshake("two"), CLOSED)
        self.assertEqual(self.status(f"PUT /puppet/v3/facts/..%2f..%2fx{IN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode(), "path"), 400)

    def test_facts(self):
        self.assertEqual(self.catalog({"name": OTHER, "values": {}}).status, 500)
        # What says to be trusted is not; a node cannot be called otherwise.
        facts = {"trusted": {"certname": OTHER, "extensions": {"pp_role": "admin"}}, "clientcert": OTHER, "servername": "mine", "environment": "production"}
        answer = self.catalog({"name": NODE, "values": facts})
        self.assertIn(f"role worker of {NODE}", [r["title"] for r in answer.json["resources"]])
        nested = '{"name":"%s","values":{"a":%s%s}}' % (NODE, "[" * 100_000, "]" * 100_000)
        for document, status in ((nested, 500), ('{"name":"%s","values":{"a":%s}}' % (NODE, "9" * 100_000), 200), ('{"name":"%s","values":{"a":1e999}}' % NODE, 500),
                                 ('{"name":"%s","values":{"a":"\\ud800"}}' % NODE, 500)):
            self.assertIn(self.catalog(document=document).status, (status, 500), document[:60])
        many = ",".join(f'"{"x" * (i % 7)}{i}":1' for i in range(100_000))
        self.assertIn(self.catalog(document='{"name":"%s","values":{%s}}' % (NODE, many)).status, (200, 413))
        self.fine()

    def test_compressed_bombs(self):
        bomb = gzip.compress(b"\0" * 10_000_000)
        self.assertEqual(self.ask("PUT", REPORT + IN, body=bomb, Content_Type="application/json", Content_Encoding="gzip").status, 415)
        self.assertEqual(self.ask("POST", CATALOG + IN, body=bomb, Content_Type="application/x-www-form-urlencoded", Content_Encoding="deflate").status, 415)

    def test_endless_chunks(self):
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        self.assertEqual(self.status(f"PUT {REPORT}{IN} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunk * 40), 413)

    # -- what hangs costs its own request only

    def beside(self, count, work, status):
        """Runs `work` several times at once, and asks for other catalogs meanwhile."""
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(work())) for _ in range(count)]
        for thread in threads:
            thread.start()
        time.sleep(1.2)  # both workers hang now
        took = []
        while any(thread.is_alive() for thread in threads):
            began = time.monotonic()
            self.assertEqual(self.catalog().status, 200)
            took.append(time.monotonic() - began)
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        self.assertEqual([answer.status for answer in answers], [status] * count, answers[0].text[:300])
        self.assertLess(max(took, default=0), 4.5)  # a blocked pool would answer after six
        return answers[0]

    def manifest(self, name, text):
        place = self.top / "environments" / name / "manifests"
        place.mkdir(parents=True)
        (place / "site.pp").write_text(text)

    def test_a_classifier_that_hangs(self):
        make_certificate(self.ca, "slow.example.com")
        answer = self.beside(4, lambda: self.catalog(name="slow.example.com"), 500)
        self.assertIn("Failed when searching for node slow.example.com: Failed to find slow.example.com via exec: Execution of '", answer.json["message"])
        self.assertIn(" slow.example.com' took too long", answer.json["message"])
        # Its children have ended with it.
        for process in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError):
                int(process)
                with open(f"/proc/{process}/cmdline", "rb") as line:
                    self.assertFalse(line.read().startswith(b"sleep\x001000\0"))

    def test_a_classifier_without_end(self):
        make_certificate(self.ca, "large.example.com")
        answer = self.catalog(name="large.example.com")
        self.assertEqual(answer.status, 500)
        self.assertRegex(answer.json["message"], "gave more than 64 MB|took too long")

    def test_the_classifier_is_asked_once_for_a_run(self):
        enc = (self.top / "enc")
        before = enc.read_text()
        enc.write_text(f"#!/bin/sh\necho $1 >> {self.top}/asked\necho 'classes: []'\n")
        try:
            make_certificate(self.ca, "kept.example.com")
            for _ in range(3):
                self.assertEqual(self.catalog(name="kept.example.com").status, 200)
        finally:
            enc.write_text(before)
        self.assertEqual((self.top / "asked").read_text(), "kept.example.com\n")

    def test_an_endless_regular_expression(self):
        self.manifest("regex", "$s = '" + "a" * 60 + "'\nInteger[1,1000].each |$i| { notice(\"${s}${i}\" =~ /^(a|aa|a*)*$/) }\n")
        self.assertIn("takes too many steps", self.catalog(environment="regex").json["message"])
        self.fine()

    def test_an_endless_compile(self):
        self.manifest("endless", "function f($i) { Integer[1,1000000].each |$j| { f($i + 1) } }\nf(1)\n")
        answer = self.beside(3, lambda: self.catalog(environment="endless"), 500)
        self.assertRegex(answer.json["message"], "the work took longer than 7 s|call")

    def test_ruby_that_hangs(self):
        self.manifest("ruby", "notice(inline_template('<% $stdin.class; Thread.new {}; sleep 1000 %>'))\n")
        answer = self.beside(3, lambda: self.catalog(environment="ruby"), 500)
        self.assertRegex(answer.json["message"], "Ruby|took longer")

    # -- clients that are slow

    def test_slow_clients(self):
        def open_tls():
            return self.context().wrap_socket(socket.create_connection(("localhost", self.port), 60), server_hostname="localhost")
        header, body, reader = open_tls(), open_tls(), open_tls()
        header.sendall(b"GET /status/v1/si")
        body.sendall(f"PUT {REPORT}{IN} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode())
        reader.sendall(f"GET {CONTENT}modules/demo/big{IN} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        held = [socket.create_connection(("localhost", self.port), 5) for _ in range(100)]
        self.fine()
        began = time.monotonic()
        with contextlib.suppress(OSError):
            self.assertEqual(header.recv(100), b"")  # ended after the time for a header
        self.assertLess(time.monotonic() - began, 15)
        for one in (header, body, reader, *held):
            one.close()


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
