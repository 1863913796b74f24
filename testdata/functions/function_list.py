#!/usr/bin/env python3
"""The list of functions is closed: pupc knows every function of Puppet and of stdlib.

    function_list.py check PUPC    each name of reference_functions.txt is known to `pupc doc functions`, and has a snippet that succeeds and one that
                                   fails in the answer files
    function_list.py update        writes the names anew, from the installed reference and its stdlib
"""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
LIST = os.path.join(HERE, "reference_functions.txt")
REFERENCE = "/usr/lib/ruby/vendor_ruby/puppet"
STDLIB = "/usr/share/puppet/modules.available/puppetlabs-stdlib"

# Functions of which no snippet can succeed or fail, and why.
NEVER_SUCCEEDS = {
    "fail": "its purpose", "private": "only in modules", "scanf": "needs a library of Ruby", "break": "alone it is an error", "next": "alone it is an error", "return": "alone it is an error", "import": "discontinued",
    "assert_private": "only in modules", "loadjson": "reads files", "loadyaml": "reads files", "load_module_metadata": "reads files", "validate_augeas": "needs Augeas",
    "pry": "a debugger", "eyaml_lookup_key": "for Hiera only", "hocon_data": "for Hiera only", "json_data": "for Hiera only", "yaml_data": "for Hiera only",
    "binary_file": "reads files", "file": "reads files", "template": "reads files", "epp": "reads files", "parsehocon": "needs a library of Ruby",
    "assert_type": "listed as assert_type('…')", "validate_legacy": "wrapped", "module_directory": "reads modules", "find_template": "reads modules",
    "stdlib::deferrable_epp": "reads files", "stdlib::manage": "declares resources", "stdlib::has_function": "newer than the stdlib at hand",
}
# Functions of stdlib that pupc has no native one of: their files are run.
NOT_NATIVE = {"parsepson", "stdlib::deferrable_epp", "stdlib::ensure", "validate_augeas"}
NEVER_FAILS = {name: "takes anything" for name in "alert crit debug emerg err info notice warning any2array time shuffle".split()}


def reference_names():
    names = {"builtin": set(), "stdlib": set()}
    for kind, root in (("builtin", REFERENCE), ("stdlib", os.path.join(STDLIB, "lib", "puppet"))):
        for path in glob.glob(root + "/functions/**/*.rb", recursive=True):
            names[kind].add(os.path.relpath(path, root + "/functions")[:-3].replace("/", "::"))
        for path in glob.glob(root + "/parser/functions/*.rb"):
            names[kind].add(os.path.basename(path)[:-3])
    for path in glob.glob(STDLIB + "/functions/**/*.pp", recursive=True):
        names["stdlib"].add("stdlib::" + os.path.relpath(path, STDLIB + "/functions")[:-3].replace("/", "::"))
    return names


def update():
    names = reference_names()
    with open(LIST, "w", encoding="utf-8") as f:
        f.write("# The functions of Puppet and of stdlib; written by function_list.py.\n")
        for kind in ("builtin", "stdlib"):
            for name in sorted(names[kind]):
                f.write(f"{kind} {name}\n")
    return 0


def verdicts():
    """{name: {True, False}}: whether there is a snippet with a call of the function that succeeds, and one that fails."""
    import make_cases
    found = {}
    for file in make_cases.FILES:
        for snippet, lines in make_cases.read_answers(file).items():
            expression = snippet.rpartition(" ;; ")[2]
            for name in set(re.findall(r"([a-z][a-z0-9_]*(?:::[a-z0-9_]+)*)\s*\(", expression)):
                found.setdefault(name, set()).add(make_cases.verdict(lines))
    return found


def check(binary):
    text = subprocess.run([binary, "doc", "functions"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^#+ `?([a-z][a-z0-9_:]*)`?", text, re.M))
    seen = verdicts()
    problems = checked = 0
    with open(LIST, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            kind, name = line.split()
            checked += 1
            missing = []
            if name not in known and name not in NOT_NATIVE:
                missing.append("unknown")
            if True not in seen.get(name, set()) and name not in NEVER_SUCCEEDS:
                missing.append("no snippet that succeeds")
            if False not in seen.get(name, set()) and name not in NEVER_FAILS:
                missing.append("no snippet that fails")
            if missing:
                problems += 1
                print(f"{kind} {name}: {', '.join(missing)}")
    print(f"{checked} functions, {problems} with something missing")
    return 1 if problems or checked < 250 else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "check":
        return check(sys.argv[2])
    if sys.argv[1:] == ["update"]:
        return update()
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
