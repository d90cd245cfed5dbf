#!/usr/bin/env python3
"""Writes a dump of a large cluster, as `kubectl get -o json` prints one, for timing the command line.

    tests/bench/make_dump.py [--nodes 5000] [--pods 50000] [--seed 1] > cluster.json

The nodes are of a few shapes in three zones, some tainted; pods are of Deployments, and one of a hundred has
no node. The same numbers give the same bytes.
"""

import argparse
import json
import random
import sys

SHAPES = [("general", "16", "64Gi"), ("large", "64", "256Gi"), ("gpu", "96", "1Ti")]


def node(number, draw):
    pool, cpu, memory = draw.choices(SHAPES, (8, 3, 1))[0]
    name = f"{pool}-{number:05d}"
    allocatable = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "200Gi"}
    taints = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}] if pool == "gpu" else []
    if pool == "gpu":
        allocatable["nvidia.com/gpu"] = "8"
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "uid": f"node-{number}", "resourceVersion": str(1000 + number),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "pool": pool,
                       "topology.kubernetes.io/zone": f"zone-{number % 3}",
                       "node.kubernetes.io/instance-type": f"{pool}.xlarge"}},
        "spec": {"podCIDR": f"10.{number // 256}.{number % 256}.0/24", **({"taints": taints} if taints else {})},
        "status": {
            "allocatable": allocatable, "capacity": allocatable,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                            "lastHeartbeatTime": "2026-01-02T00:00:00Z"}],
            "images": [{"names": [f"registry.example.com/app-{i}:1"], "sizeBytes": 50_000_000 + i}
                       for i in draw.sample(range(200), 10)],
            "nodeInfo": {"kubeletVersion": "v1.36.0", "osImage": "Linux", "architecture": "amd64"}}}


def pod(number, nodes, draw):
    app = draw.randrange(500)
    labels = {"app": f"app-{app}", "pod-template-hash": f"{app:010x}"}
    spec = {
        "schedulerName": "default-scheduler", "priority": app % 3, "serviceAccountName": "default",
        "containers": [{
            "name": "main", "image": f"registry.example.com/app-{app % 200}:1",
            "resources": {"requests": {"cpu": f"{100 + 50 * (app % 10)}m", "memory": f"{128 << app % 5}Mi"}},
            "env": [{"name": "APP", "value": str(app)}],
            "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets", "readOnly": True}]}],
        "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                         "tolerationSeconds": 300}]}
    if app % 7 == 0:
        spec["topologySpreadConstraints"] = [{
            "maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": f"app-{app}"}}}]
    waits = number % 100 == 0
    if waits:
        spec["containers"][0]["resources"]["requests"]["cpu"] = "200"
    else:
        spec["nodeName"] = nodes[draw.randrange(len(nodes))]
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": f"app-{app}-{app:010x}-{number:05d}", "namespace": f"team-{app % 20}", "uid": f"pod-{number}",
            "resourceVersion": str(100_000 + number), "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": labels,
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"app-{app}-{app:010x}",
                                 "uid": f"set-{app}", "controller": True, "blockOwnerDeletion": True}]},
        "spec": spec,
        "status": {"phase": "Pending" if waits else "Running", "startTime": "2026-01-01T00:00:01Z"}}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    items = [node(number, draw) for number in range(options.nodes)]
    nodes = [item["metadata"]["name"] for item in items if not item["spec"].get("taints")]
    items += [pod(number, nodes, draw) for number in range(options.pods)]
    json.dump({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items},
              sys.stdout, indent=4)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
