#!/usr/bin/env python3
"""Renders ERB both ways, natively and by Ruby (the oracle), and compares to the byte.

    erb_both_ways.py templates [--seeds N] [--seed FIRST] [--pupc FILE] [FILTER…]   every template of Debian's packaged modules (or of --modules), with made-up values
    erb_both_ways.py snippets FILE [--pupc FILE]                     one template per line (JSON strings)

Values are made from a seed, by how the template uses its variables (as a list, a hash, a number, text). A template that pupc hands to Ruby
is counted, not compared; where Ruby raises an error, pupc must not render.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import sys

import oracle
import pupc

PACKAGED = "/usr/share/puppet/modules.available"
RESERVED = {"name", "title", "module_name", "caller_module_name", "facts", "trusted", "server_facts", "environment", "servername", "serverip", "serverversion",
            "clientcert", "clientversion", "settings"}
HERE = os.path.dirname(os.path.abspath(__file__))


class Dice:
    """Numbers that depend on the seed and on how many were drawn."""

    def __init__(self, seed):
        self.seed, self.drawn = seed, 0

    def below(self, limit):
        self.drawn += 1
        return int.from_bytes(hashlib.sha256(f"{self.seed}:{self.drawn}".encode()).digest()[:8], "big") % limit

    def one_of(self, items):
        return items[self.below(len(items))]


TEXTS = ["abc", "", "true", "false", "80", "a b", "/var/lib/x", "10.0.0.1", "é ü", "x:y", "absent", "on", "UPPER", "line\nother", "2.4", "it's \"q\"", "_default_", "*:80"]
UNDEF = object()


def scalar(dice):
    return dice.one_of([lambda: dice.one_of(TEXTS), lambda: dice.one_of(TEXTS), lambda: dice.below(3), lambda: dice.below(70000), lambda: True, lambda: False])()


def listing(dice, depth=1):
    n = dice.below(4)
    if depth and dice.below(3) == 0:
        return [table(dice, 0) for _ in range(n)]
    return [dice.one_of(TEXTS) for _ in range(n)]


def table(dice, depth=1, keys=()):
    out = {}
    for key in list(keys) + ["k1", "k2", "zed"][:dice.below(4)]:
        if dice.below(4) == 0:
            continue
        kind = dice.below(6)
        out[key] = listing(dice, 0) if kind == 0 and depth else table(dice, 0, keys) if kind == 1 and depth else scalar(dice)
    return out


def make_value(dice, name, text):
    """A value that fits how the template uses the variable."""
    ref = r"(?:@" + re.escape(name) + r"\b|['\"](?:::)?" + re.escape(name) + r"['\"]\s*[\])])"
    if re.search(r"versioncmp\W+\[?\s*" + ref, text):
        return dice.one_of(["2.2", "2.4", "2.4.6", "10.0", "1.9.7"])
    if dice.below(9) == 0:
        return UNDEF
    if dice.below(12) == 0:
        return dice.one_of([scalar, listing, table])(dice)
    if re.search(ref + r"[^\n]{0,40}(\.each_pair|\.keys|\.sort_by|\.has_key|each do \|\s*\(?\w+\s*,|sort\.each do \|\(?\w+\s*,)", text):
        return table(dice)
    keys = re.findall(r"\[['\"](\w+)['\"]\]", text)
    if re.search(ref + r"\[['\"]", text):
        return table(dice, 1, keys)
    if re.search(ref + r"[^\n]{0,30}(\.each|\.join|\.map|\.collect|\.first|\.flatten|\.sort|\.uniq|\.any|\.compact|\.inject)", text) or re.search(
            r"(Array\(|\[)" + ref, text):
        if keys and re.search(ref + r"[^\n]{0,30}\.each", text) and dice.below(2):
            return [table(dice, 1, keys) for _ in range(dice.below(3))]
        return listing(dice)
    if re.search(r"Integer\(" + ref, text) or re.search(ref + r"\s*[<>*+-]\s*\d", text):
        return dice.below(5000)
    if re.search(ref + r"[^\n]{0,10}(\.gsub|\.split|\.start_with|\.upcase|\.capitalize|\.downcase|=~|\.ljust)", text):
        return dice.one_of(TEXTS)
    return scalar(dice)


def literal(v):
    """A value as Puppet source."""
    if v is UNDEF:
        return "undef"
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return str(v)
    if isinstance(v, str):
        return "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(v, list):
        return "[" + ", ".join(literal(x) for x in v) + "]"
    return "{" + ", ".join(literal(k) + " => " + literal(x) for k, x in v.items()) + "}"


def request_for(path, text, seed):
    dice = Dice(f"{os.path.basename(path)}:{seed}")
    plain = sorted(set(re.findall(r"@([a-z_]\w*)", text)) | set(re.findall(r"scope(?:\[|\.lookupvar\(|\.lookupvar )['\"](?:::)?([a-z]\w*)['\"]", text)))
    tops = set(re.findall(r"['\"]::([a-z]\w*)['\"]", text)) - RESERVED
    code = []
    for name in plain:
        if name not in RESERVED and name not in tops and not name.startswith("_"):
            code.append(f"  ${name} = {literal(make_value(dice, name, text))}")
    others = {}
    for scope, name in re.findall(r"['\"](?:::)?((?:[a-z]\w*::)+)([a-z_]\w*)['\"]", text):
        others.setdefault(scope[:-2], set()).add(name)
    before = "".join(f"${name} = {literal(make_value(dice, name, text))}\n" for name in sorted(tops))
    for scope in sorted(others):
        if scope == "settings":
            continue
        before += f"class {scope} {{\n" + "".join(f"  ${n} = {literal(make_value(dice, scope + '::' + n, text))}\n" for n in sorted(others[scope])) + "}\n"
        before += f"include {scope}\n"
    return {"id": f"{path}#{seed}", "code": f"{before}class both_ways {{\n" + "\n".join(code) + f"\n  notify {{ 'x': message => template('{path}') }}\n}}\ninclude both_ways\n"}


def templates(options):
    found = {}
    for root, _dirs, names in os.walk(options.modules, followlinks=True):
        for name in names:
            if name.endswith(".erb"):
                real = os.path.realpath(os.path.join(root, name))
                if not options.filters or any(f in real for f in options.filters):
                    found[real] = None
    requests = []
    for path in sorted(found):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            text = f.read()
        for seed in range(options.seed, options.seed + options.seeds):
            request = request_for(path, text, seed)
            request["modulepath"] = [options.modulepath]
            requests.append(request)
    return compare(requests, options)


def snippets(options):
    with open(options.filters[0], encoding="utf-8") as f:
        lines = [json.loads(line) for line in f if line.strip()]
    requests = [{"id": str(i), "code": f"notify {{ 'x': message => inline_template({literal(text)}) }}"} for i, text in enumerate(lines)]
    return compare(requests, options)


def rendered(answer):
    if not answer["ok"]:
        return None
    return [r["parameters"].get("message") for r in answer["catalog"]["resources"] if r["type"] == "Notify"]


def compare(requests, options):
    own = pupc.compile_all(options.pupc, [request | {"ruby": "never"} for request in requests])
    theirs = oracle.compile_all(requests, options.jobs)
    same = handed = both_fail = 0
    different, reasons, never = [], {}, {}
    for request, a, b in zip(requests, own, theirs):
        mine, reference = rendered(a), rendered(b)
        message = (a["error"] or {}).get("message", "")
        # A class made up here stands in the way when a module's function is looked for; without Ruby that ends the same way.
        if mine is None and ("needs Ruby" in message or "cannot redefine" in message or "written in Ruby" in message):
            reason = re.sub(r"line \d+: ", "", message.split("not available: ", 1)[-1])
            if reference is None:
                both_fail += 1
            else:
                handed += 1
                reasons.setdefault(re.sub(r" \((file|line).*", "", reason), []).append(request["id"])
        elif mine is None and reference is None:
            both_fail += 1
        elif mine == reference:
            same += 1
        else:
            different.append((request, mine, reference, a["error"], b["error"]))
        never.setdefault(request["id"].rsplit("#", 1)[0], []).append(None if reference is not None else (b["error"] or {}).get("message"))
    print(f"{len(requests)} renderings: {same} equal to the byte, {both_fail} an error both ways, {handed} handed to Ruby, {len(different)} different")
    if options.verbose:
        for path, errors in never.items():
            if all(errors):
                print("NEVER RENDERED", path, errors[0])
    for reason, ids in sorted(reasons.items(), key=lambda x: -len(x[1]))[:options.show]:
        print(f"  {len(ids)}  {reason}   {ids[0]}")
    for request, mine, reference, error, expected_error in different[:options.show]:
        print("DIFFERENT", request["id"])
        if options.verbose:
            print(request["code"])
        print("  native:", json.dumps(mine, ensure_ascii=False) if mine else (error or {}).get("message"))
        print("  ruby:  ", json.dumps(reference, ensure_ascii=False) if reference else (expected_error or {}).get("message"))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["templates", "snippets"])
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=15)
    parser.add_argument("--modulepath", default="/usr/share/puppet/modules")
    parser.add_argument("--modules", default=PACKAGED, help="folder whose templates are rendered")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if not oracle.available() or not os.path.isdir(options.modules) or shutil.which(options.pupc) is None:
        print("the oracle, the packaged modules or pupc is missing")
        return 77
    return templates(options) if options.what == "templates" else snippets(options)


if __name__ == "__main__":
    sys.exit(main())
