#!/usr/bin/env python3
"""Fails where the worker's Ruby code and ruby_protocol.def disagree: a request without its method or with other members, a callback that is
not in the table, has more members than there, or that nobody uses. (The C++ side does not build then.) Usage: ruby_protocol_test.py"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def table():
    rows = {"REQUEST": {}, "CALLBACK": {}}
    for kind, members in re.findall(r"^RUBY_(REQUEST|CALLBACK)\(([^)]*)\)", (HERE / "ruby_protocol.def").read_text(), re.M):
        name, *rest = [m.strip() for m in members.split(",")]
        rows[kind][name] = rest
    return rows["REQUEST"], rows["CALLBACK"]


def arguments(text, start):
    """How many arguments a call has whose opening parenthesis is before `start`."""
    depth, count = 1, 1
    for c in text[start:]:
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return count
        count += c == "," and depth == 1
    return count


def main():
    requests, callbacks = table()
    bad, used = [], set()
    text = "\n".join(path.read_text() for path in sorted((HERE.parent / "facade").glob("*.rb")))
    for name, members in requests.items():
        if name == "again":
            continue
        method = re.search(rf"def on_{name}\(([^)]*)\)", text)
        if not method:
            bad.append(f"no method on_{name} for the request '{name}'")
        elif "*" not in method.group(1) and "..." not in method.group(1) and len(method.group(1).split(",")) != len(members):
            bad.append(f"on_{name} takes {method.group(1)}, the request has {', '.join(members)}")
    for call in re.finditer(r"callback\(:(\w+)", text):
        name = call.group(1)
        used.add(name)
        count = arguments(text, call.end()) - 1
        if name not in callbacks:
            bad.append(f"the callback '{name}' is not in the table")
        elif count > len(callbacks[name]):
            bad.append(f"a callback '{name}' has {count} members, the table {len(callbacks[name])}")
    bad += [f"nobody uses the callback '{name}'" for name in callbacks if name not in used]
    print("\n".join(bad) or f"{len(requests)} requests and {len(callbacks)} callbacks agree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
