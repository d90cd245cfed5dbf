#!/usr/bin/env bash
# packaging/wheel.sh [PYTHON...]: builds wheels that need nothing but Python and glibc 2.28 or newer, into build/wheels.
#
# The libraries are compiled once, by zig, whose glibc is as old as wished; all others but the C library are inside,
# from Debian's sources. For each Python (default: .venv's) the extension module is compiled against its headers;
# it needs pip, wheel, scikit-build-core and pybind11 there. From nothing it takes minutes, later only what has
# changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

glibc=2.28
platform=manylinux_${glibc/./_}_$(uname -m)
say() { printf 'wheel: %s\n' "$*" >&2; }

packaging/setup.sh python release
packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2 curl openssl=orig
source packaging/zig/tools.sh
zig_tools manylinux "$(uname -m)-linux-gnu.$glibc"
root=$PWD/build/zig/manylinux

# Client-side TLS alone, without the old algorithms.
openssl() {
  local without=(shared tests legacy engine dso comp zlib async ssl3 idea camellia seed rc2 rc4 md4 mdc2 whirlpool cast
    bf dsa srp psk ct cms ts ocsp sctp dtls gost aria sm2 sm3 sm4 cmp rfc3779)
  local version=build/sources/openssl/VERSION.dat made
  made=$(cat packaging/wheel.sh "$version" | sha256sum)
  [ "$made" != "$(cat "$root/openssl/done" 2>/dev/null)" ] || return 0
  say "compiling OpenSSL"
  rm -rf "$root/openssl" "$root/libraries/done"
  mkdir -p "$root/openssl/build" "$root/openssl/lib"
  (
    cd "$root/openssl/build"
    # The library has the name of its compiler inside, which is the same wherever the checkout is, and a date, which
    # is that of its sources: a later release uses the library again.
    export PATH=$root/tools:$PATH
    SOURCE_DATE_EPOCH=$(stat -c %Y "$OLDPWD/$version")
    export SOURCE_DATE_EPOCH
    CC=zig-clang AR=ar RANLIB=ranlib perl "$OLDPWD/build/sources/openssl/Configure" \
      "linux-$(uname -m)" "${without[@]/#/no-}" --openssldir=/etc/ssl -fPIC -O2 -g0
    make -s -j "${JOBS:-$(nproc)}" build_generated libcrypto.a libssl.a
  ) > "$root/openssl.log" 2>&1 || { tail -n 50 "$root/openssl.log" >&2; return 1; }
  cp "$root"/openssl/build/lib*.a "$root/openssl/lib/"
  cp -r build/sources/openssl/include "$root/openssl/"
  cp -r "$root/openssl/build/include" "$root/openssl/"
  echo "$made" > "$root/openssl/done"
}

# Prints the licences of all that is inside, each under a line with its name.
notices() {
  local file
  echo "libsched is licensed under the Apache License 2.0. Its libraries contain code of the following projects."
  for file in build/sources/{zlib/LICENSE,libyaml/License,xz-utils/COPYING,libzstd/LICENSE,simdjson/LICENSE} \
    build/sources/{re2/LICENSE,curl/COPYING,openssl/LICENSE.txt} \
    "$(dirname "$zig")"/lib/{libcxx,libcxxabi,libunwind}/LICENSE.TXT \
    "$(echo .venv/lib/python3.*/site-packages/pybind11-*/licenses/LICENSE)"; do
    printf '\n==== %s\n\n' "$(basename "$(dirname "${file/licenses\//}")")"
    cat "$file"
  done
}

# python_headers PYTHON: puts the headers into build/wheel/include that Debian's Python includes by their place below
# /usr/include, where zig does not look.
python_headers() {
  local place
  place=$("$1" -c 'import sys, sysconfig; print("%s/python%d.%d" % (sysconfig.get_config_var("MULTIARCH"), *sys.version_info[:2]))')
  [ -d "/usr/include/$place" ] || return 0
  mkdir -p "build/wheel/include/$(dirname "$place")"
  ln -sfn "/usr/include/$place" "build/wheel/include/$place"
}

openssl
say "compiling the libraries"
zig_libraries manylinux -DOPENSSL="$root/openssl"
packaging/build.sh wheel libsched libsched_net
mkdir -p build/wheels build/wheel/stripped
notices > build/wheel/stripped/NOTICES.txt
for library in build/wheel/lib/libsched.so build/wheel/lib/libsched-net.so; do
  strip --strip-unneeded -o "build/wheel/stripped/$(basename "$library")" "$(realpath "$library")"
done

[ $# -gt 0 ] || set -- .venv/bin/python
for python in "$@"; do
  say "building the wheel for $("$python" --version)"
  work=$(mktemp -d)
  python_headers "$python"
  CC=$root/tools/zig-clang CXX=$root/tools/zig-clang++ "$python" -m pip wheel --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --wheel-dir "$work" . \
    --config-settings build-dir="build/wheel-{wheel_tag}" --config-settings install.strip=true \
    --config-settings cmake.define.CMAKE_CXX_FLAGS="${CXXFLAGS:-} -I$PWD/build/wheel/include" \
    --config-settings cmake.define.LIBSCHED_NOTICES="$PWD/build/wheel/stripped/NOTICES.txt" \
    --config-settings cmake.define.LIBSCHED_PREBUILT="$PWD/build/wheel/stripped/libsched.so"
  "$python" -m wheel tags --remove --platform-tag "$platform" "$work"/*.whl > /dev/null
  mv "$work"/*.whl build/wheels/
  rmdir "$work"
done
ls -l build/wheels >&2
