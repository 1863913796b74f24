#!/usr/bin/env python3
"""Compares `pupc facts` with Puppet's `facter --json --show-legacy` on this machine.

Usage: facts_conformance.py PUPC
Every fact that Puppet prints is to be there with the same value; volatile ones with the same structure. Left out are facts of Ruby itself
and what Puppet cannot see here (it gives up on facts about containers when the first process's environment is not readable).
Exit 77 (skipped) when there is no facter.
"""
import json
import re
import shutil
import subprocess
import sys
import time

# Facts of Puppet's own implementation.
NOT_OURS = re.compile(r"^(dhcp_servers)(\.|$)")
# The same structure is enough: these change while one looks.
VOLATILE = re.compile(r"^(load_averages|memory|memoryfree|memoryfree_mb|swapfree|swapfree_mb|system_uptime|uptime.*|processors\.speed)(\.|$)|"
                      r"^mountpoints\..*\.(available|used|capacity)")


def leaves(prefix, value):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(f"{prefix}.{key}" if prefix else key, inner)
    else:
        yield prefix, value


def run(argv):
    return json.loads(subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)


def external(pupc):
    """External facts of all kinds, one over another."""
    import os
    import tempfile
    failures = []
    with tempfile.TemporaryDirectory() as top:
        for directory, name, text in (
                ("one", "a.txt", "Foo=bar\nbaz = x=y\n=z\nname=\na.b=1\nkernel=Nope\n"),
                ("one", "b.yaml", "foo: fromyaml\nst:\n  l: [1, 2.5, ~]\ntime: 2020-01-01 10:00:00\nd: 2020-01-01\n"),
                ("one", "c.json", '{"foo":"json","j":{"k":[1]}}'),
                ("one", "d.sh", "#!/bin/sh\necho foo=exec\necho oops >&2\n"),
                ("one", "e", '#!/bin/sh\necho "y: [1,2]"\necho "z: {a: 1}"\n'),
                ("one", "f.json", "{bad"), ("one", "g.yaml", "foo: [bad\n"), ("one", "h", "#!/bin/sh\nexit 3\n"),
                ("one", "n.conf", "n=1"), ("one", ".h.txt", "hidden=1\n"), ("two", "a.txt", "foo=two\nonly=two\n")):
            os.makedirs(f"{top}/{directory}", exist_ok=True)
            with open(f"{top}/{directory}/{name}", "w") as f:
                f.write(text)
            if "." not in name or name.endswith(".sh"):
                os.chmod(f"{top}/{directory}/{name}", 0o755)
        dirs = ["--external-dir", f"{top}/one", "--external-dir", f"{top}/two"]
        names = ["foo", "kernel", "baz", "baz ", "a.b", "a", "name", "st", "st.l", "st.l.0", "time", "d", "j.k", "y", "z.a", "n", "hidden", "only"]
        theirs, ours = run(["facter", "--json", *dirs, *names]), run([pupc, "facts", *dirs, *names])
        for name in names:
            if theirs.get(name) != ours.get(name):
                failures.append(f"external {name!r}: Facter {theirs.get(name)!r}, pupc {ours.get(name)!r}")
    return failures, len(names)


def main():
    pupc = sys.argv[1]
    limit = float(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else float("inf")  # milliseconds; sanitizer builds have none
    if not shutil.which("facter"):
        print("no facter: skipped")
        return 77
    theirs = run(["facter", "--json", "--show-legacy"])
    ours = dict(leaves("", run([pupc, "facts", "--show-legacy"])))
    equal = volatile = 0
    failures = []
    for name, value in leaves("", theirs):
        if NOT_OURS.search(name) or value is None:
            continue
        if name not in ours:
            failures.append(f"{name}: missing (Facter's {value!r})")
        elif VOLATILE.search(name):
            volatile += 1
            if type(value) is not type(ours[name]):
                failures.append(f"{name}: Facter {value!r}, pupc {ours[name]!r}")
        elif value != ours[name]:
            failures.append(f"{name}: Facter {value!r}, pupc {ours[name]!r}")
        else:
            equal += 1
    more, count = external(pupc)
    failures += more
    times = []
    # A neighbour on the same machine can slow a few runs down; what is too slow stays above the limit.
    while len(times) < 5 or (min(times) > limit and len(times) < 50):
        begin = time.monotonic()
        run([pupc, "facts"])
        times.append((time.monotonic() - begin) * 1000)
    print(f"{equal} facts equal, {volatile} of the same structure, {count} external ones compared; best of {len(times)} runs {min(times):.1f} ms (limit {limit:g})")
    if min(times) > limit:
        failures.append(f"collecting facts takes more than {limit:g} ms")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
