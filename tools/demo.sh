#!/usr/bin/env bash
# Installs what is missing, builds, compiles the standard rules and diagnoses the bundled failed job.
#
#   tools/demo.sh [--no-install]
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/setup.sh

case "${1:-}" in
  ''|--no-install) ;;
  -h|--help) sed -n '2,4p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
  *) echo "demo.sh: unknown option $1" >&2; exit 3 ;;
esac
attrib_setup "$@" || exit 2

echo "building (build/release) ..." >&2
cmake --preset release >/dev/null
cmake --build --preset release --target rulec attrib-vm -- --quiet
bin=$PWD/build/release/bin
echo "programs: $bin" >&2
"$bin/rulec" build stdlib-rules/ -o build/release/fleet.rbc >&2
echo "diagnosing tests/golden/verdict/worked/faulty-link.json" >&2
echo >&2
"$bin/attrib-vm" run --program build/release/fleet.rbc --input tests/golden/verdict/worked/faulty-link.json --format text
