#!/usr/bin/env bash
# Builds attrib-vm and rulec for aarch64 and runs the golden cases of verdicts and framing under qemu: each must print byte for
# byte what is expected, which is what x86-64 prints. The standard library must compile to the same bytes, too.
#
#   bench/aarch64.sh [--dir build/aarch64] [--bin build/release/bin] [FILTER...]
#
# Takes minutes of processor time, so it runs beside continuous integration, not in it. Needs the packages
# g++-aarch64-linux-gnu, qemu-user and ccache (if there); those of aarch64 itself are unpacked into a folder and not installed:
# with `dpkg --add-architecture` some of them would remove their amd64 twins.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=build/aarch64
bin=build/release/bin
filters=()
while [ $# -gt 0 ]; do
  case "$1" in
    --dir) dir=${2:?--dir needs a folder}; shift ;;
    --bin) bin=${2:?--bin needs a folder}; shift ;;
    -h | --help) sed -n '2,9p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "aarch64.sh: unknown option $1" >&2; exit 3 ;;
    *) filters+=("$1") ;;
  esac
  shift
done
[ ${#filters[@]} -gt 0 ] || filters=(verdict/ evidence/)

for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$program" >/dev/null || { echo "skipped: $program is missing (packages g++-aarch64-linux-gnu, qemu-user)" >&2; exit 2; }
done
[ -x "$bin/rulec" ] || { echo "aarch64.sh: no programs in $bin: build first" >&2; exit 2; }

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
root=$dir/root
apt_options=(-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache"
  -o APT::Sandbox::User=root)

# download PACKAGE...: their arm64 files, unless they are there.
download() {
  local package
  for package in "$@"; do
    ls "$dir/debs/${package}"_*_arm64.deb >/dev/null 2>&1 || (cd "$dir/debs" && apt-get "${apt_options[@]}" -qq download "$package:arm64")
  done
}

if [ ! -f "$dir/unpacked" ]; then
  mkdir -p "$dir"/{debs,lists/partial,cache/archives/partial} "$root"
  apt-get "${apt_options[@]}" -qq update
  # Header-only packages are the same for both; of the others, the libraries that the -dev packages name with `=`.
  libraries=$(grep -E -- '^[a-z0-9+.-]+-dev$' tools/packages.txt | grep -vE '^(tao-pegtl|nlohmann-json3|libboost-graph|libcli11|doctest)-dev$')
  download $libraries
  for deb in "$dir"/debs/*-dev_*.deb; do
    download $(dpkg-deb -f "$deb" Depends | tr ',' '\n' | grep '(= ' | awk '{print $1}')
  done
  for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$root"; done
  touch "$dir/unpacked"
fi

boost=$(ls -d /usr/lib/*/cmake/Boost-1.* | head -1)  # Headers alone: that of this machine serves.
export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
cmake -S . -B "$dir/tree" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 \
    -DATTRIB_MOLD=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_CXX_FLAGS="-isystem $root/usr/include/aarch64-linux-gnu" -DCMAKE_PREFIX_PATH="$root/usr" -DOPENSSL_ROOT_DIR="$root/usr" -DBoost_DIR="$boost" \
  $(command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache) >"$dir/configure.log"
nice -n 10 ninja -C "$dir/tree" attrib-vm rulec >"$dir/build.log" || { tail -30 "$dir/build.log" >&2; exit 1; }

# Programs of the usual names that run under qemu.
mkdir -p "$dir/bin"
for program in attrib-vm rulec; do
  printf '#!/bin/sh\nexec nice -n 10 qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=%s" "%s" "$@"\n' \
    "$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu" "$dir/tree/bin/$program" >"$dir/bin/$program"
  chmod +x "$dir/bin/$program"
done

"$bin/rulec" build stdlib-rules -o "$dir/fleet-x86-64.rbc"
"$dir/bin/rulec" build stdlib-rules -o "$dir/fleet.rbc"
cmp "$dir/fleet-x86-64.rbc" "$dir/fleet.rbc"
echo "the standard library compiles to the same program"
tests/golden/golden_test.py --bin "$dir/bin" --fleet "$dir/fleet.rbc" "${filters[@]}"
