#!/usr/bin/env python3
"""The set-ups of testdata/hiera through the whole program: every lookup is one compile, its value, error and warnings are compared with Puppet's.
Usage: hiera_cases.py PUPC [EXPECTED.jsonl] [NAME]

A lookup with `program` differs on purpose, for the reason in `because`: that text is in pupc's answer. Tests of compiler/hiera run the same file without an evaluator."""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def literal(v):
    if v is None:
        return "undef"
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, str):
        return "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(v, list):
        return "[" + ", ".join(map(literal, v)) + "]"
    if isinstance(v, dict):
        return "{" + ", ".join(f"{literal(k)} => {literal(x)}" for k, x in v.items()) + "}"
    return json.dumps(v)


def expression(lookup):
    if "code" in lookup:
        return lookup["code"]
    options = [f"{k} => {literal(lookup[k])}" for k in ("merge", "override", "default_values_hash") if k in lookup]
    if "type" in lookup:
        options.append(f"value_type => {lookup['type']}")
    if "default" in lookup:
        options.append(f"default_value => {literal(lookup['default'])}")
    rest = ", {" + ", ".join(options) + "}" if options else ""
    return f"lookup({literal(lookup['key'])}{rest})"


def set_up(case, root):
    import base64

    def write(path, content):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
    os.makedirs(f"{root}/production")
    for name, content in case.get("files", {}).items():
        write("production/" + name, content.replace("ROOTDIR", root).encode())
    for name, content in case.get("binary_files", {}).items():
        write("production/" + name, base64.b64decode(content))
    if "global" in case:
        write("global/hiera.yaml", case["global"].replace("ROOTDIR", root).encode())
    for name, content in case.get("global_files", {}).items():
        write("global/" + name, content.replace("ROOTDIR", root).encode())
    write("facts.json", json.dumps(case.get("facts", {})).encode())


def answer(pupc, case, lookup, root):
    code = f"{case.get('code', '')}\nnotify {{ 'answer': message => [{expression(lookup)}] }}"
    words = [pupc, "compile", "--environmentpath", root, "--environment", "production", "--facts", f"{root}/facts.json", "--node", "node.example.com",
             "--strict", case.get("strict", "error"), "-e", code, "--hiera-config", f"{root}/global/hiera.yaml"]
    if not case.get("strict_variables", True):
        words.append("--no-strict-variables")
    done = subprocess.run(words, capture_output=True, timeout=60)
    out = {}
    logs = done.stderr.decode(errors="replace").replace(root, "ROOT")
    entries = re.split(r"^(?=(?:Error|Warning|Notice): )", logs, flags=re.M)[0:]
    warnings = [e.rstrip("\n").replace("Warning: ", "warning: ", 1) for e in entries if e.startswith("Warning: ")]
    if done.returncode == 0:
        resource = next(r for r in json.loads(done.stdout.decode().replace(root, "ROOT"))["resources"] if r["title"] == "answer")
        out["value"] = resource["parameters"]["message"]
    else:
        out["error"] = "".join(e for e in entries if e.startswith("Error: "))[7:].rstrip("\n")
        out["error"] = re.split(r"\n  (?:Ruby raised|It is (?:in|at)) ", out["error"])[0]  # where pupc saw it
        out["error"] = out["error"].removesuffix(" on node node.example.com")  # not all lines of the log have it
        out["error"] = re.sub("comparison of .* failed", "comparison failed", out["error"])  # which two depends on how Ruby sorts
    if warnings:
        out["logs"] = warnings
    return out


def normal(expected):
    """Puppet's answer without what is not the lookup's: some warnings belong to its own time or version."""
    out = {k: v for k, v in expected.items() if k in ("value", "error")}
    if "error" in out:
        out["error"] = out["error"].rstrip("\n").removesuffix(" on node node.example.com")
        out["error"] = re.sub("comparison of .* failed", "comparison failed", out["error"])
    logs = [l for l in expected.get("logs", []) if l.startswith("warning: ")]
    logs = [re.sub(r"language.html|/\d+\.\d+/", lambda m: "/8.11/" if m[0][0] == "/" else m[0], l).rstrip("\n") for l in logs]
    if logs:
        out["logs"] = logs
    return out


def main():
    pupc = sys.argv[1]
    path = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "testdata/hiera/expected.jsonl")
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    passed = failed = known = 0
    for line in open(path, encoding="utf-8"):
        case = json.loads(line)
        if wanted not in case["name"]:
            continue
        with tempfile.TemporaryDirectory() as root:
            root = os.path.realpath(root)
            set_up(case, root)
            for lookup in case["lookups"]:
                got = answer(pupc, case, lookup, root)
                if json.dumps(got) == json.dumps(normal(lookup["expected"])):  # the order of hashes counts
                    passed += 1
                elif "ours" in lookup and got.get("error", "") in lookup["ours"]:
                    known += 1
                elif "undefined method `include?'" in lookup["expected"].get("error", "") and "Data Provider type mismatch" in got.get("error", ""):
                    known += 1  # Puppet fails in Ruby where a dotted key leads into a number
                elif lookup.get("program") and lookup["program"] in json.dumps(got, ensure_ascii=False):
                    known += 1
                else:
                    failed += 1
                    print(f"FAIL {case.get('file')}: {case['name']}: {expression(lookup)}\n  expected {json.dumps(normal(lookup['expected']))}\n  got      {json.dumps(got)}")
    print(f"{passed} passed, {failed} failed, {known} known differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
