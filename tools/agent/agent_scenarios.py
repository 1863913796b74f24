#!/usr/bin/env python3
"""Plays the same scenarios with Puppet's own agent and with pupc's, against pupc-server, and compares messages, exit codes, files and state. Usage: agent_scenarios.py PUPC_AGENT PUPC_SERVER"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import Agent, Fleet

TREE = "file { \"${facts['target']}/tree\": ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }\n"
FILE = "file { \"${facts['target']}/x\": content => \"some text\\n\" }\n"
# Title, manifest, options of each run in turn, what is done between the runs.
SCENARIOS = [
    ("broken manifest", "fail('as asked')\n", [["--test"]]),
    ("noop", FILE, [["--test", "--noop"]]),
    ("several sources", "file { \"${facts['target']}/s\": source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/one.txt'] }\n", [["--test"]]),
    ("unknown environment", FILE, [["--test", "--environment", "nope"]]),
    ("a source that is not there", "file { \"${facts['target']}/s\": source => 'puppet:///modules/demo/none' }\n" + FILE, [["--test"]]),
    ("failing resource", "exec { '/bin/false': }\n-> " + FILE, [["--test"]]),
    ("tags", FILE + "file { \"${facts['target']}/y\": content => 'y', tag => 'wanted' }\n", [["--test", "--tags", "wanted"]]),
    ("plugin", FILE + "notify { \"plugin: ${facts['from_plugin']}\": }\n", [["--test"]]),
    ("sensitive", "file { \"${facts['target']}/x\": content => Sensitive('secret') }\n", [["--test"]]),
    ("disabled", FILE, [["--disable", "for a test"], ["--test"], ["--enable"], ["--test"]]),
    ("tree", TREE, [["--test"], ["--test"]]),
    ("file from a module", "file { \"${facts['target']}/m\": source => 'puppet:///modules/demo/one.txt', mode => '0600' }\n", [["--test"], ["--test"]]),
    ("nothing to do", FILE, [["--test"], ["--test"]]),
    ("changed by somebody", FILE, [["--test"], "echo other > ROOT/target/x", ["--test"]]),
    ("first run and second", FILE + "class c { notify { 'n': } }\ninclude c\n", [["--test"], ["--test"]]),
]
# What differs and is known to, with the reason: Puppet 8 (which pupc follows) and Debian's 7.23 differ, or see README.md.
IGNORED = (
    r"Info: Loading facts\n",                 # Puppet 7 says it once more, 8 for each directory
    r"Notice: /File\[ROOT/var/(lib|facts\.d|locales)[^\n]*\n", # its order and lines are tested below
    r"Info: Refreshing [^\n]*\n",
    r"Info: (CA certificate|CRL) is unmodified[^\n]*\n",
    r"Info: Retrieving locales\n",
    r"Error: Facter: [^\n]*\n",              # Facter's own troubles with the machine
    r"\(Reason: '[^']*'\);\n",
    r"Notice: (En|Dis)abling Puppet\.\n",      # Puppet tells only the system's log
    r"\+\+\+ (-|TEMPORARY)\n",               # the other side of a difference: a file there, none here
    r"current_value 'absent', should be 'file'|defined content as '\{sha256\}[0-9a-f]+'(?= \(noop\))",  # 7 and 8
)


def compared(text):
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text


def facts_of_state(agent):
    """What is left on the machine."""
    out = {"target": {str(p.relative_to(agent.root / "target")): (oct(p.lstat().st_mode), p.read_text() if p.is_file() else None) for p in sorted((agent.root / "target").rglob("*"))}}
    for name in ("classes.txt", "resources.txt"):
        text = agent.read(f"var/state/{name}")
        out[name] = None if text is None else sorted(text.replace(str(agent.root), "ROOT").lower().split("\n"))
    cached = agent.root / "var/client_data/catalog/node.example.com.json"
    out["cached"] = json.loads(cached.read_text())["environment"] if cached.exists() else None
    summary = agent.read("var/public/last_run_summary.yaml")
    out["summary"] = None if summary is None else sorted(re.findall(r"^  (?:run_mode|initial_environment|converged_environment|failed|skipped|changed|out_of_sync|total|success|failure): .*", re.sub(r"time:\n(  .*\n)*", "", summary), re.M))
    out["plugins"] = sorted(str(p.relative_to(agent.root / "var/lib")) for p in (agent.root / "var/lib").rglob("*")) if (agent.root / "var/lib").exists() else None
    return out


def play(fleet, scenario, command, directory):
    title, manifest, steps = scenario
    fleet.environment("production", manifest)
    agent = Agent(fleet, directory, command)
    told = []
    for step in steps:
        if isinstance(step, str):
            os.system(step.replace("ROOT", str(agent.root)))
        else:
            told.append(agent.run(*step))
    return told, facts_of_state(agent), "".join(out for _, out in told)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ours, server = (os.path.abspath(p) for p in sys.argv[1:3])
    if not all(map(shutil.which, ("puppet", "openssl"))) or os.geteuid() != 0:
        print("skipped: puppet, openssl and root are needed")
        return 77
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    fleet = Fleet(server)
    failed = 0
    try:
        fleet.module_file("demo/files/one.txt", "one\n")
        fleet.module_file("demo/files/tree/a", "a\n")
        fleet.module_file("demo/files/tree/sub/b", "b\n")
        fleet.module_file("demo/lib/facter/f.rb", "Facter.add(:from_plugin) { setcode { 'yes' } }\n")
        fleet.start()
        for number, scenario in enumerate(SCENARIOS):
            if wanted not in scenario[0]:
                continue
            theirs = play(fleet, scenario, ["puppet", "agent"], fleet.top / f"puppet{number}")
            mine = play(fleet, scenario, [ours, "agent", "--as-puppet"], fleet.top / f"pupc{number}")
            problems = []
            for i, ((code, text), (own_code, own_text)) in enumerate(zip(theirs[0], mine[0])):
                if code != own_code:
                    problems.append(f"run {i + 1}: exit code {own_code}, Puppet's {code}")
                if sorted(compared(text).splitlines()) != sorted(compared(own_text).splitlines()):
                    problems.append(f"run {i + 1}: messages\n--- Puppet\n{compared(text)}--- pupc\n{compared(own_text)}")
            for key in theirs[1]:
                if theirs[1][key] != mine[1][key]:
                    problems.append(f"{key}\n--- Puppet\n{theirs[1][key]}\n--- pupc\n{mine[1][key]}")
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'ok'}: {scenario[0]}", *problems, sep="\n", flush=True)
    finally:
        fleet.close()
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
