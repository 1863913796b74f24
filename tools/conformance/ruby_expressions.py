#!/usr/bin/env python3
"""The table of Ruby expressions that the interpreter's unit test evaluates (testdata/ruby/expressions.txt): two lines each, the expression and `=> ` with what it gives.

    ruby_expressions.py            asks Ruby whether the table is right
    ruby_expressions.py update     writes Ruby's answers into it

Exit status 1 when an answer is wrong, 77 when there is no Ruby 3.1 (others word some answers anew).
"""

import json
import os
import shutil
import subprocess
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata", "ruby", "expressions.txt")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")  # some expressions read files of testdata
RUBY = r"""
require 'json'; require 'timeout'; require 'set'; require 'date'; require 'time'; require 'strscan'; require 'pathname'; require 'digest'; require 'openssl'; require 'ipaddr'; require 'shellwords'; require 'uri'; require 'cgi'; require 'csv'; require 'erb'; require 'logger'; require 'ostruct'; require 'stringio'; require 'tsort'; require 'zlib'
codes = JSON.parse($stdin.read)
puts JSON.dump(codes.map do |code|
  reader, writer = IO.pipe
  pid = fork do # constants and classes of one expression are not there for the next
    text = begin
      Timeout.timeout(2) { eval("(#{code}).inspect") }
    rescue Exception => e
      "#{e.class}: #{e.message}"
    end
    writer.write(JSON.dump(text.dup.force_encoding('UTF-8').scrub))
    writer.close
    exit!
  end
  writer.close
  answer = JSON.parse(reader.read)
  Process.wait(pid)
  answer
end)
"""


def main():
    if shutil.which("ruby") is None or not subprocess.run(["ruby", "-e", "print RUBY_VERSION"], capture_output=True, text=True).stdout.startswith("3.1."):
        print("there is no Ruby 3.1")
        return 77
    with open(TABLE, encoding="utf-8") as f:
        lines = f.read().split("\n")
    codes = [line for line in lines if line and not line.startswith(("=> ", "# "))]
    answers = json.loads(subprocess.run(["ruby", "-W0", "-EUTF-8:UTF-8", "-e", RUBY], input=json.dumps(codes), capture_output=True, text=True, check=True, timeout=300, cwd=ROOT).stdout)
    if sys.argv[1:] == ["update"]:
        comments = [line for line in lines if line.startswith("# ")]
        with open(TABLE, "w", encoding="utf-8") as f:
            f.write("".join(c + "\n" for c in comments))
            f.write("".join(f"{code}\n=> {answer}\n" for code, answer in zip(codes, answers)))
        return 0
    known = [line[3:] for line in lines if line.startswith("=> ")]
    wrong = [(code, own, answer) for code, own, answer in zip(codes, known, answers) if own != answer]
    for code, own, answer in wrong:
        print(f"{code}\n  table: {own}\n  Ruby:  {answer}")
    print(f"{len(codes)} expressions, {len(wrong)} wrong")
    return 1 if wrong or len(known) != len(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
