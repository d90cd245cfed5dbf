#!/usr/bin/env bash
# packaging/static/musl.sh: builds libsched.a for musl into build/static/musl, by zig's compiler.
#
# Nothing of the system's glibc is used: the libraries are compiled from Debian's sources, and zig brings musl and
# LLVM's C++ library. From nothing it takes minutes, later only what has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source packaging/zig/tools.sh
zig_tools musl "$(uname -m)-linux-musl"

packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2
zig_libraries musl

# The compiler's own functions are GCC's: those of zig do not know the processor's instruction sets. They call
# nothing of the C library.
archives=$(zig_runtime musl | tr '\n' ';')$(gcc -print-libgcc-file-name)
cmake --preset musl -DLIBSCHED_STATIC_RUNTIME="$archives" > build/musl.log 2>&1 ||
  { cat build/musl.log >&2; exit 1; }
packaging/build.sh musl libsched_static
rm -rf build/static/musl
cmake --install build/musl --component static --prefix build/static/musl > /dev/null
