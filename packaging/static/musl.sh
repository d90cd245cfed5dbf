#!/usr/bin/env bash
# packaging/static/musl.sh: builds libsched.a for musl into build/static/musl, by zig's compiler.
#
# Nothing of the system's glibc is used: the libraries are compiled from Debian's sources, and zig brings musl and
# LLVM's C++ library. From nothing it takes minutes, later only what has changed. ZIG names another zig than that
# of packaging/zig-requirements.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

zig=${ZIG:-$(.venv/bin/python -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig}
target=$(uname -m)-linux-musl
tools=build/musl-tools
libraries=build/musl-dependencies
mkdir -p "$tools"

# tool NAME COMMAND...: writes a program that runs a command, if it is not there already, because a new
# file is a new compiler for ccache.
tool() {
  local name=$1 text
  shift
  text=$(printf '#!/bin/sh\n# zig %s\nexec %s "$@"\n' "$version" "$*")
  if [ "$text" != "$(cat "$tools/$name" 2>/dev/null)" ]; then
    printf '%s\n' "$text" > "$tools/$name"
    chmod +x "$tools/$name"
  fi
}
version=$("$zig" version)
tool musl-clang "$zig" cc -target "$target"
tool musl-clang++ "$zig" c++ -target "$target"

# Prints the archives of LLVM's C++ library and unwinder, which zig makes when it links a program. A shared object
# makes it compile them for programs at any address.
runtime() {
  local work
  work=$(mktemp -d)
  printf '#include <stdexcept>\nvoid f() { throw std::runtime_error(""); }\n' > "$work/f.cpp"
  "$tools/musl-clang++" -v -O2 -fPIC -shared "$work/f.cpp" -o "$work/f.so" 2>&1 |
    sed -n 's/^ld\.lld .* -o [^ ]*f\.so //p' | tr ' ' '\n' | grep -E '/lib(c\+\+|c\+\+abi|unwind)\.a$'
  rm -r "$work"
}

packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2
if [ ! -e "$libraries/done" ]; then
  rm -rf "$libraries"
  cmake -G Ninja -S packaging/static/dependencies -B "$libraries/build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/musl_toolchain.cmake" -DSOURCES="$PWD/build/sources" \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)" \
    > "$libraries.log" 2>&1 || { cat "$libraries.log" >&2; exit 1; }
  cmake --build "$libraries/build" --parallel "${JOBS:-$(nproc)}" -- --quiet
  cmake --install "$libraries/build" --prefix "$libraries" > /dev/null
  # Headers alone, the same for every C library.
  mkdir -p "$libraries/share/cmake"
  cp -r /usr/include/nlohmann "$libraries/include/"
  cp -r /usr/share/cmake/nlohmann_json "$libraries/share/cmake/"
  touch "$libraries/done"
fi

# The compiler's own functions are GCC's: those of zig do not know the processor's instruction sets. They call
# nothing of the C library.
archives=$(runtime | tr '\n' ';')$(gcc -print-libgcc-file-name)
cmake --preset musl -DLIBSCHED_STATIC_RUNTIME="$archives" > build/musl.log 2>&1 ||
  { cat build/musl.log >&2; exit 1; }
packaging/build.sh musl libsched_static
rm -rf build/static/musl
cmake --install build/musl --component static --prefix build/static/musl > /dev/null
