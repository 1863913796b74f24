#!/usr/bin/env python3
"""Values that a resource type of Puppet refuses, and `pupc validate` does not, or the other way round.

    refused_values.py [--pupc FILE] [--puppet-lib DIR] [--show N] [WORD…]

Gives each attribute of Puppet's own types some 140 values, one at a time. A WORD names a type (`file`) or an attribute (`file.mode`). It finds what a check may still
tell and judges nothing: what depends on the provider, on accounts of the machine, or on other attributes is refused for reasons that validate cannot know, and
validate refuses what Puppet takes and nobody means. Exit status 77 without Puppet.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

import oracle

HERE = os.path.dirname(os.path.abspath(__file__))
# Type -> a title that it takes; `path` of exec is given, as its commands have none.
TITLES = {"exec": "/bin/true", "file": "/tmp/a", "filebucket": "a", "group": "a", "notify": "a", "package": "a", "resources": "user", "schedule": "a", "service": "a",
          "stage": "a", "tidy": "/tmp/a", "user": "a"}
VALUES = """a A 1 -1 0 1.5 01 1e3 +1 -5 256 65536 4294967296 true false yes no / /a /a/ a/b ./a ../a /a//b C:/a ~/a http://x/y ftp://x file:///a file://h/a puppet:///m/a
puppet:///m puppet://h/m/a https:// 0644 644 u=rw u=rwx,g+X 9999 0777777 0x10 1d 1h 1s 10m 1k 1kb 1K 1y a=b A=B =b a= a:b : * ** ? absent present latest installed purged
held running stopped mask manual delayed file directory link root 0:0 a,b , daily hourly never always 10-12 22:00-4:00 25:00-1:00 1:60-2:00 monday Mon 8 %h %u/x md5 sha256
sha999 mtime ctime atime none first all remote inf ignore use manage follow posix shell windows apt gem 2030-01-01 2030-1-1 2030-13-45 30-01-01 20300101 é""".split()
VALUES += ["", " a", "a ", "a b", "/a b", "1 week", "22:00 - 4:00", "a\nb", "\n", "\t", "/a\nb", "x" * 300, "{md5}x", "{sha256}" + "a" * 64]
VALUES += [digit * count for count in (32, 40, 56, 64, 96, 128) for digit in "az"]
VALUES += [1, -1, 0, 1.5, 22, True, False, [], ["a"], ["a", "b"], ["/a", "/b"], [1, 2], ["a", 1], ["A=B", "C"], ["/a", "b"], ["a b"], [""], [["a"]], {}, {"a": "b"}, {"a": 1}, [{"--x": "y"}]]
RUBY = """
require 'puppet'; require 'json'; require 'tmpdir'
titles, values = JSON.parse(File.read(ARGV[0]))
Dir.mktmpdir do |work|
  Puppet.initialize_settings(['--confdir', "#{work}/c", '--vardir', "#{work}/v", '--logdir', "#{work}/l", '--rundir', "#{work}/r"], false)
  Puppet::Util::Log.close_all
  answers = titles.flat_map do |name, title|
    type = Puppet::Type.type(name.to_sym)
    (type.properties.map(&:name) + type.parameters - [:provider]).flat_map do |attribute|
      values.map do |value|
        path = name == 'exec' && attribute != :path ? { path: '/bin' } : {}
        refused = begin
          type.new({ title: title, attribute => value }.merge(path))
          nil
        rescue StandardError, SystemExit => e
          e.message
        end
        [name, attribute, value, refused]
      end
    end
  end
  File.write(ARGV[1], JSON.dump(answers))
end
"""


def puppet_text(value):
    """The value as a manifest has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(puppet_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{puppet_text(k)} => {puppet_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("$", "\\$"), ("\n", "\\n"), ("\t", "\\t")):
            value = value.replace(plain, escaped)
        return f'"{value}"'
    return repr(value)


def answers_of_puppet(titles):
    with tempfile.TemporaryDirectory(prefix="pupc-refused") as work:
        paths = [os.path.join(work, name) for name in ("ask.rb", "given", "answers")]
        for path, text in zip(paths, [RUBY, json.dumps([titles, VALUES])]):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        subprocess.run([*oracle.ruby(), "-EUTF-8:", *paths], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(paths[2], encoding="utf-8") as f:
            return json.load(f)


def answers_of_pupc(binary, asked):
    """By number of a case, what validate says of it as an error or a warning about values."""
    with tempfile.TemporaryDirectory(prefix="pupc-refused") as root:
        for folder in ("manifests", "modules"):
            os.mkdir(os.path.join(root, folder))
        with open(os.path.join(root, "manifests", "site.pp"), "w", encoding="utf-8") as f:
            for number, (name, attribute, value, _) in enumerate(asked):
                path = "path => '/bin', " if name == "exec" and attribute != "path" else ""
                f.write(f"class c{number} {{ {name} {{ {puppet_text(TITLES[name])}: {path}{attribute} => {puppet_text(value)} }} }}\n")
        done = subprocess.run([binary, "validate", "--all", "--format", "json", root], stdout=subprocess.PIPE, check=False)
    return {finding["line"] - 1: finding["message"] for finding in json.loads(done.stdout) if finding["code"] in (8703, 8706)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    parser.add_argument("--show", type=int, default=3)
    oracle.add_library_option(parser)
    options = parser.parse_args()
    if not oracle.available() or shutil.which(options.pupc) is None:
        print("Puppet or pupc is missing")
        return 77
    names = {word.partition(".")[0] for word in options.words}
    asked = answers_of_puppet({name: title for name, title in TITLES.items() if not names or name in names})
    asked = [a for a in asked if not options.words or a[0] in options.words or f"{a[0]}.{a[1]}" in options.words]
    said = answers_of_pupc(options.pupc, asked)
    only_puppet, only_pupc = collections.defaultdict(list), collections.defaultdict(list)
    for number, (name, attribute, value, refused) in enumerate(asked):
        if refused and number not in said:
            only_puppet[f"{name}.{attribute}"].append((value, refused))
        elif not refused and number in said:
            only_pupc[f"{name}.{attribute}"].append((value, said[number]))
    for who, found in (("Puppet", only_puppet), ("validate", only_pupc)):
        for attribute, values in found.items():
            print(f"{attribute}: {len(values)} values that only {who} refuses")
            for value, why in values[:options.show]:
                print(f"  {puppet_text(value)[:40]}: {' '.join(why.split())[:160]}")
    print(f"{len(asked)} values, {sum(map(len, only_puppet.values()))} that only Puppet refuses, {sum(map(len, only_pupc.values()))} that only validate refuses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
