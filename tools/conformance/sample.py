#!/usr/bin/env python3
"""The nodes of testdata/sample: pupc's catalogs against Puppet's.

  sample.py golden PUPC     against the stored answers: all nodes by digest, some in full
  sample.py live PUPC       against the oracle, now (half a minute)
  sample.py update          writes the oracle's answers to testdata/sample/expected
"""
import difflib
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import oracle  # noqa: E402

SAMPLE = HERE.parents[1] / "testdata" / "sample"
EXPECTED = SAMPLE / "expected"
# Without a store of exported resources and with one.
VARIANTS = {"alone": [], "store": ["--store"]}
IN_FULL = {
    "alone": ["bastion1.fra", "web01.fra", "web02.ams", "db01.fra", "cache02.ams", "worker03.fra"],
    "store": ["lb01.fra", "lb02.ams", "monitor01.ams"],
}


def text_of(answer):
    return "\n".join(answers.render(answer, [(str(SAMPLE), "SAMPLE")])) + "\n"


def ask_pupc(pupc, variant):
    """Node -> its answer as text."""
    with tempfile.TemporaryDirectory() as work:
        store = ["--store", f"{work}/store.sqlite"] if variant == "store" else []
        done = subprocess.run([pupc, "compile", "--environmentpath", SAMPLE / "environments", "--all-nodes", SAMPLE / "facts", "--output", f"{work}/out", "--no-group", *store],
                              capture_output=True, text=True, check=False)
        logs = {}
        for line in done.stderr.splitlines():
            level, _, rest = line.partition(": ")
            if level in ("Warning", "Notice", "Error"):
                node, _, message = rest.partition(": ")
                logs.setdefault(node, []).append({"level": level.lower(), "message": message})
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        return {p.stem: text_of({"ok": True, "catalog": json.loads(p.read_text()), "logs": logs.get(p.stem, [])}) for p in pathlib.Path(work, "out").glob("*.json")}


def ask_oracle(variant):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([*oracle.ruby(), HERE / "oracle" / "environment.rb", SAMPLE / "environments", SAMPLE / "facts", work, *VARIANTS[variant]], check=True)
        return {p.stem: text_of(json.loads(p.read_text())) for p in pathlib.Path(work).glob("*.json")}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def complain(variant, node, expected, actual):
    print(f"--- {variant}: {node}")
    print("\n".join(list(difflib.unified_diff(expected.splitlines(), actual.splitlines(), "Puppet", "pupc", lineterm="", n=0))[:40]))


def golden(pupc):
    failures = 0
    for variant in VARIANTS:
        actual = ask_pupc(pupc, variant)
        digests = dict(line.split() for line in (EXPECTED / f"{variant}.digests").read_text().splitlines())
        if sorted(digests) != sorted(actual):
            print(f"--- {variant}: other nodes than expected: {sorted(set(digests) ^ set(actual))}")
            failures += 1
        different = [n for n in sorted(actual) if digests.get(n) != digest(actual[n])]
        if different:
            print(f"--- {variant}: {len(different)} nodes differ: {' '.join(different)}")
            failures += len(different)
        for node in (f"{n}.example.com" for n in IN_FULL[variant]):
            expected = (EXPECTED / f"{variant}-{node}.txt").read_text()
            if expected != actual.get(node, ""):
                complain(variant, node, expected, actual.get(node, ""))
                failures += 1
        print(f"{variant}: {len(actual) - len(different)} of {len(digests)} nodes equal")
    return failures


def live(pupc):
    failures = 0
    for variant in VARIANTS:
        expected, actual = ask_oracle(variant), ask_pupc(pupc, variant)
        different = [n for n in sorted(expected) if expected[n] != actual.get(n, "")]
        for node in different[:3]:
            complain(variant, node, expected[node], actual.get(node, ""))
        print(f"{variant}: {len(expected) - len(different)} of {len(expected)} nodes equal")
        failures += len(different)
    return failures


def update():
    EXPECTED.mkdir(exist_ok=True)
    for variant in VARIANTS:
        expected = ask_oracle(variant)
        (EXPECTED / f"{variant}.digests").write_text("".join(f"{n} {digest(expected[n])}\n" for n in sorted(expected)))
        for node in (f"{n}.example.com" for n in IN_FULL[variant]):
            (EXPECTED / f"{variant}-{node}.txt").write_text(expected[node])
    return 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["golden", binary]: sys.exit(1 if golden(binary) else 0)
        case ["live", binary]: sys.exit(1 if live(binary) else 0)
        case ["update"]: sys.exit(update())
        case _: sys.exit(__doc__)
