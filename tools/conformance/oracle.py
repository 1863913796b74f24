"""Asks the oracle: Debian's puppet-agent behind the Ruby runners in oracle/."""

import argparse
import json
import os
import shutil
import subprocess
import tempfile

RUNNERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle")


def available():
    """Whether Ruby and Puppet are installed."""
    return shutil.which("ruby") is not None and shutil.which("puppet") is not None


def ruby(library=None):
    """Ruby with the installed Puppet, or with the one whose library is in `library` or in the variable PUPPET_LIBRARY."""
    library = library or os.environ.get("PUPPET_LIBRARY")
    return ["ruby", "-W0", "-I", library] if library else ["ruby"]


class _Library(argparse.Action):
    def __call__(self, parser, namespace, value, option=None):
        if not os.path.isfile(os.path.join(value, "puppet.rb")):
            parser.error(f"{option}: there is no puppet.rb in {value}")
        os.environ["PUPPET_LIBRARY"] = os.path.abspath(value)


def add_library_option(parser):
    """--puppet-lib DIR: ask the Puppet whose library is in DIR, for this command and those that it starts."""
    parser.add_argument("--puppet-lib", metavar="DIR", action=_Library, help="ask the Puppet whose library (with puppet.rb) is in DIR, not the installed one")


def _run(runner, requests, jobs, timeout, library=None):
    with tempfile.TemporaryDirectory(prefix="pupc-conformance") as work:
        given, answers = os.path.join(work, "in.jsonl"), os.path.join(work, "out.jsonl")
        with open(given, "w", encoding="utf-8") as f:
            for request in requests:
                f.write(json.dumps(request, ensure_ascii=False) + "\n")
        subprocess.run([*ruby(library), os.path.join(RUNNERS, runner), given, answers, "--jobs", str(jobs), "--timeout", str(timeout)], check=True)
        with open(answers, encoding="utf-8") as f:
            return [json.loads(line) for line in f]


def compile_all(requests, jobs=2, timeout=60, library=None):
    """Answers to compile requests (see oracle/compile.rb), in order; `library`: as in ruby()."""
    return _run("compile.rb", requests, jobs, timeout, library)


def validate_all(requests, jobs=2, timeout=60):
    """Answers to validation requests (see oracle/validate.rb), in order."""
    return _run("validate.rb", requests, jobs, timeout)
