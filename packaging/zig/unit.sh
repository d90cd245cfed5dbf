#!/usr/bin/env bash
# packaging/zig/unit.sh libcxx|aarch64 TARGET...: builds unit tests by zig's clang and libc++, for musl, so that programs
# need no system: those of aarch64 run under qemu-user. The libraries are compiled from Debian's sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
shift

packaging/setup.sh musl
packaging/static/sources.sh cjson
source packaging/zig/tools.sh
case $preset in
  libcxx) name=musl machine=$(uname -m) ;;
  aarch64) name=aarch64 machine=aarch64 ;;
  *) echo "unit.sh: unknown preset '$preset' (libcxx, aarch64)" >&2; exit 1 ;;
esac
zig_tools "$name" "$machine-linux-musl"
zig_libraries "$name"
packaging/build.sh "$preset" "$@"
