#!/usr/bin/env python3
"""Small promises about files that nothing else would notice.

    check_files.py ROOT

- Each folder of testdata has a row in testdata/README.md, and each row names folders that are there.
- A script of tools or testdata that begins with `#!` may be executed, and what may be executed begins so. (What lies deeper in testdata is
  input of tests and may be anything.)
- A source's name stands once, so that a name in a message or a note leads to one file. (A program's `main.cpp` may.)
- No algorithm of std::ranges that gives a subrange is called: clang 14, which the fuzzers need, cannot compile them.
- CHANGELOG.md and the rpm's spec tell the version that CMakeLists.txt tells.
"""
import pathlib
import re
import sys


def testdata_rows(root):
    rows = set()
    for line in (root / "testdata/README.md").read_text().splitlines():
        if line.startswith("| `"):
            rows |= set(re.findall(r"`([^`]+)`", line.split("|")[1]))
    folders = {path.name for path in (root / "testdata").iterdir() if path.is_dir()}
    yield from (f"testdata/{name} has no row in testdata/README.md" for name in sorted(folders - rows))
    yield from (f"testdata/README.md has a row of {name}, which is not there" for name in sorted(rows - folders))


def executables(root):
    for path in sorted([*root.glob("tools/**/*"), *root.glob("testdata/*/*")]):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        with open(path, "rb") as f:
            script = f.read(2) == b"#!"
        if script != bool(path.stat().st_mode & 0o111):
            yield f"{path.relative_to(root)} " + ("begins with #! and may not be executed: chmod +x" if script else "may be executed and does not begin with #!")


def names_twice(root):
    places = {}
    for top in ("catalog", "compiler", "runtime", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cpp", ".h", ".rb", ".py", ".def", ".inc") and path.name != "main.cpp" and "__pycache__" not in path.parts:
                places.setdefault(path.name, []).append(str(path.relative_to(root)))
    yield from (f"one name for several files: {', '.join(found)}" for found in places.values() if len(found) > 1)


def subranges(root):
    calls = re.compile(r"ranges::(unique|remove|remove_if|equal_range|rotate|partition|stable_partition|search|search_n|find_end)\(")
    for top in ("catalog", "compiler", "runtime", "tools"):
        for path in sorted((root / top).rglob("*.[ch]*")):
            if path.suffix in (".cpp", ".h"):
                yield from (f"{path.relative_to(root)} calls {m[0]}), which clang 14 cannot compile" for m in calls.finditer(path.read_text()))


def versions(root):
    version = re.search(r"project\(pupc VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    spec = re.search(r"^Version:\s*(\S+)", (root / "tools/package/pupc.spec").read_text(), re.M)[1]
    log = re.search(r"^## (\d\S*)", (root / "tools/package/CHANGELOG.md").read_text(), re.M)[1]
    for name, told in (("pupc.spec", spec), ("CHANGELOG.md", log)):
        if told != version:
            yield f"tools/package/{name} tells version {told}, CMakeLists.txt {version}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    bad = [*testdata_rows(root), *executables(root), *names_twice(root), *subranges(root), *versions(root)]
    print("\n".join(bad + [f"{len(bad)} mistakes"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
