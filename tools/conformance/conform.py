#!/usr/bin/env python3
"""Conformance with Puppet.

    conform.py golden [FILTER…]     pupc against the expected answers in testdata (no oracle needed)
    conform.py live [FILTER…]       pupc against the oracle, now
    conform.py update [FILTER…]     write the oracle's answers into the case files
    conform.py corpus               verdicts on all manifests and templates of Debian's packaged modules
    conform.py mutants              verdicts on one-token mutants of them
    conform.py rules                every rule of the language's specification names cases that exist

A filter is a part of a case's id (eval/classes/…); a whole id stands for that case alone. Options: see --help. The last line is `N passed, M failed, K skipped`;
exit 0 when nothing failed.
"""

import argparse
import fnmatch
import json
import os
import sys
import tempfile

import answers
import casefile
import compare
import corpus
import oracle
import pupc

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTDATA = os.path.join(ROOT, "testdata")
FOLDERS = ["eval", "check", "compile", "erb"]
DEBIAN_MODULES = "/usr/share/puppet/modules"


class Known:
    """The list of cases that are expected to fail: `ID-PATTERN: reason` a line."""

    def __init__(self, path):
        self.path = path
        self.entries = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    line = line.strip()
                    if line and not line.startswith("#"):
                        pattern, _, reason = line.partition(": ")
                        if not reason.strip():
                            sys.exit(f"{path}: no reason given for {pattern}")
                        self.entries.append((pattern, reason.strip()))

    def reason(self, case_id):
        return next((reason for pattern, reason in self.entries if fnmatch.fnmatchcase(case_id, pattern)), None)

    def remove(self, case_ids):
        """Takes lines that name exactly these cases out of the file."""
        with open(self.path, encoding="utf-8") as f:
            lines = f.readlines()
        with open(self.path, "w", encoding="utf-8") as f:
            f.writelines(line for line in lines if line.partition(": ")[0] not in case_ids)


def load_cases(filters):
    """(case files, chosen cases)"""
    files = casefile.read_all(TESTDATA, FOLDERS)
    return files, casefile.chosen([c for f in files for c in f.cases], filters)


def load_facts(value):
    if value.startswith("{"):
        return json.loads(value)
    with open(os.path.join(TESTDATA, "facts", value + ".json"), encoding="utf-8") as f:
        return json.load(f)


def lacks(case):
    """Why the case cannot be run on this machine, or None."""
    if case.directives.get("modulepath") != "debian":
        return None
    if not os.path.isdir(DEBIAN_MODULES):
        return "Debian's modules are not installed"
    missing = sorted(name for name in modules_of(case) if not os.path.exists(os.path.join(DEBIAN_MODULES, name)))
    return f"Debian's module {', '.join(missing)} is not installed" if missing else None


def modules_of(case):
    """The module that a case of compile/modules… is about; most need stdlib, too."""
    folder, _, name = case.id.rpartition("/")[0].rpartition("/")
    if not folder.startswith("compile/modules"):
        return set()
    return {"stdlib", name if os.path.exists(os.path.join(DEBIAN_MODULES, name)) else name.partition("_")[0]}


def request_of(case, work):
    """The request for the runners, the modules' files of the case laid out below `work`; and the (path, stand-in) pairs."""
    request = {"id": case.id, "code": case.code}
    replace = []
    d = case.directives
    if "validate" in d:
        if d["validate"] == "epp":
            request["epp"] = True
        return request, replace
    if "node" in d:
        request["node"] = d["node"]
    if "facts" in d:
        request["facts"] = load_facts(d["facts"])
    if "strict" in d:
        request["strict"] = d["strict"]
    if "strict_variables" in d:
        request["strict_variables"] = d["strict_variables"] == "true"
    path = []
    if case.files:
        own = os.path.join(work, "m" + str(case.line), "modules")
        for name, lines in case.files.items():
            target = os.path.join(own, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as f:
                f.write("".join(line + "\n" for line in lines))
        path.append(own)
        replace.append((own + "/", "$MODULES/"))
    if d.get("modulepath") == "debian":
        path.append(DEBIAN_MODULES)
        replace.append((DEBIAN_MODULES + "/", "$DEBIAN/"))
    if path:
        request["modulepath"] = path
    return request, replace


def ask(cases, compile_all, validate_all):
    """Rendered answers by case id."""
    with tempfile.TemporaryDirectory(prefix="pupc-cases") as work:
        compiles, checks = [], []
        for index, case in enumerate(cases):
            request, replace = request_of(case, os.path.join(work, str(index)))
            (checks if "validate" in case.directives else compiles).append((request, replace))
        rendered = {}
        if compiles:
            for (request, replace), answer in zip(compiles, compile_all([r for r, _ in compiles])):
                rendered[request["id"]] = answers.render(answer, replace)
        if checks:
            for (request, replace), answer in zip(checks, validate_all([r for r, _ in checks])):
                rendered[request["id"]] = answers.render_errors(answer["errors"], replace)
        return rendered


def ask_oracle(cases, jobs):
    return ask(cases, lambda r: oracle.compile_all(r, jobs), lambda r: oracle.validate_all(r, jobs))


def ask_pupc(cases, binary):
    return ask(cases, lambda r: pupc.compile_all(binary, r), lambda r: pupc.validate_all(binary, r))


def run_cases(options, live):
    _, cases = load_cases(options.filters)
    if not cases:
        sys.exit("no such case")
    known = Known(os.path.join(TESTDATA, "expected_failures.txt"))
    runnable = [c for c in cases if lacks(c) is None]
    actual = ask_pupc(runnable, options.pupc)
    expected = {c.id: c.expected for c in runnable}
    if live:
        if not oracle.available():
            sys.exit("the oracle (puppet-agent) is not installed")
        asked = [c for c in runnable if "puppet8" not in c.directives]
        expected.update(ask_oracle(asked, options.jobs))
    report = Report(options, known)
    for case in cases:
        if case.id not in actual:
            report.skip(case.id, lacks(case))
        else:
            found = compare.differences(expected[case.id], actual[case.id], options.ignore_order)
            if "verdict_only" in case.directives and not any(pupc.NO_ANSWER in line for line in actual[case.id]):
                found = [f for f in found if f == "verdict"]
            report.add(case.id, found, expected[case.id], actual[case.id], case.code)
    return report.finish()


class Report:
    """Collects results, prints failures and the closing line."""

    def __init__(self, options, known):
        self.options, self.known = options, known
        self.passed = self.failed = self.skipped = self.expected = 0
        self.causes = {}
        self.surprises = []
        self.failures = []

    def skip(self, case_id, why):
        self.skipped += 1
        if self.options.verbose:
            print(f"SKIP {case_id}: {why}")

    def add(self, case_id, found, expected, actual, source):
        reason = self.known.reason(case_id)
        if not found:
            self.passed += 1
            if reason:
                self.surprises.append(case_id)
            return
        if reason:
            self.expected += 1
            return
        self.failed += 1
        self.failures.append((case_id, found, expected, actual))
        for cause in found:
            self.causes[cause] = self.causes.get(cause, 0) + 1
        if self.options.quiet:
            print(f"FAIL {case_id}: {', '.join(found)}")
        elif self.failed <= self.options.limit:
            print(f"FAIL {case_id}: {', '.join(found)}")
            if self.options.verbose:
                print("".join(f"    | {line}\n" for line in source.splitlines()), end="")
            print("".join(f"    {line}\n" for line in compare.diff_text(expected, actual).splitlines()[2:]))
        elif self.failed == self.options.limit + 1:
            print(f"… more than {self.options.limit} failures: the rest is only counted (--limit N)")

    def finish(self):
        if self.options.json:
            with open(self.options.json, "w", encoding="utf-8") as f:
                for case_id, found, expected, actual in self.failures:
                    f.write(json.dumps({"id": case_id, "differs": found, "expected": expected, "actual": actual}, ensure_ascii=False) + "\n")
        if self.causes:
            print("differences: " + ", ".join(f"{n} {cause}" for cause, n in sorted(self.causes.items(), key=lambda kv: -kv[1])))
        for case_id in self.surprises:
            print(f"PASSES though it is listed as expected to fail: {case_id}")
        if self.expected:
            print(f"{self.expected} failed as expected (testdata/expected_failures.txt), not counted below")
        if self.surprises and self.options.prune:
            self.known.remove(self.surprises)
            print(f"removed {len(self.surprises)} of them from the list")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped + self.expected} skipped")
        return 1 if self.failed else 0


def update(options):
    if not oracle.available():
        sys.exit("the oracle (puppet-agent) is not installed")
    files, cases = load_cases(options.filters)
    runnable = [c for c in cases if lacks(c) is None]
    rendered = ask_oracle(runnable, options.jobs)
    changed = 0
    for case in runnable:
        if "puppet8" in case.directives:
            if case.expected == rendered[case.id]:
                print(f"{case.id}: marked %puppet8, but the oracle gives the expected answer")
        elif case.expected != rendered[case.id]:
            changed += 1
            case.expected = rendered[case.id]
            if options.verbose:
                print(f"{case.id}\n" + "".join(f"    {line}\n" for line in case.expected))
    if options.check:
        print(f"{len(runnable) - changed} passed, {changed} failed, {len(cases) - len(runnable)} skipped")
        return 1 if changed else 0
    for f in files:
        f.write()
    print(f"{changed} of {len(runnable)} expected answers changed, {len(cases) - len(runnable)} cases skipped")
    return 0


def rules(_options):
    """Checks testdata/eval/spec_rules.tsv: `section TAB rule TAB case ids` a line; each id must exist."""
    _, cases = load_cases([])
    ids = {c.id for c in cases}
    good = bad = 0
    with open(os.path.join(TESTDATA, "eval", "spec_rules.tsv"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.rstrip("\n").split("\t")
            missing = [i for i in fields[2].split() if i not in ids] if len(fields) == 3 else ["(three columns expected)"]
            if missing or not fields[2].split():
                print(f"spec_rules.tsv:{number}: no such case: {' '.join(missing)}")
                bad += 1
            else:
                good += 1
    print(f"{good} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


def sources(options, mutants):
    """pupc's verdicts on the corpus or its mutants against the oracle's (asked, or stored in testdata)."""
    requests = corpus.mutants(options.count, options.seed) if mutants else corpus.files()
    if not requests:
        print("0 passed, 0 failed, 1 skipped: no packaged modules are installed")
        return 0
    stored = corpus.Stored(TESTDATA, "mutants" if mutants else "corpus")
    if options.store:
        stored.write(requests, oracle.validate_all(requests, options.jobs))
        print(f"{len(requests)} verdicts stored")
        return 0
    expected = stored.answers(requests) if not options.live else None
    if expected is None:
        if not oracle.available():
            print("0 passed, 0 failed, 1 skipped: no stored verdicts for these sources and no oracle")
            return 0
        expected = oracle.validate_all(requests, options.jobs)
    actual = pupc.validate_all(options.pupc, requests)
    return corpus.judge(requests, expected, actual, options, 0.999 if mutants else 1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["golden", "live", "update", "corpus", "mutants", "rules"])
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    parser.add_argument("--pupc", default=os.path.join(ROOT, "build", "release", "pupc"), help="the binary (build/release/pupc)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="processes of the oracle")
    parser.add_argument("--ignore-order", action="store_true", help="the order of resources and parameters doesn't count")
    parser.add_argument("--limit", type=int, default=40, help="show at most so many failures in full")
    parser.add_argument("--json", metavar="FILE", help="write the failures as JSON lines")
    parser.add_argument("-v", "--verbose", action="store_true", help="show sources (golden, live) or new answers (update)")
    parser.add_argument("-q", "--quiet", action="store_true", help="one line per failure")
    parser.add_argument("--check", action="store_true", help="update: write nothing, fail if an answer would change")
    parser.add_argument("--prune", action="store_true", help="golden, live: take cases that pass from the list of expected failures")
    parser.add_argument("--count", type=int, default=5000, help="mutants: how many")
    parser.add_argument("--seed", type=int, default=2024, help="mutants: of which series")
    parser.add_argument("--store", action="store_true", help="corpus, mutants: store the oracle's verdicts in testdata")
    parser.add_argument("--live", action="store_true", help="corpus, mutants: ask the oracle even if verdicts are stored")
    oracle.add_library_option(parser)
    options = parser.parse_args()
    if options.mode in ("golden", "live"):
        return run_cases(options, options.mode == "live")
    if options.mode == "update":
        return update(options)
    if options.mode == "rules":
        return rules(options)
    return sources(options, options.mode == "mutants")


if __name__ == "__main__":
    sys.exit(main())
