#!/usr/bin/env python3
"""`validate --fix` and `fmt` leave the catalogs of the golden cases as they were: the main manifest and the modules of each case of testdata/eval and
testdata/compile, written untidily, compiled before and after. Only columns may move, and lines where the formatter wrote.

    style_cases.py PUPC
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import casefile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTDATA = os.path.join(ROOT, "testdata")
RUN_DATA = r'"(version|catalog_uuid|code_id)":("[^"]*"|\d+|null)'
COLUMNS = r'(column: |"column":|\b\d+:)\d+'
LINES = r'(line: |"line":|:|Line: )\d+'
# Cases that do change, and why.
KNOWN = {
    "compile/ruby/frozen_values/a-function-that-changes-a-variable-s-frozen-text":
        "Puppet freezes texts in single quotes and not those in double quotes: a Ruby function that changes a text in place can tell them apart",
    "compile/ruby/frozen_values/changes-of-what-is-frozen-natively-and-by-ruby": "likewise",
    "eval/functions_in_ruby/variables-of-the-function-s-object-and-ruby-that-takes-over":
        "likewise: two names of one text that may change are an error where Ruby takes a function over, which a frozen text is not",
}


def facts_of(case):
    given = case.directives.get("facts", "{}")
    if given.startswith("{"):
        return json.loads(given)
    with open(os.path.join(TESTDATA, "facts", given + ".json"), encoding="utf-8") as f:
        facts = json.load(f)
    return facts.get("values", facts)


def untidy(text):
    """The text as nobody should write it, so that there is something to fix: double quotes, tabs, arrows out of line, blanks at ends of lines."""
    text = re.sub(r"'([\w/. -]+)'", r'"\1"', text)
    text = re.sub(r" *=> *", lambda m: " " * (1 + len(m.group()) % 2) + "=>  ", text)
    return re.sub(r"(?m)^  ", "\t", text.replace(",\n", ", \n"))


class Copy:
    """The files of a case in a folder of its own."""

    def __init__(self, folder, case):
        self.case = case
        self.main = os.path.join(folder, "main.pp")
        self.modules = os.path.join(folder, "modules")
        for path, text in [(self.main, case.code)] + [(os.path.join(self.modules, n), "\n".join(t) + "\n") for n, t in case.files.items()]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(untidy(text))

    def text(self):
        with open(self.main, encoding="utf-8") as f:
            return f.read()

    def request(self):
        of = self.case.directives
        out = {"id": self.case.id, "code": self.text(), "node": of.get("node", "test.example.com"), "facts": facts_of(self.case),
               "modulepath": [self.modules]}
        if "strict" in of:
            out["strict"] = of["strict"]
        if "strict_variables" in of:
            out["strict_variables"] = of["strict_variables"] == "true"
        return json.dumps(out, ensure_ascii=False)


def answers(pupc, copies):
    done = subprocess.run([pupc, "compile", "--batch", "-", "--ruby", "never"], input="\n".join(c.request() for c in copies) + "\n",
                          capture_output=True, text=True, timeout=600)
    return [re.sub(COLUMNS, r"\1", re.sub(RUN_DATA, "", line)) for line in done.stdout.rstrip("\n").split("\n")]


def main():
    pupc = sys.argv[1]
    cases = [case for file in casefile.read_all(TESTDATA, ["eval", "compile"]) for case in file.cases if not {"validate", "modulepath"} & set(case.directives)]
    with tempfile.TemporaryDirectory() as folder:
        copies = [Copy(os.path.join(folder, str(i)), case) for i, case in enumerate(cases)]
        before, again = answers(pupc, copies), answers(pupc, copies)
        texts = [c.text() for c in copies]
        fixing = subprocess.run([pupc, "validate", "--fix", "--syntax-only", "--style-config", "/dev/null", "--format", "json", folder],
                                capture_output=True, text=True, timeout=600)
        changed = sum(c.text() != text for c, text in zip(copies, texts))
        after = answers(pupc, copies)
        subprocess.run([pupc, "fmt", folder], capture_output=True, text=True, timeout=600)
        formatted = answers(pupc, copies)
    if not len(cases) == len(before) == len(again) == len(after) == len(formatted):
        print(f"{len(cases)} cases, answers: {len(before)}, {len(again)}, {len(after)}, {len(formatted)}")
        return 1
    steady = [i for i in range(len(cases)) if before[i] == again[i]]  # not those that tell the time
    without_lines = [re.sub(LINES, "", text) for text in before]
    other = [cases[i].id for i in steady if after[i] != before[i] and cases[i].id not in KNOWN]
    other_formatted = [cases[i].id for i in steady if re.sub(LINES, "", formatted[i]) != without_lines[i] and cases[i].id not in KNOWN]
    other += [f"{cases[i].id} (none, though it is listed)" for i in steady if cases[i].id in KNOWN and after[i] == before[i]]
    for name in other[:20]:
        print(f"another answer after --fix: {name}")
    for name in other_formatted[:20]:
        print(f"another answer when formatted: {name}")
    print(f"{len(steady)} cases, {changed} changed by --fix, {len(other)} with another answer, {len(other_formatted)} when formatted")
    # A manifest with an error is not mended; of any other that is a mistake of --fix.
    refused = [i for i in (int(n) for n in re.findall(r"/(\d+)/\S*: mending its style would change what it means", fixing.stderr)) if '"ok":true' in before[i]]
    for i in refused:
        print(f"--fix gave up: {cases[i].id}")
    return 1 if other or other_formatted or refused or not changed or len(steady) < len(cases) * 0.98 else 0


if __name__ == "__main__":
    sys.exit(main())
