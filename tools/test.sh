#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: unit tests, goldens and corpus replay under the sanitizers
# (preset asan), then goldens, rule tests and the differential run in release.
#
#   tools/test.sh [--no-install] [--only asan|release]
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/setup.sh

only=''
install=''
while [ $# -gt 0 ]; do
  case "$1" in
    --no-install) install=--no-install ;;
    --only) only=${2:?--only needs asan or release}; shift ;;
    -h|--help) sed -n '2,6p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    *) echo "test.sh: unknown option $1" >&2; exit 3 ;;
  esac
  shift
done

if ! attrib_setup $install; then
  [ -n "$install" ] || exit 2
  echo "skipped: build and tests (packages are missing)" >&2
  exit 2
fi

for preset in asan release; do
  [ -z "$only" ] || [ "$only" = "$preset" ] || continue
  echo "== $preset: configure and build (build/$preset)"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -- -k 0
  echo "== $preset: tests"
  ctest --preset "$preset"
done
if [ -z "$only" ] || [ "$only" = release ]; then
  echo "== release: instructions a byte"
  bench/instructions.py
  tools/tidy.sh
fi
echo "programs: $PWD/build/release/bin"
