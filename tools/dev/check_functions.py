#!/usr/bin/env python3
"""No function is longer than a reader can hold: at most LIMIT lines from its first to its closing one.

    check_functions.py ROOT           functions above the limit that tools/dev/long_functions.txt does not list, and rows there that are no longer needed
    check_functions.py ROOT --all     every function above the limit, longest first

It relies on clang-format: a function's closing brace stands alone, as far to the right as the function's first line. What is counted are lines of a
function in a namespace or a class; a lambda counts for the function that holds it.

A row of the list is `FILE FUNCTION: reason`, FUNCTION as the check prints it.
"""
import pathlib
import re
import sys

LIMIT = 100
COMPONENTS = ("catalog", "compiler", "runtime", "tools")
NO_FUNCTION = re.compile(r"\s*(if|else|for|while|do|switch|case|default|try|catch|namespace|class|struct|union|enum|extern|return)\b|\s*[#}]|\s*(public|private|protected):")
CONTINUES = re.compile(r"[;{}]\s*$|^\s*$|^\s*(//|#|public:|private:|protected:)")


def without_text(source):
    """The source with its comments and literals blanked, the lines kept."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    return re.sub(r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', blank, source, flags=re.S)


def indent(line):
    return len(line) - len(line.lstrip())


def functions(source):
    """(name, first line, last line) of each function, lines counted from 1."""
    lines = without_text(source).split("\n")
    end = 0
    for i, line in enumerate(lines):
        if i < end or not line.rstrip().endswith("{"):
            continue
        start = i
        while start > 0 and not CONTINUES.search(lines[start - 1]):
            start -= 1
        head = " ".join(lines[start:i + 1])
        name = re.search(r"([\w:~]+|operator\s*[^\s\w(]+|operator\(\))\s*\(", head)
        if NO_FUNCTION.match(head) or not name or re.search(r"=\s*\{?\s*$|=[^=(]*\{$", head.split("(")[0]):
            continue
        closing = " " * indent(lines[start]) + "}"
        last = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == closing), None)
        if last is None:
            continue
        yield re.sub(r"\s", "", name[1]), start + 1, last + 1
        end = last


def long_functions(root):
    for component in COMPONENTS:
        for path in sorted((root / component).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                for name, first, last in functions(path.read_text(errors="replace")):
                    if last - first + 1 > LIMIT:
                        yield f"{path.relative_to(root)} {name}", last - first + 1


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = dict(long_functions(root))
    if "--all" in sys.argv:
        for name, length in sorted(found.items(), key=lambda row: -row[1]):
            print(f"{length:4} {name}")
        return 0
    listed = {}
    for line in (root / "tools/dev/long_functions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            listed[name] = reason
    bad = [f"{name} has {length} lines: divide it where a part has a name (at most {LIMIT})" for name, length in found.items() if name not in listed]
    bad += [f"{name} is listed in tools/dev/long_functions.txt and no longer above {LIMIT} lines: take the row out" for name in listed if name not in found]
    bad += [f"{name} is listed without a reason" for name, reason in listed.items() if not reason]
    print("\n".join(bad + [f"{len(found)} functions above {LIMIT} lines, {len(listed)} listed"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
