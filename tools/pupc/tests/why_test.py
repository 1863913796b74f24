#!/usr/bin/env python3
"""Tests of `pupc why`: the origins of all attributes of many resources, against a list that people have read.

  why_test.py PUPC TESTDATA            TESTDATA: the folder testdata
  why_test.py PUPC TESTDATA update     writes testdata/why/expected.txt anew: read what changed against the sources

The list has a block for each resource: the case and the resource, who declared it up to the node, then each attribute with its origins.
` < ` leads from an attribute that is a variable to the parameter behind it, `+` joins what makes up one value.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PUPC, TESTDATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
EXPECTED = TESTDATA / "why/expected.txt"
# Case -> folder below testdata, node, further options, resources.
CASES = {
    "app1": ("why", "app1.example.com", [], [
        "Class[base]", "Class[base::hardened]", "Class[base::early]", "Class[base::early::more]", "Class[base::early::last]", "Class[app]", "Class[app::service]", "Class[app::log]", "File[/etc/motd]",
        "File[/etc/issue]", "User[ada]", "User[bob]", "User[eve]", "Package[curl]", "Package[strace]", "Base::Line[limit nofile]", "File[/etc/lines.d/20-limit nofile]", "Notify[line limit nofile]",
        "Notify[early]", "Notify[more]", "File[/etc/app.conf]", "File[/etc/app.token]", "App::Vhost[main]", "File[/srv/main]", "File[/etc/app.d/main.conf]", "Exec[migrate]",
        "Service[app]", "File[/var/log/app]", "Stage[early]"]),
    "plain": ("why", "plain.example.com", [], ["Class[base]", "File[/etc/motd]", "File[/etc/issue]", "Base::Line[banner]", "File[/etc/lines.d/10-banner]", "Notify[line banner]", "Package[vim]"]),
    "classified": ("why", "plain.example.com", ["-e", "", "--enc", "why/classifier.yaml"], ["Class[base::hardened]", "Class[base::early]", "Class[base]", "File[/etc/motd]", "Notify[early]", "Notify[more]"]),
    "web01": ("sample", "web01.fra.example.com", [], [
        "Class[profiles::base]", "Class[roles::web]", "Class[profiles::web]", "Class[sshd]", "Class[web_server]", "File[/etc/ssh/sshd_config]", "Service[sshd]", "Firewall::Rule[ssh]",
        "File[/etc/firewall.d/50-ssh]", "Web_server::Site[shop]", "File[/etc/web-server/sites/shop.conf]", "File[/etc/ssl/site/shop.example.com.key]", "Package[web-server]", "Service[webd]",
        "File[/etc/sysctl.d/kernel.panic.conf]", "User[ada]", "Package[curl]"]),
    "bastion": ("sample", "bastion1.ams.example.com", [], ["Class[sshd]", "Class[firewall]", "Firewall::Rule[ssh]"]),
    "db01": ("sample", "db01.fra.example.com", [], ["Class[profiles::database]", "Class[database]", "Database::Schema[shop]", "Exec[schema shop]", "File[/etc/databased.password]", "Service[databased]"]),
    "cache02": ("sample", "cache02.ams.example.com", [], ["Class[roles::cache]", "File[/etc/security/limits.d/site.conf]", "Service_unit[cache]", "Service[cache]"]),
    "lb01": ("sample", "lb01.fra.example.com", ["STORE"], [
        "Profiles::Backend[web01.fra.example.com]", "File[/etc/balancer/backends/web01.fra.example.com.cfg]", "Hosts_file::Entry[web02.fra.example.com]", "Hosts_file::Entry[lb01.fra.example.com]",
        "File[/etc/balancer/backends]", "Service[balancer]"]),
    "lb02": ("sample", "lb02.ams.example.com", ["STORE"], ["Profiles::Backend[web03.ams.example.com]", "File[/etc/balancer/balancer.cfg]", "Class[profiles::balancer]"]),
    "monitor01": ("sample", "monitor01.fra.example.com", ["STORE"], [
        "Monitoring::Check[web01.fra.example.com http]", "File[/etc/monitoring/checks/web01.fra.example.com_http.cfg]", "File[/etc/monitoring]"]),
    "worker03": ("sample", "worker03.fra.example.com", [], [
        "Class[profiles::worker]", "Service_unit[worker-mail-1]", "File[/etc/systemd/system/worker-mail-1.service]", "Service[worker-thumbnails-3]", "Class[accounts]", "Accounts::Person[ada]",
        "Accounts::Person[heinz]", "Group[heinz]", "File[/home/ada/.ssh/authorized_keys]"]),
    "cache01": ("sample", "cache01.fra.example.com", [], ["Class[profiles::cache]", "File[/etc/security/limits.d/site.conf]", "Firewall::Rule[cache]", "File[/etc/motd]"]),
    "web02": ("sample", "web02.ams.example.com", [], ["Class[profiles::web]", "Web_server::Site[blog]", "Web_server::Site[status]", "Service[webd]", "Exec[apply kernel settings]"]),
    "db04": ("sample", "db04.ams.example.com", [], ["Class[profiles::database]", "Database::Schema[blog]", "File[/etc/databased.conf]"]),
}
CHAINS = [
    ("app1", "Notify[more]", "Service[app]"), ("app1", "Service[app]", "File[/srv/main]"), ("app1", "User[eve]", "Package[curl]"), ("app1", "File[/etc/app.conf]", "Exec[migrate]"),
    ("web01", "Package[curl]", "Service[webd]"), ("db01", "Exec[schema shop]", "File[/etc/databased.conf]"),
]


def run(case, *words, expect=(0,)):
    folder, node, options, _ = CASES[case]
    options = [x for o in options for x in (["--store", STORE] if o == "STORE" else [o])]
    done = subprocess.run([PUPC, "why", *words, "--environmentpath", f"{folder}/environments", "--node", node, "--facts", f"{folder}/facts/{node}.json", *options],
                          cwd=TESTDATA, capture_output=True, text=True, check=False)
    assert done.returncode in expect, (words, done.returncode, done.stderr)
    return done.stdout


def origin(source):
    text = source["by"]
    place = f" {source['file']}:{source['line']}" if "line" in source else f" {source['file']}" if "file" in source else ""
    if "data" in source:
        place = "".join(f" {p['file']}:{p.get('line', '?')}" for p in source["data"])
    text += place
    if "variable" in source:
        text += f" < ${source['variable']} of {source['from']}: " + " + ".join(map(origin, source["sources"]))
    elif "from" in source:
        text += f" from {source['from']}"
        if source.get("sources"):
            text += ": " + " + ".join(map(origin, source["sources"]))
    return text


def block(case, reference):
    answer = json.loads(run(case, reference, "--format", "json"))
    lines = [f"== {case} {answer['reference']}" + (" (virtual)" if answer["virtual"] else "")]
    for d in answer["declared"]:
        lines.append(f"  {d['how']}" + (f" {d['file']}:{d.get('line', '?')}" if "file" in d else "") + (f" in {d['in']}" if "in" in d else ""))
    lines += [f"  again: {d['how']} {d['file']}:{d['line']} in {d['in']}" for d in answer["also_declared"]]
    lines += [f"  realized {p['file']}:{p['line']}" for p in answer["realized"]]
    for name, a in answer["attributes"].items():
        lines.append(f"  {name}: " + " + ".join(map(origin, a["sources"])) + (" instead of " + " + ".join(map(origin, a["replaced"])) if a["replaced"] else ""))
    for name, there in ("waits_for", "first"), ("waited_for_by", "then"):
        for r in answer[name]:
            lines.append(f"  {name.replace('_', ' ')} {r[there]}: {r['attribute']} of {r['holder']}" + (f" through {r['through']}" if "through" in r else "") + "".join(f", {origin(s)}" for s in r["sources"]))
    return "\n".join(lines).replace("environments/production/", "") + "\n"


def actual():
    out = [block(case, reference) for case, (_, _, _, references) in CASES.items() for reference in references]
    for case, a, b in CHAINS:
        out.append(f"== {case} chain {a} {b}\n" + run(case, a, b, expect=(0, 1)).replace("environments/production/", ""))
    return "\n".join(out)


class Why(unittest.TestCase):
    maxDiff = None

    def test_origins(self):
        difference = list(difflib.unified_diff(EXPECTED.read_text().splitlines(), actual().splitlines(), "expected.txt", "pupc", lineterm="", n=2))
        self.assertEqual(difference, [], "\n".join(difference))

    def test_there_are_many(self):
        """What is asked for: all attributes of at least 50 resources, each kind of origin several times."""
        text = EXPECTED.read_text()
        self.assertGreaterEqual(sum(len(references) for folder, _, _, references in CASES.values() if folder == "sample"), 50)
        for kind in ("body", "default_body", "splat", "resource_default", "override", "collector_override", "call", "data", "default_expression", "container", "relationship", "stage",
                     "classifier", "exported"):
            self.assertGreaterEqual(len(re.findall(rf"\b{kind}\b( |$)", text, re.MULTILINE)), 2, kind)
        self.assertGreaterEqual(text.count(" < $"), 10)

    def test_places(self):
        """The line that is told for an attribute names it: read from the sources, whatever the list says."""
        checked = {}

        def check(name, source):
            kind, place = source["by"], f"{source.get('file')}:{source.get('line')}"
            if kind == "data":
                for p in source.get("data", [source]):
                    if p["file"].startswith("lookup of"):
                        continue
                    text = (TESTDATA / p["file"]).read_text().splitlines()[p["line"] - 1]
                    self.assertRegex(text, rf"^\s*['\"]?{re.escape(source['key'])}['\"]?\s*:")
            elif kind in ("body", "default_body", "override", "collector_override", "resource_default", "default_expression", "splat"):
                text = (TESTDATA / source["file"]).read_text().splitlines()[source["line"] - 1]
                wanted = {"default_expression": rf"\${name}\s*=", "splat": r"\*\s*=>"}.get(kind, rf"\b{name}\s*[=+]>")
                self.assertRegex(text, wanted, place)
            checked[kind] = checked.get(kind, 0) + 1
            for inner in source.get("sources", []):
                check(source.get("variable", name).split("::")[-1], inner)

        for case, (_, _, _, references) in CASES.items():
            for reference in references:
                for name, a in json.loads(run(case, reference, "--format", "json"))["attributes"].items():
                    for source in a["sources"] + a["replaced"]:
                        check(name, source)
        self.assertGreater(checked["body"], 100)
        self.assertGreater(checked["data"], 20)

    def test_secrets(self):
        for words in (["--format", "json"], [], ["--graph", "html"], ["--graph", "dot"]):
            for reference in "Class[app]", "File[/etc/app.token]":
                self.assertNotIn("swordfish", run("app1", reference, *words))
        self.assertIn("content = (sensitive)", run("app1", "File[/etc/app.token]"))

    def test_names(self):
        for name in "file['/etc/motd']", 'File["/etc/motd"]', "File[/etc/motd]":
            self.assertTrue(run("app1", name).startswith("File[/etc/motd]\n"))
        for name in "Class[Base::Line]", "class[base]", "Class['::base']", "Class[main]":
            run("app1", name, expect=(0, 1))
        done = subprocess.run([PUPC, "why", "File[/etc/mottd]", "-e", "file { '/etc/motd': }"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "Error: the catalog has no File[/etc/mottd]; did you mean File[/etc/motd]?\n"))
        done = subprocess.run([PUPC, "why", "motd", "-e", "file { '/etc/motd': }"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "Error: 'motd' is no resource: write it as Type[title]\n")
        self.assertEqual(subprocess.run([PUPC, "why"], capture_output=True, check=False).returncode, 2)
        self.assertEqual(subprocess.run([PUPC, "why", "A[b]", "-e", "fail('x')"], capture_output=True, check=False).returncode, 1)

    def test_graphs(self):
        dot = run("app1", "File[/etc/app.conf]", "--graph", "dot")
        self.assertIn('"File[/etc/app.conf]" -> "Exec[migrate]" [label="subscribe why/environments/production/site/app/manifests/init.pp:35"];', dot)
        self.assertIn("style=dashed", dot)
        page = run("app1", "File[/etc/app.conf]", "--graph", "html")
        self.assertIn("<svg ", page)
        self.assertEqual([u for u in ("http://", "https://") if u in page.replace("http://www.w3.org/2000/svg", "")], [])
        self.assertIn('"Notify[more]"', run("app1", "Notify[more]", "Service[app]", "--graph", "dot"))
        self.assertIn("<svg ", run("app1", "Notify[more]", "Service[app]", "--graph", "html"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        STORE = f"{work}/exported.sqlite"
        subprocess.run([PUPC, "compile", "--environmentpath", "sample/environments", "--all-nodes", "sample/facts", "--output", f"{work}/out", "--store", STORE], cwd=TESTDATA, check=True,
                       capture_output=True)
        if sys.argv[3:] == ["update"]:
            EXPECTED.write_text(actual())
        else:
            unittest.main(argv=sys.argv[:1])
