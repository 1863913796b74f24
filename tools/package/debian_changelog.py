#!/usr/bin/env python3
"""CHANGELOG.md in the form of a Debian package's change log: each `## VERSION (DATE)` an entry, its `- ` lines the changes."""
import datetime
import re
import sys
import textwrap


def main():
    entries = []
    for line in open(sys.argv[1], encoding="utf-8"):
        if m := re.match(r"## (\d[\w.]*) \((\d{4})-(\d\d)-(\d\d)\)", line):
            entries.append((m[1], datetime.date(int(m[2]), int(m[3]), int(m[4])), []))
        elif entries and line.startswith("- "):
            entries[-1][2].append(line[2:].strip())
        elif entries and entries[-1][2] and line.startswith("  "):
            entries[-1][2][-1] += " " + line.strip()
    for version, date, changes in entries:
        print(f"pupc ({version}-1) unstable; urgency=medium\n")
        for change in changes:
            print(textwrap.fill(change.replace("`", "'"), 78, initial_indent="  * ", subsequent_indent="    "))
        print(f"\n -- the pupc developers <pupc@localhost>  {date.strftime('%a, %d %b %Y')} 00:00:00 +0000\n")
    return 0 if entries else 1


if __name__ == "__main__":
    sys.exit(main())
