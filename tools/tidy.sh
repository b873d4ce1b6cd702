#!/usr/bin/env bash
# clang-tidy over the .cpp files that changed since a commit (default: the one before HEAD), with the compile commands of
# build/release. At most so many files, the smallest first: a file takes 7 to 24 seconds.
#
#   tools/tidy.sh [--since COMMIT] [--most N] [FILE...]
set -euo pipefail
cd "$(dirname "$0")/.."

since=HEAD~1
most=10
files=()
while [ $# -gt 0 ]; do
  case "$1" in
    --since) since=${2:?--since needs a commit}; shift ;;
    --most) most=${2:?--most needs a number}; shift ;;
    -h|--help) sed -n '2,6p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "tidy.sh: unknown option $1" >&2; exit 3 ;;
    *) files+=("$1") ;;
  esac
  shift
done

command -v clang-tidy >/dev/null || { echo "skipped: clang-tidy (package clang-tidy is not installed)"; exit 0; }
[ -f build/release/compile_commands.json ] || { echo "tidy.sh: build/release is not configured" >&2; exit 2; }
if [ ${#files[@]} -eq 0 ]; then
  git rev-parse -q --verify "$since" >/dev/null || { echo "skipped: clang-tidy ($since is not in this clone)"; exit 0; }
  mapfile -t files < <(git diff --name-only --diff-filter=AM "$since" -- '*.cpp' ':!*_test.cpp' | xargs -r ls -S -r | head -n "$most")
fi
[ ${#files[@]} -gt 0 ] || { echo "clang-tidy: no changed file"; exit 0; }
echo "clang-tidy: ${files[*]}"
printf '%s\n' "${files[@]}" | xargs -P 2 -n 1 clang-tidy --quiet -p build/release \
  --extra-arg=-Wno-unknown-warning-option  # the compile commands are g++'s
