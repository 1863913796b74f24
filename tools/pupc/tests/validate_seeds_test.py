#!/usr/bin/env python3
"""Seeded defects: the environment in testdata/validate is right; each line of seeds.txt changes one place of it, and validate must find just
that, on the right line. The control repository beside it lacks modules that its Puppetfile lists, and has much that only a node decides:
what is certain all the same must be found (repository_seeds.txt).
Usage: validate_seeds_test.py PUPC TESTDATA [-v]

A line of seeds.txt:  NUMBER | FILE | OLD | NEW [| FOUND]   (\\n is a line end, \\\\ a backslash; # comments)
A line `= NUMBER | FILE | TEXT`: what is found before any change, on the line of the text.
OLD stands once in FILE (an empty OLD: NEW is added at the end; FILE `+path`: a new file with NEW; `-path`: the file goes). The finding is
expected on the line of NEW's first change; FOUND names another place: the text of its line, or PATH@TEXT."""
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
SETS = [("environment", "seeds.txt"), ("repository", "repository_seeds.txt")]


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


def plain(word):
    return re.sub(r"\\\\|\\n", lambda m: "\n" if m[0] == "\\n" else "\\", word)


def one(base, number, words):
    code, name, old, new = [plain(w) for w in words[:4]]
    with tempfile.TemporaryDirectory() as d:
        root = os.path.join(d, "environment")
        shutil.copytree(base, root)
        try:
            line = seed(root, name, old, new)
        except (ValueError, OSError) as error:
            return f"line {number}: {error}"
        where = name.lstrip("+-")
        if len(words) > 4:
            found = words[4]
            if "@" in found and os.path.isfile(os.path.join(root, found.split("@", 1)[0])):
                where, found = found.split("@", 1)
            line = line_with(read(os.path.join(root, where)), found)
        _, out = findings(root)
        if any(f[0] == int(code) and f[1] == where and f[2] == line for f in out):
            return None
        return f"line {number}: {code} not found at {where}:{line} for {new!r}; got {[(f[0], f[1], f[2], f[3][:80]) for f in out][:4]}"


def check(folder, file):
    """The seeds of a file, and what is wrong with them."""
    base = os.path.join(TESTDATA, folder)
    seeds, known = [], []
    with open(os.path.join(TESTDATA, file), encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            if not text.strip() or text.startswith("#"):
                continue
            words = [w.removeprefix(" ").removesuffix(" ") for w in re.split(r"(?<= )\|(?= |$)", text.rstrip("\n"))]
            if words[0].startswith("= "):
                known.append((int(words[0][2:]), words[1], line_with(read(os.path.join(base, words[1])), words[2])))
            else:
                seeds.append((number, words))
    _, clean = findings(base)
    if sorted(f[:3] for f in clean) != sorted(known):
        return seeds, [f"{folder} by itself: " + "\n  ".join(str(f) for f in clean)]
    with ThreadPoolExecutor(2) as pool:
        problems = [f"{file}: {p}" for p in pool.map(lambda s: one(base, *s), seeds) if p]
    return seeds, problems


def main():
    seeds, problems = [], []
    for folder, file in SETS:
        more, wrong = check(folder, file)
        seeds += more
        problems += wrong
    for p in problems:
        print(p)
    kinds = {}
    for _, words in seeds:
        kinds[words[0]] = kinds.get(words[0], 0) + 1
    if VERBOSE:
        print(sorted(kinds.items()))
    print(f"{len(seeds)} seeded defects of {len(kinds)} checks, {len(problems)} not found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
