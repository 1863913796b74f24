#!/usr/bin/env python3
"""What agents get while things happen around pupc-server: it is stopped, code is deployed, certificates change, Ruby is killed, the disk is full, the clock goes back. Usage: faults_test.py PUPC_SERVER SAMPLE"""
import http.client
import os
import shutil
import signal
import ssl
import subprocess
import threading
import time
import unittest

from served import NODE, Answer, Served, make_certificate

CATALOG = f"/puppet/v3/catalog/{NODE}?environment="
# The clock of the programs that load this: what the file says is added to it.
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static long added(void) {
  long out = 0;
  FILE* f = fopen(getenv("ADDED_TO_CLOCK"), "r");
  if (f) { if (fscanf(f, "%ld", &out) != 1) out = 0; fclose(f); }
  return out;
}
int clock_gettime(clockid_t which, struct timespec* t) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int code = real(which, t);
  if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) t->tv_sec += added();
  return code;
}
time_t time(time_t* out) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}
"""


class Load:
    """Threads that ask for catalogs until `end`, on kept connections or on new ones. `seen` has each answer, `cut` what was no whole answer, `closed` how often a connection had ended before one began."""

    def __init__(self, test, threads=6, kept=True, environment="small"):
        self.test, self.kept, self.environment, self.seen, self.cut, self.closed, self.ended = test, kept, environment, [], [], 0, False
        self.threads = [threading.Thread(target=self.run) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = None
        while not self.ended:
            try:
                connection = connection or self.test.connect()
                connection.request("GET", CATALOG + self.environment)
                self.seen.append(Answer(connection.getresponse()))
            except http.client.IncompleteRead as error:
                self.cut.append(error)
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
                self.closed += 1
                connection = None
                time.sleep(0.02)
            if connection and (not self.kept or self.seen[-1].headers.get("Connection") == "close"):
                connection.close()
                connection = None
        if connection:
            connection.close()

    def end(self):
        self.ended = True
        for thread in self.threads:
            thread.join()


class FaultsTest(Served):
    WORDS = ("--ruby", "auto", "--ruby-timeout", "20", "--jobs", "2")

    def load(self, **how):
        load = Load(self, **how)
        self.addCleanup(load.end)
        return load

    def wait(self, true, what):
        for _ in range(300):
            if true():
                return
            time.sleep(0.05)
        self.fail(what)

    def manifest(self, text, name):
        place = self.top / "environments" / name / "manifests"
        place.mkdir(parents=True, exist_ok=True)
        (place / "site.pp").write_text(text)

    def titles(self, environment):
        answer = self.catalog(environment=environment)
        self.assertEqual(answer.status, 200, answer.text)
        return [r["title"] for r in answer.json["resources"] if r["type"] == "Notify"]

    def test_stopped_under_load(self):
        load = self.load()
        self.wait(lambda: len(load.seen) > 50, "nothing is served")
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(30), 0)
        load.end()
        self.process.stderr.close()
        type(self).start()
        self.assertEqual(load.cut, [])
        self.assertEqual({a.status for a in load.seen} - {503}, {200})
        for answer in load.seen:
            if answer.status == 200:
                self.assertIn("resources", answer.json)
            else:
                self.assertGreater(int(answer.headers["Retry-After"]), 0)

    def shown(self):
        connection = self.connect()
        try:
            connection.connect()
            return connection.sock.getpeercert()["serialNumber"]
        finally:
            connection.close()

    def test_certificates_replaced_under_load(self):
        load, kept = self.load(kept=False), self.load(threads=2)
        serials = {self.shown()}
        for n in range(3):
            make_certificate(self.ca, "localhost")
            self.process.send_signal(signal.SIGHUP)
            self.wait(lambda: self.shown() not in serials, "the new certificate is not shown")
            serials.add(self.shown())
        whole = (self.ca / "localhost.pem").read_text()
        (self.ca / "localhost.pem").write_text(whole[:200])
        self.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.logged("localhost.pem"))
        self.assertIn(self.shown(), serials)
        (self.ca / "localhost.pem").write_text(whole)
        for one in (load, kept):
            one.end()
            self.assertEqual((one.cut, one.closed, {a.status for a in one.seen}), ([], 0, {200}))

    def ruby_processes(self):
        out = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
                    name, rest = stat.read().split("(", 1)[1].rsplit(") ", 1)
            except OSError:
                continue
            if name.startswith("ruby") and int(rest.split()[1]) == self.process.pid:
                out.append(int(process))
        return out

    @unittest.skipUnless(shutil.which("ruby"), "ruby is not installed")
    def test_ruby_killed(self):
        self.manifest("notify { inline_template('<% Thread.new {} %>made by Ruby'): }\n", "by_ruby")
        self.manifest("notify { inline_template('<% Thread.new {}; sleep 15 %>slow'): }\n", "slow_ruby")
        self.assertEqual(self.titles("by_ruby"), ["made by Ruby"])
        for process in self.ruby_processes():
            os.kill(process, signal.SIGKILL)
        self.assertEqual(self.titles("by_ruby"), ["made by Ruby"])  # one that waits is replaced
        answers = []
        slow = threading.Thread(target=lambda: answers.append(self.catalog(environment="slow_ruby")))
        slow.start()
        time.sleep(1.5)
        self.assertTrue(self.ruby_processes())
        for process in self.ruby_processes():
            os.kill(process, signal.SIGKILL)
        slow.join()
        self.assertEqual(answers[0].status, 500)  # one that works costs its own request
        self.assertIn("Ruby", answers[0].json["message"])
        self.assertEqual(self.titles("by_ruby"), ["made by Ruby"])

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_code_deployed_under_load(self):
        """Each catalog is of one state of the code, whether a link is switched or git changes some hundred files."""
        def write(directory, version):
            for place in ("manifests", "modules/m/manifests"):
                (directory / place).mkdir(parents=True, exist_ok=True)
            (directory / "manifests/site.pp").write_text("".join(f"include m::c{i}\n" for i in range(100)) + f"notify {{ 'site {version}': }}\n")
            for i in range(100):
                (directory / f"modules/m/manifests/c{i}.pp").write_text(f"class m::c{i} {{ notify {{ 'c{i} {version}': }} }}\n")

        def git(*words):
            subprocess.run(("git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words), cwd=environments / "work_tree", check=True, capture_output=True)

        def link(version):
            os.symlink(self.top / f"code{version}", self.top / "new")
            os.rename(self.top / "new", environments / "linked")
        environments = self.top / "environments"
        for version in (1, 2):
            write(self.top / f"code{version}", version)
            write(environments / "work_tree", version)
            git("init", "-q")
            git("add", "-A")
            git("commit", "-qm", "x")
            git("tag", f"v{version}")
        link(1)
        for environment, deploy in (("linked", link), ("work_tree", lambda version: git("reset", "-q", "--hard", f"v{version}"))):
            load = self.load(threads=4, environment=environment)
            for n in range(200):
                if n >= 20 and len(load.seen) >= 20:  # a slow machine has answered little after twenty deployments
                    break
                time.sleep(0.3)
                deploy(1 + n % 2)
            load.end()
            versions = [{r["title"].split()[1] for r in answer.json["resources"] if r["type"] == "Notify"} if answer.status == 200 else answer.text for answer in load.seen]
            self.assertEqual([v for v in versions if v not in ({"1"}, {"2"})], [])
            self.assertIn({"1"}, versions)
            self.assertIn({"2"}, versions)

    @unittest.skipUnless(os.geteuid() == 0, "a small file system needs root")
    def test_a_full_disk(self):
        var = self.top / "var"
        var.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", var], capture_output=True, check=False).returncode != 0:
            self.skipTest("no file system may be mounted here")
        try:
            facts = {"name": NODE, "values": {"x": "first"}}
            self.assertEqual(self.catalog(facts).status, 200)
            kept = next(var.rglob(f"{NODE}.json"))
            self.assertIn("first", kept.read_text())
            with open(var / "filler", "wb", buffering=0) as filler, self.assertRaises(OSError):
                while True:
                    filler.write(b"x" * 4096)
            facts["values"] = {"x": "y" * 100_000}
            self.assertEqual(self.catalog(facts).status, 200)  # a node gets its catalog, though its facts cannot be kept
            self.assertTrue(self.logged("No space left on device"))
            self.assertIn("first", kept.read_text())
            self.ask("PUT", f"/puppet/v3/report/{NODE}?environment=small", body='{"host":"%s","logs":[%s]}' % (NODE, ",".join(['"x"'] * 50_000)), Content_Type="application/json")
            answer = self.ask("PUT", f"/puppet/v3/file_bucket_file/md5/d41d8cd98f00b204e9800998ecf8427e?environment=small", body=b"x" * 100_000, Content_Type="application/octet-stream")
            self.assertGreaterEqual(answer.status, 400)
            self.assertEqual([p for p in var.rglob("*") if p.is_file() and p.name != "filler"], [kept])  # no half file
            (var / "filler").unlink()
            facts["values"] = {"x": "last"}
            self.assertEqual(self.catalog(facts).status, 200)
            self.assertIn("last", kept.read_text())
        finally:
            subprocess.run(["umount", "-l", var], check=False)

    @unittest.skipUnless(shutil.which("cc"), "a C compiler makes the clock")
    def test_the_clock_goes_back(self):
        (self.top / "clock.c").write_text(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.top / "clock.so", self.top / "clock.c", "-ldl"], check=True)
        added = self.top / "added"
        added.write_text("7200")
        self.manifest("notify { 'before': }\n", "clock")
        first = type(self).process, type(self).port
        os.environ |= {"LD_PRELOAD": str(self.top / "clock.so"), "ADDED_TO_CLOCK": str(added)}
        try:
            type(self).start()
        finally:
            del os.environ["LD_PRELOAD"], os.environ["ADDED_TO_CLOCK"]
        try:
            self.assertEqual(self.titles("clock"), ["before"])
            added.write_text("3600")
            self.assertEqual(self.titles("clock"), ["before"])
            self.manifest("notify { 'after': }\n", "clock")
            self.assertEqual(self.titles("clock"), ["after"])
            load = self.load(threads=2)
            for hours in (2, 1, 3, 1):
                added.write_text(str(hours * 3600))
                time.sleep(0.2)
            load.end()
            self.assertEqual((load.cut, load.closed, {a.status for a in load.seen}), ([], 0, {200}))
        finally:
            self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(40)
            self.process.stderr.close()
            type(self).process, type(self).port = first
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=2)
