#!/usr/bin/env bash
# packaging/static/gnu.sh: builds libsched.a for the system's glibc into build/static/gnu, from the objects of the
# preset release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

packaging/static/sources.sh simdjson
if ! grep -qs '^LIBSCHED_STATIC:BOOL=ON$' build/release/CMakeCache.txt; then
  mkdir -p build/release
  cmake --preset release -DLIBSCHED_STATIC=ON > build/release/configure.log 2>&1 ||
    { cat build/release/configure.log >&2; exit 1; }
fi
packaging/build.sh release libsched_static
rm -rf build/static/gnu
cmake --install build/release --component static --prefix build/static/gnu > /dev/null
