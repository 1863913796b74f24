#!/usr/bin/env python3
"""pupc lookup against what `puppet lookup` printed. Usage: lookup_test.py PUPC [--update]

testdata/lookup/expected.txt: `== WORDS`, the output, `rc N`. Two things are pupc's own: trusted data of --node are filled in, and errors
name the node. --update writes pupc's answers there for review."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
DATA = os.path.join(ROOT, "testdata", "lookup")
ENVIRONMENTS = os.path.join(DATA, "environments")


def answer(pupc, words):
    command = [pupc, "lookup", *words.split(), "--environmentpath", ENVIRONMENTS, "--environment", "production", "--node", "n.example.com",
               "--facts", os.path.join(DATA, "facts.json")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return f"{done.stdout}rc {done.returncode}\n".replace(ENVIRONMENTS + "/", "$ENVIRONMENTS/")


def main():
    path = os.path.join(DATA, "expected.txt")
    cases, failures, out = [], 0, ""
    for line in open(path, encoding="utf-8"):
        if line.startswith("== "):
            cases.append([line[3:-1], ""])
        else:
            cases[-1][1] += line
    for words, expected in cases:
        got = answer(sys.argv[1], words)
        out += f"== {words}\n{got}"
        if got != expected:
            failures += 1
            print(f"FAIL {words}\n--- expected\n{expected}--- got\n{got}")
    if "--update" in sys.argv:
        open(path, "w", encoding="utf-8").write(out)
    print(f"{len(cases) - failures} passed, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
