#!/usr/bin/env python3
"""One-line snippets for every function, with Puppet's answers.

    make_cases.py check PUPC [WORD…]   pupc against the stored answers (of snippets that hold all the words); -v shows them all
    make_cases.py update [WORD…]       asks Puppet and writes the answers; without words all files anew
    make_cases.py note PUPC REASON     adds the failures to known_differences.tsv, and takes what passes off it
    make_cases.py live PUPC [WORD…]    pupc against Puppet, now, without writing

The snippets are made in builtin_cases.py and stdlib_cases.py: pools of edge values for every function, and lists for each one. An answer
file has a snippet a line and below it, indented, what came of it:

    abs(-3)
      = -3                    the value, as JSON of a catalog
    notice('a')
      ~ notice: …             a log line
      ! 1:6 text              an error with line and column

A snippet is an expression, with `%off ` or `%warning ` in front for another strictness; what stands before ` ;; ` in it is put before it. It is compiled as `$r = EXPRESSION` with
`notify { 'r': message => [$r] }` behind it. Answers of the form of snippets kept by hand, where Puppet 8 differs from the oracle, are in
puppet8.answers, which wins. known_differences.tsv: snippet, tab, reason; what is listed and passes is an error.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "conformance"))
sys.dont_write_bytecode = True

import answers  # noqa: E402
import builtin_cases  # noqa: E402
import error_count  # noqa: E402
import oracle  # noqa: E402
import pupc  # noqa: E402
import stdlib_cases  # noqa: E402

STDLIB = "/usr/share/puppet/modules.available/puppetlabs-stdlib"
FILES = {"builtin": builtin_cases, "stdlib": stdlib_cases}
FACTS = {
    "networking": {"fqdn": "web1.example.com", "hostname": "web1", "ip": "10.1.2.3", "interfaces": {"eth0": {"ip": "10.1.2.3"}, "lo": {"ip": "127.0.0.1"}}},
    "os": {"name": "Debian", "family": "Debian", "release": {"full": "12.4", "major": "12"}},
    "fqdn": "web1.example.com", "hostname": "web1", "operatingsystem": "Debian", "operatingsystemrelease": "12.4",
    "interfaces": "eth0,lo", "ipaddress": "10.1.2.3", "ipaddress_eth0": "10.1.2.3", "macaddress_eth0": "00:11:22:33:44:55", "netmask_eth0": "255.255.255.0",
    "network_eth0": "10.1.2.0", "ipaddress_lo": "127.0.0.1", "network_lo": "127.0.0.0", "list": ["a", {"b": "c"}], "dotted": {"a.b": 1},
}


def settings(snippet):
    """`%off EXPRESSION` and `%warning EXPRESSION`: the strictness, where it is not `error`."""
    if snippet.startswith("%"):
        strict, _, rest = snippet[1:].partition(" ")
        return {"strict": strict}, rest
    return {}, snippet


def source(snippet):
    before, separator, expression = snippet.rpartition(" ;; ")
    return f"{before}{' ' if separator else ''}$r = {expression}\nnotify {{ 'r': message => [$r] }}"


# Errors of Ruby, not of the language, whose texts name its objects, methods or files: only that there is one counts.
ACCIDENT = re.compile(r"undefined (local variable or )?method|stack level too deep|cannot load such file|0x0000|uninitialized constant"
                      r"|Puppet::Pops::Types::Iterable|Use of a Ruby (Integer|Float)")
VERSION = re.compile(r"puppet/[78]\.[0-9]+/")


# The place in Ruby's code that warns is none of the manifest's.
LOCATION = re.compile(r"\(location: [^)]*\)")


def judged(lines):
    """What of an answer counts."""
    if any(line.startswith("  ! ") and ACCIDENT.search(line) for line in lines):
        return ["  ! an error"]
    return lines


def answer_lines(answer):
    lines = []
    error = answer.get("error")
    final = answers.message_text(error["message"]) if error else None
    # The documentation's address has the version in it.
    for log in answer.get("logs") or []:
        if log["level"] == "err" and final is not None and answers.message_text(log["message"]) == final:
            continue
        text = LOCATION.sub("(file & line not available)", VERSION.sub("puppet/VERSION/", answers.one_line(log["message"])))
        lines.append(f"  ~ {log['level']}: {text}")
    if error:
        place = str(error["line"]) + (f":{error['column']}" if error.get("column") else "") if error.get("line") else "-"
        lines.append(f"  ! {place} {answers.one_line(final)}")
    else:
        resources = answer["catalog"]["resources"]
        value = [r for r in resources if r["type"] == "Notify" and r["title"] == "r"][0].get("parameters", {}).get("message")
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        lines.append("  = " + json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\x85", "\\u0085"))
        others = [f"{r['type']}[{r['title']}]" for r in resources if r["type"] not in ("Stage",) and f"{r['type']}[{r['title']}]" not in ("Class[Settings]", "Class[main]", "Notify[r]")]
        if others:
            lines.append("  + " + answers.one_line(" ".join(others)))
    return lines


def requests(name, snippets, modules):
    out = []
    for i, snippet in enumerate(snippets):
        out.append({"id": f"{name}{i}", "code": source(settings(snippet)[1]), **settings(snippet)[0], "facts": FACTS, "node": "web1.example.com", "modulepath": [modules]})
    return out


def read_answers(name):
    found = {}
    path = os.path.join(HERE, name + ".answers")
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8", newline="\n") as f:
        snippet = None
        for line in f.read().split("\n"):
            if line.startswith("#") or not line:
                continue
            if line.startswith("  "):
                found[snippet].append(line)
            else:
                snippet = line
                found[snippet] = []
    return found


def write_answers(name, found):
    with open(os.path.join(HERE, name + ".answers"), "w", encoding="utf-8", newline="\n") as f:
        f.write("# Puppet's answers to the snippets of make_cases.py; written by it.\n")
        for snippet, lines in found.items():
            f.write("\n".join([snippet, *lines]) + "\n")


def ask_oracle(name, snippets):
    with tempfile.TemporaryDirectory(prefix="pupc-functions") as work:
        if os.path.isdir(STDLIB):
            os.symlink(STDLIB, os.path.join(work, "stdlib"))
        replies = []
        for start in range(0, len(snippets), 400):
            replies += oracle.compile_all(requests(name, snippets[start:start + 400], work))
            print(f"{name}: {len(replies)}", file=sys.stderr)
        return dict(zip(snippets, [[line.replace(work, "MODULES") for line in answer_lines(a)] for a in replies]))


def ask_pupc(binary, name, snippets):
    with tempfile.TemporaryDirectory(prefix="pupc-functions") as work:
        if os.path.isdir(STDLIB):
            os.symlink(STDLIB, os.path.join(work, "stdlib"))
        replies = pupc.compile_all(binary, requests(name, snippets, work))
        return dict(zip(snippets, [[line.replace(work, "MODULES") for line in answer_lines(a)] for a in replies]))


def known_differences():
    known = {}
    with open(os.path.join(HERE, "known_differences.tsv"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                snippet, _, reason = line.rstrip("\n").partition("\t")
                known[snippet] = reason
    return known


def verdict(lines):
    return not any(line.startswith("  ! ") for line in lines)


def error_of(lines):
    """The error of an answer as error_count.py takes it, or None."""
    for line in lines:
        if line.startswith("  ! "):
            place, _, text = line[4:].partition(" ")
            numbers = [] if place == "-" else place.split(":")
            return {"message": text, "line": numbers[0] if numbers else None, "column": numbers[1] if len(numbers) > 1 else None}
    return None


def write_known_differences(known):
    with open(os.path.join(HERE, "known_differences.tsv"), "w", encoding="utf-8", newline="\n") as f:
        f.write("# Snippet, tab, reason: what differs from Puppet and why. A listed snippet that passes is an error.\n")
        for snippet, reason in known.items():
            f.write(f"{snippet}\t{reason}\n")


def compare(binary, words, live, verbose, note=None):
    known = known_differences()
    noted = {}
    by_hand = read_answers("puppet8")
    total, same, same_verdict, failures, listed = 0, 0, 0, 0, set()
    errors = error_count.ErrorCount()
    for name, module in FILES.items():
        expected = {} if live else read_answers(name)
        snippets = [s for s in (module.snippets() if live else expected) if all(w in s for w in words)]
        if live:
            expected = ask_oracle(name, snippets)
        expected = {s: by_hand.get(s, expected[s]) for s in snippets}
        actual = ask_pupc(binary, name, snippets)
        for s in snippets:
            total += 1
            want = judged(expected[s])
            got = actual[s] if want == expected[s] or verdict(actual[s]) else want
            if want == expected[s]:
                errors.add(error_of(want), error_of(got))
            elif not verdict(actual[s]):
                errors.texts_left_out += 1
            if want == got:
                same += 1
                same_verdict += 1
                if s in known and not note and not verbose:
                    print(f"{s}\n  passes, but is listed in known_differences.tsv")
                    failures += 1
                continue
            same_verdict += verdict(expected[s]) == verdict(actual[s])
            if note:
                noted[s] = known.get(s, note)
            if s in known and not verbose:
                listed.add(s)
                continue
            failures += 1
            print("\n".join([s, "  expected", *expected[s], "  but was", *actual[s]]))
    if note:
        write_known_differences(noted)
    if errors.total:
        print(errors.report())
    print(f"{total} snippets, {same} equal, {same_verdict} with an equal verdict, {len(listed)} known differences, {failures} failures")
    return 1 if failures or total == 0 else 0


def update(words):
    for name, module in FILES.items():
        snippets = list(module.snippets())
        assert len(set(snippets)) == len(snippets)
        old = read_answers(name)
        wanted = [s for s in snippets if s not in old or (all(w in s for w in words) if words else True)]
        fresh = ask_oracle(name, wanted)
        found = {s: fresh[s] if s in fresh else old[s] for s in snippets}
        # Answers of a million elements tell no more than shorter ones.
        lost = [s for s in snippets if any("ORACLE: no answer" in line or len(line) > 4000 for line in found[s])]
        for s in lost:
            print("no answer:", s)
            del found[s]
        write_answers(name, found)
        print(f"{name}: {len(found)} snippets, {len(fresh)} asked")


def main():
    words = [a for a in sys.argv[1:] if a != "-v"]
    if words and words[0] in ("check", "live") and len(words) > 1:
        return compare(words[1], words[2:], words[0] == "live", "-v" in sys.argv)
    if words and words[0] == "note" and len(words) == 3:
        return compare(words[1], [], False, False, words[2])
    if words and words[0] == "update":
        # `update new` asks only what is not there yet
        return update(["\0"] if words[1:] == ["new"] else words[1:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
