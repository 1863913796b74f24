#!/usr/bin/env python3
"""Every program that a native function stands for, run both ways: natively and its file by Ruby.

    function_programs.py PUPC [WORD…]                     the packaged modules
    function_programs.py PUPC --history SOURCES INDEX [WORD…]
        every version of every function: SOURCES holds MODULE/FUNCTION/DIGEST.rb (`::` of the name as `__`), INDEX is its table
        (module, function, kind, digest, first_tag, last_tag, path, gaps in columns of these names, separated by tabs)
    … --oracle   also Puppet's own answers, for what Ruby and pupc agree on (slow)

The snippets are those of testdata/functions and, of modules other than stdlib, testdata/function_programs/snippets.txt. A difference
means that compiler/stdlib/replaced_functions.inc names a program that the native function does not reproduce: mend the function or take
the line out. WORD: only functions whose names hold it.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TABLE = os.path.join(ROOT, "compiler", "stdlib", "replaced_functions.inc")
OWN = os.path.join(ROOT, "testdata", "function_programs")
MODULES = "/usr/share/puppet/modules"
sys.path.insert(0, os.path.join(ROOT, "testdata", "functions"))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import make_cases  # noqa: E402
import oracle  # noqa: E402
import pupc  # noqa: E402

# Drawn by lot or by the clock: only whether there is an error counts.
CHANGING = {"shuffle", "time", "str2saltedsha512"}
# What calls these is told apart by the strictness.
STRICTNESSES = ("error", "warning", "off")


def replaced_functions():
    """{function: set of digests} that the native functions claim. One native function is of one API, as its files."""
    known, kinds = {}, {}
    with open(TABLE, encoding="utf-8") as f:
        for line in f:
            m = re.match(r'\{"([^"]+)", "([^"]*)", 0x([0-9a-f]+)\}, // ([34])', line)
            if m:
                known.setdefault(m[1], set()).add(m[3].zfill(16))
                if kinds.setdefault((m[1], m[2]), m[4]) != m[4]:
                    sys.exit(f"{TABLE}: '{m[2]}' of {m[1]} stands for files of both APIs, of which calls run one alone")
    return known


def stored_snippets():
    """{function: [snippets that call it]}"""
    calls = {}
    texts = list(make_cases.read_answers("stdlib"))
    with open(os.path.join(OWN, "snippets.txt"), encoding="utf-8") as f:
        texts += [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    for snippet in texts:
        for name in set(re.findall(r"(?<![\w:.$'])((?:\w+::)*\w+)\(", snippet)):
            calls.setdefault(name, []).append(snippet)
    return calls


def snippets_of(calls, name):
    own = calls.get(name, [])
    bare = name.removeprefix("stdlib::")
    if bare != name:
        own = own + [re.sub(rf"(?<![\w:]){bare}\(", name + "(", s) for s in calls.get(bare, []) if not s.startswith("%")]
    return list(dict.fromkeys(own))


def request(number, snippet, modulepath, strict):
    settings, expression = make_cases.settings(snippet)
    return {"id": str(number), "code": make_cases.source(expression), "facts": make_cases.FACTS, "node": "web1.example.com",
            "modulepath": [modulepath], "strict": settings.get("strict", strict)}


class Pupc:
    """pupc.compile_all with options of its own."""

    def __init__(self, binary, *options):
        self.binary, self.options = binary, options

    def ask(self, requests):
        found = {}
        groups = {}
        for r in requests:
            groups.setdefault((r["modulepath"][0], r["strict"]), []).append(r)
        for (modulepath, strict), group in groups.items():
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as given:
                for r in group:
                    given.write(json.dumps({k: r[k] for k in ("id", "code", "node", "facts")}, ensure_ascii=False) + "\n")
                given.flush()
                done = subprocess.run([self.binary, "compile", "--batch", given.name, "--modulepath", modulepath, "--strict", strict, *self.options],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for line in done.stdout.decode("utf-8", "replace").split("\n"):
                if line.startswith("{"):
                    answer = json.loads(line)
                    found[answer["id"]] = answer
            if done.returncode not in (0, 1):
                print(f"pupc ended with {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-400:]}", file=sys.stderr)
        return [found.get(r["id"]) or {"error": {"message": "no answer", "line": None}, "logs": []} for r in requests]


def shown(name, answer, modulepath):
    lines = [line.replace(modulepath, "MODULES") for line in make_cases.judged(make_cases.answer_lines(answer))]
    # What the process has loaded for another compile is loaded in the next as well.
    lines = [line for line in lines if "Puppet::Parser::Functions.autoloader#" not in line]
    if name in CHANGING:
        return [line for line in lines if line.startswith("  !")]
    return lines


def same(a, b):
    if a == b:
        return True
    accident = ["  ! an error"]
    return (a == accident and not make_cases.verdict(b)) or (b == accident and not make_cases.verdict(a))


def beyond_ruby(snippet):
    """What the Ruby process cannot tell: that two parts of a value are the same object; that a type is no collection."""
    same_object = re.match(r"\$(\w) = .* ;; (stdlib::)?to_yaml\(.*\$\1\b.*\$\1\b", snippet)
    return bool(same_object) or snippet == "count(Integer)"


def compare(binary, modulepath, functions, calls, label, ask_oracle):
    """How many snippets were compared, and the functions that differ: {name: [text of a difference]}."""
    wanted = []
    for name in sorted(functions):
        for snippet in snippets_of(calls, name):
            strictness = STRICTNESSES if functions[name] else ("error",)
            for strict in strictness if not snippet.startswith("%") else ("error",):
                wanted.append((name, snippet, strict))
    requests = [request(i, s, modulepath, strict) for i, (_, s, strict) in enumerate(wanted)]
    natively, by_ruby = Pupc(binary).ask(requests), Pupc(binary, "--ruby", "always").ask(requests)
    theirs = oracle.compile_all(requests) if ask_oracle else [None] * len(requests)
    different, noted = {}, make_cases.known_differences()
    for (name, snippet, strict), ours, ruby, puppet in zip(wanted, natively, by_ruby, theirs):
        a, b = shown(name, ours, modulepath), shown(name, ruby, modulepath)
        if not same(a, b) and not beyond_ruby(snippet) and snippet not in noted and not gives_log(b):
            different.setdefault(name, []).append("\n".join([f"{label} {strict}: {snippet}", "  natively", *a, "  by Ruby", *b]))
        elif puppet is not None and not same(a, c := shown(name, puppet, modulepath)):
            print("\n".join([f"{label} {strict}: {snippet}", "  pupc", *a, "  Puppet", *c]))
    return len(wanted), different


def gives_log(lines):
    """Whether the result is the entry of the log, which `deprecation` gives back in Puppet and natively not (known_differences.tsv)."""
    return any("a Puppet::Util::Log value" in line for line in lines)


def deprecates(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return "deprecat" in f.read()


def version(tag):
    return (99,) if tag == "HEAD" else tuple(int(n) for n in re.findall(r"\d+", tag)[:3])


def releases(index, sources, known, words):
    """[(module, tag, [rows of its files], {function: deprecates} whose newest release with a claimed program this is)]"""
    with open(index, encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    claimed = [r for r in rows if r["digest"] in known.get(r["function"], ()) and (not words or any(w in r["function"] for w in words))]
    out = []
    for module, tag in sorted({(r["module"], r["last_tag"]) for r in claimed}, key=lambda k: (k[0], version(k[1]))):
        held = {}
        for r in rows:
            if r["module"] != module or not version(r["first_tag"]) <= version(tag) <= version(r["last_tag"]):
                continue
            # Where a version was taken back and came again, the one with the shorter life is the release's.
            key = (r["function"], r["kind"])
            life = (version(r["last_tag"]), [-n for n in version(r["first_tag"])])
            if key not in held or r["last_tag"] == tag or (held[key]["last_tag"] != tag and life < held[key]["life"]):
                held[key] = {**r, "life": life}
        tested = {r["function"]: deprecates(source_of(sources, r)) for r in claimed if r["module"] == module and r["last_tag"] == tag}
        out.append((module, tag, list(held.values()), tested))
    return out


def source_of(sources, row):
    extension = ".pp" if row["kind"] == "puppet" else ".rb"
    return os.path.join(sources, row["module"], row["function"].replace("::", "__"), row["digest"] + extension)


def build(sources, rows, directory, module):
    root = os.path.join(directory, module)
    os.makedirs(os.path.join(root, "manifests"))
    for row in rows:
        place = os.path.join(root, row["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(source_of(sources, row), place)
    # Ruby libraries and types of the module that is installed serve all releases.
    for folder in ("types", "lib/puppet_x"):
        installed = os.path.join(MODULES, module, folder)
        if os.path.isdir(installed):
            os.makedirs(os.path.dirname(os.path.join(root, folder)), exist_ok=True)
            os.symlink(installed, os.path.join(root, folder))


def history(options, known, calls):
    total, different = 0, {}
    for module, tag, rows, tested in releases(options.history[1], options.history[0], known, options.words):
        with tempfile.TemporaryDirectory(prefix="pupc-programs") as work:
            build(options.history[0], rows, work, module)
            if module != "stdlib" and os.path.isdir(os.path.join(MODULES, "stdlib")):
                os.symlink(os.path.join(MODULES, "stdlib"), os.path.join(work, "stdlib"))
            count, found = compare(options.pupc, work, tested, calls, f"{module} {tag}", options.oracle)
        total += count
        digests = {r["function"]: r["digest"] for r in rows if r["last_tag"] == tag and r["digest"] in known.get(r["function"], ())}
        for name, texts in found.items():
            different[f"{name} {digests.get(name)} ({module} {tag})"] = texts
        print(f"{module} {tag}: {len(tested)} functions, {count} snippets, {len(found)} functions differ", flush=True)
        for name, texts in found.items():
            print(f"differs: {name} {digests.get(name)}: {len(texts)}", flush=True)
    return total, different


def installed(options, known, calls):
    names = {n: True for n in known if not options.words or any(w in n for w in options.words)}
    there = {}
    for name in names:
        place = name.replace("::", "/") + ".rb"
        for module in os.listdir(MODULES) if os.path.isdir(MODULES) else ():
            for folder in ("lib/puppet/functions", "lib/puppet/parser/functions"):
                path = os.path.join(MODULES, module, folder, place)
                if os.path.exists(path):
                    there[name] = there.get(name, False) or deprecates(path)
    total, different = compare(options.pupc, MODULES, there, calls, "packaged", options.oracle)
    print(f"packaged: {len(there)} functions, {total} snippets, {len(different)} functions differ")
    return total, different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pupc")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--history", nargs=2, metavar=("SOURCES", "INDEX"))
    parser.add_argument("--oracle", action="store_true")
    parser.add_argument("--most", type=int, default=2, help="differences shown of one function")
    options = parser.parse_intermixed_args()
    known, calls = replaced_functions(), stored_snippets()
    total, different = (history if options.history else installed)(options, known, calls)
    for name, texts in different.items():
        print(f"\n{name}: {len(texts)} differ")
        print("\n".join(texts[:options.most]))
    print(f"{total} snippets both ways, {len(different)} programs differ")
    return 1 if different or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
