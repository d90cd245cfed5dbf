#!/usr/bin/env bash
# packaging/foreign.sh CODENAME ARCHITECTURE FOLDER PACKAGE...: unpacks packages of a Debian release for another
# architecture (arm64), with what they depend on, into a folder, for compilers and for qemu. A folder that is there already
# stays as it is.
#
# Nothing is installed: no program of a package runs, and apt-get keeps its lists in a configuration of its own. The
# archive is the one that the machine installs from.
set -euo pipefail
codename=$1 architecture=$2 folder=$3
shift 3
[ ! -e "$folder/.complete" ] || exit 0
archive=$("$(dirname "${BASH_SOURCE[0]}")/debian_archive.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$folder"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$folder"
touch "$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $codename main" > "$work/sources.list"
cat > "$work/apt.conf" <<CONF
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
export APT_CONFIG=$work/apt.conf
apt-get update -qq
apt-get install -qq -y --no-install-recommends --download-only "$@" > /dev/null
for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
[ -e "$folder/lib" ] || ln -s usr/lib "$folder/lib"  # since Debian 13 of a package that all systems have
touch "$folder/.complete"
