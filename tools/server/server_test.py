#!/usr/bin/env python3
"""pupc-server as agents see it: endpoints, statuses, error forms. Usage: server_test.py PUPC_SERVER SAMPLE"""
import contextlib
import gzip
import hashlib
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
import threading
import time
import unittest

from served import NODE, SAMPLE, SERVER, Answer, Served, make_certificate, revoke


class ServerTest(Served):
    @contextlib.contextmanager
    def for_everybody(self):
        """Requests go to a server that lets every node ask for everything."""
        rules = self.top / "everybody.conf"
        rules.write_text('authorization: { version: 1, rules: [ { name: a, sort-order: 1, allow: "*", match-request: { path: "/", type: path } } ] }')
        with self.another("--auth", rules) as port:
            before, self.port = self.port, port
            try:
                yield
            finally:
                self.port = before

    # -- catalogs

    def test_catalog(self):
        answer = self.catalog()
        self.assertEqual((answer.status, answer.headers["Content-Type"].split(";")[0]), (200, "application/vnd.puppet.rich+json"))
        self.assertEqual(answer.headers["X-Puppet-Version"].split(".")[0], "8")
        self.assertIn(f"role worker of {NODE}", [r["title"] for r in answer.json["resources"]])
        self.assertEqual((answer.json["name"], answer.json["environment"], answer.json["catalog_format"]), (NODE, "small", 2))
        self.assertTrue(self.logged(f"Compiled catalog for {NODE} in environment small in "))
        # The facts were kept for a request without any.
        self.catalog({"name": NODE, "values": {"fail": True}})
        answer = self.get(f"/puppet/v3/catalog/{NODE}?environment=small", Accept="application/json")
        self.assertEqual(answer.status, 500)
        self.assertRegex(answer.json["message"], r"^Server Error: Evaluation Error: Error while evaluating a Function Call, as asked \(file: .*/site.pp, line: 2, column: 21\) on node " + NODE)
        self.assertEqual(answer.json["issue_kind"], "RUNTIME_ERROR")
        self.assertTrue(self.logged("as asked"))
        self.assertEqual((self.top / "log").read_text().count("as asked"), 2, "once for each of the two requests")
        self.catalog()

    def test_sample(self):
        facts = json.loads((pathlib.Path(SAMPLE) / "facts" / f"{NODE}.json").read_text())
        facts = facts if "values" in facts else {"name": NODE, "values": facts}
        facts["name"] = NODE
        answer = self.catalog(facts, environment="production")
        self.assertEqual(answer.status, 200, answer.text[:500])
        self.assertGreater(len(answer.json["resources"]), 50)
        self.assertEqual(answer.headers["Content-Encoding"], "gzip")

    def test_environment_of_the_classifier(self):
        name = "other.example.com"
        answer = self.catalog(name=name, environment="production", check_environment="true")
        self.assertEqual((answer.status, answer.json["environment"], answer.json["resources"]), (200, "small", []))
        self.assertTrue(self.logged("Requested environment 'production' did not match server specified environment 'small'"))

    def test_trusted_external(self):
        self.assertIn(f"rack 7 of {NODE}", [r["title"] for r in self.catalog().json["resources"]])
        mark = self.top / "external_fails"
        mark.touch()
        try:
            answer = self.catalog()
        finally:
            mark.unlink()
        self.assertEqual((answer.status, answer.json["message"]), (500, f"Server Error: Execution of '{self.top}/external {NODE}' returned 3: "))

    def test_catalog_for_a_service(self):
        ask = lambda body, name=NODE: self.ask("POST", "/puppet/v4/catalog", name, body if isinstance(body, str) else json.dumps(body), Content_Type="application/json")
        self.assertEqual(ask({}).status, 403)
        request = {"certname": "web.example.com", "persistence": {"facts": False, "catalog": False}, "environment": "small"}
        trusted = {"trusted_facts": {"values": {"certname": "given.example.com", "extensions": {"pp_role": "db"}, "external": {"rack": 9}}}}
        with self.for_everybody():
            answer = ask(request | trusted | {"facts": {"values": {"a": 1}}, "options": {"capture_logs": True, "log_level": "info"}})
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(answer.json["catalog"]["name"], "web.example.com")
            titles = [r["title"] for r in answer.json["catalog"]["resources"]]
            self.assertIn("role db of given.example.com", titles)
            self.assertIn("rack 9", titles)
            self.assertEqual(answer.json["logs"], [])
            self.assertFalse((self.top / "var/server_data/facts/web.example.com.json").exists())
            # Facts that are kept serve a request without any; so does what they say of trusted data.
            facts = {"facts": {"values": {"trusted": trusted["trusted_facts"]["values"]}}}
            self.assertEqual(ask(request | facts | {"persistence": {"facts": True, "catalog": False}}).status, 200)
            self.assertIn("rack 9", [r["title"] for r in ask(request).json["catalog"]["resources"]])
            # The classifier's environment counts, unless the request prefers its own.
            other = request | trusted | {"certname": "other.example.com", "environment": "production", "facts": {"values": {}}}
            self.assertEqual(ask(other).json["catalog"]["environment"], "small")
            self.assertEqual(ask(other | {"environment": "small", "options": {"prefer_requested_environment": True}}).json["catalog"]["environment"], "small")
            self.assertRegex(ask(request | trusted | {"facts": {"values": {"fail": True}}}).json["message"], "^Server Error: Evaluation Error: .*as asked")
            for wrong, text in (("{", "Error parsing JSON"), ("[]", "Invalid input"), (request | {"more": 1}, 'Invalid input: {"more" disallowed-key}'), (request | {"persistence": {"facts": 1, "catalog": False}}, "Invalid input"),
                                ({"certname": "a"}, 'Invalid input: {"environment" missing-required-key}'), (request | {"environment": "a-b"}, "Invalid input"), (request | {"certname": "../x"}, "Invalid input"),
                                (request | {"options": {"log_level": "loud"}}, "Invalid input"), (request | {"facts": {"values": []}}, "Invalid input")):
                answer = ask(wrong)
                self.assertEqual((answer.status, answer.text[: len(text)]), (400, text), wrong)
            self.assertEqual(ask(request | {"environment": "nope"}).status, 404)

    def test_environment_classes(self):
        manifests = self.top / "environments/small/modules/demo/manifests"
        manifests.mkdir()
        (manifests / "init.pp").write_text("class demo(String $a, Optional[Integer[1,3]] $b = 3, $c = \"x${a}\", Hash $d = { 'k' => [1, true, undef] }, $e = undef) { }\nclass demo::inner { }\n")
        (manifests / "broken.pp").write_text("class demo::broken {\n")
        path = "/puppet/v3/environment_classes?environment=small"
        self.assertEqual(self.get(path).status, 403)
        with self.for_everybody():
            answer = self.get(path)
            self.assertEqual((answer.status, list(answer.json), answer.json["name"]), (200, ["files", "name"], "small"))
            site, broken, init = answer.json["files"]
            self.assertEqual([pathlib.Path(f["path"]).name for f in (site, broken, init)], ["site.pp", "broken.pp", "init.pp"])
            self.assertIn("Syntax error at end of input", broken["error"])
            self.assertEqual(site["classes"], [])
            self.assertEqual([c["name"] for c in init["classes"]], ["demo", "demo::inner"])
            self.assertEqual(init["classes"][0]["params"], [
                {"name": "a", "type": "String"}, {"default_literal": 3, "default_source": "3", "name": "b", "type": "Optional[Integer[1, 3]]"}, {"default_source": '"x${a}"', "name": "c"},
                {"default_literal": {"k": [1, True, None]}, "default_source": "{ 'k' => [1, true, undef] }", "name": "d", "type": "Hash"}, {"default_source": "undef", "name": "e"}])
            tag = answer.headers["Etag"]
            self.assertEqual(self.get(path, If_None_Match=tag).status, 304)
            self.assertEqual(self.get(path, If_None_Match=tag + "--gzip").status, 304)
            self.assertEqual(self.get("/puppet/v3/environment_classes?environment=nope").status, 404)
            self.assertEqual(self.get("/puppet/v3/environment_classes").status, 400)
        shutil.rmtree(manifests)

    def test_wrong_catalog_requests(self):
        path = f"/puppet/v3/catalog/{NODE}"
        self.assertEqual(self.get(path).text, "The environment must be purely alphanumeric, not 'null'")
        self.assertEqual(self.get(path + "?environment=no-pe").status, 400)
        answer = self.get(path + "?environment=small", Accept="text/weird")
        self.assertEqual((answer.status, answer.json["issue_kind"]), (406, "UNSUPPORTED_FORMAT"))
        answer = self.catalog({"name": "other.example.com", "values": {}})
        self.assertEqual((answer.status, answer.json["message"]),
                         (500, f'Server Error: Catalog for "{NODE}" was requested with fact definition for the wrong node ("other.example.com").'))
        self.assertEqual(self.catalog(facts_format="text/xml").json["message"], "Server Error: Unsupported facts format")
        self.assertEqual(self.catalog(facts_format=None).json["message"], f"Server Error: Facts but no fact format provided for {NODE}")
        for document in ("{", "[]", '{"name":1}', '{"name":"x","values":[]}', "", "\0"):
            answer = self.catalog(document=document)
            self.assertEqual((answer.status, answer.json["message"][:13]), (500, "Server Error:"), document)
        self.assertEqual(self.ask("POST", path + "?environment=small", body="facts=%zz").status, 400)

    # -- files

    def test_metadata(self):
        answer = self.get("/puppet/v3/file_metadata/modules/demo/one.txt?environment=small&checksum_type=md5").json
        self.assertEqual((answer["type"], answer["checksum"], answer["mode"], answer["relative_path"]),
                         ("file", {"type": "md5", "value": "{md5}" + hashlib.md5(b"one\n").hexdigest()}, 0o644, None))
        tree = "/puppet/v3/file_metadatas/modules/demo/tree?environment=small&recurse=true&ignore=.git&ignore=%2A.bak"
        found = {m["relative_path"]: m for m in self.get(tree + "&links=manage").json}
        self.assertEqual(sorted(found), [".", "a", "link", "sub", "sub/b c.txt"])
        self.assertEqual((found["link"]["type"], found["link"]["destination"], found["sub"]["type"]), ("link", "a", "directory"))
        self.assertEqual({m["relative_path"]: m for m in self.get(tree + "&links=follow").json}["link"]["type"], "file")
        self.assertEqual(len(self.get(tree + "&recurselimit=1").json), 4)
        answer = self.get(tree + "&max_files=2")
        self.assertEqual((answer.status, "exceeds the limit of 2" in answer.text), (500, True))
        plugins = self.get("/puppet/v3/file_metadatas/plugins?environment=small&recurse=true").json
        self.assertIn("facter/f.rb", [m["relative_path"] for m in plugins])
        self.assertEqual(len(self.get("/puppet/v3/file_metadatas/pluginfacts?environment=small&recurse=true").json), 1)
        answer = self.get("/puppet/v3/file_metadata/modules/demo/one.txt?environment=nope")
        self.assertEqual((answer.status, answer.json["message"]), (404, "Not Found: Could not find environment 'nope'"))

    def test_kept_metadata(self):
        """What nodes share is kept, and no longer than it is right: whatever changes is seen at once."""
        library = self.top / "environments/small/modules/demo/lib"
        many = library / "facter/many"
        many.mkdir()
        for i in range(20):
            (many / f"f{i}.rb").write_text(f"# {i}\n")
        time.sleep(0.1)  # what has just changed is not kept
        def sums(**headers):
            answer = self.get("/puppet/v3/file_metadatas/plugins?environment=small&recurse=true&links=follow", **headers)
            return {m["relative_path"]: (m["checksum"]["value"], m["mode"]) for m in answer.json if m["relative_path"].startswith("facter/many")}
        sha = lambda text: "{sha256}" + hashlib.sha256(text.encode()).hexdigest()
        first = sums()
        self.assertEqual((len(first), first["facter/many/f3.rb"][0]), (21, sha("# 3\n")))
        for headers in ({}, {"Accept_Encoding": "gzip"}, {"Accept_Encoding": "gzip"}):
            self.assertEqual(sums(**headers), first)
        target = self.top / "target"
        target.write_text("linked\n")
        elsewhere = self.top / "environments/small/modules/other.rb"
        elsewhere.write_text("elsewhere\n")
        changes = {
            "written": (lambda: (many / "f3.rb").write_text("# x\n"), lambda s: s["facter/many/f3.rb"][0] == sha("# x\n")),
            "gone": (lambda: (many / "f4.rb").unlink(), lambda s: "facter/many/f4.rb" not in s and len(s) == 20),
            "come": (lambda: (many / "g").write_text(""), lambda s: s["facter/many/g"][0] == sha("") and len(s) == 21),
            "renamed": (lambda: os.replace(many / "f5.rb", many / "f6.rb"), lambda s: s["facter/many/f6.rb"][0] == sha("# 5\n")),
            "a link": (lambda: (many / "link").symlink_to("../../../../other.rb"), lambda s: s["facter/many/link"][0] == sha("elsewhere\n")),
            "behind a link": (lambda: elsewhere.write_text("changed\n"), lambda s: s["facter/many/link"][0] == sha("changed\n")),
            "a way out": (lambda: ((many / "link").unlink(), (many / "link").symlink_to(target)), lambda s: "facter/many/link" not in s),
            "a directory": (lambda: many.rename(library / "facter/away"), lambda s: not s)}
        for what, (change, right) in changes.items():
            change()
            for headers in ({}, {"Accept_Encoding": "gzip"}, {}):
                self.assertTrue(right(sums(**headers)), what)
            time.sleep(0.1)
            self.assertTrue(right(sums()), what)  # now it is kept
        shutil.rmtree(library / "facter/away")
        elsewhere.unlink()

    def test_a_changed_file(self):
        path = self.top / "environments/small/modules/demo/files/changing"
        for text in ("first", "other"):
            path.write_text(text)
            answer = self.get("/puppet/v3/file_metadata/modules/demo/changing?environment=small").json
            self.assertEqual(answer["checksum"]["value"], "{sha256}" + hashlib.sha256(text.encode()).hexdigest())

    def test_content(self):
        big = (self.top / "environments/small/modules/demo/files/big").read_bytes()
        self.assertEqual(self.get("/puppet/v3/file_content/modules/demo/big?environment=small").body, big)
        self.assertEqual(self.get("/puppet/v3/file_content/modules/demo/tree/sub/b%20c.txt?environment=small").text, "b\n")
        self.assertEqual(self.get(f"/puppet/v3/file_content/extra/{NODE}?environment=small").text, "mine\n")
        self.assertEqual(self.get("/puppet/v3/file_content/plugins/facter/f.rb?environment=small").text, "# a fact\n")
        for path in ("modules/demo/none", "modules/none/x", "modules", "modules/demo/way_out", "modules/demo/one.txt/x"):
            answer = self.get(f"/puppet/v3/file_content/{path}?environment=small")
            self.assertEqual((answer.status, answer.json["issue_kind"]), (404, "RESOURCE_NOT_FOUND"), path)
        self.assertEqual(self.get("/puppet/v3/file_content/nomount/x?environment=small").status, 500)
        self.assertEqual(self.get("/puppet/v3/file_content/modules/demo/one.txt?environment=small", Accept="application/json").status, 406)

    # -- static catalogs

    @contextlib.contextmanager
    def versioned(self):
        """An environment that is a git work tree, and how to commit in it."""
        directory = self.top / "environments/versioned"
        files = directory / "modules/demo/files"
        (directory / "manifests").mkdir(parents=True)
        (files / "tree/sub").mkdir(parents=True)
        (directory / "manifests/site.pp").write_text("""
file { '/srv/one': source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/one'] }
file { '/srv/tree': ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }
file { '/srv/dirty': source => 'puppet:///modules/demo/dirty' }
file { '/srv/mount': source => 'puppet:///extra/NODE' }
file { '/srv/gone': ensure => absent, source => 'puppet:///modules/demo/one' }
file { '/srv/text': content => 'x' }
file { '/srv/none': source => 'puppet:///modules/demo/none' }
""".replace("NODE", NODE))
        for name, text in (("one", "first\n"), ("dirty", "d\n"), ("tree/a b", "a\n"), ("tree/sub/c", "c\n")):
            (files / name).write_text(text)
        os.symlink("sub/c", files / "tree/link")

        def git(*words):
            return subprocess.run(("git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words), cwd=directory, check=True, capture_output=True, text=True).stdout.strip()

        def commit():
            git("add", "-A")
            git("commit", "-qm", "x")
            return git("rev-parse", "HEAD")
        git("init", "-q", "-b", "main")
        try:
            yield directory, files, commit, git
        finally:
            shutil.rmtree(directory)

    def static(self, **extra):
        return self.catalog(environment="versioned", **({"static_catalog": "true", "checksum_type": "sha999.sha256.md5"} | extra))

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_static_catalog(self):
        with self.versioned() as (directory, files, commit, git):
            self.assertEqual(self.static().json["code_id"], None)  # nothing is committed
            first = commit()
            (files / "dirty").write_text("changed\n")
            catalog = self.static().json
            self.assertEqual(catalog["code_id"], first)
            self.assertEqual(list(catalog)[-2:], ["metadata", "recursive_metadata"])
            self.assertEqual(list(catalog["metadata"]), ["/srv/one"])
            one = catalog["metadata"]["/srv/one"]
            self.assertEqual((one["checksum"], one["source"], one["content_uri"], one["relative_path"]),
                             ({"type": "sha256", "value": "{sha256}" + hashlib.sha256(b"first\n").hexdigest()}, "puppet:///modules/demo/one", "puppet:///modules/demo/files/one", None))
            [(title, trees)] = catalog["recursive_metadata"].items()
            self.assertEqual((title, list(trees)), ("/srv/tree", ["puppet:///modules/demo/tree"]))
            base = "puppet:///modules/demo/files/tree"
            self.assertEqual([(m["relative_path"], m["type"], m["content_uri"]) for m in trees["puppet:///modules/demo/tree"]],
                             [(".", "directory", base), ("a b", "file", base + "/a b"), ("link", "link", base + "/link"), ("sub", "directory", base + "/sub"), ("sub/c", "file", base + "/sub/c")])
            self.assertTrue(self.logged(f"Compiled static catalog for {NODE} in environment versioned in "))
            # The content of the commit stays when the code goes on.
            (files / "one").write_text("second\n")
            second = commit()
            git("pack-refs", "--all")
            git("gc", "-q")
            self.assertEqual(self.static().json["code_id"], second)
            path = "/puppet/v3/static_file_content/modules/demo/files/"
            for name, code, text in (("one", first, "first\n"), ("one", second, "second\n"), ("tree/a%20b", first, "a\n"), ("dirty", first, "d\n"), ("dirty", second, "changed\n")):
                self.assertEqual(self.get(f"{path}{name}?environment=versioned&code_id={code}").text, text)
            # A file in a tree that the commit does not have: the agent asks for the tree itself.
            (files / "tree/more").write_text("")
            catalog = self.static().json
            self.assertEqual((catalog["code_id"], "recursive_metadata" in catalog), (second, False))
            self.assertEqual(self.static(static_catalog="false").json["code_id"], second)
            self.assertNotIn("metadata", self.static(static_catalog="false").json)
            self.assertIn("Unable to find a common checksum type between agent 'sha999' and master", self.static(checksum_type="sha999").json["message"])
            (directory / "environment.conf").write_text("static_catalogs = false\n")
            self.assertNotIn("metadata", self.static().json)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_static_content_that_nobody_gets(self):
        with self.versioned() as (directory, files, commit, git):
            os.symlink("../manifests/site.pp", files / "manifest")
            first = commit()
            ask = lambda path, code=first, environment="versioned": self.get(f"/puppet/v3/static_file_content/{path}?environment={environment}&code_id={code}")
            self.assertEqual(ask("modules/demo/files/one").status, 200)
            for status, words in ((400, ("", first)), (400, ("modules/demo/files/one", "")), (400, ("modules/demo/files/one", "HEAD")), (400, ("modules/demo/files/one", "--all")),
                                  (400, ("modules/demo/files/one", first, "no-pe")), (403, ("manifests/site.pp", first)), (403, ("modules/demo/manifests/init.pp", first)), (403, ("modules/demo/files", first)),
                                  (404, ("modules/demo/files/none", first)), (404, ("modules/demo/files/tree", first)), (404, ("modules/demo/files/tree/link", first)), (404, ("modules/demo/files/manifest", first)),
                                  (404, ("modules/demo/files/one", "0" * 40)), (404, ("modules/demo/files/one", first, "small")), (404, ("modules/demo/files/one", first, "nope")),
                                  (400, ("modules/demo/files/../../../manifests/site.pp", first))):
                self.assertEqual(ask(*words).status, status, words)
            self.assertEqual(self.get(f"/puppet/v3/static_file_content/modules/demo/files/one?environment=versioned&code_id={first}", None).status, 403)

    # -- what is kept

    def test_report(self):
        report = {"host": NODE, "time": "2026-11-23T19:00:00Z", "logs": [{"level": "err", "message": "a: \"b\"\nc"}], "metrics": {}, "resource_statuses": {}, "status": "changed"}
        answer = self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body=json.dumps(report), Content_Type="application/json")
        self.assertEqual((answer.status, answer.json), (200, ["store"]))
        [stored] = (self.top / "var/reports" / NODE).iterdir()
        self.assertIn('--- !ruby/object:Puppet::Transaction::Report\n"host": "worker01', stored.read_text())
        self.assertEqual(stored.stat().st_mode & 0o777, 0o640)
        for body, kind, status in (("{", "application/json", 400), ("{}", "application/json", 400), ("[]", "application/json", 400), ("{}", "text/xml", 415)):
            self.assertEqual(self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body=body, Content_Type=kind).status, status)

    def test_what_is_sent_for_an_unknown_environment(self):
        """Nothing of it is kept, as puppetserver keeps nothing."""
        kept = sorted(self.top.glob("var/**/*"))
        report = {"host": NODE, "logs": [], "metrics": {}, "status": "changed"}
        for path, body, kind in ((f"report/{NODE}", json.dumps(report), "application/json"), (f"facts/{NODE}", json.dumps({"name": NODE, "values": {}}), "application/json"),
                                 (f"file_bucket_file/sha256/{hashlib.sha256(b'unknown').hexdigest()}/tmp/x", "unknown", "application/octet-stream")):
            answer = self.ask("PUT", f"/puppet/v3/{path}?environment=nope", body=body, Content_Type=kind)
            self.assertEqual((answer.status, answer.json["message"]), (404, "Not Found: Could not find environment 'nope'"))
        self.assertEqual(sorted(self.top.glob("var/**/*")), kept)

    def test_bucket(self):
        sum_of = hashlib.sha256(b"kept").hexdigest()
        path = f"/puppet/v3/file_bucket_file/sha256/{sum_of}"
        self.assertEqual(self.ask("HEAD", path + "//etc/motd?environment=small").status, 404)
        self.assertEqual(self.ask("PUT", path + "//etc/motd?environment=small", body=b"kept", Content_Type="application/octet-stream").status, 200)
        self.assertEqual(self.ask("HEAD", path + "//etc/motd?environment=small").status, 200)
        kept = next((self.top / "var/bucket").rglob(sum_of))
        self.assertEqual((kept / "paths").read_text(), "etc/motd\n")  # as in puppetserver's bucket
        self.assertEqual(self.ask("HEAD", path + "//etc/issue?environment=small").status, 404)
        self.assertEqual(self.get(path + "?environment=small").text, "kept")
        self.assertEqual(self.get("/puppet/v3/file_bucket_file/sha256/..%2f?environment=small").status, 400)
        self.assertEqual(self.get("/puppet/v3/file_bucket_file/sha256/abc?environment=small").status, 500)

    def test_node_facts_environments(self):
        facts = {"name": NODE, "values": {"colour": "blue"}}
        self.assertEqual(self.ask("PUT", f"/puppet/v3/facts/{NODE}?environment=small", body=json.dumps(facts), Content_Type="application/json").status, 200)
        node = self.get(f"/puppet/v3/node/{NODE}?environment=small").json
        self.assertEqual(node, {"name": NODE, "environment": "small", "parameters": {"colour": "blue"}})
        self.assertEqual(sorted(self.get("/puppet/v3/environments").json["environments"]), ["production", "small"])

    # -- who may

    def test_without_certificate(self):
        self.assertEqual(self.get("/status/v1/simple", None).text, "running")
        self.assertEqual(self.get("/puppet-ca/v1/certificate/ca", None).text, (self.ca / "ca.pem").read_text())
        crl = self.get("/puppet-ca/v1/certificate_revocation_list/ca", None)
        self.assertEqual(crl.text, (self.ca / "crl.pem").read_text())
        self.assertEqual(self.get("/puppet-ca/v1/certificate_revocation_list/ca", None, If_Modified_Since=crl.headers["Last-Modified"]).status, 304)
        for path in (f"/puppet/v3/catalog/{NODE}?environment=small", "/puppet/v3/file_content/modules/demo/one.txt?environment=small", f"/puppet/v3/node/{NODE}?environment=small",
                     "/puppet/v3/environments", "/status/v1/metrics", "/nosuch", "/"):
            answer = self.get(path, None)
            self.assertEqual(answer.status, 403, path)
            self.assertEqual(answer.text, f"Forbidden request: {path.split('?')[0]} (method :get). Please see the server logs for details.")

    def test_other_nodes(self):
        for path in ("catalog", "node"):
            self.assertEqual(self.get(f"/puppet/v3/{path}/{NODE}?environment=small", "other.example.com").status, 403)
        for path in ("report", "facts"):
            self.assertEqual(self.ask("PUT", f"/puppet/v3/{path}/{NODE}?environment=small", "other.example.com", body="{}", Content_Type="application/json").status, 403)
        for path in (f"/puppet/v3/catalog/{NODE}%2f", f"/puppet/v3/catalog/{NODE.upper()}/x", f"//puppet/v3/catalog/{NODE}", f"/puppet/v3//catalog/{NODE}", f"/puppet/v3/catalog/{NODE}%0a"):
            self.assertIn(self.get(path + "?environment=small", "other.example.com").status, (400, 403, 404), path)

    def test_wrong_certificates(self):
        for name, authority, reason in (("gone.example.com", None, "certificate revoked"), ("old.example.com", None, "certificate has expired"),
                                        (NODE, self.top / "foreign", "unable to get local issuer certificate")):
            with self.assertRaises((ssl.SSLError, OSError)):
                self.ask("GET", "/status/v1/simple", name, authority=authority)
            self.assertTrue(self.logged(reason), reason)

    # -- attacks

    def test_paths(self):
        for path in ("modules/../../x", "modules/%2e%2e/x", "modules/demo/%2e%2e%2f%2e%2e%2fsite.pp", "modules/demo/..%2fmanifests", "./x", "%2e/x", "modules/demo/one.txt%00", "modules/%0d%0aX: y", "%zz"):
            self.assertEqual(self.raw(f"GET /puppet/v3/file_content/{path}?environment=small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())[:12], b"HTTP/1.1 400", path)
        for path in ("modules/demo/%252e%252e/x", "modules/demo/....//x"):
            self.assertEqual(self.get(f"/puppet/v3/file_content/{path}?environment=small").status, 404, path)

    def test_requests_that_are_none(self):
        for data in (b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /status/v1/simple HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
                     b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\nX\0: y\r\n\r\n",
                     b"GET / HTTP/1.1\r\nA : b\r\n\r\n", b"GET http://x/ HTTP/1.1\r\n\r\n", b"\r\n\r\n\0\0\0"):
            out = self.raw(data)
            self.assertTrue(out == b"" or out.startswith(b"HTTP/1.1 400"), (data, out[:60]))
        out = self.raw(b"GET /status/v1/simple HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n")
        self.assertTrue(out.startswith(b"HTTP/1.1 431"), out[:60])

    def test_large_bodies(self):
        out = self.raw(f"PUT /puppet/v3/report/{NODE}?environment=small HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n".encode())
        self.assertTrue(out.startswith(b"HTTP/1.1 413"), out[:60])
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        out = self.raw(f"PUT /puppet/v3/report/{NODE}?environment=small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunk * 40)
        self.assertTrue(out.startswith(b"HTTP/1.1 413"), out[:60])
        bomb = gzip.compress(b"\0" * 1_000_000)
        self.assertEqual(self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body=bomb, Content_Type="application/json", Content_Encoding="gzip").status, 415)
        nested = '{"name":"%s","values":{"a":%s%s}}' % (NODE, "[" * 100_000, "]" * 100_000)
        self.assertEqual(self.catalog(document=nested).status, 500)
        many = "&".join(f"a{i}=1" for i in range(5000))
        self.assertEqual(self.ask("POST", f"/puppet/v3/catalog/{NODE}?environment=small", body=many).status, 400)

    def test_slow_clients_hold_nobody(self):
        held = []
        for _ in range(50):
            plain = socket.create_connection(("localhost", self.port), 5)
            held.append(plain)
        tls = self.context().wrap_socket(socket.create_connection(("localhost", self.port), 20), server_hostname="localhost")
        tls.sendall(b"GET /status/v1/si")
        began = time.monotonic()
        self.assertEqual(self.catalog().status, 200)
        self.assertLess(time.monotonic() - began, 5)
        with contextlib.suppress(OSError):
            self.assertEqual(tls.recv(100), b"")  # ended after the time for a header
        self.assertLess(time.monotonic() - began, 18)
        tls.close()
        for plain in held:
            plain.close()

    # -- the server itself

    def test_many_at_once(self):
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(self.catalog().status)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [200] * 40)

    def test_kept_connection(self):
        connection = self.connect()
        for _ in range(3):
            connection.request("GET", "/status/v1/simple")
            self.assertEqual(Answer(connection.getresponse()).text, "running")
        connection.close()
        self.assertIn(f'- {NODE} [', (self.top / "access").read_text())

    def test_reload(self):
        make_certificate(self.ca, "late.example.com")
        self.assertEqual(self.get("/status/v1/simple", "late.example.com").status, 200)
        revoke(self.ca, "late.example.com")
        self.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.logged("were read again"))
        with self.assertRaises((ssl.SSLError, OSError)):
            self.get("/status/v1/simple", "late.example.com")

    def test_renewed_lists_need_no_signal(self):
        make_certificate(self.ca, "leaving.example.com")
        self.assertEqual(self.get("/status/v1/simple", "leaving.example.com").status, 200)
        whole = (self.ca / "crl.pem").read_text()
        (self.ca / "crl.pem").write_text(whole[:100])
        self.assertTrue(self.logged("Changed certificates or revocation lists are not used: Could not use the revocation list", 15))
        self.assertEqual(self.get("/status/v1/simple", "leaving.example.com").status, 200)
        revoke(self.ca, "leaving.example.com")
        self.assertTrue(self.logged("Certificates or revocation lists have changed, and were read again", 15))
        with self.assertRaises((ssl.SSLError, OSError)):
            self.get("/status/v1/simple", "leaving.example.com")
        self.assertEqual(self.get("/status/v1/simple").status, 200)

    def test_what_ends_soon_is_told(self):
        make_certificate(self.ca, "short.example.com", "-startdate", "200101000000Z", "-enddate", time.strftime("%y%m%d%H%M%SZ", time.gmtime(time.time() + 100_000)))
        rules = self.top / "all.conf"
        rules.write_text('authorization: { version: 1, rules: [ { name: a, sort-order: 1, allow: "*", match-request: { path: "/", type: path } } ] }')
        with self.another("--hostcert", self.ca / "short.example.com.pem", "--hostprivkey", self.ca / "short.example.com.key", "--auth", rules) as port:
            self.assertTrue(self.logged("WARNING The certificate '%s' ends in 27 hours: after that, agents refuse this server" % (self.ca / "short.example.com.pem"), 10))
            context = self.context()
            context.check_hostname = False
            connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=20)
            connection.request("GET", "/status/v1/metrics")
            metrics = dict(line.rsplit(" ", 1) for line in Answer(connection.getresponse()).text.splitlines() if not line.startswith("#"))
            connection.close()
        self.assertGreaterEqual(int(metrics['pupc_log_lines_total{level="warning"}']), 1)
        self.assertEqual(sorted(name for name in metrics if name.startswith("pupc_certificate")), [f'pupc_certificate_ends_seconds{{of="{of}"}}' for of in ("ca", "certificate", "crl")])
        self.assertLess(abs(int(metrics['pupc_certificate_ends_seconds{of="certificate"}']) - time.time() - 100_000), 100)

    def test_signals_of_other_daemons(self):
        """USR2 opens logs anew, as Puppet's daemons do; it must not end the server."""
        log, away = self.top / "access", self.top / "access.1"
        log.rename(away)
        self.process.send_signal(signal.SIGUSR2)
        for _ in range(100):
            if log.exists() and "/status/v1/simple" in log.read_text():
                break
            self.assertEqual(self.get("/status/v1/simple").status, 200)
            time.sleep(0.05)
        else:
            self.fail("the new log stays empty")
        self.process.send_signal(signal.SIGUSR1)
        self.assertTrue(self.logged("were read again"))
        log.write_text(away.read_text() + log.read_text())

    def test_wrong_settings(self):
        def start(*words):
            out = subprocess.run([SERVER, "--config", self.top / "puppet.conf", "--listen", "127.0.0.1:0", *words], capture_output=True, text=True, timeout=20)
            return out.returncode, out.stderr.replace("Warning: pupc-server runs as root, which it never needs: run it as the user who owns the certificates\n", "")
        self.assertEqual(start("--hostcrl", "/nonexistent"), (1, "Error: Could not use the revocation list '/nonexistent': No such file or directory\n"))
        rules = self.top / "wrong.conf"
        rules.write_text('authorization: { version: 1, rules: [ { name: a, sort-order: 1, allow: "*", alow: b, match-request: { path: "/", type: path } } ] }')
        self.assertEqual(start("--auth", str(rules)), (1, f"Error: {rules}: rule 1 ('a'): 'alow' is not known (match-request, sort-order, allow, deny, allow-unauthenticated, name)\n"))
        self.assertEqual(start("--listen", "x")[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
