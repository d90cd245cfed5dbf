#!/usr/bin/env bash
# packaging/deb.sh: builds the Debian packages for the Debian that it runs on, into build/debs/CODENAME.
#
# The sources are the files of the checkout; the version is that of CMakeLists.txt. Needs dpkg-dev, and the packages
# that packaging/debian/control asks for, which it installs if it is root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'deb: %s\n' "$*" >&2; }

version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
out=$PWD/build/debs/$codename
# The time of the last commit, so that equal sources give equal packages.
date=$(date -R -u -d "@$(git log -1 --format=%ct)")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/libsched-$version
mkdir "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"
mv "$tree/packaging/debian" "$tree/debian"
cat > "$tree/debian/changelog" <<CHANGES
libsched ($version) unstable; urgency=medium

  * Release $version; CHANGELOG.md lists what is in it.

 -- libsched developers <libsched@localhost.localdomain>  $date
CHANGES
cp CHANGELOG.md "$tree/debian/NEWS.md"

if [ "$(id -u)" -eq 0 ] && ! (cd "$tree" && dpkg-checkbuilddeps 2>/dev/null); then
  say "installing what the build needs"
  DEBIAN_FRONTEND=noninteractive apt-get build-dep -y -qq --no-install-recommends "$tree" >/dev/null
fi
say "building the packages of libsched $version for $codename"
(cd "$tree" && dpkg-buildpackage --no-sign --build=binary > "$work/log" 2>&1) || { tail -n 60 "$work/log" >&2; exit 1; }
rm -rf "$out"
mkdir -p "$out"
cp "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out/"
ls "$out" >&2
