#!/usr/bin/env python3
"""Prints whether a pod fits, as one line of JSON.

    fit.py CLUSTER POD          (files: JSON or YAML, plain or gzip)

{"pod": "ml/train", "fits": true, "nodes": [names], "reasons": {text: number of nodes}}
Exit code 0: it fits somewhere, 1: nowhere, 2: an input is wrong.
"""

import json
import sys

import libsched


def main(cluster_path: str, pod_path: str) -> int:
    try:
        cluster = libsched.Cluster.load(cluster_path)
        fit = libsched.Framework().fit(cluster, pod_path)
    except libsched.Error as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps({"pod": fit.pod.key, "fits": fit.fits, "nodes": fit.nodes,
                      "reasons": fit.reasons}))
    return 0 if fit else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} CLUSTER POD")
    sys.exit(main(sys.argv[1], sys.argv[2]))
