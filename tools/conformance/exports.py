#!/usr/bin/env python3
"""Exported resources, small cases: each manifest in testdata/exports has several nodes, which are compiled over one store.

  exports.py golden PUPC [NAME…]   pupc against the stored answers (testdata/exports/NAME.txt)
  exports.py update [NAME…]        writes the oracle's answers
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import oracle  # noqa: E402

CASES = HERE.parents[1] / "testdata" / "exports"


def prepare(case, work):
    """An environment with the case as its manifest, and empty facts of each of its nodes."""
    source = case.read_text()
    manifests = pathlib.Path(work, "environments/production/manifests")
    facts = pathlib.Path(work, "facts")
    for folder in (manifests, facts):
        folder.mkdir(parents=True)
    (manifests / "site.pp").write_text(source)
    for name in re.findall(r"^node '([^']+)'", source, re.M):
        (facts / f"{name}.json").write_text(json.dumps({"name": name, "values": {}}))


def rendered(nodes, work):
    """All nodes' answers as one text."""
    parts = [f"== {name}\n" + "\n".join(answers.render(nodes[name], [(f"{work}/environments/production/manifests/", "/")])) + "\n" for name in sorted(nodes)]
    return "\n".join(parts)


def ask_oracle(case):
    with tempfile.TemporaryDirectory() as work:
        prepare(case, work)
        subprocess.run([*oracle.ruby(), HERE / "oracle" / "environment.rb", f"{work}/environments", f"{work}/facts", f"{work}/out", "--store"], check=True)
        return rendered({p.stem: json.loads(p.read_text()) for p in pathlib.Path(work, "out").glob("*.json")}, work)


def ask_pupc(case, pupc):
    with tempfile.TemporaryDirectory() as work:
        prepare(case, work)
        done = subprocess.run([pupc, "compile", "--environmentpath", f"{work}/environments", "--all-nodes", f"{work}/facts", "--output", f"{work}/out", "--no-group",
                               "--store", f"{work}/store.sqlite", "--jobs", "2"], capture_output=True, text=True, check=False)
        nodes = {p.stem: {"logs": [], "error": None, "catalog": None} for p in pathlib.Path(work, "facts").iterdir()}
        for path in pathlib.Path(work, "out").glob("*.json"):
            nodes[path.stem]["catalog"] = json.loads(path.read_text())
        for line in done.stderr.splitlines():
            match = re.match(r"(Notice|Warning|Error): ([^ ]+): (.*)", line)
            if not match or match[2] not in nodes:
                continue
            answer = nodes[match[2]]
            if match[1] != "Error":
                answer["logs"].append({"level": match[1].lower(), "message": match[3]})
                continue
            place = re.search(r"\(file: ([^)]*?), line: (\d+)(?:, column: (\d+))?\)(?: on node \S+)?$", match[3])
            answer["error"] = {"message": match[3], "file": place and place[1], "line": place and int(place[2]), "column": place and place[3] and int(place[3])}
        return rendered(nodes, work)


def main():
    match sys.argv[1:]:
        case ["golden", pupc, *names]: update = False
        case ["update", *names]: update = True
        case _: sys.exit(__doc__)
    failures = 0
    for path in sorted(CASES.glob("*.pp")):
        if (names and path.stem not in names) or path.read_text().startswith("# only PuppetDB"):
            continue
        stored = path.with_suffix(".txt")
        if update:
            stored.write_text(ask_oracle(path))
            continue
        expected, actual = stored.read_text(), ask_pupc(path, pupc)
        if expected != actual:
            failures += 1
            print(f"--- {path.stem}")
            print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), "Puppet", "pupc", lineterm="", n=3)))
        else:
            print(f"{path.stem}: {expected.count(chr(10) + '== ') + 1} nodes equal")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
