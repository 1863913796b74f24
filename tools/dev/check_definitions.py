#!/usr/bin/env python3
"""Fails when a name of ours has two definitions: a class that two files define in one namespace, or a symbol that one object file defines for all and
another as inline (weak). The linker says nothing of either: it takes one of them, and which depends on what the compiler made inline.

Usage: check_definitions.py ROOT [BUILD]      with BUILD the objects of its archives are looked at, too"""
import pathlib
import re
import subprocess
import sys

TOPS = ("catalog", "compiler", "runtime", "tools")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{(?P<closed>\s*\})?")
CLASS = re.compile(r"^(?:template <.*> )?(?:class|struct|union|enum class|enum)(?: alignas\([^)]*\))? (\w+)(?: final)?(?: : [^;{]*)?\s*\{")


def definitions(text):
    """The classes that stand directly in a named namespace, with it: `pupc::runtime::Transaction`."""
    spaces, found = [], []
    for line in text.splitlines():
        if m := NAMESPACE.match(line):
            if not m.group("closed"):
                spaces.append(m.group(1))
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        elif (m := CLASS.match(line)) and spaces and None not in spaces:
            found.append("::".join(spaces) + "::" + m.group(1))
    return found


def check_classes(root):
    places, bad = {}, 0
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp") and "testdata" not in path.parts:
                for name in definitions(path.read_text(errors="replace")):
                    places.setdefault(name, set()).add(path.relative_to(root))
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            print(f"{name} is defined in {' and '.join(sorted(map(str, paths)))}: give one another name, or an unnamed namespace")
            bad += 1
    return bad


def check_symbols(build):
    """Symbols of pupc that are global in one object and weak in another, or global in two."""
    kinds = {}
    archives = sorted(p for p in build.rglob("lib*.a") if not p.name.startswith(("libpupc_fmt", "libgtest")))
    for archive in archives:
        done = subprocess.run(["nm", "-o", "--defined-only", archive], capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            m = re.match(r".*?:([^:]+):\S*\s+([TDBRWVu]) (_Z\S*4pupc\S*)$", line)
            if m:
                kinds.setdefault(m.group(3), {}).setdefault("weak" if m.group(2) in "WVu" else "global", set()).add(f"{archive.name}({m.group(1)})")
    bad = 0
    for symbol, by in sorted(kinds.items()):
        globals_ = sorted(by.get("global", ()))
        if len(globals_) > 1 or (globals_ and "weak" in by):
            name = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=False).stdout.strip() or symbol
            print(f"{name} is defined in {', '.join(globals_ + sorted(by.get('weak', ()))[:3])}")
            bad += 1
    return bad, len(kinds)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    bad = check_classes(root)
    seen = 0
    if len(sys.argv) > 2:
        more, seen = check_symbols(pathlib.Path(sys.argv[2]).resolve())
        bad += more
        if seen == 0:
            print("no symbol of pupc was found in the build folder")
            bad += 1
    print(f"definitions: {bad} twice" + (f", {seen} symbols" if seen else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
