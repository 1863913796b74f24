#!/usr/bin/env python3
"""Command lines of Puppet, run with their tree: exit code, standard output and standard error of each.

  run.py write PUPPET…   runs Puppet itself (the words of its command) and writes answers.json
  run.py add PUPPET…     the same for command lines that have no answer yet
  run.py check PUPC      compares the answers of `PUPC puppet …`
"""
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
PLACES = ["--confdir", "ROOT/conf", "--codedir", "ROOT/code", "--vardir", "ROOT/var", "--rundir", "ROOT/run", "--logdir", "ROOT/log", "--publicdir", "ROOT/public"]


def command_lines():
    with open(os.path.join(HERE, "commands.txt"), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def plain(text, root):
    """Without what differs from run to run: places, times, colours, what Facter says of the machine."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).replace(root, "ROOT")
    text = re.sub(r"in \d+\.\d+ seconds", "in N seconds", text)
    text = re.sub(rf"on node {re.escape(socket.gethostname())}\b", "on node HOST", text)
    return "".join(line for line in text.splitlines(True) if "Facter: " not in line)


def run(program, line, root):
    words = []
    for word in shlex.split(line.removeprefix("~")):
        words += PLACES if word == "@" else [word]
    words = [w.replace("ROOT", root) for w in words]
    environment = {"HOME": root + "/home", "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC", "PUPC_PUPPET_PLACES": "aio"}
    done = subprocess.run([*program, *words], cwd=root + "/pp", capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, env=environment, timeout=300)
    return {"code": done.returncode, "out": plain(done.stdout, root), "err": plain(done.stderr, root)}


def run_all(program, lines):
    with tempfile.TemporaryDirectory(prefix="puppet-commands") as folder:
        root = os.path.join(os.path.realpath(folder), "t")
        shutil.copytree(os.path.join(HERE, "tree"), root)
        for empty in ("home", "conf"):  # git keeps no empty directories
            os.makedirs(f"{root}/{empty}", exist_ok=True)
        return [(line, run(program, line, root)) for line in lines]


def write(program, known):
    """The answers of all command lines but those whose answers are known."""
    answers = {}
    new = dict(run_all(program, [line for line in command_lines() if line not in known]))
    for line in command_lines():
        if line in known:
            answers[line] = known[line]
            continue
        answer = new[line]
        answers[line] = {"code": answer["code"]} if line.startswith("~") else answer
    with open(os.path.join(HERE, "answers.json"), "w", encoding="utf-8") as f:
        json.dump(answers, f, indent=1, ensure_ascii=False)
        f.write("\n")


def stored():
    with open(os.path.join(HERE, "answers.json"), encoding="utf-8") as f:
        return json.load(f)


def check(program):
    answers = stored()
    with open(os.path.join(HERE, "differences.json"), encoding="utf-8") as f:
        known = json.load(f)
    bad = 0
    for line, got in run_all(program, command_lines()):
        wanted = answers[line]
        differs = [key for key in wanted if got[key] != wanted[key]]
        if line in known:
            if not differs:
                print(f"equal now, take it off the differences: {line}")
                bad += 1
            continue
        if differs:
            bad += 1
            print(f"$ puppet {line}")
            for key in differs:
                print(f"  {key}: Puppet {wanted[key]!r}\n  {' ' * len(key)}  pupc   {got[key]!r}")
    print(f"{len(answers)} command lines, {bad} wrong, {len(known)} known to differ")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1] in ("write", "add"):
        write(sys.argv[2:], stored() if sys.argv[1] == "add" else {})
    else:
        sys.exit(check([sys.argv[2], "puppet"]))
