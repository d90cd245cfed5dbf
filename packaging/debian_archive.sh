#!/usr/bin/env bash
# packaging/debian_archive.sh: prints the address of the Debian archive that the machine installs from.
set -euo pipefail
# shellcheck disable=SC2016  # apt-get replaces $(...)
archive=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT) $(LABEL)' 'Created-By: Packages' |
  sed -n 's/ Debian main Debian$//p' | head -n 1)
[ -n "$archive" ] || { echo "debian_archive.sh: apt-get knows no Debian archive; run apt-get update first" >&2; exit 1; }
echo "$archive"
