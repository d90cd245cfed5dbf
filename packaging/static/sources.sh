#!/usr/bin/env bash
# packaging/static/sources.sh NAME[=orig]...: unpacks the sources of Debian packages to build/sources/NAME, with
# Debian's patches (=orig: without them), for static archives that Debian does not have.
#
# apt-get checks the signatures. It runs with a configuration of its own, because most machines have no sources
# in theirs: the Debian archives that the machine installs from, as far as its lists name them, are asked for
# sources. A folder that is there already stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'sources: %s\n' "$*" >&2; }

missing=()
for name in "$@"; do
  [ -d "build/sources/${name%=orig}" ] || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0
for tool in apt-get dpkg-source; do
  command -v "$tool" >/dev/null || { say "no $tool (Debian's packages apt and dpkg-dev)"; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
# Prints a line for apt's sources.list for each Debian archive that the machine installs from.
archives() {
  # shellcheck disable=SC2016  # apt-get replaces $(...)
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    sed -n 's/ Debian$//p' | sort -ru
}
archives > "$work/sources.list"
if [ ! -s "$work/sources.list" ]; then  # a fresh machine without lists: fetched, but not for the machine
  mkdir -p "$work/machine/partial"
  printf 'Dir::State::Lists "%s/machine";\nDir::Cache "%s/cache";\nAPT::Sandbox::User "root";\n' "$work" "$work" \
    > "$work/machine.conf"
  APT_CONFIG=$work/machine.conf apt-get update -qq || true
  APT_CONFIG=$work/machine.conf archives > "$work/sources.list"
fi
[ -s "$work/sources.list" ] || { say "apt-get knows no Debian archive"; exit 1; }
cat > "$work/apt.conf" <<CONF
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$work/lists";
Dir::Cache "$work/cache";
Acquire::Languages "none";
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$work/apt.conf

say "fetching the sources of ${missing[*]}"
apt-get update -qq
mkdir -p build/sources
for wanted in "${missing[@]}"; do
  name=${wanted%=orig}
  mkdir "$work/$name"
  if [ "$wanted" = "$name" ]; then
    (cd "$work/$name" && apt-get source -qq --download-only --only-source "$name" >/dev/null)
    dpkg-source --no-check --extract "$work/$name"/*.dsc "$work/$name/tree" >/dev/null 2>"$work/said" ||
      { cat "$work/said" >&2; exit 1; }
  else
    (cd "$work/$name" && apt-get source -qq --tar-only --only-source "$name" >/dev/null)
    mkdir "$work/$name/tree"
    tar -xf "$work/$name"/*.orig.tar.* -C "$work/$name/tree" --strip-components 1
  fi
  mv "$work/$name/tree" "build/sources/$name"
done
