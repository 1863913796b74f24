#!/usr/bin/env python3
"""Whole modules applied to real nodes (systemd as pid 1): the scenarios of testdata/nodes, run by a kit that is no part of the project.

    node_scenarios.py KIT BASE --pupc BIN [--only REGEX] …   pupc against the answers stored in testdata/nodes/expected
    node_scenarios.py KIT BASE --record [--only REGEX]       stores Puppet's answers there
    node_scenarios.py check                                  every scenario can be read; nothing is run

KIT is the kit's folder (its run.py does the work; all further words are its options), BASE the root that its setup.sh made. The kit's README
describes the form of a scenario. A scenario without a stored answer is run and only told. It needs root, namespaces and an overlay file system.
A line `files: FOLDER` in a scenario's head adds the files of testdata/nodes/FOLDER, a control repository, as the node's production environment.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "nodes"


def scenarios():
    return sorted(DATA.glob("*.scn"))


def with_files(text):
    """The scenario's text with the files of the folder that its head names, as parts of it."""
    named = re.match(r"(?:.*\n)*?files: (\S+)\n", text.split("\n=== ")[0] + "\n")
    if named is None:
        return text
    folder = DATA / named[1]
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        text += f"=== file environments/production/{path.relative_to(folder)}\n{path.read_text(encoding='utf-8')}"
    return text


def check():
    bad = 0
    for path in scenarios():
        parts = [line[4:].split()[0] for line in with_files(path.read_text(encoding="utf-8")).splitlines()
                 if line.startswith("=== ")]
        unknown = set(parts) - {"setup", "manifest", "between", "probe", "file"}
        if "manifest" not in parts or unknown:
            print(f"{path.name}: {'no manifest' if 'manifest' not in parts else 'unknown part ' + ', '.join(sorted(unknown))}")
            bad += 1
    for stored in sorted((DATA / "expected").glob("*.json.xz")):
        if not (DATA / (stored.name.removesuffix(".json.xz") + ".scn")).exists():
            print(f"expected/{stored.name}: no such scenario")
            bad += 1
    print(f"{len(scenarios())} scenarios, {bad} wrong")
    return 1 if bad else 0


def main():
    if sys.argv[1:] == ["check"]:
        return check()
    # KIT and BASE may stand behind the options, as suites.py gives them.
    folders = [word for word in sys.argv[1:] if os.path.isdir(word)]
    options = [word for word in sys.argv[1:] if word not in folders]
    if len(folders) != 2 or not options:
        print(__doc__)
        return 2
    kit, base = pathlib.Path(folders[0]).resolve(), folders[1]
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder)
        for item in kit.iterdir():
            if item.name not in ("scenarios", "expected"):
                os.symlink(item, run / item.name)
        (run / "scenarios").mkdir()
        for path in scenarios():
            (run / "scenarios" / path.name).write_text(with_files(path.read_text(encoding="utf-8")), encoding="utf-8")
        (DATA / "expected").mkdir(exist_ok=True)
        os.symlink(DATA / "expected", run / "expected")
        return subprocess.run([sys.executable, run / "run.py", *options, "--base", base], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
