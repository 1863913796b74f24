#!/usr/bin/env python3
"""The checks of style over Debian's packaged modules.

    style_modules.py compare PUPC [--every N]    what puppet-lint finds and what pupc finds, by file, line, column and check
    style_modules.py answers                     what puppet-lint finds in the manifests of testdata/style/cases.jsonl, written there
    style_modules.py fix PUPC [MODULEPATH] [--ruby]  `validate --fix` and `fmt` leave every catalog as it was: each class, compiled before and after

`compare` prints, for each check, how many findings both have, and those that one has alone; it fails when they are not the same but for KNOWN. `fix`
works on a copy at one path, so that catalogs may be compared whole. Exits 77 without puppet-lint or without the modules.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MODULES = "/usr/share/puppet/modules.available"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Off in puppet-lint unless asked for.
QUIET = ["80chars", "quoted_booleans", "class_inherits_from_params_class", "code_on_top_scope"]
LINES = r'(line: |"line":)\d+|Line: \d+'
# Newer than Debian's puppet-lint, or of what is a syntax error.
NEWER = {"legacy_facts", "top_scope_facts", "space_before_arrow", "check_unsafe_interpolations", "slash_comments"}


def manifests(root):
    out = []
    for folder, _, names in os.walk(root):
        if "/plans" not in folder:
            out += [os.path.join(folder, name) for name in names if name.endswith(".pp") and os.path.isfile(os.path.join(folder, name))]
    return sorted(out)


def of_puppet_lint(files):
    found = collections.Counter()
    for i in range(0, len(files), 50):
        done = subprocess.run(["puppet-lint", "--no-config", *(f"--{c}-check" for c in QUIET), "--log-format", "%{path}\t%{line}\t%{column}\t%{check}",
                               *files[i:i + 50]], capture_output=True, text=True, timeout=600)
        found.update(tuple(line.split("\t")) for line in done.stdout.splitlines() if line.count("\t") == 3)
    return found


def of_pupc(pupc, files, names):
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "rc")
        with open(config, "w", encoding="utf-8") as f:
            f.write("--only-checks=" + ",".join(names) + "\n")
        done = subprocess.run([pupc, "validate", "--syntax-only", "--style-config", config, "--format", "json", *files], capture_output=True, text=True, timeout=600)
    found = collections.Counter()
    for f in json.loads(done.stdout):
        if f["check"] in names:
            found[(f["file"], str(f["line"]), str(f["column"]), f["check"])] += 1
    return found


def renamed(path):
    """Whether a file's module has another name, in its metadata, than its folder. puppet-lint goes by the folder's name; the autoloader's is the module's."""
    folder = os.path.relpath(path, MODULES).split(os.sep)[0]
    try:
        with open(os.path.join(MODULES, folder, "metadata.json"), encoding="utf-8") as f:
            return re.split("[-/]", json.load(f)["name"], maxsplit=1)[-1] != folder
    except (OSError, ValueError, KeyError):
        return False


def compare(pupc, every):
    if shutil.which("puppet-lint") is None:
        print("puppet-lint is not installed")
        return 77
    files = manifests(MODULES)[::every]
    doc = subprocess.run([pupc, "doc", "checks"], capture_output=True, text=True, timeout=60).stdout
    names = [n for n in re.findall(r"^### 89\d\d (\S+)$", doc, re.M) if n not in NEWER]
    theirs, ours = of_puppet_lint(files), of_pupc(pupc, files, names)
    for key in [key for key in theirs if key[3] == "autoloader_layout" and key not in ours and renamed(key[0])]:
        del theirs[key]
    failed = 0
    for name in sorted({k[3] for k in theirs} | set(names)):
        a = collections.Counter({k: n for k, n in theirs.items() if k[3] == name})
        b = collections.Counter({k: n for k, n in ours.items() if k[3] == name})
        only_a, only_b = a - b, b - a
        print(f"{name}: both {sum((a & b).values())}, only puppet-lint {sum(only_a.values())}, only pupc {sum(only_b.values())}")
        failed += sum(only_a.values()) + sum(only_b.values())
        for sign, only in (("-", only_a), ("+", only_b)):
            for path, line, column, _ in sorted(only)[:5]:
                print(f"  {sign} {path}:{line}:{column}")
    print(f"{len(files)} manifests, {sum(theirs.values())} findings of puppet-lint, {sum(ours.values())} of pupc, {failed} not the same")
    return 1 if failed else 0


def answers():
    path = os.path.join(ROOT, "testdata", "style", "cases.jsonl")
    with open(path, encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{i}.pp") for i in range(len(cases))]
        for file, case in zip(files, cases):
            with open(file, "w", encoding="utf-8") as f:
                f.write(case["code"])
        found = of_puppet_lint(files)
        for file, case in zip(files, cases):
            # Of code in a class for this test alone code outside of classes is of no interest.
            quiet = {"autoloader_layout"} | ({"code_on_top_scope"} if case["code"].startswith("# doc\n") else set())
            own = sorted((int(k[1]), int(k[2]), k[3]) for k, n in found.items() for _ in range(n) if k[0] == file and k[3] not in quiet)
            case["found"] = [f"{line}:{column} {check}" for line, column, check in own]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    return 0


def catalogs(pupc, requests, modulepath, ruby):
    done = subprocess.run([pupc, "compile", "--batch", "-", "--modulepath", modulepath, "--ruby", ruby], input="\n".join(requests) + "\n",
                          capture_output=True, text=True, timeout=1800)
    out = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        line = re.sub(r'"(version|catalog_uuid|code_id)":("[^"]*"|\d+|null)', "", line)
        out[answer["id"]] = re.sub(r'(column: |"column":)\d+', r"\1", line)  # of errors: what stands behind an arrow may move
    return out


def fix(pupc, modules, ruby):
    if not os.path.isdir(modules):
        print("no modules")
        return 77
    with open(os.path.join(ROOT, "testdata", "facts", "debian12.json"), encoding="utf-8") as f:
        facts = json.load(f)
    facts = facts.get("values", facts)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "modules")
        os.mkdir(copy)
        for name in sorted(os.listdir(modules)):
            # A folder is named as the module in it, for the autoloader.
            short = re.sub(r"^(puppet-module-|puppetlabs-|puppet-)", "", name)
            short = short.split("-", 1)[-1] if "-" in short else short
            if not os.path.exists(os.path.join(copy, short)) and os.path.isdir(os.path.join(modules, name)):
                shutil.copytree(os.path.join(modules, name), os.path.join(copy, short), symlinks=False, ignore_dangling_symlinks=True,
                                ignore=shutil.ignore_patterns("spec", "docs", "releasenotes", ".git"))
        files = manifests(copy)
        requests, before_text = [], {}
        for path in files:
            with open(path, encoding="utf-8") as f:
                before_text[path] = f.read()
            for name in re.findall(r"^\s*class\s+(?:::)?([a-z]\w*(?:::\w+)*)", before_text[path], re.M):
                requests.append(json.dumps({"id": name, "node": "web1.example.com", "code": f"include {name}", "facts": facts}))
        before = catalogs(pupc, requests, copy, ruby)
        done = subprocess.run([pupc, "validate", "--fix", "--syntax-only", "--style-config", "/dev/null", "--format", "json", copy],
                              capture_output=True, text=True, timeout=600)
        changed = 0
        for path in files:
            with open(path, encoding="utf-8") as f:
                changed += f.read() != before_text[path]
        after = catalogs(pupc, requests, copy, ruby)
        # What the formatter writes holds the same tree; only lines move.
        formatting = subprocess.run([pupc, "fmt", copy], capture_output=True, text=True, timeout=600)
        formatted = catalogs(pupc, requests, copy, ruby)
    differing = [name for name in before if before[name] != after.get(name)]
    moved = [name for name in before if re.sub(LINES, "", before[name]) != re.sub(LINES, "", formatted.get(name, ""))]
    for name in differing[:20]:
        print(f"another answer: {name}")
        a, b = before[name], after.get(name, "")
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"  - …{a[max(0, at - 60):at + 100]}\n  + …{b[max(0, at - 60):at + 100]}")
    for line in done.stderr.splitlines():
        print(line)
    compiled = sum('"catalog":{' in a for a in before.values())
    for name in moved[:20]:
        print(f"another answer when formatted: {name}")
    print(f"{len(files)} manifests, {changed} changed; {len(before)} classes, {compiled} with a catalog, {len(differing)} with another answer, "
          f"{len(moved)} when formatted")
    return 1 if differing or moved or formatting.returncode or not compiled or not changed or "Warning" in done.stderr else 0


def main():
    if sys.argv[1:] == ["answers"]:
        return answers()
    command, pupc = sys.argv[1], sys.argv[2]
    if not os.path.isdir(MODULES) or len(os.listdir(MODULES)) < 50:
        print("Debian's modules are not installed")
        return 77
    if command == "compare":
        return compare(pupc, int(sys.argv[4]) if "--every" in sys.argv else 1)
    ruby = "auto" if "--ruby" in sys.argv else "never"
    paths = [w for w in sys.argv[3:] if not w.startswith("--")]
    return fix(pupc, paths[0] if paths else MODULES, ruby)


if __name__ == "__main__":
    sys.exit(main())
