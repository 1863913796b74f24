"""Case files: the input of a case and, below it, the expected answer, as text that people read.

    # Prose about the section.

    === A class is evaluated once
    %facts {"os": {"family": "Debian"}}
    class a { notify { 'x': } }
    include a, a
    -- mymodule/manifests/init.pp --
    class mymodule { }
    ----
    classes: settings a
    Class[A] in Stage[main] #class #a
    Notify[x] @1 in Class[A] #notify #x #class #a

A title begins a case. Directives (%name value) may follow it, then the main manifest, then files of modules (a path below the
modules' directory between dashes), then `----` and the expected answer in the form of answers.render.

Directives
  %facts NAME | {JSON}    a file of testdata/facts, or the facts themselves
  %node NAME              the node's name (test.example.com)
  %strict LEVEL           off, warning or error (error)
  %strict_variables BOOL  (true)
  %modulepath debian      with the modules of Debian's packages
  %validate [epp]         only check the source, as `pupc validate`; the expected answer is the list of errors
  %code "JSON string"     the source, for bytes that don't show in an editor
  %puppet8 REASON         the oracle (7.23) answers differently from Puppet 8: the expected answer is kept by hand
  %verdict_only REASON    only acceptance or refusal counts, for errors of Puppet that are accidents
"""

import json
import os
import re

TITLE = "=== "
ANSWER = "----"
FILE = re.compile(r"^-- (\S+) --$")
DIRECTIVE = re.compile(r"^%(\w+)(?: (.*))?$")
DIRECTIVES = {"facts", "node", "strict", "strict_variables", "modulepath", "validate", "code", "puppet8", "verdict_only"}


class CaseError(Exception):
    """A case file that is not in the form described above."""


def case_id(section, title):
    """The file's name without suffix and the title in lower case with dashes."""
    return section + "/" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def chosen(cases, filters):
    """The cases that a filter fits: a part of the id, or the whole id, which stands for that case alone. No filter fits all."""
    ids = {case.id for case in cases}
    return [case for case in cases if not filters or any(case.id == part if part in ids else part in case.id for part in filters)]


class Case:
    """One case. `id` is its case_id."""

    def __init__(self, section, title, line):
        self.title = title
        self.line = line
        self.id = case_id(section, title)
        self.directives = {}
        self.source = []
        self.files = {}
        self.expected = []

    @property
    def code(self):
        if "code" in self.directives:
            return json.loads(self.directives["code"])
        return "".join(line + "\n" for line in self.source)


class CaseFile:
    """A file of cases; write() gives back the text it was read from, with the cases' present expectations."""

    def __init__(self, path, section):
        self.path = path
        self.preamble = []
        self.cases = []
        self._read(section)

    def _read(self, section):
        case = None
        target = self.preamble
        at_head = False
        with open(self.path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if line.startswith(TITLE):
                    case = Case(section, line[len(TITLE):].strip(), number)
                    self.cases.append(case)
                    target, at_head = case.source, True
                    continue
                if case is None:
                    target.append(line)
                    continue
                directive = DIRECTIVE.match(line) if at_head else None
                if directive:
                    name, value = directive.groups()
                    if name not in DIRECTIVES or name in case.directives:
                        raise CaseError(f"{self.path}:{number}: unknown or repeated directive %{name}")
                    case.directives[name] = value or ""
                    continue
                at_head = False
                name = FILE.match(line)
                if line == ANSWER and target is not case.expected:
                    target = case.expected
                elif name and target is not case.expected:
                    target = case.files.setdefault(name.group(1), [])
                else:
                    target.append(line)
        seen = {}
        for case in self.cases:
            for part in [case.source, case.expected, *case.files.values()]:
                while part and not part[-1].strip():
                    part.pop()
            if case.id in seen:
                raise CaseError(f"{self.path}:{case.line}: the title of line {seen[case.id]} again")
            seen[case.id] = case.line

    def write(self):
        out = list(self.preamble)
        for case in self.cases:
            out.append(TITLE + case.title)
            out += [f"%{name} {value}".rstrip() for name, value in case.directives.items()]
            out += case.source
            for name, lines in case.files.items():
                out += [f"-- {name} --", *lines]
            out += [ANSWER, *case.expected, ""]
        text = "\n".join(out).rstrip("\n") + "\n"
        with open(self.path, encoding="utf-8") as f:
            if f.read() == text:
                return False
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(text)
        return True


def read_all(testdata, folders):
    """All case files below the given folders of testdata, in the order of their paths."""
    files = []
    for folder in folders:
        for root, dirs, names in os.walk(os.path.join(testdata, folder)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith(".cases"):
                    path = os.path.join(root, name)
                    section = os.path.relpath(path, testdata)[: -len(".cases")]
                    files.append(CaseFile(path, section))
    return files
