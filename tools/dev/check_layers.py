#!/usr/bin/env python3
"""Fails when a room includes a header of a room it may not see (rules: layers.txt beside this file)."""
import pathlib
import re
import sys


def load_rules(path):
    direct, generated, tests = {}, set(), {}
    for line in path.read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        room, _, rest = line.partition(":")
        if room == "generated":
            generated = set(rest.split())
        elif room.startswith("tests of "):
            tests[room.removeprefix("tests of ").strip()] = rest.split()
        else:
            direct[room.strip()] = rest.split()
    closed = {}

    def close(room):
        if room not in closed:
            closed[room] = {room}
            for dep in direct.get(room, []):
                closed[room] |= close(dep)
        return closed[room]

    for room in direct:
        close(room)
    return closed, generated, {room: set().union(*(closed[dep] for dep in deps)) for room, deps in tests.items()}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rules, generated, tests = load_rules(root / "tools/dev/layers.txt")
    bad = 0
    heavy = re.compile(r"antlr4-runtime\.h|nlohmann/json\.hpp")
    for top in ("catalog", "ruby", "compiler", "runtime", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cc", ".def"):
                continue
            rel = path.relative_to(root)
            room = "/".join(rel.parts[:2])
            if room not in rules:
                print(f"{rel}: room {room} is not in layers.txt")
                bad += 1
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                m = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                if not m:
                    continue
                target = m.group(1)
                if path.suffix == ".h" and heavy.search(target):
                    print(f"{rel}:{number}: {target} is too heavy for a header")
                    bad += 1
                if re.match(r"Puppet(Parser|Lexer)\w*\.h$", target) and room not in generated:
                    print(f"{rel}:{number}: generated parser code belongs to compiler/parse alone")
                    bad += 1
                parts = target.split("/")
                if len(parts) >= 2 and parts[0] in ("catalog", "ruby", "compiler", "runtime", "tools"):
                    other = "/".join(parts[:2])
                    if other not in rules[room] and not (path.name.endswith("_test.cpp") and other in tests.get(room, ())):
                        print(f"{rel}:{number}: {room} may not include {other}")
                        bad += 1
    print(f"layer check: {bad} violation(s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
