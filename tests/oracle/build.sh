#!/bin/sh
# Builds the oracle of minor releases: 1.36 into build/oracle/oracle, and any other, such as 1.34, into
# build/oracle/oracle-1.34. The first build of each compiles Kubernetes and takes minutes.
#
#   tests/oracle/build.sh 1.36 1.34
set -eu
cd "$(dirname "$0")"
for minor; do
  if [ "$minor" = 1.36 ]; then
    go build -o ../../build/oracle/oracle .
    continue
  fi
  number=$(echo "$minor" | tr -d .)
  if [ ! -f "mods/$number.mod" ]; then
    known=$(ls mods/*.mod | sed "s,mods/\(.\)\(.*\)\.mod,\1.\2,")
    echo "build.sh: no oracle of $minor: there are 1.36 and $(echo $known)" >&2
    exit 2
  fi
  go build -modfile="mods/$number.mod" -tags="k$number" -o "../../build/oracle/oracle-$minor" .
done
