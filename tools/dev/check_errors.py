#!/usr/bin/env python3
"""Fails when the catalogue of errors (catalog/base/errors.def) is not in order: each class has a number of its own in ascending order, a summary
and an explanation, and is used by the code; and the code uses no class that is not in the catalogue."""
import pathlib
import re
import sys

ENTRY = re.compile(r'^PUPC_ERROR\((\d+), (\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)$')
# Kept for what is not written yet; take a class off when the code uses it.
PLANNED = {"dependency_cycle"}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = []
    classes = {}
    last = 0
    for line in (root / "catalog/base/errors.def").read_text().splitlines():
        if not line.startswith("PUPC_ERROR"):
            continue
        m = ENTRY.match(line)
        if not m:
            problems.append(f"not in the form of an entry: {line}")
            continue
        number, name, summary, explanation = int(m[1]), m[2], m[3], m[4]
        if number <= last:
            problems.append(f"{number} {name}: numbers must ascend")
        last = number
        if name in classes:
            problems.append(f"{number} {name}: the name is taken")
        if len(summary) < 10 or summary.endswith("."):
            problems.append(f"{number} {name}: the summary must say what went wrong, without a full stop")
        if len(explanation) < 20 or not explanation.endswith("."):
            problems.append(f"{number} {name}: the explanation must be at least a sentence")
        classes[name] = number
    used = set()
    for top in ("catalog", "compiler", "runtime", "tools"):
        for path in (root / top).rglob("*"):
            if path.suffix in (".h", ".cpp"):
                used |= set(re.findall(r"ErrorCode::(\w+)", path.read_text(errors="replace")))
    for name in sorted(used - classes.keys()):
        problems.append(f"{name}: used but not in the catalogue")
    for name in sorted(classes.keys() - used - PLANNED):
        problems.append(f"{classes[name]} {name}: in the catalogue but nothing reports it")
    for p in problems:
        print(p)
    print(f"{len(classes)} error classes, {len(problems)} problem(s)")
    return 1 if problems or not classes else 0


if __name__ == "__main__":
    sys.exit(main())
