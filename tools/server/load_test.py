#!/usr/bin/env python3
"""pupc-server and 50 clients at once, while code, settings and certificates change, and with more to do than it can: every answer is the right one. Usage: load_test.py PUPC_SERVER SAMPLE"""
import contextlib
import hashlib
import http.client
import json
import signal
import threading
import time
import unittest
import urllib.parse

from served import NODE, Answer, Served, make_certificate

CLIENTS, ROUNDS = 50, 3
IN = "?environment=small"
SEARCH = f"{IN}&recurse=true&links=manage&checksum_type=sha256&source_permissions=ignore"
JSON = {"Content-Type": "application/json"}
FACTS = json.dumps({"name": NODE, "values": {}})
FORM = urllib.parse.urlencode({"facts_format": "application/json", "facts": urllib.parse.quote(FACTS), "static_catalog": "true", "checksum_type": "sha256"})
REPORT = json.dumps({"host": NODE, "logs": [], "metrics": {}, "status": "unchanged", "resource_statuses": {f"File[/{i}]": {"line": i} for i in range(100)}})


class LoadTest(Served):
    maxDiff = None

    @classmethod
    def make_code(cls):
        super().make_code()
        rules = cls.top / "everybody.conf"  # the usual ones let nobody ask for classes
        rules.write_text('authorization: { version: 1, rules: [ { name: a, sort-order: 1, allow: "*", match-request: { path: "/", type: path } } ] }')
        cls.WORDS = ("--ruby", "auto", "--jobs", "4", "--auth", str(rules))

    def manifest(self, name, text):
        place = self.top / "environments" / name / "manifests"
        place.mkdir(parents=True, exist_ok=True)
        (place / "site.pp").write_text(text)

    def requests(self, client):
        """What one client asks for: method, path, body, headers. All are answered with 200."""
        text = f"of client {client}"
        bucket = f"/puppet/v3/file_bucket_file/sha256/{hashlib.sha256(text.encode()).hexdigest()}/tmp/x{IN}"
        return [
            ("GET", f"/puppet/v3/node/{NODE}{IN}", None, {}),
            ("GET", f"/puppet/v3/file_metadatas/plugins{SEARCH}", None, {}),
            ("POST", f"/puppet/v3/catalog/{NODE}{IN}", FORM, {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "gzip"}),
            ("GET", f"/puppet/v3/catalog/{NODE}?environment=ruby", None, {}),
            ("GET", f"/puppet/v3/file_metadata/modules/demo/one.txt{IN}", None, {}),
            ("GET", f"/puppet/v3/file_content/modules/demo/big{IN}", None, {}),
            ("PUT", bucket, text, {"Content-Type": "application/octet-stream"}),
            ("GET", bucket, None, {}),
            ("PUT", f"/puppet/v3/report/{NODE}{IN}", REPORT, JSON),
            ("PUT", f"/puppet/v3/facts/{NODE}{IN}", FACTS, JSON),
            ("GET", f"/puppet/v3/environment_classes{IN}", None, {}),
            ("GET", "/puppet/v3/environments", None, {}),
            ("GET", "/puppet-ca/v1/certificate_revocation_list/ca", None, {}),
            ("GET", "/status/v1/services", None, {}),
        ]

    def client(self, number):
        requests = self.requests(number)
        for _ in range(ROUNDS):
            with contextlib.closing(self.connect()) as connection:
                for method, path, body, headers in requests:
                    connection.request(method, path, body=body, headers=headers)
                    answer = Answer(connection.getresponse())
                    if answer.status != 200:
                        self.wrong.append((method, path, answer.status, answer.body[:300]))
                    elif "/catalog/" in path and not answer.json["resources"] or "/file_content/" in path and len(answer.body) != 3_000_000:
                        self.wrong.append((method, path, answer.body[:300]))
        self.done += 1

    def test_everything_at_once(self):
        self.wrong, self.done = [], 0
        self.manifest("ruby", "notice(inline_template('<%= ObjectSpace.count_objects.size > 0 %>'))\n")
        threads = [threading.Thread(target=self.client, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        turn = 0
        while any(thread.is_alive() for thread in threads):
            turn += 1
            if turn == 2:
                make_certificate(self.ca, "localhost")
            if turn % 2 == 0 and turn < 10:
                self.process.send_signal(signal.SIGHUP)
            self.manifest("ruby", f"notify {{ 'turn {turn}': }}\nnotice(inline_template('<%= ObjectSpace.count_objects.size > 0 %>'))\n")
            time.sleep(0.2)
        for thread in threads:
            thread.join()
        self.assertEqual((self.wrong[:5], self.done), ([], CLIENTS))

    def test_more_than_it_can_do(self):
        """Some are told to come again, do so as agents do, and all have their catalogs in the end."""
        self.manifest("slow", "$x = Integer[1, 20000].map |$i| { \"${i}\" }\nnotify { \"${x[-1]}\": }\n")
        told, statuses = [], []

        def client(port):
            for _ in range(30):
                with contextlib.closing(http.client.HTTPSConnection("localhost", port, context=self.context(), timeout=60)) as connection:
                    connection.request("GET", f"/puppet/v3/catalog/{NODE}?environment=slow")
                    answer = Answer(connection.getresponse())
                if answer.status != 503:
                    return statuses.append(answer.status)
                told.append(int(answer.headers["Retry-After"]))
                time.sleep(told[-1])
            return statuses.append(503)

        with self.another("--jobs", "1", "--max-waiting", "5") as port:
            threads = [threading.Thread(target=client, args=(port,)) for _ in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(statuses, [200] * CLIENTS)
        self.assertGreater(len(told), 0)
        self.assertLessEqual(max(told), 30)


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
