#!/usr/bin/env python3
"""Writes generated.yaml (not kept: expected.jsonl has its cases with Puppet's answers): set-ups made of layers, merges, interpolations, lookup_options, conversions and errors, each case another draw.
The draws are the same at every run. Usage: make_cases.py > generated.yaml"""
import json
import random

SEED, COUNT = 4, 70
LEVELS = ["nodes/%{trusted.certname}.yaml", "roles/%{facts.role}.yaml", "os/%{facts.os.family}/%{facts.os.major}.yaml", "sites/%{site}.yaml", "common.yaml"]
FILES = {LEVELS[0]: "nodes/node.example.com.yaml", LEVELS[1]: "roles/web.yaml", LEVELS[2]: "os/Debian/12.yaml", LEVELS[3]: "sites/paris.yaml", LEVELS[4]: "common.yaml"}
FACTS = {"role": "web", "os": {"family": "Debian", "major": "12"}, "count": 3, "site_list": ["a", "b"]}
CODE = "$site = 'paris'\n$empty = ''\n"


def scalar(r, level):
    return r.choice([level, r.randint(-5, 99), True, None, 1.5, "", f"%{{facts.role}} {level}", "%{facts.os}", "%{trusted.certname}", "%{facts.nothing}", "%{site}-%{empty}.",
                     "%{lookup('m::name')}", "%{hiera('number')}", "%{alias('list')}", "%{literal('%')}{x}", "%{scope('site')}", "%{lookup('hash.a')}", "%{::site}",
                     "%{facts.site_list.1}", "%{lookup('missing')}", "%{}", "5", "3.25", "true", "--b"])


def value(r, kind, level, depth=0):
    if kind == "scalar" or depth > 2:
        return scalar(r, level)
    if kind == "list":
        return [value(r, r.choice(["scalar", "scalar", "scalar", "hash", "list"]), level, depth + 1) for _ in range(r.randint(0, 4))]
    return {r.choice(["a", "b", "c", "--a", level, "%{facts.role}"]): value(r, r.choice(["scalar", "list", "hash"]), level, depth + 1) for _ in range(r.randint(0, 4))}


KINDS = {"list": "list", "hash": "hash", "text": "scalar", "number": "scalar", "m::name": "scalar", "m::list": "list", "m::hash": "hash", "mixed": None}


def data(r, level):
    out = {}
    for key, kind in KINDS.items():
        if r.random() < 0.55:
            out[key] = value(r, kind or r.choice(["scalar", "list", "hash"]), level)
    return out


def merge(r):
    options = {"strategy": "deep"}
    if r.random() < 0.5:
        options["knockout_prefix"] = "--"
    if r.random() < 0.4:
        options["sort_merged_arrays"] = True
    if r.random() < 0.4:
        options["merge_hash_arrays"] = True
    return r.choice(["first", "unique", "hash", "deep", options, {"strategy": "unique"}, options])


def lookup_options(r, module):
    out = {}
    for key in KINDS:
        if r.random() < 0.3 and (not module or key.startswith("m::")):
            name = key if r.random() < 0.6 else "^" + key.replace("list", "l.st") + "$" if not module else "^m::" + key[3:4] + ".*"
            out[name] = {"merge": merge(r)}
            if r.random() < 0.4:
                out[name]["convert_to"] = r.choice(["String", "Array", "Integer", "Sensitive", ["Array", True], "Float", "Nonsense[", ["Hash", "hash_tree"]])
    return out


def yaml(v):
    return json.dumps(v) + "\n"


def case(number):
    r = random.Random(SEED * 1000 + number)
    files, levels = {}, r.sample(LEVELS, r.randint(2, 5))
    levels.sort(key=LEVELS.index)
    form = r.choice(["paths", "entries", "glob"])
    if form == "paths":
        hierarchy = [{"name": "All", "paths": levels}]
    elif form == "entries":
        hierarchy = [{"name": f"L{i}", "path": p} for i, p in enumerate(levels)]
    else:
        hierarchy = [{"name": "Globs", "globs": levels[:1] + ["os/**/*.yaml"]}, {"name": "Rest", "paths": levels[1:]}]
    if r.random() < 0.3:
        hierarchy.append({"name": "Mapped", "mapped_paths": ["facts.site_list", "item", "mapped/%{item}.yaml"]})
        files["data/mapped/a.yaml"] = yaml(data(r, "mapped_a"))
        files["data/mapped/b.yaml"] = yaml(data(r, "mapped_b"))
    files["hiera.yaml"] = yaml({"version": 5, "hierarchy": hierarchy})
    for level in levels:
        content = data(r, level.split("/")[0].split(".")[0])
        options = lookup_options(r, False)
        if options and r.random() < 0.7:
            content["lookup_options"] = options
        if r.random() < 0.92:
            files["data/" + FILES[level]] = yaml(content)
    out = {"name": f"generated {number}", "files": files, "facts": FACTS, "code": CODE}
    if r.random() < 0.5:
        files["modules/m/metadata.json"] = yaml({"name": "x-m", "version": "1.0.0", "author": "x", "license": "x", "summary": "x", "source": "x", "dependencies": []})
        module = {k: v for k, v in data(r, "module").items() if k.startswith("m::")}
        options = lookup_options(r, True)
        if options:
            module["lookup_options"] = options
        files["modules/m/hiera.yaml"] = yaml({"version": 5, "hierarchy": [{"name": "M", "path": "common.yaml"}]})
        files["modules/m/data/common.yaml"] = yaml(module)
    if r.random() < 0.3:
        out["global"] = yaml({"version": 5, "hierarchy": [{"name": "G", "path": "global.yaml", "datadir": "."}]})
        out["global_files"] = {"global.yaml": yaml(data(r, "global"))}
    if r.random() < 0.15:
        broken = r.choice(["a: [1\n", "- 1\n", "\xff\n", "a: b: c\n", "list: &x [1]\nhash: *y\n", "\ttab: 1\n", ""])
        files["data/common.yaml"] = broken
    out["strict"] = r.choice(["error", "error", "warning", "off"])
    lookups = [{"key": key} for key in KINDS]
    for _ in range(8):
        lookup = {"key": r.choice(list(KINDS) + ["hash.a", "list.0", "m::hash.b.c", "missing", "hash.a.b", "mixed.0.a", "text.x"])}
        if r.random() < 0.7:
            lookup["merge"] = merge(r)
        if r.random() < 0.3:
            lookup["default"] = r.choice([1, "d", [2]])
        if r.random() < 0.2:
            lookup["type"] = r.choice(["String", "Array", "Hash", "Array[String]", "Integer[0]"])
        lookups.append(lookup)
    out["lookups"] = lookups
    return out


def main():
    print("# Made by make_cases.py")
    for number in range(COUNT):
        print("- " + json.dumps(case(number), ensure_ascii=True))


main()
