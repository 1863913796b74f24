#!/usr/bin/env python3
"""octocatalog-diff, as Debian packages it, between two revisions of the sample control repository, with pupc in Puppet's place.

    octocatalog_diff.py golden PUPC [CASE…]         reports against testdata/octocatalog_diff, which hold what octocatalog-diff says with Puppet
    octocatalog_diff.py update PUPPET [CASE…]       writes those, with a Puppet program
    octocatalog_diff.py both PUPC PUPPET [NODES]    the same reports with both programs for so many nodes (20), and the seconds of each

octocatalog-diff runs unmodified but for `tools/dev/octocatalog_diff_ruby3.rb`: with Ruby 3 its version 2.1.0 ends with an error wherever an array
or a hash changed, whatever compiled the catalogs.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SAMPLE = os.path.join(TOP, "testdata", "sample")
EXPECTED = os.path.join(TOP, "testdata", "octocatalog_diff")
RUBY3 = os.path.join(TOP, "tools", "dev", "octocatalog_diff_ruby3.rb")
PROGRAM = "/usr/bin/octocatalog-diff"

# What the second revision changes: file, text, new text.
CHANGES = [
    ("modules/sshd/manifests/init.pp", "$port = 22", "$port = 2222"),
    ("data/common.yaml", "  - tmux", "  - htop"),
    ("data/common.yaml", "  kernel.panic: 10", "  kernel.panic: 20"),
    ("data/common.yaml", "    groups: [admin, audit]", "    groups: [admin, audit, backup]"),
    ("site/profiles/manifests/base.pp", "mode    => '0644',", "mode    => '0600',"),
    ("modules/web_server/files/key", "first", "second"),
]
# Files that the sample lacks, in both revisions.
FILES = {
    "modules/web_server/files/key": "first key\n",
    "modules/web_server/files/crt": "certificate\n",
    "modules/rack/manifests/init.pp": 'class rack (Integer $row) { notify { "rack ${rack} row ${row} of ${trusted[certname]}": } }\n',
    "enc": '#!/bin/sh\nprintf -- "---\\nclasses:\\n  rack:\\n    row: 3\\nparameters:\\n  rack: a7\\nenvironment: production\\n"\n',
    "bootstrap": '#!/bin/sh\nsed -i s/kernel.panic/kernel.panic_on_oops/ data/common.yaml\n',
    "other_hiera.yaml": "---\nversion: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n  - name: all\n    path: nothing.yaml\n",
}
WEB, WORKER, DATABASE = "web01.fra.example.com", "worker01.fra.example.com", "db01.ams.example.com"
# Features of the comparison that need no PuppetDB: name, node, words.
CASES = [
    ("plain", WEB, []),
    ("worker", WORKER, []),
    ("database", DATABASE, ["--no-parallel"]),
    ("json", WEB, ["--output-format", "json"]),
    ("source", WEB, ["--display-source"]),
    ("details", WEB, ["--display-detail-add", "--no-truncate-details"]),
    ("tags", WEB, ["--include-tags"]),
    ("no_file_text", WEB, ["--no-compare-file-text"]),
    ("ignore", WEB, ["--ignore", "File[/etc/*],Package[htop]", "--ignore-attr", "groups,ports"]),
    ("filters", WEB, ["--filters", "AbsentFile,JSON,YAML,SingleItemArray"]),
    ("references", WEB, ["--validate-references", "before,require,subscribe,notify"]),
    ("fact", WEB, ["--to-fact-override", "role=worker"]),
    ("enc", WEB, ["--to-enc", "enc"]),
    ("bootstrap", WEB, ["--bootstrap-script", "bootstrap"]),
    ("hiera", WEB, ["--hiera-config", "other_hiera.yaml", "--hiera-path", "data"]),
    ("environment", WEB, ["--preserve-environments", "--create-symlinks", "modules,site,data", "--from-environment", "production", "--to-environment", "production"]),
    ("command_line", WEB, ["--to-command-line=--strict=warning"]),
    ("catalog_only", WORKER, ["--catalog-only", "-o", "/dev/null", "--to-save-catalog", "saved.json"]),
    ("datatypes", WEB, ["--display-datatype-changes", "--use-lcs"]),
    ("error", "nobody.example.com", []),
]


class Failure(Exception):
    pass


def git(place, *words):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"}
    subprocess.run(["git", *words], cwd=place, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, **who))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755 if text.startswith("#!") else 0o644)


def repository(scratch):
    """The sample's environment as a repository with the branches `main` and `change`."""
    place = os.path.join(scratch, "repository")
    shutil.copytree(os.path.join(SAMPLE, "environments", "production"), place)
    for path, text in FILES.items():
        write(os.path.join(place, path), text)
    git(place, "init", "-q", "-b", "main", ".")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "one")
    git(place, "checkout", "-qb", "change")
    for path, old, new in CHANGES:
        with open(os.path.join(place, path), encoding="utf-8") as file:
            text = file.read()
        if old not in text:
            raise Failure(f"the sample's {path} has no text {old!r} any more")
        write(os.path.join(place, path), text.replace(old, new))
    git(place, "commit", "-qam", "two")
    return place


def report(place, program, node, words):
    """Exit code, the report, and (where there is neither) the last line of an error."""
    facts = os.path.join(SAMPLE, "facts", node + ".json")
    if not os.path.isfile(facts):
        facts = os.path.join(SAMPLE, "facts", WEB + ".json")
    command = ["ruby", "-W0", "-r" + RUBY3, PROGRAM, "-n", node, "--basedir", place, "-f", "main", "-t", "change", "--fact-file", facts, "--puppet-binary", program]
    home = os.path.join(os.path.dirname(place), "home")
    os.makedirs(home, exist_ok=True)
    done = subprocess.run(command + ["--no-color", *words], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, HOME=home), check=False)
    text = done.stdout.decode()
    if done.returncode not in (0, 2):
        text += told_error(done.stderr.decode())
    text = re.sub(r"/[^ \"\n]*/ocd-ipc-[^/]*/ocd-builddir-[^/]*", "BUILD", text)
    return f"exit code {done.returncode}\n{text}"


def told_error(text):
    """The lines of Puppet's error without times and addresses of this run."""
    return "".join(line.strip() + "\n" for line in text.splitlines() if line.startswith("Error:") and "Try 'puppet" not in line)


def link(scratch, pupc):
    """pupc called puppet."""
    path = os.path.join(scratch, "puppet")
    os.symlink(os.path.realpath(pupc), path)
    return path


def chosen(names):
    return [case for case in CASES if not names or case[0] in names]


def golden(scratch, pupc, names):
    place = repository(scratch)
    program = link(scratch, pupc)
    bad = 0
    for name, node, words in chosen(names):
        with open(os.path.join(EXPECTED, name + ".txt"), encoding="utf-8") as file:
            wanted = file.read()
        got = report(place, program, node, words)
        if got != wanted:
            bad += 1
            print(f"{name} differs; wanted:\n{wanted}\ngot:\n{got}")
    print(f"{len(chosen(names)) - bad} passed, {bad} failed")
    return bad == 0


def update(scratch, puppet, names):
    place = repository(scratch)
    os.makedirs(EXPECTED, exist_ok=True)
    for name, node, words in chosen(names):
        with open(os.path.join(EXPECTED, name + ".txt"), "w", encoding="utf-8") as file:
            file.write(report(place, puppet, node, words))
        print(name, flush=True)
    return True


def both(scratch, pupc, puppet, count):
    place = repository(scratch)
    nodes = sorted(os.listdir(os.path.join(SAMPLE, "facts")))
    nodes = [name[: -len(".json")] for name in nodes[:: max(1, len(nodes) // count)]][:count]
    seconds, bad = [], 0
    reports = []
    for program in (link(scratch, pupc), puppet):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        reports.append([report(place, program, node, []) for node in nodes])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    for node, mine, theirs in zip(nodes, *reports):
        if mine != theirs:
            bad += 1
            print(f"{node} differs; with Puppet:\n{theirs}\nwith pupc:\n{mine}")
    print(f"{len(nodes)} nodes, {bad} differ; seconds of the processor: pupc {seconds[0]:.1f}, Puppet {seconds[1]:.1f}, {seconds[1] / seconds[0]:.1f} times")
    return bad == 0


def main():
    if not os.path.exists(PROGRAM) or shutil.which("git") is None:
        print("octocatalog-diff or git is not installed: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        what, *rest = sys.argv[1:]
        if what == "golden":
            good = golden(scratch, rest[0], rest[1:])
        elif what == "update":
            good = update(scratch, rest[0], rest[1:])
        else:
            good = both(scratch, rest[0], rest[1], int(rest[2]) if len(rest) > 2 else 20)
    sys.exit(0 if good else 1)


main()
