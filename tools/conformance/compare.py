"""Compares two rendered answers and says in which respects they differ."""

import difflib
import re

ERROR = re.compile(r"^error(?: ((?:[^ :]*[^ :\d][^ :]*:)?\d+)(?::(\d+))?)?: (.*)$")
LOG = re.compile(r"^(?:notice|warning|err|alert|crit|emerg): ")
ATTRIBUTE = re.compile(r"^  (?:sensitive: |(\S+) = )")


class Parts:
    """A rendered answer taken apart again: errors, logs, header lines, resources with their parameters, edges."""

    def __init__(self, lines):
        self.errors = []
        self.logs = []
        self.header = []
        self.resources = []
        self.edges = []
        edges = False
        for line in lines:
            if edges:
                self.edges.append(line)
            elif line == "edges:":
                edges = True
            elif (error := ERROR.match(line)):
                self.errors.append(error.groups())
            elif LOG.match(line):
                self.logs.append(line)
            elif line.startswith(("classes: ", "tags: ")):
                self.header.append(line)
            elif line.startswith("  "):
                self.resources[-1][1].append(line)
            elif line != "ok":
                self.resources.append((line, []))


def differences(expected, actual, ignore_order=False):
    """The respects in which the answers differ, a list of words out of: verdict, message, line, column, logs, classes,
    resources, resource-order, parameters, parameter-order, edges. Empty when they are equal."""
    if expected == actual:
        return []
    a, b = Parts(expected), Parts(actual)
    found = []
    if bool(a.errors) != bool(b.errors):
        return ["verdict"]
    more_exact = False
    if a.errors != b.errors:
        if [e[2] for e in a.errors] != [e[2] for e in b.errors]:
            found.append("message")
        # Where Puppet knows no line or column, a more exact answer is no difference.
        pairs = list(zip(a.errors, b.errors))
        if any(e[0] is not None and e[0] != o[0] for e, o in pairs):
            found.append("line")
        elif any(e[1] is not None and e[1] != o[1] for e, o in pairs):
            found.append("column")
        more_exact = not found
    if a.logs != b.logs:
        found.append("logs")
    if a.header != b.header:
        found.append("classes")
    heads_a, heads_b = [r[0] for r in a.resources], [r[0] for r in b.resources]
    if heads_a != heads_b:
        same = sorted(heads_a) == sorted(heads_b)
        found.append("resource-order" if same else "resources")
    by_a, by_b = dict(a.resources), dict(b.resources)
    common = [h for h in heads_a if h in by_b]
    if any(sorted(by_a[h]) != sorted(by_b[h]) for h in common):
        found.append("parameters")
    elif any(by_a[h] != by_b[h] for h in common):
        found.append("parameter-order")
    if a.edges != b.edges:
        found.append("edges")
    if ignore_order:
        found = [f for f in found if not f.endswith("-order") and f != "edges"]
    elif not found and not more_exact:
        found.append("form")
    return found


def diff_text(expected, actual, names=("expected", "pupc")):
    """A unified diff of the two answers."""
    return "\n".join(difflib.unified_diff(expected, actual, *names, lineterm="", n=2))
