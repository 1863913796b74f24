#!/usr/bin/env python3
"""Fails when a page names a file or folder of the project that is not there. A reference is a word in backticks, or a path in a comment of the code, that begins with a top
folder (`compiler/eval/evaluator.h`), and in a README also a path from its folder or the one above, or the bare name of a source, which stands once (check_files.py). Usage: check_references.py [ROOT]"""
import pathlib
import re
import sys

TOPS = ("catalog", "compiler", "grammar", "runtime", "testdata", "tools")
SOURCE = re.compile(r"[a-z_0-9]+\.(h|cpp|def)")
PATH = re.compile(r"(?<![\w./$:-])((?:" + "|".join(TOPS) + r")/[\w./-]*\w)")


def sources(root):
    return {path.name for top in TOPS for path in (root / top).rglob("*") if SOURCE.fullmatch(path.name)}


def exists(root, base, path, known):
    """Whether the file or folder is there, or one whose name goes on with a point (`compiler/eval/calls`)."""
    if SOURCE.fullmatch(path):
        return path in known
    return any((at / path).exists() or any((at / path).parent.glob(pathlib.Path(path).name + ".*")) for at in (root, base, base.parent))


def references(path, text):
    """(line number, path) of each reference."""
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            parts = re.findall(r"`([^`\s]+)`", line)
            yield from ((number, p) for p in parts if SOURCE.fullmatch(p))
            yield from ((number, p.rstrip("/")) for p in parts if "/" in p and re.fullmatch(r"[a-z_0-9]+(/[\w.-]+)*\.(h|cpp|def|py|rb|md|txt|g4|tsv)|(" + "|".join(TOPS) + r")(/\w+)+/?", p))
        elif (comment := re.search(r"(?://|#) (.*)", line)) and "#include" not in line:
            yield from ((number, m.rstrip(".")) for m in PATH.findall(comment.group(1)))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    bad = 0
    known = sources(root)
    for top in ("README.md", "CMakeLists.txt", *TOPS):
        files = [root / top] if (root / top).is_file() else sorted((root / top).rglob("*"))
        for path in files:
            if path.suffix not in (".md", ".h", ".cpp", ".g4") or (path.parts[len(root.parts)] == "testdata" and path.name != "README.md"):
                continue
            if path.name == "CHANGELOG.md" or path.name.endswith("_test.cpp"):
                continue
            for number, named in references(path, path.read_text(errors="replace")):
                if "NAME" not in named and not exists(root, path.parent, named, known):
                    print(f"{path.relative_to(root)}:{number}: there is no {named}")
                    bad += 1
    print(f"references: {bad} dead")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
