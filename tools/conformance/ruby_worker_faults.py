#!/usr/bin/env python3
"""The Ruby worker when module code misbehaves: each case is one clear error, and the next compile of the same process succeeds.

    ruby_worker_faults.py [--pupc FILE]

Also: a compile that needs no Ruby starts none, one that needs it pays the start once, and what --explain-ruby lists.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# name of the function: (its body, what the error's message must match)
FUNCTIONS = {
    "killed": ("Process.kill(:KILL, Process.pid); sleep 5", r"The Ruby worker was killed by signal 9 .*while it ran the function 'm::killed' \(.*killed\.rb\)"),
    "ended": ("Process.exit!(7)", r"The Ruby worker ended with exit status 7 while it ran the function 'm::ended'"),
    "leaves": ("exit(3)", r"The function 'm::leaves' \(.*leaves\.rb\) called exit"),
    "aborts": ("abort('no more')", r"The function 'm::aborts' \(.*aborts\.rb\) called exit"),
    "endless": ("loop { }", r"The Ruby worker did not answer within 2 s and was ended while it ran the function 'm::endless'"),
    "deep": ("def again(n) = again(n + 1) + 1; again(0)", r"stack level too deep"),
    "raises": ("raise 'it broke'", r"it broke"),
    "missing": ("no_such_thing", r"undefined local variable or method `no_such_thing'"),
    "strange": ("Object.new", r"value"),
    "signal": ("raise Interrupt", r"Interrupt|interrupt"),
    "memory": ("raise NoMemoryError, 'too much'", r"too much"),
    "thrower": ("throw :nowhere", r"uncaught throw :nowhere"),
    "syntax": (None, r"syntax error"),
}
GOOD = {
    "prints": ("puts 'on stdout'; $stdout.write('x'); STDOUT.print 'y'; system('echo z'); warn 'w'; 'fine'", "fine"),
    "reads": ("$stdin.read.to_s + 'eof'", "eof"),
    "forks": ("pid = fork { exit!(0) }; Process.wait(pid); 'forked'", "forked"),
    "threads": ("Thread.new { raise 'in a thread' rescue nil }; Thread.new { 41 + 1 }.value.to_s", "42"),
    "closes": ("$stdout.close rescue nil; 'closed'", "closed"),
    "unicode": ("ObjectSpace.count_objects; 'é' * 3 + \"\\u{1F600}\"", "ééé\U0001F600"),
}


# Functions that keep what Ruby cannot get when it has to take over: (name, body of their method).
KEEPING = {
    "table": "(@table ||= Hash.new { |h, k| h[k] = 0 })[how] += 1; ObjectSpace.count_objects if how == 'ruby'; @table[how]",
    "shared": "@a ||= []; @b ||= @a; @b << how; ObjectSpace.count_objects if how == 'ruby'; @a.size",
    "outer": "@n = (@n || 0) + 1; how == 'in' ? @n : call_function('m::inner', how)",
    "inner": "call_function('m::outer', 'in')",
}


def write_keeping(root):
    for name, body in KEEPING.items():
        with open(os.path.join(root, "m", "lib", "puppet", "functions", "m", name + ".rb"), "w", encoding="utf-8") as f:
            f.write(f"Puppet::Functions.create_function(:'m::{name}') do\n  def {name}(how)\n    {body}\n  end\nend\n")


def write_module(root):
    folder = os.path.join(root, "m", "lib", "puppet", "functions", "m")
    os.makedirs(folder)
    for name, (body, _) in {**FUNCTIONS, **GOOD}.items():
        with open(os.path.join(folder, name + ".rb"), "w", encoding="utf-8") as f:
            if body is None:
                f.write(f"Puppet::Functions.create_function(:'m::{name}') do\n  def {name}\n    1 +\n  end\n")
            else:
                f.write(f"Puppet::Functions.create_function(:'m::{name}') do\n  def {name}\n    {body}\n  end\nend\n")


def write_types(root):
    folder = os.path.join(root, "m", "lib", "puppet", "type")
    os.makedirs(folder)
    for name, text in {
        "computed": "Puppet::Type.newtype(:computed) do\n  newparam(:name)\n  class_eval('newproperty(:size)')\nend\n",
        "broken": "Puppet::Type.newtype(:broken) do\n  newparam(:name)\n  eval('raise \"it is broken\"')\nend\n",
        "absent": "[:other].map { |n| Puppet::Type.newtype(n) { newparam(:name) } }\n",
    }.items():
        with open(os.path.join(folder, name + ".rb"), "w", encoding="utf-8") as f:
            f.write(text)


def write_data_types(root):
    folder = os.path.join(root, "m", "lib", "puppet", "datatypes", "m")
    os.makedirs(folder)
    for name, body in {
        "plain": "  interface 'attributes => { name => String }'",
        "coded": "  interface 'attributes => { name => String }, functions => { loud => Callable[[], String], dies => Callable[[], Any] }'\n"
                 "  implementation do\n    def loud\n      name.upcase\n    end\n\n    def dies\n      Process.kill(:KILL, Process.pid); sleep 5\n    end\n  end",
        "computed": "  interface format('attributes => { %s => String }', :name)",
    }.items():
        with open(os.path.join(folder, name + ".rb"), "w", encoding="utf-8") as f:
            f.write(f"Puppet::DataTypes.create_type('M::{name.capitalize()}') do\n{body}\nend\n")


def batch(pupc, modules, codes, *more):
    with tempfile.TemporaryDirectory(prefix="pupc-conformance") as work:
        given = os.path.join(work, "in.jsonl")
        with open(given, "w", encoding="utf-8") as f:
            for i, code in enumerate(codes):
                f.write(json.dumps({"id": str(i), "code": code, "facts": {}}) + "\n")
        done = subprocess.run([pupc, "compile", "--batch", given, "--modulepath", modules, *more], capture_output=True, timeout=120)
        return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()], done.stderr.decode("utf-8"), done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    options = parser.parse_args()
    if shutil.which("ruby") is None:
        print("Ruby is missing")
        return 77
    failures = []

    def check(name, condition, told=""):
        if not condition:
            failures.append(name)
            print(f"FAIL {name}: {told}")

    with tempfile.TemporaryDirectory(prefix="pupc-conformance") as modules:
        write_module(modules)
        codes, names = [], []
        for name in FUNCTIONS:
            codes += [f"notify {{ 'x': message => m::{name}() }}", "notify { 'x': message => m::unicode() }"]
            names += [name, None]
        answers, _, _ = batch(options.pupc, modules, codes, "--ruby-timeout", "2", "--jobs", "1")
        check("every request has an answer", len(answers) == len(codes), f"{len(answers)} of {len(codes)}")
        for name, answer in zip(names, answers):
            message = (answer["error"] or {}).get("message", "")
            if name is None:
                check("the compile after an error", answer["ok"], message)
                continue
            check(f"{name} fails", not answer["ok"], "it compiled")
            check(f"{name}: the message", re.search(FUNCTIONS[name][1], message), message)
            if name == "syntax":  # as in Puppet, which tells Ruby's place only
                continue
            # Puppet rescues StandardErrors only: what else Ruby raises has its text alone.
            if name not in ("signal", "memory"):
                check(f"{name}: one place", (answer["error"] or {}).get("line") == 1, json.dumps(answer["error"]))

        answers, _, _ = batch(options.pupc, modules, [f"notify {{ 'x': message => m::{name}() }}" for name in GOOD], "--jobs", "1")
        check("stdout holds nothing but answers", len(answers) == len(GOOD), str(len(answers)))
        for name, answer in zip(GOOD, answers):
            got = [r["parameters"]["message"] for r in answer["catalog"]["resources"] if r["type"] == "Notify"] if answer["ok"] else answer["error"]["message"]
            check(name, got == [GOOD[name][1]], got)

        # Ruby's own place is shown to people.
        done = subprocess.run([options.pupc, "compile", "--modulepath", modules, "-e", "m::raises()"], capture_output=True, timeout=60)
        check("Ruby's file and line", re.search(r"raises\.rb:3", done.stderr.decode()), done.stderr.decode())

        _, told, _ = batch(options.pupc, modules, ["notify { 'x': message => inline_template('<%= 1 + 1 %>') }"] * 3, "--explain-ruby")
        check("no Ruby where none is needed", told == "Ruby was not needed.\n", told)
        _, told, _ = batch(options.pupc, modules, ["notify { 'x': message => m::unicode() }"] * 20, "--explain-ruby", "--jobs", "1")
        check("--explain-ruby lists the function", re.search(r"^function m::unicode \(.*unicode\.rb\): 20 calls, [\d.]+ ms$", told, re.M), told)
        start = re.search(r"^Ruby processes: (\d+), started in ([\d.]+) ms", told, re.M)
        check("one process", start and start.group(1) == "1", told)
        # 150 on an idle machine (tools/bench). A neighbour can slow a few starts down; what is too slow stays above the limit.
        for _ in range(8):
            if not start or float(start.group(2)) < 600:
                break
            _, told, _ = batch(options.pupc, modules, ["notify { 'x': message => m::unicode() }"], "--explain-ruby", "--jobs", "1")
            start = re.search(r"^Ruby processes: (\d+), started in ([\d.]+) ms", told, re.M)
        check("its start is short", start and float(start.group(2)) < 600, told)

        # What is not evaluated starts no Ruby.
        not_called = ["if false { m::unicode() }", "true or m::unicode()", "$x = 1 ? { 1 => 2, default => m::unicode() }", "case 1 { 1: { } default: { m::unicode() } }",
                    "[].each |$x| { m::unicode() }", "function f() { m::unicode() }", "define d() { m::unicode() }", "class c { m::unicode() }",
                    "class c { if true { return() } m::unicode() } include c", "node 'other' { m::unicode() } node default { }",
                    "class c($x = m::unicode()) { } class { 'c': x => 1 }", "function m::unicode() { 1 } notice(m::unicode())"]
        for code in not_called:
            done = subprocess.run([options.pupc, "compile", "--modulepath", modules, "--explain-ruby", "-e", code], capture_output=True, text=True, timeout=60)
            check(f"not started: {code}", done.returncode == 0 and done.stderr.endswith("Ruby was not needed.\n"), done.stderr)

        # A type that only running tells: read once, its attributes are then known; without Ruby it accepts any.
        write_types(modules)
        resources = ["computed { 'x': size => 1 }", "computed { 'x': weight => 1 }", "broken { 'x': anything => 1 }", "absent { 'x': }"]
        answers, told, _ = batch(options.pupc, modules, resources, "--explain-ruby", "--jobs", "1")
        check("a computed type", answers[0]["ok"], str(answers[0]["error"]))
        check("its attributes are known", "no parameter named 'weight'" in (answers[1]["error"] or {}).get("message", ""), str(answers[1]["error"]))
        check("a broken type accepts any attribute", answers[2]["ok"], str(answers[2]["error"]))
        check("a type that its file does not define", not answers[3]["ok"] and "Unknown resource type: 'absent'" in answers[3]["error"]["message"], str(answers[3]))
        check("--explain-ruby lists the type", re.search(r"^type computed \(.*computed\.rb\): \d+ calls?, [\d.]+ ms\n  run because of this: ", told, re.M), told)
        check("--explain-ruby says what fails", re.search(r"^type broken .*\n  accepts any attribute: .*; running it: it is broken", told, re.M), told)
        answers, told, _ = batch(options.pupc, modules, resources[:2], "--ruby", "never", "--explain-ruby")
        check("--ruby=never: any attribute", all(a["ok"] for a in answers), str(answers))
        check("--ruby=never: a note", re.search(r"^  accepts any attribute: ", told, re.M) and "Ruby processes" not in told, told)

        # Data types: Ruby runs for functions only, and for what a literal does not tell.
        write_data_types(modules)
        answers, told, _ = batch(options.pupc, modules, ["notify { 'x': message => M::Plain('n').name }"], "--explain-ruby", "--ruby", "never")
        check("a data type without code", answers[0]["ok"] and told == "Ruby was not needed.\n", str(answers[0]) + told)
        answers, told, _ = batch(options.pupc, modules, ["notify { 'x': message => M::Coded('n').loud }"] * 2, "--explain-ruby", "--jobs", "1")
        check("a data type with code", all(a["ok"] for a in answers), str(answers))
        check("--explain-ruby lists the data type", re.search(r"^data type M::Coded\.loud: 2 calls", told, re.M), told)
        answers, _, _ = batch(options.pupc, modules, ["notify { 'x': message => M::Coded('n').loud }", "notify { 'x': message => M::Computed('n').name }"], "--ruby", "never")
        check("--ruby=never: a function of a data type", not answers[0]["ok"], str(answers[0]))
        check("--ruby=never: a computed data type", "M::Computed" in (answers[1]["error"] or {}).get("message", ""), str(answers[1]))
        answers, _, _ = batch(options.pupc, modules, ["M::Coded('n').dies", "notify { 'x': message => M::Coded('n').loud }"], "--jobs", "1")
        check("a worker lost in a data type", "killed by signal 9" in (answers[0]["error"] or {}).get("message", ""), str(answers[0]))
        check("the compile after it", answers[1]["ok"], str(answers[1]))

        # Variables of a function's object that Ruby cannot get are an error, never other values.
        write_keeping(modules)
        kept = {"notice(m::table('a'), m::table('ruby'))": "cannot get @table", "notice(m::shared('a'), m::shared('ruby'))": "cannot get @b",
                "m::outer('a')": "is called while it runs"}
        answers, _, _ = batch(options.pupc, modules, list(kept))
        for (code, told), answer in zip(kept.items(), answers):
            check(f"not handed over: {code}", told in (answer["error"] or {}).get("message", ""), str(answer))
        answers, _, _ = batch(options.pupc, modules, list(kept), "--ruby", "always")
        check("Ruby has all of them", all(a["ok"] for a in answers), str(answers))

        answers, told, _ = batch(options.pupc, modules, ["m::unicode()", "notify { 'x': message => inline_template('<%= ObjectSpace.count_objects.size > 1 %>') }"], "--ruby", "never")
        check("--ruby=never names the function", "m::unicode" in answers[0]["error"]["message"] and "unicode.rb" in answers[0]["error"]["message"], str(answers[0]))
        check("--ruby=never names what a template needs", "ObjectSpace" in answers[1]["error"]["message"], str(answers[1]))
        answers, _, _ = batch(options.pupc, modules, ["m::unicode()"], "--ruby-program", "/no/such/ruby")
        check("no Ruby installed", "/no/such/ruby" in answers[0]["error"]["message"], str(answers[0]))
        began = time.time()
        answers, _, _ = batch(options.pupc, modules, ["notify { 'x': message => m::unicode() }"] * 8, "--jobs", "2")
        check("two threads, two workers", all(a["ok"] for a in answers), str(answers)[:300])
        check("no process is waited for", time.time() - began < 20)
    print(f"{len(failures)} failures" if failures else "all pass")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
