#!/usr/bin/env python3
"""Counts how many of some equal pods fit, now and if a cluster had more nodes, as an autoscaler asks.

    more_nodes.py CLUSTER POD COUNT NODE MORE

Asks a simulated cluster: COUNT pods like POD, which need no names, are placed on the first nodes that take
them, then once more with MORE nodes like NODE. At last the pods are packed onto new nodes alone.
"""

import sys

import libsched


def main(cluster_path: str, pod_path: str, count: int, node: str, more: int) -> None:
    sim = libsched.Sim.from_dump(cluster_path)
    pods = [sim.catalog.pod(libsched.Pod.load(pod_path))] * count
    like = int(sim.node_refs([node])[0])
    with sim.fork():
        print(f"{sim.place_many(pods).count} of {count} pods fit")
    with sim.fork():
        sim.add_nodes(like, [f"new-{index}" for index in range(more)])
        placed = sim.place_many(pods)
        print(f"{placed.count} of {count} pods fit with {more} more nodes like {node}")
        if placed.count < count:
            print(f"the next one: {sim.first(pods[0]).verdict.stage.name}")
    with sim.bin_pack([(pods[0], count)], like) as packing:
        print(f"{packing.count} of {count} pods fit on {len(packing.nodes)} new nodes alone")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(f"usage: {sys.argv[0]} CLUSTER POD COUNT NODE MORE")
    main(*sys.argv[1:3], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
