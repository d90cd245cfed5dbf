#!/usr/bin/env bash
# Installs the Python package (with the command line) into .venv, when its sources have changed.
#
# The package takes the library of the preset release, so that nothing is compiled twice.
# The stamp is a hash over what goes into the wheel: names and contents of sources and build files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=.venv/libsched.sha256
now=$({
  find libsched capi cmake bindings/pybind11 python CMakeLists.txt pyproject.toml \
    -type f ! -name '*_test.cpp' ! -name '*.pyc' ! -path 'python/tests/*' -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum
  .venv/bin/python --version
} | sha256sum)
if [ "$now" = "$(cat "$stamp" 2>/dev/null)" ] && [ -x .venv/bin/libsched ]; then
  exit 0
fi
echo "installing the Python package into .venv" >&2
rm -f "$stamp"
packaging/build.sh release libsched
CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} .venv/bin/pip install --quiet \
  -C cmake.define.LIBSCHED_PREBUILT="$PWD/build/release/lib/libsched.so" \
  --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall .
echo "$now" > "$stamp"
