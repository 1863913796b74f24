#!/usr/bin/env python3
"""Seeded defects: the environment in testdata/validate is right; each line of seeds.txt changes one place of it, and validate must find just
that, on the right line. Usage: validate_seeds_test.py PUPC TESTDATA [-v]

A line of seeds.txt:  NUMBER | FILE | OLD | NEW [| FOUND]   (\\n is a line end; # comments)
OLD stands once in FILE (an empty OLD: NEW is added at the end; FILE `+path`: a new file with NEW; `-path`: the file goes). The finding is
expected on the line of NEW's first change; FOUND names another place: the text of its line, or PATH:TEXT."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PUPC, TESTDATA = sys.argv[1], sys.argv[2]
VERBOSE = "-v" in sys.argv
BASE = os.path.join(TESTDATA, "environment")


def findings(root):
    done = subprocess.run([PUPC, "validate", "--all", "--hints", "--jobs", "1", "--format", "json", root], capture_output=True, text=True, timeout=120)
    out = [(f["code"], os.path.relpath(f["file"], root), f["line"] or 0, f["message"]) for f in json.loads(done.stdout)]
    return done.returncode, out


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def line_with(text, part):
    at = text.find(part)
    return text.count("\n", 0, at) + 1 if at >= 0 else None


def seed(root, name, old, new):
    """Makes the change; gives its line."""
    path = os.path.join(root, name.lstrip("+-"))
    if name.startswith("-"):
        os.unlink(path)
        return 0
    if name.startswith("+"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(new)
        return 1
    text = read(path)
    if old == "":
        changed, at = text + new, len(text)
    else:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in {name}")
        at = text.find(old)
        changed = text.replace(old, new)
    with open(path, "w", encoding="utf-8") as f:
        f.write(changed)
    first = next((i for i, (a, b) in enumerate(zip(text[at:] + "\0", changed[at:] + "\0")) if a != b), 0)
    return changed.count("\n", 0, at + first) + 1


def one(number, words):
    code, name, old, new = [w.replace("\\n", "\n") for w in words[:4]]
    with tempfile.TemporaryDirectory() as d:
        root = os.path.join(d, "environment")
        shutil.copytree(BASE, root)
        try:
            line = seed(root, name, old, new)
        except (ValueError, OSError) as error:
            return f"line {number}: {error}"
        where = name.lstrip("+-")
        if len(words) > 4:
            found = words[4]
            if "@" in found and os.path.exists(os.path.join(root, found.split("@", 1)[0])):
                where, found = found.split("@", 1)
            line = line_with(read(os.path.join(root, where)), found)
        _, out = findings(root)
        if any(f[0] == int(code) and f[1] == where and f[2] == line for f in out):
            return None
        return f"line {number}: {code} not found at {where}:{line} for {new!r}; got {[(f[0], f[1], f[2], f[3][:80]) for f in out][:4]}"


def main():
    status, clean = findings(BASE)
    if clean:
        print("the environment itself is not clean:", *clean, sep="\n  ")
        return 1
    seeds = []
    with open(os.path.join(TESTDATA, "seeds.txt"), encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            if text.strip() and not text.startswith("#"):
                words = [w.removeprefix(" ").removesuffix(" ") for w in re.split(r"(?<= )\|(?= |$)", text.rstrip("\n"))]
                seeds.append((number, words))
    with ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(lambda s: one(*s), seeds) if p]
    for p in problems:
        print(p)
    kinds = {}
    for _, words in seeds:
        kinds[words[0]] = kinds.get(words[0], 0) + 1
    if VERBOSE:
        print(sorted(kinds.items()))
    print(f"{len(seeds)} seeded defects of {len(kinds)} checks, {len(problems)} not found")
    return 1 if problems or status else 0


if __name__ == "__main__":
    sys.exit(main())
