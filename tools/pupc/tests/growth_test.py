#!/usr/bin/env python3
"""Many requests in one process must not make it grow. Usage: growth_test.py PUPC [REQUESTS]

Each request is other code, so that caches by content are met too: facts, types, patterns, templates, lookups that fail, errors and, where
Ruby is there, a template that needs it."""
import json
import subprocess
import sys

LARGEST_GROWTH_KB = 6_000
ALWAYS = ["class a(Integer $n) { notify { \"a${n}\": message => \"${facts['x']} ${n}\" } }\nclass { 'a': n => %d }",
          "type T = Variant[Integer, Array[T]]\n$v = [1, [2, [%d]]]\nif $v =~ T { notify { 'x': message => inline_epp('<%%= $n %%>', {n => %d}) } }",
          "notice(inline_template('<%%= [%d, 2].sort.join(\"-\") %%>'), regsubst('abc%d', '[a-c]+(\\d)', '\\1'))",
          "$x = Integer[1, 50].map |$i| { $i * %d }\nnotify { \"${x[3]}\": }",
          "fail('number %d')", "notify { 'a %d': before => Notify['none'] }", "$x = [1, 2", "notice(lookup('key%d', default_value => 1))"]


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def main():
    pupc, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    process = subprocess.Popen([pupc, "compile", "--batch", "-", "--jobs", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    sizes = []
    answered = 0
    for i in range(count):
        text = ALWAYS[i % len(ALWAYS)]
        request = {"id": i, "code": text.replace("%d", str(i)).replace("%%", "%"), "facts": {"x": f"fact {i}", "list": list(range(20))}}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answered += json.loads(process.stdout.readline())["id"] == i
        if i % (count // 20) == count // 20 - 1:
            sizes.append(memory(process.pid))
    process.stdin.close()
    code = process.wait(timeout=60)
    # The first quarter fills caches and the allocator's lists.
    growth = sizes[-1] - sizes[len(sizes) // 4]
    print(f"{answered} of {count} requests answered; {sizes[0]} KB first, {sizes[len(sizes) // 4]} KB after a quarter, {sizes[-1]} KB in the end")
    return 0 if code == 0 and answered == count and growth <= LARGEST_GROWTH_KB else 1


if __name__ == "__main__":
    sys.exit(main())
