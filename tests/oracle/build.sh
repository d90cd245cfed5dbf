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
  mod="mods/$number.mod"
  if [ "$number" -ge 137 ]; then  # groups of pods are walked over by name, in a copy of upstream's sources
    made=../../build/oracle/kubernetes-$minor
    if [ ! -d "$made" ]; then
      from=$(go list -modfile="$mod" -m -f '{{.Dir}}' k8s.io/kubernetes)
      mkdir -p "$made"
      for part in go.mod pkg third_party cmd plugin; do cp -R "$from/$part" "$made/"; done
      chmod -R u+w "$made"
      go run ./ordered "$made" || { rm -rf "$made"; exit 1; }
    fi
    cp "mods/$number.mod" "$made.mod"
    cp "mods/$number.sum" "$made.sum"
    mod=$made.mod
    go mod edit -replace="k8s.io/kubernetes=$(cd "$made" && pwd)" "$mod"
  fi
  go build -modfile="$mod" -tags="k$number" -o "../../build/oracle/oracle-$minor" .
done
