#!/usr/bin/env bash
# packaging/static/prebuilt.sh MACHINE...: builds libsched.a for glibc 2.28 or newer of x86_64 or aarch64, with LLVM's C++
# library inside, into build/static/prebuilt/MACHINE. The Go modules of a release contain it (packaging/go_release.py).
#
# The objects are those of the wheels' libraries. From nothing it takes minutes, later only what has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

packaging/setup.sh python release
packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2
source packaging/zig/tools.sh
for machine; do
  manylinux "$machine"
  openssl=$PWD/build/zig/$target/openssl
  [ -e "$openssl/done" ] || openssl=""  # a wheel's libraries are these and libcurl
  zig_libraries "$target" ${openssl:+-DOPENSSL="$openssl"}
  # The processor's instruction sets are known to GCC's functions, which are as many as another compiler lacks.
  runtime=$(zig_runtime "$target" | tr '\n' ';')
  [ "$machine" != x86_64 ] || runtime+=$(gcc -print-libgcc-file-name)
  cmake --preset "$preset" -DLIBSCHED_STATIC=ON -DLIBSCHED_STATIC_RUNTIME="${runtime%;}" > "build/$preset.log" 2>&1 ||
    { cat "build/$preset.log" >&2; exit 1; }
  packaging/build.sh "$preset" libsched_static
  rm -rf "build/static/prebuilt/$machine"
  cmake --install "build/$preset" --component static --prefix "build/static/prebuilt/$machine" > /dev/null
  notices > "build/static/prebuilt/$machine/NOTICES.txt"
done
