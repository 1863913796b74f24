#!/usr/bin/env python3
"""`pupc lookup --explain` for the set-ups of testdata/hiera against what Puppet printed (explained.jsonl).
Usage: hiera_explained.py PUPC [EXPLAINED.jsonl]"""
import difflib
import json
import os
import subprocess
import sys
import tempfile

import hiera_cases


def main():
    pupc = sys.argv[1]
    folder = os.path.join(hiera_cases.ROOT, "testdata/hiera")
    with open(os.path.join(folder, "expected.jsonl"), encoding="utf-8") as f:
        cases = {case["name"]: case for case in map(json.loads, f)}
    passed = failed = 0
    with open(sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "explained.jsonl"), encoding="utf-8") as f:
        wanted = [json.loads(line) for line in f]
    for expected in wanted:
        case = cases[expected["name"]]
        with tempfile.TemporaryDirectory() as root:
            root = os.path.realpath(root)
            hiera_cases.set_up(case, root)
            words = [pupc, "lookup", "--explain", "--compile", "--environmentpath", root, "--environment", "production", "--facts", f"{root}/facts.json", "--node",
                     "node.example.com", "--strict", case.get("strict", "error"), "-e", case.get("code", ""), "--hiera-config", f"{root}/global/hiera.yaml"]
            if expected["merge"]:
                words += ["--merge", expected["merge"]]
            done = subprocess.run(words + ["--", expected["key"]], capture_output=True, text=True, timeout=60)
            got = done.stdout.replace(root, "ROOT")
        # `program`: pupc's text where it differs on purpose, for the reason in `because`.
        if got.rstrip("\n") == expected.get("program", expected["text"]).rstrip("\n"):
            passed += 1
            continue
        failed += 1
        print(f"FAIL {expected['name']}: {expected['key']} {expected['merge'] or ''}")
        print("\n".join(difflib.unified_diff(expected["text"].splitlines(), got.splitlines(), "Puppet", "pupc", lineterm="", n=2)))
        if done.stderr:
            print(done.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
