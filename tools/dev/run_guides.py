#!/usr/bin/env python3
"""Runs the command blocks of the guides and compares what they print.

    run_guides.py PUPC [--update] GUIDE.md…

A block that starts with ```console is run: a line `$ command` is a command (lines that begin with `> ` go on with it), what follows is its
output, standard output and error together. `cd` holds for the rest of the chapter (`## `). `…` in an expected line stands for any text, a line `…` alone for any lines; a last line
`[exit N]` tells an exit code other than 0. The blocks of one guide share an empty directory, made anew for each guide, with pupc on the
PATH and the project's folder in $SOURCE. With --update the outputs are written anew (then read the diff). Exit 1 when anything differs.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """(start, end) offsets of the inside of each console block."""
    for found in re.finditer(r"^```console\n(.*?)^```", text, re.S | re.M):
        yield found.start(1), found.end(1)


def steps(block):
    """(commands, expected lines) pairs of a block."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            out.append(([line[2:]], []))
        elif line.startswith("> ") and out and not out[-1][1]:
            out[-1][0].append(line[2:])
        elif line == ">" and out and not out[-1][1]:
            out[-1][0].append("")
        elif out:
            out[-1][1].append(line)
    return out


def run(commands, places, environment):
    """The output lines of a command. It runs in the last of the places; where it leaves the shell is the next one."""
    with tempfile.NamedTemporaryFile("r") as left:
        done = subprocess.run(["bash", "-c", f"trap 'pwd > {left.name}' EXIT\n" + "\n".join(commands)], cwd=places[-1], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        places.append(left.read().strip() or places[-1])
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.returncode:
        lines.append(f"[exit {done.returncode}]")
    return lines


def line_matches(expected, got):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("…")), got) is not None


def matches(expected, got):
    """Whether the lines are as expected, a line `…` standing for any number of lines."""
    if not expected:
        return not got
    if expected[0].strip() == "…":
        return any(matches(expected[1:], got[skip:]) for skip in range(len(got) + 1))
    return bool(got) and line_matches(expected[0], got[0]) and matches(expected[1:], got[1:])


def check_guide(path, pupc, update):
    text = path.read_text()
    environment = dict(os.environ, SOURCE=str(pathlib.Path(__file__).resolve().parents[2]), LC_ALL="C.UTF-8")
    environment["PATH"] = f"{pathlib.Path(pupc).resolve().parent}:{environment['PATH']}"
    bad, ran, out, last = 0, 0, [], 0
    with tempfile.TemporaryDirectory() as directory:
        places = []
        for start, end in blocks(text):
            fresh = []
            if not places or re.search(r"^## ", text[last:start], re.M):
                places = [directory]
            for commands, expected in steps(text[start:end]):
                got = run(commands, places, environment)
                ran += 1
                fresh += ["$ " + commands[0]] + ["> " + line for line in commands[1:]]
                if matches(expected, got):
                    fresh += expected
                    continue
                fresh += got
                bad += 1
                if not update:
                    print(f"{path}: {commands[0]}\n  expected:\n" + "\n".join("    " + line for line in expected) + "\n  got:\n" +
                          "\n".join("    " + line for line in got))
            out.append(text[last:start] + "\n".join(fresh) + "\n")
            last = end
    if update and bad:
        path.write_text("".join(out) + text[last:])
    print(f"{path.name}: {ran} commands, {bad} differ")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pupc")
    parser.add_argument("guides", nargs="+", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    bad = sum(check_guide(guide, arguments.pupc, arguments.update) for guide in arguments.guides)
    return 1 if bad and not arguments.update else 0


if __name__ == "__main__":
    sys.exit(main())
