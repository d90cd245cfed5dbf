#!/usr/bin/env bash
# packaging/zig/unit.sh libcxx|aarch64 TARGET...: builds tests with zig's clang, libc++ and musl, for this machine or
# for aarch64. The programs are static, so those for aarch64 need nothing but qemu-aarch64.
#
# The libraries are compiled from Debian's sources, once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
shift
case $preset in
  libcxx) machine=$(uname -m) ;;
  aarch64) machine=aarch64 ;;
  *) echo "unit.sh: unknown preset '$preset' (libcxx, aarch64)" >&2; exit 1 ;;
esac

packaging/setup.sh musl
packaging/static/sources.sh cjson
source packaging/zig/tools.sh
zig_tools "$preset" "$machine-linux-musl"
zig_libraries "$preset" -DTESTS=ON
packaging/build.sh "$preset" "$@"
