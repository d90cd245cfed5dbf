#!/usr/bin/env bash
# packaging/zig/unit.sh libcxx|aarch64|s390x TARGET...: builds tests with zig's clang, libc++ and musl, for this machine
# or another one. The programs are static, so those for another one need nothing but qemu.
#
# The libraries are compiled from Debian's sources, once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
shift
case $preset in
  libcxx) machine=$(uname -m) ;;
  aarch64 | s390x) machine=$preset ;;
  *) echo "unit.sh: unknown preset '$preset' (libcxx, aarch64, s390x)" >&2; exit 1 ;;
esac

packaging/setup.sh musl
packaging/static/sources.sh cjson
source packaging/zig/tools.sh
zig_tools "$preset" "$machine-linux-musl"
zig_libraries "$preset" -DTESTS=ON
packaging/build.sh "$preset" "$@"
