#!/usr/bin/env bash
# packaging/wheel.sh [--machine aarch64] [PYTHON...]: builds wheels that need nothing but Python and glibc 2.28 or newer,
# into build/wheels, for this machine or another one.
#
# The libraries are compiled once, by zig, whose glibc is as old as wished; all others but the C library are inside,
# from Debian's sources. For each Python (default: .venv's) the extension module is compiled against its headers;
# it needs pip, wheel, scikit-build-core and pybind11 there. From nothing it takes minutes, later only what has
# changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

machine=$(uname -m)
if [ "${1:-}" = --machine ]; then machine=$2; shift 2; fi
say() { printf 'wheel: %s\n' "$*" >&2; }

packaging/setup.sh python release
packaging/static/sources.sh simdjson libyaml zlib xz-utils libzstd re2 curl openssl=orig
source packaging/zig/tools.sh
manylinux "$machine"
platform=manylinux_${glibc/./_}_$machine
root=$PWD/build/zig/$target built=$PWD/build/$preset

# Client-side TLS alone, without the old algorithms.
openssl() {
  local without=(shared tests legacy engine dso comp zlib async ssl3 idea camellia seed rc2 rc4 md4 mdc2 whirlpool cast
    bf dsa srp psk ct cms ts ocsp sctp dtls gost aria sm2 sm3 sm4 cmp rfc3779)
  local version=build/sources/openssl/VERSION.dat made
  made=$({ declare -f openssl; cat "$version"; } | sha256sum)
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
    CC=zig-clang AR=$(gnu_tool "$machine" ar) RANLIB=$(gnu_tool "$machine" ranlib) perl "$OLDPWD/build/sources/openssl/Configure" \
      "linux-$machine" "${without[@]/#/no-}" --openssldir=/etc/ssl -fPIC -O2 -g0
    make -s -j "${JOBS:-$(nproc)}" build_generated libcrypto.a libssl.a
  ) > "$root/openssl.log" 2>&1 || { tail -n 50 "$root/openssl.log" >&2; return 1; }
  cp "$root"/openssl/build/lib*.a "$root/openssl/lib/"
  cp -r build/sources/openssl/include "$root/openssl/"
  cp -r "$root/openssl/build/include" "$root/openssl/"
  echo "$made" > "$root/openssl/done"
}

# python_headers VERSION FOLDER: puts the headers of a folder into the build's include that Debian's Python includes by their
# place below /usr/include, where zig does not look.
python_headers() {
  local place=$machine-linux-gnu/python$1
  [ -d "$2/$place" ] || return 0
  mkdir -p "$built/include/$(dirname "$place")"
  ln -sfn "$2/$place" "$built/include/$place"
}

# of_another_machine VERSION: what a wheel for another machine has of it, in `elsewhere` and `other`: names, headers and tools.
# The headers are those of the Debian release that has this Python.
of_another_machine() {
  local codename foreign
  case $1 in
    3.11) codename=bookworm ;;
    3.13) codename=trixie ;;
    *) say "Python $1 of $machine: no Debian release is known that has it"; return 1 ;;
  esac
  foreign=$PWD/build/roots/$codename-$machine
  packaging/foreign.sh "$codename" "$(debian_name "$machine")" "$foreign" python3 libpython3-dev
  python_headers "$1" "$foreign/usr/include"
  local suffix=.cpython-${1/./}-$machine-linux-gnu.so
  elsewhere=(_PYTHON_HOST_PLATFORM="linux-$machine" SETUPTOOLS_EXT_SUFFIX="$suffix")
  other=(CMAKE_SYSTEM_NAME=Linux CMAKE_SYSTEM_PROCESSOR="$machine" CMAKE_STRIP="$(command -v "$(gnu_tool "$machine" strip)")"
    Python_INCLUDE_DIR="$foreign/usr/include/python$1" PYTHON_MODULE_EXTENSION="$suffix")
  other=("${other[@]/#/--config-settings=cmake.define.}")
}

openssl
say "compiling the libraries"
zig_libraries "$target" -DOPENSSL="$root/openssl"
cmake --preset "$preset" > "build/$preset.log" 2>&1 || { cat "build/$preset.log" >&2; exit 1; }
packaging/build.sh "$preset" libsched libsched_net
mkdir -p build/wheels "$built/stripped"
notices build/sources/{curl/COPYING,openssl/LICENSE.txt} \
  "$(echo .venv/lib/python3.*/site-packages/pybind11-*/licenses/LICENSE)" > "$built/stripped/NOTICES.txt"
for library in "$built/lib/libsched.so" "$built/lib/libsched-net.so"; do
  "$(gnu_tool "$machine" strip)" --strip-unneeded -o "$built/stripped/$(basename "$library")" "$(realpath "$library")"
done

[ $# -gt 0 ] || set -- .venv/bin/python
for python in "$@"; do
  say "building the wheel for $("$python" --version) of $machine"
  work=$(mktemp -d)
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  elsewhere=() other=()
  if [ "$machine" = "$(uname -m)" ]; then python_headers "$version" /usr/include; else of_another_machine "$version"; fi
  # Asking whether the module could be optimised when it is linked would compile zig's C++ library once more.
  env "${elsewhere[@]}" CC="$root/tools/zig-clang" CXX="$root/tools/zig-clang++" \
    "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work" . \
    --config-settings build-dir="build/$preset-{wheel_tag}" --config-settings install.strip=true "${other[@]}" \
    --config-settings cmake.define.CMAKE_CXX_FLAGS="${CXXFLAGS:-} -I$built/include" \
    --config-settings=cmake.define.HAS_FLTO{,_AUTO,_THIN}=OFF \
    --config-settings cmake.define.LIBSCHED_NOTICES="$built/stripped/NOTICES.txt" \
    --config-settings cmake.define.LIBSCHED_PREBUILT="$built/stripped/libsched.so"
  "$python" -m wheel tags --remove --platform-tag "$platform" "$work"/*.whl > /dev/null
  mv "$work"/*.whl build/wheels/
  rmdir "$work"
done
ls -l build/wheels >&2
