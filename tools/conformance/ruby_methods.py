#!/usr/bin/env python3
"""Calls every method that the Ruby interpreter knows on receivers and with arguments of all kinds, by the interpreter and by Ruby, and compares
values, changed receivers and errors.

    ruby_methods.py [--pupc FILE] [--calls N] [--seed S] [--most PERCENT] [WORD…]

N calls are drawn by lot from some 150,000. What pupc hands to Ruby is counted, not compared: more than PERCENT of the calls is a failure.
WORD: only methods whose names hold it. Methods that are written in Ruby (compiler/ruby/core/library) are not among them, see ruby_share.py.
Exit status 1 when a call differs, 2 when no method has such a name, 77 when there is no Ruby.
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import pupc

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = os.path.join(HERE, "..", "..", "compiler", "ruby", "values", "method_names.def")
# Functions, methods of the scope, of libraries, and what may run without end.
LEFT_OUT = set("Array Integer Float String Hash raise require format sprintf loop rand scope file lambda proc block_given? fail _ instance_variables call_function lookupvar "
               "function has_variable? setvar closure_scope name debug info notice warning err ! clone step tap then yield_self to_json to_yaml hash".split())  # hash: another number in each process
RECEIVERS = ["nil", "true", "5", "-3", "2.5", ":ab", '"a b"', '"12"', '""', "[3,1,2]", '["b","a"]', "[]", "[[1,2],[3,4]]", '[1,"a",nil]', '{"k"=>1,"j"=>[2]}', "{}",
             "(1..3)", "/a(?<n>b)?/", '"xaby".match(/a(b)/)']
ARGUMENTS = ["nil", "true", "1", "-1", "2.5", ":k", '"a"', '"k"', "[1]", '["a",2]', '{"k"=>2}', "(0..1)", "/a/"]
BLOCKS = ["{ |x| x }", "{ |x, y| y }"]
OPERATORS = set("== != === =~ !~ <=> < > <= >= + - * / % ** << >> & | ^".split())
# What differs at each run or shows an object's address is not compared.
RUBY = """
require 'json'; require 'timeout'; require 'did_you_mean'; require 'shellwords'
SINGLE = [NilClass, TrueClass].to_h { |c| [c, c.instance_methods(false)] } # what a call gives nil's only object the next one must not find
answers = JSON.parse(File.read(ARGV[0])).map do |code|
  SINGLE.each { |c, methods| (c.instance_methods(false) - methods).each { |m| c.send(:remove_method, m) } }
  text = begin
    Timeout.timeout(0.5) { "v #{eval(code).inspect}" }
  rescue Exception => e
    "#{e.class} #{e.message}"
  end
  text = text.dup.force_encoding('UTF-8').scrub
  text =~ /0x0000|#<(?!MatchData)/ ? nil : text
end
File.write(ARGV[1], JSON.dump(answers))
"""


def calls(dice, words):
    with open(NAMES, encoding="utf-8") as f:
        names = re.findall(r'PUPC_RUBY_METHOD\(\w+, "([^"]+)"\)', f.read())
    for name in names:
        if name in LEFT_OUT or (words and not any(w in name for w in words)):
            continue
        for receiver in RECEIVERS:
            given = [f"({a})" for a in ARGUMENTS] + [f"({dice.choice(ARGUMENTS)}, {dice.choice(ARGUMENTS)})" for _ in range(8)]
            if name in OPERATORS:
                yield from (f"(r = {receiver}; [r {name} {a}, r])" for a in ARGUMENTS)
            elif name == "[]":
                yield from (f"(r = {receiver}; [r[{a[1:-1]}], r])" for a in given)
            elif name == "[]=":
                yield from (f"(r = {receiver}; r[{a}] = {dice.choice(ARGUMENTS)}; r)" for a in ARGUMENTS)
            elif name in ("~", "-@", "+@"):
                yield f"({name[0]}{receiver})"
            elif not name.endswith("="):
                with_block = [f" {b}" for b in BLOCKS] + [f"({dice.choice(ARGUMENTS)}) {dice.choice(BLOCKS)}" for _ in range(4)]
                yield from (f"(r = {receiver}; [r.{name}{a}, r])" for a in [""] + given + with_block)


def answers_of_ruby(codes):
    with tempfile.TemporaryDirectory(prefix="pupc-methods") as work:
        paths = [os.path.join(work, name) for name in ("methods.rb", "calls", "answers")]
        for path, text in zip(paths, [RUBY, json.dumps(codes)]):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        subprocess.run(["ruby", "-W0", "--disable-gems", "-EUTF-8:", *paths], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=600)
        with open(paths[2], encoding="utf-8") as f:
            return json.load(f)


def answers_of_pupc(binary, codes):
    requests = []
    for n, code in enumerate(codes):
        template = f"<%= begin; 'v ' + {code}.inspect; rescue => e; e.class.name + ' ' + e.message; end %>".replace("\\", "\\\\").replace("'", "\\'")
        requests.append({"id": str(n), "code": f"notify {{ 'x': message => inline_template('{template}') }}", "ruby": "never"})
    for answer in pupc.compile_all(binary, requests, timeout=600):
        if answer["ok"]:
            yield next(r["parameters"]["message"] for r in answer["catalog"]["resources"] if r["type"] == "Notify")
        else:
            yield "! " + answer["error"]["message"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=100)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    if shutil.which("ruby") is None or shutil.which(options.pupc) is None:
        print("ruby or pupc is missing")
        return 77
    dice = random.Random(options.seed)
    codes = list(calls(dice, options.words))
    if not codes:
        print("the interpreter's table has no such method; those of its library in Ruby are ruby_share.py's")
        return 2
    codes = dice.sample(codes, min(options.calls, len(codes)))
    same, different, handed = 0, [], collections.Counter()
    for code, own, theirs in zip(codes, answers_of_pupc(options.pupc, codes), answers_of_ruby(codes)):
        if "needs Ruby" in own:
            handed[re.sub(r".*line 1: | \(line: .*", "", own)] += 1
        elif theirs is not None and own != theirs:
            different.append((code, own, theirs))
        else:
            same += 1
    share = 100 * handed.total() / len(codes)
    print(f"{len(codes)} calls: {same} equal, {len(different)} different, {handed.total()} handed to Ruby ({share:.1f} %)")
    for reason, count in handed.most_common(options.show):
        print(f"  {count}  {reason}")
    for code, own, theirs in different[:options.show]:
        print(f"DIFFERENT {code}\n  native: {own}\n  ruby:   {theirs}")
    return 1 if different or share > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
