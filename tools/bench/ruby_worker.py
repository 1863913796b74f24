#!/usr/bin/env python3
"""What the Ruby worker costs: its start, and a call (the time of 20,000 in one compile, by --explain-ruby).

    ruby_worker.py [PUPC]
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile

PUPC = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "pupc")
FUNCTIONS = {
    "echo": "def echo(x) x end",
    "words": "def words(x) %w[a b c d].map { |w| { 'word' => w, 'n' => x } } end",
    "back": "def back(x) call_function('upcase', \"v#{x}\") end",
}

with tempfile.TemporaryDirectory() as root:
    folder = os.path.join(root, "m", "lib", "puppet", "functions", "m")
    os.makedirs(folder)
    for name, body in FUNCTIONS.items():
        with open(os.path.join(folder, name + ".rb"), "w", encoding="utf-8") as f:
            f.write(f"Puppet::Functions.create_function(:'m::{name}') do\n  {body}\nend\n")

    def explain(code):
        done = subprocess.run([PUPC, "compile", "--modulepath", root, "--explain-ruby", "-e", code], capture_output=True, check=True)
        return done.stderr.decode()

    starts = [float(re.search(r"started in ([\d.]+) ms", explain("m::echo(1)")).group(1)) for _ in range(9)]
    print(f"start: {statistics.median(starts):.1f} ms (median of {len(starts)}, {min(starts):.1f} to {max(starts):.1f})")
    for name in FUNCTIONS:
        times = []
        for _ in range(5):
            calls, cost = re.search(r": (\d+) calls, ([\d.]+) ms", explain(f"Integer[1, 4000].each |$i| {{ m::{name}($i) }}")).groups()
            times.append(float(cost) * 1000 / int(calls))
        print(f"call of {name}: {statistics.median(times):.1f} µs (median of {len(times)} runs of 4,000 calls)")
