#!/usr/bin/env python3
"""What the authors of modules test: the cases that were recorded from their suites, compiled by both programs.

    recorded_cases.py answers MATERIAL STORE [FILTER…]        asks the oracle what is not in STORE yet
    recorded_cases.py compare MATERIAL STORE [FILTER…]        pupc against the stored answers, grouped by what differs
    recorded_cases.py golden  MATERIAL [FILTER…]              pupc against the sample's stored digests (testdata/recorded)
    recorded_cases.py ruby    MATERIAL [FILTER…]              which cases start Ruby, and what for
    recorded_cases.py sample  MATERIAL STORE                  chooses the sample anew and stores its digests

MATERIAL is a folder with `rspec-cases/cases.jsonl`, `rspec-cases/facts/NAME.json` and the modules themselves in `open-modules/NAME`;
- is the one that the variable PUPC_MODULE_SUITES names. If there is none, golden skips (77). A case's id is MODULE/NUMBER, its line in cases.jsonl; a filter is a part of ids or the described name.
--puppet-library DIR is the library of the Puppet that answers; without it the installed one does.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import compare  # noqa: E402
import oracle  # noqa: E402
import pupc  # noqa: E402

SAMPLE = HERE.parents[1] / "testdata" / "recorded" / "sample.tsv"
REASONS = SAMPLE.with_name("reasons.tsv")
SAMPLE_SIZE = 300
SKIPPED = 77


class Material:
    """The recorded cases and the modules that they need, each suite's modulepath laid out as links below `links`."""

    def __init__(self, folder, links):
        self.folder = pathlib.Path(folder).resolve()
        self.links = pathlib.Path(links).resolve()
        self.cases = []
        with open(self.folder / "rspec-cases" / "cases.jsonl", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                case = json.loads(line)
                case["id"] = f"{case['module']}/{number}"
                self.cases.append(case)

    def chosen(self, filters):
        return [c for c in self.cases if not filters or any(f in c["id"] or f in c["describe"] for f in filters)]

    def _modulepath(self, case):
        """The folder with links to the modules of the case's suite, made when missing."""
        folder = self.links / case["module"]
        if not folder.is_dir():
            modules = self.folder / "open-modules"
            wanted = {name: modules / name for name in [case["module"], *case["modules"]]}
            wanted |= {name: modules / case["module"] / path for name, path in case["own"].items()}
            folder.mkdir(parents=True)
            for name, target in wanted.items():
                if target.is_dir():
                    (folder / name).symlink_to(target)
        return str(folder)

    def request(self, case):
        """The case as a request for both programs."""
        with open(self.folder / "rspec-cases" / "facts" / f"{case['facts']}.json", encoding="utf-8") as f:
            facts = json.load(f)
        request = {k: case[k] for k in ("id", "code", "node", "strict", "strict_variables")}
        request |= {"facts": facts, "modulepath": [self._modulepath(case)]}
        if case["hiera"]:
            request["hiera"] = str(self.folder / "open-modules" / case["module"] / case["hiera"])
        return request

    def rendered(self, case, answer):
        return answers.render(answer, [(self._modulepath(case) + "/", "$MODULES/")])


class Store:
    """Answers of the oracle, one JSON document a line and a file for each module."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "answers"
        self.folder.mkdir(parents=True, exist_ok=True)

    def read(self, module):
        path = self.folder / f"{module}.jsonl"
        if not path.exists():
            return {}
        with open(path, encoding="utf-8") as lines:
            return {answer["id"]: answer for answer in map(json.loads, lines)}

    def add(self, module, new):
        with open(self.folder / f"{module}.jsonl", "a", encoding="utf-8") as f:
            f.writelines(json.dumps(answer, ensure_ascii=False) + "\n" for answer in new)


def by_module(cases):
    groups = {}
    for case in cases:
        groups.setdefault(case["module"], []).append(case)
    return groups


def ask_oracle(material, store, options):
    """Each module's cases in one run of the oracle; what is stored is not asked again."""
    for module, cases in by_module(material.chosen(options.filters)).items():
        known = store.read(module)
        missing = [c for c in cases if c["id"] not in known]
        if missing:
            store.add(module, oracle.compile_all([material.request(c) for c in missing], options.jobs, timeout=120, library=options.puppet_library))
            print(f"{module}: {len(missing)} answers", flush=True)
    return 0


def ask_pupc(material, cases, options):
    """(case, rendered answer) of pupc."""
    given = pupc.compile_all(options.pupc, [material.request(c) for c in cases], timeout=600)
    return [(case, material.rendered(case, answer)) for case, answer in zip(cases, given)]


def cause(expected, actual):
    """A short name for what differs, so that differences of one kind are listed together."""
    a, b = compare.Parts(expected), compare.Parts(actual)
    if a.errors and b.errors:
        return f"other error: {a.errors[0][2][:150]}  HERE {b.errors[0][2][:150]}"
    if b.errors:
        return f"error only here: {b.errors[0][2][:200]}"
    if a.errors:
        return f"compiles here: {a.errors[0][2][:200]}"
    return "+".join(compare.differences(expected, actual))


def read_reasons():
    """(id or text of an error, why such a case differs)"""
    with open(REASONS, encoding="utf-8") as f:
        return [tuple(line.rstrip("\n").split("\t")) for line in f if line.strip() and not line.startswith("#")]


def ask_and_compare(material, store, options):
    cases = material.chosen(options.filters)
    compiled, failed, reasons = collections.Counter(), collections.Counter(), read_reasons()
    causes = {}
    for module, group in by_module(cases).items():
        known = store.read(module)
        group = [c for c in group if c["id"] in known]
        for case, actual in ask_pupc(material, group, options):
            expected = material.rendered(case, known[case["id"]])
            counts = compiled if known[case["id"]]["ok"] else failed
            found = compare.differences(expected, actual)
            if found and any(key == case["id"] or key in "\n".join(expected) for key, _ in reasons):
                counts["with a reason"] += 1
                continue
            counts["all"] += 1
            counts["equal" if not found else "different"] += 1
            if found:
                causes.setdefault(cause(expected, actual), []).append(case)
            if found and options.show:
                print(f"--- {case['id']} {case['describe']} ({case['os']}): {', '.join(found)}")
                print("\n".join(compare.diff_text(expected, actual).splitlines()[2:][: options.show]))
    for text, group in sorted(causes.items(), key=lambda kv: -len(kv[1])):
        print(f"{len(group):4} {text}\n       {' '.join(c['id'] for c in group[:8])}")
    for name, counts in (("compiled", compiled), ("errors", failed)):
        share = 100 * counts["equal"] / counts["all"] if counts["all"] else 100
        print(f"{name}: {counts['equal']} of {counts['all']} equal ({share:.2f} %), {counts['with a reason']} more differ for a listed reason")
    return 1 if causes else 0


def digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:24]


def write_sample(material, store):
    """The same share of every module, cases in the order of their digests so that the choice favours nothing."""
    cases = [c for c in material.cases if not c["missing"]]
    groups = by_module(cases)
    chosen, reasons = [], read_reasons()
    for module, group in groups.items():
        known = store.read(module)
        group = sorted((c for c in group if c["id"] in known and not any(k == c["id"] or k in json.dumps(known[c["id"]]["error"]) for k, _ in reasons)), key=lambda c: hashlib.sha256(c["id"].encode()).hexdigest())
        chosen += group[: -(-len(group) * SAMPLE_SIZE // len(cases))]
    chosen = sorted(chosen, key=lambda c: hashlib.sha256(c["id"].encode()).hexdigest())[:SAMPLE_SIZE]
    SAMPLE.parent.mkdir(exist_ok=True)
    with open(SAMPLE, "w", encoding="utf-8") as f:
        f.write("# Case, digest of its request, verdict, digest of Puppet's answer as answers.py renders it.\n")
        for case in sorted(chosen, key=lambda c: c["id"]):
            answer = store.read(case["module"])[case["id"]]
            f.write(f"{case['id']}\t{request_digest(case)}\t{'ok' if answer['ok'] else 'error'}\t{digest(material.rendered(case, answer))}\n")
    return 0


def request_digest(case):
    return digest([case["code"], case["node"], case["facts"]])


def golden(material, options):
    by_id = {c["id"]: c for c in material.cases}
    expected = {}
    with open(SAMPLE, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                case_id, request, verdict, wanted = line.rstrip("\n").split("\t")
                if case_id not in by_id or request_digest(by_id[case_id]) != request:
                    sys.exit(f"{case_id}: these recorded cases are others than the sample's")
                expected[case_id] = (verdict, wanted)
    cases = [by_id[i] for i in expected if not options.filters or any(f in i for f in options.filters)]
    failed = 0
    for case, actual in ask_pupc(material, cases, options):
        verdict, wanted = expected[case["id"]]
        if digest(actual) != wanted:
            failed += 1
            errors = compare.Parts(actual).errors
            print(f"FAIL {case['id']} {case['describe']}: Puppet {'compiles it' if verdict == 'ok' else 'refuses it'}; here: {errors[0][2] if errors else 'another catalog'}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["answers", "compare", "golden", "ruby", "sample"])
    parser.add_argument("material")
    parser.add_argument("rest", nargs="*", metavar="STORE, FILTER")
    parser.add_argument("--pupc", default=str(HERE.parents[1] / "build" / "release" / "pupc"))
    parser.add_argument("--puppet-library", metavar="DIR", help="answers: the library of the Puppet to ask")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--show", type=int, default=0, metavar="LINES", help="compare: that much of each difference")
    options = parser.parse_args()
    if options.material == "-":
        options.material = os.environ.get("PUPC_MODULE_SUITES", "")
    if not os.path.exists(os.path.join(options.material, "rspec-cases", "cases.jsonl")):
        print(f"0 passed, 0 failed, 1 skipped: no recorded cases in {options.material or '(nothing given)'}")
        return SKIPPED
    if options.mode in ("golden", "ruby"):
        options.filters = options.rest
        with tempfile.TemporaryDirectory(prefix="pupc-recorded") as links:
            material = Material(options.material, links)
            if options.mode == "golden":
                return golden(material, options)
            return pupc.print_ruby_share(options.pupc, [material.request(c) for c in material.chosen(options.filters)], options.jobs)
    if not options.rest:
        sys.exit("STORE is missing")
    options.filters = options.rest[1:]
    material, store = Material(options.material, os.path.join(options.rest[0], "modulepaths")), Store(options.rest[0])
    if options.mode == "answers":
        return ask_oracle(material, store, options)
    if options.mode == "sample":
        return write_sample(material, store)
    return ask_and_compare(material, store, options)


if __name__ == "__main__":
    sys.exit(main())
