#!/usr/bin/env python3
"""The nodes of a repository that ran in production, with Hiera backends and functions in Ruby of its own, compiled by both programs.

    production_repo.py answers MATERIAL STORE [FILTER…]   asks the oracle what is not in STORE yet
    production_repo.py compare MATERIAL STORE [FILTER…]   pupc against the stored answers, grouped by what differs
    production_repo.py golden  MATERIAL [FILTER…]         pupc against the stored digests (testdata/recorded/production.tsv)
    production_repo.py digests MATERIAL STORE             stores the digests of the answers
    production_repo.py ruby    MATERIAL [FILTER…]         which nodes start Ruby, and what for

MATERIAL is a folder with `production-repo` and `production-cases/cases.jsonl`, `production-cases/facts/NAME.json`; - is the one that the variable
PUPC_MODULE_SUITES names. If there is none, golden skips (77). A filter is a part of a node's name or of its role.
"""
import argparse
import hashlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import compare  # noqa: E402
import oracle  # noqa: E402
import pupc  # noqa: E402
import recorded_cases  # noqa: E402

DIGESTS = HERE.parents[1] / "testdata" / "recorded" / "production.tsv"
SKIPPED = 77


class Material:
    """The nodes and the repository that they are compiled from."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.repository = self.folder / "production-repo"
        self.facts = {}
        with open(self.folder / "production-cases" / "cases.jsonl", encoding="utf-8") as lines:
            self.cases = [json.loads(line) for line in lines]

    def chosen(self, filters):
        return [c for c in self.cases if not filters or any(f in c["id"] or f == c["role"] for f in filters)]

    def _facts(self, name):
        if name not in self.facts:
            with open(self.folder / "production-cases" / "facts" / f"{name}.json", encoding="utf-8") as f:
                self.facts[name] = json.load(f)
        return self.facts[name]

    def request(self, case):
        """The case as a request for both programs."""
        request = {k: case[k] for k in ("id", "node", "strict", "strict_variables")}
        request |= {"facts": self._facts(case["facts"]) | case["facts_extra"]}
        request |= {"modulepath": [str(self.repository / path) for path in case["modulepath"]]}
        request |= {"manifest": str(self.repository / case["manifest"]), "hiera": str(self.repository / case["hiera"])}
        return request

    def rendered(self, answer):
        return answers.render(answer, [(str(self.repository) + "/", "$REPOSITORY/")])


class Store:
    """Answers of the oracle, a JSON document for each node."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def _path(self, case):
        return self.folder / f"{case['id']}.json"

    def has(self, case):
        return self._path(case).exists()

    def read(self, case):
        return json.loads(self._path(case).read_text(encoding="utf-8"))

    def add(self, case, answer):
        new = self._path(case).with_suffix(".new")
        new.write_text(json.dumps(answer, ensure_ascii=False), encoding="utf-8")
        new.rename(self._path(case))


def ask_oracle(material, store, options):
    """A few nodes in one run of the oracle, so that what has been answered stays when the run is ended."""
    missing = [c for c in material.chosen(options.filters) if not store.has(c)][: options.most]
    step = 4 * options.jobs
    for start in range(0, len(missing), step):
        cases = missing[start : start + step]
        for case, answer in zip(cases, oracle.compile_all([material.request(c) for c in cases], options.jobs, timeout=240)):
            store.add(case, answer)
            print(f"{case['id']}: {'compiled' if answer['ok'] else answer['error']['message']}", flush=True)
    return 0


def ask_pupc(material, cases, options):
    """(case, rendered answer) of pupc, all from one process."""
    return [(case, material.rendered(answer)) for case, answer in zip(cases, pupc.compile_all(options.pupc, [material.request(c) for c in cases], timeout=600))]


def ask_and_compare(material, store, options):
    cases = [c for c in material.chosen(options.filters) if store.has(c)]
    equal, causes = 0, {}
    for case, actual in ask_pupc(material, cases, options):
        expected = material.rendered(store.read(case))
        found = compare.differences(expected, actual)
        if not found:
            equal += 1
            continue
        causes.setdefault(recorded_cases.cause(expected, actual), []).append(case)
        if options.show:
            print(f"--- {case['id']} {case['role']}: {', '.join(found)}")
            print("\n".join(compare.diff_text(expected, actual).splitlines()[2:][: options.show]))
    for text, group in sorted(causes.items(), key=lambda kv: -len(kv[1])):
        print(f"{len(group):4} {text}\n       {' '.join(c['id'] for c in group[:8])}")
    print(f"{equal} of {len(cases)} nodes equal")
    return 1 if causes else 0


def write_digests(material, store):
    with open(DIGESTS, "w", encoding="utf-8") as f:
        f.write("# Node, digest of its request, verdict, digest of Puppet's answer as answers.py renders it.\n")
        for case in sorted(material.cases, key=lambda c: c["id"]):
            answer = store.read(case)
            f.write(f"{case['id']}\t{case_digest(case)}\t{'ok' if answer['ok'] else 'error'}\t{recorded_cases.digest(material.rendered(answer))}\n")
    return 0


def case_digest(case):
    return hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:24]


def golden(material, options):
    expected = {}
    with open(DIGESTS, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                case_id, request, verdict, wanted = line.rstrip("\n").split("\t")
                expected[case_id] = (request, verdict, wanted)
    cases = material.chosen(options.filters)
    for case in cases:
        if case["id"] not in expected or expected[case["id"]][0] != case_digest(case):
            sys.exit(f"{case['id']}: these nodes are others than those of the stored digests")
    failed = 0
    for case, actual in ask_pupc(material, cases, options):
        _, verdict, wanted = expected[case["id"]]
        if recorded_cases.digest(actual) != wanted:
            failed += 1
            errors = compare.Parts(actual).errors
            print(f"FAIL {case['id']} {case['role']}: Puppet {'compiles it' if verdict == 'ok' else 'refuses it'}; here: {errors[0][2] if errors else 'another catalog'}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["answers", "compare", "golden", "digests", "ruby"])
    parser.add_argument("material")
    parser.add_argument("rest", nargs="*", metavar="STORE, FILTER")
    parser.add_argument("--pupc", default=str(HERE.parents[1] / "build" / "release" / "pupc"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="answers: that many nodes at most")
    parser.add_argument("--show", type=int, default=0, metavar="LINES", help="compare: that much of each difference")
    oracle.add_library_option(parser)
    options = parser.parse_args()
    if options.material == "-":
        options.material = os.environ.get("PUPC_MODULE_SUITES", "")
    if not os.path.exists(os.path.join(options.material, "production-cases", "cases.jsonl")):
        print(f"0 passed, 0 failed, 1 skipped: no production nodes in {options.material or '(nothing given)'}")
        return SKIPPED
    material = Material(options.material)
    if options.mode in ("golden", "ruby"):
        options.filters = options.rest
        if options.mode == "golden":
            return golden(material, options)
        return pupc.print_ruby_share(options.pupc, [material.request(c) for c in material.chosen(options.filters)], options.jobs)
    if not options.rest:
        sys.exit("STORE is missing")
    store, options.filters = Store(options.rest[0]), options.rest[1:]
    if options.mode == "digests":
        return write_digests(material, store)
    return ask_oracle(material, store, options) if options.mode == "answers" else ask_and_compare(material, store, options)


if __name__ == "__main__":
    sys.exit(main())
