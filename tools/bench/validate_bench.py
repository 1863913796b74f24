#!/usr/bin/env python3
"""What `pupc validate` costs beside `puppet parser validate`: processor time on one core, in turns, so that both see the same machine.
Usage: validate_bench.py PUPC [DIRECTORY] [ROUNDS]
DIRECTORY: modules, by default those that Debian's packages have installed; the manifests in it are also named one by one.
The marks: at most 1/50 of Puppet's time without a cache, a second run at least five times faster than the one that fills the cache, and less
than 200 MB. Without `puppet` only the last two are measured."""
import os
import shutil
import subprocess
import sys
import tempfile


def cost(command):
    """Seconds of processor time and the largest memory in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def middle(values):
    return sorted(values)[len(values) // 2]


def main():
    pupc = os.path.abspath(sys.argv[1])
    directory = sys.argv[2] if len(sys.argv) > 2 else "/usr/share/puppet/modules.available"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    manifests = sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names if name.endswith(".pp"))
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    top = tempfile.mkdtemp()
    cache = os.path.join(top, "cache")
    uncached = [pupc, "validate", "--no-cache", "--jobs", "1"]
    cached = [pupc, "validate", "--cache", cache, directory]
    times = {"puppet": [], "directory": [], "manifests": [], "first": [], "second": []}
    memory = 0
    for _ in range(rounds):
        if shutil.which("puppet"):
            times["puppet"].append(cost(["puppet", "parser", "validate", *manifests])[0])
        for _ in range(10):
            seconds, megabytes = cost([*uncached, directory])
            times["directory"].append(seconds)
            times["manifests"].append(cost([*uncached, *manifests])[0])
            shutil.rmtree(cache, ignore_errors=True)
            times["first"].append(cost(cached)[0])
            times["second"].append(cost(cached)[0])
            memory = max(memory, megabytes)
    shutil.rmtree(top)
    print(f"{len(manifests)} manifests in {directory}; seconds of one core, least and middle")
    for name, values in times.items():
        if values:
            print(f"{name:10} {min(values):.4f} {middle(values):.4f}")
    if times["puppet"]:
        for name in ("directory", "manifests"):
            print(f"puppet / {name}: {min(times['puppet']) / min(times[name]):.1f} {middle(times['puppet']) / middle(times[name]):.1f}")
    print(f"first / second: {min(times['first']) / min(times['second']):.1f} {middle(times['first']) / middle(times['second']):.1f}")
    print(f"largest memory: {memory:.0f} MB")


if __name__ == "__main__":
    main()
