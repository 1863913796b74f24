#!/usr/bin/env python3
"""Types of modules that speak to real services and tools: databases, packet filters, key stores, registries of packages.

    service_scenarios.py golden PUPC [GROUP[/NAME]…]   pupc against the answers stored in testdata/services/*.expected.json; needs no Puppet
    service_scenarios.py live PUPC [GROUP[/NAME]…]     pupc against Puppet, now
    service_scenarios.py update PUPC [GROUP[/NAME]…]   stores Puppet's answers

PUPPET_LIBRARY names the library of the Puppet to ask. A group is a file testdata/services/GROUP.yaml:
  needs:      programs that must be there, else the group is left out
  modules:    modules of Debian, or of testdata/services/modules
  todays:     true: modules of the folder that PUPC_MODULE_SUITES names (see recorded_cases.py), without which the group is left out
  like:       another group, for all that this one does not say
  more:       scenarios besides those of that group, or in the place of those with the same name
  slow:       true: it runs only when it is named (its tool takes a second for each answer)
  prepare:    shell text that starts the service on a machine that is thrown away (module_roots.py)
  stand_ins:  packages that stand-ins for apt, dpkg-query and systemctl (module_roots.py) take for installed; without it there are no stand-ins
  look:       shell text that prints the state that the scenarios change
  facts:      external facts of the machine
  replace:    [pattern, text] pairs for what differs from run to run in logs and state
  scenarios:  name -> manifest, or {code, args, before (shell text), again (changes are expected in the second run, with the reason), order: free}
A group's scenarios run one after the other on one machine. Each is applied with --noop, for real, and again; compared are exit codes, log lines and
what `look` prints after each. --noop must change nothing, and the second run neither. Exit 77 when the machine permits none of this.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

import yaml

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import module_roots  # noqa: E402
import provider_scenarios  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "testdata" / "services"
PUPPET = f"ruby -W0 -I {os.environ['PUPPET_LIBRARY']} /usr/bin/puppet" if "PUPPET_LIBRARY" in os.environ else "puppet"
RUNS = (("noop", "--noop"), ("first", ""), ("second", ""))


def lacking(group):
    for program in group.get("needs", "").split():
        if not shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin") and not list(pathlib.Path("/").glob(program.lstrip("/"))):
            return program
    if group.get("todays") and not os.path.isdir(os.environ.get("PUPC_MODULE_SUITES", "")):
        return "the folder of today's modules"
    for module in group.get("modules", "").split():
        if module_path(group, module) is None:
            return f"the module {module}"
    return ""


def module_path(group, module):
    for folder in ([os.environ["PUPC_MODULE_SUITES"]] if group.get("todays") else [CASES / "modules", module_roots.MODULES]):
        if (pathlib.Path(folder) / module).exists():
            return (pathlib.Path(folder) / module).resolve()
    return None


class Side:
    """One program on a machine of its own with the group's service."""

    def __init__(self, who, group, top, pupc):
        self.who, self.group = who, group
        self.machine = module_roots.Machine(top, isolated=True)
        modules = self.machine.inside("/scenario/modules")
        modules.mkdir()
        for module in group.get("modules", "").split():
            shutil.copytree(module_path(group, module), modules / module, symlinks=True)
        shutil.copy(pupc, self.machine.inside("/scenario/pupc"))
        facts = self.machine.inside("/etc/facter/facts.d")
        facts.mkdir(parents=True, exist_ok=True)
        (facts / "scenario.yaml").write_text(yaml.safe_dump(group.get("facts", {})))
        self.machine.put("/scenario/look", group.get("look", "true"))
        stand_ins = module_roots.STAND_INS % {"packages": group["stand_ins"]} if "stand_ins" in group else ""
        self.machine.put("/scenario/prepare", stand_ins + group.get("prepare", "true"))
        self.ready = self.machine.run("bash /scenario/prepare >/scenario/prepared 2>&1") == 0
        self.keep_facts()

    def keep_facts(self):
        """Facts for both programs: Puppet takes seconds to collect them in every run, and a custom fact tells its warnings in each."""
        self.machine.run("/scenario/pupc facts --show-legacy --modulepath /scenario/modules >/scenario/facts.json")
        if self.who != "reference":
            return
        folder = self.machine.inside("/scenario/var/client_yaml/facts")
        folder.mkdir(parents=True)
        facts = self.machine.inside("/scenario/facts.json").read_text()
        (folder / "web1.example.com.yaml").write_text(f"--- !ruby/object:Puppet::Node::Facts\nname: web1.example.com\nvalues: {facts}\n")

    def prepared(self):
        return self.machine.inside("/scenario/prepared").read_text(errors="replace")

    def command(self, scenario, extra):
        words = f"--modulepath /scenario/modules --detailed-exitcodes --vardir /scenario/var {extra} {scenario.get('args', '')}"
        if self.who == "reference":
            return f"{PUPPET} apply --color=false --confdir /scenario/conf --facts_terminus yaml --certname web1.example.com --strict warning --no-strict_variables {words} /scenario/case.pp"
        return f"/scenario/pupc apply --facts /scenario/facts.json --legacy-facts --no-strict-variables --strict warning {words} /scenario/case.pp"

    def clean(self, text):
        for pattern, new in self.group.get("replace", []):
            text = re.sub(pattern, new, text, flags=re.M)
        return text

    def look(self):
        self.machine.run("bash /scenario/look >/scenario/looked 2>&1")
        return self.clean(self.machine.inside("/scenario/looked").read_text(errors="replace")).splitlines()

    def run(self, scenario):
        self.machine.put("/scenario/case.pp", scenario["code"])
        self.machine.put("/scenario/before", scenario.get("before", "true"))
        self.machine.run("bash -e /scenario/before")
        out = {"before": self.look()}
        for name, extra in RUNS:
            code = self.machine.run(f"{self.command(scenario, extra)} >/scenario/log 2>&1")
            log = self.machine.inside("/scenario/log").read_text(errors="replace")
            if os.environ.get("SHOW"):
                print(f"--- {self.who} {name}\n{log}")
            out[name] = {"exit": code, "log": module_roots.log_lines(self.clean(log), scenario.get("order") == "free"), "state": self.look()}
        return out


def differences(want, got):
    out = []
    for name, _ in RUNS:
        if want[name]["exit"] != got[name]["exit"]:
            out.append(f"{name} run: exit {got[name]['exit']}, wanted {want[name]['exit']}")
        for what in ("log", "state"):
            w, g = want[name][what], got[name][what]
            out += [f"{name} run, {what}: missing: {line}" for line in w if line not in g]
            out += [f"{name} run, {what}: too much: {line}" for line in g if line not in w]
            if not out and w != g:
                out.append(f"{name} run, {what}: the same lines in another order: {g}")
    return out


def rules(scenario, got):
    """What must hold of any scenario, whatever the reference does."""
    out = []
    if got["noop"]["state"] != got["before"]:
        out.append(f"--noop changed the state: {got['before']} {got['noop']['state']}")
    if not scenario.get("again") and got["second"]["exit"] not in (0, {1: 1, 4: 4, 6: 4}.get(got["first"]["exit"], 0)):
        out.append(f"the second run: exit {got['second']['exit']}")
    return out


def run_group(name, group, mode, pupc, only, top):
    stored = CASES / f"{name}.expected.json"
    known = json.loads(stored.read_text()) if stored.exists() else {}
    sides = {"pupc": Side("pupc", group, top / f"{name}-pupc", pupc)}
    if mode != "golden":
        sides["reference"] = Side("reference", group, top / f"{name}-reference", pupc)
    failed = 0
    try:
        for side in sides.values():
            if not side.ready:
                print(f"{name}: the service did not start:\n{side.prepared()[-2000:]}")
                return 1
        for case, scenario in group["scenarios"].items():
            scenario = scenario if isinstance(scenario, dict) else {"code": scenario}
            want = sides["reference"].run(scenario) if "reference" in sides else known.get(case)
            got = sides["pupc"].run(scenario)
            if mode == "update":
                # Kept at once: a slow service may not answer until the end.
                known[case] = want
                store(stored, known, group)
            if only and case not in only:
                continue
            problems = (differences(want, got) if want else ["no stored answer"]) + rules(scenario, got)
            changes = len([line for line in got["first"]["log"] if line.startswith("Notice: /Stage")])
            print(f"{name}/{case}: {changes} changes: {'same' if not problems else f'{len(problems)} differences'}", flush=True)
            for p in problems:
                print("  " + p[:int(os.environ.get("WIDTH", 1000))])
            failed += bool(problems)
    finally:
        for side in sides.values():
            side.close() if hasattr(side, "close") else side.machine.close()
    return failed


def store(path, known, group):
    """Writes the answers of scenarios that still exist."""
    path.write_text(json.dumps({case: known[case] for case in group["scenarios"] if case in known}, indent=1, sort_keys=True) + "\n")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("golden", "live", "update"):
        sys.exit(__doc__)
    mode, pupc = sys.argv[1], os.path.abspath(sys.argv[2])
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("skipped: only root can put a layer over the machine's files")
        return 77
    if mode != "golden" and not shutil.which(shlex.split(PUPPET)[0]):
        print("skipped: Puppet is not installed")
        return 77
    wanted = [tuple(w.split("/", 1)) for w in sys.argv[3:]]
    failed = ran = 0
    with tempfile.TemporaryDirectory(dir="/tmp") as tmp:
        top = pathlib.Path(tmp)
        trial = module_roots.Machine(top / "trial", isolated=True)
        trial.close()
        if not trial.works:
            print("skipped: no overlayfs in a namespace of its own is permitted here")
            return 77
        for path in sorted(CASES.glob("*.yaml")):
            if wanted and path.stem not in [w[0] for w in wanted]:
                continue
            group = yaml.safe_load(path.read_text())
            if "like" in group:
                group = {**yaml.safe_load((CASES / f"{group['like']}.yaml").read_text()), **group}
                group["scenarios"] = {**group["scenarios"], **group.get("more", {})}
            if group.get("slow") and not wanted:
                print(f"{path.stem}: left out, it is slow and runs only by its name")
                continue
            if why := lacking(group):
                print(f"{path.stem}: left out, it needs {why}")
                continue
            ran += 1
            failed += run_group(path.stem, group, mode, pupc, {w[1] for w in wanted if len(w) > 1 and w[0] == path.stem}, top)
    if not ran:
        print("skipped: none of the services is installed here")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
