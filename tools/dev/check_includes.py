#!/usr/bin/env python3
"""Sources must name what they use: the precompiled header hides what is missing, until someone builds without it.

    check_includes.py ROOT                          quick: files that use a library, or call a function of ours, whose header they do not reach
    check_includes.py ROOT --fix                    the same, and adds the libraries' includes
    check_includes.py ROOT --compile BUILD [PART…]  thorough: compiles each header and source by itself, without the precompiled header, with
                                                    the options of the build folder BUILD (12 minutes of CPU); PART: only paths that contain one
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

COMPONENTS = ("catalog", "compiler", "runtime", "tools")
# What is used, and the header that has it.
USES = {
    re.compile(r"\bfmt::(format|print|join|format_to|format_to_n|memory_buffer)\b"): "<fmt/format.h>",
    re.compile(r"\bstd::unordered_(map|multimap)\b"): "<unordered_map>",
    re.compile(r"\bstd::optional\b|\bstd::nullopt\b"): "<optional>",
    re.compile(r"\bstd::function\b"): "<functional>",
    re.compile(r"\bstd::(sort|find|find_if|find_if_not|any_of|all_of|none_of|stable_sort|lower_bound|upper_bound|remove_if|reverse|count|count_if|transform|replace|unique|max_element|min_element|binary_search|rotate|partition|stable_partition|clamp)(?:<[^<>()]*>)?\("): "<algorithm>",
}
SAME = {"<fmt/format.h>": ("<fmt/format.h>", "<fmt/chrono.h>", "<fmt/ranges.h>", "<fmt/args.h>", "<fmt/printf.h>")}


def sources(root):
    for component in COMPONENTS:
        for path in sorted((root / component).rglob("*")):
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


def own_headers(root, path, seen):
    """Headers of the project that a file includes, directly or through others, and itself."""
    if path not in seen:
        seen[path] = {path}
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(errors="replace"), flags=re.M):
            if (root / name).is_file():
                seen[path] |= own_headers(root, root / name, seen)
    return seen[path]


def own_functions(root):
    """{name of a free function: the one header that declares it}. Names that stand elsewhere in a header, as of a method, are left out."""
    free, others = {}, set()
    for path in sources(root):
        if path.suffix != ".h":
            continue
        for line in code_of(path.read_text(errors="replace")).split("\n"):
            declared = re.match(r"(?:inline |constexpr |\[\[nodiscard\]\] )*[A-Za-z_][\w:<>*&, ]*?[ *&]([a-z_0-9]+)\(", line)
            for name in re.findall(r"\b([a-z_0-9]+)\(", line):
                if declared and name == declared[1]:
                    free.setdefault(name, set()).add(path)
                else:
                    others.add(name)
    return {name: next(iter(paths)) for name, paths in free.items() if len(paths) == 1 and name not in others}


def missing_own(root):
    """Sources that call a function of ours whose header they do not reach: they compile only where another source stands before them (PUPC_UNITY)."""
    functions, seen = own_functions(root), {}
    for path in sources(root):
        code = code_of(path.read_text(errors="replace"))
        have = own_headers(root, path, seen)
        for name in sorted(set(re.findall(r"(?<![\w.>:])([a-z_0-9]+)\(", code)) & functions.keys()):
            mine = re.search(rf"^(?:[^\n]*[\w>*&] |\s*(?:const )?auto ){name}(\(|\s*=)", code, flags=re.M)
            if functions[name] not in have and not mine:
                yield path, f'"{functions[name].relative_to(root)}"'


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


def options_of_build(build):
    """{source: words of its compiler without the precompiled header and the output}, from compile_commands.json."""
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        compiler = next(i for i, word in enumerate(words) if re.search(r"(^|/)(c|g|clang)\+\+(-[\d.]+)?$", word))
        words, kept, skip = words[compiler:], [], False
        for i, word in enumerate(words):
            if skip or word in ("-Winvalid-pch", "-c") or "cmake_pch" in word or (word == "-include" and "cmake_pch" in words[i + 1]):
                skip = False
            elif word == "-o":
                skip = True
            elif word != entry["file"]:
                kept.append(word)
        out[pathlib.Path(entry["file"])] = (kept, entry["directory"])
    return out


def compile_alone(root, build, parts):
    """Compiles each file by itself, one after the other: the machine may have other work. The number of files that do not compile."""
    options = options_of_build(build)
    by_folder = {}
    for source in options:
        by_folder.setdefault(source.parent, source)
    bad = done = 0
    for path in sources(root):
        if parts and not any(part in str(path.relative_to(root)) for part in parts):
            continue
        # A header has the options of a source beside it, or of one in a folder above.
        source = path if path in options else next((by_folder[folder] for folder in path.parents if folder in by_folder), None)
        if source is None or (path.suffix == ".cpp" and path not in options):
            continue
        words, directory = options[source]
        said = subprocess.run(words + ["-w", "-fsyntax-only", "-x", "c++", str(path)], cwd=directory, capture_output=True, text=True, check=False)
        done += 1
        if said.returncode != 0:
            bad += 1
            print(f"{path.relative_to(root)}:\n{said.stderr[:600]}", flush=True)
    print(f"{bad} of {done} files do not compile by themselves")
    return bad


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--compile" in sys.argv:
        build, *parts = sys.argv[sys.argv.index("--compile") + 1:]
        return 1 if compile_alone(root, pathlib.Path(build).resolve(), parts) else 0
    own = list(missing_own(root))
    for path, header in own:
        print(f"{path.relative_to(root)} calls a function of {header} and does not include it")
    found = list(missing(root))
    for path, header in found:
        print(f"{path.relative_to(root)} uses what {header} has and does not include it")
        if "--fix" in sys.argv:
            add(path, header)
    print(f"{len(found) + len(own)} includes missing")
    return 1 if own or (found and "--fix" not in sys.argv) else 0


if __name__ == "__main__":
    sys.exit(main())
