#!/usr/bin/env bash
# Installs two Python packages into .venv if their sources have changed: libsched with the command line,
# and tests/evaluate, which adds the verb `evaluate`.
#
# The package uses the library of the preset release, so that nothing is compiled twice.
# A stamp is a digest of the sources and build files of a wheel, names and contents.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# digest PATH...: prints the digest of all files below the paths that go into a package.
digest() {
  {
    find "$@" -type f ! -name '*_test.cpp' ! -name '*.pyc' ! -path 'python/tests/*' -print0 |
      LC_ALL=C sort -z | xargs -0 sha256sum
    .venv/bin/python --version
  } | sha256sum
}

# install_wheel NAME STAMP DIGEST FOLDER [OPTION...]
install_wheel() {
  local name=$1 stamp=$2 now=$3 folder=$4
  shift 4
  echo "installing the Python package $name into .venv" >&2
  rm -f "$stamp"
  CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} .venv/bin/pip install --quiet "$@" \
    --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall "$folder"
  echo "$now" > "$stamp"
}

stamp=.venv/libsched.sha256
now=$(digest libsched capi net cmake bindings/pybind11 python CMakeLists.txt pyproject.toml)
if [ "$now" != "$(cat "$stamp" 2>/dev/null)" ] || [ ! -x .venv/bin/libsched ]; then
  [ -e build/release/lib/libsched.so ] ||
    echo "compiling the library: about 9 minutes of processor time the first time" >&2
  packaging/build.sh release libsched libsched_net
  install_wheel libsched "$stamp" "$now" . \
    --config-settings cmake.define.LIBSCHED_PREBUILT="$PWD/build/release/lib/libsched.so"
fi

stamp=.venv/libsched_evaluate.sha256
now=$(digest tests/evaluate/pyproject.toml tests/evaluate/libsched_evaluate)
if [ "$now" != "$(cat "$stamp" 2>/dev/null)" ]; then
  install_wheel libsched-evaluate "$stamp" "$now" ./tests/evaluate
fi
