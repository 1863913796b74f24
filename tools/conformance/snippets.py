#!/usr/bin/env python3
"""Snippets: one-line manifests by the thousand, with Puppet's answers.

    snippets.py golden [FILTER…]        pupc against the stored answers (no oracle needed)
    snippets.py update [FILTER…]        ask the oracle for answers that are missing; --all: for all
    snippets.py add FILE [< LINES]      append snippets (JSON objects with `code`, from stdin) that FILE does not hold yet

Files are testdata/{language,functions}/*.jsonl, one JSON object a line:

    {"code": …, "settings": {"strict": …, "strict_variables": …}, "expected": {"logs": […], "error": {"message", "line", "column"}},
     "puppet8": true, "differs": reason}

`settings`, `puppet8` and `differs` are optional. `expected` has `error` when the compile fails, else `catalog` (the lines of answers.py that
are not logs; left out when there are none). With `puppet8` the answer is kept by hand, because the oracle at hand is older. `differs` says why
pupc's answer is another one; it counts as a failure that is known. A filter is a part of a snippet's id, `FOLDER/FILE:LINE`.
golden also tells how many of the errors have Puppet's text, line and column (known differences count as differences here).
The last line is `N passed, M failed, K skipped`; exit 0 when nothing failed.
"""

import argparse
import glob
import json
import os
import sys

import answers
import compare
import error_count
import oracle
import pupc

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTDATA = os.path.join(ROOT, "testdata")
FOLDERS = ["language", "functions"]
LOG_LEVELS = ("debug", "info", "notice", "warning", "err", "alert", "crit", "emerg")


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def write(path, snippets):
    order = ["code", "settings", "puppet8", "differs", "expected"]
    with open(path, "w", encoding="utf-8") as f:
        for s in snippets:
            f.write(json.dumps({k: s[k] for k in order if k in s}, ensure_ascii=False) + "\n")


def load(filters):
    """[(path, snippets of the file, [(id, snippet)] chosen)]"""
    files = []
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(TESTDATA, folder, "*.jsonl"))):
            name = f"{folder}/{os.path.basename(path)[:-6]}"
            snippets = read(path)
            chosen = [(f"{name}:{n}", s) for n, s in enumerate(snippets, 1)]
            files.append((path, snippets, [c for c in chosen if not filters or any(f in c[0] for f in filters)]))
    return files


def request_of(snippet_id, snippet):
    return {"id": snippet_id, "code": snippet["code"], **snippet.get("settings", {})}


def expected_of(answer):
    """The stored form of an answer of the runners."""
    lines = answers.render(answer)
    found = {"logs": [line for line in lines if line.split(": ")[0] in LOG_LEVELS]}
    if answer.get("error"):
        e = answer["error"]
        found["error"] = {"message": answers.message_text(e["message"]), "line": e.get("line"), "column": e.get("column")}
    else:
        catalog = [line for line in lines if line.split(": ")[0] not in LOG_LEVELS and line != "ok"]
        if catalog:
            found["catalog"] = catalog
    return found


def lines_of(expected):
    """An answer in its stored form as the lines that compare.py takes."""
    lines = list(expected.get("logs", []))
    if "error" in expected:
        return lines + answers.render({"error": expected["error"]})
    return lines + (expected.get("catalog") or ([] if lines else ["ok"]))


def golden(options):
    passed = failed = known = skipped = 0
    causes = {}
    files = load(options.filters)
    chosen = [c for _, _, found in files for c in found]
    asked = [(i, s) for i, s in chosen if "expected" in s]
    skipped = len(chosen) - len(asked)
    given = pupc.compile_all(options.pupc, [request_of(i, s) for i, s in asked], timeout=300)
    errors = error_count.ErrorCount()
    for (snippet_id, snippet), answer in zip(asked, given):
        found = expected_of(answer)
        errors.add(snippet["expected"].get("error"), found.get("error"))
        expected, actual = lines_of(snippet["expected"]), lines_of(found)
        differing = compare.differences(expected, actual)
        if not differing:
            passed += 1
            if "differs" in snippet:
                print(f"PASSES though it is said to differ: {snippet_id}")
                if options.prune:
                    del snippet["differs"]
        elif "differs" in snippet:
            known += 1
        else:
            failed += 1
            for cause in differing:
                causes[cause] = causes.get(cause, 0) + 1
            if failed <= options.limit:
                print(f"FAIL {snippet_id}: {', '.join(differing)}\n    | {snippet['code']}   {json.dumps(snippet['settings']) if 'settings' in snippet else ''}")
                print("".join(f"    {line}\n" for line in compare.diff_text(expected, actual).splitlines()[2:]), end="")
    if options.prune:
        for path, snippets, _ in files:
            write(path, snippets)
    if causes:
        print("differences: " + ", ".join(f"{n} {cause}" for cause, n in sorted(causes.items(), key=lambda kv: -kv[1])))
    if errors.total:
        print(errors.report())
    if known:
        print(f"{known} are known to differ (`differs` names the reason), not counted below")
    print(f"{passed} passed, {failed} failed, {skipped + known} skipped")
    return 1 if failed else 0


def update(options):
    if not oracle.available():
        sys.exit("the oracle (puppet-agent) is not installed")
    asked = changed = 0
    for path, snippets, chosen in load(options.filters):
        todo = [(i, s) for i, s in chosen if not s.get("puppet8") and (options.all or "expected" not in s)]
        if not todo:
            continue
        asked += len(todo)
        for (_, snippet), answer in zip(todo, oracle.compile_all([request_of(i, s) for i, s in todo], options.jobs)):
            found = expected_of(answer)
            changed += found != snippet.get("expected")
            snippet["expected"] = found
        write(path, snippets)
    print(f"{changed} of {asked} answers changed")
    return 0


def add(options):
    path = options.filters[0]
    held = read(path) if os.path.exists(path) else []
    seen = {(s["code"], json.dumps(s.get("settings"), sort_keys=True)) for s in held}
    count = len(held)
    for line in sys.stdin:
        snippet = json.loads(line)
        key = (snippet["code"], json.dumps(snippet.get("settings"), sort_keys=True))
        if key not in seen:
            seen.add(key)
            held.append(snippet)
    write(path, held)
    print(f"{len(held) - count} added, {len(held)} held")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["golden", "update", "add"])
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    parser.add_argument("--pupc", default=os.path.join(ROOT, "build", "release", "pupc"), help="the binary (build/release/pupc)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="processes of the oracle")
    parser.add_argument("--limit", type=int, default=60, help="show at most so many failures")
    parser.add_argument("--all", action="store_true", help="update: ask for all answers, not only missing ones")
    parser.add_argument("--prune", action="store_true", help="golden: take `differs` from snippets that pass")
    oracle.add_library_option(parser)
    options = parser.parse_args()
    return {"golden": golden, "update": update, "add": add}[options.mode](options)


if __name__ == "__main__":
    sys.exit(main())
