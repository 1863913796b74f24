#!/usr/bin/env python3
"""What module code uses of Puppet's Ruby API, and whether the facade (compiler/ruby/facade) has it.

    ruby_api.py [--all] [MODULEPATH…]   every constant and method below Puppet, Facter, Hiera, scope, compiler, catalog that the functions, types,
                                        data types, Hiera backends and templates of the modules name; without --all only what is not supported

MODULEPATH: folders of modules, by default Debian's packaged ones. Exits with 1 for a name that is neither supported nor listed with
a reason in ruby_api_reasons.tsv, or listed though it is supported; 77 without Ruby or modules. Followed are plain receivers (`scope.compiler.x`,
`Puppet::Util.x`) and variables that hold a scope, resource or class made by such a call (`host = scope.find_hostclass(x); host.evaluate_code`).
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import ruby_facades  # noqa: E402

REASONS = HERE / "ruby_api_reasons.tsv"
DEBIAN = "/usr/share/puppet/modules.available"
# What a compile runs. Facts, providers, faces and reports run elsewhere.
FOLDERS = ["lib/puppet/functions", "lib/puppet/parser", "lib/puppet/datatypes", "lib/puppet/type", "lib/hiera", "lib/puppet_x", "templates"]


def module_files(modulepaths):
    found = []
    for modulepath in modulepaths:
        for module in sorted(p for p in pathlib.Path(modulepath).glob("*") if p.is_dir()):
            for folder in FOLDERS:
                found += sorted(str(p) for p in (module / folder).rglob("*.erb" if folder == "templates" else "*.rb"))
    return found


def read_reasons():
    """(pattern that may end in *, reason)"""
    lines = REASONS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modulepaths", nargs="*", default=[DEBIAN])
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    files = module_files(options.modulepaths)
    if shutil.which("ruby") is None or not files:
        print("skipped: no Ruby, or no module with Ruby code")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["ruby", "-W0", HERE / "ruby_api.rb", *ruby_facades.of_compile(folder), "--"], input="\n".join(files), stdout=subprocess.PIPE, text=True, check=True)
    uses = json.loads(done.stdout)
    reasons = read_reasons()
    bad = 0
    for name, use in sorted(uses.items()):
        reason = next((r for pattern, r in reasons.items() if name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))), None)
        state = "supported" if use["supported"] else f"not here: {reason}" if reason else "MISSING"
        bad += state == "MISSING"
        if options.all or not use["supported"]:
            print(f"{use['count']:5} {name}: {state} ({use['example']})")
    supported = sum(use["supported"] for use in uses.values())
    print(f"{len(files)} files use {len(uses)} names: {supported} supported, {len(uses) - supported - bad} listed with a reason, {bad} missing")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
