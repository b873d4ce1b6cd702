#!/usr/bin/env bash
# Fuzzes all targets side by side for SECONDS under the address and undefined-behaviour sanitizers (preset fuzz), and
# prints runs and covered edges of each. A crash keeps its input in build/fuzz/crashes and exits 1.
#
#   tools/fuzz.sh [--no-install] [--minimise] [--only TARGET] SECONDS
#
# --minimise then writes back the smallest corpus that covers the same: tests/fuzz/corpus/TARGET. TARGET is parse,
# program, evidence, service_body or http.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/setup.sh

install=''
minimise=''
seconds=''
targets='parse program evidence service_body http'
while [ $# -gt 0 ]; do
  case "$1" in
    --no-install) install=--no-install ;;
    --minimise) minimise=yes ;;
    --only) targets=${2:?--only needs a target}; shift ;;
    -h|--help) sed -n '2,8p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    *[!0-9]*|'') echo "fuzz.sh: unknown option $1" >&2; exit 3 ;;
    *) seconds=$1 ;;
  esac
  shift
done
[ -n "$seconds" ] || { echo "usage: tools/fuzz.sh [--minimise] [--only TARGET] SECONDS" >&2; exit 3; }

if ! attrib_setup $install clang libclang-rt-14-dev; then
  echo "skipped: fuzzing (packages are missing)" >&2
  exit 2
fi

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzzers

# A program carries its sources and places.
longest() { [ "$1" = program ] && echo 65536 || echo 16384; }

build=build/fuzz
mkdir -p $build/crashes
for target in $targets; do
  mkdir -p "$build/found/$target"
  dictionary=()
  [ ! -f "tests/fuzz/$target.dict" ] || dictionary=(-dict="tests/fuzz/$target.dict")
  # The first folder takes new inputs; the committed corpus is only read. Longer inputs only slow the search, and so does
  # libFuzzer's entropic schedule: with tens of thousands of features it takes nine tenths of the time.
  "$build/bin/${target}_fuzzer" -max_total_time="$seconds" -entropic=0 -max_len="$(longest $target)" -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 "${dictionary[@]}" -artifact_prefix="$build/crashes/$target-" \
    "$build/found/$target" "tests/fuzz/corpus/$target" >"$build/$target.log" 2>&1 &
  eval "pid_$target=$!"
done

status=0
for target in $targets; do
  pid="pid_$target"
  ended=ok
  wait "${!pid}" || ended=crashed
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$build/$target.log" | tail -n 1)
  echo "$target: $ended, ${runs:-0} runs, ${edges:-0} edges"
  if [ $ended = crashed ]; then
    status=1
    grep -E 'ERROR:|SUMMARY:|runtime error|internal error|Test unit written' "$build/$target.log" | sed 's/^/  /' || true
    echo "  log: $build/$target.log"
  fi
done

if [ -n "$minimise" ] && [ $status -eq 0 ]; then
  for target in $targets; do
    rm -rf "$build/merged/$target"
    mkdir -p "$build/merged/$target"
    "$build/bin/${target}_fuzzer" -merge=1 -max_len="$(longest $target)" -rss_limit_mb=2048 "$build/merged/$target" \
      "tests/fuzz/corpus/$target" "$build/found/$target" >"$build/$target.merge.log" 2>&1
    # Inputs with a name of their own stand for a crash that was fixed: they stay whatever they cover.
    find "tests/fuzz/corpus/$target" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    # The smallest first: they cover nearly all, and the repository stays small.
    total=0
    for file in $(find "$build/merged/$target" -type f -printf '%s %p\n' | sort -n | cut -d' ' -f2); do
      total=$((total + $(stat -c %s "$file")))
      [ $total -le 524288 ] || break
      cp "$file" "tests/fuzz/corpus/$target/"
    done
    echo "$target: $(find "tests/fuzz/corpus/$target" -type f | wc -l) files," \
      "$(du -sk --apparent-size "tests/fuzz/corpus/$target" | cut -f1) KiB"
  done
fi
exit $status
