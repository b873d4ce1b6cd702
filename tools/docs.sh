#!/usr/bin/env bash
# Writes the generated pages of docs/ anew: bytecode.md, diagnostics.md, attribd-settings.md, packs/, signals.md.
#
# usage: tools/docs.sh [--check] [BUILD]    BUILD: a build tree (default: build/release)
# --check writes nothing and exits with 1 if a page is stale.
set -euo pipefail
cd "$(dirname "$0")/.."

check=()
build=build/release
for word in "$@"; do
  case "$word" in
    --check) check=(--check) ;;
    -h|--help) sed -n '2,5p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "docs.sh: unknown option $word" >&2; exit 3 ;;
    *) build=$word ;;
  esac
done
bin=$build/bin

# page PROGRAM FILE: what PROGRAM prints is FILE.
page() {
  local text
  text=$("$bin/$1" && printf .) || return 1
  if [ ${#check[@]} -eq 0 ]; then
    printf %s "${text%.}" > "$2"
  elif ! printf %s "${text%.}" | cmp -s - "$2"; then
    echo "$2: is not what $1 prints" >&2
    return 1
  fi
}

stale=0
page bytecode_page docs/bytecode.md || stale=1
page diagnostics_page docs/diagnostics.md || stale=1
page settings_page docs/attribd-settings.md || stale=1
"$bin/rule_pages" stdlib-rules --out docs --least-read 90 "${check[@]}" || stale=1
if [ $stale -ne 0 ] && [ ${#check[@]} -ne 0 ]; then echo "tools/docs.sh writes stale pages anew" >&2; fi
exit $stale
