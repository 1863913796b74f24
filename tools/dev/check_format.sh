#!/bin/sh
# Fails when a source does not satisfy .clang-format. To mend: clang-format -i FILE
cd "$(dirname "$0")/../.." || exit 1
command -v clang-format >/dev/null || { echo "clang-format is not installed"; exit 77; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no checkout of git"; exit 77; }
git ls-files '*.cpp' '*.h' | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror 2>&1 | grep -E '^[^ ].*error' | head -20 | grep . && exit 1
exit 0
