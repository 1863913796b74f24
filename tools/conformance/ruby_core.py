#!/usr/bin/env python3
"""The parts of Puppet's Ruby library that both workers share (catalog/ruby/library), against Puppet: testdata/ruby/core.txt has two lines each, an
expression and `=> ` with what Puppet gives (its value, or the error), and the messages that it logged.

    ruby_core.py                    evaluates each expression in the worker of a compile and in that of a run
    ruby_core.py update LIBRARY     writes the answers of Puppet's library in the folder LIBRARY into the table

Exit status 1 when an answer differs, 77 where there is no Ruby 3.1 (others word some errors anew).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import ruby_facades

TABLE = ruby_facades.TOP / "testdata" / "ruby" / "core.txt"
EVALUATE = r"""
require 'json'
def answer(code, folder)
  LOGS.clear
  text = begin
    Dir.chdir(folder) { eval("(#{code}).inspect", TOPLEVEL_BINDING) }
  rescue Exception => e
    "#{e.class}: #{e.message}"
  end
  logs = LOGS.map { |level, source, message| "[#{level} #{source}] #{message}" }
  [text, *logs].join(' ').gsub("\n", '\n').gsub(/0x\h+[^>]*/, '0x').gsub(folder, 'FOLDER')
end
LOGS = []
codes, folder = JSON.parse($stdin.read)
"""
OURS = EVALUATE + r"""
ARGV.each { |f| eval(File.read(f).gsub('@PUPPET_VERSION@', '8.11.0'), TOPLEVEL_BINDING, f, 1) }
module PupcWorker
  class << self
    SETTINGS = { 'noop' => false, 'vardir' => '/var' }.freeze
    def ask(_what, name = nil, *) = [SETTINGS.key?(name), SETTINGS[name], false, SETTINGS[name], false]
    def callback(what, name = nil, *) = what == :setting ? [SETTINGS.key?(name), SETTINGS[name]] : nil
    def log(level, source, message) = LOGS << [level, source.empty? ? 'Puppet' : source, message]
    def wanted?(level) = level != :debug && level != :info
    def library_directories = []
  end
end
puts JSON.dump(codes.map { |code| answer(code, folder) })
"""
THEIRS = EVALUATE + r"""
$LOAD_PATH.unshift(ARGV[0])
require 'puppet'
%w[diff symbolic_file_mode checksums docs tagging].each { |part| require "puppet/util/#{part}" }
require 'puppet/coercion'
Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/var'])
collector = Object.new.tap { |o| o.define_singleton_method(:<<) { |m| LOGS << [m.level, m.source, m.message] } }
Puppet::Util::Log.newdesttype(:collector) { match('collector'); define_method(:handle) { |m| LOGS << [m.level, m.source, m.message] } }
Puppet::Util::Log.newdestination('collector')
puts JSON.dump(codes.map { |code| answer(code, folder) })
"""


def evaluate(program, arguments, codes):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "good.yaml").write_text("a: 1\n")
        (pathlib.Path(folder) / "date.yaml").write_text("a: 2001-01-01\n")
        (pathlib.Path(folder) / "bad.yaml").write_text("a: [\n")
        out = subprocess.run(["ruby", "-W0", "--disable-did_you_mean", "--disable-error_highlight", "-EUTF-8:UTF-8", "-e", program, *map(str, arguments)],
                             input=json.dumps([codes, folder]), capture_output=True, text=True, timeout=120, env=os.environ | {"HOME": "/root"}, check=False)
    if out.returncode:
        sys.exit(out.stderr)
    return json.loads(out.stdout)


def main():
    if shutil.which("ruby") is None or not subprocess.run(["ruby", "-e", "print RUBY_VERSION"], capture_output=True, text=True, check=False).stdout.startswith("3.1."):
        print("there is no Ruby 3.1")
        return 77
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    codes = [line for line in lines if line and not line.startswith(("=> ", "# "))]
    if sys.argv[1:2] == ["update"]:
        answers = evaluate(THEIRS, sys.argv[2:3], codes)
        comments = [line for line in lines if line.startswith("# ")]
        TABLE.write_text("".join(f"{c}\n" for c in comments) + "".join(f"{code}\n=> {answer}\n" for code, answer in zip(codes, answers)), encoding="utf-8")
        return 0
    known = [line[3:] for line in lines if line.startswith("=> ")]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for worker, files in (("compile", ruby_facades.of_compile(folder)), ("run", ruby_facades.of_run())):
            for code, want, got in zip(codes, known, evaluate(OURS, files, codes)):
                if want != got:
                    wrong += 1
                    print(f"{code}\n  Puppet:  {want}\n  {worker}: {got}")
    print(f"{len(codes)} expressions in two workers, {wrong} differ")
    return 1 if wrong or len(known) != len(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
