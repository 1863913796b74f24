#!/bin/sh
# Writes the oracle's answers (Debian's puppet-agent) into the case files of testdata. Arguments: parts of case ids.
exec python3 "$(dirname "$0")/../conformance/conform.py" update "$@"
