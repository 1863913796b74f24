#!/usr/bin/env python3
"""Calls functions that modules write in Ruby both ways, by pupc's interpreter and by Ruby, with made-up arguments, and compares values, errors and logs.

    functions_both_ways.py [--calls N] [--seed S] [--pupc FILE] [--modulepath DIRS] [--weigh] [--list] [FILTER…]

Arguments are made from the types of a function's dispatches, and at random where it has none; some of them do not fit. What pupc hands to
Ruby is counted, not compared. Exit status 1 when a call differs, 77 when there are no modules or no Ruby.
"""

import argparse
import collections
import glob
import json
import os
import random
import re
import shutil
import sys

import pupc

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = ["abc", "", "true", "false", "80", "a b", "/var/lib/x", "10.0.0.1", "192.168.1.0/24", "::1", "fe80::1", "é ü", "x:y", "absent", "on", "UPPER", "2.4.6", "it's",
         "a,b,c", "key=value", "http://example.com:80/x", "local all all trust", "host all all 10.0.0.0/8 md5", "eth0", "web-1.example.com", "foo_bar", "foo-bar", "100%", "\n",
         "yes\nx", "x\n12", "a\n\nb", "12\n", "-3\n.5"]
# What answers differently each time, or tells of a temporary file.
RANDOM = {"extlib::random_password", "time", "stdlib::time", "shuffle", "str2saltedsha512", "str2saltedpbkdf2", "validate_cmd", "fqdn_uuid"}
UNDEF = object()
DEFAULT = object()


def scalar(dice):
    return dice.choice([lambda: dice.choice(TEXTS), lambda: dice.choice(TEXTS), lambda: dice.randrange(-2, 5), lambda: dice.randrange(70000), lambda: True, lambda: False,
                        lambda: 1.5])()


def anything(dice, depth=2):
    kind = dice.randrange(10)
    if kind < 5 or depth == 0:
        return scalar(dice)
    if kind == 5:
        return UNDEF
    if kind < 8:
        return [anything(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {dice.choice(TEXTS[:1] + ["k1", "k2", "foo-bar", "foo_bar", "value", "ensure", "list"]): anything(dice, depth - 1) for _ in range(dice.randrange(4))}


def split(text):
    """Members of a type's list, outside of inner brackets and quotes."""
    parts, depth, start, quote = [], 0, 0, None
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote and text[i - 1] != "\\" else quote
        elif c in "'\"/":
            quote = c
        elif c in "[{":
            depth += 1
        elif c in "]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def of_type(dice, text, depth=3):
    """A value that probably is of a type."""
    text = text.strip()
    name, _, rest = text.partition("[")
    members = split(rest.rstrip()[:-1]) if rest else []
    if depth == 0:
        return scalar(dice)
    if name == "Optional":
        return UNDEF if dice.random() < 0.3 else of_type(dice, members[0] if members else "Any", depth)
    if name in ("Variant", "NotUndef"):
        return of_type(dice, dice.choice(members) if members else "Any", depth)
    if name == "Sensitive":
        return ("Sensitive", of_type(dice, members[0] if members else "String", depth - 1))
    if name == "Enum":
        return dice.choice(members).strip("'\"") if members else ""
    if name == "Pattern":
        return dice.choice(TEXTS)
    if name == "Integer":
        low = int(members[0]) if members and members[0].lstrip("-").isdigit() else 0
        return dice.choice([low, low + 1, low + dice.randrange(100)])
    if name in ("Numeric", "Float"):
        return dice.choice([1.5, 2.25, -0.5])
    if name == "Boolean":
        return dice.random() < 0.5
    if name in ("Array", "Collection", "Iterable"):
        return [of_type(dice, members[0] if members and not members[0].isdigit() else "Any", depth - 1) for _ in range(dice.randrange(1, 4))]
    if name == "Hash":
        return {str(of_type(dice, members[0] if len(members) > 1 else "String", 1)): of_type(dice, members[1] if len(members) > 1 else "Any", depth - 1)
                for _ in range(dice.randrange(1, 4))}
    if name == "Tuple":
        return [of_type(dice, m, depth - 1) for m in members if not m.isdigit()]
    if name == "Struct":
        out = {}
        for member in split(members[0].strip("{}")) if members else []:
            key, _, value = member.partition("=>")
            if "Optional" in key and dice.random() < 0.5:
                continue
            out[re.sub(r"Optional\[|\]|['\"\s]", "", key)] = of_type(dice, value, depth - 1)
        return out
    if name == "Undef":
        return UNDEF
    if name == "Any" or name == "Data" or name == "RichData":
        return anything(dice)
    if name == "Stdlib::Fqdn" or name == "Stdlib::Host":
        return "web1.example.com"
    if name.startswith("Stdlib::IP"):
        return dice.choice(["10.0.0.1", "192.168.1.0/24", "10.1.2.3/8", "::1", "fe80::1/64", "2001:db8::1"])
    return dice.choice(TEXTS)


def literal(v):
    if v is UNDEF:
        return "undef"
    if v is DEFAULT:
        return "default"
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return str(v)
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("\n", "\\n") + '"'
    if isinstance(v, tuple):
        return f"Sensitive({literal(v[1])})"
    if isinstance(v, list):
        return "[" + ", ".join(literal(x) for x in v) + "]"
    return "{" + ", ".join(literal(k) + " => " + literal(x) for k, x in v.items()) + "}"


# Programs that pupc has in C++ (compiler/stdlib/replaced_functions.inc), which --ruby=always runs as their files: with arguments of kinds that
# nobody gives them their errors differ. function_programs.py compares them with the arguments of the stored snippets.
IN_CPP = {"ensure_resource"}


def functions(modulepath, filters):
    """Name, path and module of every function in Ruby."""
    for directory in modulepath:
        for path in sorted(glob.glob(f"{directory}/*/lib/puppet/functions/**/*.rb", recursive=True) + glob.glob(f"{directory}/*/lib/puppet/parser/functions/*.rb")):
            if filters and not any(f in path for f in filters):
                continue
            name = re.sub(r".*/lib/puppet/(?:parser/)?functions/", "", path)[:-3].replace("/", "::")
            if name not in RANDOM and name not in IN_CPP:
                yield name, path


def signatures(text):
    """Of each dispatch: a list of (kind, type)."""
    out = []
    for body in re.findall(r"^\s*dispatch[ (]:?['\"]?\w+\)? do\n(.*?)^\s*end", text, re.S | re.M):
        out.append(re.findall(r"^\s*(param|required_param|optional_param|repeated_param|required_repeated_param|optional_repeated_param)\(?\s*['\"](.*)['\"],\s*:\w+", body, re.M))
    return out


def arguments(dice, text):
    known = signatures(text)
    if not known or dice.random() < 0.1:
        fixed = re.search(r"def \w+\(([^)]*)\)", text)
        count = len(fixed.group(1).split(",")) if "create_function" in text and fixed and fixed.group(1) and dice.random() < 0.8 else dice.randrange(1, 5)
        return [anything(dice) for _ in range(count)]
    args = []
    for kind, type_text in dice.choice(known):
        count = 1
        if kind == "optional_param":
            if dice.random() < 0.4:
                break
        elif kind != "param" and kind != "required_param":
            count = dice.randrange(0 if kind == "repeated_param" else 1, 4)
        args += [of_type(dice, type_text) if dice.random() < 0.95 else anything(dice) for _ in range(count)]
    return args


def outcome(answer):
    """Value or error, and logs."""
    logs = [(log.get("level"), log.get("message")) for log in answer.get("logs") or [] if log.get("level") not in ("debug", "err")]
    if not answer["ok"]:
        error = answer["error"] or {}
        return ("error", error.get("message"), error.get("line"), logs)
    return ("value", [r["parameters"].get("message") for r in answer["catalog"]["resources"] if r["type"] == "Notify"], logs)


def calls_in_manifests(modulepath):
    """How often the manifests and EPP templates of the modules call each name."""
    counts = collections.Counter()
    for directory in modulepath:
        for path in glob.glob(f"{directory}/*/**/*", recursive=True):
            if not path.endswith((".pp", ".epp")) or not os.path.isfile(path):
                continue
            with open(path, encoding="utf-8", errors="replace") as f:
                text = re.sub(r"^\s*#.*$", "", f.read(), flags=re.M)
            for name, method in re.findall(r"(?<![\w:$@])(?:::)?([a-z]\w*(?:::[a-z]\w*)*)\s*\(|\.\s*(?:::)?([a-z]\w*(?:::[a-z]\w*)*)\b", text):
                counts[name or method] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    parser.add_argument("--calls", type=int, default=20, help="of each function")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modulepath", default="/usr/share/puppet/modules")
    parser.add_argument("--show", type=int, default=15)
    parser.add_argument("--weigh", action="store_true", help="also the share where each function counts as often as the modules' manifests call it")
    parser.add_argument("--list", action="store_true", help="a line for each function: what keeps it from running natively")
    options = parser.parse_args()
    modulepath = options.modulepath.split(":")
    found = list(functions(modulepath, options.filters))
    if not found or shutil.which("ruby") is None or shutil.which(options.pupc) is None:
        print("modules with functions, ruby or pupc are missing")
        return 77
    requests, owner = [], {}
    for name, path in found:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        for n in range(options.calls):
            dice = random.Random(f"{options.seed}:{name}:{n}")
            code = f"$result = {name}({', '.join(literal(a) for a in arguments(dice, text))})\nnotify {{ 'x': message => String([$result], '%#p') }}"
            owner[f"{path}#{n}"] = name
            requests.append({"id": f"{path}#{n}", "code": code, "modulepath": modulepath})
    own = pupc.compile_all(options.pupc, [r | {"ruby": "never"} for r in requests], timeout=900)
    theirs = pupc.compile_all(options.pupc, [r | {"ruby": "always"} for r in requests], timeout=3000)
    same, handed, different, unknown, by_function = 0, 0, [], 0, {}
    good = [0, 0]  # calls that give a value, and those of them that run natively
    for request, a, b in zip(requests, own, theirs):
        mine, reference = outcome(a), outcome(b)
        path = request["id"].rsplit("#", 1)[0]
        counts = by_function.setdefault(path, [0, 0])
        if reference[0] == "value":
            good[0] += 1
            good[1] += mine == reference
        if mine[0] == "error" and ("is written in Ruby" in (mine[1] or "") or "needs Ruby" in (mine[1] or "")):
            handed += 1
        elif mine[0] == "error" and "Unknown function" in (mine[1] or "") and mine == reference:
            unknown += 1
            by_function.pop(path, None)
            continue
        elif mine == reference:
            same += 1
            counts[0] += 1
        else:
            different.append((request, mine, reference))
        counts[1] += 1
    native = sum(1 for done, total in by_function.values() if done * 2 > total)
    print(f"{len(requests)} calls of {len(by_function)} functions: {same} equal, {len(different)} different, {handed} handed to Ruby, {unknown} of unknown functions; "
          f"{native} functions native ({100 * native / max(1, len(by_function)):.1f} %), {100 * same / max(1, same + handed):.1f} % of the calls, {100 * good[1] / max(1, good[0]):.1f} % of those that give a value")
    if options.weigh:
        weights, names = calls_in_manifests(modulepath), {path: name for name, path in found}
        total = sum(weights[names[path]] for path in by_function)
        own = sum(weights[names[path]] * done / all_calls for path, (done, all_calls) in by_function.items())
        print(f"{100 * own / max(1, total):.1f} % of the {total} calls in manifests")
    if options.list:
        for path, (done, total) in sorted(by_function.items()):
            print(f"  {done}/{total} {path}")
    for request, mine, reference in different[:options.show]:
        print("DIFFERENT", request["id"], request["code"].split("\n")[0][:600])
        print("  native:", json.dumps(mine, ensure_ascii=False)[:700])
        print("  ruby:  ", json.dumps(reference, ensure_ascii=False)[:700])
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
