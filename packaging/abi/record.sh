#!/usr/bin/env bash
# packaging/abi/record.sh VERSION: records the C ABI of today's headers as that of a release, in packaging/abi/VERSION.
#
# Of a release that is out nothing is recorded again: programs that were built with it must go on working.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$1
out=packaging/abi/$version
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for library in capi net; do
  mkdir "$work/$library"
  python3 packaging/abi/stub.py "$library/include" --needs capi/include --out "$work/$library/stub.so"
  abidw --no-comp-dir-path --no-elf-needed --drop-undefined-syms --no-show-locs --no-parameter-names \
    --no-corpus-path --out-file "$work/$library.abi" "$work/$library/stub.so"
  gzip -9n -c "$work/$library.abi" > "$out/$library.abi.gz"
done
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c capi/include net/include | gzip -9n > "$out/headers.tar.gz"
