#!/usr/bin/env python3
"""Command lines of `pupc resource`, in a throw-away root.

    resource_commands.py golden PUPC   pupc against testdata/resource/answers.json; needs no Puppet
    resource_commands.py live PUPC     pupc against Puppet, now
    resource_commands.py update PUPC   stores Puppet's answers

testdata/resource/commands.txt has a command line each, without the word `resource`; a line that starts with ! is shell text that prepares what follows,
one with @ is compared in pupc's own words (Puppet cannot be asked; the reason stands above it). All run one after the other in one root.
Compared: exit code, standard output, standard error. PUPPET_LIBRARY names the library of the Puppet to ask. Exit 77 without a root.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import throwaway_root  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "resource"
TYPED = FOLDER.parent / "apply" / "modules" / "typed"
PUPPET = f"ruby -W0 -I {os.environ['PUPPET_LIBRARY']} /usr/bin/puppet" if "PUPPET_LIBRARY" in os.environ else "puppet"
# Times of files, and Puppet's complaints about itself.
REPLACE = [(r"Finished in [\d.e-]+ seconds", "Finished in N seconds"), (r"'\d{4}-\d\d-\d\d [\d:]+ \+0000'", "'TIME'"), (r"^Warning: .*(Facter|deprecat).*\n", ""), (r"/tmp/[\w.-]+/\w+/work", "WORK"), (r"puppet resource", "pupc resource")]


# Of the list of all packages only what each Debian has, without versions: the rest is the machine's own.
EVERYWHERE = ("apt", "base-files", "bash", "coreutils", "dpkg")


def without_the_machine(line, out):
    if line != "package":
        return out
    blocks = re.findall(r"^package \{ '([^']+)':\n((?:.*\n)*?)\}\n", "".join(text + "\n" for text in out), flags=re.M)
    kept = "".join(f"package {{ '{name}':\n{body}}}\n" for name, body in blocks if name in EVERYWHERE)
    return re.sub(r"ensure   => '\d[^']*'", "ensure   => 'VERSION'", kept).splitlines()


def lines():
    out = []
    for line in (FOLDER / "commands.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            out.append(line)
    return out


def answers(who, top, how, pupc):
    root = throwaway_root.Root(top, how, pupc, [])
    (root.work / "modules" / "typed").symlink_to(TYPED)
    out = {}
    try:
        for line in lines():
            if line.startswith("!"):
                root.run(f"cd {root.inner}; {line[1:]}")
                continue
            if line.startswith("@") and who != "pupc":
                continue
            program = PUPPET if who == "reference" else root.pupc
            code = root.run(f"cd {root.inner}; {program} resource --color=false --modulepath {root.inner}/modules --vardir {root.inner}/var --confdir {root.inner}/conf "
                            f"{line.lstrip('@')} >{root.inner}/out 2>{root.inner}/err")
            texts = [(root.work / name).read_text(errors="replace") for name in ("out", "err")]
            for pattern, new in REPLACE:
                texts = [re.sub(pattern, new, t, flags=re.M) for t in texts]
            out[line] = {"exit": code, "out": without_the_machine(line, texts[0].splitlines()), "err": texts[1].splitlines()}
    finally:
        root.close()
    return out


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("golden", "live", "update"):
        sys.exit(__doc__)
    mode, pupc = sys.argv[1], os.path.abspath(sys.argv[2])
    how, reason = throwaway_root.kind()
    if how != "mount":
        print(f"skipped: {reason or 'the stand-ins need a mount namespace'}")
        return 77
    stored = FOLDER / "answers.json"
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        top = pathlib.Path(tmp)
        top.chmod(0o755)
        got = answers("pupc", top / "pupc", how, pupc)
        want = answers("reference", top / "reference", how, pupc) if mode != "golden" else json.loads(stored.read_text())
        if mode != "golden":
            want.update({line: answer for line, answer in got.items() if line.startswith("@")})
        if mode == "update":
            stored.write_text(json.dumps(want, indent=1, sort_keys=True) + "\n")
        for line, answer in got.items():
            if answer == want.get(line):
                continue
            failed += 1
            print(f"resource {line}")
            for what in ("exit", "out", "err"):
                w, g = want.get(line, {}).get(what), answer[what]
                if w != g:
                    print(f"  {what}: wanted {json.dumps(w)}\n  {what}: got    {json.dumps(g)}")
        print(f"{len(got)} command lines, {len(got) - failed} equal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
