#!/usr/bin/env python3
"""Fails when a component of the compiler has grown too large (lines of .cpp and .h without tests), when a component includes a header of a component it may not see, links its library, or builds from its sources (rules: layers.txt beside
this file). Links are read from the CMakeLists.txt: DEPS of pupc_component() and target_link_libraries() of a component's library. A test
program may link what it likes, as may the programs of tools/."""
import pathlib
import re
import sys

TOPS = ("catalog", "compiler", "runtime", "tools")
# The folders that the project has, and no others.
FOLDERS = set(TOPS) | {"grammar", "testdata", "build"}


def load_rules(path):
    direct, generated, tests, lines = {}, set(), {}, {}
    for line in path.read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        component, _, rest = line.partition(":")
        if component == "generated":
            generated = set(rest.split())
        elif component.startswith("lines of "):
            lines[component.removeprefix("lines of ").strip()] = int(rest)
        elif component.startswith("tests of "):
            tests[component.removeprefix("tests of ").strip()] = rest.split()
        else:
            direct[component.strip()] = rest.split()
    closed = {}

    def close(component):
        if component not in closed:
            closed[component] = {component}
            for dep in direct.get(component, []):
                closed[component] |= close(dep)
        return closed[component]

    for component in direct:
        close(component)
    return closed, generated, lines, {component: set().union(*(closed[dep] for dep in deps)) for component, deps in tests.items()}


def component_of(parts, rules):
    """The component that a path (its parts) is in: the folder nearest to it that layers.txt names, else its first two folders."""
    for count in (3, 2):
        if "/".join(parts[:count]) in rules:
            return "/".join(parts[:count])
    return "/".join(parts[:2])


def check_links(root, rules):
    """Violations in the CMakeLists.txt of components, a line each; also a circle among the links, which no rule of layers.txt could allow."""
    bad, links = 0, {}
    components = {component.replace("/", "_"): component for component in rules}

    def link(path, component, other, how):
        nonlocal bad
        links.setdefault(component, set()).add(other)
        if other not in rules[component]:
            print(f"{path}: {component} may not {how} {other}")
            bad += 1

    for cmake in sorted((*root.glob("*/*/CMakeLists.txt"), *root.glob("*/*/*/CMakeLists.txt"))):
        path = cmake.relative_to(root)
        if path.parts[0] not in TOPS:
            continue
        here = component_of(path.parts, rules)
        text = re.sub(r"#[^\n]*", "", cmake.read_text())
        for call in re.finditer(r"pupc_component\(\s*(\S+)([^)]*)\)", text):
            component, words, part = call.group(1), call.group(2).split(), ""
            if component not in rules:
                print(f"{path}: component {component} is not in layers.txt")
                bad += 1
                continue
            for word in words:
                if word in ("SOURCES", "TESTS", "DEPS", "LIBS"):
                    part = word
                elif part == "DEPS" or (part == "LIBS" and word in components):
                    link(path, component, components.get(word, word), "link")
        for call in re.finditer(r"target_link_libraries\(\s*(\S+)([^)]*)\)", text):
            if call.group(1) in components and not call.group(1).startswith("tools_"):
                for word in call.group(2).split():
                    if word in components:
                        link(path, components[call.group(1)], components[word], "link")
        if not here.startswith("tools/"):
            for source in re.findall(r"(?:\$\{CMAKE_SOURCE_DIR\}|\.\.)/((?:" + "|".join(TOPS) + r")(?:/\w+)+)", text):
                source = component_of(source.split("/"), rules)
                if source in rules and source not in rules.get(here, {source}):
                    link(path, here, source, "build from sources of")

    def reaches(component, goal, seen):
        return any(next_ == goal or (next_ not in seen and not seen.add(next_) and reaches(next_, goal, seen)) for next_ in links.get(component, ()))

    for component in sorted(links):
        if reaches(component, component, set()):
            print(f"{component} links itself by way of others")
            bad += 1
    return bad


def check_sizes(root, rules, lines):
    """Components of the compiler with more lines than layers.txt allows."""
    bad = 0
    for name in sorted(component for component in rules if component.startswith("compiler/")):
        sources = (p for p in (root / name).rglob("*")
                   if p.suffix in (".cpp", ".h") and not p.name.endswith(("_test.cpp", "_testing.h")) and component_of(p.relative_to(root).parts, rules) == name)
        count = sum(len(p.read_text(errors="replace").splitlines()) for p in sources)
        most = lines.get(name, lines["a compiler component"])
        if count > most:
            print(f"{name} has {count} lines, {most} are the most (layers.txt): divide it by purpose")
            bad += 1
        elif name in lines and count <= lines["a compiler component"]:
            print(f"{name} has {count} lines: it needs no limit of its own in layers.txt")
            bad += 1
    return bad


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rules, generated, lines, tests = load_rules(root / "tools/dev/layers.txt")
    bad = 0
    heavy = re.compile(r"antlr4-runtime\.h|nlohmann/json\.hpp")
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cc", ".def"):
                continue
            rel = path.relative_to(root)
            component = component_of(rel.parts, rules)
            if component not in rules:
                print(f"{rel}: component {component} is not in layers.txt")
                bad += 1
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                m = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                if not m:
                    continue
                target = m.group(1)
                # parser_base.h is the generated parser's base class: only the generated code includes it, after ANTLR's runtime.
                if path.suffix == ".h" and heavy.search(target) and path.name != "parser_base.h":
                    print(f"{rel}:{number}: {target} is too heavy for a header")
                    bad += 1
                if re.match(r"Puppet(Parser|Lexer)\w*\.h$", target) and component not in generated:
                    print(f"{rel}:{number}: generated parser code belongs to compiler/parse alone")
                    bad += 1
                parts = target.split("/")
                if len(parts) >= 2 and parts[0] in TOPS:
                    other = component_of(parts, rules)
                    if other not in rules[component] and not (path.name.endswith(("_test.cpp", "_testing.h")) and other in tests.get(component, ())):
                        print(f"{rel}:{number}: {component} may not include {other}")
                        bad += 1
    bad += check_links(root, rules) + check_sizes(root, rules, lines)
    for path in root.iterdir():
        if path.is_dir() and not path.name.startswith(".") and path.name not in FOLDERS:
            print(f"{path.name}: the project has the folders {', '.join(sorted(FOLDERS - {'build'}))} and no others")
            bad += 1
    print(f"layer check: {bad} violation(s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
