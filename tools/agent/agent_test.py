#!/usr/bin/env python3
"""pupc agent against pupc-server: what a run asks, changes, keeps and says. Usage: agent_test.py PUPC_AGENT PUPC_SERVER"""
import contextlib
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import Agent, Authority, FakeServer, Fleet

if len(sys.argv) < 3:
    print(__doc__)
    sys.exit(2)
AGENT, SERVER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
if shutil.which("openssl") is None or not os.access(SERVER, os.X_OK):
    print("skipped: openssl and pupc-server are needed")
    sys.exit(77)

MANIFEST = """
$t = $facts['target']
file { "${t}/content": content => "some text\\n" }
file { "${t}/from_module": source => 'puppet:///modules/demo/one.txt', mode => '0600' }
file { "${t}/tree": ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree', ignore => ['*.bak'] }
file { "${t}/second": source => ['puppet:///modules/demo/missing', 'puppet:///modules/demo/one.txt'] }
class demo { notify { 'in the class': } }
include demo
"""


class AgentTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fleet = Fleet(SERVER)
        f = cls.fleet
        f.environment("production", MANIFEST)
        f.module_file("demo/files/one.txt", "one\n")
        f.module_file("demo/files/tree/a b.txt", "a\n")
        f.module_file("demo/files/tree/100%25", "percent\n")
        f.module_file("demo/files/tree/sub/c", "c\n")
        f.module_file("demo/files/tree/x.bak", "x\n")
        f.module_file("demo/files/big", os.urandom(6 << 20))
        f.module_file("demo/lib/facter/f.rb", "Facter.add(:from_plugin) { setcode { 'yes' } }\n")
        f.module_file("demo/facts.d/e.txt", "external=here\n").chmod(0o644)
        f.module_file("demo/manifests/init.pp", "class demo::unused { }\n").unlink()
        f.environment("other", "notify { 'other environment': }\n")
        f.start()
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        cls.fleet.close()

    def agent(self, *command, **settings):
        type(self).count += 1
        agent = Agent(self.fleet, self.fleet.top / f"agent{self.count}", [AGENT, *(command or ("agent", "--as-puppet"))])
        if settings:
            agent.configure(**settings)
        return agent

    @contextlib.contextmanager
    def manifest(self, text, environment="production"):
        file = self.fleet.environments / environment / "manifests/site.pp"
        before = file.read_text()
        file.write_text(text)
        try:
            yield
        finally:
            file.write_text(before)

    def test_first_and_second_run(self):
        agent = self.agent()
        code, out = agent.run("--test")
        self.assertEqual(code, 2, out)
        for line in ("Info: Using environment 'production'", "Info: Retrieving pluginfacts", "Info: Retrieving plugin", "Info: Loading facts", "Notice: Requesting catalog from SERVER (127.0.0.1)", "Info: Caching catalog for node.example.com",
                     "Info: Applying configuration version 'N'", "Notice: Applied catalog in N seconds", "Info: Creating state file ROOT/var/state/state.yaml",
                     "Notice: /Stage[main]/Main/File[ROOT/target/tree/sub/c]/ensure: defined content as '{sha256}a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478'",
                     "Notice: /File[ROOT/var/lib/facter]/ensure: created"):
            self.assertIn(line + "\n", out)
        target = agent.root / "target"
        self.assertEqual(sorted(str(p.relative_to(target)) for p in target.rglob("*")),
                         ["content", "from_module", "second", "tree", "tree/100%25", "tree/a b.txt", "tree/sub", "tree/sub/c"])
        self.assertEqual(((target / "from_module").read_text(), (target / "from_module").stat().st_mode & 0o777), ("one\n", 0o600))
        self.assertEqual((target / "tree/100%25").read_text(), "percent\n")
        self.assertEqual((agent.root / "var/lib/facter/f.rb").read_text(), "Facter.add(:from_plugin) { setcode { 'yes' } }\n")
        self.assertIn("demo\n", agent.read("var/state/classes.txt"))
        self.assertIn(f"File[{target}/content]\n".lower(), agent.read("var/state/resources.txt").lower())
        summary = agent.read("var/public/last_run_summary.yaml")
        self.assertIn("run_mode: agent", summary)
        cached = json.loads((agent.root / "var/client_data/catalog/node.example.com.json").read_text())
        self.assertEqual(cached["name"], "node.example.com")
        self.assertFalse((agent.root / "var/state/agent_catalog_run.lock").exists())
        stored = list((self.fleet.top / "server/reports/node.example.com").glob("*"))
        self.assertTrue(stored)
        facts = json.loads((self.fleet.top / "server/server_data/facts/node.example.com.json").read_text())["values"]
        self.assertEqual((facts["from_plugin"], facts["external"], facts["clientcert"], facts["clientnoop"]), ("yes", "here", "node.example.com", False))
        # The second run changes nothing and fetches no content.
        before = self.fleet.access().count("file_content")
        code, out = agent.run("--test")
        self.assertEqual(code, 2, out)  # the notify
        self.assertNotIn("File[", out)
        self.assertEqual(self.fleet.access().count("file_content"), before)

    def test_plugins_that_are_gone(self):
        agent = self.agent()
        extra = self.fleet.module_file("gone/lib/facter/g.rb", "")
        self.assertIn("Notice: /File[ROOT/var/lib/facter/g.rb]/ensure: defined content", agent.run("--test")[1])
        shutil.rmtree(extra.parents[2])
        self.assertIn("Notice: /File[ROOT/var/lib/facter/g.rb]/ensure: removed", agent.run("--test")[1])
        self.assertFalse((agent.root / "var/lib/facter/g.rb").exists())

    def test_large_content(self):
        agent = self.agent()
        with self.manifest("file { \"${facts['target']}/big\": source => 'puppet:///modules/demo/big' }\n"):
            self.assertEqual(agent.run("--test")[0], 2)
        self.assertEqual((agent.root / "target/big").read_bytes(), (self.fleet.environments / "production/modules/demo/files/big").read_bytes())

    def test_noop(self):
        agent = self.agent("agent")
        code, out = agent.run("--test", "--noop")
        self.assertEqual(code, 0, out)
        self.assertRegex(out, r"File\[ROOT/target/content\]/ensure: defined content as '\{sha256\}[0-9a-f]+' \(noop\)")
        self.assertEqual(list((agent.root / "target").iterdir()), [])
        self.assertFalse((agent.root / "var/client_data").exists())
        self.assertNotIn("PUT /puppet/v3/report", "".join(self.fleet.access().splitlines(True)[-3:]))

    def test_broken_catalog_and_cache(self):
        agent = self.agent()
        with self.manifest("fail('as asked')\n"):
            code, out = agent.run("--test")
            self.assertEqual(code, 1)
            self.assertRegex(out, r"Error: Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Function Call, as asked")
            self.assertIn("Warning: Not using cache on failed catalog\nError: Could not retrieve catalog; skipping run\n", out)
        with self.manifest("file { \"${facts['target']}/kept\": content => 'x' }\n"):
            self.assertEqual(agent.run("--test")[0], 2)
        (agent.root / "target/kept").unlink()
        with self.manifest("fail('as asked')\n"):
            code, out = agent.run("--onetime", "--no-daemonize", "--verbose", "--detailed-exitcodes")
            self.assertEqual(code, 2, out)
            self.assertIn("Info: Using cached catalog from environment 'production'\n", out)
            self.assertIn("Info: Caching catalog for node.example.com\n", out)  # once more, as Puppet does
        self.assertTrue((agent.root / "target/kept").exists())
        self.assertIn("cached_catalog_status: on_failure", agent.read("var/state/last_run_report.yaml"))

    def test_a_resource_that_fails(self):
        agent = self.agent()
        with self.manifest("exec { '/bin/false': }\n-> file { \"${facts['target']}/after\": content => 'x' }\n"):
            code, out = agent.run("--test")
        self.assertEqual(code, 4, out)
        self.assertIn("change from 'notrun' to ['0'] failed: '/bin/false' returned 1 instead of one of [0]", out)
        self.assertFalse((agent.root / "target/after").exists())
        self.assertIn("status: failed\n", agent.read("var/state/last_run_report.yaml"))

    def test_disabled(self):
        agent = self.agent()
        self.assertEqual(agent.run("--disable", "for a test"), (0, ""))  # the system's log is told
        code, out = agent.run("--test")
        self.assertEqual((code, out), (1, "Notice: Skipping run of Puppet configuration client; administratively disabled (Reason: 'for a test');\nUse 'puppet agent --enable' to re-enable.\n"))
        self.assertEqual(agent.run("--enable"), (0, ""))
        self.assertFalse((agent.root / "var/state/agent_disabled.lock").exists())

    def test_an_environment_that_is_not_there(self):
        agent = self.agent()
        code, out = agent.run("--test", "--environment", "nope")
        self.assertIn("Notice: Environment 'nope' not found on server, skipping initial pluginsync.\n", out)
        self.assertIn("Notice: Local environment: 'nope' doesn't match server specified environment 'production', restarting agent run with environment 'production'\n", out)
        self.assertEqual(code, 2)

    def test_hooks(self):
        agent = self.agent(prerun_command="/bin/false", postrun_command="/bin/touch ${vardir}/after")
        code, out = agent.run("--test")
        self.assertEqual(code, 1, out)
        self.assertIn("Error: Could not run command from prerun_command: Execution of '/bin/false' returned 1: \n", out)
        self.assertTrue((agent.root / "var/after").exists())
        self.assertFalse((agent.root / "target/content").exists())
        self.assertIn("\nresources:\n", agent.read("var/public/last_run_summary.yaml"))
        self.assertNotRegex(agent.read("var/public/last_run_summary.yaml"), r"\n  total: [1-9]\d*\n")  # nothing was evaluated

    def test_a_certificate_of_another_authority(self):
        """As in Puppet: the server may know its issuer, so that it is a warning; but no server is trusted then, and the report says that the run failed."""
        agent = self.agent(certificate_revocation="false")
        foreign = Authority(self.fleet.top / "another", "Another CA")
        shutil.copy(foreign.directory / "ca.pem", agent.root / "ssl/certs/ca.pem")
        code, out = agent.run("--test")
        self.assertEqual(code, 1, out)
        self.assertIn(f"Warning: The issuer 'CN=Test CA' of certificate 'CN={agent.name}' cannot be found locally\n", out)
        self.assertIn("Error: Could not retrieve catalog; skipping run\n", out)
        self.assertIn("status: failed\n", agent.read("var/state/last_run_report.yaml"))

    def test_nobody_answers(self):
        agent = self.agent(serverport=1)
        code, out = agent.run("--test")
        self.assertEqual(code, 1)
        self.assertIn("Warning: Unable to fetch my node definition, but the agent run will continue:\n", out)
        self.assertIn("Error: Could not retrieve catalog; skipping run\n", out)

    def test_server_list(self):
        agent = self.agent(server_list=f"localhost:1,localhost:{self.fleet.port}", skip_logging_catalog_request_destination="true")
        code, out = agent.run("--test")
        self.assertEqual(code, 2, out)
        self.assertNotIn("Requesting catalog", out)
        self.assertIn(f"server_used: localhost:{self.fleet.port}", agent.read("var/state/last_run_report.yaml").replace("'", ""))


    def test_bucket_on_the_server(self):
        agent = self.agent()
        (agent.root / "target/kept").write_text("before\n")
        bucket = "filebucket { 'main': path => false }\nFile { backup => main }\n"
        of_before = hashlib.sha256(b"before\n").hexdigest()
        with self.manifest(bucket + "file { \"${facts['target']}/kept\": content => \"after\\n\" }\n"):
            code, out = agent.run("--test")
        self.assertEqual(code, 2, out)
        self.assertIn("Info: Computing checksum on file ROOT/target/kept\n", out)
        self.assertIn(f"Info: /Stage[main]/Main/File[ROOT/target/kept]: Filebucketed ROOT/target/kept to main with sum {of_before}\n", out)
        kept = self.fleet.top / "server/bucket" / "/".join(of_before[:8]) / of_before
        self.assertEqual(((kept / "contents").read_text(), (kept / "paths").read_text()), ("before\n", f"{agent.root}/target/kept\n".lstrip("/")))
        with self.manifest(bucket + f"file {{ \"${{facts['target']}}/kept\": content => '{{sha256}}{of_before}' }}\n"):
            code, out = agent.run("--test")
        self.assertEqual((code, (agent.root / "target/kept").read_text()), (2, "before\n"), out)
        with self.manifest(bucket + f"file {{ \"${{facts['target']}}/kept\": content => '{{sha256}}{'0' * 64}' }}\n"):
            code, out = agent.run("--test")
        self.assertEqual((code, (agent.root / "target/kept").read_text()), (4, "before\n"), out)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_static_catalog(self):
        """Files come as they were at the commit of the catalog, though newer code has been deployed."""
        directory = self.fleet.environment("versioned", "file { \"${facts['target']}/one\": source => 'puppet:///modules/demo/one' }\n"
                                           "file { \"${facts['target']}/tree\": ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }\n")
        one = self.fleet.module_file("demo/files/one", "first\n", "versioned")
        self.fleet.module_file("demo/files/tree/a %20b", "a\n", "versioned")

        def commit():
            for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x")):
                subprocess.run(("git", *words), cwd=directory, check=True, capture_output=True)
        commit()
        agent = self.agent(environment="versioned")
        before = len(self.fleet.access())
        self.assertEqual(agent.run("--test")[0], 2)
        target = agent.root / "target"
        self.assertEqual(((target / "one").read_text(), (target / "tree/a %20b").read_text()), ("first\n", "a\n"))
        asked = self.fleet.access()[before:]
        self.assertIn("/puppet/v3/static_file_content/modules/demo/files/tree/a%20%2520b?environment=versioned&code_id=", asked)
        self.assertNotIn("/modules/demo/one?", asked)  # its metadata came with the catalog
        one.write_text("second\n")
        commit()
        shutil.rmtree(target / "tree")
        (target / "one").unlink()
        code, out = agent.run("--test", "--use_cached_catalog")
        self.assertEqual((code, (target / "one").read_text(), (target / "tree/a %20b").read_text()), (2, "first\n", "a\n"), out)
        self.assertEqual(agent.run("--test")[0], 2)
        self.assertEqual((target / "one").read_text(), "second\n")
        shutil.rmtree(directory)


class WithFakeServer(unittest.TestCase):
    """What pupc-server does not do: the CA's part, and servers that are no friends."""

    @classmethod
    def setUpClass(cls):
        cls.fleet = Fleet(SERVER)
        cls.foreign = Authority(cls.fleet.top / "foreign", "Foreign CA")
        cls.foreign.issue("localhost")

    @classmethod
    def tearDownClass(cls):
        cls.fleet.close()

    def setUp(self):
        self.server = FakeServer(self.fleet)
        self.addCleanup(lambda: self.server.close())

    def agent(self, *command, certificate=True, **settings):
        agent = Agent(self.fleet, self.fleet.top / self.id().split(".")[-1], [AGENT, *(command or ("agent", "--as-puppet"))], certificate=certificate)
        agent.configure(**({"serverport": self.server.port, "key_type": "ec"} | settings))
        return agent

    def file(self, agent, name="x", **parameters):
        return {"type": "File", "title": f"{agent.root}/target/{name}", "parameters": parameters}

    def metadata(self, **changed):
        return {"path": "/x", "relative_path": None, "links": "manage", "owner": 0, "group": 0, "mode": 0o644, "checksum": {"type": "sha256", "value": "{sha256}" + hashlib.sha256(b"one\n").hexdigest()},
                "type": "file", "destination": None} | changed

    def test_bootstrap(self):
        agent = self.agent("ssl", certificate=False)
        (agent.root / "conf/csr_attributes.yaml").write_text("---\ncustom_attributes:\n  1.2.840.113549.1.9.7: password\nextension_requests:\n  pp_role: worker\n")
        code, out = agent.run("bootstrap", "--waitforcert", "0")
        self.assertEqual(code, 1, out)
        for line in ("Info: Creating a new EC SSL key for node.example.com using curve prime256v1", "Info: csr_attributes file loading from ROOT/conf/csr_attributes.yaml", "Info: Creating a new SSL certificate request for node.example.com",
                     "Couldn't fetch certificate from CA server; you might still need to sign this agent's certificate (node.example.com).", "Exiting now because the waitforcert setting is set to 0."):
            self.assertIn(line + "\n", out)
        self.assertEqual((agent.root / "ssl/private_keys/node.example.com.pem").stat().st_mode & 0o777, 0o640)
        request = subprocess.run(["openssl", "req", "-in", agent.root / "ssl/certificate_requests/node.example.com.pem", "-noout", "-text", "-verify"], capture_output=True, text=True).stdout
        self.assertIn("1.3.6.1.4.1.34380.1.1.13", request)
        self.assertRegex(request, "CN ?= ?node.example.com")
        self.server.signs = True
        code, out = agent.run("bootstrap", "--waitforcert", "1")
        self.assertEqual((code, out.splitlines()[-1]), (0, "Notice: Completed SSL initialization"), out)
        self.assertFalse((agent.root / "ssl/certificate_requests/node.example.com.pem").exists())
        code, out = agent.run("verify")
        self.assertEqual(code, 0, out)
        self.assertRegex(out, r"Notice: Verified CA certificate 'CN=Test CA' fingerprint \(SHA256\) [0-9A-F:]{95}\nNotice: Verified client certificate 'CN=node.example.com' fingerprint")
        self.assertIn("Subject: CN=node.example.com", agent.run("show")[1])
        agent.command[1:] = ["agent", "--as-puppet"]
        self.assertRegex(agent.run("--fingerprint")[1], r"^\(SHA256\) [0-9A-F:]{95}\n$")
        agent.command[1:] = ["ssl"]
        code, out = agent.run("clean")
        self.assertEqual((code, out.count("Notice: Removed ")), (0, 3), out)
        self.assertEqual(agent.run("verify"), (1, "Error: Could not run: The private key is missing from 'ROOT/ssl/private_keys/node.example.com.pem'\n"))

    def short_lived(self, agent):
        """Gives the agent a certificate that ends in ten days, and returns one that ends later, for the same key."""
        ca = self.fleet.ca
        words = ("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{agent.name}.csr", "-notext")
        ca.openssl(*words, "-days", "10", "-out", "short.pem")
        ca.openssl(*words, "-days", "80", "-out", "later.pem")
        agent.install(ca.directory / "short.pem", ca.directory / f"{agent.name}.key")
        return (ca.directory / "later.pem").read_text()

    def test_renewal(self):
        agent = self.agent()
        later = self.short_lived(agent)
        own = agent.root / "ssl/certs/node.example.com.pem"
        self.server.node(agent.name, self.file(agent, content="x"))
        path = "/puppet-ca/v1/certificate_renewal"
        before = own.read_text()
        for answer, told in (((404, {}, b"no"), "Info: Certificate autorenewal has not been enabled on the server.\n"), ((500, {}, b"no"), "Warning: Failed to automatically renew certificate: 500"),
                             ((200, {}, (self.fleet.ca.directory / "localhost.pem").read_bytes()), "Warning: Unable to automatically renew certificate: ")):
            self.server.answers["POST", path] = answer
            code, out = agent.run("--test")
            self.assertIn(told, out)
            self.assertEqual((own.read_text(), (agent.root / "target/x").exists()), (before, True))
        self.server.answers["POST", path] = (200, {"Content-Type": "text/plain"}, later.encode())
        self.assertIn("Info: Renewed client certificate: ", agent.run("--test")[1])
        self.assertEqual(own.read_text(), later)
        count = len([a for a in self.server.asked if a[1] == path])
        agent.run("--test")
        self.assertEqual(len([a for a in self.server.asked if a[1] == path]), count)

    def test_renewal_by_way_of_a_server(self):
        """pupc-server passes the request on to the CA, with the certificate of who asks."""
        seen = []

        def renew(headers, body):
            seen.append(headers)
            return 200, {"Content-Type": "text/plain"}, later.encode()
        fleet = Fleet(SERVER)
        authority = FakeServer(fleet)
        try:
            fleet.ca_port = authority.port
            fleet.start()
            agent = Agent(fleet, fleet.top / "agent", [AGENT, "agent", "--as-puppet"])
            mine, self.fleet = self.fleet, fleet
            try:
                later = self.short_lived(agent)
            finally:
                self.fleet = mine
            authority.with_headers["POST", "/puppet-ca/v1/certificate_renewal"] = renew
            code, out = agent.run("--test")
            self.assertIn("Info: Renewed client certificate: ", out)
            self.assertEqual((agent.root / "ssl/certs/node.example.com.pem").read_text(), later)
            self.assertEqual((seen[0]["X-Client-Verify"], seen[0]["X-Client-DN"]), ("SUCCESS", "CN=node.example.com"))
            self.assertEqual(urllib.parse.unquote(seen[0]["X-Client-Cert"]), (fleet.ca.directory / "short.pem").read_text())
            # A CA that renews somebody else's certificate does not reach the node.
            agent.install(fleet.ca.directory / "short.pem", fleet.ca.directory / "node.example.com.key")
            later = (fleet.ca.directory / "localhost.pem").read_text()
            self.assertIn("Info: Certificate autorenewal has not been enabled on the server.\n", agent.run("--test")[1])
        finally:
            authority.close()
            fleet.close()

    def test_revocation_list_is_refreshed(self):
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, content="x"))
        asked = lambda: len([a for a in self.server.asked if "certificate_revocation_list" in a[1]])
        agent.run("--test")
        before = asked()
        agent.run("--test")
        self.assertEqual(asked(), before)  # it is not old
        old = time.time() - 3 * 86400
        os.utime(agent.root / "ssl/crl.pem", (old, old))
        self.fleet.ca.revoke("localhost")  # the server itself: the new list tells
        try:
            self.assertEqual(agent.run("--test")[0], 1)
            self.assertEqual((agent.root / "ssl/crl.pem").read_bytes(), (self.fleet.ca.directory / "crl.pem").read_bytes())
        finally:
            index = self.fleet.ca.directory / "index"
            index.write_text("".join(line for line in index.read_text().splitlines(True) if not line.startswith("R")))
            self.fleet.ca.revoke()

    def test_splay(self):
        agent = self.agent(splay="true", splaylimit="1")
        self.server.node(agent.name, self.file(agent, content="x"))
        code, out = agent.run("--onetime", "--no-daemonize", "--verbose", "--detailed-exitcodes")
        self.assertEqual(code, 2, out)
        self.assertRegex(out, r"Info: Sleeping for [01] seconds \(splay is enabled\)\n")
        self.assertNotIn("splay", agent.run("--test")[1])

    def test_daemonize(self):
        agent = self.agent(runinterval="1h")
        self.server.node(agent.name, self.file(agent, content="x"))
        self.assertEqual(agent.run("--daemonize", "--logdest", str(agent.root / "log")), (0, ""))
        pidfile = agent.root / "var/run/agent.pid"
        for _ in range(300):
            if (agent.root / "target/x").exists():
                break
            time.sleep(0.1)
        pid = int(pidfile.read_text())
        self.assertEqual(os.stat(f"/proc/{pid}/cwd").st_ino, os.stat("/").st_ino)
        self.assertEqual(os.getpgid(pid), os.getsid(pid))
        self.assertEqual([os.readlink(f"/proc/{pid}/fd/{n}") for n in range(3)], ["/dev/null"] * 3)
        agent.run("--daemonize", "--logdest", str(agent.root / "log"))  # the second one sees the first
        for _ in range(100):
            if "Could not create PID file" in agent.read("log"):
                break
            time.sleep(0.1)
        self.assertIn(f"Could not create PID file: {pidfile}", agent.read("log"))
        self.assertEqual(int(pidfile.read_text()), pid)
        os.kill(pid, signal.SIGTERM)
        for _ in range(300):
            if not os.path.exists(f"/proc/{pid}"):
                break
            time.sleep(0.1)
        self.assertFalse(pidfile.exists())

    def test_paths_that_leave(self):
        agent = self.agent()
        for number, evil in enumerate(("../../evil", "a/../../evil", "/evil", "a//b", "./a", "a\0b")):
            self.server.node(agent.name, self.file(agent, f"tree{number}", ensure="directory", recurse=True, source="puppet:///modules/demo/tree"))
            self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/tree", self.metadata(type="directory"))
            self.server.json("GET", "/puppet/v3/file_metadatas/modules/demo/tree", [self.metadata(type="directory", relative_path="."), self.metadata(relative_path=evil)])
            self.server.answers["GET", "/puppet/v3/file_content/modules/demo/tree"] = (200, {}, b"one\n")
            code, out = agent.run("--test")
            self.assertIn("a path leads out of the tree", out)
        self.assertFalse(list(self.fleet.top.rglob("evil")))

    def test_links_that_lead_away(self):
        """Nothing is written through a link that the server sent before: neither by the list's order nor by that of the names."""
        agent = self.agent()
        outside = self.fleet.top / "outside"
        outside.mkdir()
        self.server.answers["GET", "/puppet/v3/file_content/modules/demo/tree/l/evil"] = (200, {}, b"one\n")
        self.server.answers["GET", "/puppet/v3/file_content/modules/demo/one"] = (200, {}, b"one\n")
        root, link = self.metadata(type="directory", relative_path="."), self.metadata(relative_path="l", type="link", destination=str(outside), checksum={"type": "sha256", "value": None})
        inner = self.metadata(relative_path="l/evil")
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/tree", root | {"relative_path": None})
        for entries in ([root, link, inner], [root, inner, link], [root, self.metadata(relative_path="l", type="directory"), link, inner]):
            self.server.node(agent.name, self.file(agent, "tree", ensure="directory", recurse=True, source="puppet:///modules/demo/tree"))
            self.server.json("GET", "/puppet/v3/file_metadatas/modules/demo/tree", entries)
            code, out = agent.run("--test")
            self.assertIn("the server's metadata are wrong: a path is", out)
            self.assertEqual(list(outside.iterdir()), [], out)
            shutil.rmtree(agent.root / "target/tree", ignore_errors=True)
        # Of two trees that are merged: the link of the first hides the directory of the second.
        self.server.node(agent.name, self.file(agent, "tree", ensure="directory", recurse=True, sourceselect="all", source=["puppet:///modules/demo/tree", "puppet:///modules/demo/two"]))
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/two", root | {"relative_path": None})
        self.server.json("GET", "/puppet/v3/file_metadatas/modules/demo/tree", [root, link])
        self.server.json("GET", "/puppet/v3/file_metadatas/modules/demo/two", [root, self.metadata(relative_path="l", type="directory"), inner])
        code, out = agent.run("--test")
        self.assertTrue((agent.root / "target/tree/l").is_symlink(), out)
        self.assertEqual(list(outside.iterdir()), [], out)
        # So does a link of a tree of this machine, and a server's link what such a tree has below it.
        linked, below = self.fleet.top / "linked", self.fleet.top / "below"
        linked.mkdir()
        (linked / "l").symlink_to(outside)
        (below / "l/inner").mkdir(parents=True)
        (below / "l/inner/file").write_text("one\n")
        for sources in ([str(linked), "puppet:///modules/demo/two"], ["puppet:///modules/demo/tree", str(below)]):
            shutil.rmtree(agent.root / "target/tree")
            self.server.node(agent.name, self.file(agent, "tree", ensure="directory", recurse=True, sourceselect="all", source=sources))
            code, out = agent.run("--test")
            self.assertTrue((agent.root / "target/tree/l").is_symlink(), out)
            self.assertEqual(list(outside.iterdir()), [], out)

    def test_modes_of_the_server(self):
        """A file has the server's bits only where the catalog asks for them, and never more than bits of a mode."""
        agent = self.agent()
        self.server.answers["GET", "/puppet/v3/file_content/modules/demo/x"] = (200, {}, b"one\n")
        self.server.node(agent.name, self.file(agent, source="puppet:///modules/demo/x"))
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/x", self.metadata(mode=0o6777))
        self.assertEqual(agent.run("--test")[0], 2)
        self.assertEqual((agent.root / "target/x").stat().st_mode & 0o7022, 0)
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/x", self.metadata(mode=0o106777))
        code, out = agent.run("--test")
        self.assertEqual(code, 4, out)
        self.assertIn("the server's metadata are wrong", out)

    def test_plugins(self):
        agent = self.agent()
        root = self.metadata(type="directory", relative_path=".", mode=0o777)
        for wrong in (self.metadata(relative_path="../evil"), self.metadata(relative_path="a", type="link", destination="/etc"), self.metadata(relative_path="a", type="fifo")):
            self.server.node(agent.name, self.file(agent, content="x"))
            self.server.json("GET", "/puppet/v3/file_metadatas/plugins", [root, wrong])
            code, out = agent.run("--test")
            self.assertEqual(code, 1, out)
            self.assertFalse((agent.root / "target/x").exists())
        self.server.json("GET", "/puppet/v3/file_metadatas/pluginfacts", [root, self.metadata(relative_path="s.txt", mode=0o6777)])
        self.server.json("GET", "/puppet/v3/file_metadatas/plugins", [root])
        self.server.answers["GET", "/puppet/v3/file_content/pluginfacts/s.txt"] = (200, {}, b"one\n")
        agent.run("--test")
        self.assertEqual((agent.root / "var/facts.d/s.txt").stat().st_mode & 0o7777, 0o755)

    def test_content_that_is_another(self):
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, source="puppet:///modules/demo/x"))
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/x", self.metadata())
        self.server.answers["GET", "/puppet/v3/file_content/modules/demo/x"] = (200, {}, b"other\n")
        code, out = agent.run("--test")
        self.assertEqual(code, 4, out)
        self.assertIn("File written to disk did not match desired checksum; discarding changes", out)
        self.assertFalse((agent.root / "target/x").exists())

    def test_static_catalog_that_is_wrong(self):
        agent = self.agent()
        url = "puppet:///modules/demo/tree"
        self.server.node(agent.name, self.file(agent, "one", source="puppet:///modules/demo/one"), self.file(agent, "tree", ensure="directory", recurse=True, source=url))
        status, headers, body = self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"]
        root = self.metadata(type="directory", relative_path=".", content_uri="puppet:///modules/demo/files/tree")
        place = "puppet:///modules/demo/files/one"
        for one, inner in ((self.metadata(content_uri="puppet:///modules/../../one"), self.metadata(relative_path="../../evil", content_uri=place)), (self.metadata(content_uri="file:///etc/passwd"), 7),
                           (self.metadata(content_uri=place, checksum={"type": "sha256", "value": "x"}), self.metadata(relative_path="a", content_uri="puppet:///a/../b"))):
            self.server.json("POST", f"/puppet/v3/catalog/{agent.name}", json.loads(body) | {
                "code_id": "c", "metadata": {f"{agent.root}/target/one": one}, "recursive_metadata": {f"{agent.root}/target/tree": {url: [root, inner]}}})
            self.server.answers["GET", "/puppet/v3/static_file_content/modules/demo/files/one"] = (200, {}, b"one\n")
            code, out = agent.run("--test")
            self.assertEqual((code, out.count("the server's metadata are wrong") + out.count("the path leaves its mount") >= 2), (4, True), out)
            self.assertEqual([p for p in (agent.root / "target").rglob("*") if p.is_file()], [])
        self.assertFalse(list(self.fleet.top.rglob("evil")))

    def test_content_without_end(self):
        """An endless body ends with the time or the size that is allowed, and leaves nothing."""
        agent = self.agent(http_read_timeout=5)
        self.server.node(agent.name, self.file(agent, source="puppet:///modules/demo/x"), self.file(agent, "y", content="y"))
        self.server.json("GET", "/puppet/v3/file_metadata/modules/demo/x", self.metadata())
        self.server.answers["GET", "/puppet/v3/file_content/modules/demo/x"] = (200, {"Content-Length": "1000000000000"}, b"one\n" * 100_000)
        code, out = agent.run("--test")
        self.assertEqual((code, sorted(p.name for p in (agent.root / "target").iterdir())), (6, ["y"]), out)
        self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"] = (200, {"Content-Type": "application/json", "Content-Length": str(300 << 20)}, b"[" * 1000)
        code, out = agent.run("--test")
        self.assertEqual(code, 1, out)
        self.assertIn("Error: Could not retrieve catalog from remote server: Request to https://localhost:", out)

    def test_answers_without_end(self):
        """Chunks for ever, a compressed answer that nobody asked for, headers for ever: an error, and no more memory than an answer may have."""
        agent = self.agent(http_read_timeout=30)
        self.server.node(agent.name, self.file(agent, content="x"))
        catalog = ("POST", f"/puppet/v3/catalog/{agent.name}")
        json_type = {"Content-Type": "application/json"}
        chunk = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
        for answer in ((200, json_type | {"Transfer-Encoding": "chunked"}, itertools.repeat(chunk)), (200, json_type | {"Content-Encoding": "gzip"}, gzip.compress(b" " * (300 << 20))),
                       (200, json_type | {f"X-{i}": "y" * 1000 for i in range(1000)}, b"{}")):
            self.server.answers[catalog] = answer
            code, out = agent.run("--test")
            self.assertEqual(code, 1, out)
            self.assertIn("Error: Could not retrieve catalog from remote server: ", out)
            self.assertEqual(list((agent.root / "target").iterdir()), [])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 700 << 10)

    def test_wrong_servers(self):
        for server in (FakeServer(self.fleet, tls=False), FakeServer(self.fleet, authority=self.foreign)):
            with self.subTest(server=server):
                agent = Agent(self.fleet, self.fleet.top / f"wrong{server.port}", [AGENT, "agent", "--as-puppet"])
                agent.configure(serverport=server.port)
                server.node(agent.name, self.file(agent, content="x"))
                self.assertEqual(agent.run("--test")[0], 1)
                self.assertEqual((list((agent.root / "target").iterdir()), server.asked), ([], []))
                server.close()
        agent = self.agent(server="127.0.0.1")  # the certificate is that of localhost
        self.server.node(agent.name, self.file(agent, content="x"))
        self.assertEqual((agent.run("--test")[0], self.server.asked, list((agent.root / "target").iterdir())), (1, [], []))
        agent.configure(serverport=self.server.port)
        self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"] = (302, {"Location": "http://127.0.0.1/"}, b"")
        code, out = agent.run("--test")
        self.assertEqual(code, 1)
        self.assertIn("Error 302 on SERVER", out)

    def test_come_again(self):
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, content="x"))
        later = self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"]

        def busy(_):
            self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"] = later
            return 503, {"Retry-After": "1"}, b"busy"
        self.server.answers["POST", f"/puppet/v3/catalog/{agent.name}"] = busy
        code, out = agent.run("--test")
        self.assertEqual(code, 2, out)
        self.assertIn("Warning: Sleeping for 1 seconds before retrying the request\n", out)

    def test_reports_that_are_refused(self):
        """A server that does not know the environment refuses the report with 404, which Puppet's agent passes over."""
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, content="x"))
        for status, told in ((404, False), (500, True)):
            self.server.answers["PUT", f"/puppet/v3/report/{agent.name}"] = (status, {}, b"no")
            self.assertEqual("Error: Could not send report: " in agent.run("--test")[1], told)

    def test_lock_of_puppet(self):
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, content="x"))
        other = agent.root / "puppet-agent"
        shutil.copy("/bin/sleep", other)
        process = subprocess.Popen([other, "60"])
        (agent.root / "var/state").mkdir(parents=True)
        lock = agent.root / "var/state/agent_catalog_run.lock"
        lock.write_text(str(process.pid))
        self.assertEqual(agent.run("--test"), (1, "Notice: Run of Puppet configuration client already in progress; skipping  (ROOT/var/state/agent_catalog_run.lock exists)\n"))
        process.kill()
        process.wait()
        self.assertEqual(agent.run("--test")[0], 2)
        self.assertFalse(lock.exists())

    def test_killed_at_any_moment(self):
        """A run that is killed leaves no half file and no lock that holds; the next one converges. PUPC_KILLS says how many moments."""
        agent = self.agent()
        target = agent.root / "target"
        wanted = {f"f{i}": (f"{i} " * 5000).encode() for i in range(12)}
        resources = [self.file(agent, name, content=text.decode()) for name, text in wanted.items()]
        tree = [self.metadata(type="directory", relative_path=".")]
        for i in range(8):
            text = os.urandom(200_000)
            wanted[f"tree/t{i}"] = text
            tree.append(self.metadata(relative_path=f"t{i}", checksum={"type": "sha256", "value": "{sha256}" + hashlib.sha256(text).hexdigest()}))
            self.server.answers["GET", f"/puppet/v3/file_content/modules/demo/tree/t{i}"] = (200, {}, text)
        self.server.json("GET", "/puppet/v3/file_metadatas/modules/demo/tree", tree)
        resources.append(self.file(agent, "tree", ensure="directory", recurse=True, source="puppet:///modules/demo/tree"))
        self.server.node(agent.name, *resources)
        command = [*agent.command, "--config", agent.root / "conf/puppet.conf", "--test"]
        began = time.monotonic()
        self.assertEqual(agent.run("--test")[0], 2)
        whole = time.monotonic() - began
        chance = random.Random(1)
        kept = [agent.root / "var" / name for name in ("state/last_run_report.yaml", "public/last_run_summary.yaml", "client_data/catalog/node.example.com.json", "state/state.yaml")]
        counts = {"killed": 0, "ended": 0}
        for _ in range(int(os.environ.get("PUPC_KILLS", "10"))):
            shutil.rmtree(target)
            target.mkdir()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(chance.random() * whole * 1.1)
            counts["killed" if process.poll() is None else "ended"] += 1
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for name, text in wanted.items():
                if (target / name).exists():
                    self.assertEqual((target / name).read_bytes(), text, name)
            for file in kept:
                self.assertNotEqual(file.stat().st_size, 0, file)
                if file.suffix == ".json":
                    json.loads(file.read_text())
            code, out = agent.run("--test")
            self.assertIn(code, (0, 2), out)
            found = {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("*") if p.is_file()}
            self.assertEqual(sorted(found), sorted(wanted))
            self.assertTrue(found == wanted)
            self.assertFalse((agent.root / "var/state/agent_catalog_run.lock").exists())
        print(counts, flush=True)
        self.assertTrue(counts["killed"])

    def test_daemon(self):
        agent = self.agent()
        self.server.node(agent.name, self.file(agent, content="x"))
        x = agent.root / "target/x"

        def until(true):
            for _ in range(600):
                if true():
                    return
                time.sleep(0.1)
            self.fail("it did not happen")
        process = subprocess.Popen([*agent.command, "--config", agent.root / "conf/puppet.conf", "--no-daemonize", "--logdest", agent.root / "log"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        reports = lambda: len([1 for a in self.server.asked if a[0] == "PUT"])
        until(lambda: x.exists() and reports() == 1)
        until(lambda: not list(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}").joinpath("children").read_text().split()))
        memory = {}
        for line in pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:]:
            memory[line.split(":")[0]] = int(line.split()[1])
        print(f"idle daemon: {memory['Rss']} kB RSS, {memory['Pss']} kB PSS, {memory['Private_Dirty']} kB private and dirty", flush=True)
        switches = lambda: re.search(r"^voluntary_ctxt_switches:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.M)[1]
        before = switches()
        time.sleep(2)
        self.assertEqual(switches(), before)
        x.unlink()
        process.send_signal(signal.SIGUSR1)
        until(lambda: x.exists() and reports() == 2)
        process.send_signal(signal.SIGHUP)
        until(lambda: reports() == 3)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)
        self.assertIn("Caught TERM; exiting", (agent.root / "log").read_text())
        self.assertLess(memory["Pss"], 6 * 1024)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
