#!/usr/bin/env python3
"""Compares what pupc knows of resource types with Puppet: the native tables, the static scan of the packaged modules'
lib/puppet/type, and generated types (.resource_types).

    resource_types.py live TYPE_DUMP [--modulepath A:B] [--verbose]    against Puppet, for all packaged modules
    resource_types.py styles TYPE_DUMP                                 against its answers kept in testdata/types, no Puppet needed
    resource_types.py update TYPE_DUMP                                 asks Puppet anew for these answers

Attributes and their kinds, namevars, isomorphism and how a set of titles is split must be equal. A type may be dynamic (it then accepts
any attribute); at least 95 % of the packaged types must be exact, and none may differ. The files in testdata/types/styles spell
types in many ways, each with an expectation in its first line: `# expect: dynamic` or `# expect: none`, else exact. With --ruby dynamic those that the scan
cannot tell are run and must be exact, but for `# expect: dynamic (in Ruby: dynamic)`.
`live` exits 77 (skipped) without Puppet.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import oracle

DEBIAN_MODULES = "/usr/share/puppet/modules"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STYLES = os.path.join(ROOT, "testdata", "types")
ANSWERS = os.path.join(STYLES, "answers.jsonl")
AT_LEAST = 0.95

# Modules that come with puppet-agent: their types are in catalog/schema as well.
CORE_MODULES = ["augeas_core", "cron_core", "host_core", "mailalias", "mailalias_core", "mount_core", "selinux_core", "sshkeys_core", "yumrepo_core",
                "zfs_core", "zone_core"]

# What is known to differ, with the reason: by the type and what differs of it, as differences() names it.
KNOWN = {("component", "titles"): "a resource of it is made a class (Puppet::Resource.munge_type_name), with a title in capitals"}

# Attributes that validate and the run check by code of their own, as Puppet does beside the list of values.
OWN_RULES = {("tidy", "recurse"), ("user", "expiry"), ("user", "purge_ssh_keys")}

TITLES = ["x", "/a/b/", "/", "//", "a:b", "a::b", "a b", "a/b/c", "user@host", "a@b on c", "x on y at z", "1", "a\nb", "a\n", "c:/x/", "c:/", "/a/b\n/", "é/",
          "a=b", "a;b", "a,b", "A:B:C:D", "::x", "x::", "@", "a@", "@b", " ", "a.b/c.d:e", "default/x", "x:/y", "tcp:80", "net/1.2.3.4:443", "INPUT:filter:IPv4",
          "a@b@c@d", "u::d@p::e", "u@::d", "u@::::all", "r/n::t", "[x]/y/z", "a.b.c.d"]


def lines(command):
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    entries = [json.loads(line) for line in result.stdout.decode("utf-8").splitlines()]
    return entries[0]["metaparams"], {e["name"]: e for e in entries[1:]}


def differences(theirs, ours):
    """What differs between two descriptions of a type: what of it, and how."""
    if "error" in ours:
        yield "error", ours["error"]
        return
    for key in ("attributes", "namevars"):
        a, b = [sorted(map(str, d[key])) for d in (theirs, ours)]
        if a != b:
            yield key, f"{key}: theirs only {sorted(set(a) - set(b))}, ours only {sorted(set(b) - set(a))}"
    for attribute, allowed in ours.get("allowed", {}).items():
        their = set(theirs["allowed"][attribute])
        our = {"true", "false", "yes", "no"} if allowed == "boolean" else set(allowed.lstrip("~").split())
        # What the type checks by code of its own may stand in the table, too, or not.
        if their != our and allowed and not (allowed[0] == "~" or allowed == "boolean" and not their) or their and not our and (theirs["name"], attribute) not in OWN_RULES:
            yield attribute, f"values of {attribute}: theirs {sorted(their)}, ours {sorted(our)}"
    if not ours["dynamic_titles"]:
        if theirs["isomorphic"] != ours["isomorphic"]:
            yield "isomorphic", f"isomorphic: theirs {theirs['isomorphic']}"
        for title, parts in theirs["titles"].items():
            if parts != ours["titles"][title]:
                yield "titles", f"title {title!r}: theirs {parts}, ours {ours['titles'][title]}"


def compare(label, theirs, ours, verbose, at_least=1.0):
    """Prints a summary; true when nothing differs and enough is exact."""
    exact, dynamic, different, unusable = [], [], [], []
    for name, their in sorted(theirs.items()):
        our = ours[name]
        if "error" in their:
            unusable.append((name, their["error"]))
        elif our.get("dynamic"):
            dynamic.append((name, our["dynamic"]))
        elif found := [what for key, what in differences(their, our) if (name, key) not in KNOWN]:
            different.append((name, found[0]))
        elif our["dynamic_titles"]:
            dynamic.append((name, "titles: " + our["dynamic_titles"]))
        else:
            exact.append(name)
    for name, what in different:
        print(f"{label}: {name} differs: {what}")
    for name, why in dynamic:
        print(f"{label}: {name} is dynamic: {why}")
    if verbose:
        for name, why in unusable:
            print(f"{label}: Puppet cannot load {name}: {why.splitlines()[0]}")
    total = len(exact) + len(dynamic) + len(different)
    share = len(exact) / total if total else 1.0
    print(f"{label}: {len(exact)} of {total} types exact ({share:.1%}), {len(dynamic)} dynamic, {len(different)} different, {len(unusable)} not loadable")
    return not different and share >= at_least


def generate(modulepath, directory):
    """Lets Puppet write its generated types into an environment; gives the environment's path."""
    environment = os.path.join(directory, "environments", "production")
    os.makedirs(environment)
    with open(os.path.join(environment, "environment.conf"), "w", encoding="utf-8") as f:
        f.write(f"modulepath = {modulepath}\n")
    subprocess.run(["puppet", "generate", "types", "--environmentpath", os.path.dirname(environment), "--environment", "production", "--confdir",
                    os.path.join(directory, "c"), "--vardir", os.path.join(directory, "v")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return environment


def style_answers(answers, ruby=()):
    """Checks the types of testdata/types/styles against Puppet's answers and their own expectations. Run in Ruby, all must be
    exact but those whose first line says otherwise: `# expect: dynamic (in Ruby: dynamic)`."""
    folder = os.path.join(STYLES, "styles", "lib", "puppet", "type")
    with tempfile.TemporaryDirectory(prefix="pupc-types") as work:
        titles = os.path.join(work, "titles.json")
        with open(titles, "w", encoding="utf-8") as f:
            json.dump(TITLES, f)
        _, ours = lines([TYPE_DUMP, "--modulepath", STYLES, "--titles", titles, *ruby] + sorted(answers))
    names = {os.path.basename(f)[:-3] for f in glob.glob(os.path.join(folder, "*.rb"))}
    failed = 0
    if names != set(answers):
        print(f"answers are missing or left over (resource_types.py update): {sorted(names ^ set(answers))}")
        failed += 1
    for name in sorted(names & set(answers)):
        with open(os.path.join(folder, name + ".rb"), encoding="utf-8") as f:
            first = f.readline()
        expected, _, in_ruby = (first.split("expect:")[1].strip() if "expect:" in first else "exact").partition(" (in Ruby: ")
        if ruby and expected == "dynamic":
            expected = in_ruby.rstrip(")") or "exact"
        their, our = answers[name], ours[name]
        if "error" in our:
            got = "none" if "error" in their else "none, Puppet has it"
        elif our["dynamic"] or our["dynamic_titles"]:
            got = "dynamic"
        elif "error" in their:
            got = "a type Puppet does not have: " + their["error"]
        else:
            what = next((what for _, what in differences(their, our)), None)
            got = f"differs: {what}" if what else "exact"
        if got != expected:
            print(f"{name}: expected {expected}, {got} {our.get('dynamic', '')} {our.get('dynamic_titles', '')}".rstrip())
            failed += 1
    print(f"{len(names) - failed} passed, {failed} failed, 0 skipped")
    return failed == 0


def main():
    global TYPE_DUMP
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["live", "styles", "update"])
    parser.add_argument("type_dump")
    parser.add_argument("--modulepath", default=DEBIAN_MODULES)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--ruby", choices=["dynamic", "all"], help="types that the scan cannot tell, or all, are read by running them")
    oracle.add_library_option(parser)
    args = parser.parse_args()
    TYPE_DUMP = args.type_dump
    ruby = ["--ruby", args.ruby] if args.ruby else []
    runner = [*oracle.ruby(), os.path.join(oracle.RUNNERS, "known_types.rb")]
    if args.command == "styles":
        with open(ANSWERS, encoding="utf-8") as f:
            return 0 if style_answers({t["name"]: t for t in map(json.loads, f)}, ruby) else 1
    if not oracle.available():
        print("skipped: Puppet is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="pupc-types") as work:
        titles = os.path.join(work, "titles.json")
        with open(titles, "w", encoding="utf-8") as f:
            json.dump(TITLES, f)
        common = ["--titles", titles]
        if args.command == "update":
            names = sorted(os.path.basename(f)[:-3] for f in glob.glob(os.path.join(STYLES, "styles", "lib", "puppet", "type", "*.rb")))
            _, theirs = lines(runner + common + ["--modulepath", STYLES] + names)
            with open(ANSWERS, "w", encoding="utf-8") as f:
                for name in names:
                    answer = {k: v for k, v in theirs[name].items() if k != "file"}
                    f.write(json.dumps(answer, ensure_ascii=False).replace(STYLES, "testdata/types") + "\n")
            return 0 if style_answers(theirs) else 1
        metaparameters, theirs = lines(runner + common + ["--modulepath", args.modulepath])
        own_metaparameters, ours = lines([args.type_dump, "--modulepath", args.modulepath] + ruby + common + sorted(theirs))
        good = metaparameters == own_metaparameters
        if not good:
            print(f"metaparameters: theirs {metaparameters}, ours {own_metaparameters}")

        core = {n: t for n, t in theirs.items() if t["file"] and any(f"/{m}/lib/" in t["file"] for m in CORE_MODULES) or "/modules" not in (t["file"] or "")}
        _, native = lines([args.type_dump] + common + sorted(core))
        good = compare("native", core, native, args.verbose) and good

        module_types = {n: t for n, t in theirs.items() if "/modules" in (t["file"] or "")}
        if module_types:
            good = compare("scan", module_types, ours, args.verbose, AT_LEAST) and good
            environment = generate(args.modulepath, work)
            folder = os.path.join(environment, ".resource_types")
            if glob.glob(os.path.join(folder, "*.pp")):
                _, theirs = lines(runner + common + ["--generated", folder])
                _, ours = lines([args.type_dump, "--environment-path", environment] + common + sorted(theirs))
                good = compare("generated", theirs, ours, args.verbose) and good
    return 0 if good else 1


TYPE_DUMP = ""

if __name__ == "__main__":
    sys.exit(main())
