#!/usr/bin/env bash
# Measures attrib-vm beside `wc -l`, ripgrep, simdjson and a rule engine in Python, in one run, and prints each goal of
# docs/speed.md with what was measured.
#
#   bench/run.sh [--quick] [--mb N] [--runs N] [--out DIR] [--bin DIR] [--json FILE] [--only WORD]
#
# --mb is the size of the large log (1000), of which --out (build/bench) will hold about six times as much. --quick takes 64
# MB and fewer runs. --only takes the goals whose names hold WORD. What a missing program keeps from being measured is said.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case "${1:-}" in -h | --help) sed -n '2,8p' "${BASH_SOURCE[0]}" | sed 's/^# \{0,1\}//'; exit 0 ;; esac
exec python3 "$here/run.py" "$@"
