#!/usr/bin/env python3
"""One door to all that compares pupc with Puppet.

    suites.py list [WORD…]                 the suites, what each compares and needs; a WORD is part of a name
    suites.py run NAME… [-- WORD…]         pupc against the stored answers; the words go to the suite (its cases, its options)
    suites.py live NAME… [-- WORD…]        pupc against Puppet, now
    suites.py accept NAME [-- WORD…]       stores Puppet's answers; read the difference before you commit it
    suites.py table                        the table in README.md, between its two marks

--pupc FILE: another program than build/release/pupc. A suite whose parts this machine lacks says so and counts as skipped. Exit code 1 when a suite fails.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Name, what it compares, what it needs, and the command lines of its verbs; {pupc}, {type_dump} and {erb_coverage} are built programs.
# A suite without `accept` keeps no answers of its own, or has a reason not to store them.
SUITES = [
    ("golden", "cases of language, checks, catalogs, ERB (`testdata/{eval,check,compile,erb}`)", "",
     {"run": "conform.py golden --pupc {pupc}", "live": "conform.py live --pupc {pupc}", "accept": "conform.py update"}),
    ("golden_answers", "whether the stored answers of `golden` are the oracle's", "Puppet", {"live": "conform.py update --check"}),
    ("corpus", "verdicts on all manifests and templates of Debian's modules", "modules", {"run": "conform.py corpus --pupc {pupc}"}),
    ("mutants", "verdicts and lines on 5,000 one-token mutants of them", "modules", {"run": "conform.py mutants --pupc {pupc}"}),
    ("rules", "each rule of the language's specification has cases (`testdata/eval/spec_rules.tsv`)", "", {"run": "conform.py rules"}),
    ("snippets", "thousands of one-line manifests (`testdata/{language,functions}/*.jsonl`)", "",
     {"run": "snippets.py golden --pupc {pupc}", "accept": "snippets.py update"}),
    ("hiera", "every lookup of the set-ups of `testdata/hiera`", "", {"run": "hiera_cases.py {pupc}"}),
    ("hiera_explained", "`lookup --explain` for them", "", {"run": "hiera_explained.py {pupc}"}),
    ("exports", "small cases of exported resources over several nodes", "", {"run": "exports.py golden {pupc}", "accept": "exports.py update"}),
    ("puppetdb", "nodes that export and collect over a PuppetDB: what it then knows, and what it and the store answer to queries",
     "PuppetDB, PostgreSQL, Puppet's terminus, root, namespaces",
     {"run": "puppetdb_scenarios.py golden {pupc}", "live": "puppetdb_scenarios.py live {pupc}", "accept": "puppetdb_scenarios.py update {pupc}"}),
    ("puppetdb_fleet", "the fleets of `exports` with a puppetserver, with pupc in its place, and with both, over a PuppetDB: catalogs, and what it then knows",
     "puppetserver, PuppetDB, PostgreSQL, Puppet's terminus, root, namespaces", {"live": "puppetdb_fleet.py live {pupc} {pupc}-server"}),
    ("puppetdb_faults", "20 runs a second while PuppetDB, PostgreSQL or what lies between fails: nothing is lost",
     "the same", {"live": "puppetdb_faults.py live {pupc} {pupc}-server"}),
    ("sample", "all 50 nodes of `testdata/sample`, alone and with collected exported resources", "",
     {"run": "sample.py golden {pupc}", "live": "sample.py live {pupc}", "accept": "sample.py update"}),
    ("octocatalog_diff", "octocatalog-diff with pupc in Puppet's place: 20 features", "octocatalog-diff", {"run": "octocatalog_diff.py golden {pupc}"}),
    ("types", "attributes, namevars, titles of native, scanned and generated types, for all of Debian's modules", "Puppet, modules",
     {"live": "resource_types.py live {type_dump}"}),
    ("type_styles", "the same for `testdata/types/styles`", "", {"run": "resource_types.py styles {type_dump}", "accept": "resource_types.py update {type_dump}"}),
    ("provider_types", "attributes, features, providers and defaults of all types in lib/ directories, in the facade and in Puppet", "Puppet; the directories as words",
     {"live": "provider_types.py"}),
    ("refused_values", "values of attributes that types refuse and `validate` does not; judges nothing", "Puppet; types as words", {"live": "refused_values.py --pupc {pupc}"}),
    ("recorded_cases", "what the suites of current modules compile: 300 of them by stored digests", "unpacked suites (`PUPC_MODULE_SUITES`)",
     {"run": "recorded_cases.py golden - --pupc {pupc}"}),
    ("all_recorded_cases", "all 1,533 of them, grouped by cause; words: MATERIAL STORE", "unpacked suites; `accept` Puppet",
     {"run": "recorded_cases.py compare --pupc {pupc}", "accept": "recorded_cases.py answers"}),
    ("production_repo", "133 nodes of a repository that ran in production, with Hiera backends in Ruby, by stored digests", "its files (`PUPC_MODULE_SUITES`)",
     {"run": "production_repo.py golden - --pupc {pupc}"}),
    ("production_repo_answers", "the same against whole answers, grouped by cause; words: MATERIAL STORE", "its files; `accept` Puppet",
     {"run": "production_repo.py compare --pupc {pupc}", "accept": "production_repo.py answers"}),
    ("control_repo", "all roles of a control repository; words: STORE (see `control_repo.py prepare`)", "its files; `accept` Puppet",
     {"run": "control_repo.py compare --pupc {pupc}", "accept": "control_repo.py answers"}),
    ("scenarios", "manifests applied in a fresh directory: tree, exit code, messages, second run, noop", "",
     {"run": "PUPC={pupc} apply_scenarios.py golden", "live": "PUPC={pupc} apply_scenarios.py live", "accept": "PUPC={pupc} apply_scenarios.py update"}),
    ("machine_faults", "a full disk, a read-only /etc, missing tools, odd files, a wrong clock: the rest is applied", "root, a mount namespace",
     {"run": "machine_faults.py {pupc}"}),
    ("throwaway_root", "manifests that change users, files of /etc, crontabs and more, in a root that is thrown away", "root, namespaces or chroot",
     {"run": "provider_scenarios.py golden {pupc}", "live": "provider_scenarios.py live {pupc}", "accept": "provider_scenarios.py update {pupc}"}),
    ("modules", "Debian's modules applied to a machine that is thrown away", "root, namespaces, modules",
     {"run": "module_roots.py golden {pupc}", "live": "module_roots.py live {pupc}", "accept": "module_roots.py update {pupc}"}),
    ("services", "types that speak to databases, iptables, repositories, registries, on such a machine", "root, namespaces, the services",
     {"run": "service_scenarios.py golden {pupc}", "live": "service_scenarios.py live {pupc}", "accept": "service_scenarios.py update {pupc}"}),
    ("nodes", "whole modules applied to real Debian 12 nodes with systemd; words: KIT BASE", "root, namespaces, the kit",
     {"run": "node_scenarios.py --pupc {pupc}", "accept": "node_scenarios.py --record"}),
    ("resource", "command lines of `pupc resource`", "root, a mount namespace",
     {"run": "resource_commands.py golden {pupc}", "live": "resource_commands.py live {pupc}", "accept": "resource_commands.py update {pupc}"}),
    ("attributes", "which scenario uses each attribute and listed value of the types, or why none does", "", {"run": "attribute_coverage.py check"}),
    ("acceptance", "what a run must withstand: SIGKILL in a loop, signals, a second run, hanging commands; secrets; exit codes; noop", "",
     {"run": "apply_acceptance.py {pupc}"}),
    ("secrets", "Sensitive values while every type is applied: none in a log, the report, the state, the arguments of a process", "root, a mount namespace or chroot", {"run": "secrets_test.py {pupc}"}),
    ("supply", "files and archives from servers: certificates, redirects, members that leave their target", "root, a mount namespace", {"run": "supply_test.py {pupc}"}),
    ("facts", "`pupc facts` beside `facter` on this machine", "facter", {"live": "facts_conformance.py {pupc}"}),
    ("custom_facts", "facts written in Ruby", "Ruby", {"run": "custom_facts.py golden {pupc}", "accept": "custom_facts.py update"}),
    ("ruby_worker", "module code that is killed, exits, loops, prints or fails while compiling: one error each", "Ruby", {"run": "ruby_worker_faults.py --pupc {pupc}"}),
    ("ruby_providers", "providers in Ruby that do the same: one failed resource each", "Ruby", {"run": "ruby_providers.py {pupc}"}),
    ("ruby_methods", "every method that the interpreter knows on receivers and arguments of all kinds", "Ruby", {"run": "ruby_methods.py --pupc {pupc}"}),
    ("ruby_expressions", "the table of Ruby expressions that the interpreter's unit test evaluates, by Ruby", "Ruby 3.1", {"run": "ruby_expressions.py", "accept": "ruby_expressions.py update"}),
    ("ruby_core", "what both Ruby workers have of Puppet's library, against Puppet's answers; words for `accept`: LIBRARY", "Ruby 3.1", {"run": "ruby_core.py", "accept": "ruby_core.py update"}),
    ("ruby_share", "which methods of Ruby's core and standard library the interpreter has, class by class", "Ruby", {"live": "ruby_share.py --pupc {pupc}"}),
    ("functions_both_ways", "functions that modules write in Ruby, by the interpreter and in the worker", "Ruby", {"run": "functions_both_ways.py --pupc {pupc}"}),
    ("function_programs", "every program that a native function stands for, natively and by Ruby", "Ruby, modules", {"run": "function_programs.py {pupc}"}),
    ("erb_both_ways", "ERB rendered natively and by Ruby with made-up values, to the byte", "Puppet, modules", {"run": "erb_both_ways.py templates --pupc {pupc}"}),
    ("erb_coverage", "share of ERB templates that need no Ruby, and what keeps the others from it", "modules",
     {"run": "{erb_coverage} --least 98 /usr/share/puppet/modules.available"}),
    ("format", "`pupc fmt` over whole modules: the same tree, no comment lost, stable", "modules", {"run": "format_modules.py {pupc}"}),
    ("style", "checks of style, by file, line, column and name", "puppet-lint, modules", {"run": "style_modules.py compare {pupc}", "accept": "style_modules.py answers"}),
    ("style_fixes", "`validate --fix` leaves every class's catalog as it was", "modules", {"run": "style_modules.py fix {pupc}"}),
    ("style_cases", "the same, and `fmt`, on the golden cases written untidily", "", {"run": "style_cases.py {pupc}"}),
    ("selftest", "the tools see every kind of difference", "", {"run": "selftest.py"}),
]
MARKS = ("<!-- suites.py table -->\n", "<!-- end of the table -->\n")
VERBS = ("run", "live", "accept")
SKIPPED = 77


def table():
    lines = ["| suite | what it compares | needs | verbs |\n|---|---|---|---|\n"]
    lines += [f"| `{name}` | {what} | {needs} | {', '.join(verb for verb in VERBS if verb in commands)} |\n" for name, what, needs, commands in SUITES]
    return "".join(lines)


def scripts():
    """The programs of this folder that compare something, by their names."""
    return {path.name for path in HERE.glob("*.py") if "__main__" in path.read_text(encoding="utf-8") and path.name != "suites.py"}


def problems():
    """What is wrong with the table: a script that no suite starts, a suite whose script is missing, a README that tells something else."""
    named = {word for _, _, _, commands in SUITES for line in commands.values() for word in line.split() if word.endswith(".py")}
    out = [f"{name}: no suite of suites.py runs it" for name in sorted(scripts() - named)]
    out += [f"suites.py: there is no {name}" for name in sorted(named) if not (HERE / name).exists()]
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    begin, end = readme.find(MARKS[0]), readme.find(MARKS[1])
    if begin < 0 or readme[begin + len(MARKS[0]):end] != table():
        out.append("README.md: the table is not that of `suites.py table`")
    return out


def start(line, pupc, words):
    """Runs a suite's command line; returns its exit code."""
    build = pathlib.Path(pupc).resolve().parent
    programs = {"pupc": pupc, "type_dump": build / "tools/conformance/type_dump", "erb_coverage": build / "tools/conformance/erb_coverage"}
    command = line.format(**programs).split()
    environment = [command.pop(0)] if "=" in command[0] else []
    if command[0].endswith(".py"):
        command = [sys.executable, str(HERE / command[0]), *command[1:]]
    return subprocess.run(["env", *environment, *command, *words], cwd=ROOT, check=False).returncode


def perform(verb, names, pupc, words):
    known = {name: commands for name, _, _, commands in SUITES}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            sys.exit(f"There is no suite '{name}'." + (f" Did you mean '{near[0]}'?" if near else " `suites.py list` names them."))
        if verb not in known[name]:
            sys.exit(f"The suite '{name}' has no '{verb}', but {' and '.join(v for v in VERBS if v in known[name])}.")
    failed = []
    for name in names:
        code = start(known[name][verb], pupc, words)
        print(f"{name}: {'passed' if code == 0 else 'skipped' if code == SKIPPED else f'FAILED ({code})'}", flush=True)
        if code not in (0, SKIPPED):
            failed.append(name)
    return 1 if failed else 0


def main():
    given = sys.argv[1:]
    words = given[given.index("--") + 1:] if "--" in given else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["list", *VERBS, "table", "check"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pupc", default=str(ROOT / "build" / "release" / "pupc"))
    o = parser.parse_args(given[:given.index("--")] if "--" in given else given)
    if o.verb == "table":
        print(table(), end="")
        return 0
    if o.verb == "check":
        wrong = problems()
        print("\n".join(wrong) or f"{len(SUITES)} suites, {len(scripts())} scripts")
        return 1 if wrong else 0
    if o.verb == "list":
        for name, what, needs, commands in SUITES:
            if not o.names or any(word in name for word in o.names):
                print(f"{name:20} {what}{f' (needs {needs})' if needs else ''} [{', '.join(v for v in VERBS if v in commands)}]")
        return 0
    if not o.names:
        sys.exit("Which suite? `suites.py list` names them.")
    return perform(o.verb, o.names, os.path.abspath(o.pupc), words)


if __name__ == "__main__":
    sys.exit(main())
