#!/usr/bin/env python3
"""Lets a scheduler decide about pods, with an API client of its own.

    decide.py CLUSTER PODS

Prints what a real client would send, and tells the scheduler of the bound pods, as a watch would. Exit
code 0: all pods were bound, 1: some were not.
"""

import sys

import libsched


class PrintingClient(libsched.ApiClient):
    """Prints requests instead of sending them."""

    def __init__(self) -> None:
        self.scheduler: libsched.Scheduler
        self.bound = 0

    def bind(self, pod: libsched.Pod, node_name: str) -> None:
        self.scheduler.deliver(pod, pod.copy(node_name=node_name))
        print(f"bind {pod.key}: {node_name}")
        self.bound += 1

    def event(self, pod: libsched.Pod, type: str, reason: str, action: str, note: str) -> None:
        if type == "Warning":
            print(f"pending {pod.key}: {note}")


def main(cluster_path: str, pods_path: str) -> int:
    cluster = libsched.Cluster.load(cluster_path)
    pods = libsched.Objects.load(pods_path).pods
    client = PrintingClient()
    client.scheduler = libsched.Scheduler(libsched.Framework(), cluster, client,
                                          clock=libsched.Clock.virtual(0))
    for pod in pods:
        client.scheduler.deliver(None, pod)
    client.scheduler.settle()
    return 0 if client.bound == len(pods) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} CLUSTER PODS")
    sys.exit(main(*sys.argv[1:]))
