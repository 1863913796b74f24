#!/usr/bin/env python3
"""Facts written in Ruby (testdata/custom_facts/facts) as `pupc facts` resolves them, against stored answers of facter.

    custom_facts.py golden PUPC
    custom_facts.py update          asks facter
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "testdata", "custom_facts")
NAMES = ("light wrong_os right_os blocky agg sum kernel kernelversion static structured nilly exec gone cmd boom slow loud given over shadowed "
         "sees_external sees_over from_environment versions features which run run_fails package_provider settings piped_missing piped_there quoted_there assigned highlighted").split()
LOGGED = ["Error: Facter: Error while resolving custom fact fact='boom', resolution='<anonymous>': it broke",
          "Error: Facter: Timed out after 0.2 seconds while resolving fact='slow', resolution='<anonymous>'",
          "Error: Facter: Error while resolving custom fact fact='highlighted', resolution='<anonymous>': undefined method `strip' for nil:NilClass\n\n"
          "    nothing.strip\n           ^^^^^^"]


def facts(command):
    done = subprocess.run(command + ["--custom-dir", os.path.join(FOLDER, "facts"), "--external-dir", os.path.join(FOLDER, "external"), "--json", *NAMES],
                          capture_output=True, timeout=60, env={**os.environ, "FACTER_from_env": "of the environment"})
    text = done.stdout.decode("utf-8")
    return json.loads(text[text.index("{"):]), done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def main():
    stored = os.path.join(FOLDER, "answers.json")
    if sys.argv[1] == "update":
        with open(stored, "w", encoding="utf-8") as f:
            json.dump(facts(["facter"])[0], f, ensure_ascii=False, indent=2)
            f.write("\n")
        return 0
    if shutil.which("ruby") is None:
        print("Ruby is missing")
        return 77
    with open(stored, encoding="utf-8") as f:
        expected = json.load(f)
    got, out, log = facts([sys.argv[2], "facts"])
    failed = [n for n in NAMES if got.get(n) != expected.get(n)]
    for name in failed:
        print(f"FAIL {name}: {expected.get(name)!r} expected, {got.get(name)!r}")
    for line in LOGGED:
        if line not in log:
            failed.append(line)
            print(f"FAIL not logged: {line}\n{log}")
    if not out.startswith("{"):
        failed.append("stdout")
        print("FAIL what facts print is in the output")
    print(f"{len(NAMES) + len(LOGGED) + 1 - len(failed)} pass, {len(failed)} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
