"""Measures the cost of a batch filter in Python above its own work, over 5,000 nodes: JSON on stdout.

It is the time of a call of filter_nodes() with the plugin, less that of a call without plugins, in ns: the
minimum and the median of several repetitions. The plugin itself does hardly any work, because it returns
prepared answers.
"""

import json
import statistics
import sys
import time

import numpy

import libsched

NODES, CALLS = 5000, 400


class AcceptsAll(libsched.Plugin):
    def filter_batch(self, state, pod, nodes):
        return None


class RejectsHalf(libsched.Plugin):
    reasons = ("node(s) were not wanted",)
    mask = numpy.random.default_rng(7).random(NODES) < 0.5

    def filter_batch(self, state, pod, nodes):
        return self.mask


def config(name):
    filters = {"filter": {"enabled": [{"name": name}]}} if name else {}
    plugins = {"multiPoint": {"disabled": [{"name": "*"}]},
               "queueSort": {"enabled": [{"name": "PrioritySort"}]},
               "bind": {"enabled": [{"name": "DefaultBinder"}]}, **filters}
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": [{"plugins": plugins}]}


def call(cluster, pod, plugin=None):
    """Returns a function that makes the call once, and its result."""
    plugins = [plugin] if plugin else []
    framework = libsched.Framework(config(plugin.__name__ if plugin else None), plugins=plugins)
    state = libsched.CycleState()
    framework.run_pre_filter_plugins(state, cluster, pod)
    return lambda: framework.filter_nodes(state, cluster, pod, result="bitmap")


def timed(function):
    begin = time.thread_time_ns()
    for _ in range(CALLS):
        function()
    return (time.thread_time_ns() - begin) / CALLS


def main(repetitions):
    cluster = libsched.Cluster([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i}"},
         "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}}
        for i in range(NODES)])
    pod = libsched.Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                        "spec": {"containers": [{"name": "c"}]}})
    without = call(cluster, pod)
    out = {}
    for name, plugin, found in (("accepts all", AcceptsAll, NODES),
                                ("rejects half", RejectsHalf, int(RejectsHalf.mask.sum()))):
        asked = call(cluster, pod, plugin)
        if int.from_bytes(asked(), "little").bit_count() != found:
            sys.exit(f"{name}: another number of nodes than {found}")
        # In turns, so that disturbances affect both sides.
        pairs = [(timed(asked), timed(without)) for _ in range(repetitions)]
        out[name] = {"min": min(a for a, _ in pairs) - min(b for _, b in pairs),
                     "median": statistics.median(a - b for a, b in pairs)}
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
