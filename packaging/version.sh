#!/usr/bin/env bash
# packaging/version.sh: prints the version of libsched, which the header has: 0.1.0.
set -euo pipefail
sed -n 's/^#define LIBSCHED_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' \
  "$(dirname "${BASH_SOURCE[0]}")/../capi/include/libsched/base.h" | paste -sd .
