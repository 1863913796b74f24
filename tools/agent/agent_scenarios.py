#!/usr/bin/env python3
"""Plays the same scenarios with Puppet's own agent and with pupc's, and compares messages, exit codes, files, reports, catalogs and state.
Usage: agent_scenarios.py PUPC_AGENT PUPC_SERVER [--puppetserver ROOT] [--only agent|server|both] [TITLE...]
Without --puppetserver both agents ask pupc-server. With it (a root directory of Debian with the package, `/` or another; the environment's PUPC_PUPPETSERVER_ROOT goes before) a puppetserver is started,
Puppet's agent asks it, and three things are compared with that: pupc's agent there ("agent"), Puppet's agent at pupc-server ("server"), and pupc's agent at pupc-server ("both")."""
import argparse
import difflib
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import Agent, Fleet
import puppetserver

NODE = "node.example.com"
T = "${facts['target']}"
FILE = f"file {{ \"{T}/x\": content => \"some text\\n\" }}\n"
TREE = f"file {{ \"{T}/tree\": ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }}\n"
BUCKET = "filebucket { 'main': path => false }\nFile { backup => main }\n"
ONCE, TWICE = [["--test"]], [["--test"], ["--test"]]


class Code:
    """A step that changes the server's code: files of the environment's directory, and `version` makes a commit of it."""

    def __init__(self, version=False, **files):
        self.version, self.files = version, files


REVOKE, NEW = "REVOKE", "NEW"
# Title, manifest, options of each run in turn with what is done between them: a shell command, Code, REVOKE (the node's certificate) or NEW (the agent has no certificate, and the CA does not know it).
SCENARIOS = [
    ("broken manifest", "fail('as asked')\n", ONCE),
    ("syntax error", "file { '/x'\n", ONCE),
    ("unknown class", "include nosuch::thing\n", ONCE),
    ("noop", FILE, [["--test", "--noop"]]),
    ("noop of a resource", f"file {{ \"{T}/x\": content => 'y', noop => true }}\n", ONCE),
    ("several sources", f"file {{ \"{T}/s\": source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/one.txt'] }}\n", ONCE),
    ("first contact", FILE, [NEW, ["--test", "--waitforcert", "1"], ["--test"]]),
    ("revoked", FILE, [["--test"], REVOKE, "rm ROOT/target/x", ["--test"], ["--onetime", "--no-daemonize", "--verbose", "--detailed-exitcodes"]]),
    ("nobody answers", FILE, [["--test"], "rm ROOT/target/x", ["--test", "--serverport", "1"], ["--onetime", "--no-daemonize", "--verbose", "--detailed-exitcodes", "--serverport", "1"]]),
    ("a foreign CA", FILE, ["openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -out ROOT/ssl/certs/ca.pem -subj /CN=foreign 2> /dev/null; rm ROOT/ssl/crl.pem", ["--test", "--certificate_revocation", "false"]]),
    ("locked", FILE, ["mkdir -p ROOT/var/state; cp /bin/sleep ROOT/puppet-agent; ROOT/puppet-agent 30 > /dev/null 2>&1 & echo $! > ROOT/var/state/agent_catalog_run.lock", ["--test"], "kill $(cat ROOT/var/state/agent_catalog_run.lock); echo 4194304 > ROOT/var/state/agent_catalog_run.lock", ["--test"]]),
    ("hooks", FILE, [["--test", "--prerun_command", "/bin/true", "--postrun_command", "/bin/false"], ["--test", "--prerun_command", "/bin/false"]]),
    ("unknown environment", FILE, [["--test", "--environment", "nope"]]),
    ("a source that is not there", f"file {{ \"{T}/s\": source => 'puppet:///modules/demo/none' }}\n" + FILE, ONCE),
    ("failing resource", "exec { '/bin/false': }\n-> " + FILE, ONCE),
    ("tags", FILE + f"file {{ \"{T}/y\": content => 'y', tag => 'wanted' }}\n", [["--test", "--tags", "wanted"]]),
    ("plugin", FILE + "notify { \"plugin: ${facts['from_plugin']}\": }\n", ONCE),
    ("external fact", "notify { \"external: ${facts['external']}\": }\n", ONCE),
    ("plugin type", f"demo_thing {{ \"{T}/thing\": ensure => present, text => 'made' }}\n", [["--test"], "echo other > ROOT/target/thing", ["--test"], ["--test"]]),
    ("plugin function for Deferred", f"file {{ \"{T}/d\": content => Deferred('demo::later', ['x']) }}\n", ONCE),
    ("sensitive", f"file {{ \"{T}/x\": content => Sensitive('secret') }}\n", TWICE),
    ("deferred", f"file {{ \"{T}/d\": content => Deferred('sprintf', ['%s-%s', 'a', 'b']) }}\n", TWICE),
    ("binary", f"file {{ \"{T}/b\": content => Binary.new('AAEC/w==') }}\nfile {{ \"{T}/f\": content => binary_file('demo/bin') }}\n", TWICE),
    ("disabled", FILE, [["--disable", "for a test"], ["--test"], ["--enable"], ["--test"]]),
    ("tree", TREE, TWICE),
    ("tree, purged", f"file {{ \"{T}/tree\": ensure => directory, recurse => true, purge => true, force => true, ignore => ['*.bak'], source => 'puppet:///modules/demo/tree' }}\n",
     [["--test"], "touch ROOT/target/tree/extra; mkdir ROOT/target/tree/more; echo x > ROOT/target/tree/a", ["--test"], ["--test"]]),
    ("tree, links followed", f"file {{ \"{T}/tree\": ensure => directory, recurse => true, links => follow, source => 'puppet:///modules/demo/tree' }}\n", TWICE),
    ("tree of several sources", f"file {{ \"{T}/tree\": ensure => directory, recurse => true, sourceselect => all, source => ['puppet:///modules/demo/tree', 'puppet:///modules/demo/other'] }}\n", ONCE),
    ("links", f"file {{ \"{T}/l\": ensure => link, target => '/etc/hostname' }}\nfile {{ \"{T}/m\": source => 'puppet:///modules/demo/tree/link' }}\n", TWICE),
    ("file from a module", f"file {{ \"{T}/m\": source => 'puppet:///modules/demo/one.txt', mode => '0600' }}\n", TWICE),
    ("checksum md5", f"file {{ \"{T}/m\": source => 'puppet:///modules/demo/one.txt', checksum => md5 }}\n", TWICE),
    ("checksum mtime", f"file {{ \"{T}/m\": source => 'puppet:///modules/demo/one.txt', checksum => mtime }}\n", ONCE),
    ("permissions of the source", f"file {{ \"{T}/m\": source => 'puppet:///modules/demo/script.sh', source_permissions => use }}\n", ONCE),
    ("names with blanks and more", f"file {{ \"{T}/a b\": source => 'puppet:///modules/demo/a b+c' }}\nfile {{ \"{T}/p\": source => 'puppet:///modules/demo/p%20q' }}\n", ONCE),
    ("bucket of the server", BUCKET + FILE, ["echo before > ROOT/target/x", ["--test"]]),
    ("bucket here", f"File {{ backup => 'puppet' }}\n" + FILE, ["echo before > ROOT/target/x", ["--test"]]),
    ("static catalog", f"file {{ \"{T}/m\": source => 'puppet:///modules/demo/one.txt' }}\n" + TREE,
     [Code(True, **{"environment.conf": "modulepath = modules\n"}), ["--test"], Code(True, **{"modules/demo/files/one.txt": "two\n"}), "rm -r ROOT/target/m ROOT/target/tree", ["--test", "--use_cached_catalog"], ["--test"]]),
    ("classifier", "notify { \"${environment} ${x}\": }\nclass of_enc($p) { notify { \"of_enc ${p}\": } }\n", ["ENC classes: {of_enc: {p: 3}}\nparameters: {x: y}\n", ["--test"]]),
    ("classifier overrides the environment", FILE, ["ENC environment: other\n", ["--test"], ["--test"]]),
    ("classifier overrides an environment asked for", FILE, ["ENC environment: other\n", ["--test", "--environment", "production"]]),
    ("nothing to do", FILE, TWICE),
    ("changed by somebody", FILE, [["--test"], "echo other > ROOT/target/x", ["--test"]]),
    ("first run and second", FILE + "class c { notify { 'n': } }\ninclude c\n", TWICE),
    ("cached catalog", FILE, [["--test"], Code(**{"manifests/site.pp": "fail('broken')\n"}), "rm ROOT/target/x", ["--onetime", "--no-daemonize", "--verbose", "--detailed-exitcodes"]]),
    ("refresh", FILE.rstrip().replace(" }", ", notify => Exec['/bin/true'] }") + "\nexec { '/bin/true': refreshonly => true }\n", ONCE),
    ("dependency cycle", "notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }\n", ONCE),
    ("no exit codes in detail", FILE, [["--onetime", "--no-daemonize"], ["--onetime", "--no-daemonize"]]),
    ("facts sent once more", FILE, [["--test", "--resubmit_facts"]]),
    ("cached catalog asked for", FILE, [["--test"], "rm ROOT/target/x", ["--test", "--use_cached_catalog"], "rm -r ROOT/var/client_data", ["--test", "--use_cached_catalog"]]),
    ("a fact that raises", "notify { \"plugin: ${facts['from_plugin']} ${facts['raises']}\": }\n", [Code(**{"modules/demo/lib/facter/g.rb": "Facter.add(:raises) { setcode { raise 'as asked' } }\n"}), ["--test"]]),
    ("both hooks fail", FILE, [["--test", "--prerun_command", "/bin/false", "--postrun_command", "/bin/false"]]),
    ("noop with a refresh", FILE.rstrip().replace(" }", ", notify => Exec['/bin/true'] }") + "\nexec { '/bin/true': refreshonly => true }\n", [["--test", "--noop"], ["--test"], "rm ROOT/target/x", ["--test", "--noop"]]),
    ("tree of the first source there is", f"file {{ \"{T}/tree\": ensure => directory, recurse => remote, source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/tree', 'puppet:///modules/demo/other'] }}\n",
     [["--test"], "touch ROOT/target/tree/extra; rm ROOT/target/tree/link; mkdir ROOT/target/tree/link", ["--test"]]),
    ("classifier changes its mind", FILE, [["--test"], "ENC environment: other\n", ["--test"], "ENC environment: production\n", ["--test"]]),
    ("skipped tags", FILE + f"file {{ \"{T}/y\": content => 'y', tag => 'unwanted' }}\n", [["--test", "--skip_tags", "unwanted"]]),
    ("a file that goes during the run", "exec { \"/bin/rm ENVIRONMENTS/production/modules/demo/files/one.txt\": }\n"
     f"-> file {{ \"{T}/m\": source => 'puppet:///modules/demo/one.txt' }}\n-> {FILE}", ONCE),
    ("audit", f"file {{ \"{T}/x\": audit => [mode, content] }}\n", ["echo a > ROOT/target/x", ["--test"], "echo b > ROOT/target/x", ["--test"]]),
    ("strict environment", FILE, [["--test", "--environment", "nope", "--strict_environment_mode"]]),
    ("a refresh that fails", FILE.rstrip().replace(" }", ", notify => Exec['/bin/false'] }") + "\nexec { '/bin/false': refreshonly => true }\n-> notify { 'after': }\n", TWICE),
    ("no report", FILE, [["--test", "--report", "false"], ["--test", "--no-report", "--noop"]]),
    ("graphs", FILE, [["--test", "--graph"]]),
    ("server facts and trusted", "notify { \"${trusted['certname']} ${trusted['authenticated']} ${trusted['hostname']} ${trusted['domain']}\": }\nnotify { \"${server_facts['environment']}\": }\n", ONCE),
]
# What differs and is known to, with the reason: Puppet 8 (which pupc follows) and Debian's 7.23 differ, or see README.md.
IGNORED = (
    r"(?<=fingerprint \(SHA256\): )[0-9A-F:]{95}",
    r"Notice: Requesting catalog from [^\n]*\n", # 8 only
    r"Info: Loading facts\n",                 # Puppet 7 says it once more, 8 for each directory
    r"Notice: /File\[ROOT/var/(lib|facts\.d|locales)[^\n]*\n", # its order and lines are tested below
    r"Info: Refresh(ing|ed) [^\n]*\n",
    r"Info: (CA certificate|CRL) is unmodified[^\n]*\n",
    r"Info: Retrieving locales\n",
    r"Error: Facter: [^\n]*\n",              # Facter's own troubles with the machine
    r"\(Reason: '[^']*'\);\n",
    r"\+\+\+ (-|TEMPORARY)\n",               # the other side of a difference: a file there, none here
    r"current_value 'absent', should be 'file'|defined content as '\{sha256\}[0-9a-f]+'(?= \(noop\))",  # 7 and 8
)
# Scenarios whose messages differ and are known to: the words for what went wrong with a connection. All else is compared.
OTHER_WORDS = {
    "nobody answers": "Puppet says 'No more routes to SERVICE' and the cause on a line before it; this agent names the cause in place of that",
    "a foreign CA": "the words for a server's certificate that is of another CA",
    "revoked": "the TLS library's words for the server's refusal",
}
TYPE = """Puppet::Type.newtype(:demo_thing) do
  ensurable
  newparam(:path, namevar: true)
  newproperty(:text)
end
"""
PROVIDER = """Puppet::Type.type(:demo_thing).provide(:ruby) do
  def exists?
    File.exist?(resource[:path])
  end
  def create
    File.write(resource[:path], resource[:text])
  end
  def destroy
    File.unlink(resource[:path])
  end
  def text
    File.read(resource[:path])
  end
  def text=(value)
    File.write(resource[:path], value)
  end
end
"""
FUNCTION = """Puppet::Functions.create_function(:'demo::later') do
  dispatch(:later) { param 'String', :x }
  def later(x)
    "later #{x}"
  end
end
"""
FILES = {"files/one.txt": "one\n", "files/tree/a": "a\n", "files/tree/sub/b": "b\n", "files/tree/x.bak": "x\n", "files/other/a": "other\n", "files/other/c": "c\n", "files/a b+c": "blank\n",
         "files/p%20q": "percent\n", "files/script.sh": "#!/bin/sh\n", "files/bin": b"\0\1\xff", "lib/facter/f.rb": "Facter.add(:from_plugin) { setcode { 'yes' } }\n",
         "facts.d/e.txt": "external=here\n", "lib/puppet/type/demo_thing.rb": TYPE, "lib/puppet/provider/demo_thing/ruby.rb": PROVIDER, "lib/puppet/functions/demo/later.rb": FUNCTION}


def compared(text):
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text


def plain_catalog(agent):
    """The kept catalog without what differs between two that are equal. Puppet 7's agent writes it anew, with its own form of the main class."""
    file = agent.root / f"var/client_data/catalog/{NODE}.json"
    if not file.exists():
        return None
    catalog = json.loads(agent.plain(file.read_text()).replace("Class[Main]", "Class[main]"))
    catalog = catalog.get("data", catalog)
    for name in ("version", "catalog_uuid", "code_id"):
        catalog.pop(name, None)
    catalog["metadata"] = sorted(catalog.get("metadata") or {})
    catalog["recursive_metadata"] = sorted(catalog.get("recursive_metadata") or {})
    for resource in catalog["resources"]:
        if (resource["type"], resource["title"].lower()) == ("Class", "main"):
            resource["title"] = "main"
        parameters = resource.setdefault("parameters", {})
        for name in [name for name in parameters if parameters[name] == resource["title"]]:
            del parameters[name]
        resource["tags"] = sorted(resource["tags"])
    catalog["tags"] = sorted(catalog["tags"])
    catalog["edges"] = sorted(f"{e['source']} {e['target']}" for e in catalog["edges"])
    return json.dumps(catalog, indent=1, sort_keys=True).splitlines()


def plain_report(agent):
    """The parts of the last report that tell what happened."""
    try:
        import yaml
    except ImportError:
        return None
    text = agent.read("var/state/last_run_report.yaml")
    if text is None:
        return None
    report = yaml.safe_load(re.sub(r"!ruby/\S+", "", agent.plain(text)))
    out = {name: report.get(name) for name in ("host", "environment", "status", "noop", "noop_pending", "corrective_change", "cached_catalog_status")}
    out["metrics"] = {kind: sorted(map(str, report["metrics"][kind]["values"])) for kind in ("resources", "changes", "events") if kind in (report.get("metrics") or {})}
    out["resources"] = {}
    for name, status in report["resource_statuses"].items():
        if not any(status.get(key) for key in ("changed", "failed", "skipped", "out_of_sync")) or name.startswith(("Schedule[", "Filebucket[puppet")):
            continue  # Puppet 8 leaves these out
        events = [{key: event.get(key) for key in ("property", "status", "previous_value", "desired_value", "message")} for event in status.get("events") or []]
        out["resources"][name] = {key: status.get(key) for key in ("failed", "changed", "out_of_sync", "skipped", "change_count", "out_of_sync_count", "corrective_change", "line")} | {
            "file": status.get("file"), "events": events, "path": status.get("containment_path"), "tags": sorted(status.get("tags") or [])}
    return compared(json.dumps(out, indent=1, sort_keys=True, default=str)).splitlines()


def in_places(text, agent):
    """What an agent keeps of a run, with words for the places that are its own or its server's."""
    for place, word in ((agent.root, "root"), (agent.fleet.environments, "code"), (agent.fleet.code_path, "code")):
        text = text.replace(str(place).lower(), word).replace(str(place), word)
    return text


def facts_of_state(agent):
    """What is left on the machine."""
    def content(p):
        return os.readlink(p) if p.is_symlink() else p.read_bytes() if p.is_file() else None
    out = {"target": [f"{p.relative_to(agent.root / 'target')} {oct(p.lstat().st_mode)} {content(p)!r}" for p in sorted((agent.root / "target").rglob("*"))]}
    for name in ("classes.txt", "resources.txt"):
        text = agent.read(f"var/state/{name}")
        out[name] = None if text is None else sorted(in_places(text, agent).split("\n"))
    out["catalog"] = plain_catalog(agent)
    out["report"] = plain_report(agent)
    summary = agent.read("var/public/last_run_summary.yaml")
    out["summary"] = None if summary is None else sorted(re.findall(r"^  (?:run_mode|initial_environment|converged_environment|failed|skipped|changed|out_of_sync|total|success|failure): .*", re.sub(r"time:\n(  .*\n)*", "", summary), re.M))
    out["plugins"] = [f"{p.relative_to(agent.root / 'var')} {oct(p.stat().st_mode)}" for d in ("lib", "facts.d") for p in sorted((agent.root / "var" / d).rglob("*"))]
    bucket = agent.fleet.bucket()
    root = str(agent.root).lstrip("/")  # the bucket's paths have no first slash
    out["bucket"] = []
    for p in bucket.rglob("contents") if bucket.exists() else ():
        own = [line.replace(root, "ROOT") for line in (p.parent / "paths").read_text().splitlines() if root in line]  # another agent may have kept the same text
        out["bucket"] += [*own, p.read_text()] if own else []
    return out


def write_code(fleet, manifest):
    fleet.new_code()
    for environment in ("production", "other"):
        fleet.environment(environment, manifest.replace("ENVIRONMENTS", str(fleet.environments)))
        (fleet.environments / environment / "environment.conf").write_text("modulepath = modules\nstatic_catalogs = false\n")
        for name, content in FILES.items():
            os.utime(fleet.module_file(f"demo/{name}", content, environment), (1_700_000_000, 1_700_000_000))  # each side is given the code anew
        files = fleet.environments / environment / "modules/demo/files"
        (files / "script.sh").chmod(0o755)
        os.symlink("a", files / "tree/link")
    (fleet.environments / "other/modules/demo/files/one.txt").write_text("other one\n")


def play(fleet, scenario, command, directory):
    title, manifest, steps = scenario
    write_code(fleet, manifest)
    agent = Agent(fleet, directory, command)
    told = []
    for step in steps:
        if isinstance(step, Code):
            for name, text in step.files.items():
                (fleet.environments / "production" / name).write_text(text)
            if step.version:
                fleet.version()
        elif isinstance(step, list):
            told.append(agent.run(*step))
        elif step == REVOKE:
            fleet.revoke(NODE)
            (fleet.ca.directory / f"{NODE}.pem").unlink()  # the next agent has another one
        elif step == NEW:
            fleet.forget(NODE)
            shutil.rmtree(agent.root / "ssl")
        elif step.startswith("ENC "):
            fleet.classify(NODE, step[4:])
        else:
            os.system(step.replace("ROOT", str(agent.root)))
    return told, facts_of_state(agent)


def differences(title, theirs, mine):
    problems = []
    for i, ((code, text), (own_code, own_text)) in enumerate(zip(theirs[0], mine[0])):
        if code != own_code:
            problems.append(f"run {i + 1}: exit code {own_code}, Puppet's {code}")
        lines = [sorted(compared(t).splitlines()) for t in (text, own_text)]
        if lines[0] != lines[1] and title not in OTHER_WORDS:
            problems += [f"run {i + 1}: messages", *(d for d in difflib.ndiff(*lines) if d[0] in "+-")]
    for key in theirs[1]:
        a, b = theirs[1][key], mine[1][key]
        if a != b:
            problems += [key, *(list(difflib.unified_diff(a, b, lineterm="", n=1))[2:60] if isinstance(a, list) and isinstance(b, list) else [f"- {a}", f"+ {b}"])]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent")
    parser.add_argument("server")
    parser.add_argument("--puppetserver")
    parser.add_argument("--only", choices=("agent", "server", "both"))
    parser.add_argument("title", nargs="*", help="parts of the titles of the scenarios that are wanted")
    o = parser.parse_intermixed_args()
    if not all(map(shutil.which, ("puppet", "openssl", "git"))) or os.geteuid() != 0:
        print("skipped: puppet, openssl, git and root are needed")
        return 77
    root = o.puppetserver and os.environ.get("PUPC_PUPPETSERVER_ROOT", o.puppetserver)
    if root and (why := puppetserver.missing(root)):
        print(f"skipped: {why}")
        return 77
    stock, ours = ["puppet", "agent"], [os.path.abspath(o.agent), "agent", "--as-puppet"]
    reference = puppetserver.Puppetserver(root) if root else None
    fleet = Fleet(os.path.abspath(o.server), reference)
    reference = reference or fleet
    sides = {"agent": (reference, ours), "server": (fleet, stock), "both": (fleet, ours)} if root else {"agent": (fleet, ours)}
    failed = 0
    try:
        for server in {reference, fleet}:
            server.start(*["--enc-cache", "0"] if server is fleet else [])  # the next scenario comes sooner than an answer grows old
        for number, scenario in enumerate(SCENARIOS):
            if o.title and not any(title in scenario[0] for title in o.title):
                continue
            if NEW in scenario[2] and not root:
                continue  # nobody is a CA
            theirs = play(reference, scenario, stock, reference.top / f"puppet{number}")
            for side, (server, command) in sides.items():
                if o.only and side != o.only:
                    continue
                problems = differences(scenario[0], theirs, play(server, scenario, command, server.top / f"{side}{number}"))
                failed += bool(problems)
                print(f"{'FAILED' if problems else 'ok'}: {scenario[0]}{f' ({side})' if root else ''}", *problems, sep="\n", flush=True)
    finally:
        fleet.close()
        if reference is not fleet:
            reference.close()
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
