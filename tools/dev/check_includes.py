#!/usr/bin/env python3
"""Sources must name what they use: the precompiled header hides what is missing, until someone builds without it.

    check_includes.py ROOT              quick: files that use a library whose header neither they nor their own header include
    check_includes.py ROOT --fix        the same, and adds the includes
    check_includes.py ROOT --compile    thorough: compiles each header and source by itself, without the precompiled header (minutes)
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOMS = ("catalog", "compiler", "runtime", "tools")
# What is used, and the header that has it.
USES = {
    re.compile(r"\bfmt::(format|print|join|format_to|format_to_n|memory_buffer)\b"): "<fmt/format.h>",
    re.compile(r"\bstd::unordered_(map|multimap)\b"): "<unordered_map>",
    re.compile(r"\bstd::optional\b|\bstd::nullopt\b"): "<optional>",
    re.compile(r"\bstd::function\b"): "<functional>",
    re.compile(r"\bstd::(sort|find|find_if|any_of|all_of|none_of|stable_sort|lower_bound|remove_if|reverse)\("): "<algorithm>",
}
SAME = {"<fmt/format.h>": ("<fmt/format.h>", "<fmt/chrono.h>", "<fmt/ranges.h>", "<fmt/args.h>", "<fmt/printf.h>")}


def sources(root):
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                yield path


def code_of(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def reachable(root, path, seen):
    """Library headers that a file includes, directly or through headers of the project."""
    if path in seen:
        return seen[path]
    seen[path] = set()
    out = set()
    for name in re.findall(r'^#include (\S+)', path.read_text(errors="replace"), flags=re.M):
        if name.startswith("<"):
            out.add(name)
        elif (root / name.strip('"')).is_file():
            out |= reachable(root, root / name.strip('"'), seen)
    seen[path] = out
    return out


def missing(root):
    seen = {}
    for path in sources(root):
        code = code_of(path.read_text(errors="replace"))
        have = reachable(root, path, seen)
        for use, header in USES.items():
            if use.search(code) and not any(h in have for h in SAME.get(header, (header,))):
                yield path, header


def add(path, header):
    """Puts the include into the block of library headers, which clang-format sorts."""
    lines = path.read_text().split("\n")
    library = [i for i, line in enumerate(lines) if line.startswith("#include <")]
    own = [i for i, line in enumerate(lines) if line.startswith('#include "')]
    if library:
        lines.insert(library[0], f"#include {header}")
    elif own:
        lines[own[-1] + 1:own[-1] + 1] = ["", f"#include {header}"]
    else:
        at = next(i for i, line in enumerate(lines) if not line.startswith(("//", "#pragma")))
        lines[at:at] = [f"#include {header}", ""]
    path.write_text("\n".join(lines))
    subprocess.run(["clang-format", "-i", str(path)], check=False)


def compile_one(root, path):
    command = ["c++", "-std=c++20", "-fsyntax-only", "-I", str(root), "-x", "c++", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    return path, done.stderr if done.returncode != 0 else ""


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--compile" in sys.argv:
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for path, errors in pool.map(lambda p: compile_one(root, p), list(sources(root))):
                if errors:
                    bad += 1
                    print(f"{path.relative_to(root)}:\n{errors[:600]}")
        print(f"{bad} files do not compile by themselves")
        return 1 if bad else 0
    found = list(missing(root))
    for path, header in found:
        print(f"{path.relative_to(root)} uses what {header} has and does not include it")
        if "--fix" in sys.argv:
            add(path, header)
    print(f"{len(found)} includes missing")
    return 1 if found and "--fix" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
