#!/usr/bin/env python3
"""`pupc fmt` over whole modules: formatting twice is formatting once, the tree stays, no comment is lost.

    format_modules.py PUPC [DIRECTORY…]      Debian's packaged modules unless directories are given

Works on copies of the manifests. The tree is compared without places (`pupc ast`); that nothing is lost, comments included, is seen from the text alone:
without white space and commas it is the same. Exits 77 where Debian's modules are not installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PUPC = sys.argv[1]
MODULES = "/usr/share/puppet/modules.available"


def copy_manifests(roots, target):
    """Copies of all manifests: {copy: original}."""
    copies = {}
    for n, root in enumerate(roots):
        for folder, _, names in os.walk(root, followlinks=False):
            if "/plans" in folder:
                continue
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(".pp") and os.path.isfile(path):
                    copy = os.path.join(target, str(n), os.path.relpath(path, root))
                    os.makedirs(os.path.dirname(copy), exist_ok=True)
                    shutil.copyfile(path, copy)
                    copies[copy] = path
    return copies


def fmt(*words):
    return subprocess.run([PUPC, "fmt", *words], capture_output=True, text=True, timeout=600)


def tree(path):
    return subprocess.run([PUPC, "ast", "--no-positions", "--no-slots", path], capture_output=True, text=True, timeout=60).stdout


def essence(path):
    with open(path, encoding="utf-8") as f:
        return re.sub(r"[\s,]+", "", f.read())


def main():
    roots = sys.argv[2:] or [MODULES]
    if not sys.argv[2:] and (not os.path.isdir(MODULES) or len(os.listdir(MODULES)) < 50):
        print("Debian's modules are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        copies = copy_manifests(roots, folder)
        first = fmt(*copies)  # by name: a .gitignore must not hide one
        again = fmt("--check", *copies)
        problems = [line for line in (first.stderr + again.stderr).splitlines()]
        problems += [f"{copies.get(line, line)}: formatting again changes it" for line in again.stdout.splitlines()]
        changed = 0
        for copy, original in copies.items():
            with open(copy, "rb") as a, open(original, "rb") as b:
                if a.read() == b.read():
                    continue
            changed += 1
            if essence(copy) != essence(original):
                problems.append(f"{original}: something is lost or added")
            # The program compares trees itself; a part of them is looked at from outside.
            if changed % 10 == 0 and tree(copy) != tree(original):
                problems.append(f"{original}: another tree")
    for p in problems:
        print(p)
    print(f"{len(copies)} manifests, {changed} changed, {len(problems)} problems")
    return 1 if problems or first.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
