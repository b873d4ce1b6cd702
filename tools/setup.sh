# Sourced by demo.sh, test.sh and fuzz.sh: installs what is missing and says so. Needs bash.
#
#   attrib_setup [--no-install] [EXTRA_PACKAGE...]
#
# With --no-install it only prints the apt line. Returns 1 when something stays missing.

attrib_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

attrib_missing_packages() {
  local package
  for package in $(sed -e 's/#.*//' "$attrib_root/tools/packages.txt") "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

attrib_setup() {
  local install=yes
  if [ "${1:-}" = --no-install ]; then install=no; shift; fi
  local missing
  missing=$(attrib_missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -z "$missing" ] && return 0
  local sudo=''
  [ "$(id -u)" -eq 0 ] || sudo='sudo '
  if [ "$install" = no ]; then
    echo "missing packages; install them with:" >&2
    echo "  ${sudo}apt-get install --no-install-recommends $missing" >&2
    return 1
  fi
  echo "installing: $missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  ${sudo}apt-get update -qq >&2 &&
    ${sudo}apt-get install -y -qq --no-install-recommends $missing >&2 ||
    { echo "could not install: $missing" >&2; return 1; }
}
