#!/usr/bin/env bash
# packaging/deb.sh [CODENAME...]: builds the Debian packages for releases of Debian (default: bookworm and trixie), into
# build/debs/CODENAME.
#
# Each release has packages of its own, because their simdjson, RE2, libcurl and Python have different names. They are
# built in a root of that release, which debootstrap makes, from the files of the checkout that git knows. The version
# is that of the headers with the release: 0.1.0+deb12. All dates are that of the last commit. A root keeps a
# cache of ccache, so only the first build takes minutes. Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'deb: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

[ "$(id -u)" -eq 0 ] || die "roots need the superuser: run it as root, or by sudo"
command -v debootstrap >/dev/null || die "no debootstrap (Debian's package debootstrap)"
version=$(packaging/version.sh)
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# Runs a command in the root of a release.
inside() {
  local root=$1
  shift
  env -i HOME=/root PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    CCACHE_DIR=/build/ccache JOBS="${JOBS:-$(nproc)}" SOURCE_DATE_EPOCH="$when" \
    ${CCACHE_DISABLE:+CCACHE_DISABLE=1} chroot "$root" "$@"
}

# Puts the sources of a version into an empty folder.
sources() {
  git ls-files -z | xargs -0 cp --parents -t "$1"
  mv "$1/packaging/debian" "$1/debian"
  cat > "$1/debian/changelog" <<CHANGES
libsched ($2) unstable; urgency=medium

  * Release $version: see NEWS.md of libsched-dev.

 -- $(sed -n 's/^Maintainer: //p' "$1/debian/control")  $(date -R -u -d "@$when")
CHANGES
  cp CHANGELOG.md "$1/debian/NEWS.md"
}

build() {
  local codename=$1 root=$PWD/build/roots/$1-build out=$PWD/build/debs/$1 full tree
  packaging/root.sh "$codename" "$root" build-essential ccache
  full=$version+deb$(inside "$root" sh -c '. /etc/os-release; echo $VERSION_ID')
  tree=/build/${LIBSCHED_DEB_TREE:-libsched-$version}  # a second build is at another place (packaging/release.sh)
  rm -rf "$root$tree" "$root"/build/*.deb "$root"/build/*.changes "$root"/build/*.buildinfo "$out"
  mkdir -p "$root$tree" "$out"
  sources "$root$tree" "$full"
  if ! inside "$root" sh -c "cd $tree && dpkg-checkbuilddeps 2>/dev/null"; then
    say "installing what the build needs into the root of $codename"
    inside "$root" apt-get update -qq
    inside "$root" apt-get build-dep -y -qq --no-install-recommends "$tree" > "$root.log" 2>&1 ||
      { tail -n 20 "$root.log" >&2; exit 1; }
  fi
  say "building libsched $full for $codename"
  inside "$root" sh -c "cd $tree && dpkg-buildpackage --no-sign --build=binary" > "$out/build.log" 2>&1 ||
    { tail -n 60 "$out/build.log" >&2; exit 1; }
  mv "$root"/build/*.deb "$root"/build/*.changes "$root"/build/*.buildinfo "$out/"
  rm -r "${root:?}$tree"
  ls "$out"/*.deb >&2
}

[ $# -gt 0 ] || set -- bookworm trixie
for codename in "$@"; do build "$codename"; done
