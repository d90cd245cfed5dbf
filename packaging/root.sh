#!/usr/bin/env bash
# packaging/root.sh CODENAME FOLDER [PACKAGE...]: makes a root file system of a Debian release with debootstrap, with a
# few packages, for tests of what users install. A folder that is there already stays as it is. Needs root.
#
# The archive is the one that the machine installs from.
set -euo pipefail
codename=$1 folder=$2
shift 2
[ ! -e "$folder/.complete" ] || exit 0
mirror=$("$(dirname "${BASH_SOURCE[0]}")/debian_archive.sh")
packages=$(IFS=,; echo "$*")
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
debootstrap --variant=minbase ${packages:+--include="$packages"} "$codename" "$folder" "$mirror" > "$folder.log" 2>&1 ||
  { tail -n 20 "$folder.log" >&2; exit 1; }
cp /etc/apt/apt.conf.d/*proxy* "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
rm -f "$folder"/var/cache/apt/archives/*.deb
touch "$folder/.complete"
