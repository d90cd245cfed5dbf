"""Measures what crossing between Python and the library costs, and prints the figures as JSON.

A call that does next to nothing, plugins that accept every one of 5,000 nodes, asked node by node and once for all, and a
step of a policy in a loop: a pod put onto a node in a fork, which is reverted.
Figures are CPU time of the thread in ns: of a call, of the filters of all nodes, and of a step.
"""

import json
import sys
import time

import libsched

NODES = 5000


class Idle(libsched.Plugin):
    """Is asked nothing."""

    def pre_filter(self, state, pod):
        return None


class AcceptsEach(libsched.Plugin):
    def filter(self, state, pod, node):
        return None


class AcceptsAll(libsched.Plugin):
    def filter_batch(self, state, pod, nodes):
        return None


def config(name):
    plugins = {"multiPoint": {"disabled": [{"name": "*"}],
                              "enabled": [{"name": "PrioritySort"}, {"name": "DefaultBinder"}, {"name": name}]}}
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": [{"plugins": plugins}]}


def filters(cluster, pod, plugin):
    """Returns a function that judges all nodes."""
    framework = libsched.Framework(config(plugin.__name__), plugins=[plugin])
    state = libsched.CycleState()
    framework.run_pre_filter_plugins(state, cluster, pod)

    def call():
        return framework.filter_nodes(state, cluster, pod, result="bitmap")

    if int.from_bytes(call(), "little").bit_count() != NODES:
        sys.exit(f"{plugin.__name__}: a node was rejected")
    return call


def timed(function, calls):
    begin = time.thread_time_ns()
    for _ in range(calls):
        function()
    return (time.thread_time_ns() - begin) / calls


def depth(cluster, calls):
    """The time of an attribute of the library, less that of the loop."""
    begin = time.thread_time_ns()
    for _ in range(calls):
        cluster.fork_depth
    middle = time.thread_time_ns()
    for _ in range(calls):
        pass
    return (2 * middle - begin - time.thread_time_ns()) / calls


def steps(cluster, pod):
    """The ways to put a pod onto a node, by name."""
    def step(change):
        def call():
            with cluster.fork():
                change()
        return call

    return {"step/fork": step(lambda: None), "step/add_pods": step(lambda: cluster.add_pods([pod], "node-7")),
            "step/apply": step(lambda: cluster.apply(pod.replace(node_name="node-7"))),
            "step/update": step(lambda: cluster.update(pod.replace(node_name="node-7")))}


def main(repetitions):
    cluster = libsched.Cluster([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i}"},
         "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}}
        for i in range(NODES)])
    pod = libsched.Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                        "spec": {"containers": [{"name": "c"}]}})
    asked = {"without": (filters(cluster, pod, Idle), 200), "filter": (filters(cluster, pod, AcceptsEach), 4),
             "filter_batch": (filters(cluster, pod, AcceptsAll), 200),
             **{name: (call, 2000) for name, call in steps(cluster, pod).items()}}
    out = {f"boundary/python/{name}": [] for name in ("call", *asked)}
    for _ in range(repetitions):
        out["boundary/python/call"].append(depth(cluster, 20_000))
        for name, (call, calls) in asked.items():
            out[f"boundary/python/{name}"].append(timed(call, calls))
    json.dump([{"name": name, "times": times} for name, times in out.items()], sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
