#!/usr/bin/env bash
# packaging/static/musl.sh: builds libsched.a for musl into build/static/musl, by zig's compiler.
#
# Nothing of the system's glibc is used: the libraries are compiled from Debian's sources, and zig brings musl and
# LLVM's C++ library. From nothing it takes minutes, later only what has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source packaging/zig/tools.sh
tools=build/zig/musl/tools
zig_tools musl "$(uname -m)-linux-musl"

# Prints the archives of LLVM's C++ library and unwinder, which zig makes when it links a program. A shared object
# makes it compile them for programs at any address.
runtime() {
  local work
  work=$(mktemp -d)
  printf '#include <stdexcept>\nvoid f() { throw std::runtime_error(""); }\n' > "$work/f.cpp"
  "$tools/zig-clang++" -v -O2 -fPIC -shared "$work/f.cpp" -o "$work/f.so" 2>&1 |
    sed -n 's/^ld\.lld .* -o [^ ]*f\.so //p' | tr ' ' '\n' | grep -E '/lib(c\+\+|c\+\+abi|unwind)\.a$'
  rm -r "$work"
}

packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2
zig_libraries musl

# The compiler's own functions are GCC's: those of zig do not know the processor's instruction sets. They call
# nothing of the C library.
archives=$(runtime | tr '\n' ';')$(gcc -print-libgcc-file-name)
cmake --preset musl -DLIBSCHED_STATIC_RUNTIME="$archives" > build/musl.log 2>&1 ||
  { cat build/musl.log >&2; exit 1; }
packaging/build.sh musl libsched_static
rm -rf build/static/musl
cmake --install build/musl --component static --prefix build/static/musl > /dev/null
