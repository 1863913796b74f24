#!/usr/bin/env python3
"""Which scenario uses which attribute of the types that `pupc apply` knows from its documentation.

    attribute_coverage.py check     prints "type, attribute, value: scenario" or "exempt: reason" for each; fails when one has neither
    attribute_coverage.py update    asks Puppet for the attributes of the types and the values that each lists, into testdata/providers/attributes.json

Scenarios are those of testdata/apply, testdata/providers and testdata/modules_applied. An attribute that lists values is covered when each of them is
used somewhere; values that stand for an expression (regular expressions in the types) count as used when the attribute is. Exemptions, one a line in
testdata/providers/attribute_exemptions.txt: `type attribute [value]: reason`; one that a scenario covers is reported, so that the list stays true.
"""
import json
import pathlib
import re
import subprocess
import sys

import yaml

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
LIST = DATA / "providers" / "attributes.json"
EXEMPTIONS = DATA / "providers" / "attribute_exemptions.txt"
TYPES = """file exec package service tidy notify schedule resources filebucket stage archive vcsrepo concat_file concat_fragment file_line ini_setting ini_subsetting
augeas user group cron host mount mailalias ssh_authorized_key sshkey""".split()
# A define stands for the type that it declares.
STANDS_FOR = {"concat_file": ["concat_file", "concat"], "concat_fragment": ["concat_fragment", r"concat::fragment"]}
ASK = r"""
require 'json'
require 'puppet'
Puppet.initialize_settings
Dir['/usr/share/puppet/modules/{stdlib,archive,vcsrepo,concat,inifile,augeas_core,cron_core,host_core,mount_core,mailalias,sshkeys_core}/lib'].each { |d| $LOAD_PATH.unshift(d) }
out = ARGV.to_h do |name|
  type = Puppet::Type.type(name.to_sym) or abort("no type #{name}")
  attributes = type.properties.to_h { |c| [c.name, c] }.merge(type.parameters.to_h { |n| [n, type.paramclass(n)] })
  [name, attributes.to_h { |n, c| [n, c.value_collection.values.map(&:to_s).sort] }.sort.to_h]
end
puts JSON.pretty_generate(out)
"""


def scenarios():
    """Pairs of a name and a manifest's text."""
    for path in sorted((DATA / "apply").glob("*.yaml")):
        for s in yaml.safe_load(path.read_text()) or []:
            yield f"{path.stem}/{s['id']}", s["code"]
    for folder in ("providers", "modules_applied"):
        for path in sorted((DATA / folder).glob("*.pp")):
            yield f"{folder}/{path.stem}", path.read_text()


def bodies(text, names):
    """Texts between the braces of the resources, defaults and collectors' overrides of a type."""
    for m in re.finditer(rf"(?<![\w:])(?:{names})\s*(?:<\|[^|]*\|>\s*)?\{{", text, re.I):
        depth, at, quote = 1, m.end(), ""
        while at < len(text) and depth:
            c = text[at]
            if quote:
                if c == "\\":
                    at += 1
                elif c == quote:
                    quote = ""
            elif c in "'\"":
                quote = c
            elif c in "{[(":
                depth += 1
            elif c in "}])":
                depth -= 1
            at += 1
        yield text[m.end():at - 1]


def uses():
    """(type, attribute) -> list of (scenario, text of the value)."""
    out = {}
    for name, text in scenarios():
        for kind in TYPES:
            for body in bodies(text, "|".join(STANDS_FOR.get(kind, [kind]))):
                for m in re.finditer(r"(?<![\w'\"$])(\w+)\s*[=+]>\s*((?:\[[^\]]*\]|\{[^}]*\}|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,;}\s])+)", body):
                    out.setdefault((kind, m[1]), []).append((name, m[2]))
                for m in re.finditer(r"\*\s*=>\s*(\{[^}]*\})", body):
                    for inner in re.finditer(r"'?(\w+)'?\s*=>\s*([^,}]+)", m[1]):
                        out.setdefault((kind, inner[1]), []).append((name, inner[2].strip()))
                if re.search(r"['\"]\s*:", body):
                    out.setdefault((kind, "title"), []).append((name, ""))
    return out


def exemptions():
    out = {}
    for line in EXEMPTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            what, reason = line.split(": ", 1)
            out[tuple(what.split())] = reason
    return out


SAME = {"yes": "true", "no": "false"}  # where a type lists all four


def plain(value):
    return re.findall(r"[\w.@/-]+", value)


def check():
    known, used, exempt = json.loads(LIST.read_text()), uses(), exemptions()
    missing, stale, covered, excused = [], [], 0, 0
    for kind, attributes in known.items():
        for attribute, values in attributes.items():
            of = used.get((kind, attribute), [])
            if not of and attribute in ("name", "path") and (kind, attribute) not in exempt:
                of = used.get((kind, "title"), [])  # the title is the attribute
            listed = [v for v in values if v and not v.startswith("(?") and not (SAME.get(v) in values)]
            for value in listed or [None]:
                found = [name for name, text in of if value is None or any(v == value or SAME.get(v) == value for v in plain(text))]
                key = (kind, attribute) if value is None else (kind, attribute, value)
                reason = exempt.get(key) or exempt.get((kind, attribute))
                if found:
                    covered += 1
                    print(f"{', '.join(key)}: {found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else ""))
                    if key in exempt:
                        stale.append(key)
                elif reason:
                    excused += 1
                    print(f"{', '.join(key)}: exempt: {reason}")
                else:
                    missing.append(key)
    for key in missing:
        print(f"{', '.join(key)}: NO SCENARIO")
    for key in stale:
        print(f"{', '.join(key)}: exempt, though a scenario uses it")
    print(f"{covered} covered, {excused} exempt, {len(missing)} without a scenario")
    return 1 if missing or stale else 0


def update():
    result = subprocess.run(["ruby", "-e", ASK] + TYPES, capture_output=True, text=True, check=True)
    LIST.write_text(result.stdout)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    sys.exit(check() if sys.argv[1] == "check" else update())
