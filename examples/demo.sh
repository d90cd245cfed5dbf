#!/usr/bin/env bash
# Runs `make demo`: asks about pods that fit some nodes of an example cluster, and pods that fit none.
#
# `libsched fit` exits with 0 if the pod fits, 1 if not, 2 on bad input. The demo fails only on 2 or on an
# unexpected answer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

show() {  # show EXPECTED_CODE arguments of libsched...
  local expected=$1 code=0
  shift
  if [ -t 1 ]; then printf '\033[1m$ libsched %s\033[0m\n' "$*"; else printf '$ libsched %s\n' "$*"; fi
  .venv/bin/libsched "$@" || code=$?
  echo
  if [ "$code" -ne "$expected" ]; then
    echo "demo: libsched exited with $code, not with $expected" >&2
    exit 1
  fi
}

shop=examples/clusters/shop.yaml
pods=examples/clusters/pods
show 0 fit "$shop" --pod "$pods/train.yaml"
show 0 fit "$shop" --pod "$pods/web.yaml"
show 0 fit "$shop" --pod "$pods/edge.yaml"
show 0 fit "$shop" --pod "$pods/deployment.yaml"
show 1 fit "$shop" --pod "$pods/huge.yaml"
show 0 fit "$shop" --pod "$pods/train.yaml" --explain gpu-train-a-1
show 0 fit examples/clusters/region.json.gz --pod "$pods/train.yaml"
echo "Try your own: \$(.venv/bin/libsched kubectl-line) | .venv/bin/libsched fit - --pod POD.yaml"
