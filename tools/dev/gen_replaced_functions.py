#!/usr/bin/env python3
"""Writes compiler/stdlib/replaced_functions.inc anew from a table of all versions of modules' functions.

    gen_replaced_functions.py INDEX > compiler/stdlib/replaced_functions.inc

INDEX: columns module, function, kind, digest, first_tag, last_tag, group, separated by tabs, with their names in the first line; `group` is the same for
versions whose syntax trees are the same. The present file says which program each native function replaces. A version of the same function and group
joins it; one of a new group is named on standard error, for somebody to compare (tools/conformance/function_programs.py) and to add by hand.
"""
import csv
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parent.parent.parent / "compiler" / "stdlib" / "replaced_functions.inc"


def tags(row):
    first, last = row["first_tag"].lstrip("v"), row["last_tag"].lstrip("v")
    return f"{row['kind'][0]}.x, {first}" + (f" to {last}" if last != first else "")


def main():
    text = TABLE.read_text(encoding="utf-8")
    known = {(name, digest): variant for name, variant, digest in re.findall(r'^\{"([^"]+)", "([^"]*)", 0x([0-9a-f]{16})\}', text, re.M)}
    names = {name for name, _ in known}
    with open(sys.argv[1], encoding="utf-8", newline="") as f:
        rows = [row for row in csv.DictReader(f, delimiter="\t") if row["function"] in names and row["kind"] in ("3x", "4x")]
    variants = {(row["function"], row["kind"], row["group"]): known[(row["function"], row["digest"])] for row in rows if (row["function"], row["digest"]) in known}
    lines = {}
    for row in rows:
        variant = variants.get((row["function"], row["kind"], row["group"]))
        if variant is None:
            print(f"{row['function']} {row['digest']} ({tags(row)}): no known program has this syntax tree", file=sys.stderr)
            continue
        key = (row["function"], row["digest"])
        lines[key] = lines.get(key) or f'{{"{row["function"]}", "{variant}", 0x{row["digest"]}}}, // {tags(row)}'
    for (name, digest) in known.keys() - lines.keys():
        print(f"{name} {digest}: the table of versions does not have it", file=sys.stderr)
    comment = "".join(line + "\n" for line in text.split("\n") if line.startswith("//"))
    order = {key: place for place, key in enumerate(known)}
    sys.stdout.write(comment + "".join(lines[key] + "\n" for key in sorted(lines, key=lambda key: (key[0], order.get(key, len(order)), key[1]))))


if __name__ == "__main__":
    main()
