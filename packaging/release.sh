#!/usr/bin/env bash
# packaging/release.sh [--check] [PART...]: makes what a release is, in dist/: sources, wheels (for x86_64 and aarch64), Go
# modules and Debian packages (PART: sdist, wheels, go, debs; default: all), the notes of CHANGELOG.md, an SBOM (SPDX) and SHA256SUMS.
#
# All dates are that of the last commit. --check makes everything once more, from a copy of the sources at another place,
# without any cache, and compares the bytes. Needs root and debootstrap; from nothing it takes about
# half an hour of CPU time, and as much again with --check.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'release: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

check=""
if [ "${1:-}" = --check ]; then check=yes; shift; fi
[ $# -gt 0 ] || set -- sdist wheels go debs
version=$(packaging/version.sh)
out=$PWD/dist
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
umask 022

sdist() {
  .venv/bin/python -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out" \
    > build/sdist.log
}

# For the Python of .venv and that of Debian 13.
wheels() {
  rm -f build/wheels/*.whl
  packaging/setup.sh release
  local newer
  newer=$(packaging/debian_python.sh trixie)
  packaging/wheel.sh .venv/bin/python "$newer"
  [ "$(uname -m)" != x86_64 ] || packaging/wheel.sh --machine aarch64 .venv/bin/python "$newer"
  cp build/wheels/*.whl "$out/"
}

# The modules as they are tagged, each with the archive of its platform.
go() {
  packaging/static/prebuilt.sh x86_64 aarch64
  rm -rf build/go-release
  packaging/go_release.py build/go-release
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C build/go-release -cf - go |
    gzip -9n > "$out/libsched-go-$version.tar.gz"
}

debs() {
  packaging/deb.sh bookworm trixie
  cp build/debs/*/*.deb "$out/"
}

# The section of this version.
notes() {
  awk -v head="## $version" 'index($0, "## ") == 1 { on = index($0, head) == 1 } on' CHANGELOG.md > "$out/NOTES.md"
  [ -s "$out/NOTES.md" ] || die "CHANGELOG.md has no section $version"
}

# Makes everything a second time in a copy of the sources, and compares.
again() {
  local copy=$PWD/build/again/libsched sums=$out/SHA256SUMS
  say "making everything once more, without caches"
  rm -rf build/again
  mkdir -p "$copy/build"
  git ls-files -z | xargs -0 cp --parents -t "$copy"
  # packaging/deb.sh asks git for the files.
  git -C "$copy" init --quiet
  git -C "$copy" add --all --force
  # The inputs are the same: tools, the sources of other projects and the systems in which packages are built.
  ln -s "$(realpath .venv)" "$copy/.venv"
  [ ! -d build/sources ] || cp -a build/sources "$copy/build/"  # OpenSSL has the way to its sources inside
  [ ! -d build/roots ] || ln -s "$PWD/build/roots" "$copy/build/roots"
  CCACHE_DISABLE=1 ZIG_GLOBAL_CACHE_DIR=$copy/build/zig-cache ZIG_LOCAL_CACHE_DIR=$copy/build/zig-cache \
    LIBSCHED_DEB_TREE=again "$copy/packaging/release.sh" "$@"
  diff "$sums" "$copy/dist/SHA256SUMS" >&2 || die "the second build differs; it is in $copy/dist"
  say "built twice, all $(wc -l < "$sums") files are equal"
}

for part in "$@"; do
  case $part in
    sdist | wheels | go | debs) ;;
    *) die "unknown part '$part' (sdist, wheels, go, debs)" ;;
  esac
done
# The copy of again() is a checkout without a commit.
[ -n "${LIBSCHED_DEB_TREE:-}" ] || [ -z "$(git status --porcelain 2>/dev/null)" ] || say "the checkout has changes that are not committed"
rm -rf "$out"
mkdir -p "$out" build
for part in "$@"; do "$part"; done
notes
.venv/bin/python packaging/sbom.py "$out"
(cd "$out" && sha256sum -- * > ../build/SHA256SUMS && mv ../build/SHA256SUMS .)
say "$out has:"
(cd "$out" && ls -l) >&2
[ -z "$check" ] || again "$@"
