#!/usr/bin/env python3
"""Debian's packaged modules: what validate finds in them is in testdata/validate/debian_findings.txt, and nothing else. The list shows a check
that says more or less than before; each is a true defect: those of parameters, classes and variables of classes were held against the definitions as
Puppet's own parser reads them, the others were read. Usage: validate_modules_test.py PUPC TESTDATA [--write]    Exits 77 where the modules are not installed."""
import collections
import json
import os
import resource
import subprocess
import sys

PUPC, TESTDATA = sys.argv[1], sys.argv[2]
MODULES = "/usr/share/puppet/modules.available"
KNOWN = os.path.join(TESTDATA, "debian_findings.txt")
MEMORY = 200 << 10  # KiB


def main():
    if not os.path.isdir(MODULES) or len(os.listdir(MODULES)) < 50:
        print("Debian's modules are not installed")
        return 77
    done = subprocess.run([PUPC, "validate", "--format", "json", MODULES], capture_output=True, text=True, timeout=300)
    found = collections.Counter(f"{os.path.relpath(f['file'], MODULES)} {f['check']}" for f in json.loads(done.stdout))
    if "--write" in sys.argv:
        with open(KNOWN, "w", encoding="utf-8") as f:
            f.write("# File, check and number of findings in Debian 12's packaged modules; made by validate_modules_test.py --write.\n")
            f.writelines(f"{name} {n}\n" for name, n in sorted(found.items()))
        return 0
    known = {}
    with open(KNOWN, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                name, n = line.rstrip("\n").rsplit(" ", 1)
                known[name] = int(n)
    present = set(os.listdir(MODULES))
    problems = [f"{name}: {found[name]} finding(s), known are {known.get(name, 0)}" for name in sorted(set(found) | set(known))
                if found[name] != known.get(name, 0) and name.split("/")[0] in present]
    for p in problems:
        print(p)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{sum(found.values())} findings, {len(problems)} unexpected, {peak // 1024} MiB")
    if peak > MEMORY:
        print(f"more memory than {MEMORY // 1024} MiB")
    return 1 if problems or (peak > MEMORY and "SANITIZE" not in os.environ) else 0


if __name__ == "__main__":
    sys.exit(main())
