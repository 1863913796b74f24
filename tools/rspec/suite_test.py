#!/usr/bin/env python3
"""The small module of testdata/rspec with its suite: by Puppet, by pupc and by both. The examples and the coverage are the same; what pupc gets wrong shows.

    suite_test.py PUPC
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
MODULE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "testdata", "rspec", "demo")


def run(mode, program, scratch, before=()):
    """Statuses and messages of the examples by their places, the coverage report, and what the adapter counted."""
    out, counts = os.path.join(scratch, "out.json"), os.path.join(scratch, "counts.json")
    environment = dict(os.environ, PUPC=mode, PUPC_PROGRAM=program, PUPC_STATISTICS=counts, HOME=scratch)
    command = ["ruby", "-W0", "-I", os.path.join(HERE, "lib"), "-I", "spec", "-S", "rspec", *before, "-r", "rspec-puppet-pupc", "--order", "defined", "--format", "json", "--out", out]
    done = subprocess.run(command + ["spec"], cwd=MODULE, env=environment, capture_output=True, text=True, check=False)
    if not os.path.exists(out) or not os.path.getsize(out):
        sys.exit(f"PUPC={mode}: rspec ended with {done.returncode}\n{done.stdout}{done.stderr}")
    with open(out, encoding="utf-8") as file:
        examples = {e["id"]: (e["status"], e["full_description"], (e.get("exception") or {}).get("message", "")) for e in json.load(file)["examples"]}
    with open(counts, encoding="utf-8") as file:
        by = json.load(file)["by"]
    for path in (out, counts):
        os.unlink(path)
    return examples, done.stdout[done.stdout.find("Coverage Report") :], by


def unloadable(program, scratch):
    """What `run_suites` says of a suite that cannot be loaded."""
    for name, text in {"metadata.json": "{}", "spec/spec_helper.rb": "require 'no_such_library'\n", "spec/classes/a_spec.rb": "require 'spec_helper'\n"}.items():
        path = os.path.join(scratch, "suites", "a", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run([os.path.join(HERE, "run_suites"), "--modules", os.path.join(scratch, "suites"), "--program", program,
                           "--scratch", os.path.join(scratch, "runs"), "--modes", "on"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def main():
    if subprocess.run(["ruby", "-e", "require 'rspec-puppet'"], capture_output=True, check=False).returncode != 0:
        print("rspec-puppet is not installed: skipped")
        sys.exit(77)
    pupc = os.path.realpath(sys.argv[1])
    bad = []
    with tempfile.TemporaryDirectory() as scratch:
        ways = {mode: run(mode, pupc, scratch) for mode in ("off", "on", "compare")}
        # rspec-puppet 4 has one adapter where Debian's has several.
        ways["on, version 4"] = run("on", pupc, scratch, ["-r", os.path.join(os.path.dirname(MODULE), "version_4.rb")])
        for mode, (examples, coverage, _) in ways.items():
            bad += [f"PUPC={mode}: {text}: {message}" for status, text, message in examples.values() if status != "passed"]
            if coverage != ways["off"][1]:
                bad.append(f"PUPC={mode}: the coverage differs:\n{coverage}\nby Puppet:\n{ways['off'][1]}")
        if set(ways["off"][0]) != set(ways["on"][0]) or len(ways["on"][0]) < 40:
            bad.append(f"{len(ways['off'][0])} examples by Puppet, {len(ways['on'][0])} by pupc")
        by = ways["on"][2]
        if by.get("by pupc", 0) < 12 or sorted(re.sub("[(].*", "", k) for k in by) != ["by Puppet: the spec defines the function made_by_spec", "by Puppet: the spec replaces Puppet::Util.which", "by pupc"]:
            bad.append(f"the catalogs come from others than expected: {by}")
        # A pupc that says another thing: comparing must tell.
        wrong = os.path.join(scratch, "wrong")
        with open(wrong, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n{pupc} "$@" | sed -u \'s/"mode":"0644"/"mode":"0600"/; s/port 1 is not/port 1 is never/\'\n')
        os.chmod(wrong, 0o755)
        failed = [message for status, _, message in run("compare", wrong, scratch)[0].values() if status == "failed"]
        for text in ('File[/etc/demo/demo.conf] mode: Puppet "0644", pupc "0600"', "Puppet fails with Puppet::PreformattedError"):
            if not any(text in message for message in failed):
                bad.append(f"PUPC=compare does not tell {text!r}")
        code, told = unloadable(pupc, scratch)
        if code != 1 or "a: on: the suite does not load:\n" not in told or "cannot load such file" not in told:
            bad.append(f"a suite that does not load: exit {code}, {told}")
    print("\n".join(bad))
    print(f"{len(ways['on'][0])} examples both ways, {len(bad)} failed")
    sys.exit(1 if bad else 0)


main()
