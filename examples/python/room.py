#!/usr/bin/env python3
"""Counts the copies of a pod that a cluster has room for, now and with some more nodes.

    room.py CLUSTER POD NODE [MORE]

Places copies one after another, each on the first node that takes it, inside a what-if that is undone
at the end; then repeats that with MORE (default 2) copies of the node NODE. The pod is parsed once; only
the name differs between copies.
"""

import sys

import libsched


def room(scheduler: libsched.Framework, cluster: libsched.Cluster, pod: libsched.Pod) -> int:
    """Returns the number of copies that fit; leaves the cluster unchanged."""
    with cluster.fork():
        for placed in range(100_000):
            copy = pod.copy(name=f"{pod.name}-{placed}")
            fit = scheduler.fit(cluster, copy)
            if not fit:
                return placed
            cluster.add_pods(copy, fit.nodes[0])
    return placed


def main(cluster_path: str, pod_path: str, node: str, more: int = 2) -> None:
    cluster = libsched.Cluster.load(cluster_path)
    pod = libsched.Pod.load(pod_path)
    scheduler = libsched.Framework()
    print(f"room for {room(scheduler, cluster, pod)} x {pod.key}")
    with cluster.fork():
        cluster.add_nodes(cluster.nodes[node].node.copies(more))
        print(f"room for {room(scheduler, cluster, pod)} with {more} more nodes like {node}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(f"usage: {sys.argv[0]} CLUSTER POD NODE [MORE]")
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
